/**
 * The person who reads: their language, and how they write numbers and times.
 *
 * @module
 */
import type { Amount } from "@florin/api/wire/Amount"
import * as Amounts from "@florin/pages/Amounts"
import * as Translation from "@florin/pages/Translation"
import * as TypedAmount from "@florin/pages/TypedAmount"
import * as Messages from "./Messages.ts"

const wishes = Translation.preferredTags(location.search, navigator.languages)
const languages = ["en", "de"]

/** The language of all texts. */
export const language = Translation.choose(languages, wishes) ?? "en"
export const locale = Translation.localeOf(language, wishes)
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Takes the texts of another language over into these. */
const takeOver = (texts: object, others: object): void => {
  for (const [key, other] of Object.entries(others)) {
    const own: unknown = Reflect.get(texts, key)
    if (typeof own === "object" && own !== null) takeOver(own, other)
    else Reflect.set(texts, key, other)
  }
}

const loading: Array<Promise<void>> = []

/**
 * Makes the texts of a part: English is in the script, and German is a file that begins to load with the part. The texts
 * stay the same objects, so that a screen can keep them.
 */
export const part = <File extends object>(
  english: File,
  german: () => Promise<{ readonly default: File }>,
): Messages.Texts<File> => {
  const texts = Messages.textsOf(english, "en")
  const load = async () => takeOver(texts, Messages.textsOf((await german()).default, "de"))
  // Without its file, the console is in English.
  if (language === "de") loading.push(load().catch(() => undefined))
  return texts
}

/** Waits until the parts that were made have their texts: before the first screen. */
export const partsLoaded = (): Promise<unknown> => Promise.all(loading)

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" })
const number = new Intl.NumberFormat(locale)
const rough = new Intl.NumberFormat(locale, { maximumSignificantDigits: 4 })

type Time = string | number

/** A day and a time of day. */
export const time = (at: Time): string => dateTime.format(new Date(at))
export const day = (at: Time): string => date.format(new Date(at))
export const count = (value: number): string => number.format(value)
/** A number of any size by its first digits. */
export const about = (value: number): string => rough.format(value)

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const

/** The largest unit that a time has one of. */
const unitOf = (seconds: number) =>
  units.find(([, each]) => Math.abs(seconds) >= each) ?? (["second", 1] as const)

/** How long ago or ahead a time is, such as `5 min. ago`; a day if that is more than a week. */
export const ago = (at: Time): string => {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000
  if (Math.abs(seconds) > 7 * 86_400) return day(at)
  const [unit, size] = unitOf(seconds)
  return relative.format(Math.trunc(seconds / size), unit)
}

/** How long something takes, such as `30 sec`. */
export const duration = (ms: number): string => {
  const [unit, size] = unitOf(ms / 1000)
  const style = { style: "unit", unit, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, style).format(ms / 1000 / size)
}

/** An amount, which may be below zero, as sums of the ledger may. */
export const amount = ({ value, ...of }: Amount): string => {
  const sign = value.startsWith("-") ? "\u2212" : ""
  return `${sign}${Amounts.format({ ...of, value: value.replace("-", "") }, locale)}`
}

/** Token and network, such as `USDC · Base`. */
export const token = ({ assetSymbol, networkName }: Partial<Amount["display"]>): string =>
  [assetSymbol, networkName].filter((text) => text !== undefined).join(" · ")

/** An amount of a currency's smallest unit. */
export const price = (value: string, currency: string): string => {
  const decimals = TypedAmount.digitsOf(currency)
  const display = { assetName: currency, assetSymbol: currency, decimals }
  return amount({ unit: `iso4217/${currency}`, value, display })
}

/** An amount in the currency's main unit, as statistics have it. */
export const money = (value: number, currency: string): string => {
  try {
    return new Intl.NumberFormat(locale, { style: "currency", currency }).format(value)
  } catch {
    return `${number.format(value)} ${currency}`
  }
}

/** An account, an address or a hash without its middle part. */
export const short = (text: string): string => Amounts.shorten(text.split(":").at(-1) ?? text)
