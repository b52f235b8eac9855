import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Drawings from "../src/pages/Drawings.ts"
import * as Marks from "../src/pages/Marks.ts"

const drawings = Drawings.of(BuiltIn.catalog)
const names = new Set([
  ...Amount.Currency.literals.map(
    (currency) => Amount.display(Amount.fiat(currency), BuiltIn.catalog).icon,
  ),
  ...BuiltIn.catalog.assets.map(
    ({ token }) => Amount.display(Amount.token(token), BuiltIn.catalog).icon,
  ),
  ...BuiltIn.catalog.networks.map(({ icon }) => icon),
  "wallet",
])

const markup =
  /<(?<close>\/?)(?<tag>[a-z]+)(?:\s+[a-z]+(?:-[a-z]+)*="[^"<>&]*")*(?<empty>\/?)>|[^<>&]+/giuy

/** Tags that are open at the end, or undefined where the text is not made of tags and plain text. */
const unclosed = (text: string): ReadonlyArray<string> | undefined => {
  const open: Array<string> = []
  let read = 0
  for (const { 0: whole, groups } of text.matchAll(markup)) {
    read += whole.length
    const tag = groups?.["tag"]
    if (tag === undefined || groups?.["empty"] === "/") continue
    if (groups?.["close"] !== "/") open.push(tag)
    else if (open.pop() !== tag) return undefined
  }
  return read === text.length ? open : undefined
}

describe("Drawings", () => {
  it("have a different picture for every icon that an amount or a buyer can refer to", () => {
    const drawn = Array.from(names, (name) => drawings.get(name))
    assert.notInclude(drawn, undefined)
    assert.strictEqual(new Set(drawn).size, names.size)
    assert.isAbove(names.size, 15)
  })

  it("are well-formed SVG that runs and loads nothing", () => {
    for (const name of names) {
      const svg = drawings.get(name) ?? ""
      assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/u)
      assert.deepStrictEqual(unclosed(svg), [], name)
      assert.notMatch(svg, /<(?!\/?(?:svg|circle|path|rect|text)\b)/u)
      assert.notMatch(
        svg,
        /\s(?:on\w+|href|src|style)\s*=|url\(|:\/\/(?!www\.w3\.org\/2000\/svg")/iu,
      )
    }
  })

  it("are checked for open tags, wrong closing tags and bare ampersands", () => {
    assert.deepStrictEqual(unclosed("<a><b/></a>"), [])
    assert.deepStrictEqual(unclosed("<a><b></b>"), ["a"])
    assert.isUndefined(unclosed("<a><b></a></b>"))
    assert.isUndefined(unclosed("<a>&</a>"))
  })

  it("have lines without letters for every built-in token and network", () => {
    const { assets, networks: all } = BuiltIn.catalog
    const own = [
      ...assets.map(({ symbol }) => symbol.toLowerCase()),
      ...all.map(({ icon }) => icon),
    ]
    for (const name of own) assert.notInclude(drawings.get(name), "<text", name)
    // None is drawn for a name that no token and no network has.
    assert.includeMembers(own, Object.keys(Marks.tokens))
  })

  it("show a test network as its main network, in a frame", () => {
    const base = drawings.get("base") ?? ""
    const [network] = BuiltIn.catalog.networks
    if (network === undefined) return assert.fail("there is no network")
    const networks = [{ ...network, icon: "basesepolia", name: "Base Sepolia" }]
    const baseSepolia = Drawings.of({ ...BuiltIn.catalog, networks }).get("basesepolia") ?? ""
    assert.include(baseSepolia, /d="[^"]+"/u.exec(base)?.[0] ?? assert.fail("base has no line"))
    assert.include(baseSepolia, "stroke-dasharray")
    assert.notInclude(base, "stroke-dasharray")
  })

  it("keep the letters of an unknown token inside its ring, in every font", () => {
    const [asset] = BuiltIn.catalog.assets
    if (asset === undefined) return assert.fail("there is no token")
    for (const symbol of ["DAI", "constructor", "A-LONG-SYMBOL"]) {
      const other = { ...BuiltIn.catalog, assets: [{ ...asset, symbol }] }
      const svg = Drawings.of(other).get(symbol.toLowerCase()) ?? ""
      const ring = Number(/<circle [^>]*r="(\d+)" fill="none"/u.exec(svg)?.[1])
      const width = Number(/textLength="(\d+)" lengthAdjust="spacingAndGlyphs"/u.exec(svg)?.[1])
      const height = Number(/font-size="(\d+)"/u.exec(svg)?.[1])
      assert.isBelow(Math.hypot(width, height), 2 * ring, svg)
      assert.include(svg, `>${symbol}<`)
    }
  })

  it("do not exist for other names", () => {
    for (const name of ["", "?", "USDC", "usdc.svg", "../usdc", "constructor"]) {
      assert.isUndefined(drawings.get(name))
    }
  })
})
