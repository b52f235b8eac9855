import { assert, describe, it } from "@effect/vitest"
import * as Protocol from "@florin/embed/Protocol"
import * as Frame from "../../src/checkout/Frame.ts"

const shop = "https://shop.example"

/** A window inside of another one, which notes what it is sent. */
const inside = (search: string, origins: ReadonlyArray<string> = [shop]) => {
  const posted: Array<readonly [message: unknown, origin: string]> = []
  const parent = {
    postMessage: (message: unknown, origin: string) => void posted.push([message, origin]),
  }
  const listeners: Array<Parameters<Frame.Inside["addEventListener"]>[1]> = []
  const frame = Frame.make(
    {
      location: { search },
      self: {},
      parent,
      addEventListener: (_, listener) => void listeners.push(listener),
    },
    origins,
  )
  /** What a window says to the checkout; by default the page around it. */
  const hear = (data: unknown, origin = shop, source: unknown = parent) => {
    // A fake of what only browsers have.
    const event = Object.assign(new MessageEvent("message", { data, origin }), {})
    Object.defineProperty(event, "source", { value: source })
    for (const listener of listeners) listener(event)
  }
  return { frame, hear, parent, posted }
}

const modal = "?pid=pay_1&embed=modal"
const hello = Protocol.seal({ type: "hello" })
const close = Protocol.seal({ type: "close" })
const status = { type: "status", paymentId: "pay_1", status: "succeeded", isFinal: true } as const

describe("the checkout in a frame", () => {
  it("is active only in a frame of a page that requests it", () => {
    assert.strictEqual(inside(modal).frame?.mode, "modal")
    assert.strictEqual(inside("?embed=inline&pid=pay_1").frame?.mode, "inline")
    for (const search of ["", "?pid=pay_1", "?embed=1", "?embed="]) {
      assert.isUndefined(inside(search).frame)
    }
    const { parent } = inside(modal)
    const addEventListener = () => undefined
    const top = { location: { search: modal }, self: parent, parent, addEventListener }
    assert.isUndefined(Frame.make(top, [shop]))
  })

  it("sends nothing before the parent page made contact, and then the latest of each report", () => {
    const { frame, hear, posted } = inside(modal)
    frame?.report({ type: "resize", height: 100 })
    frame?.report({ type: "resize", height: 200 })
    frame?.report(status)
    assert.deepStrictEqual(posted, [])
    hear(hello)
    assert.deepStrictEqual(posted, [
      [{ florin: 1, type: "resize", height: 200 }, shop],
      [{ florin: 1, ...status }, shop],
    ])
    frame?.report({ type: "close" })
    assert.deepStrictEqual(posted[2], [{ florin: 1, type: "close" }, shop])
  })

  it("accepts messages only from its parent, on a listed origin", () => {
    const { frame, hear, parent, posted } = inside(modal)
    let asked = 0
    frame?.onCloseAsked(() => (asked += 1))
    frame?.report(status)
    for (const message of [hello, close]) {
      hear(message, "https://evil.example")
      hear(message, "null")
      hear(message, `${shop}.evil.example`)
      hear(message, "http://shop.example")
      hear(message, `${shop}:8443`)
      hear(message, shop, {})
      hear(message, shop, null)
    }
    for (const message of [undefined, null, "hello", 1, {}, { type: "hello" }]) hear(message)
    hear({ florin: 2, type: "hello" })
    hear({ florin: 1, type: "pay" })
    assert.deepStrictEqual([posted, asked], [[], 0])
    hear(close, shop, parent)
    assert.strictEqual(asked, 1)
  })

  it.each([
    ["https://*.shop.example", "https://a.shop.example", true],
    ["https://*.shop.example", "https://shop.example", false],
    ["https://*.shop.example", "https://evilshop.example", false],
    ["http://localhost:*", "http://localhost:4000", true],
    ["http://localhost:*", "http://localhost", true],
    ["http://localhost:*", "https://localhost:4000", false],
    ["http://localhost:*", "http://localhost.evil.example:4000", false],
    ["https://Shop.example/", "https://shop.example", true],
    ["https://shop.example:8443", "https://shop.example:8443", true],
    ["https://shop.example:8443", "https://shop.example", false],
    ["https://shop.example:443", "https://shop.example", true],
    ["http://shop.localhost:80", "http://shop.localhost", true],
    ["https://shop.example:80", "https://shop.example", false],
    ["*", "https://shop.example", false],
    ["https:", "https://shop.example", false],
    ["'self'", "https://shop.example", false],
  ])("with the listed %s accepts %s: %s", (source, origin, isCovered) => {
    const { frame, hear, posted } = inside(modal, [source])
    frame?.report(status)
    hear(hello, origin)
    assert.strictEqual(posted.length === 1, isCovered)
  })
})
