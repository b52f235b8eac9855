/**
 * The environment variables that commands read, besides the settings of `florin serve`.
 *
 * @module
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Each that a command reads is here, because {@link read} takes no other. */
export const names = [
  "FLORIN_API_KEY",
  "FLORIN_MERCHANT_ID",
  "FLORIN_OPERATOR_KEY",
  "FLORIN_OPERATOR_URL",
  "FLORIN_PAY_LINK_HOST",
  "FLORIN_URL",
  "FLORIN_WALLET_KEY",
  "FLORIN_WEBHOOK_SECRET",
] as const

export type Name = (typeof names)[number]

/** The value of a variable; none if it is empty. */
export const read = (name: Name) =>
  Config.String(name).pipe(Config.option, Effect.map(Option.filter((text) => text.trim() !== "")))
