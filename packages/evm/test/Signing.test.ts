import { assert } from "@effect/vitest"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import type { Order } from "@florin/core/ports/Chain"
import * as Contracts from "@florin/localnet/Contracts"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Rpc from "../src/node/Rpc.ts"
import { batchMax, type Link } from "../src/read/Link.ts"
import * as Queries from "../src/read/Queries.ts"
import * as Signing from "../src/send/Signing.ts"
import * as Delegation from "../test-support/delegation.ts"
import * as Locals from "../test-support/locals.ts"
import * as Node from "../test-support/node.ts"
import * as Payers from "../test-support/payers.ts"

/** A chain behind several nodes, as they answer. */
const behind = Effect.fnUntraced(function* (
  { link: { config } }: Payers.Ground,
  answers: ReadonlyArray<Node.Responder>,
) {
  const nodes = yield* Effect.forEach(answers, Node.make)
  const { answerWithinInMs, chainId } = config
  const urls = nodes.map(({ url }) => url)
  const link: Link = { config, rpc: Rpc.make({ chainId, urls, answerWithinInMs, batchMax }) }
  return { link, nodes }
})

/** How many transactions a node was sent. */
const sentTo = ({ asked }: Node.Node): number =>
  asked.flat().filter(({ method }) => method === "eth_sendRawTransaction").length

const { authorized, on, payTo, price, sign } = Payers

/** Signs an order while its recipient holds something, and mines it when that is gone: what is new costs more gas. */
const whileEmptied = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  order: Order,
  { to, token }: Pick<Transfer.Movement, "to" | "token">,
) {
  const { link, local } = chain
  yield* local.fundGas(payTo.address, 10n ** 18n)
  yield* local.fund(token.address, to, 1n)
  const lane = { chainId: chain.chainId, sender: payTo.address }
  const nonce = yield* link.rpc.ask(Queries.nonce(payTo.address, "latest"))
  const { hash, raw } = yield* Signing.sign(link, lane, nonce, order)
  const { slot, value } = Contracts.balance(to, 0n)
  yield* local.request("anvil_setStorageAt", [token.address, slot, value])
  yield* link.rpc.ask(Queries.send(raw))
  yield* local.mine(1)
  return yield* link.rpc.ask(Queries.receipt(hash))
})

on(1)("Signing.broadcast for an account that delegates (EIP-7702)", (it) => {
  const filling = Effect.fnUntraced(function* (chain: Payers.Ground, count: number) {
    const lane = { chainId: chain.chainId, sender: payTo.address }
    yield* chain.local.fundGas(payTo.address, 10n ** 20n)
    const next = yield* chain.link.rpc.ask(Queries.nonce(payTo.address, "latest"))
    return yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      Signing.fill(chain.link, lane, next + index),
    )
  })

  it.effect("M15: learns the limit of one node, and then skips the other nodes too", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { local } = chain
      const transactions = yield* filling(chain, 4)
      const [first, second, third, fourth] = transactions
      const warnings: Array<unknown> = []
      const logger = Logger.make(({ message }) => warnings.push(message))
      if (!first || !second || !third || !fourth) return assert.fail("four are signed")
      yield* Delegation.set(local, payTo.address, true)
      const { link, nodes } = yield* behind(chain, [
        Delegation.limiting(local),
        async (_, body) => ({ body: await Locals.passOn(local, body) }),
      ])
      const broadcast = (transaction: Lane.Transaction) =>
        Effect.provide(Signing.broadcast(link, transaction), Logger.layer([logger]))
      yield* broadcast(first)
      // Only now the limit is known.
      yield* broadcast(second)
      const before = nodes.map(sentTo)
      const { _tag, message } = yield* Effect.flip(broadcast(third))
      assert.strictEqual(_tag, "InFlightLimit")
      assert.include(message, Eip155.formatAddress(payTo.address))
      assert.deepStrictEqual(nodes.map(sentTo), before)
      yield* local.mine(1)
      yield* broadcast(third)
      yield* Effect.flip(broadcast(fourth))
      yield* Delegation.set(local, payTo.address, false)
      yield* broadcast(fourth)
      yield* local.mine(1)
      for (const { hash } of transactions) {
        assert.isNotNull(yield* link.rpc.ask(Queries.receipt(hash)))
      }
      assert.strictEqual(warnings.length, 1, "the operator is warned once")
    }).pipe(Effect.scoped),
  )

  for (const [words, expected] of [
    [Delegation.words.taken, "InFlightLimit"],
    [Delegation.words.gapped, "InFlightLimit"],
    [`${Delegation.words.gapped} is temporarily not allowed`, "InFlightLimit"],
    ["delegation nonce gap", "InFlightLimit"],
    ["NotCurrentNonceForDelegation", "InFlightLimit"],
    ["authority already reserved", "ChainUnavailable"],
    ["txpool is full", "ChainUnavailable"],
  ] as const) {
    it.effect(`M15: reads “${words}” as ${expected}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const [transaction] = yield* filling(chain, 1)
        if (transaction === undefined) return assert.fail("one is signed")
        const { link } = yield* behind(chain, [
          Delegation.refusing(chain.local, () => Promise.resolve(words)),
        ])
        assert.strictEqual(
          (yield* Effect.flip(Signing.broadcast(link, transaction)))._tag,
          expected,
        )
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
    )
  }
})

for (const chainId of [1, 137, 42161, 56]) {
  on(chainId)(`Signing.sign on chain ${chainId}`, (it) => {
    for (const { symbol, flow } of BuiltIn.catalog.assets.filter(
      ({ token }) => token.chainId === Eip155.chainId(chainId),
    )) {
      it.effect(
        `leaves enough gas to send ${symbol} if its recipient spends all of it meanwhile`,
        () =>
          Effect.gen(function* () {
            const chain = yield* Payers.Chain
            const payer = chain.unused()
            const option = yield* chain.optionFor(symbol, payer.address)
            if (flow === "permit2") yield* chain.approve(option, 2n * price)
            const attempt = authorized(option, sign(option, payer))
            const collected = yield* whileEmptied(
              chain,
              { _tag: "Collect", attempt },
              {
                to: option.payTo,
                token: option.token,
              },
            )
            assert.strictEqual(collected?.status, 1)

            const { token } = option
            const movement = { token, from: payTo.address, to: payer.address, quantity: price }
            const sent = yield* whileEmptied(chain, { _tag: "Send", movement }, movement)
            assert.strictEqual(sent?.status, 1)
          }),
      )
    }
  })
}
