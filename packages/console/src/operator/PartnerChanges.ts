/**
 * What a person can change of a partner, as texts, and the request that changes it.
 *
 * @module
 */
import type * as Partner from "@florin/api/wire/Partner"

export const modes = ["live", "test"] as const

/** What a person can change, as texts by their names in the API. An empty text removes a limit. */
export const valuesOf = (partner: Partner.Partner): { readonly [field: string]: string } => ({
  name: partner.name,
  "fees.percentage": partner.fees.percentage,
  payouts: partner.payouts ?? "",
  ...Object.fromEntries(
    modes.flatMap((mode) =>
      Object.entries(partner.limits[mode]).map(([name, limit]) => [
        `limits.${mode}.${name}`,
        limit === false ? "" : `${limit ?? ""}`,
      ]),
    ),
  ),
  "credit.test": partner.credit.test ?? "",
  "credit.live": partner.credit.live ?? "",
})

type Value = string | boolean | null
interface Members {
  readonly [member: string]: Value | Members
}

/** Members with points in their names, as objects in each other. */
const nested = (members: ReadonlyArray<readonly [name: string, value: Value]>): Members =>
  Object.fromEntries(
    [...Map.groupBy(members, ([name]) => name.split(".")[0] ?? name)].map(([name, own]) => {
      const inner = own.filter(([each]) => each !== name)
      return inner.length === 0
        ? [name, own[0]?.[1] ?? null]
        : [name, nested(inner.map(([each, value]) => [each.slice(name.length + 1), value]))]
    }),
  )

/** The members that changed, nested as the API has them. */
export const of = (
  before: { readonly [field: string]: string },
  after: { readonly [field: string]: string },
): object =>
  nested(
    Object.entries(after).flatMap(([field, text]): Parameters<typeof nested>[0] => {
      if (before[field] === text) return []
      if (field.endsWith(".netsMerchants")) return [[field, text === "true"]]
      const isRemoved = text === "" && field !== "name" && field !== "fees.percentage"
      return [[field, isRemoved ? null : text]]
    }),
  )
