import { assert, describe, it } from "@effect/vitest"
import * as Likeness from "@florin/core/domain/partner/Likeness"
import { Confusables } from "@florin/core/ports/Confusables"
import { Effect } from "effect"
import * as Unicode from "../src/edge/Confusables.ts"

const table = await Effect.runPromise(Effect.provide(Effect.flatten(Confusables), Unicode.layer))

describe("Confusables", () => {
  // From TS #39 and its confusables.txt.
  it.each([
    ["раураl", "paypal"],
    ["𝔭𝒶ỿ𝕡𝕒ℓ", "paypal"],
    ["ѕсоре", "scope"],
    ["m", "rn"],
    ["1I|l", "llll"],
    ["0O", "OO"],
    ["ﬁ", "fi"],
    ["æ", "ae"],
    ["ø", "o\u0338"],
    ["é", "e\u0301"],
    ["pay\u200bp\u00adal", "paypal"],
    ["ap\u1f00", "apa\u0313"],
    ["Corner Shop", "Corner Shop"],
  ])(
    "reduce %s to the form %s in which look-alikes are equal (Unicode TS #39)",
    (text, skeleton) => {
      assert.strictEqual(Likeness.skeleton(text, table), skeleton)
    },
  )

  it.each([
    ["раураl", "PayPal"],
    ["РАУРАL", "paypal"],
    ["PayPaI", "PayPal"],
    ["ＰａｙＰａｌ", "PayPal"],
    ["Ｍｉｃｒｏｓｏｆｔ", "rnicrosoft"],
    ["p\u0301ay\u0323pal", "paypal"],
    ["Amaz0n", "Amazon"],
    ["Αmazоn™", "amazon"],
    ["СБЕРБАНК", "Сбербанк"],
  ])("S21: treat %s as an imitation of %s", (imitation, name) => {
    assert.isTrue(Likeness.isAlike(Likeness.of(imitation, table), Likeness.of(name, table)))
  })

  it.each([
    ["Corner Shop", "Corner Stop"],
    ["Zürich Wine", "Zürich Vine"],
    ["हिन्दी", "हन्द"],
    ["東京", "京都"],
  ])("distinguish %s from %s", (one, other) => {
    assert.isFalse(Likeness.isAlike(Likeness.of(one, table), Likeness.of(other, table)))
  })
})
