/**
 * Outgoing money: to the payer or to the merchant, once.
 *
 * @module
 */
import process from "node:process"
import { assert, describe, it as alone, layer } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import * as Postgres from "@florin/postgres/Postgres"
import * as Counts from "@florin/testing/Counts"
import * as Shares from "@florin/testing/Shares"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as Processes from "../../../postgres/test-support/processes.ts"
import * as ByHand from "../../test-support/byHand.ts"
import { comes, until } from "../../test-support/until.ts"
import * as Scene from "./scene.ts"
import * as StoppedWorker from "./stoppedWorker.ts"

const { play, price, tokens, unused } = Scene

const timesEach = Counts.of({ usual: 1, full: 20 })
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

layer(Scene.World.layer(), { excludeTestServices: true, timeout })("outgoing money", (it) => {
  const obstacles = ["before it is sent", "in the block before it"] as const
  for (const moment of obstacles) {
    it.effect(
      `S7: of a token that is paused ${moment}: 8 payouts and a refund wait, say why, and are then paid`,
      () =>
        play((scene) =>
          Effect.gen(function* () {
            const token = tokens.eip3009
            const pause = (paused: boolean) => scene.local.pause(token.address, paused)
            const before = yield* scene.held(token, scene.treasury.address)
            const paid = yield* Effect.forEach(
              Array.from({ length: 9 }, unused),
              Effect.fnUntraced(function* (payer) {
                const choice = yield* scene.offer(token, payer.address)
                const outputs = yield* scene.execute(choice, payer)
                assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
                return { ...choice, payer }
              }),
            )
            const stateOf = (id: PaymentId.PaymentId) =>
              Effect.map(scene.stored(id), ({ state }) =>
                state._tag === "Succeeded" ? state : null,
              )
            const { due, pass } = ByHand.make(scene.florin)
            const states = Effect.forEach(paid, ({ paymentId }) => stateOf(paymentId))
            while ((yield* states).includes(null)) {
              yield* scene.local.mine(1)
              yield* pass(1000)
              yield* due("collect")
            }
            if (moment === "before it is sent") yield* pause(true)
            const [refunded = assert.fail(), ...settled] = paid
            const { paymentId } = refunded
            yield* Effect.promise(() => scene.client.refunds.create({ paymentId }))
            yield* due("settle", "send")
            if (moment === "in the block before it") yield* pause(true)
            for (let round = 0; round < 40; round++) {
              yield* scene.local.mine(1)
              yield* pass(5000)
              yield* due("settle", "send")
            }
            const stuck = Effect.map(
              Effect.promise(() => scene.florin.operator.status.stuck({ mode: "live" })),
              ({ stuck: all }) => all,
            )
            const waiting = yield* stuck
            assert.strictEqual(
              waiting.reduce((sum, { paymentIds }) => sum + paymentIds.length, 0),
              9,
            )
            for (const { message, reason, state } of waiting) {
              assert.deepStrictEqual([state, reason], ["waiting", "paused"])
              assert.match(message, /the token is paused/u)
            }
            yield* pause(false)
            yield* scene.finish
            assert.deepStrictEqual(yield* stuck, [])
            for (const each of settled) {
              assert.strictEqual(Shares.of(yield* scene.stored(each.paymentId)).status, "paid")
            }
            assert.strictEqual((yield* stateOf(paymentId))?.refunds[0]?.state._tag, "Succeeded")
            assert.strictEqual(yield* scene.held(token, refunded.payer.address), price)
            const received = (yield* scene.held(token, scene.treasury.address)) - before
            // The merchant bears the fee of what was refunded.
            assert.strictEqual(received, 9n * scene.netOf(price) - price)
          }),
        ),
    )
  }
})

layer(Scene.World.layer(), { excludeTestServices: true, timeout })(
  "a payout that arrives differently",
  (it) => {
    it.effect("S24: without its exact log is held, and never sent again", () =>
      Effect.gen(function* () {
        const scene = yield* Scene.World
        const token = tokens.permit2
        const payer = unused()
        const choice = yield* scene.offer(token, payer.address)
        const outputs = yield* scene.execute(choice, payer)
        assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
        const shareOf = Effect.map(scene.stored(choice.paymentId), ({ state }) =>
          state._tag === "Succeeded" ? Shares.ofEntry(state.entry) : null,
        )
        let sent = yield* shareOf
        while (sent?.status !== "processing") {
          yield* scene.local.mine(1)
          yield* scene.round
          sent = yield* shareOf
        }
        const outflow = yield* scene.outflowOf(sent.outflowId ?? assert.fail("it is in none"))
        if (outflow.state._tag !== "Sent") return assert.fail(`it is ${outflow.state._tag}`)
        const { slot } = outflow.state
        const { hash } = yield* Effect.promise(() => scene.florin.run(Relayer.transactionAt(slot)))
        // Its owner switches the fee on in the block before it.
        yield* scene.local.setTransferFee(token.address, 100n, price)
        yield* scene.finish
        const held = yield* shareOf
        assert.deepInclude(held, { status: "held", movedOtherwise: true })
        const named = `(${hash}), so look at what it moved`
        yield* scene.local.setTransferFee(token.address, 0n, 0n)
        const refused = yield* Effect.promise(() =>
          scene.florin.operator.outflows
            .retrySettlement({ paymentId: choice.paymentId })
            .then(() => "retried", String),
        )
        assert.include(refused, named)
        yield* scene.finish
        assert.deepStrictEqual(yield* shareOf, held)
        const net = scene.netOf(price)
        assert.strictEqual(yield* scene.held(token, scene.treasury.address), net - net / 100n)
        yield* scene.balanced
        yield* Effect.promise(() =>
          scene.florin.operator.outflows.accept({ outflowId: outflow.id }),
        )
        assert.deepInclude(yield* shareOf, { status: "paid", txHash: hash })
        yield* scene.balanced
      }),
    )
  },
)

const script = new URL("stoppedWorker.ts", import.meta.url)
const isWord = (line: string) => StoppedWorker.words.some((word) => word === line)

/** What a worker says next, past what it logs; nothing when it has ended. */
const said = ({ line }: { readonly line: Effect.Effect<string> }) =>
  Effect.repeat(line, { until: (text) => text === "" || isWord(text) })

describe("a token that takes a fee after its payout was rehearsed", () => {
  alone.live(
    "S24: its next payout waits for an operator, nobody is paid twice, and the ledger equals the chain",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const databaseUrl = yield* Databases.address("migrated")
          const database = Postgres.layer({ url: Redacted.make(databaseUrl) })
          const scene = yield* Scene.alone({ florin: { storage: database, signals: database } })
          const { local, treasury } = scene
          const { operator } = scene.florin
          const token = tokens.permit2
          const task: StoppedWorker.Task = { databaseUrl, rpcUrl: local.rpcUrl, point: null }
          const worker = yield* Processes.run(script, JSON.stringify(task))
          const shareOf = (id: PaymentId.PaymentId) =>
            Effect.map(scene.stored(id), ({ state }) =>
              state._tag === "Succeeded" ? Shares.ofEntry(state.entry) : null,
            )
          const paid = Effect.gen(function* () {
            const payer = unused()
            const choice = yield* scene.offer(token, payer.address)
            const outputs = yield* scene.execute(choice, payer)
            assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
            return choice
          })
          const stuck = Effect.map(
            Effect.promise(() => operator.status.stuck({ mode: "live" })),
            ({ stuck: all }) => all,
          )
          const mining = <A>(what: string, look: Effect.Effect<A | null>) =>
            comes(
              what,
              Effect.tap(look, (found) =>
                found === null ? Effect.orDie(local.mine(1)) : Effect.void,
              ),
            )

          const { option, paymentId: first } = yield* paid
          const outflowId = yield* comes(
            "the payout",
            Effect.gen(function* () {
              const share = yield* shareOf(first)
              // Its own block is to come after the token has changed.
              if (share === null) yield* Effect.orDie(local.mine(1))
              if (share?.status !== "processing" || share.outflowId === null) return null
              const { id, state } = yield* scene.outflowOf(share.outflowId)
              return state._tag === "Sent" ? id : null
            }),
          )
          yield* local.setTransferFee(token.address, 100n, price)
          yield* mining(
            "the end of the payout",
            Effect.map(stuck, (all) =>
              all.some(({ reason }) => reason === "moved") ? true : null,
            ),
          )
          yield* scene.balanced
          yield* local.setTransferFee(token.address, 0n, 0n)

          const { paymentId: second } = yield* paid
          yield* mining(
            "the payout that waits",
            Effect.map(stuck, (all) =>
              all.some(({ reason }) => reason === "stopped") ? true : null,
            ),
          )
          const net = scene.netOf(price)
          const arrived = net - net / 100n
          assert.strictEqual(yield* scene.held(token, treasury.address), arrived)
          const refused = yield* Effect.promise(() =>
            operator.outflows.retrySettlement({ paymentId: first }).then(() => "retried", String),
          )
          assert.include(refused, "florin payouts release")
          yield* Effect.promise(() => operator.outflows.release({ outflowId }))
          assert.strictEqual((yield* shareOf(second))?.status, "processing")
          yield* scene.balanced
          // The fee was the operator's loss: the account lacks it now.
          yield* scene.putFloat(option, net - arrived)

          yield* Effect.promise(() =>
            operator.chains.resumeToken({ asset: Eip155.formatToken(token), mode: "live" }),
          )
          for (const id of [first, second]) {
            yield* mining(
              "the settlement",
              Effect.map(shareOf(id), (each) => (each?.status === "paid" ? true : null)),
            )
          }
          assert.strictEqual(yield* scene.held(token, treasury.address), 2n * net)
          assert.deepStrictEqual(yield* stuck, [])
          yield* worker.finish
          yield* scene.balanced
        }),
      ),
    timeout,
  )
})

describe("a worker that resumes after its lease expired", () => {
  for (const point of Counts.some(StoppedWorker.points, 2)) {
    alone.live(
      `M19: ${point}: sends nothing that another worker has sent`,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const databaseUrl = yield* Databases.address("migrated")
            const database = Postgres.layer({ url: Redacted.make(databaseUrl) })
            const scene = yield* Scene.alone({
              everyInMs: 100,
              florin: { storage: database, signals: database },
            })
            const work = (at: StoppedWorker.Point | null) => {
              const task: StoppedWorker.Task = {
                databaseUrl,
                rpcUrl: scene.local.rpcUrl,
                point: at,
              }
              return Processes.run(script, JSON.stringify(task))
            }
            for (let time = 0; time < timesEach; time++) {
              const before = yield* scene.sent
              const had = yield* scene.held(tokens.eip3009, scene.treasury.address)
              const made = yield* scene.order("eip3009")
              yield* scene.confirm(made)
              const slow = yield* work(point)
              assert.strictEqual(yield* said(slow), "stopped")
              const other = yield* work(null)
              const settled = until("the settlement", async () => {
                const details = await scene.client.payments.get(made.id, {
                  merchantId: scene.merchantId,
                })
                return details.settlement
              })
              yield* settled
              yield* Effect.sync(() => process.kill(slow.pid, "SIGCONT"))
              if (point !== "before it broadcasts") {
                assert.strictEqual(yield* said(slow), "sent nothing")
              }
              yield* slow.finish
              yield* other.finish
              assert.strictEqual(yield* scene.sent, before + 2)
              const paid = (yield* scene.held(tokens.eip3009, scene.treasury.address)) - had
              assert.strictEqual(paid, scene.netOf(price))
            }
            yield* scene.audit
          }),
        ),
      // Each waits for its own lease to lapse.
      { concurrent: true, timeout },
    )
  }
})
