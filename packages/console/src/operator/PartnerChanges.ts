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

/** The members that changed, nested as the API has them. */
export const of = (
  before: { readonly [field: string]: string },
  after: { readonly [field: string]: string },
): object => {
  const valueOf = (field: string, text: string) => {
    if (field.endsWith(".netsMerchants")) return text === "true"
    return text === "" && field !== "name" && field !== "fees.percentage" ? null : text
  }
  type Members = { [member: string]: Members | string | boolean | null }
  const changes: Members = {}
  for (const [field, text] of Object.entries(after)) {
    if (before[field] === text) continue
    const path = field.split(".")
    const last = path.pop() ?? field
    let at = changes
    for (const member of path) {
      const next = at[member]
      const inner: Members = typeof next === "object" && next !== null ? next : {}
      at[member] = inner
      at = inner
    }
    at[last] = valueOf(field, text)
  }
  return changes
}
