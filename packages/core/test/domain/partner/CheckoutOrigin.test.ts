import { assert, describe, it } from "@effect/vitest"
import * as CheckoutOrigin from "@florin/core/domain/partner/CheckoutOrigin"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const parse = (text: string, mode: "live" | "test" = "live") =>
  Result.getOrElse(CheckoutOrigin.parse(text, mode), () => null)

describe("CheckoutOrigin.parse", () => {
  it.each([
    ["https://shop.example", "https://shop.example"],
    ["https://SHOP.example", "https://shop.example"],
    ["https://shop.example:443", "https://shop.example"],
    ["https://shop.example:8443", "https://shop.example:8443"],
    ["https://xn--caf-dma.example", "https://xn--caf-dma.example"],
  ])("reads %s as browsers print it: %s", (text, origin) => {
    assert.strictEqual(parse(text), origin)
    assert.strictEqual(new URL(text).origin, origin)
  })

  it.each([
    "shop.example https:// https: ftp://shop.example http://shop.example https://user@shop.example",
    "https://shop.example/ https://shop.example/pay https://shop.example?a https://shop.example#a",
    "https://*.shop.example https://* * null 'self' https://shop.example;script-src",
    "https://shop.example,x https://192.0.2.1 https://2130706433 https://[::1]",
    "https://my_shop.example https://café.example",
  ])("refuses each of %s, in both modes", (texts) => {
    for (const text of ["", texts, ...texts.split(" "), "https://shop.example\n"]) {
      assert.isNull(parse(text), text)
      assert.isNull(parse(text, "test"), text)
    }
  })

  it("accepts http on a developer's machine only for test merchants", () => {
    for (const [text, origin] of [
      ["http://localhost:3000", "http://localhost:3000"],
      ["http://localhost:80", "http://localhost"],
      ["http://shop.localhost", "http://shop.localhost"],
    ] as const) {
      assert.strictEqual(parse(text, "test"), origin)
      assert.isNull(parse(text))
    }
    for (const text of ["http://127.0.0.1:3000", "http://localhost.example", "http://10.0.0.1"]) {
      assert.isNull(parse(text, "test"))
    }
  })

  it.prop(
    "accepts hostile text only if it is one origin and one source of a policy",
    [HostileText.near(["https://shop.example:8443", "http://localhost:3000"])],
    ([text]) => {
      const origin = parse(text, "test")
      if (origin === null) return
      assert.match(origin, /^https?:\/\/[-.a-z0-9]+(?::[0-9]+)?$/u)
      assert.strictEqual(new URL(origin).origin, origin)
      assert.strictEqual(parse(origin, "test"), origin)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
