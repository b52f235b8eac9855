/**
 * Formats amounts and times for a person. An amount is an integer as text, and never becomes a float: digits are
 * placed, not computed.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import { directionOf, isolate } from "../messages/Messages.ts"

/** A token's amount has at least this many digits after the point, as money has. */
const fractionMin = 2

const currencyOf = (unit: string): string | undefined => /^iso4217\/([A-Z]{3})$/u.exec(unit)?.[1]

/** The CAIP-2 chain of a token's unit; undefined for a currency. */
export const chainOf = (unit: string): string | undefined =>
  /^caip19\/(eip155:[1-9][0-9]*)\//u.exec(unit)?.[1]

/**
 * A number with its unit, as a text that stands apart from the words around it. In a language that is written from
 * right to left, so does the unit from the number: the `$` of `US$` would else be drawn before it.
 */
const joined = (locale: string, write: (unit: (text: string) => string) => string): string =>
  directionOf(locale) === "rtl" ? `\u2067${write(isolate)}\u2069` : write((text) => text)

/**
 * Formats an amount for a locale.
 *
 * @example
 * format({ unit: "iso4217/EUR", value: "1250", display }, "de") // 12,50 €
 */
export const format = ({ unit, value, display }: Amount.Amount, locale: string): string => {
  const ofToken = (number: string) =>
    joined(locale, (written) => `${number} ${written(display.assetSymbol)}`)
  if (!/^[0-9]+$/u.test(value)) return ofToken(value)
  const { decimals } = display
  const digits = value.padStart(decimals + 1, "0")
  const whole = BigInt(digits.slice(0, digits.length - decimals))
  const behind = digits.slice(digits.length - decimals)
  const currency = currencyOf(unit)
  const fraction =
    currency === undefined
      ? behind.replace(/0+$/u, "").padEnd(Math.min(fractionMin, decimals), "0")
      : behind
  const places = fraction === "" ? 0 : 1
  const number = new Intl.NumberFormat(locale, {
    ...(currency === undefined ? {} : { style: "currency", currency }),
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  const digit = new Intl.NumberFormat(locale, { useGrouping: false })
  const localised = Array.from(fraction, (one) => digit.format(BigInt(one))).join("")
  const parts = number.formatToParts(whole)
  const text = (written: (sign: string) => string) =>
    parts
      .map(({ type, value: part }) => {
        if (type === "fraction") return localised
        return type === "currency" ? written(part) : part
      })
      .join("")
  return currency === undefined ? ofToken(text(String)) : joined(locale, text)
}

/** Balances are shown with this many digits after the point. */
const balanceFraction = 4

/** A balance for a person: rounded down, so that it never seems to be more than it is. */
export const formatBalance = (amount: Amount.Amount, locale: string): string => {
  const { decimals } = amount.display
  const cut = decimals - balanceFraction
  return cut <= 0
    ? format(amount, locale)
    : format(
        {
          ...amount,
          value: amount.value.slice(0, -cut) || "0",
          display: { ...amount.display, decimals: balanceFraction },
        },
        locale,
      )
}

/** A sentence with its digits as the locale writes them. The sentence must name nothing that has digits of its own. */
export const withDigits = (sentence: string, locale: string): string => {
  const plain = new Intl.NumberFormat(locale, { useGrouping: false })
  return sentence.replaceAll(/[0-9]/gu, (digit) => plain.format(Number(digit)))
}

/** The time left as a clock: 4:05, 1:04:05, or days and a clock. Never below zero. */
export const countdown = (leftInMs: number, locale: string): string => {
  const seconds = Math.max(0, Math.ceil(leftInMs / 1000))
  const plain = new Intl.NumberFormat(locale, { useGrouping: false })
  const two = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 })
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  const rest = two.format(seconds % 60)
  return hours === 0
    ? `${plain.format(minutes)}:${rest}`
    : `${plain.format(hours)}:${two.format(minutes)}:${rest}`
}

/** A hash or an address without its middle part. */
export const shorten = (hex: string): string =>
  hex.length <= 16 ? hex : `${hex.slice(0, 8)}…${hex.slice(-6)}`
