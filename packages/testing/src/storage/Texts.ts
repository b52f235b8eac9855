/**
 * Texts of outside: whatever a chain, a wallet or a receiver says, what it belongs to is written and read back.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Change from "@florin/core/domain/Change"
import * as LateMoney from "@florin/core/domain/LateMoney"
import * as Limits from "@florin/core/domain/Limits"
import * as Merchant from "@florin/core/domain/Merchant"
import type * as Payment from "@florin/core/domain/Payment"
import * as PaymentTransition from "@florin/core/domain/PaymentTransition"
import * as Refunding from "@florin/core/domain/Refunding"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as HostileText from "../HostileText.ts"
import { begin, decided, type It, timeout } from "./Scene.ts"

const { now } = Fixtures

/** What JSON columns refuse, what looks like its escape and is none, and a valid one. */
const text = HostileText.near([
  "\0",
  "\ud83c",
  "\udf4f",
  "\\u0000",
  "\\\\ud800",
  '\\"\\n',
  "Äpfel 🍏",
])

/** A thing as every storage may give it back: without what JSON columns cannot keep. */
const kept = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}` : each)),
    (_, each) => (typeof each === "string" ? each.toWellFormed().replaceAll("\0", "\ufffd") : each),
  )

const assertKept = (read: unknown, written: unknown) =>
  assert.deepStrictEqual(kept(read), kept(written))

type Decided = Change.Change | null | Result.Result<Change.Change | null, unknown>

/** What chains and wallets say about a payment, by where it stands when they say it. */
const sayings: ReadonlyArray<
  readonly [
    Fixtures.Stage,
    (payment: Payment.Payment, text: string, world: Fixtures.Fixtures) => Decided,
  ]
> = [
  ["relayed", (payment, reason) => PaymentTransition.fail(payment, reason, now)],
  ["settling", (payment, reason) => SettlementMatching.hold(payment, { reason }, now)],
  ["refunding", (payment, reason) => Refunding.hold(payment, { reason }, now)],
  [
    "lateReturning",
    (payment, reason) => LateMoney.takeBack(payment, { reason, movedOtherwise: true }, now),
  ],
  ["lateReported", (payment, reason) => LateMoney.dismiss(payment, reason, now)],
  [
    "created",
    (payment, name, world) => {
      const buyer = { accountText: name, providerName: name, providerIconUrl: name }
      const option = { accountText: name }
      return PaymentTransition.confirm(
        payment,
        world.attempt(payment, { buyer, option }),
        payment.createdAt,
      )
    },
  ],
]

export const texts = (it: It): void => {
  it.effect.prop(
    "are no reason for a payment not to be written, nor for its event",
    { text },
    ({ text: said }) =>
      Effect.gen(function* () {
        const { payments, outbox, world, reach } = yield* begin
        for (const [stage, say] of sayings) {
          const payment = yield* reach(stage)
          const outcome = say(payment, said, world)
          const change = Result.isResult(outcome) ? Result.getOrThrow(outcome) : outcome
          if (change === null) return assert.fail(`nothing changes at ${stage}`)
          yield* payments.modifyPayment(payment.id, decided(null, change))
          assertKept(yield* payments.payment(payment.id), change.payment)
          if (change.event !== undefined) {
            assertKept((yield* outbox.eventsOf(payment.id)).at(-1)?.payment, change.payment)
          }
        }
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 20, full: 1000 }) } },
  )

  it.effect.prop(
    "are kept in names, and in what a receiver is said to have answered",
    { text },
    ({ text: said }) =>
      Effect.gen(function* () {
        const { accounts, outbox, world, create, clearDeliveries, fanOut } = yield* begin
        const partner = world.partner({ name: said })
        yield* accounts.putPartner(partner)
        assertKept(yield* accounts.partner(partner.id), partner)
        const { versionPin } = partner
        const key = world.apiKey({
          name: said,
          owner: { _tag: "Wallet", name: said, iconUrl: said, versionPin },
        })
        yield* accounts.putKeys([key])
        assertKept(yield* accounts.key(key.id), key)
        yield* clearDeliveries
        const endpoint = world.endpoint({ url: said })
        yield* outbox.putEndpoint(endpoint)
        assertKept(yield* outbox.endpoints(world.tenant), [endpoint])
        yield* create()
        yield* fanOut
        const claimed = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 1000, now })
        assert.lengthOf(claimed, 1)
        for (const { delivery, fence } of claimed) {
          const attempts = [{ at: now, status: null, error: said }]
          yield* outbox.finishDelivery({ ...delivery, attempts }, fence)
          assertKept(yield* outbox.deliveries(endpoint.id, 1), [{ ...delivery, attempts }])
        }
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 20, full: 1000 }) } },
  )

  it.effect.prop(
    "that the domain lets in as names, references and metadata are written letter by letter",
    { name: HostileText.near(["Corner Shop", "Äpfel 🍏"]) },
    ({ name }) =>
      Effect.gen(function* () {
        const { accounts, payments, outbox, world } = yield* begin
        const { id, mode, partnerId } = world.merchant()
        const input = { name, email: "shop@example.com" }
        const merchant = Merchant.create(input, { id, mode, partnerId, now })
        if (Result.isSuccess(merchant)) {
          yield* accounts.createMerchant(merchant.success, world.once(), "{}", now)
          assert.deepStrictEqual(yield* accounts.merchant(world.tenant, id), merchant.success)
        }
        const key = Array.from(name).slice(0, Limits.metadataKeyMaxLength).join("")
        for (const asked of [{ referenceId: name }, { metadata: { [key]: name } }]) {
          const change = Result.try(() => world.createPayment(asked))
          if (Result.isSuccess(change)) {
            const { payment } = change.success
            yield* payments.createPayment(change.success, null, "{}", now)
            assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
            const [created] = yield* outbox.eventsOf(payment.id)
            assert.deepStrictEqual(created?.payment, payment)
          }
        }
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 20, full: 1000 }) } },
  )
}
