import { assert, describe, it } from "@effect/vitest"
import * as BrandColor from "@florin/core/domain/partner/BrandColor"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Schema from "effect/Schema"

const colorOf = (text: string): BrandColor.BrandColor =>
  BrandColor.parse(text) ?? assert.fail(`${text} is a color`)

const format = (rgb: number) => colorOf(`#${rgb.toString(16).padStart(6, "0")}`)

const schemes = ["light", "dark"] as const

const assertReadable = (color: BrandColor.BrandColor) => {
  for (const scheme of schemes) {
    const { accent, button, onButton } = BrandColor.palette(color, scheme)
    assert.strictEqual(button, color)
    assert.isAtLeast(BrandColor.contrast(onButton, button), 4.5, `text on ${color}`)
    const surface = BrandColor.surfaces[scheme]
    assert.isAtLeast(BrandColor.contrast(accent, surface), 4.5, `${color} as ${accent}, ${scheme}`)
    assert.strictEqual(BrandColor.parse(accent), accent)
    if (BrandColor.contrast(color, surface) >= 4.5) assert.strictEqual(accent, color)
  }
}

describe("BrandColor.parse", () => {
  it("accepts # and six hexadecimal digits, and writes them in lower case", () => {
    assert.strictEqual(BrandColor.parse("#1F6FeB"), "#1f6feb")
    assert.strictEqual(BrandColor.parse("#000000"), "#000000")
  })

  it.prop(
    "accepts no other text",
    [HostileText.near(["#1f6feb", "#fff", "red", "rgb(1,2,3)", "#1f6feb;background:url(//x)"])],
    ([text]) =>
      assert.strictEqual(
        BrandColor.parse(text),
        /^#[0-9a-fA-F]{6}$/u.test(text) ? text.toLowerCase() : undefined,
      ),
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 100_000 }) } },
  )
})

describe("BrandColor.contrast", () => {
  it.each([
    ["#000000", "#ffffff", 21],
    ["#ffffff", "#ffffff", 1],
    ["#767676", "#ffffff", 4.54],
    ["#777777", "#ffffff", 4.48],
    ["#0000ff", "#ffffff", 8.59],
    ["#ff0000", "#000000", 5.25],
  ])("equals WCAG's contrast: %s and %s have %d", (one, other, expected) => {
    assert.approximately(BrandColor.contrast(one, other), expected, 0.005)
    assert.strictEqual(BrandColor.contrast(one, other), BrandColor.contrast(other, one))
  })
})

describe("BrandColor.palette", () => {
  it.each([
    ["#1f4e8c", "light", "#ffffff", "#1f4e8c"],
    ["#ffcc00", "light", "#000000", "#907300"],
    ["#000000", "dark", "#ffffff", "#828282"],
    ["#131c19", "dark", "#ffffff", "#7e8382"],
  ] as const)(
    "draws %s in the %s scheme with %s text, and uses %s as accent",
    (own, scheme, text, accent) => {
      assert.deepStrictEqual(BrandColor.palette(colorOf(own), scheme), {
        button: own,
        onButton: text,
        accent,
      })
    },
  )

  it("is readable in both schemes, for every color", () => {
    for (let red = 0; red < 256; red += 15) {
      for (let green = 0; green < 256; green += 15) {
        for (let blue = 0; blue < 256; blue += 15) {
          assertReadable(format(red * 65_536 + green * 256 + blue))
        }
      }
    }
    // The greys around the least contrast to black and white.
    for (let grey = 0; grey < 256; grey += 1) assertReadable(format(grey * 65_793))
  })

  it.prop(
    "is readable in both schemes, also for random colors",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xff_ff_ff }))],
    ([rgb]) => assertReadable(format(rgb)),
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 500_000 }) } },
  )
})
