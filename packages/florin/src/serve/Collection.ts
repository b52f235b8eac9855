/**
 * Which payers must identify themselves, as an operator writes it: `always`, `above:1000.00USD`, or the same for one
 * merchant, `mrch_…=never`.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Amount from "@florin/core/domain/money/Amount"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as WireAmount from "../terminal/WireAmount.ts"

/**
 * The amounts from which on a payer must identify themselves, in minor units of each currency. The payer of anything
 * else must always, because it cannot be compared. Null if nobody must.
 */
type Rule = { readonly [C in Amount.Currency]?: bigint } | null

/** A rule for all merchants, and the rules of single merchants. */
export interface Collection {
  readonly usual: Rule
  readonly ofMerchants: ReadonlyMap<MerchantId.MerchantId, Rule>
}

export const never: Collection = { usual: null, ofMerchants: new Map() }
export const always: Collection = { ...never, usual: {} }

const expected =
  "never, always, or above:1000.00USD, once for each currency; mrch_…= before a rule limits it to that merchant"

const threshold = (text: string): Option.Option<readonly [Amount.Currency, bigint]> => {
  const [, digits = "", currency = ""] = /^above:([0-9.]+)([A-Z]{3})$/u.exec(text) ?? []
  return WireAmount.parse(`${digits} ${currency}`, undefined).pipe(
    Result.flatMap((written) => Amount.read("amount", written, Catalog.empty)),
    Result.getSuccess,
    Option.flatMap(({ quantity, unit }) =>
      // “Above” an amount begins at the next minor unit.
      unit._tag === "Fiat" ? Option.some([unit.currency, quantity + 1n] as const) : Option.none(),
    ),
  )
}

/** One word, or thresholds in different currencies. */
const rule = (texts: ReadonlyArray<string>): Option.Option<Rule> => {
  const [text, ...others] = texts
  if (text === "never" && others.length === 0) return Option.some(never.usual)
  if (text === "always" && others.length === 0) return Option.some(always.usual)
  return Option.all(texts.map(threshold)).pipe(
    Option.filter((all) => new Map(all).size === all.length),
    Option.map((all): Rule => Object.fromEntries(all)),
  )
}

/** The subject of one text: a merchant, or all others. */
const subject = (text: string): string => /^[^=]*(?==)/u.exec(text)?.[0] ?? ""

const decodeMerchantId = Schema.decodeUnknownOption(MerchantId.MerchantId)

export const parse = (texts: ReadonlyArray<string>): Option.Option<Collection> => {
  const { "": usual = ["never"], ...others } = Arr.groupBy(texts, subject)
  const ofMerchants = Object.entries(others).map(([whom, own]) =>
    Option.all([decodeMerchantId(whom), rule(own.map((text) => text.slice(whom.length + 1)))]),
  )
  return Option.all({
    usual: rule(usual),
    ofMerchants: Option.map(Option.all(ofMerchants), (rules) => new Map(rules)),
  })
}

/** Whether any payer may have to identify themselves. */
export const collects = ({ ofMerchants, usual }: Collection): boolean =>
  [usual, ...ofMerchants.values()].some((each) => each !== null)

const policy = (said: Rule) =>
  Effect.provide(
    Effect.service(CollectDataPolicy),
    said === null ? CollectDataPolicy.layerNever : CollectDataPolicy.layerAbove(said),
  )

/** A merchant's own rule takes precedence over the rule for all. */
export const layer = ({ ofMerchants, usual }: Collection): Layer.Layer<CollectDataPolicy> =>
  Layer.effect(
    CollectDataPolicy,
    Effect.gen(function* () {
      const forAll = yield* policy(usual)
      const own = new Map<MerchantId.MerchantId, typeof forAll>()
      for (const [merchantId, said] of ofMerchants) own.set(merchantId, yield* policy(said))
      return CollectDataPolicy.of({
        isNeeded: (question) => (own.get(question.merchantId) ?? forAll).isNeeded(question),
      })
    }),
  )

/** The values of the setting. */
export const kind = { metavar: "RULE", expected, subject, parse }
