/**
 * The sources of prices, as an operator writes them: feeds, tables and peg guards.
 *
 * @module
 */
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type { PegGuard } from "@florin/core/ports/QuoteSource"
import type * as PriceFeeds from "@florin/evm/PriceFeeds"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Setting from "./Setting.ts"

const minuteInMs = 60 * 1000
const hourInMs = 60 * minuteInMs

/** A contract on a chain, each in the usual notation: `8453` and `0x…`. */
const contract = (chainId = "", address = "") =>
  Option.all({
    chainId: Result.getSuccess(Eip155.parseChain(`eip155:${chainId}`)),
    address: Result.getSuccess(Eip155.parseAddress(address)),
  })

const feedPattern =
  /^([A-Z][A-Z0-9]{1,11})\.([A-Z][A-Z0-9]{1,11})=([1-9][0-9]{0,9}):(0x[0-9a-fA-F]{40})\/([1-9][0-9]{0,3})([mh])$/u

/** `EUR.USD=1:0x…/25h`. */
export const feed = {
  metavar: "FEED",
  expected:
    "a pair, the chain and the address of its feed, and how old its price may be, such as EUR.USD=1:0xb49f677943BC038e9857d61E7d053CaA2C1734C1/25h, in hours or minutes (90m)",
  read: (text: string): Option.Option<PriceFeeds.Feed> => {
    const [, base = "", quote = "", chainId, address, age, unit] = feedPattern.exec(text) ?? []
    const maxAgeInMs = Number(age) * (unit === "h" ? hourInMs : minuteInMs)
    return base === quote
      ? Option.none()
      : Option.map(contract(chainId, address), (at) => ({ base, quote, ...at, maxAgeInMs }))
  },
}

/** `8453=0x…`. */
export const sequencer = {
  metavar: "CHAIN=ADDRESS",
  expected:
    "a chain's id and the address of the feed that says whether its sequencer runs, such as 8453=0xBCF85224fc0756B9Fa45aA7892530B47e10b6433",
  read: (text: string): Option.Option<PriceFeeds.Sequencer> => {
    const [, chainId, address] = /^([1-9][0-9]{0,9})=(0x[0-9a-fA-F]{40})$/u.exec(text) ?? []
    return contract(chainId, address)
  },
}

/** `USDC=100`, each token once. */
export const guard = {
  metavar: "TOKEN=BPS",
  expected:
    "a token's symbol, once, and how many basis points it may be off its peg, from 1 to 5000, such as USDC=100 for 1 %",
  parse: Setting.bySubject(
    (text) => {
      const [, symbol, digits] = /^([A-Z][A-Z0-9]{1,11})=([1-9][0-9]{0,3})$/u.exec(text) ?? []
      return symbol === undefined || Number(digits) > 5000
        ? Option.none()
        : Option.some([symbol, Number(digits)] as const)
    },
    (rows): PegGuard => new Map(rows),
  ),
}

const isUsable = (url: string): boolean =>
  /^https?:/u.test(url) && Result.isSuccess(Webhook.parseUrl(url, { allowPrivate: true }))

/** A file or a URL. A URL on the public internet must use HTTPS: otherwise anybody on the path could set our prices. */
export const file = {
  metavar: "FILE|URL",
  expected:
    "the name of a file, or an https URL, such as https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml",
  read: (text: string): Option.Option<string> =>
    text !== "" && (!text.includes("://") || isUsable(text)) ? Option.some(text) : Option.none(),
  mayHoldPassword: true,
} as const
