/**
 * A merchant that was paid out asks for its payment to go back, next to one that is owed money: as real processes, on
 * anvil and PostgreSQL.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = Eip155.chainId(8453)
/** A machine with much else to do takes minutes. */
const timeout = 360_000

const usdc =
  BuiltIn.catalog.assets.find(
    ({ symbol, token }) => symbol === "USDC" && token.chainId === chainId,
  ) ?? assert.fail("there is no USDC")
const asset = Eip155.formatToken(usdc.token)
/** One account collects: shares on two would not be paid out together. */
const [collecting = assert.fail("nobody collects")] = LocalChains.collectingAccounts.test
const account = Eip155.formatAccount(collecting.account(chainId))

/** What an account holds of the token, in its smallest unit. */
const balanceOf = async ({ rpcUrl }: LocalChains.Reached, address: string): Promise<bigint> => {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "eth_call",
      params: [
        { to: usdc.token.address, data: `0x70a08231${address.slice(2).padStart(64, "0")}` },
        "latest",
      ],
    }),
  })
  const [, held = assert.fail("no balance")] =
    /"result":"(0x[0-9a-f]+)"/u.exec(await response.text()) ?? []
  return BigInt(held)
}

const refundBesideOthers = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  const variables = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYER_KEYS: collecting.privateKey,
  }
  const begin = (role: string) => Serving.serve(variables, "--role", role, "--port", "0")
  const [{ url: baseUrl }] = await Promise.all([begin("api"), begin("worker")])
  const { merchantId: first, partnerKey, walletKey } = await Serving.register(database, baseUrl)
  const partnerOf = (merchantId: string) => makePartner({ baseUrl, apiKey: partnerKey, merchantId })
  const partner = partnerOf(first)
  const florin = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { code, err, out } = await Program.runIn(variables, ...args)
    assert.strictEqual(code, 0, out + err)
    return out
  }
  const merchantId = first ?? assert.fail("there is no merchant")
  const second = (
    await partner.merchants.create({ merchantName: "Honest", merchantEmail: "till@honest.example" })
  ).merchant.id
  const destination = Eip155.formatAccount(LocalChains.treasury.account(chainId))
  await partner.settlements.create(second, { settlements: [{ asset, destination }] })

  const [payer = assert.fail("nobody pays")] = LocalChains.wallets
  const paidBy = async (merchant: string, dollars: number) => {
    const value = `${dollars * 100}`
    const { gatewayUrl, paymentId } = await partner.payments.create({
      referenceId: `${merchant} ${dollars}`,
      merchantId: merchant,
      amount: { unit: "iso4217/USD", value },
    })
    const { _tag } = await pay(gatewayUrl, {
      baseUrl,
      payLinkHost: Serving.payLinkHost,
      apiKey: walletKey,
      accounts: [Eip155.formatAccount(payer.account(chainId))],
      signer: Payer.signer(payer, [reached]),
      chooseOption: (options) =>
        options.find(({ amount }) => amount.unit.endsWith(asset)) ?? assert.fail("no USDC"),
    })
    assert.strictEqual(_tag, "Succeeded")
    return paymentId
  }
  const received = () => balanceOf(reached, LocalChains.treasury.address)
  const before = await received()
  const [{ fees, id: partnerId }] = JSON.parse(await florin("partners", "list", "--json")).partners
  /** What a merchant is owed of so many dollars. */
  const netOf = (dollars: number): bigint => {
    const cents = Number(fees.fixed[0].value)
    return BigInt(Math.round(dollars * 1e6 * (1 - fees.percentage / 100) - cents * 1e4))
  }

  // The first merchant has its money; what comes from now on waits.
  const taken = await paidBy(merchantId, 10)
  await Serving.until(async () => (await received()) - before === netOf(10))
  await florin("partners", "change", partnerId, "--payouts", "60m/30")
  const owed = await paidBy(second, 20)

  // S4: the accounts hold enough, but it is the other merchant's.
  const { refundId } = await partner.refunds.create({ paymentId: taken })
  const isPendingFor = (reason: string) =>
    Serving.until(async () => {
      const { pendingReason, status } = await partner.refunds.get(refundId)
      assert.strictEqual(status, "pending")
      return pendingReason === reason
    })
  await isPendingFor("insufficient_funds")
  assert.include(await florin("float", "short"), " lacks ")

  // S3: the operator's money is there, and is not lent.
  await florin("partners", "change", partnerId, "--credit", "none", "--mode", "test")
  const hash = `0x${"1".repeat(64)}`
  await florin("float", "put", asset, account, "1000", "--mode", "test", "--transaction", hash)
  await isPendingFor("insufficient_credit")

  // S5: what comes for the first merchant pays its refund, with the fee, and both get the rest.
  const later = await paidBy(merchantId, 25)
  const all = netOf(10) + netOf(20) + netOf(25) - 10_000_000n
  await Serving.until(async () => (await partner.refunds.get(refundId)).status === "succeeded")
  await Serving.until(async () => (await received()) - before === all)
  for (const [merchant, paymentId] of [
    [second, owed],
    [merchantId, later],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    await Serving.until(
      async () => (await partnerOf(merchant).payments.get(paymentId)).settlement !== null,
    )
  }
  await florin("reconcile")
}

describe("a refund after the merchant was paid out", () => {
  it.live(
    "S3, S4, S5: uses neither the operator's money nor another merchant's, and is paid before the merchant's next payouts",
    () => Serving.on([8453], refundBesideOthers),
    timeout,
  )
})
