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
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as WireAmount from "../terminal/WireAmount.ts"

type Thresholds = { readonly [C in Amount.Currency]?: bigint }

type Rule =
  | { readonly _tag: "Never" }
  | { readonly _tag: "Always" }
  /** In minor units of each currency. A payer of a larger amount must identify themselves. */
  | { readonly _tag: "Above"; readonly thresholds: Thresholds }

/** A rule for all merchants, and the rules of single merchants. */
export interface Collection {
  readonly usual: Rule
  readonly ofMerchants: ReadonlyMap<MerchantId.MerchantId, Rule>
}

export const never: Collection = { usual: { _tag: "Never" }, ofMerchants: new Map() }
export const always: Collection = { ...never, usual: { _tag: "Always" } }

const expected =
  "never, always, or above:1000.00USD, once for each currency; mrch_…= before a rule limits it to that merchant"

const threshold = (text: string): Option.Option<Thresholds> => {
  const [, digits = "", currency = ""] = /^([0-9.]+)([A-Z]{3})$/u.exec(text) ?? []
  return WireAmount.parse(`${digits} ${currency}`, undefined).pipe(
    Result.flatMap((written) => Amount.read("amount", written, Catalog.empty)),
    Result.getSuccess,
    Option.flatMap(({ quantity, unit }) =>
      unit._tag === "Fiat" ? Option.some({ [unit.currency]: quantity }) : Option.none(),
    ),
  )
}

const rule = (text: string): Option.Option<Rule> => {
  if (text === "never") return Option.some({ _tag: "Never" })
  if (text === "always") return Option.some({ _tag: "Always" })
  return text.startsWith("above:")
    ? Option.map(threshold(text.slice("above:".length)), (thresholds) => ({
        _tag: "Above",
        thresholds,
      }))
    : Option.none()
}

/** Two rules can only be combined if they are thresholds in different currencies. */
const both = (left: Rule, right: Rule): Option.Option<Rule> =>
  left._tag === "Above" &&
  right._tag === "Above" &&
  !Object.keys(right.thresholds).some((currency) => Object.hasOwn(left.thresholds, currency))
    ? Option.some({ _tag: "Above", thresholds: { ...left.thresholds, ...right.thresholds } })
    : Option.none()

/** The subject of one text: a merchant, or all others. */
const subject = (text: string): string => /^[^=]*(?==)/u.exec(text)?.[0] ?? ""

const decodeMerchantId = Schema.decodeUnknownOption(MerchantId.MerchantId)

export const parse = (texts: ReadonlyArray<string>): Option.Option<Collection> => {
  let usual: Rule | undefined
  const ofMerchants = new Map<MerchantId.MerchantId, Rule>()
  for (const text of texts) {
    const whom = subject(text)
    const merchantId = whom === "" ? undefined : Option.getOrUndefined(decodeMerchantId(whom))
    const said = rule(whom === "" ? text : text.slice(whom.length + 1))
    if (Option.isNone(said) || (whom !== "" && merchantId === undefined)) return Option.none()
    const before = merchantId === undefined ? usual : ofMerchants.get(merchantId)
    const now = before === undefined ? said : both(before, said.value)
    if (Option.isNone(now)) return Option.none()
    if (merchantId === undefined) usual = now.value
    else ofMerchants.set(merchantId, now.value)
  }
  return Option.some({ usual: usual ?? never.usual, ofMerchants })
}

/** Whether any payer may have to identify themselves. */
export const collects = ({ ofMerchants, usual }: Collection): boolean =>
  [usual, ...ofMerchants.values()].some(({ _tag }) => _tag !== "Never")

const layerOf = (said: Rule): Layer.Layer<CollectDataPolicy> => {
  switch (said._tag) {
    case "Never":
      return CollectDataPolicy.layerNever
    case "Always":
      return CollectDataPolicy.layerAlways
    case "Above":
      // The policy applies from an amount on, so “above” an amount begins at the next minor unit.
      return CollectDataPolicy.layerAbove(
        Object.fromEntries(
          Object.entries(said.thresholds).map(([currency, most]) => [currency, most + 1n]),
        ),
      )
  }
}

const policy = (said: Rule) => Effect.provide(Effect.service(CollectDataPolicy), layerOf(said))

/**
 * A merchant's own rule takes precedence over the rule for all. If a rule has thresholds, but none in the currency of a
 * payment, or the payment is priced in a token, the payer must identify themselves.
 */
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
