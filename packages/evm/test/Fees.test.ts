import { assert, describe, it as test } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import type { Order } from "@florin/core/ports/Chain"
import * as Contracts from "@florin/localnet/Contracts"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseTransaction, serializeTransaction, size, toHex } from "viem/utils"
import * as Rpc from "../src/node/Rpc.ts"
import * as Queries from "../src/read/Queries.ts"
import * as Fees from "../src/send/Fees.ts"
import * as Signing from "../src/send/Signing.ts"
import * as Link from "../test-support/link.ts"
import * as Payers from "../test-support/payers.ts"

const { on, payTo, price, signed } = Payers
const gwei = 10n ** 9n
const coin = 10n ** 18n

/** What is asked beside gas, in wei. */
interface Prices {
  readonly perByte: bigint
  readonly perGas?: bigint
  readonly perTransaction?: bigint
}

const oracle = Queries.hex(Fees.oracleAddress)

/** Has a chain ask for more than gas, as those of the OP stack do. */
const asking = Effect.fnUntraced(function* (
  { local }: Payers.Ground,
  { perByte, perGas = 0n, perTransaction = 0n }: Prices,
) {
  yield* local.setCode(Fees.oracleAddress, Contracts.code("FeeOracle"))
  for (const { slot, value } of Contracts.values([perByte, perGas, perTransaction])) {
    yield* local.request("anvil_setStorageAt", [oracle, slot, value])
  }
})

const laneOn = ({ chainId }: Payers.Ground): Lane.Lane => ({ chainId, sender: payTo.address })

const holding = ({ local }: Payers.Ground, wei: bigint) =>
  local.request("anvil_setBalance", [payTo.address, toHex(wei)])

/** A transaction of each kind, as it is signed; `link` may be one that answers in its own way. */
const kinds = Effect.fnUntraced(function* (chain: Payers.Ground, link = chain.link) {
  const lane = laneOn(chain)
  const { attempt, option, payer } = yield* signed(chain, "USDC")
  const { token } = option
  const movement = { token, from: payTo.address, to: payer.address, quantity: price }
  yield* chain.local.fund(token.address, payTo.address, price)
  const collect: Order = { _tag: "Collect", attempt }
  return {
    collect: Signing.sign(link, lane, 7, collect),
    send: Signing.sign(link, lane, 7, { _tag: "Send", movement }),
    fill: Signing.fill(link, lane, 7),
  }
})

const outbidding = (chain: Payers.Ground, last: Lane.Transaction) =>
  Signing.outbid(chain.link, { ...last, signedAt: 0 })

/** What its gas may cost, and how many bytes it has without its signature. */
const readOf = ({ raw }: Pick<Lane.Transaction, "raw">) => {
  const {
    data = "0x",
    gas = 0n,
    maxFeePerGas = 0n,
    maxPriorityFeePerGas = 0n,
    nonce = 0,
    to = null,
  } = parseTransaction(Queries.hex(raw))
  const unsigned = { nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas }
  const bytes = size(serializeTransaction({ type: "eip1559", chainId: 8453, ...unsigned }))
  const ofGas = gas * maxFeePerGas
  return { gas, maxFeePerGas, maxPriorityFeePerGas, ofGas, bytes: BigInt(bytes) }
}

on(8453)("a transaction on a chain of the OP stack", (it) => {
  it.effect("may cost its gas, its data and the operator's fee", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      const [perByte, perGas, perTransaction] = [gwei, 1_000_000n, 70n * gwei]
      yield* asking(chain, { perByte, perGas, perTransaction })
      const each = yield* kinds(chain)
      for (const signing of [each.collect, each.send, each.fill]) {
        const relayed = yield* signing
        const { bytes, gas, ofGas } = readOf(relayed)
        const operator = 400_000n * perGas + perTransaction
        assert.isTrue(gas < 400_000n)
        const data = (relayed.feeMax ?? 0n) - ofGas - operator
        // Twice what the signed bytes cost now, give or take what the numbers in them are long.
        assert.isTrue(data >= 2n * perByte * (bytes + 68n))
        assert.isTrue(data <= 2n * perByte * (bytes + 68n + 16n))
        const next = yield* outbidding(chain, relayed)
        assert.isNotNull(next)
        assert.isTrue((next.feeMax ?? 0n) - readOf(next).ofGas - operator >= 2n * perByte * bytes)
      }
    }),
  )

  it.effect("may cost only its gas if the chain charges nothing else", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      yield* chain.local.setCode(Fees.oracleAddress, "0x")
      for (const signing of Object.values(yield* kinds(chain))) {
        const relayed = yield* signing
        assert.strictEqual(relayed.feeMax, readOf(relayed).ofGas)
      }
    }),
  )

  it.effect("is priced in the same requests as its gas", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      yield* asking(chain, { perByte: 1n })
      const each = yield* kinds(chain)
      const first = yield* each.fill
      const requests = (effect: Effect.Effect<unknown, unknown>) =>
        Effect.map(chain.watch(effect), (seen) => {
          assert.isTrue(Result.isSuccess(seen.result))
          return seen.requests
        })
      // How the payer's account signs is asked first: the call depends on it.
      assert.strictEqual(yield* requests(each.collect), 2)
      assert.strictEqual(yield* requests(each.send), 1)
      assert.strictEqual(yield* requests(each.fill), 1)
      assert.strictEqual(yield* requests(outbidding(chain, first)), 1)
    }),
  )

  it.effect("is not signed while its data makes it more expensive than the operator allows", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      yield* asking(chain, { perByte: 1n })
      const { send: signing } = yield* kinds(chain)
      const cheap = yield* signing
      const { bytes, gas } = readOf(cheap)
      const allowed = gas * chain.link.config.maxFeePerGas
      const dear = allowed / (2n * (bytes + 68n))
      yield* asking(chain, { perByte: dear })
      const refused = yield* Effect.flip(signing)
      assert.strictEqual(refused._tag, "SendingHalted")
      assert.include(refused.message, "more than maxFeePerGas")
      assert.isNull(yield* outbidding(chain, cheap))
      // Less is bid for gas where its data takes most of what is allowed.
      yield* asking(chain, { perByte: (dear * 7n) / 10n })
      const relayed = yield* signing
      assert.isTrue((relayed.feeMax ?? 0n) <= allowed)
      assert.isTrue(readOf(relayed).maxFeePerGas <= readOf(cheap).maxFeePerGas)
    }),
  )

  it.effect("is never estimated below an earlier version of it", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      yield* asking(chain, { perByte: 10n ** 12n })
      const last = yield* (yield* kinds(chain)).send
      yield* asking(chain, { perByte: 1n })
      const next = yield* outbidding(chain, last)
      assert.isNotNull(next)
      assert.isTrue(readOf(next).ofGas > readOf(last).ofGas)
      assert.strictEqual(next.feeMax, last.feeMax)
    }),
  )

  it.effect("is not signed if the chain does not report its data fee", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      const perByte = 10n ** 9n
      yield* asking(chain, { perByte, perTransaction: coin / 100_000n })
      const reverted = new Rpc.NodeRefused({
        method: "eth_call",
        code: 3,
        message: "execution reverted",
        data: "0x",
      })
      const selectors = { data: "0xf1c7a58b", operator: "0x275aedd2" }
      const answering = (selector: string, answer: unknown) =>
        Effect.map(
          kinds(
            chain,
            chain.linkAnswering((asked) =>
              JSON.stringify(asked).includes(selector) ? answer : undefined,
            ),
          ),
          ({ send }) => send,
        )
      for (const answer of ["0x01", "nonsense", reverted]) {
        const refused = yield* Effect.flip(yield* answering(selectors.data, answer))
        assert.strictEqual(refused._tag, "ChainUnavailable")
      }
      for (const answer of ["0x01", "nonsense"]) {
        const refused = yield* Effect.flip(yield* answering(selectors.operator, answer))
        assert.strictEqual(refused._tag, "ChainUnavailable")
      }
      // An older contract has no such function, as its chain has no such fee.
      const older = yield* yield* answering(selectors.operator, reverted)
      const { bytes, ofGas } = readOf(older)
      assert.isTrue((older.feeMax ?? 0n) - ofGas <= 2n * perByte * (bytes + 68n + 16n))
    }),
  )

  it.effect("is not signed for an account that cannot pay for it", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* asking(chain, { perByte: gwei })
      for (const signing of Object.values(yield* kinds(chain))) {
        yield* holding(chain, coin)
        const { feeMax = 0n } = yield* signing
        yield* holding(chain, feeMax - 1n)
        const refused = yield* Effect.flip(signing)
        assert.strictEqual(refused._tag, "SendingHalted")
        assert.include(refused.message, Eip155.formatAddress(payTo.address))
        yield* holding(chain, feeMax)
        assert.strictEqual((yield* signing).feeMax, feeMax)
      }
    }),
  )
})

on(137)("a transaction on any other chain", (it) => {
  it.effect("is bid on only up to what its account can pay", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      const last = yield* (yield* kinds(chain)).send
      const { feeMax: next = 0n } = (yield* outbidding(chain, last)) ?? assert.fail("no bid")
      yield* holding(chain, next - 1n)
      assert.isNull(yield* outbidding(chain, last))
      yield* holding(chain, next)
      assert.strictEqual((yield* outbidding(chain, last))?.feeMax, next)
    }),
  )

  it.effect("is outbid if it was sent without a tip", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      const { config } = chain.link
      const link = {
        ...chain.linkAnswering((asked) => {
          const text = JSON.stringify(asked)
          if (text.includes("eth_maxPriorityFeePerGas")) return "0x0"
          return text.includes("eth_feeHistory") ? { reward: [] } : undefined
        }),
        config: { ...config, gas: { ...config.gas, tipMin: 0n } },
      }
      const last = yield* (yield* kinds(chain, link)).send
      assert.isUndefined(parseTransaction(Queries.hex(last.raw)).maxPriorityFeePerGas)
      const next = yield* Signing.outbid(link, { ...last, signedAt: 0 })
      assert.isNotNull(next)
      assert.isTrue(readOf(next).maxFeePerGas > readOf(last).maxFeePerGas)
      // Nodes refuse a replacement whose tip is the same.
      assert.isTrue(readOf(next).maxPriorityFeePerGas > 0n)
    }),
  )

  it.effect("is outbid up to the operator's highest gas price", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      const last = yield* (yield* kinds(chain)).send
      const { maxFeePerGas: base, maxPriorityFeePerGas: tip } = readOf(last)
      // All that was bid is only the base fee now, and leaving room for twice as much would be too much.
      const block = {
        number: "0x1",
        hash: Fixtures.hash("block"),
        timestamp: "0x1",
        baseFeePerGas: toHex(base),
      }
      const { config, rpc } = chain.linkAnswering(({ method }) =>
        method === "eth_getBlockByNumber" ? block : undefined,
      )
      const within = (maxFeePerGas: bigint) =>
        Signing.outbid({ rpc, config: { ...config, maxFeePerGas } }, { ...last, signedAt: 0 })
      const next = yield* within(2n * base + tip)
      assert.strictEqual(next && readOf(next).maxFeePerGas, 2n * base + tip)
      assert.isNull(yield* within(base + tip))
    }),
  )

  it.effect("S1: has a fixed gas limit for a payer with code, and no extra cost", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* holding(chain, coin)
      const { attempt, option } = yield* signed(chain, "USDC")
      const order = { _tag: "Collect", attempt: Payers.withCode(attempt) } as const
      const signing = (costMax?: bigint) =>
        Signing.sign(chain.link, laneOn(chain), 7, {
          ...order,
          ...(costMax !== undefined && { costMax }),
        })
      for (const gas of [700_000, 1_100_000]) {
        yield* chain.local.setCode(option.account.address, Payers.takingGas(gas))
        assert.isTrue(readOf(yield* signing()).gas < Gas.usualCollection)
      }
      // What it says takes less is less.
      yield* chain.local.setCode(option.account.address, Payers.takingGas(26))
      assert.isTrue(readOf(yield* signing()).gas < 200_000n)
      const { feeMax = 0n } = yield* signing()
      assert.strictEqual((yield* signing(feeMax)).feeMax, feeMax)
      const refused = yield* Effect.flip(signing(feeMax - 1n))
      assert.strictEqual(refused._tag, "SendingHalted")
      assert.include(refused.message, "gasAllowance")
    }),
  )

  it.effect("may cost only its gas, and its node requires the account to hold that", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      yield* asking(chain, { perByte: coin })
      yield* holding(chain, coin)
      const nonce = yield* chain.link.rpc.ask(Queries.nonce(payTo.address, "latest"))
      const relayed = yield* Signing.fill(chain.link, laneOn(chain), nonce)
      const { feeMax = 0n } = relayed
      assert.strictEqual(feeMax, readOf(relayed).ofGas)
      yield* holding(chain, feeMax - 1n)
      assert.strictEqual(
        (yield* Effect.flip(Signing.broadcast(chain.link, relayed)))._tag,
        "ChainUnavailable",
      )
      yield* holding(chain, feeMax)
      yield* Signing.broadcast(chain.link, relayed)
    }),
  )
})

const amount = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

describe("Fees", () => {
  const { config } = Link.make(Eip155.chainId(8453), Redacted.make("http://node.example.com/"))
  const limit = config.maxFeePerGas

  test("add the operator's fee for each unit of gas", () => {
    const extra = { data: 0n, operator: 1_001n }
    const free = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    assert.deepStrictEqual(
      [21_000n, 400_000n, 600_000n].map((gas) => Fees.most(gas, free, extra)),
      [1_001n, 1_001n, 1_502n],
    )
  })

  test.prop(
    "never exceed the operator's highest gas price, and otherwise bid what is needed",
    [
      Arbitrary.schema(
        Schema.Struct({
          base: amount(6e9),
          tip: amount(6e9),
          data: amount(1e15),
          operator: amount(1e15),
          gas: Schema.Int.check(Schema.isBetween({ minimum: 21_000, maximum: 2_000_000 })),
        }),
      ),
    ],
    ([drawn]) => {
      const gas = BigInt(drawn.gas)
      const rate = { base: BigInt(drawn.base), tip: BigInt(drawn.tip) }
      const extra = { data: BigInt(drawn.data), operator: BigInt(drawn.operator) }
      const bid = Fees.bid(config, { rate, extra }, gas)
      const now = gas * (rate.base + rate.tip) + 2n * extra.data + extra.operator
      if (Result.isFailure(bid)) {
        // It would cost more than is allowed, but for what rounding takes.
        const operator = (extra.operator * (gas > 400_000n ? gas : 400_000n)) / 400_000n + 1n
        assert.isTrue(gas * (rate.base + rate.tip + 1n) + 2n * extra.data + operator > gas * limit)
        return
      }
      const feeMax = Fees.most(gas, bid.success, extra)
      assert.isTrue(feeMax <= gas * limit)
      assert.isTrue(feeMax >= now)
      assert.isTrue(bid.success.maxFeePerGas >= rate.base + rate.tip)
      const next = Fees.higherBid(bid.success, rate, 10n * limit) ?? assert.fail("no bid")
      for (const key of ["maxFeePerGas", "maxPriorityFeePerGas"] as const) {
        assert.isTrue(next[key] * 10n >= bid.success[key] * 11n && next[key] > bid.success[key])
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 1_000, full: 100_000 }) } },
  )
})

on(1)("S12: the tip", (it) => {
  const tips = (suggested: bigint | null, paid: ReadonlyArray<bigint> | null) =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const link = chain.linkAnswering(({ method }) => {
        const refused = Payers.refusing("the method does not exist")
        if (method === "eth_maxPriorityFeePerGas") {
          return suggested === null ? refused : toHex(suggested)
        }
        if (method !== "eth_feeHistory") return undefined
        return paid === null
          ? refused
          : { oldestBlock: "0x1", reward: paid.map((each) => [toHex(each)]) }
      })
      return yield* Fees.currentRate(link)
    })
  const least = gwei / 10n

  it.effect("is the node's suggestion, up to twice what recent blocks paid", () =>
    Effect.gen(function* () {
      const paid = [gwei, 3n * gwei, 2n * gwei]
      assert.strictEqual((yield* tips(3n * gwei, paid)).tip, 3n * gwei)
      assert.strictEqual((yield* tips(9_000n * gwei, paid)).tip, 4n * gwei)
      // One block that paid anything says nothing.
      assert.strictEqual((yield* tips(9n * gwei, [9_000n * gwei, 0n, 0n])).tip, least)
    }),
  )

  it.effect("S36: is what recent blocks paid if no node suggests one", () =>
    Effect.gen(function* () {
      const paid = [gwei, 3n * gwei, 2n * gwei]
      assert.strictEqual((yield* tips(null, paid)).tip, 2n * gwei)
      assert.strictEqual((yield* tips(null, null)).tip, least)
    }),
  )

  it.effect("is at least the network's minimum", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* tips(0n, [gwei])).tip, least)
      assert.strictEqual((yield* tips(1n, null)).tip, least)
    }),
  )

  it.effect("is at most the base fee if the node returns no recent blocks", () =>
    Effect.gen(function* () {
      for (const paid of [null, []]) {
        const { base, tip } = yield* tips(9_000n * gwei, paid)
        assert.strictEqual(tip, base > least ? base : least)
      }
    }),
  )
})
