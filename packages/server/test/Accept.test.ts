import { assert, describe, it } from "@effect/vitest"
import * as Accept from "../src/http/Accept.ts"

describe("Accept.prefersHtml", () => {
  const browsers = [
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "text/html, application/xhtml+xml, */*",
    "text/html",
    "TEXT/HTML ; Q=1",
    "text/html;charset=utf-8, application/json;q=0.9",
    "text/*, */*;q=0.1",
    "application/json;q=0.5, text/html;q=0.501",
    "text/html, application/json;q=0",
    "text/html;q=0.2, text/html, application/json;q=0.3",
  ]
  for (const header of browsers) {
    it(`is true of ${header}`, () => assert.isTrue(Accept.prefersHtml(header)))
  }

  const programs = [
    "",
    "*/*",
    "application/json",
    "application/json, text/plain, */*",
    "text/html;q=0.5, application/json",
    "text/html, application/json",
    "text/html;q=0, */*",
    "text/html;q=0",
    "text/*;q=0.5, application/*;q=0.6",
    "text/html;q=nonsense, application/json;q=0.1",
    "text/html;q=2, */*;q=0.1",
    "image/png",
    ",;,=",
  ]
  for (const header of programs) {
    it(`is false of ${JSON.stringify(header)}`, () => assert.isFalse(Accept.prefersHtml(header)))
  }
})

describe("Accept.ranked", () => {
  it("lists the best first, without refused ones", () => {
    assert.deepStrictEqual(Accept.ranked("en;q=0.5, pt-BR, de;q=0.8, fr;q=0"), [
      "pt-br",
      "de",
      "en",
    ])
  })
})

describe("Accept.includes", () => {
  it("is true if the type has a weight above zero", () => {
    assert.isTrue(Accept.includes("gzip, BR;q=0.1", "br"))
    for (const refused of ["", "gzip", "br;q=0", "br;q=0.000", "brotli"]) {
      assert.isFalse(Accept.includes(refused, "br"), refused)
    }
  })
})
