import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"

const begin = Calls.begin("personal-data")
const layer = Scene.layer()
const account = Scene.accountOf(Scene.payer, Scene.chains.eip3009)

describe("personalData.show, export and erase", () => {
  it.effect("find the data of a payment and of an account, and record each look", () =>
    Effect.gen(function* () {
      const { inProcess, other, own, send } = yield* begin
      const id = yield* Calls.collected(own)
      const second = yield* Calls.collected(other)
      const shown = yield* send("GET", `?of=${id}`)
      const deleteAt = Scene.text(shown.body, "records", 0, "deleteAt")
      const stored = { paymentId: id, account, deleteAt, data: Calls.ada }
      assert.deepStrictEqual(shown.body, { records: [stored] })
      assert.strictEqual(shown.headers.get("cache-control"), "no-store")
      const look = <A extends string>(action: A, subject: string) => ({
        action,
        subject,
        changes: [{ field: "records", to: 1 }],
      })
      assert.deepStrictEqual(yield* Calls.newest, look("collected.shown", id))

      const { records } = yield* inProcess(({ personalData }) =>
        personalData.export({ of: account }),
      )
      assert.sameMembers(
        records.map(({ paymentId }) => paymentId),
        [id, second],
      )
      assert.deepInclude(
        records.find(({ paymentId }) => paymentId === id),
        {
          ...stored,
          merchantId: own.merchantId,
          status: "requires_action",
          amount: { unit: "iso4217/USD", value: "1234" },
          paidBy: null,
        },
      )
      assert.strictEqual((yield* Calls.newest).action, "collected.exported")

      const erased = yield* send("POST", "/erase", { of: id })
      assert.deepStrictEqual(erased.body, { erased: 1 })
      assert.deepStrictEqual(yield* Calls.newest, look("collected.erased", id))
      const left = yield* inProcess(({ personalData }) => personalData.erase({ of: account }))
      assert.deepStrictEqual(left, { erased: 1 })
      const none = yield* inProcess(({ personalData }) => personalData.show({ of: account }))
      assert.deepStrictEqual(none, { records: [] })
      const { length } = yield* Calls.entries
      yield* send("GET", `/export?of=${id}`)
      assert.strictEqual((yield* Calls.entries).length, length)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("refuse what is no payment and no account, and repeat none of it", () =>
    Effect.gen(function* () {
      const { send } = yield* begin
      assert.deepStrictEqual(Scene.fieldsOf(yield* send("GET", "?of=Ada")), ["of"])
      assert.deepStrictEqual(Scene.fieldsOf(yield* send("POST", "/erase", { of: "Ada" })), ["of"])
      Scene.isProblem(yield* send("GET", "?of=pay_nobody"), 404, "not_found")
    }).pipe(Effect.provide(layer)),
  )
})
