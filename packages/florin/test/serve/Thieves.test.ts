/**
 * A forging node and payers that waste gas, against real processes on PostgreSQL and a chain with blocks on request.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, makeWallet, pay, Refused } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Money from "@florin/core/domain/ground/Money"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Schema } from "effect"
import * as Accounts from "../../../evm/test-support/accounts.ts"
import * as Lies from "../../../evm/test-support/lies.ts"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = Eip155.chainId(8453)
/** A machine with much else to do takes minutes. */
const timeout = 360_000
const coin = 10n ** 18n

const { token } =
  BuiltIn.catalog.assets.find((each) => each.symbol === "USDC" && each.token.chainId === chainId) ??
  assert.fail("there is no USDC")
const dollars = (count: number): bigint => BigInt(count) * 10n ** 6n

/** It has gas and no token: what the ledger says is all that it may hold. */
const relayer = Wallet.make(120)
/** Keys that nobody used. */
const payers = [121, 122, 123, 124, 125, 126].map(Wallet.make)

const readPool = Schema.decodeUnknownSync(Schema.Struct({ pending: Schema.String }))
const readHex = Schema.decodeUnknownSync(Schema.String)
const readBlock = Schema.decodeUnknownSync(Schema.Struct({ number: Schema.String }))
const readReceipts = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ status: Schema.String, gasUsed: Schema.String })),
)

/** Processes that answer and that work, on a chain whose blocks come by hand. */
const begin = async (
  local: LocalChain.LocalChain,
  database: string,
  nodes: ReadonlyArray<string>,
) => {
  const run = Effect.runPromise
  await run(local.fundGas(relayer.address, coin))
  for (const { address } of payers) {
    // oxlint-disable-next-line no-await-in-loop -- The chain takes one after the other.
    await run(local.fund(token.address, address, dollars(1000)))
  }
  await run(local.mine(3))
  const variables = {
    ...Serving.variables(database, [{ chainId: 8453, rpcUrl: local.rpcUrl }]),
    // No source of prices knows the coin, so this alone bounds what a contract may cost.
    FLORIN_CHAINS: `8453.finality=2 8453.gasAllowance=${coin}`,
    FLORIN_TEST_RPC: nodes.map((url) => `8453=${url}`).join(" "),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
  }
  const serve = (role: string) => Serving.serve(variables, "--role", role, "--port", "0")
  const [{ url: baseUrl }] = await Promise.all([serve("api"), serve("worker")])
  const florin = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await Program.runIn(variables, ...args)
    assert.strictEqual(code, 0, out + err)
    return out
  }
  const partner = async () => {
    const { merchantId, partnerKey, walletKey } = await Serving.register(database, baseUrl)
    const { payments } = makePartner({ baseUrl, apiKey: partnerKey, merchantId })
    return {
      walletKey,
      of: payments.get,
      create: (quantity: bigint) =>
        payments.create({
          referenceId: `for ${quantity}`,
          amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: quantity.toString() },
        }),
    }
  }
  return {
    baseUrl,
    florin,
    partner,
    mine: () => run(local.mine(1)),
    /** How many transactions wait for a block. */
    waiting: async () => Number(readPool(await run(local.request("txpool_status"))).pending),
    block: (address: Caip.Address) => run(local.block(token.address, address, true)),
    held: async (address: Caip.Address) => {
      const data = `0x70a08231${address.slice(2).padStart(64, "0")}`
      return BigInt(
        readHex(await run(local.request("eth_call", [{ to: token.address, data }, "latest"]))),
      )
    },
    /** Lets blocks follow each other until it is so. */
    mineUntil: (isSo: () => Promise<boolean>) =>
      Serving.until(async () => {
        if (await isSo()) return true
        await run(local.mine(1))
        return false
      }),
    accountOf: ({ address }: Wallet.Wallet) => Eip155.formatAccount({ chainId, address }),
  }
}

const on = (
  work: (local: LocalChain.LocalChain, database: string, liar: Lies.Liar) => Promise<void>,
) =>
  Effect.gen(function* () {
    const local = yield* LocalChain.make({ chainId, blocks: "byHand", hardfork: "osaka" })
    const liar = yield* Lies.make(local)
    const database = yield* Databases.address("empty")
    yield* Effect.promise(() => Program.inDirectory(() => work(local, database, liar)))
  }).pipe(Effect.scoped)

/** The first of two nodes says that a collect paid which reverted. */
const forge = async (local: LocalChain.LocalChain, database: string, liar: Lies.Liar) => {
  const scene = await begin(local, database, [liar.url, local.rpcUrl])
  const { accountOf, baseUrl, block, florin, held, mineUntil, partner, waiting } = scene
  const honest = await partner()
  const [{ id: partnerId }] = JSON.parse(await florin("partners", "list", "--json")).partners
  await florin("partners", "change", partnerId, "--payouts", "60m/10000")
  const thief = await partner()
  const [payer, broke, other] = payers
  if (payer === undefined || broke === undefined || other === undefined) return assert.fail()
  const begun = async (of: typeof honest, by: Wallet.Wallet, quantity: bigint) => {
    const { gatewayUrl, paymentId } = await of.create(quantity)
    const paying = pay(gatewayUrl, {
      baseUrl,
      payLinkHost: Serving.payLinkHost,
      apiKey: of.walletKey,
      accounts: [accountOf(by)],
      signer: by,
      maxPollMs: 1000,
    })
    await Serving.until(async () => (await waiting()) > 0)
    const statusOf = async () => (await of.of(paymentId)).status
    return { paymentId, paying, statusOf }
  }

  // What others are owed lies where the thief wants to be paid from.
  const owed = await begun(honest, payer, dollars(400))
  await mineUntil(async () => (await owed.statusOf()) === "succeeded")

  const theft = await begun(thief, broke, dollars(400))
  await block(broke.address)
  let lies = 0
  const lie = Lies.paid({
    token,
    from: broke.address,
    to: relayer.address,
    quantity: Money.Quantity.make(dollars(400)),
  })
  liar.tell((call, truth) => {
    const said = lie(call, truth)
    if (said !== undefined) lies += 1
    return said
  })
  await scene.mine()
  // Meanwhile the thief's other payment is paid, and paid out.
  const beside = await begun(thief, other, dollars(10))
  await mineUntil(async () => {
    assert.strictEqual(await theft.statusOf(), "processing")
    const { settlement } = await thief.of(beside.paymentId)
    return settlement !== null && lies > 3
  })
  const paidOut = await held(LocalChains.treasury.address)
  assert.isAbove(Number(paidOut), 0)
  assert.isBelow(Number(paidOut), Number(dollars(10)))
  assert.isTrue((await held(relayer.address)) > dollars(400))

  liar.tell(null)
  await mineUntil(async () => (await theft.statusOf()) === "failed")
  assert.strictEqual(await held(LocalChains.treasury.address), paidOut)
  await florin("reconcile")
  await Promise.all([owed, theft, beside].map(({ paying }) => paying))
}

/** So many hostile accounts try at the same time as an honest one, so often. */
const hostileAtOnce = 6
const rounds = 3
/** What may be lost before the budgets close. */
const lossMax = 10

/** Contracts that answer well while they are asked, and burn all gas in a block. */
const burn = async (local: LocalChain.LocalChain, database: string) => {
  const run = Effect.runPromise
  const scene = await begin(local, database, [local.rpcUrl])
  const { accountOf, baseUrl, mine, mineUntil, partner, waiting } = scene
  const { create, of, walletKey } = await partner()
  const wallet = makeWallet({ baseUrl, apiKey: walletKey })
  const newest = async () =>
    Number(readBlock(await run(local.request("eth_getBlockByNumber", ["latest", false]))).number)

  const offered = async (by: Pick<Wallet.Wallet, "address">) => {
    const { gatewayUrl, paymentId } = await create(dollars(5))
    const accounts = [Eip155.formatAccount({ chainId, address: by.address })]
    const { options } = await wallet.options(paymentId, { accounts })
    const [{ actions, id } = assert.fail("there is no option")] = options ?? []
    const isRelayed = actions.every(
      (action) => action.type === "walletRpc" && action.data.method === "eth_signTypedData_v4",
    )
    return { gatewayUrl, paymentId, optionId: id, isRelayed }
  }
  const hostileAt = async (index: number) => {
    const { address } = Wallet.make(200 + index)
    await run(local.setCode(address, Accounts.hostile["block number"]))
    await run(local.fund(token.address, address, dollars(5)))
    return { address }
  }
  /** Whether its confirm was accepted. */
  const attack = async (index: number) => {
    const { isRelayed, optionId, paymentId } = await offered(await hostileAt(index))
    if (!isRelayed) return null
    const results = [{ type: "walletRpc" as const, data: [`0x${"ab".repeat(70)}`] }]
    try {
      await wallet.confirm(paymentId, { optionId, results })
      return paymentId
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      assert.strictEqual(error.status, 422)
      return null
    }
  }
  const isOver = async (paymentId: string, wanted: string) => {
    const { status } = await of(paymentId)
    if (status !== wanted) assert.include(["requires_action", "processing"], status)
    return status === wanted
  }

  let accepted = 0
  for (let round = 0; round < rounds; round++) {
    const payer = payers[round] ?? assert.fail("nobody pays")
    // oxlint-disable no-await-in-loop -- One round after the other.
    if ((await newest()) % 2 === 1) await mine()
    const tries = Array.from({ length: hostileAtOnce }, (_, index) =>
      attack(round * hostileAtOnce + index),
    )
    const hostile = (await Promise.all(tries)).filter((each) => each !== null)
    accepted += hostile.length
    const honest = await create(dollars(5))
    const paying = pay(honest.gatewayUrl, {
      baseUrl,
      payLinkHost: Serving.payLinkHost,
      apiKey: walletKey,
      accounts: [accountOf(payer)],
      signer: payer,
      maxPollMs: 1000,
    })
    // All that is sent sees the same block, and gets into the next.
    await Serving.until(async () => (await waiting()) === hostile.length + 1)
    await mine()
    await mineUntil(async () => {
      const ends = hostile.map((each) => isOver(each, "failed"))
      return (await Promise.all([isOver(honest.paymentId, "succeeded"), ...ends])).every(Boolean)
    })
    assert.strictEqual((await paying)._tag, "Succeeded")
    // Its payout must not be counted among what the next round sends.
    await mineUntil(async () => (await of(honest.paymentId)).settlement !== null)
    // oxlint-enable no-await-in-loop
  }
  const blocks = Array.from({ length: (await newest()) + 1 }, (_, number) =>
    run(local.request("eth_getBlockReceipts", [`0x${number.toString(16)}`])),
  )
  const reverted = (await Promise.all(blocks))
    .flatMap((each) => readReceipts(each))
    .filter(({ status }) => status === "0x0")
  assert.strictEqual(reverted.length, accepted)
  assert.isAbove(accepted, 0)
  assert.isAtMost(accepted, lossMax)
  const lost = reverted.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n)
  assert.isTrue(lost <= BigInt(lossMax) * Gas.usualCollection)

  // Contracts that never paid here send the money themselves from now on; all else goes on.
  assert.isFalse((await offered(await hostileAt(rounds * hostileAtOnce))).isRelayed)
  assert.isTrue((await offered(payers[rounds] ?? assert.fail())).isRelayed)
  assert.deepStrictEqual(await Serving.becomesReady(baseUrl), {
    status: "ok",
    checks: { storage: "ok", assets: "ok", process: "ok" },
  })
}

describe("florin serve with thieves", () => {
  it.live(
    "S2: pays nothing for a reverted collection, whatever the first node reports",
    () => on(forge),
    timeout,
  )

  it.live(
    "S1: loses little to contracts that waste gas, while honest payers still pay",
    () => on(burn),
    timeout,
  )
})
