import { assert, describe, it } from "@effect/vitest"
import * as Likeness from "@florin/core/domain/partner/Likeness"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as HostileText from "@florin/testing/HostileText"

const { confusables } = Fixtures
const of = (name: string) => Likeness.of(name, confusables)
const isAlike = (one: string, other: string) => Likeness.isAlike(of(one), of(other))

describe("Likeness.skeleton", () => {
  it("decomposes, drops invisible characters, maps look-alikes, and decomposes again", () => {
    const asked: Array<string> = []
    const skeleton = Likeness.skeleton("\u00e9\u200b\ufeff\u00adx\u2064", (text) => {
      asked.push(text)
      return text.replace("x", "\u00fc")
    })
    assert.deepStrictEqual(asked, ["e\u0301x"])
    assert.strictEqual(skeleton, "e\u0301u\u0308")
  })
})

describe("Likeness.of", () => {
  it.each([
    ["Cyrillic letters", "рауpаl", "paypal"],
    ["a capital I for an l", "PayPaI", "PayPal"],
    ["rn for m", "rnicrosoft", "microsoft"],
    ["digits for letters", "G00g1e", "Google"],
    ["another case", "WIKI", "Wiki"],
    ["another case with an l for an i", "WIKl", "wiki"],
    ["another case of another script", "ΣΊΓΜΑΣ", "σίγμας"],
    ["a letter that is two in capitals", "Straße", "STRASSE"],
    ["full-width letters", "ｄｅｐｏｔ", "Depot"],
    ["what is not drawn", "pay\u200bpal\u2060", "paypal"],
    ["accents", "p\u0301a\u0323ypal", "paypal"],
    ["spaces and punctuation", "Pay-Pal, !", "paypal"],
    ["signs", "PayPal\u00ae", "paypal"],
  ])("S21: recognizes an imitation of a name with %s", (_, imitation, name) => {
    assert.isTrue(isAlike(imitation, name))
    assert.isTrue(isAlike(name, imitation))
  })

  it.each([
    ["Corner Shop", "Corner Stop"],
    ["Shop", "Shops"],
    ["!!!", "???"],
    ["バナ", "ハナ"],
    ["", "a"],
  ])("distinguishes %s and %s", (one, other) => {
    assert.isFalse(isAlike(one, other))
    assert.isTrue(isAlike(one, one))
    assert.isTrue(isAlike(other, other))
  })

  it("is one text if a name looks like what it says", () => {
    assert.deepStrictEqual(of("Corner Shop 24"), ["cornershop24"])
    assert.lengthOf(of("ｄｅｐｏｔ"), 2)
  })

  it.prop(
    "finds any text similar to itself",
    [HostileText.near(["PayPal", "Сбербанк", "Corner Shop"])],
    ([text]) => {
      const likenesses = of(text)
      assert.isAtLeast(likenesses.length, 1)
      assert.isTrue(Likeness.isAlike(likenesses, of(text)))
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
