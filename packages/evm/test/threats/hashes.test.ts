/**
 * Transactions that are claimed as a payment but are none: forged, of another account, old, or of another kind.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import type * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as Drawing from "../../../server/test-support/drawing.ts"
import * as Judge from "../../src/Judge.ts"
import * as Observation from "../../src/Observation.ts"
import type { Link } from "../../src/read/Link.ts"
import * as Logs from "../../src/read/Logs.ts"
import * as Queries from "../../src/read/Queries.ts"
import { hex } from "../../src/read/Queries.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Seed from "../../test-support/seed.ts"

const { call, on, payTo, price, sent, sign, stranger } = Payers

const fuzzed = Counts.of({ usual: 300, full: 10_000 })
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const coin = 10n ** 18n

const abi = parseAbi([
  "function pretend(address from, address to, uint256 value)",
  "function mint(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
  "function approve(address spender, uint256 value)",
])
const pretend = (from: Caip.Address, to: Caip.Address, value: bigint) =>
  encodeFunctionData({ abi, functionName: "pretend", args: [hex(from), hex(to), value] })
const transferFrom = (from: Caip.Address, to: Caip.Address, value: bigint) =>
  encodeFunctionData({ abi, functionName: "transferFrom", args: [hex(from), hex(to), value] })
const approve = (spender: Caip.Address, value: bigint) =>
  encodeFunctionData({ abi, functionName: "approve", args: [hex(spender), value] })
const mint = (to: Caip.Address, value: bigint) =>
  encodeFunctionData({ abi, functionName: "mint", args: [hex(to), value] })

const quantity = (value: bigint) => Money.Quantity.make(value)

interface Case {
  readonly chain: Payers.Ground
  readonly payer: Wallet.Wallet
  readonly option: PaymentOption.PaymentOption
  readonly token: Caip.Address
}

const begin = Effect.fnUntraced(function* () {
  const chain = yield* Payers.Chain
  const payer = chain.unused()
  const option = yield* chain.optionFor("USDC", payer.address, { flow: "transfer" })
  const made: Case = { chain, payer, option, token: option.token.address }
  return made
})

const movementOf = (option: PaymentOption.PaymentOption): Transfer.Movement => ({
  token: option.token,
  from: option.account.address,
  to: option.payTo,
  quantity: option.quantity,
})

/** Whether the payer's own statement about a transaction is taken, and what it comes to in the end. */
const judge = Effect.fnUntraced(function* ({ option, payer }: Case, link: Link, txHash: string) {
  const attempt = sent(option, txHash, sign(option, payer))
  const verified = yield* Effect.result(Judge.verify(link, attempt))
  const observation = yield* Effect.result(
    Observation.look(link, { attempt, movement: movementOf(option), relayed: null }),
  )
  return {
    verified: verified._tag === "Success" ? "taken" : verified.failure._tag,
    seen: observation._tag === "Success" ? observation.success._tag : observation.failure._tag,
  }
})

/** Enough for what is mined to be final. */
const blocksToFinal = 13

/** What never is this payment, though somebody says so: each sends something, and names it. */
const lies: {
  readonly [what: string]: (made: Case) => Effect.Effect<string, unknown>
} = {
  "a fake token that logs the same": ({ chain, option, payer }) =>
    Effect.flatMap(chain.local.deploy("FakeToken"), (fake) =>
      chain.mined(payer.address, fake, pretend(payer.address, option.payTo, price)),
    ),
  "the same log, by a stranger's call": ({ chain, option, payer }) =>
    Effect.flatMap(chain.local.deploy("FakeToken"), (fake) =>
      chain.mined(stranger.address, fake, pretend(payer.address, option.payTo, price)),
    ),
  "another token that we take": ({ chain, option, payer }) =>
    Effect.gen(function* () {
      const { token } = chain.assetOf("EURC")
      yield* chain.local.fund(token.address, payer.address, price)
      return yield* chain.mined(payer.address, token.address, call.transfer(option.payTo, price))
    }),
  "the right token to a stranger": ({ chain, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(stranger.address, price)),
  "the right token to the payer's own account": ({ chain, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(payer.address, price)),
  "the right token to the token": ({ chain, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(token, price)),
  "one unit too little": ({ chain, option, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(option.payTo, quantity(price - 1n))),
  "one unit too much": ({ chain, option, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(option.payTo, quantity(price + 1n))),
  "a transfer of 0": ({ chain, option, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(option.payTo, Money.zero)),
  "one half of two": ({ chain, option, payer, token }) =>
    Effect.gen(function* () {
      const half = call.transfer(option.payTo, quantity(price / 2n))
      yield* chain.send(payer.address, token, half)
      return yield* chain.mined(payer.address, token, half)
    }),
  "the same amount from a stranger": ({ chain, option, token }) =>
    Effect.gen(function* () {
      yield* chain.local.fund(token, stranger.address, price)
      return yield* chain.mined(stranger.address, token, call.transfer(option.payTo, price))
    }),
  "the same amount, by a stranger with the payer's allowance": ({ chain, option, payer, token }) =>
    Effect.gen(function* () {
      yield* chain.mined(payer.address, token, approve(stranger.address, price))
      const data = transferFrom(payer.address, option.payTo, price)
      return yield* chain.mined(stranger.address, token, data)
    }),
  "the same amount, by a stranger with the payer's authorization": ({
    chain,
    option,
    payer,
    token,
  }) => {
    const data = call.transferElsewhere({ ...option, flow: "eip3009" }, payer, option.payTo)
    return chain.mined(stranger.address, token, data)
  },
  "the same amount, from a contract that the payer called": ({ chain, option, payer, token }) =>
    Effect.gen(function* () {
      const router = yield* chain.local.deploy("SmartAccount", payer.address)
      yield* chain.local.fund(token, router, price)
      const data = call.execute(token, call.transfer(option.payTo, price))
      return yield* chain.mined(payer.address, router, data)
    }),
  "the payer's money through a contract that a stranger called": ({
    chain,
    option,
    payer,
    token,
  }) =>
    Effect.gen(function* () {
      const router = yield* chain.local.deploy("SmartAccount", payer.address)
      yield* chain.mined(payer.address, token, approve(router, price))
      const data = call.execute(token, transferFrom(payer.address, option.payTo, price))
      return yield* chain.mined(stranger.address, router, data)
    }),
  "money that was minted for us": ({ chain, option, payer, token }) =>
    chain.mined(payer.address, token, mint(option.payTo, price)),
  "the service's own money": ({ chain, option, token }) =>
    Effect.gen(function* () {
      yield* chain.local.fund(token, payTo.address, price)
      return yield* chain.mined(payTo.address, token, call.transfer(option.payTo, price))
    }),
  "an approval for Permit2": ({ chain, payer, token }) =>
    chain.mined(payer.address, token, call.approve(price)),
  "an approval for the service": ({ chain, option, payer, token }) =>
    chain.mined(payer.address, token, approve(option.payTo, price)),
  "the chain's own coin": ({ chain, option, payer }) =>
    Effect.gen(function* () {
      yield* chain.local.fundGas(payer.address, coin)
      const transaction = { from: payer.address, to: option.payTo, value: "0x4c4b40" }
      const hash = yield* chain.local.request("eth_sendTransaction", [transaction])
      yield* chain.local.mine(1)
      return String(hash)
    }),
  "a contract that is deployed": ({ chain, option, payer }) =>
    Effect.gen(function* () {
      yield* chain.local.fundGas(payer.address, coin)
      const data = call.transfer(option.payTo, price)
      const transaction = { from: payer.address, data, gas: "0x7a120" }
      const hash = yield* chain.local.request("eth_sendTransaction", [transaction])
      yield* chain.local.mine(1)
      return String(hash)
    }),
  "a transfer that failed": ({ chain, option, payer, token }) =>
    Effect.gen(function* () {
      yield* chain.local.pause(token, true)
      const hash = yield* chain.mined(payer.address, token, call.transfer(option.payTo, price))
      yield* chain.local.pause(token, false)
      return hash
    }),
  "a transfer of more than the payer holds": ({ chain, option, payer, token }) =>
    chain.mined(payer.address, token, call.transfer(option.payTo, quantity(price * 1000n))),
  "the same call to an account without code": ({ chain, option, payer }) =>
    chain.mined(payer.address, stranger.address, call.transfer(option.payTo, price)),
}

/** What nobody knows here: it is waited for, and nothing comes of it. */
const unknown: {
  readonly [what: string]: (made: Case) => Effect.Effect<string, unknown>
} = {
  "a hash of nothing": () => Effect.succeed(Fixtures.hash("nothing")),
  "the hash of a block": ({ chain }) =>
    Effect.map(
      chain.link.rpc.ask(Queries.block("latest")),
      (block) => block?.hash ?? assert.fail("there is no block"),
    ),
  "the option's own nonce": ({ option }) => Effect.succeed(Fixtures.hash(option.paymentId)),
}

on(1)("a transaction", (it) => {
  for (const [what, tell] of Object.entries(lies)) {
    it.effect(`M8: pays nothing if it is ${what}`, () =>
      Effect.gen(function* () {
        const made = yield* begin()
        const hash = yield* tell(made)
        const early = yield* judge(made, made.chain.link, hash)
        assert.deepStrictEqual(early, { verified: "AttemptRefused", seen: "Unseen" })
        yield* made.chain.local.mine(blocksToFinal)
        const late = yield* judge(made, made.chain.link, hash)
        assert.deepStrictEqual(late, { verified: "AttemptRefused", seen: "Impossible" })
      }),
    )
  }

  for (const [what, tell] of Object.entries(unknown)) {
    it.effect(`M8: is waited for, and pays nothing, if it is ${what}`, () =>
      Effect.gen(function* () {
        const made = yield* begin()
        const hash = yield* tell(made)
        yield* made.chain.local.mine(blocksToFinal)
        const judged = yield* judge(made, made.chain.link, hash)
        assert.deepStrictEqual(judged, { verified: "taken", seen: "Unseen" })
      }),
    )
  }

  it.effect("M8: pays nothing if it is older than the option", () =>
    Effect.gen(function* () {
      const made = yield* begin()
      const { chain, option, payer, token } = made
      const hash = yield* chain.mined(payer.address, token, call.transfer(option.payTo, price))
      const issuedAt = (yield* chain.local.nowInS) + 60
      const later = { ...made, option: { ...option, issuedAt, expiresAt: issuedAt + 300 } }
      yield* chain.local.mine(blocksToFinal)
      const judged = yield* judge(later, chain.link, hash)
      assert.deepStrictEqual(judged, { verified: "AttemptRefused", seen: "Impossible" })
    }),
  )

  it.effect(
    "M8: pays if it is the exact transfer, with or without data that the wallet appended",
    () =>
      Effect.gen(function* () {
        for (const mark of ["", "c0ffee"]) {
          const made = yield* begin()
          const { chain, option, payer, token } = made
          const data = `${call.transfer(option.payTo, price)}${mark}`
          const hash = yield* chain.mined(payer.address, token, data)
          yield* chain.local.mine(blocksToFinal)
          const judged = yield* judge(made, chain.link, hash)
          assert.deepStrictEqual(judged, { verified: "taken", seen: "Final" })
        }
      }),
  )

  it.effect(
    `M8: whose receipt has one false value pays nothing: ${fuzzed} of them`,
    () =>
      Effect.gen(function* () {
        const draw = Drawing.make(Seed.ofRun)
        const made = yield* begin()
        const { chain, option, payer, token } = made
        const data = call.transfer(option.payTo, price)
        const hash = yield* chain.mined(payer.address, token, data)
        yield* chain.local.mine(blocksToFinal)
        const receipt = yield* chain.link.rpc.ask(Queries.receipt(hash))
        const log = receipt?.logs.find(Logs.isMovement(movementOf(option)))
        assert.isDefined(log)

        /** The text with one hex digit changed. */
        const altered = (text: string): string => {
          const at = 2 + draw(text.length - 2)
          const digit = Number.parseInt(text[at] ?? "0", 16)
          const other = (digit + 1 + draw(15)) % 16
          return `${text.slice(0, at)}${other.toString(16)}${text.slice(at + 1)}`
        }
        const number = (value: number) => `0x${value.toString(16)}`
        const wire = (changes: object, ofLog: object) => ({
          ...receipt,
          blockNumber: number(receipt?.blockNumber ?? 0),
          status: number(receipt?.status ?? 0),
          logs: [
            {
              ...log,
              blockNumber: number(log.blockNumber),
              logIndex: number(log.logIndex),
              ...ofLog,
            },
          ],
          ...changes,
        })
        const topicChanged = () => {
          const which = draw(log.topics.length)
          return log.topics.map((topic, index) => (index === which ? altered(topic) : topic))
        }
        const falsehoods = [
          () => wire({}, { address: altered(log.address) }),
          () => wire({}, { topics: topicChanged() }),
          () => wire({}, { topics: log.topics.slice(0, draw(log.topics.length)) }),
          () => wire({}, { topics: [...log.topics, altered(log.topics[0] ?? hash)] }),
          () => wire({}, { topics: log.topics.toReversed() }),
          () => wire({}, { data: altered(log.data) }),
          () => wire({}, { data: `${log.data}${"00".repeat(1 + draw(64))}` }),
          () => wire({}, { data: log.data.slice(0, 2 + 2 * draw(32)) }),
          () => wire({}, { removed: true }),
          () => wire({ logs: [] }, {}),
          () => wire({ status: "0x0" }, {}),
          () => wire({ blockHash: altered(receipt?.blockHash ?? hash) }, {}),
          () => wire({ blockNumber: number((receipt?.blockNumber ?? 0) + 1 + draw(5)) }, {}),
          () => wire({ from: altered(receipt?.from ?? hash) }, {}),
          () => wire({ logs: [null] }, {}),
          () => null,
        ]
        const truth = chain.linkAnswering(({ method }) =>
          method === "eth_getTransactionReceipt" ? wire({}, {}) : undefined,
        )
        assert.strictEqual((yield* judge(made, truth, hash)).seen, "Final")
        for (let count = 0; count < fuzzed; count++) {
          const which = count % falsehoods.length
          const lie = falsehoods[which]?.()
          const link = chain.linkAnswering(({ method }) =>
            method === "eth_getTransactionReceipt" ? lie : undefined,
          )
          const { seen } = yield* judge(made, link, hash)
          assert.oneOf(
            seen,
            ["Unseen", "Impossible", "ChainUnavailable"],
            `falsehood ${which}: ${JSON.stringify(lie)}`,
          )
        }
      }),
    timeout,
  )
})
