import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import { assets, register } from "./settlements.ts"

const { play } = Laws

const period = "from=2026-09-01&to=2026-09-30"
const pathOf = (merchantId: string, query = period) =>
  `/v1/merchants/${merchantId}/statement?${query}`

const none = { owed: "0", kept: "0", debt: "0" }
const noLines = {
  paidIn: "0",
  fees: "0",
  refunds: "0",
  debt: "0",
  kept: "0",
  paidOut: "0",
  transferred: "0",
}

const read = Effect.fnUntraced(function* (key: string, path: string) {
  const answer = yield* Scene.send({ path, key })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

describe("GET /v1/merchants/{merchantId}/statement", () => {
  play("has no tokens for a merchant without any money", ({ own }) =>
    Effect.gen(function* () {
      const { body } = yield* read(own.key, pathOf(own.merchantId))
      assert.deepStrictEqual(body, {
        merchantId: own.merchantId,
        merchantName: "Corner Shop",
        from: "2026-09-01",
        to: "2026-09-30",
        tokens: [],
      })
    }),
  )

  play("adds up, day by day: payments, payouts and refunds", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      const shown = Gateway.usdcOnBase("0")
      const tokenOf = Effect.fnUntraced(function* (from: string, to: string) {
        const { body } = yield* read(own.key, pathOf(own.merchantId, `from=${from}&to=${to}`))
        return Scene.list(body, "tokens")
      })
      yield* Scene.pay(walletKey, yield* Scene.createPayment(own.key, own.merchantId))
      yield* TestClock.adjust("1 day")
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const second = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(walletKey, second)
      yield* Gateway.finish(8453)
      yield* TestClock.adjust("1 day")
      yield* Scene.send({ path: "/v1/refunds", key: own.key, body: { paymentId: second } })
      const third = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(walletKey, third)
      yield* Gateway.finish(8453)

      const first = { ...none, owed: "12340000" }
      assert.deepStrictEqual(yield* tokenOf("2026-09-21", "2026-09-21"), [
        {
          unit: Scene.text(shown, "unit"),
          display: Scene.at(shown, "display") ?? null,
          opening: none,
          ...noLines,
          paidIn: "12340000",
          closing: first,
        },
      ])
      const [next] = yield* tokenOf("2026-09-22", "2026-09-22")
      assert.deepStrictEqual(Scene.at(next, "opening"), first)
      assert.deepStrictEqual(Scene.at(next, "paidIn"), "12340000")
      // The days after each other are the whole.
      const days = ["2026-09-21", "2026-09-22", "2026-09-23"]
      const parts = (yield* Effect.forEach(days, (day) => tokenOf(day, day))).flat()
      const [whole] = yield* tokenOf("2026-09-21", "2026-09-23")
      for (const line of Object.keys(noLines)) {
        const sum = parts.reduce((total, part) => total + BigInt(Scene.text(part, line)), 0n)
        assert.strictEqual(Scene.text(whole, line), sum.toString(), line)
      }
      assert.strictEqual(Scene.text(whole, "paidIn"), "37020000")
      for (const told of [...parts, whole]) {
        const lines = Object.keys(noLines).map((line) => BigInt(Scene.text(told, line)))
        assert.strictEqual(
          lines.reduce((total, line) => total + line, BigInt(Scene.text(told, "opening", "owed"))),
          BigInt(Scene.text(told, "closing", "owed")),
        )
      }
      assert.deepStrictEqual(Scene.at(whole, "closing"), Scene.at(parts.at(-1), "closing"))
    }),
  )

  play("is CSV for spreadsheets with format=csv", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const name = '=cmd|"/C calc"!A0'
      const renamed = yield* Scene.send({
        method: "PATCH",
        path: `/v1/merchants/${own.merchantId}`,
        key: own.key,
        body: { merchantName: name },
      })
      assert.strictEqual(renamed.status, 200, renamed.text)
      yield* Scene.pay(walletKey, yield* Scene.createPayment(own.key, own.merchantId))
      const { headers, text } = yield* read(own.key, pathOf(own.merchantId, `${period}&format=csv`))
      assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8")
      const [head = "", row = "", ...rest] = text.split("\r\n")
      assert.match(head, /^\uFEFF?merchant_id,merchant,from,to,/u)
      assert.isTrue(
        row.startsWith(
          `${own.merchantId},"'=cmd|""/C calc""!A0",2026-09-01,2026-09-30,USDC,Base,caip19/`,
        ),
        row,
      )
      assert.isTrue(row.endsWith(",0,12.34,0,0,0,0,0,0,12.34,0,0,0,0"), row)
      assert.deepStrictEqual(rest, [""])
    }),
  )

  play("names every wrong day and format", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      for (const [query, fields] of [
        ["", ["from", "to"]],
        ["from=2026-02-30&to=2026-03-01", ["from"]],
        ["from=2026-03-02&to=2026-03-01", ["to"]],
        ["from=today&to=2026-03-01&format=xml", ["from", "format"]],
      ] as const) {
        yield* Laws.invalid(scene, { path: pathOf(merchantId, query), key }, fields)
      }
    }),
  )
})
