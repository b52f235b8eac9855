import { assert, describe, it } from "@effect/vitest"
import type * as Evidence from "../src/oracle/Evidence.ts"
import * as Oracle from "../src/oracle/Oracle.ts"

const id = "pay_1"

/** A call about the payment, with what came of it; its times are places in one order. */
const call = (
  startedAt: number,
  endedAt: number,
  [method, path, body = null]: readonly [string, string, Evidence.Json?],
  response: Evidence.Exchange["response"],
): Evidence.Exchange => ({
  startedAt,
  endedAt,
  process: "1",
  method,
  path,
  key: "a key",
  idempotencyKey: null,
  body,
  response,
})
const said = (status: number, body: Evidence.Json) => ({ status, body })

const confirm = ["POST", `/v1/gateway/payment/${id}/confirm`, {}] as const
const cancel = ["POST", `/v1/payments/${id}/cancel`, {}] as const
const look = ["GET", `/v1/gateway/payment/${id}/status`] as const
const refund = ["POST", "/v1/refunds", { paymentId: id }] as const
const refundedAs = (refundId: string) => said(200, { refundId, status: "pending" })

const isOrdered = (exchanges: ReadonlyArray<Evidence.Exchange>): boolean =>
  Array.from(
    Oracle.rules["one order explains all responses"]?.({
      exchanges,
      books: [],
      ledger: [],
      chain: { transactions: [], before: () => 0n, balances: [], own: new Set() },
    }) ?? assert.fail("there is no such rule"),
  ).length === 0

describe("The order of calls about one payment", () => {
  it("exists if calls overlap, and one of them was first", () => {
    assert.isTrue(
      isOrdered([
        call(0, 5, confirm, said(200, { status: "processing" })),
        call(1, 4, cancel, said(400, { code: "invalid_state" })),
        call(2, 6, look, said(200, { status: "requires_action" })),
        call(7, 8, look, said(200, { status: "succeeded" })),
        call(9, 10, refund, refundedAs("rfnd_1")),
        call(11, 12, refund, said(409, { code: "already_refunded" })),
      ]),
    )
  })

  it("exists if others see a payment in progress while a confirm waits for its end", () => {
    const waits = (path: string, ...others: ReadonlyArray<Evidence.Exchange>) =>
      isOrdered([
        call(0, 9, ["POST", path, {}], said(200, { status: "succeeded" })),
        call(1, 2, look, said(200, { status: "processing" })),
        call(3, 4, look, said(200, { status: "succeeded" })),
        ...others,
      ])
    const waiting = `${confirm[1]}?maxPollMs=4000`
    assert.isTrue(waits(waiting))
    assert.isFalse(waits(confirm[1]), "what does not wait sees what it wrote")
    assert.isFalse(waits(waiting, call(5, 6, look, said(200, { status: "processing" }))))
    assert.isFalse(waits(waiting, call(10, 11, cancel, said(200, { status: "cancelled" }))))
  })

  it("does not exist if two calls that exclude each other both succeeded", () => {
    assert.isFalse(
      isOrdered([
        call(0, 5, confirm, said(200, { status: "processing" })),
        call(1, 4, cancel, said(200, { status: "cancelled" })),
      ]),
    )
  })

  it("does not exist if a later look shows an earlier status", () => {
    const looks = (first: string, second: string) =>
      isOrdered([
        call(0, 1, confirm, null),
        call(2, 3, look, said(200, { status: first })),
        call(4, 5, look, said(200, { status: second })),
      ])
    assert.isTrue(looks("requires_action", "processing"))
    assert.isFalse(looks("processing", "requires_action"))
    assert.isFalse(looks("succeeded", "failed"))
  })

  it("does not exist if a payment is refunded under two ids", () => {
    const history = (second: string) => [
      call(0, 1, confirm, said(200, { status: "succeeded" })),
      call(2, 5, refund, refundedAs("rfnd_1")),
      call(3, 6, refund, refundedAs(second)),
    ]
    assert.isTrue(isOrdered(history("rfnd_1")))
    assert.isFalse(isOrdered(history("rfnd_2")))
  })

  it("lets a call without a response take effect late, or never", () => {
    const history = (last: string) => [
      call(0, 1, cancel, null),
      call(2, 3, look, said(200, { status: "requires_action" })),
      call(4, 5, look, said(200, { status: last })),
    ]
    assert.isTrue(isOrdered(history("cancelled")))
    assert.isTrue(isOrdered(history("requires_action")))
    assert.isFalse(isOrdered(history("processing")))
  })
})
