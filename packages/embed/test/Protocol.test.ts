import { assert, describe, it } from "@effect/vitest"
import * as Protocol from "../src/Protocol.ts"

const sealed = (content: object): unknown => JSON.parse(JSON.stringify(Protocol.seal(content)))

describe("the messages between a shop's page and the checkout", () => {
  it("are read as they were sent", () => {
    const reports: ReadonlyArray<Protocol.Report> = [
      { type: "ready", title: "Pay Blue Door Coffee", close: "Close" },
      { type: "resize", height: 640 },
      { type: "status", paymentId: "pay_1", status: "succeeded", isFinal: true },
      { type: "status", paymentId: "pay_1", status: "requires_action", isFinal: false },
      { type: "close" },
      { type: "stay" },
    ]
    for (const report of reports) {
      assert.deepStrictEqual(Protocol.readReport(sealed(report)), report)
    }
    assert.strictEqual(Protocol.readRequest(sealed({ type: "hello" })), "hello")
    assert.strictEqual(Protocol.readRequest(sealed({ type: "close" })), "close")
  })

  it("are ignored in another version, of another type, or incomplete", () => {
    const others: ReadonlyArray<unknown> = [
      undefined,
      null,
      1,
      "close",
      [],
      { type: "close" },
      { florin: 2, type: "close" },
      { florin: "1", type: "close" },
      ...[
        {},
        { type: "paid" },
        { type: "ready", title: "Pay" },
        { type: "resize", height: "640" },
        { type: "status", paymentId: "pay_1", status: "refunded", isFinal: true },
        { type: "status", status: "succeeded", isFinal: true },
      ].map(sealed),
    ]
    for (const other of others) {
      assert.isUndefined(Protocol.readReport(other))
      assert.isUndefined(Protocol.readRequest(other))
    }
  })

  it("mark a status as final only if it says so", () => {
    const status = { type: "status", paymentId: "pay_1", status: "succeeded", isFinal: "yes" }
    const report = Protocol.readReport(sealed(status))
    assert.deepStrictEqual(report, {
      type: "status",
      paymentId: "pay_1",
      status: "succeeded",
      isFinal: false,
    })
  })
})
