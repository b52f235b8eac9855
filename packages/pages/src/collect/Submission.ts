/**
 * Sends the payer's data to the service, once. The outcome is one of a few cases, and none repeats what was typed.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"

export type Outcome =
  | { readonly _tag: "Stored" }
  /** The errors, by the field's id. */
  | { readonly _tag: "Refused"; readonly issues: ReadonlyMap<string, string> }
  | { readonly _tag: "Closed"; readonly status: NonNullable<HostedPage.Collect["closed"]> }
  /** The page's token is no longer valid. */
  | { readonly _tag: "Absent" }
  /** It is not known whether the data arrived. Sending it again is safe. */
  | { readonly _tag: "NotSent" }

const timeoutInMs = 30_000

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

const issuesIn = (problem: unknown): ReadonlyMap<string, string> => {
  const issues = isObject(problem) && Array.isArray(problem["issues"]) ? problem["issues"] : []
  return new Map(
    issues.flatMap((issue: unknown) =>
      isObject(issue) && typeof issue["field"] === "string" && typeof issue["message"] === "string"
        ? [[issue["field"].replace(/^collectedData\./u, ""), issue["message"]] as const]
        : [],
    ),
  )
}

/** The outcome of the service's response. */
export const outcomeOf = (status: number, problem: unknown): Outcome => {
  if (status >= 200 && status < 300) return { _tag: "Stored" }
  const code = isObject(problem) ? problem["code"] : undefined
  if (code === "payment_expired") return { _tag: "Closed", status: "expired" }
  if (code === "invalid_state") return { _tag: "Closed", status: "requires_action" }
  if (status === 401 || status === 403 || status === 404) return { _tag: "Absent" }
  const issues = issuesIn(problem)
  return issues.size > 0 ? { _tag: "Refused", issues } : { _tag: "NotSent" }
}

export const send = async (
  { pageToken }: HostedPage.Collect,
  fields: ReadonlyArray<Option.CollectedField>,
): Promise<Outcome> => {
  try {
    const response = await fetch(HostedPage.collectedPath, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Page-Token": pageToken },
      body: JSON.stringify({ fields }),
      signal: AbortSignal.timeout(timeoutInMs),
    })
    return outcomeOf(response.status, await response.json().catch(() => undefined))
  } catch {
    return { _tag: "NotSent" }
  }
}
