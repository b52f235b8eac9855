import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Event from "@florin/core/domain/payment/Event"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import * as Stuck from "@florin/core/engine/status/Stuck"
import { Acting } from "@florin/core/ports/AuditStore"
import { Chains } from "@florin/core/ports/Chain"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { Settings } from "@florin/core/ports/Settings"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Fixtures from "@florin/testing/Fixtures"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { failsWith, stranger: thief, tokens, treasury } = Scene
const token = tokens.eip3009
const had = 1_000_000_000_000n
const dayInMs = 24 * 60 * 60_000

/** A leaked key. */
const acting = {
  actor: { _tag: "Key", keyId: ApiKey.ApiKeyId.make("key_leaked") },
  requestId: "req_1",
} as const

/** A test in a service in which a change waits for a day, as in live mode. */
const play = (body: (world: Scene.World) => Effect.Effect<unknown, unknown, Scene.Ports>) =>
  Scene.play((world) =>
    Effect.gen(function* () {
      const settings = yield* Settings
      const destinationDelayInMs = { live: dayInMs, test: dayInMs }
      yield* body(world).pipe(
        Effect.provideService(Settings, { ...settings, destinationDelayInMs }),
        Effect.provideService(Acting, acting),
      )
      yield* world.audit
    }),
  )

const accountOf = ({ account }: Pick<typeof thief, "account">) =>
  Eip155.formatAccount(account(token.chainId))
const [toTreasury, toThief] = [accountOf(treasury), accountOf(thief)]
const third = Scene.payer

const ownOf = ({ merchant, tenant }: Scene.World) =>
  Effect.map(
    Settlements.list(tenant, merchant.id),
    (all) => all.find((each) => Caip.sameToken(each.token, token)) ?? assert.fail("it has none"),
  )

const move = Effect.fnUntraced(function* (world: Scene.World, to: string) {
  const { id } = yield* ownOf(world)
  return yield* Settlements.changeDestination(world.tenant, world.merchant.id, id, to)
})

const register = ({ merchant, tenant }: Scene.World, to: string, key: string) =>
  Effect.map(
    Settlements.create({
      tenant,
      merchantId: merchant.id,
      settlements: [{ asset: Eip155.formatToken(token), destination: to }],
      idempotencyKey: key,
    }),
    ({ destinations: [own] }) => own ?? assert.fail("nothing was registered"),
  )

const remove = Effect.fnUntraced(function* (world: Scene.World) {
  const { id } = yield* ownOf(world)
  return yield* Settlements.remove(world.tenant, world.merchant.id, id)
})

const gained = (world: Scene.World, of: { readonly address: Caip.Address }) =>
  Effect.map(world.chain.balanceOf(token, of.address), (balance) => balance - had)

const netOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.succeeded(id), ({ charge }): bigint => charge.net)

const tagOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.succeeded(id), ({ share }) => share.status)

/** A payment that succeeded, and whose share nobody looked at yet. */
const collected = Effect.fnUntraced(function* (world: Scene.World) {
  const { id } = yield* world.pay(token)
  const isThere = Effect.map(Effect.orDie(world.get(id)), ({ state }) => state._tag === "Succeeded")
  yield* world.live(Collector.drain, isThere)
  return id
})

/** The same while every worker works. */
const collectedMeanwhile = Effect.fnUntraced(function* (world: Scene.World) {
  const { id } = yield* world.pay(token)
  yield* world.finishUntil(({ state }) => state._tag === "Succeeded", id)
  return id
})

/** Works for so long, and no longer. */
const workFor = (world: Scene.World, durationInMs: number) =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + durationInMs
    const isOver = Effect.gen(function* () {
      const at = yield* world.nextDueAt
      return at === null || at > until
    })
    yield* world.live(Scene.work, isOver)
    yield* TestClock.setTime(until)
  })

const changesOf = (world: Scene.World) =>
  Effect.map(world.outbox.events(world.tenant, 0, 1000), (feed) =>
    feed.flatMap(({ event }) => (event.type === Event.destinationChanged ? [event] : [])),
  )

describe("a change of a destination", () => {
  it.effect(
    "S11: for a minute, and back: sends nothing to the new account, and pays the old one",
    play((world) =>
      Effect.gen(function* () {
        const before = yield* collected(world)
        const own = yield* ownOf(world)
        const at = yield* Clock.currentTimeMillis
        const changed = yield* move(world, toThief)
        assert.deepInclude(changed, { destinationText: toThief, takesEffectAt: at + dayInMs })
        const during = yield* collectedMeanwhile(world)
        yield* workFor(world, 60_000)
        for (const id of [before, during]) assert.strictEqual(yield* tagOf(world, id), "waiting")
        const back = yield* move(world, toTreasury)
        assert.notProperty(back, "takesEffectAt")
        assert.strictEqual(back.destinationText, toTreasury)
        yield* workFor(world, 10 * 60_000 + 60_000)
        for (const id of [before, during]) {
          assert.strictEqual(yield* tagOf(world, id), "paid")
        }
        assert.strictEqual(yield* gained(world, thief), 0n)
        assert.strictEqual(
          yield* gained(world, treasury),
          (yield* netOf(world, before)) + (yield* netOf(world, during)),
        )
        const told = {
          merchantId: world.merchant.id,
          destinationId: own.id,
          assetText: own.assetText,
          ...acting,
        }
        const [first, second, ...others] = yield* changesOf(world)
        assert.deepInclude(first, {
          ...told,
          type: "settlement_destination.changed",
          from: own.destinationText,
          to: toThief,
          takesEffectAt: at + dayInMs,
        })
        assert.deepInclude(second, {
          ...told,
          from: toThief,
          to: toTreasury,
          takesEffectAt: null,
        })
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(
          yield* Settlements.history(world.tenant, world.merchant.id),
          yield* changesOf(world),
        )
        const { items } = yield* AuditLog.list(world.tenant, undefined, 10)
        assert.deepStrictEqual(
          items
            .filter(({ action }) => action === "destination.changed")
            .map(({ actor, changes, requestId }) => ({ actor, requestId, changes })),
          [
            {
              ...acting,
              changes: [
                { field: own.assetText, from: toThief, to: toTreasury },
                { field: "takesEffectAt", from: at + dayInMs, to: null },
              ],
            },
            {
              ...acting,
              changes: [
                { field: own.assetText, from: own.destinationText, to: toThief },
                { field: "takesEffectAt", from: null, to: at + dayInMs },
              ],
            },
          ],
        )
      }),
    ),
  )

  it.effect(
    "S11: delays all payouts for a day, to the old account and the new one, and shows why",
    play((world) =>
      Effect.gen(function* () {
        const before = yield* collected(world)
        yield* move(world, toThief)
        const during = yield* collectedMeanwhile(world)
        yield* workFor(world, dayInMs - 60 * 60_000)
        assert.strictEqual(yield* gained(world, thief), 0n)
        assert.strictEqual(yield* gained(world, treasury), 0n)
        const stuck = yield* Stuck.list("test")
        assert.sameDeepMembers(
          stuck.map(({ code, isHeld, paymentIds }) => ({ code, isHeld, paymentIds })),
          [before, during].map((id) => ({
            code: "destination" as const,
            isHeld: false,
            paymentIds: [id],
          })),
        )
        for (const { reason } of stuck) {
          assert.include(reason, `florin merchants settlements confirm ${world.merchant.id}`)
        }
        yield* world.finish
        assert.notProperty(yield* ownOf(world), "takesEffectAt")
        assert.strictEqual(
          yield* gained(world, thief),
          (yield* netOf(world, before)) + (yield* netOf(world, during)),
        )
        assert.strictEqual(yield* gained(world, treasury), 0n)
        assert.deepStrictEqual(yield* Stuck.list("test"), [])
        // It is in effect by itself, so there is no second event.
        assert.strictEqual((yield* changesOf(world)).length, 1)
      }),
    ),
  )

  it.effect(
    "S11: shows of a share that waits what a refund left of it",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* collected(world)
        yield* move(world, toThief)
        yield* Payer.drain
        yield* world.refundPart(id, 400n)
        const { entry } = yield* world.succeeded(id)
        const [stuck] = yield* Stuck.list("test")
        assert.strictEqual(stuck?.movement.quantity, Entry.left(entry))
        yield* world.finish
      }),
    ),
  )

  it.effect(
    "S11: starts the wait again if the account changes again, but not for another spelling of it",
    play((world) =>
      Effect.gen(function* () {
        yield* move(world, toThief)
        yield* TestClock.adjust(dayInMs / 2)
        const again = yield* move(world, toThief.toLowerCase())
        assert.strictEqual(again.destinationText, toThief.toLowerCase())
        assert.strictEqual(again.takesEffectAt, Scene.now + dayInMs)
        assert.strictEqual((yield* changesOf(world)).length, 1)
        const other = yield* move(world, accountOf(third))
        assert.strictEqual(other.takesEffectAt, Scene.now + dayInMs + dayInMs / 2)
        const id = yield* collected(world)
        yield* move(world, toTreasury)
        yield* world.finish
        assert.strictEqual(yield* gained(world, treasury), yield* netOf(world, id))
        assert.strictEqual((yield* changesOf(world)).length, 3)
      }),
    ),
  )
})

describe("a registration of a destination", () => {
  it.effect(
    "S11: after a deletion counts as a change, and waiting shares go to the new account",
    play((world) =>
      Effect.gen(function* () {
        const before = yield* collected(world)
        const own = yield* ownOf(world)
        assert.deepStrictEqual(yield* remove(world), own)
        const again = yield* register(world, toThief, "again")
        assert.strictEqual(again.takesEffectAt, (yield* Clock.currentTimeMillis) + dayInMs)
        const during = yield* collectedMeanwhile(world)
        yield* workFor(world, dayInMs / 2)
        assert.strictEqual(yield* tagOf(world, before), "waiting")
        assert.strictEqual(yield* tagOf(world, during), "waiting")
        assert.strictEqual((yield* Stuck.list("test")).length, 2)
        assert.strictEqual(yield* gained(world, thief), 0n)
        assert.strictEqual(yield* gained(world, treasury), 0n)
        yield* world.finish
        assert.strictEqual(
          yield* gained(world, thief),
          (yield* netOf(world, before)) + (yield* netOf(world, during)),
        )
        assert.deepStrictEqual(
          (yield* changesOf(world)).map(({ from, to, takesEffectAt }) => [
            from,
            to,
            takesEffectAt !== null,
          ]),
          [
            [own.destinationText, null, false],
            [own.destinationText, toThief, true],
          ],
        )
      }),
    ),
  )
})

/** Changes the destination right before a write, signed or not: after everything was read for it. */
const changingBefore = (world: Scene.World, isSigned: boolean) =>
  Effect.gen(function* () {
    const outflows = yield* OutflowStore
    let count = 0
    const changed = <A, E, R>(write: Effect.Effect<A, E, R>) =>
      Effect.suspend(() =>
        ++count === 1 ? Effect.andThen(Effect.orDie(move(world, toThief)), write) : write,
      )
    const services = yield* Effect.context<Scene.Ports>()
    const racing = OutflowStore.of({
      ...outflows,
      modify: (subjects, decide, lease, signed) => {
        const write = outflows.modify(subjects, decide, lease, signed)
        const isAsked = (signed !== undefined) === isSigned
        return isAsked ? Effect.provide(changed(write), services) : write
      },
    })
    return { racing, count: () => count }
  })

describe("a change of a destination while shares are gathered", () => {
  it.effect(
    "S11: sends nothing to either account if it comes between the read and the booking",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* collected(world)
        const { count, racing } = yield* changingBefore(world, false)
        yield* Effect.provideService(Payer.drain, OutflowStore, racing)
        assert.isAbove(count(), 0)
        assert.strictEqual(yield* tagOf(world, id), "waiting")
        assert.deepStrictEqual(yield* world.outflows.openOutflows("test"), [])
        yield* workFor(world, dayInMs / 2)
        assert.strictEqual(yield* gained(world, thief), 0n)
        assert.strictEqual(yield* gained(world, treasury), 0n)
        yield* move(world, toTreasury)
        yield* world.finish
        assert.strictEqual(yield* gained(world, treasury), yield* netOf(world, id))
      }),
    ),
  )

  it.effect(
    "S11: has shares gathered again that were not signed yet",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* collected(world)
        yield* Payer.drain
        assert.strictEqual(yield* tagOf(world, id), "processing")
        yield* move(world, toThief)
        yield* workFor(world, dayInMs / 2)
        assert.strictEqual(yield* tagOf(world, id), "waiting")
        assert.strictEqual(yield* gained(world, treasury), 0n)
        yield* world.finish
        assert.strictEqual(yield* gained(world, treasury), 0n)
        assert.strictEqual(yield* gained(world, thief), yield* netOf(world, id))
      }),
    ),
  )

  it.effect(
    "S11: signs nothing for the old account if it comes during signing",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* collected(world)
        yield* Payer.drain
        const { count, racing } = yield* changingBefore(world, true)
        yield* Effect.provideService(Sender.drain, OutflowStore, racing)
        assert.strictEqual(count(), 1)
        yield* workFor(world, dayInMs / 2)
        assert.strictEqual(yield* gained(world, treasury), 0n)
        assert.strictEqual(yield* gained(world, thief), 0n)
        yield* move(world, toTreasury)
        yield* world.finish
        assert.strictEqual(yield* gained(world, treasury), yield* netOf(world, id))
      }),
    ),
  )

  it.effect(
    "S11: still sends a transaction to the old account that was signed before it",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* collected(world)
        yield* Scene.payOut
        yield* move(world, toThief)
        yield* world.finish
        assert.strictEqual(yield* gained(world, thief), 0n)
        assert.strictEqual(yield* gained(world, treasury), yield* netOf(world, id))
      }),
    ),
  )

  it.effect(
    "S11: signs nothing again for the old account if the nonce of the signed transaction was used elsewhere",
    play((world) =>
      Effect.gen(function* () {
        const { chain, lanes } = world
        const id = yield* collected(world)
        yield* Scene.payOut
        const { attempt, charge } = yield* world.succeeded(id)
        const { payTo } = attempt.option
        const lane = { chainId: token.chainId, sender: payTo }
        const ours = (yield* lanes.laneTransactions(lane, 0)).at(-1)
        yield* chain.mine(token.chainId)
        const quantity = Fixtures.quantity(10n ** 30n)
        const movement = { token, from: payTo, to: treasury.address, quantity }
        const port = (yield* Chains).of("test")
        const other = yield* port.sign(lane, ours?.nonce ?? 0, { _tag: "Send", movement })
        yield* chain.reorg(token.chainId, 1, { conflicting: [other] })
        yield* move(world, toThief)
        yield* world.letGoOn(token.chainId)
        yield* workFor(world, dayInMs / 2)
        assert.strictEqual(yield* tagOf(world, id), "waiting")
        assert.strictEqual(yield* gained(world, treasury), 0n)
        yield* world.finish
        assert.strictEqual(yield* gained(world, treasury), 0n)
        assert.strictEqual(yield* gained(world, thief), charge.net + 0n)
      }),
    ),
  )
})

describe("a destination whose account must sign", () => {
  /** The same in a service that asks for that, where no change waits. */
  const proving = (body: (world: Scene.World) => Effect.Effect<unknown, unknown, Scene.Ports>) =>
    Scene.play((world) =>
      Effect.gen(function* () {
        const settings = yield* Settings
        yield* body(world).pipe(
          Effect.provideService(Settings, { ...settings, proveDestinations: true }),
          Effect.provideService(Acting, acting),
        )
        yield* world.audit
      }),
    )
  const prove = (world: Scene.World, id: string, to: string, signature: string) =>
    Settlements.prove(world.tenant, world.merchant.id, id, to, signature)

  it.effect(
    "S15: is paid only once the account signed a text with its name, its merchant and the mode",
    proving((world) =>
      Effect.gen(function* () {
        yield* remove(world)
        const own = yield* register(world, toThief, "another account")
        const statement = own.statement ?? assert.fail("nothing is to be signed")
        for (const part of [thief.address, world.merchant.id, "Mode: test", own.id]) {
          assert.include(statement, part)
        }
        const id = yield* collectedMeanwhile(world)
        yield* workFor(world, dayInMs)
        assert.strictEqual(yield* tagOf(world, id), "waiting")
        assert.strictEqual(yield* gained(world, thief), 0n)
        const [stuck] = yield* Stuck.list("test")
        assert.strictEqual(stuck?.code, "destination")
        for (const [signer, text] of [
          [treasury, statement],
          [thief, `${statement} `],
        ] as const) {
          yield* failsWith("InvalidInput", prove(world, own.id, toThief, signer.signMessage(text)))
        }
        yield* failsWith(
          "InvalidInput",
          prove(world, own.id, toTreasury, treasury.signMessage(statement)),
        )
        const signed = thief.signMessage(statement)
        assert.notProperty(yield* prove(world, own.id, toThief, signed), "statement")
        assert.notProperty(yield* prove(world, own.id, toThief, signed), "statement")
        yield* workFor(world, 11 * 60_000)
        assert.strictEqual(yield* tagOf(world, id), "paid")
        assert.strictEqual(yield* gained(world, thief), yield* netOf(world, id))
        const { items } = yield* AuditLog.list({}, undefined, 100)
        assert.strictEqual(items.filter(({ action }) => action === "destination.proven").length, 1)
      }),
    ),
  )

  it.effect(
    "S15: is never paid if it is changed or deleted before the account signed",
    proving((world) =>
      Effect.gen(function* () {
        const moved = yield* move(world, toThief)
        assert.isDefined(moved.statement)
        const id = yield* collectedMeanwhile(world)
        yield* workFor(world, dayInMs)
        assert.strictEqual(yield* tagOf(world, id), "waiting")
        yield* move(world, accountOf(third))
        const late = yield* failsWith(
          "InvalidInput",
          prove(world, moved.id, toThief, thief.signMessage(moved.statement ?? "")),
        )
        assert.match(late.message, /proof|destination/u)
        yield* workFor(world, dayInMs)
        assert.deepStrictEqual(
          [yield* gained(world, thief), yield* tagOf(world, id)],
          [0n, "waiting"],
        )
        // The account that it had needs no signature again.
        assert.notProperty(yield* move(world, toTreasury), "statement")
        yield* workFor(world, 11 * 60_000)
        assert.strictEqual(yield* tagOf(world, id), "paid")
        yield* remove(world)
        yield* register(world, toThief, "a new one")
        const owed = yield* collectedMeanwhile(world)
        yield* remove(world)
        yield* workFor(world, dayInMs)
        assert.deepStrictEqual(
          [yield* tagOf(world, owed), yield* gained(world, thief)],
          ["waiting", 0n],
        )
        const last = yield* register(world, toTreasury, "the one before")
        yield* prove(world, last.id, toTreasury, treasury.signMessage(last.statement ?? ""))
        yield* workFor(world, 11 * 60_000)
        assert.deepStrictEqual(
          [yield* tagOf(world, owed), yield* gained(world, thief)],
          ["paid", 0n],
        )
      }),
    ),
  )
})
