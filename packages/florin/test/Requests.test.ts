import { assert, describe, it } from "@effect/vitest"
import * as Requests from "../src/explain/Requests.ts"

describe("the requests of a log", () => {
  it("are those that name the payment or one of its refunds, and no others", () => {
    const request = (params: Readonly<Record<string, string>>) =>
      JSON.stringify({
        at: 1,
        requestId: "req_1",
        method: "GET",
        route: "/v1/payments/:id",
        params,
        status: 404,
        code: "not_found",
        durationInMs: 3,
        keyId: null,
        sdk: {},
      })
    const log = [
      "florin is ready",
      request({ id: "pay_1" }),
      request({ id: "pay_other" }),
      request({ refundId: "rfnd_1" }),
      '{"at":1}',
    ].join("\n")
    const payment = { paymentId: "pay_1", refunds: [{ refundId: "rfnd_1" }] }
    const requests = Requests.about(payment, Requests.parse(log))
    assert.deepStrictEqual(
      requests.map(({ params }) => Object.values(params)),
      [["pay_1"], ["rfnd_1"]],
    )
  })
})
