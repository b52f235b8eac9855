import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin, type Florin } from "@florin/server/Florin"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import { Effect, Layer, Redacted } from "effect"
import * as ByHand from "../../evm/test-support/byHand.ts"
import * as Service from "../../evm/test-support/service.ts"
import * as Shop from "../../evm/test-support/shop.ts"
import { comes } from "../../evm/test-support/until.ts"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

/** A machine with much else to do still gets there. */
const timeout = 240_000
const keptIn = (url: string) => {
  // Workers that are moved by hand run ahead of any clock.
  const database = Layer.provide(
    Postgres.layer({ url: Redacted.make(url) }),
    Postgres.layerUncheckedTime,
  )
  return { storage: database, signals: database, sealKey: Service.sealKey, vault: Service.vault }
}

/** A service on the shop's chain that keeps its ledger in a database, for as long as it is worked with. */
const serving = <A>(
  shop: Shop.Shop,
  url: string,
  work: (florin: Florin) => Effect.Effect<A>,
): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      createFlorin({
        payLinkHost: Service.payLinkHost,
        pages: false,
        chains: Service.chainsOf(shop.chains, { finality: Shop.finality, flow: Shop.flowOf }),
        payouts: { live: PayoutPolicy.immediate },
        ...keptIn(url),
      }),
    ),
    work,
    (florin) => Effect.promise(() => florin.dispose()),
  )

const stateOf = ({ run }: Florin, id: PaymentId.PaymentId) =>
  Effect.map(
    Effect.promise(() => run(Effect.flatMap(PaymentStore, (payments) => payments.payment(id)))),
    ({ state }) => state,
  )

/** `florin serve --operator-only` with the shop's chain and a database, and commands that it answers. */
const commandsOn = Effect.fnUntraced(function* ({ chains }: Shop.Shop, url: string) {
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
  const variables = {
    DATABASE_URL: url,
    FLORIN_CHAINS: `${Eip155.numberOf(Shop.chainId)}.finality=${Shop.finality}`,
    FLORIN_PAY_LINK_HOST: Service.payLinkHost,
    FLORIN_RELAYER_KEYS: Service.collecting.map(({ privateKey }) => privateKey).join(" "),
    FLORIN_RPC: chains
      .map(({ chainId, rpcUrl }) => `${Eip155.numberOf(chainId)}=${rpcUrl}`)
      .join(","),
    FLORIN_SEAL_KEY: key(7),
    FLORIN_VAULT_KEY: key(8),
  }
  const directory = yield* Effect.acquireRelease(Effect.sync(Directory.make), (path) =>
    Effect.sync(() => Directory.remove(path)),
  )
  const service = yield* Effect.acquireRelease(
    Effect.promise(() => Serving.serve(variables, "--operator-only", "--directory", directory)),
    (started) => Effect.promise(() => Serving.end(started, "SIGTERM")),
  )
  assert.strictEqual(service.url, "")
  // The commands know no node and no key: only the service can answer those that look at chains.
  return (command: string) =>
    Effect.promise(() =>
      Program.runIn({ DATABASE_URL: url }, ...command.split(" "), "--directory", directory),
    )
})

/** Workers do what is due, and a block comes. */
const roundOf = ({ local }: Shop.Shop, florin: Florin) =>
  Effect.andThen(ByHand.make(florin).round, Effect.orDie(local.mine(1)))

/** Rounds go on until something is there. */
const working = (shop: Shop.Shop, florin: Florin, what: string, isThere: Effect.Effect<boolean>) =>
  comes(
    what,
    Effect.map(Effect.andThen(roundOf(shop, florin), isThere), (found) => (found ? true : null)),
  )

const isSettled = (florin: Florin, id: PaymentId.PaymentId) =>
  Effect.map(
    stateOf(florin, id),
    (state) => state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "paid",
  )

const haltedOf = ({ operator }: Florin) =>
  Effect.map(
    Effect.promise(() => operator.chains.halted({ mode: "live" })),
    ({ chains }) => chains,
  )

/** Brings the payer's money in, and pays nobody out. */
const collected = Effect.fnUntraced(function* (shop: Shop.Shop) {
  const paid = yield* shop.confirmed("eip3009")
  yield* comes(
    "the payer's money",
    Effect.gen(function* () {
      yield* Effect.promise(() => shop.florin.run(Collector.drain))
      yield* Effect.orDie(shop.local.mine(1))
      return (yield* stateOf(shop.florin, paid.id))._tag === "Succeeded" ? true : null
    }),
  )
  assert.strictEqual((yield* Effect.promise(() => paid.paid))._tag, "Succeeded")
  return paid
})

describe("a ledger that was restored to before a payout", () => {
  it.live(
    "pays no merchant twice: it halts the chain until florin payments record books the payout",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const shop = yield* Shop.make({ florin: keptIn(url) })
        const { id, option, token } = yield* collected(shop)
        const payouts = shop.transfers({
          token,
          from: option.payTo,
          to: shop.treasury.address,
          quantity: Money.Quantity.make(shop.netOf(Shop.price)),
        })
        yield* Effect.promise(() => shop.florin.dispose())
        const backup = yield* Databases.copy(url)

        yield* serving(shop, url, (florin) =>
          working(shop, florin, "the payout", isSettled(florin, id)),
        )
        assert.strictEqual((yield* payouts).length, 1)
        // What would be paid again is there.
        yield* shop.local.fund(token.address, option.payTo, Shop.price)

        yield* serving(shop, backup, (florin) =>
          Effect.gen(function* () {
            const isStopped = Effect.map(haltedOf(florin), ({ length }) => length > 0)
            yield* working(shop, florin, "the stop", isStopped)
            yield* Effect.repeat(roundOf(shop, florin), { times: 5 })
            const state = yield* stateOf(florin, id)
            assert.isTrue(
              state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "processing",
            )
          }),
        )
        assert.strictEqual((yield* payouts).length, 1)
        const command = yield* commandsOn(shop, backup)
        const [halted, ...others] = JSON.parse((yield* command("chains halted --json")).out).chains
        assert.deepStrictEqual(others, [])
        assert.deepInclude(halted, { mode: "live", chainId: Shop.chainId })
        assert.include(halted.reason, `account ${option.payTo} sent`)

        const [{ transactionHash = "" } = {}] = yield* payouts
        const wrong = yield* command(`payments record ${id} ${Fixtures.hash("another")}`)
        assert.strictEqual(wrong.code, 1)
        assert.include(wrong.err, "nothing was recorded: the chain does not show the transaction")
        const recorded = yield* command(`payments record ${id} ${transactionHash}`)
        assert.strictEqual(recorded.code, 0, recorded.err)
        assert.include(recorded.out, `${transactionHash} is recorded for ${id}`)
        assert.strictEqual((yield* command(`chains resume ${Shop.chainId}`)).code, 0)
        yield* serving(shop, backup, (florin) =>
          Effect.gen(function* () {
            yield* ByHand.make(florin).round
            assert.isTrue(yield* isSettled(florin, id))
            assert.deepStrictEqual(yield* haltedOf(florin), [])
          }),
        )
        assert.strictEqual((yield* payouts).length, 1)
      }).pipe(Effect.scoped),
    timeout,
  )
})
