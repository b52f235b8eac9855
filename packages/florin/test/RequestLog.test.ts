import { assert, describe, it } from "@effect/vitest"
import type * as AccessLog from "@florin/server/AccessLog"
import * as RequestLog from "../src/serve/RequestLog.ts"

const line: AccessLog.Line = {
  at: 1_790_000_000_000,
  requestId: "req_1",
  method: "GET",
  route: "/v1/payments/:id",
  params: { id: "pay_1" },
  status: 200,
  code: null,
  durationInMs: 3,
  keyId: "key_1",
  partnerId: "prtn_1",
  apiShape: { version: "2026-02-18", profile: "interface" },
  sdk: {},
  defect: null,
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("RequestLog.short", () => {
  it("logs what was requested and the result", () => {
    assert.strictEqual(RequestLog.short(line), "GET /v1/payments/:id 200 3 ms req_1")
    assert.strictEqual(
      RequestLog.short({ ...line, route: null, status: 404, code: "not_found" }),
      "GET (no such path) 404 not_found 3 ms req_1",
    )
  })

  it("logs where a defect was thrown", () => {
    const text = RequestLog.short({ ...line, status: 500, defect: ["TypeError", "at f (x.ts:1)"] })
    assert.deepStrictEqual(text.split("\n").slice(1), ["      TypeError ", "      at f (x.ts:1)"])
  })
})

describe("RequestLog.isAsset", () => {
  it("is a file that a page loads, if it exists", () => {
    const assets = ["/pages/assets/start-7TNVIZ7G.css", "/pages/florin.js", "/icons/:file"]
    const others = ["/", "/:paymentId", "/v1/payments", "/docs/:page", "/collect", null]
    for (const route of assets) {
      assert.isTrue(RequestLog.isAsset({ ...line, route }), route)
      assert.isFalse(RequestLog.isAsset({ ...line, route, status: 404 }), route)
    }
    for (const route of [...others, "/pages/v1/gateway/payment/:id/options"]) {
      assert.isFalse(RequestLog.isAsset({ ...line, route }), String(route))
    }
  })
})

describe("RequestLog.writer", () => {
  it("writes the lines of one turn together, as JSON without a terminal", async () => {
    const written: Array<string> = []
    const log = RequestLog.writer((text) => void written.push(text), false)
    log(line)
    log({ ...line, requestId: "req_2" })
    assert.deepStrictEqual(written, [])
    await nextTurn()
    log({ ...line, requestId: "req_3" })
    await nextTurn()
    assert.deepStrictEqual(
      written.map((text) =>
        text
          .trimEnd()
          .split("\n")
          .map((each) => JSON.parse(each).requestId),
      ),
      [["req_1", "req_2"], ["req_3"]],
    )
  })

  it("writes a short line on a terminal", async () => {
    const written: Array<string> = []
    RequestLog.writer((text) => void written.push(text), true)(line)
    await nextTurn()
    assert.deepStrictEqual(written, ["  GET /v1/payments/:id 200 3 ms req_1\n"])
  })
})
