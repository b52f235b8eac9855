/**
 * The icons that amounts and buyers name, drawn by us, never a third party's logo. A currency is a coin with its sign,
 * a token a coin, a network a tile. Tokens and networks that we do not know have their letters.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Remembered from "@florin/core/domain/ground/Remembered"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Marks from "./Marks.ts"

const coin = `<circle cx="32" cy="32" r="32"/>`
const ring = `<circle cx="32" cy="32" r="28" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="2"/>`
const tile = `<rect width="64" height="64" rx="14"/>`

/** The hue for a name, always dark enough for white letters. */
const hue = (name: string): number =>
  Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)

const signSize = `font-size="30"`
/** The text has the same width in every font, so that no letter reaches the ring. */
const insideRing = (letters: string): string =>
  `font-size="${Math.floor(64 / letters.length)}" textLength="42" lengthAdjust="spacingAndGlyphs"`

const svg = (label: string, fill: string, shapes: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="${label}" fill="${fill}">${shapes}</svg>`

/** A name, with its drawing in letters. */
const letter = (
  name: string,
  letters: string,
  shapes: string,
  size = signSize,
): readonly [string, string] => [
  name,
  svg(
    letters,
    `hsl(${hue(name)} 60% 30%)`,
    `${shapes}<text x="32" y="32" dy=".36em" fill="#fff" font-family="system-ui, sans-serif" ${size} font-weight="600" text-anchor="middle">${letters}</text>`,
  ),
]

const frame = `<rect x="4" y="4" width="56" height="56" rx="11" fill="none" stroke="#fff" stroke-width="4" stroke-dasharray="8 6"/>`

const mark = (
  label: string,
  ground: string,
  { ground: fill, ink = "#fff", line, solid, width = 5 }: Marks.Mark,
  around = "",
): string => {
  const filled = solid === undefined ? "" : `<path fill="${ink}" d="${solid}"/>`
  const drawn =
    line === undefined
      ? ""
      : `<path fill="none" stroke="${ink}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" d="${line}"/>`
  return svg(label, fill, ground + filled + drawn + around)
}

/** A value of a table by a name that an operator may have chosen. */
const known = <A>(table: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const token = (symbol: string): readonly [string, string] => {
  const name = symbol.toLowerCase()
  const found = known(Marks.tokens, name)
  return found === undefined
    ? letter(name, symbol, coin + ring, insideRing(symbol))
    : [name, mark(symbol, coin, found)]
}

const network = (icon: string, name: string): readonly [string, string] => {
  const stoodFor = known(Marks.testNetworks, icon)
  const found = known(Marks.networks, stoodFor ?? icon)
  return found === undefined
    ? letter(icon, name.slice(0, 2), tile)
    : [icon, mark(name.slice(0, 2), tile, found, stoodFor === undefined ? "" : frame)]
}

const signs: { readonly [C in Amount.Currency]: string } = {
  USD: "$",
  EUR: "€",
  GBP: "£",
  CHF: "Fr",
  JPY: "¥",
  AUD: "A$",
  BRL: "R$",
  CAD: "C$",
  CNY: "CN¥",
  CZK: "Kč",
  DKK: "kr",
  HKD: "HK$",
  HUF: "Ft",
  IDR: "Rp",
  ILS: "₪",
  INR: "₹",
  ISK: "kr",
  KRW: "₩",
  MXN: "MX$",
  MYR: "RM",
  NOK: "kr",
  NZD: "NZ$",
  PHP: "₱",
  PLN: "zł",
  RON: "lei",
  SEK: "kr",
  SGD: "S$",
  THB: "฿",
  TRY: "₺",
  ZAR: "R",
}

/**
 * The drawings of a catalog as SVG, by the names of icons.
 *
 * @example
 * Drawings.of(catalog).get("usdc")
 */
export const of: (catalog: Catalog.Catalog) => ReadonlyMap<string, string> = Remembered.memoize(
  ({ assets, networks }) =>
    new Map([
      ...assets.map(({ symbol }) => token(symbol)),
      ...networks.map(({ icon, name }) => network(icon, name)),
      // Last, so that no added token or network takes the sign of a currency, or the wallet.
      ...Amount.Currency.literals.map((currency) => {
        const sign = signs[currency]
        const size = sign.length > 2 ? insideRing(sign) : signSize
        return letter(currency.toLowerCase(), sign, coin, size)
      }),
      ["wallet", mark("Wallet", tile, Marks.wallet)],
    ]),
)
