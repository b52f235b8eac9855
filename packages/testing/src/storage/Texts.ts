/**
 * Texts from outside: whatever a chain, a wallet or a receiver sends, the object that it belongs to is written and read
 * back.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import type * as Change from "@florin/core/domain/payment/Change"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import { findPartner, findMerchant } from "@florin/core/ports/AccountStore"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as HostileText from "../HostileText.ts"
import * as Stores from "../Stores.ts"
import { begin, type It, timeout } from "./Scene.ts"

const { now } = Fixtures

/** Characters that JSON columns refuse, text that looks like their escapes but is not, and a valid escape. */
const text = HostileText.near([
  "\0",
  "\ud83c",
  "\udf4f",
  "\\u0000",
  "\\\\ud800",
  '\\"\\n',
  "Äpfel 🍏",
])

/** A value as every storage may return it: without what JSON columns cannot keep. */
const kept = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}` : each)),
    (_, each) => (typeof each === "string" ? each.toWellFormed().replaceAll("\0", "\ufffd") : each),
  )

const assertKept = (read: unknown, written: unknown) =>
  assert.deepStrictEqual(kept(read), kept(written))

type Decided = Change.Change | Change.Write | null
type Said = Decided | Result.Result<Decided, unknown>

/** The outflow of a payment after the chain reported a failure text. */
const held = ({ outflow, payment }: Fixtures.Reached, failure: Transfer.Ending): Decided =>
  outflow === null ? null : Outgoing.hold({ outflow, payments: [payment] }, failure, now)

/** What a transaction that succeeded moved instead. */
const movedInstead = (
  { outflow }: Fixtures.Reached,
  world: Fixtures.Fixtures,
): Pick<Transfer.Ending, "moved"> => {
  if (outflow === null) return {}
  const transfer = world.evidenceOf(outflow.movement)
  const { quantity: left, to } = outflow.movement
  return { moved: { transfer, left, transfers: [{ to, quantity: left }] } }
}

const hindered = ({ outflow, payment }: Fixtures.Reached, reason: string): Decided =>
  outflow === null
    ? null
    : Outgoing.wait({ outflow, payments: [payment] }, { code: "paused", reason }, now, now)

/** Texts of chains and wallets about a payment, by the payment's stage at that time. */
const sayings: ReadonlyArray<
  readonly [
    Fixtures.Stage,
    (reached: Fixtures.Reached, text: string, world: Fixtures.Fixtures) => Said,
  ]
> = [
  ["relayed", ({ payment }, reason) => PaymentTransition.fail(payment, reason, now)],
  ["settling", (reached, reason) => held(reached, { reason, code: "lost" })],
  ["refunding", (reached, reason) => held(reached, { reason, code: "lost" })],
  ["settling", (reached, reason) => hindered(reached, reason)],
  [
    "settling",
    (reached, reason, world) =>
      held(reached, {
        reason,
        code: "moved",
        movedOtherwise: true,
        ...movedInstead(reached, world),
      }),
  ],
  [
    "lateReturnSent",
    (reached, reason) => held(reached, { reason, code: "moved", movedOtherwise: true }),
  ],
  [
    "created",
    ({ payment }, name, world) => {
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
    "do not prevent the write of a payment or its event",
    { text },
    ({ text: said }) =>
      Effect.gen(function* () {
        const { payments, outflows, outbox, world, walk } = yield* begin
        for (const [stage, say] of sayings) {
          const path = world.path(stage)
          yield* walk(path)
          const outcome = say(Fixtures.statesAfter(path), said, world)
          const next = Result.isResult(outcome) ? Result.getOrThrow(outcome) : outcome
          if (next === null) return assert.fail(`nothing changes at ${stage}`)
          const write = "payment" in next ? Fixtures.writeOf(next) : next
          yield* Fixtures.store({ ...payments, ...outflows }, write)
          for (const { event, payment } of write.payments) {
            assertKept(yield* payments.payment(payment.id), payment)
            if (event === undefined) continue
            assertKept((yield* outbox.eventsOf(payment.id)).at(-1)?.payment, payment)
          }
          for (const { outflow } of write.outflows) {
            assertKept(yield* findOutflow(outflows, outflow.id), outflow)
          }
        }
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 6, full: 1000 }) } },
  )

  it.effect.prop(
    "are kept in names and in recorded responses of receivers",
    { text },
    ({ text: said }) =>
      Effect.gen(function* () {
        const { accounts, outbox, world, create, clearDeliveries, fanOut } = yield* begin
        const partner = world.partner({ name: said })
        yield* Stores.putPartner(accounts, partner)
        assertKept(yield* findPartner(accounts, partner.id), partner)
        const { versionPin } = partner
        const key = world.apiKey({
          name: said,
          owner: { _tag: "Wallet", name: said, iconUrl: said, versionPin },
        })
        yield* accounts.putKeys([key])
        assertKept(yield* accounts.keys(key, null), [key])
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
          assertKept(
            (yield* outbox.deliveries(endpoint.id, 1)).map((each) => each.delivery),
            [{ ...delivery, attempts }],
          )
        }
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 6, full: 1000 }) } },
  )

  it.effect.prop(
    "that the domain accepts as names, references, metadata and line items are stored unchanged",
    { name: HostileText.near(["Corner Shop", "Äpfel 🍏"]) },
    ({ name }) =>
      Effect.gen(function* () {
        const { accounts, payments, outbox, world } = yield* begin
        const { id, mode, partnerId } = world.merchant()
        const input = {
          name,
          email: "shop@example.com",
          brandColor: "#1f6feb",
          supportEmail: "help@example.com",
          supportUrl: "https://example.com/help",
          checkoutOrigins: ["https://example.com"],
        }
        const merchant = Merchant.create(input, { id, mode, partnerId, now })
        if (Result.isSuccess(merchant)) {
          yield* accounts.addMerchant(merchant.success)
          assert.deepStrictEqual(yield* findMerchant(accounts, world.tenant, id), merchant.success)
        }
        const key = Array.from(name).slice(0, Limits.metadataKeyMaxLength).join("")
        const amount = { unit: "iso4217/USD", value: "1" }
        const lineItems = [{ name, quantity: 2, amount }, { name: "Tea" }]
        for (const asked of [
          { referenceId: name },
          { metadata: { [key]: name } },
          // A member like any other, unless something sets it by its name.
          { metadata: Object.fromEntries([["__proto__", name]]) },
          { description: name },
          { amount, lineItems },
        ]) {
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
    { timeout, arbitrary: { runs: Counts.of({ usual: 6, full: 1000 }) } },
  )
}
