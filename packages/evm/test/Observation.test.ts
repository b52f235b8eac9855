import { assert } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Payment from "@florin/core/domain/payment/Payment"
import type { Order, Sought } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Rpc from "../src/node/Rpc.ts"
import * as Observation from "../src/Observation.ts"
import type { Link } from "../src/read/Link.ts"
import * as Queries from "../src/read/Queries.ts"
import * as Signing from "../src/send/Signing.ts"
import * as Calls from "../src/token/Calls.ts"
import * as Permit from "../src/token/Permit.ts"
import * as Payers from "../test-support/payers.ts"

const { on, payTo, price } = Payers

/** Our transaction that collects a payment; it waits for a block. */
const collectedBy = Effect.fnUntraced(function* (
  { chainId, link, local }: Payers.Ground,
  attempt: Payment.Attempt,
) {
  yield* local.fundGas(payTo.address, 10n ** 18n)
  const nonce = yield* link.rpc.ask(Queries.nonce(payTo.address, "latest"))
  const lane = { chainId, sender: payTo.address }
  const relayed = yield* Signing.sign(link, lane, nonce, { _tag: "Collect", attempt })
  yield* Signing.broadcast(link, relayed)
  return relayed
})

const readObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

on(1)("Observation.look while a node behind the load balancer is behind", (it) => {
  /** Answers one question wrongly, once. */
  const once = (chain: Payers.Ground, wrongly: (asked: Payers.Asked) => unknown): Link => {
    let isDone = false
    return chain.linkAnswering((asked) => {
      const answer = isDone ? undefined : wrongly(asked)
      isDone ||= answer !== undefined
      return answer
    })
  }
  const receiptOf = (chain: Payers.Ground, txHash: string) =>
    chain.local.request("eth_getTransactionReceipt", [txHash])

  it.effect("S26: does not fail a payment for one receipt without its logs", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option, signature } = yield* Payers.signed(chain, "USDC")
      const txHash = yield* chain.collect(option, signature)
      yield* chain.local.mine(100)
      const receipt = readObject(yield* receiptOf(chain, txHash))
      const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
      const link = once(chain, ({ method }) =>
        method === "eth_getTransactionReceipt" ? { ...receipt, logs: [] } : undefined,
      )
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Final")
    }),
  )

  it.effect("S26: does not hold a payout for one receipt without its logs", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const { token } = yield* chain.optionFor("USDC", payer.address)
      yield* chain.local.fund(token.address, payTo.address, price)
      yield* chain.local.fundGas(payTo.address, 10n ** 18n)
      const movement = { token, from: payTo.address, to: payer.address, quantity: price }
      const lane = { chainId: chain.chainId, sender: payTo.address }
      const nonce = yield* chain.link.rpc.ask(Queries.nonce(payTo.address, "latest"))
      const relayed = yield* Signing.sign(chain.link, lane, nonce, { _tag: "Send", movement })
      yield* Signing.broadcast(chain.link, relayed)
      yield* chain.local.mine(100)
      const receipt = readObject(yield* receiptOf(chain, relayed.hash))
      const link = once(chain, ({ method }) =>
        method === "eth_getTransactionReceipt" ? { ...receipt, logs: [] } : undefined,
      )
      const sought = { attempt: null, movement, relayed }
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Final")
    }),
  )

  it.effect(
    "S24: determines by balances what a token without logs moved, if nothing else moved",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { local } = chain
        const lane = { chainId: chain.chainId, sender: payTo.address }
        const { token } = yield* chain.optionFor("USDC", chain.unused().address)
        yield* local.fundGas(payTo.address, 10n ** 18n)
        /** What is seen of payouts that are mined in one block, as of a token without logs. */
        const seenOf = Effect.fnUntraced(function* (count: number) {
          yield* local.fund(token.address, payTo.address, BigInt(count) * price)
          const nonce = yield* chain.link.rpc.ask(Queries.nonce(payTo.address, "latest"))
          const payouts = yield* Effect.forEach(
            Array.from({ length: count }, (_, index) => nonce + index),
            Effect.fnUntraced(function* (each) {
              const to = chain.unused().address
              const movement = { token, from: payTo.address, to, quantity: price }
              const order = { _tag: "Send", movement } as const
              const relayed = yield* Signing.sign(chain.link, lane, each, order)
              yield* Signing.broadcast(chain.link, relayed)
              return { attempt: null, movement, relayed }
            }),
          )
          yield* local.mine(1)
          yield* local.mine(100)
          const [first = assert.fail()] = payouts
          const receipt = readObject(yield* receiptOf(chain, first.relayed.hash))
          const link = chain.linkAnswering(({ method }) =>
            method === "eth_getTransactionReceipt" ? { ...receipt, logs: [] } : undefined,
          )
          const observation = yield* Observation.look(link, first)
          assert.deepInclude(observation, { _tag: "Impossible", movedOtherwise: true })
          return { first, moved: observation._tag === "Impossible" ? observation.moved : undefined }
        })
        const { first, moved } = yield* seenOf(1)
        assert.strictEqual(moved?.left, price)
        assert.deepStrictEqual(moved?.transfer.movement, first.movement)
        assert.deepStrictEqual(moved?.transfers, [])
        assert.isUndefined((yield* seenOf(2)).moved)
      }),
  )

  it.effect("S26: does not report a permit as revoked if one search missed its use", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option, payer, signature } = yield* Payers.signed(chain, "USDT")
      yield* chain.collect(option, signature)
      yield* chain.mined(payer.address, Eip155.permit2Address, Payers.call.invalidate(option))
      yield* chain.local.mine(100)
      const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
      const link = once(chain, ({ method, params: [filter] }) =>
        method === "eth_getLogs" && !JSON.stringify(filter).includes(Eip155.permit2Address)
          ? []
          : undefined,
      )
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Final")
    }),
  )

  it.effect(
    "S26: reports an authorization as expired only if one block's state shows everything",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option, signature } = yield* Payers.signed(chain, "USDC")
        const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
        yield* chain.local.pass(left - 60)
        yield* chain.collect(option, signature)
        yield* chain.local.pass(90)
        yield* chain.local.mine(100)
        const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
        // The newest state of a machine that is behind: it is not used yet.
        const link = once(chain, ({ method, params: [, at] }) =>
          method === "eth_call" && at === "latest" ? `0x${"0".repeat(64)}` : undefined,
        )
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Final")
      }),
  )

  it.effect("S26: reports a permit as expired only if one block's state shows everything", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option, signature } = yield* Payers.signed(chain, "USDC", Payers.permit)
      yield* chain.collect(option, signature)
      const { data, to } = Calls.take(option)
      yield* chain.mined(payTo.address, to, data)
      const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
      yield* chain.local.pass(left + 20)
      yield* chain.local.mine(100)
      const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
      const zero = "0".repeat(64)
      // The newest state of machines that are behind: its nonce is not used yet, and nothing is allowed.
      const link = chain.linkAnswering(({ method, params: [, at] }) =>
        method === "eth_call" && at === "latest" ? `0x01${zero}00${zero}01${zero}` : undefined,
      )
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
      assert.strictEqual((yield* Observation.look(chain.link, sought))._tag, "Final")
    }),
  )

  for (const [which, overrides] of [
    ["an authorization", {}],
    ["a permit", Payers.permit],
  ] as const) {
    it.effect(`S26: reports ${which} as spent only if one block's state shows everything`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt } = yield* Payers.signed(chain, "USDC", overrides)
        const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
        const [zero, one] = [0, 1].map((each) => each.toString().padStart(64, "0"))
        const spent = which === "a permit" ? `0x01${one}00${zero}01${zero}` : `0x${one}`
        // The newest state of machines on a fork of their own, which have no logs.
        const link = chain.linkAnswering(({ method, params: [, at] }) => {
          if (method === "eth_getLogs") return Payers.refusing("no logs")
          return method === "eth_call" && at === "latest" ? spent : undefined
        })
        for (let round = 0; round < 3; round++) {
          yield* chain.local.mine(40)
          assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
        }
      }),
    )

    it.effect(`S26: reads ${which} by block number if the node refuses block hashes`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option } = yield* Payers.signed(chain, "USDC", overrides)
        const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
        yield* chain.local.pass(left + 20)
        yield* chain.local.mine(100)
        const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
        const link = chain.linkAnswering(({ method, params: [, at] }) =>
          method === "eth_call" && typeof at === "object"
            ? Payers.refusing("invalid block number")
            : undefined,
        )
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Impossible")
      }),
    )
  }
})

on(1)("Observation.look on nodes that lack logs or old states", (it) => {
  const noLogs = new Rpc.NodeRefused({
    method: "eth_getLogs",
    code: -32601,
    message: "the method eth_getLogs does not exist",
    data: null,
  })
  const isOld = (at: unknown, newest: number): boolean =>
    typeof at === "object" || (typeof at === "string" && at.startsWith("0x") && Number(at) < newest)
  const dropped = Payers.refusing("missing trie node (path )")

  /** Nodes without logs; with logs that they dropped; without logs or states of any block but the newest. */
  const lacking: Readonly<Record<string, (asked: Payers.Asked, newest: number) => unknown>> = {
    "without logs": ({ method }) => (method === "eth_getLogs" ? noLogs : undefined),
    "that dropped its logs": ({ method }) => (method === "eth_getLogs" ? [] : undefined),
    "without logs and old states": ({ method, params: [, at] }, newest) => {
      if (method === "eth_getLogs") return noLogs
      const isOfState = method === "eth_call" || method === "eth_getTransactionCount"
      return isOfState && isOld(at, newest) ? dropped : undefined
    },
  }
  const revoked = Effect.fnUntraced(function* (chain: Payers.Ground, symbol: string) {
    const made = yield* Payers.signed(chain, symbol)
    const { option, payer } = made
    if (option.flow === "permit2") {
      yield* chain.mined(payer.address, Eip155.permit2Address, Payers.call.invalidate(option))
    } else {
      const data = Payers.call.cancel(option, Payers.cancellation(option, payer))
      yield* chain.mined(payer.address, option.token.address, data)
    }
    return made
  })
  const linkOf = (
    chain: Payers.Ground,
    lacks: (asked: Payers.Asked, newest: number) => unknown,
  ) => {
    let newest = 0
    return {
      link: chain.linkAnswering((asked) => lacks(asked, newest)),
      grow: (blocks: number) =>
        Effect.gen(function* () {
          yield* chain.local.mine(blocks)
          newest = Number(yield* chain.local.request("eth_blockNumber"))
        }),
    }
  }

  for (const [which, lacks] of Object.entries(lacking)) {
    for (const symbol of ["USDC", "USDT"]) {
      it.effect(
        `S19: fails a payment whose ${symbol} authorization was revoked, on a node ${which}`,
        () =>
          Effect.gen(function* () {
            const chain = yield* Payers.Chain
            const { attempt, option } = yield* revoked(chain, symbol)
            const { grow, link } = linkOf(chain, lacks)
            const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
            const look = Effect.map(Observation.look(link, sought), ({ _tag }) => _tag)
            if (which === "that dropped its logs") {
              yield* grow(100)
              assert.strictEqual(yield* look, "Unseen")
              // They may be behind, while the authorization could still have been used.
              yield* grow(100)
              assert.strictEqual(yield* look, "Unseen")
              const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
              yield* chain.local.pass(left + 20)
              yield* grow(100)
            }
            yield* grow(1)
            assert.strictEqual(yield* look, "Unseen")
            yield* grow(5)
            assert.strictEqual(yield* look, "Unseen")
            yield* grow(20)
            assert.strictEqual(yield* look, "Impossible")
          }),
      )
    }

    it.effect(
      `S19: fails a payment whose permit the payer used for something else, on a node ${which}`,
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { attempt, option, payer } = yield* Payers.signed(chain, "USDC", Payers.permit)
          const elsewhere = Payers.call.permitElsewhere(option, payer, Payers.stranger.address)
          yield* chain.mined(payer.address, option.token.address, elsewhere)
          const { grow, link } = linkOf(chain, lacks)
          const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
          const look = Effect.map(Observation.look(link, sought), ({ _tag }) => _tag)
          yield* grow(1)
          assert.strictEqual(yield* look, "Unseen")
          yield* grow(5)
          assert.strictEqual(yield* look, "Unseen")
          yield* grow(20)
          assert.strictEqual(yield* look, "Impossible")
        }),
    )

    it.effect(`S19: fails a payment whose permit expired, on a node ${which}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option } = yield* Payers.signed(chain, "USDC", Payers.permit)
        const { grow, link } = linkOf(chain, lacks)
        const sought = { attempt, movement: Payment.movement(attempt), relayed: null }
        const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
        yield* chain.local.pass(left + 20)
        yield* grow(40)
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Impossible")
      }),
    )

    it.effect(`S19: fails a payment whose money could not be collected, on a node ${which}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option, payer, signature } = yield* Payers.signed(
          chain,
          "USDC",
          Payers.permit,
        )
        yield* chain.collect(option, signature)
        const { grow, link } = linkOf(chain, lacks)
        yield* grow(1)
        const relayed = yield* collectedBy(chain, attempt)
        assert.isTrue(Permit.isTake(option, relayed.raw))
        // The payer's word is mined first.
        const nothing = Payers.call.approve(0n, payTo.address)
        yield* chain.local.request("evm_setAutomine", [false])
        yield* chain.local.request("anvil_dropTransaction", [relayed.hash])
        yield* chain.mined(payer.address, option.token.address, nothing)
        yield* Signing.broadcast(chain.link, relayed)
        yield* grow(1)
        const sought = { attempt, movement: Payment.movement(attempt), relayed }
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
        yield* grow(40)
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Impossible")
      }),
    )

    it.effect(`S19: finds what the service collected on a node ${which}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt } = yield* Payers.signed(chain, "USDC")
        const { grow, link } = linkOf(chain, lacks)
        yield* grow(100)
        const relayed = yield* collectedBy(chain, attempt)
        const sought = { attempt, movement: Payment.movement(attempt), relayed }
        for (let round = 0; round < 3; round++) {
          yield* grow(20)
          assert.strictEqual((yield* Observation.look(link, sought))._tag, "Final")
        }
      }),
    )

    it.effect(
      `S19: never fails a payment that the service may have collected, on a node ${which}`,
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { attempt, option } = yield* Payers.signed(chain, "USDC")
          const { grow, link } = linkOf(chain, (asked, newest) =>
            // It has no index of transactions, either.
            asked.method === "eth_getTransactionReceipt" ? null : lacks(asked, newest),
          )
          const relayed = yield* collectedBy(chain, attempt)
          const sought = { attempt, movement: Payment.movement(attempt), relayed }
          yield* grow(1)
          const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
          yield* chain.local.pass(left + 20)
          for (let round = 0; round < 3; round++) {
            yield* grow(40)
            assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
          }
        }),
    )
  }

  const replaced = Effect.fnUntraced(function* (chain: Payers.Ground) {
    const { attempt } = yield* Payers.signed(chain, "USDC")
    yield* chain.local.fundGas(payTo.address, 10n ** 18n)
    const lane = { chainId: chain.chainId, sender: payTo.address }
    const nonce = yield* chain.link.rpc.ask(Queries.nonce(payTo.address, "latest"))
    const order: Order = { _tag: "Collect", attempt }
    const relayed = yield* Signing.sign(chain.link, lane, nonce, order)
    yield* Signing.broadcast(chain.link, yield* Signing.fill(chain.link, lane, nonce))
    return { attempt, movement: Payment.movement(attempt), relayed }
  })
  const withoutStates = lacking["without logs and old states"] ?? (() => undefined)

  it.effect(
    "S19: finds what used a nonce hours ago, if it looked while the node had the state",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const sought = yield* replaced(chain)
        let isArchive = true
        const { grow, link } = linkOf(chain, (asked, newest) =>
          isArchive ? undefined : withoutStates(asked, newest),
        )
        yield* grow(2)
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
        isArchive = false
        yield* grow(200)
        assert.strictEqual((yield* Observation.look(link, sought))._tag, "Replaced")
      }),
  )

  it.effect("S19: asks every node what used a nonce, and waits if none has the state", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const sought = yield* replaced(chain)
      const { grow, link } = linkOf(chain, withoutStates)
      yield* grow(60)
      assert.strictEqual((yield* Observation.look(link, sought))._tag, "Unseen")
      const nodes = [...link.rpc.nodes, ...chain.link.rpc.nodes]
      const both = { ...link, rpc: { ...link.rpc, nodes } }
      assert.strictEqual((yield* Observation.look(both, sought))._tag, "Replaced")
    }),
  )
})

on(1)("Observation.look sends few requests, as it runs often", (it) => {
  const lookOf = Effect.fnUntraced(function* (chain: Payers.Ground, sought: Sought) {
    const { requests, result } = yield* chain.watch(Observation.look(chain.link, sought))
    return { requests, tag: (yield* Effect.fromResult(result))._tag }
  })

  const observations = Effect.fnUntraced(function* (
    chain: Payers.Ground,
    order: Order,
    sought: Omit<Sought, "relayed">,
  ) {
    const { link, local } = chain
    // A chain without a final block is asked less, and we mean to count what a grown one costs.
    yield* local.mine(100)
    yield* local.fundGas(payTo.address, 10n ** 18n)
    const lane = { chainId: chain.chainId, sender: payTo.address }
    const nonce = yield* link.rpc.ask(Queries.nonce(payTo.address, "latest"))
    const relayed = yield* Signing.sign(link, lane, nonce, order)
    const whole = { ...sought, relayed }
    const before = yield* lookOf(chain, whole)
    yield* Signing.broadcast(link, relayed)
    yield* local.mine(1)
    const mined = yield* lookOf(chain, whole)
    yield* local.mine(100)
    return [before, mined, yield* lookOf(chain, whole)]
  })

  const expected = [
    { requests: 3, tag: "Unseen" },
    { requests: 2, tag: "Included" },
    { requests: 2, tag: "Final" },
  ]

  for (const symbol of ["USDC", "USDT"]) {
    it.effect(`for a payment in ${symbol} that the service collects`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt } = yield* Payers.signed(chain, symbol)
        const sought = { attempt, movement: Payment.movement(attempt) }
        assert.deepStrictEqual(
          yield* observations(chain, { _tag: "Collect", attempt }, sought),
          expected,
        )
      }),
    )
  }

  it.effect("for money that the service sends", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const { token } = yield* chain.optionFor("USDC", payer.address)
      yield* chain.local.fund(token.address, payTo.address, price)
      const movement = { token, from: payTo.address, to: payer.address, quantity: price }
      assert.deepStrictEqual(
        yield* observations(chain, { _tag: "Send", movement }, { attempt: null, movement }),
        expected,
      )
    }),
  )
})

on(1)("Observation.progress", (it) => {
  it.effect("counts a transaction's confirmations in one request, whichever version is mined", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, signature } = yield* Payers.signed(chain, "USDC")
      const txHash = yield* chain.collect(option, signature)
      const other = `0x${"12".repeat(32)}`
      const ask = (...hashes: readonly [string, ...ReadonlyArray<string>]) =>
        chain.watch(Observation.progress(chain.link, { ...option, hashes }))
      const waiting = yield* ask(other)
      assert.deepStrictEqual(Result.getOrThrow(waiting.result), { hash: other, blocks: null })
      const mined = yield* ask(other, txHash)
      const found = Result.getOrThrow(mined.result)
      assert.strictEqual(found.hash, txHash)
      assert.isNotNull(found.blocks)
      assert.deepStrictEqual([waiting.requests, mined.requests], [1, 1])
    }),
  )

  it.effect("counts no confirmations and sends no request if the node reports finality", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option } = yield* Payers.signed(chain, "USDC")
      const hash = `0x${"12".repeat(32)}`
      for (const policy of [{ finality: "finalized" as const }, { isLarge: true as const }]) {
        const link = { ...chain.link, config: { ...chain.link.config, ...policy } }
        const { requests, result } = yield* chain.watch(
          Observation.progress(link, { ...option, hashes: [hash] }),
        )
        assert.deepStrictEqual(Result.getOrThrow(result), { hash, blocks: null })
        assert.strictEqual(requests, 0)
      }
    }),
  )
})
