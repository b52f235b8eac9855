/**
 * A service whose own money is moved and taken out while its process is killed: as real processes, on anvil and
 * PostgreSQL.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect } from "effect"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = Eip155.chainId(8453)
const payLinkHost = "pay.example.com"
/** A machine with much else to do takes minutes. */
const timeout = 360_000

const usdc =
  BuiltIn.catalog.assets.find(
    ({ symbol, token }) => symbol === "USDC" && token.chainId === chainId,
  ) ?? assert.fail("there is no USDC")
const asset = Eip155.formatToken(usdc.token)
const cold = Eip155.formatAccount(LocalChains.treasury.account(chainId))
const accounts = LocalChains.collectingAccounts.test.map((wallet) =>
  Eip155.formatAccount(wallet.account(chainId)),
)

const moveThroughKills = (reached: LocalChains.Reached, database: string) =>
  Program.inDirectory(async () => {
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
    const variables = {
      DATABASE_URL: database,
      FLORIN_CHAINS: "8453.finality=2",
      FLORIN_PAY_LINK_HOST: payLinkHost,
      FLORIN_SEAL_KEY: key(1),
      FLORIN_VAULT_KEY: key(2),
      FLORIN_TEST_RPC: `8453=${reached.rpcUrl}`,
      FLORIN_TEST_RELAYER_KEYS: LocalChains.collectingAccounts.test
        .map(({ privateKey }) => privateKey)
        .join(" "),
      FLORIN_TREASURY: cold,
    }
    const begin = () => Serving.serve(variables, "--port", "0")
    let service = await begin()
    const killed = async () => {
      await Serving.end(service, "SIGKILL")
      service = await begin()
    }
    const florin = async (...args: ReadonlyArray<string>): Promise<string> => {
      const { code, err, out } = await Program.runIn(variables, ...args)
      assert.strictEqual(code, 0, out + err)
      return out
    }
    const { merchantId, partnerKey, walletKey } = await Serving.register(database, service.url)
    const partner = () => makePartner({ baseUrl: service.url, apiKey: partnerKey, merchantId })
    // What the chain began with is the operator's.
    for (const [index, account] of accounts.entries()) {
      const hash = `0x${`${index + 1}`.repeat(64)}`
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      await florin("float", "put", asset, account, "1000", "--mode", "test", "--transaction", hash)
    }

    const { gatewayUrl, paymentId } = await partner().payments.create(
      { referenceId: "order", merchantId, amount: { unit: "iso4217/USD", value: "1250" } },
      { idempotencyKey: "order" },
    )
    const payer = LocalChains.wallets[0] ?? assert.fail()
    const paid = await pay(gatewayUrl, {
      baseUrl: service.url,
      payLinkHost,
      apiKey: walletKey,
      accounts: [Eip155.formatAccount(payer.account(chainId))],
      signer: Payer.signer(payer, [reached]),
      chooseOption: (options) =>
        options.find(({ amount }) => amount.unit.endsWith(asset)) ?? assert.fail("no USDC"),
    })
    assert.strictEqual(paid._tag, "Succeeded")
    await Serving.until(async () => (await partner().payments.get(paymentId)).settlement !== null)
    const story = await florin("explain", paymentId)
    const from =
      accounts.find((account) => story.includes(`pay to: ${account}`)) ?? assert.fail(story)

    // The operator takes its money from the account that collected: by no key, and through a kill.
    const isPaid = async (payoutId: string) =>
      JSON.parse(await florin("payouts", "show", payoutId, "--json")).state === "paid"
    const taken = JSON.parse(
      await florin("float", "withdraw", asset, from, cold, "1000", "--mode", "test", "--json"),
    )
    await killed()
    await Serving.until(() => isPaid(taken.id))

    // Only the other account has what the refund needs now.
    const { refundId } = await partner().refunds.create({ paymentId })
    await Serving.until(async () => (await florin("float", "short")).includes(`${from} lacks`))
    await killed()
    await Serving.until(async () => (await partner().refunds.get(refundId)).status === "succeeded")
    assert.include(await florin("chains", "halted"), "No chain is stopped.")
    assert.include(await florin("float", "short"), "No refund or withdrawal waits for your money.")
    await florin("reconcile")
    const listed = JSON.parse(await florin("relayers", "list", "--json"))
    assert.sameMembers(
      listed.relayers.map(({ account }: { readonly account: string }) => account),
      accounts,
    )
    const text = await florin("relayers", "list")
    assert.match(text, /gas.* ETH/u)
    assert.include(text, " USDC, of which 0.00 USDC is owed")
    await Serving.end(service, "SIGTERM")
  })

describe("the operator's money, if a process is killed", () => {
  it.live(
    "S4, S6: is withdrawn once, and moved once to the account where a refund waits",
    () =>
      Effect.gen(function* () {
        const [reached] = yield* LocalChains.start([chainId], null)
        if (reached === undefined) assert.fail("there is no chain")
        const database = yield* Databases.address("empty")
        yield* Effect.promise(() => moveThroughKills(reached, database))
      }).pipe(Effect.scoped),
    timeout,
  )
})
