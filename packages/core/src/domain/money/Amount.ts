/**
 * An amount: a quantity of a unit, where a unit is a fiat currency or a token we accept.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Caip from "../chain/Caip.ts"
import * as Catalog from "../chain/Catalog.ts"
import * as Family from "../chain/Family.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Malformed from "../ground/Malformed.ts"
import * as Money from "../ground/Money.ts"

/**
 * Fiat currencies in which a payment can be requested, with the decimals of their minor unit (ISO 4217): those of our
 * tokens' pegs, and those for which the European Central Bank publishes a reference rate.
 */
export const currencies = {
  USD: { name: "US Dollar", decimals: 2 },
  EUR: { name: "Euro", decimals: 2 },
  GBP: { name: "Pound Sterling", decimals: 2 },
  CHF: { name: "Swiss Franc", decimals: 2 },
  JPY: { name: "Yen", decimals: 0 },
  AUD: { name: "Australian Dollar", decimals: 2 },
  BRL: { name: "Brazilian Real", decimals: 2 },
  CAD: { name: "Canadian Dollar", decimals: 2 },
  CNY: { name: "Yuan Renminbi", decimals: 2 },
  CZK: { name: "Czech Koruna", decimals: 2 },
  DKK: { name: "Danish Krone", decimals: 2 },
  HKD: { name: "Hong Kong Dollar", decimals: 2 },
  HUF: { name: "Forint", decimals: 2 },
  IDR: { name: "Rupiah", decimals: 2 },
  ILS: { name: "New Israeli Sheqel", decimals: 2 },
  INR: { name: "Indian Rupee", decimals: 2 },
  ISK: { name: "Iceland Krona", decimals: 0 },
  KRW: { name: "Won", decimals: 0 },
  MXN: { name: "Mexican Peso", decimals: 2 },
  MYR: { name: "Malaysian Ringgit", decimals: 2 },
  NOK: { name: "Norwegian Krone", decimals: 2 },
  NZD: { name: "New Zealand Dollar", decimals: 2 },
  PHP: { name: "Philippine Peso", decimals: 2 },
  PLN: { name: "Zloty", decimals: 2 },
  RON: { name: "Romanian Leu", decimals: 2 },
  SEK: { name: "Swedish Krona", decimals: 2 },
  SGD: { name: "Singapore Dollar", decimals: 2 },
  THB: { name: "Baht", decimals: 2 },
  TRY: { name: "Turkish Lira", decimals: 2 },
  ZAR: { name: "Rand", decimals: 2 },
} as const

export type Currency = keyof typeof currencies
export const Currency = Schema.Literals(Struct.keys(currencies))

export type Unit = typeof Unit.Type
export const Unit = Schema.TaggedUnion({
  Fiat: { currency: Currency },
  Token: { token: Caip.Token },
})
export type Fiat = Extract<Unit, { readonly _tag: "Fiat" }>

export interface Amount extends Schema.Schema.Type<typeof Amount> {}
export const Amount = Schema.Struct({ unit: Unit, quantity: Money.Quantity })

/** An amount of a currency. */
export interface OfCurrency extends Schema.Schema.Type<typeof OfCurrency> {}
export const OfCurrency = Schema.Struct({ currency: Currency, quantity: Money.Quantity })

/** What a person sees next to the number. Icons are names of drawings that the server serves. */
export interface Display {
  readonly assetName: string
  readonly assetSymbol: string
  readonly decimals: number
  readonly icon: string
  readonly network?: { readonly name: string; readonly icon: string }
}

export const fiat = (currency: Currency): Unit => ({ _tag: "Fiat", currency })
export const token = (of: Caip.Token): Unit => ({ _tag: "Token", token: of })

export const isCurrency = (text: string): text is Currency => Object.hasOwn(currencies, text)

/** Reads a unit: `iso4217/USD`, or `caip19/` and the CAIP-19 id of a token. */
export const parseUnit = (
  text: string,
  catalog: Catalog.Catalog,
): Result.Result<Unit, Malformed.Malformed> => {
  if (text.startsWith("iso4217/")) {
    const currency = text.slice("iso4217/".length)
    return isCurrency(currency)
      ? Result.succeed(fiat(currency))
      : Malformed.fail(
          `the currency is not supported: use one of ${Object.keys(currencies).join(", ")}`,
        )
  }
  if (text.startsWith("caip19/")) {
    return Result.map(Catalog.parseServed(catalog, text.slice("caip19/".length)), token)
  }
  return Malformed.fail("a unit is iso4217/<currency> or caip19/<chain>/<namespace>:<contract>")
}

export const formatUnit = (unit: Unit, known: Family.Known): string =>
  unit._tag === "Fiat"
    ? `iso4217/${unit.currency}`
    : `caip19/${Family.formatToken(known, unit.token)}`

/** Reads a field that holds an amount. Zero is allowed, because a fee can be zero. */
export const read = (
  field: string,
  input: { readonly unit: string; readonly value: string },
  catalog: Catalog.Catalog,
): Result.Result<Amount, Invalid.InvalidInput> =>
  Result.flatMap(Invalid.at(`${field}.unit`, parseUnit(input.unit, catalog)), (unit) =>
    Result.map(Invalid.at(`${field}.value`, Money.parse(input.value)), (quantity) => ({
      unit,
      quantity,
    })),
  )

/** Reads a field that must be more than zero. */
export const readPositive: typeof read = (field, input, catalog) =>
  Result.filterOrFail(
    read(field, input, catalog),
    ({ quantity }) => quantity > 0n,
    () => Invalid.of(`${field}.value`, "must be more than zero"),
  )

export const format = (
  amount: Amount,
  known: Family.Known,
): { readonly unit: string; readonly value: string } => ({
  unit: formatUnit(amount.unit, known),
  value: Money.format(amount.quantity),
})

export const sameUnit = (left: Unit, right: Unit): boolean =>
  left._tag === "Fiat"
    ? right._tag === "Fiat" && left.currency === right.currency
    : right._tag === "Token" && Caip.sameToken(left.token, right.token)

/** How many decimals a unit has. The amount of an unknown token is in its smallest unit. */
export const decimals = (unit: Unit, catalog: Catalog.Catalog): number =>
  unit._tag === "Fiat"
    ? currencies[unit.currency].decimals
    : (catalog.find(unit.token)?.decimals ?? 0)

export const display = (unit: Unit, catalog: Catalog.Catalog): Display => {
  if (unit._tag === "Fiat") {
    const currency = currencies[unit.currency]
    return {
      assetName: currency.name,
      assetSymbol: unit.currency,
      decimals: currency.decimals,
      icon: unit.currency.toLowerCase(),
    }
  }
  const asset = catalog.find(unit.token)
  const network = catalog.network(unit.token.chainId)
  const symbol = asset?.symbol ?? "?"
  return {
    assetName: asset?.name ?? Family.formatToken(catalog, unit.token),
    assetSymbol: symbol,
    decimals: asset?.decimals ?? 0,
    icon: symbol.toLowerCase(),
    ...(network && { network: { name: network.name, icon: network.icon } }),
  }
}

/**
 * An amount as a person reads it: fiat with all its decimals, tokens with at least two.
 *
 * @example
 * Amount.toText({ unit: Amount.fiat("USD"), quantity }, catalog) // "12.30 USD"
 */
export const toText = ({ quantity, unit }: Amount, catalog: Catalog.Catalog): string => {
  const { assetSymbol, decimals: places } = display(unit, catalog)
  const kept = unit._tag === "Fiat" ? places : Math.min(places, 2)
  return `${Money.toDecimal(quantity, places, kept)} ${assetSymbol}`
}

const writtenPattern = /^([0-9]{1,12})(?:\.([0-9]{1,3}))? ([A-Z]{3})$/u

/**
 * Reads amounts of currencies as an operator writes them, with as many decimals as the currency has, or fewer.
 * `expected` is the error for any other text.
 *
 * @example
 * Amount.parseWritten("credit", "1000 USD, 0.50 EUR", "must be amounts")
 */
export const parseWritten = (
  field: string,
  text: string,
  expected: string,
): Result.Result<ReadonlyArray<OfCurrency>, Invalid.InvalidInput> =>
  Result.all(
    text.split(",").map((each): Result.Result<OfCurrency, Invalid.InvalidInput> => {
      const [, whole = "", fraction = "", currency = ""] = writtenPattern.exec(each.trim()) ?? []
      if (!isCurrency(currency)) return Invalid.fail(field, expected)
      const { decimals: most } = currencies[currency]
      if (fraction.length > most) {
        return Invalid.fail(field, `must have at most ${most} decimals in ${currency}`)
      }
      const minor = BigInt(whole + fraction.padEnd(most, "0"))
      return Result.succeed({ currency, quantity: Money.clamp(minor, Money.largest) })
    }),
  )

/** The text that {@link parseWritten} reads. */
export const formatWritten = (amounts: ReadonlyArray<OfCurrency>): string =>
  amounts
    .map(({ currency, quantity }) => toText({ unit: fiat(currency), quantity }, Catalog.empty))
    .join(", ")
