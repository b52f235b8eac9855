/**
 * Every row of the table in docs/testing.md, over HTTP: the outcome of a test payment that requests it, and a live
 * payment that ignores it.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Stuck from "@florin/core/engine/status/Stuck"
import { InflowStore } from "@florin/core/ports/InflowStore"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Scanner from "@florin/core/workers/Scanner"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Gateway from "./operations/gateway.ts"
import * as Payments from "./operations/payments.ts"
import * as Refunds from "./operations/refunds.ts"
import { assets, gained, register, tokenOf } from "./operations/settlements.ts"
import * as Scene from "./scene.ts"

const base = Scene.chains.eip3009

/** A merchant and the keys of its partner and of a wallet, in one mode. */
interface Side {
  readonly key: string
  readonly merchantId: string
  readonly walletKey: string
}

const asking = (testOutcome: string) => ({ metadata: { testOutcome } })

const create = ({ key, merchantId }: Side, outcome: string) =>
  Scene.createPayment(key, merchantId, asking(outcome))

const options = ({ walletKey }: Side, id: string) =>
  Scene.send({
    path: Gateway.pathOf(id, "/options"),
    key: walletKey,
    body: { accounts: [Gateway.payerOn(base)] },
  })

const details = (side: Side, id: string) =>
  Effect.map(Scene.send(Payments.about(side, `/v1/payments/${id}`)), ({ body }) => body)

/** The types of a payment's events, in their order. */
const types = Effect.fnUntraced(function* ({ key }: Side, id: string) {
  const { body } = yield* Scene.send({ path: "/v1/events?limit=200", key })
  return Scene.list(body, "data")
    .filter((each) => Scene.at(each, "data", "paymentId") === id)
    .map((each) => Scene.text(each, "type"))
})

const refund = Effect.fnUntraced(function* ({ key }: Side, id: string) {
  const asked = yield* Scene.send(Refunds.refunding(key, id))
  assert.strictEqual(asked.status, 200, asked.text)
  yield* Gateway.finish(base)
})

const finish = Gateway.finish(base)

const paid = ["payment.created", "payment.processing", "payment.succeeded"]

/** A payment that is paid, and all that is due afterwards. */
const pay = Effect.fnUntraced(function* (side: Side, outcome: string) {
  const id = yield* create(side, outcome)
  yield* Scene.confirm(side.walletKey, id)
  yield* finish
  return id
})

/** What a shop and a wallet see of each outcome; answers the payment. */
const scenarios: {
  readonly [N in TestOutcome.Name]: (side: Side) => Effect.Effect<string, unknown, Scene.Ports>
} = {
  declined: Effect.fnUntraced(function* (side) {
    const id = yield* pay(side, "declined")
    assert.strictEqual(Scene.at(yield* details(side, id), "failureCode"), "declined_user")
    assert.deepStrictEqual(yield* types(side, id), ["payment.created", "payment.failed"])
    return id
  }),

  sanctioned: Effect.fnUntraced(function* (side) {
    const id = yield* create(side, "sanctioned")
    Scene.isProblem(yield* options(side, id), 451, "sanctioned_user")
    return id
  }),

  insufficient_funds: Effect.fnUntraced(function* (side) {
    const id = yield* create(side, "insufficient_funds")
    assert.deepStrictEqual(Scene.at((yield* options(side, id)).body, "options"), [])
    return id
  }),

  option_expired: Effect.fnUntraced(function* (side) {
    const id = yield* create(side, "option_expired")
    const optionId = Scene.text(yield* Scene.firstOption(side.walletKey, id), "id")
    const results = [{ type: "walletRpc", data: [`0x${"11".repeat(65)}`] }]
    for (const [tail, body] of [
      ["/fetch", { optionId, data: "" }],
      ["/confirm", { optionId, results }],
    ] as const) {
      const path = Gateway.pathOf(id, tail)
      Scene.isProblem(yield* Scene.send({ path, key: side.walletKey, body }), 409, "quote_expired")
    }
    return id
  }),

  failed: Effect.fnUntraced(function* (side) {
    const before = yield* gained(assets.usdcOnBase, Scene.payer)
    const id = yield* pay(side, "failed")
    assert.isNull(Scene.at(yield* details(side, id), "failureCode"))
    assert.deepStrictEqual(yield* types(side, id), [
      "payment.created",
      "payment.processing",
      "payment.failed",
    ])
    assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.payer), before)
    return id
  }),

  expired: Effect.fnUntraced(function* (side) {
    const id = yield* create(side, "expired")
    yield* Scene.pass("9 seconds")
    assert.strictEqual(Scene.at(yield* details(side, id), "status"), "requires_action")
    yield* Scene.pass("1 second")
    yield* Scene.work
    assert.deepStrictEqual(yield* types(side, id), ["payment.created", "payment.expired"])
    Scene.isProblem(yield* options(side, id), 410, "payment_expired")
    return id
  }),

  slow: Effect.fnUntraced(function* (side) {
    const id = yield* create(side, "slow")
    yield* Scene.confirm(side.walletKey, id)
    // It passes 20 seconds.
    yield* finish
    assert.strictEqual(Scene.at(yield* details(side, id), "status"), "processing")
    yield* Scene.pass("10 seconds")
    yield* finish
    assert.deepStrictEqual(yield* types(side, id), [...paid, "payment.settled"])
    return id
  }),

  reorganised: Effect.fnUntraced(function* (side) {
    const id = yield* create(side, "reorganised")
    yield* Scene.confirm(side.walletKey, id)
    const chain = yield* SimulatedChain
    yield* Scene.work
    // `florin dev` does this on its chains: see packages/florin/test/Trigger.test.ts.
    yield* chain.reorg(tokenOf(assets.usdcOnBase).chainId, 1)
    yield* finish
    assert.deepStrictEqual(yield* types(side, id), [...paid, "payment.settled"])
    return id
  }),

  payout_held: Effect.fnUntraced(function* (side) {
    const id = yield* pay(side, "payout_held")
    assert.deepStrictEqual(yield* types(side, id), [...paid, "settlement.held"])
    const held = Scene.at(yield* details(side, id), "settlementHeld")
    assert.strictEqual(Scene.at(held, "reason"), "payee")
    // What others are owed at the same time, for the same destination, is paid out.
    const other = yield* Scene.createPayment(side.key, side.merchantId)
    yield* Scene.confirm(side.walletKey, other)
    const second = yield* pay(side, "payout_held")
    assert.include(yield* types(side, other), "payment.settled")
    yield* refund(side, second)
    assert.include(yield* types(side, second), "refund.succeeded")
    return id
  }),

  refund_held: Effect.fnUntraced(function* (side) {
    const id = yield* pay(side, "refund_held")
    yield* refund(side, id)
    assert.deepStrictEqual(yield* types(side, id), [
      ...paid,
      "payment.settled",
      "refund.pending",
      "refund.held",
    ])
    // The operator finds it if they look, and is not alerted to it.
    const stuck = yield* Stuck.list("test")
    assert.include(
      stuck.flatMap(({ paymentIds }): ReadonlyArray<string> => paymentIds),
      id,
    )
    assert.deepStrictEqual(Stuck.groups(stuck), [])
    return id
  }),
}

const page = readFileSync(
  fileURLToPath(new URL("../../../docs/testing.md", import.meta.url)),
  "utf8",
)

/** The outcomes of the page, and the status that it says of each. */
const rows = Array.from(
  page.matchAll(/^\| `(\w+)` +\|.*\| `(\w+)` +\|[^|]*\|$/gmu),
  ([, outcome = "", status = ""]) => ({ outcome, status }),
)

const testSide = ({ own, walletKey }: Scene.Scene): Side => ({ ...own, walletKey })

describe("The outcomes of docs/testing.md", () => {
  it("are complete", () => {
    assert.deepStrictEqual(
      rows.map(({ outcome }) => outcome),
      [...TestOutcome.names],
    )
  })

  for (const name of TestOutcome.names) {
    it.effect(
      `${name}: ends a test payment as documented`,
      Gateway.play((scene) =>
        Effect.gen(function* () {
          const side = testSide(scene)
          yield* register(side.key, side.merchantId, [assets.usdcOnBase])
          const id = yield* scenarios[name](side)
          const { status } = rows.find(({ outcome }) => outcome === name) ?? assert.fail(name)
          assert.strictEqual(Scene.at(yield* details(side, id), "status"), status)
        }),
      ),
    )
  }

  it.effect(
    "refuse an unknown outcome, and list the known ones",
    Gateway.play((scene) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send({
          ...Payments.about(testSide(scene), "/v1/payments"),
          body: {
            referenceId: "ORDER",
            amount: { unit: "iso4217/USD", value: "1" },
            ...asking("fail"),
          },
        })
        assert.deepStrictEqual(Scene.fieldsOf(answer), ["metadata"])
        assert.include(answer.text, TestOutcome.names.join(", "))
        assert.notInclude(answer.text, '"fail"')
      }),
    ),
  )
})

describe("A test payment by a transfer", () => {
  for (const outcome of ["declined", "failed"] as const) {
    it.effect(
      `${outcome}: keeps the money for a refund`,
      Gateway.play(
        (scene) =>
          Effect.gen(function* () {
            const side = testSide(scene)
            const inflows = yield* InflowStore
            yield* Scanner.moveScan("test", Eip155.chainId(base), {}, 0)
            const id = yield* pay(side, outcome)
            yield* finish
            assert.strictEqual(Scene.at(yield* details(side, id), "status"), "failed")
            yield* Scanner.drain
            yield* TestClock.adjust("1 minute")
            yield* LateWatcher.drain
            const found = yield* inflows.inflows({
              _tag: "Payment",
              paymentId: PaymentId.PaymentId.make(id),
            })
            assert.deepStrictEqual(
              found.map(({ state }) => state._tag),
              ["Suspended"],
            )
            const { differences, lines } = yield* Reconciler.check("test")
            assert.isNotEmpty(lines)
            assert.deepStrictEqual(differences, [])
          }),
        { chain: { flow: () => "transfer" } },
      ),
    )
  }
})

describe("A live payment", () => {
  /** A whole life: created, offered, paid, settled and refunded. */
  const life = Effect.fnUntraced(function* (
    side: Side,
    metadata: { readonly [key: string]: string },
  ) {
    const asked = { metadata, expiresAt: Math.floor(Scene.now / 1000) + 6 * 24 * 60 * 60 }
    const id = yield* Scene.createPayment(side.key, side.merchantId, asked)
    const offered = yield* options(side, id)
    const info = yield* Scene.send({ path: Gateway.pathOf(id), key: side.walletKey })
    yield* Scene.confirm(side.walletKey, id)
    yield* finish
    yield* refund(side, id)
    const told = yield* details(side, id)
    return {
      offers: [offered.status, Scene.list(offered.body, "options").length],
      expiresAt: Scene.at(info.body, "expiresAt"),
      status: Scene.at(told, "status"),
      metadata: Scene.at(told, "metadata"),
      types: yield* types(side, id),
    }
  })

  it.effect(
    "ignores outcomes in its reference",
    Gateway.play(({ liveWalletKey, own }) =>
      Effect.gen(function* () {
        const { liveKey: key } = own
        const merchantId = yield* Scene.createMerchant(key)
        const side: Side = { key, merchantId, walletKey: liveWalletKey }
        const usual = yield* life(side, {})
        assert.strictEqual(usual.status, "succeeded")
        assert.deepStrictEqual(usual.types, [
          ...paid,
          "refund.pending",
          "refund.processing",
          "refund.succeeded",
        ])
        yield* register(key, merchantId, [assets.usdcOnBase])
        const settled = yield* pay(side, "payout_held")
        assert.deepStrictEqual(yield* types(side, settled), [...paid, "payment.settled"])
        const other = { ...side, merchantId: yield* Scene.createMerchant(key, "Other") }
        for (const testOutcome of [...TestOutcome.names, "no outcome"]) {
          const metadata = { testOutcome }
          assert.deepStrictEqual(yield* life(other, metadata), { ...usual, metadata })
        }
      }),
    ),
  )
})
