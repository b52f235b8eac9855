/**
 * Calls of the service's clients, with failures that a person can read.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Refused, type EventPage, type Partner } from "@florin/client"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Failure from "../terminal/Failure.ts"
import * as Printable from "../terminal/Printable.ts"

/** The flags and arguments that set members of the API, if their names differ. */
const onCommandLine: Readonly<Record<string, string>> = {
  "fees.percentage": "--fee-percentage",
  "settlements[0].asset": "<asset>",
  "settlements[0].destination": "<destination>",
  checkoutOrigins: "--checkout-origin",
  endTs: "--until",
  lineItems: "--item",
  merchantEmail: "--email",
  merchantName: "--name",
  percentage: "--fee-percentage",
  referenceId: "--reference",
  returned: "--fee-returned",
  sortBy: "--sort",
  sortDir: "--direction",
  startTs: "--since",
  token_symbol: "--token",
  types: "--type",
  // Each command has these flags already.
  url: "--address",
  version: "--api-version",
}

/** The flag of a member: `--partner` for `partnerId`. */
export const flagOf = (name: string): string =>
  onCommandLine[name] ??
  `--${name.replace(/Id$/u, "").replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`

/** What to do on the command line, for errors whose message only says what to do over HTTP. */
const remedies: Readonly<Record<string, string>> = {
  invalid_api_key: "set FLORIN_API_KEY or --key-file to a valid key",
  missing_merchant_id:
    "set FLORIN_MERCHANT_ID or --merchant; `florin merchants list` shows the ids",
  payment_not_found: "`florin payments list` shows the payments that this key can read",
  merchant_not_found: "`florin merchants list` shows the merchants that this key can read",
  not_found: "check the id, --url, and that the key has the same partner and mode",
}

/** The rules that a request breaks, each with its flag or argument; an element of a list with its place: `--item[2].name`. */
export const issuesText = (
  { issues }: Refused,
  argumentNames: ReadonlyArray<string> = [],
): string => {
  const said = issues.map(({ field, message }) => {
    const [, member = "", place = ""] = /^(\w*)(\[.*)?/u.exec(field) ?? []
    if (member === "" || member === "body") return message
    const flag = onCommandLine[field] ?? `${flagOf(member)}${place}`
    return `${argumentNames.includes(member) ? member : flag}: ${message}`
  })
  return Printable.from([...new Set(said)].join("; "))
}

/** The words are the service's, which may be anybody's. */
const refusalText = (refused: Refused): string => {
  const { code, issues, message: said } = refused
  if (issues.length > 0) return issuesText(refused)
  const message = Printable.from(said)
  const remedy = remedies[code]
  const [wrong = message] = message.split(":")
  return remedy === undefined ? message : `${wrong}: ${remedy}`
}

/** Why the call failed, in terms of the command line. */
export const reason = (error: unknown): string => {
  if (error instanceof Refused) return refusalText(error)
  if (!(error instanceof Error)) return "the call failed for an unknown reason"
  return error.message.replaceAll("baseUrl", "--url")
}

/** Creates a client of a service. */
export const makeClient = <A>(make: () => A): Effect.Effect<A, Failure.CommandFailed> =>
  Effect.try({ try: make, catch: (error) => Failure.make(reason(error)) })

/** Makes calls, until the signal aborts them. Our own failures stay as they are. */
export const calling = <A>(
  call: (signal: AbortSignal) => Promise<A>,
): Effect.Effect<A, Failure.CommandFailed> =>
  Effect.tryPromise({
    try: call,
    catch: (error) =>
      error instanceof Failure.CommandFailed ? error : Failure.make(reason(error)),
  })

/** Makes one call, with the name of its step. */
export const ask = <A>(
  step: string,
  call: () => Promise<A>,
): Effect.Effect<A, Failure.CommandFailed> =>
  Effect.mapError(calling(call), ({ message }) => Failure.make(`${step}: ${message}`))

/** Repeats a call until its result is not null. */
export const until = <A>(step: string, call: () => Promise<A | null>) =>
  ask(step, call).pipe(
    Effect.flatMap((response) =>
      response === null ? Failure.make(`${step}: timed out`) : Effect.succeed(response),
    ),
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 1500 }),
  )

/** One page of a partner's events, as soon as the rate limit allows it. */
const pageAt = async (
  partner: Partner,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<EventPage> => {
  const query = { limit: Limits.listPageMax, ...(cursor !== undefined && { cursor }) }
  try {
    return await partner.events.list(query, { signal })
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 429) throw error
    await sleep((error.retryAfterInS ?? 1) * 1000, undefined, { signal })
    return pageAt(partner, cursor, signal)
  }
}

/** The current end of a partner's events; `onMore` is called if it is not on the first page. */
export const endOfEvents = (partner: Partner, onMore = (): void => {}) =>
  calling(async (signal) => {
    let page = await pageAt(partner, undefined, signal)
    if (page.hasMore) onMore()
    // oxlint-disable-next-line no-await-in-loop -- A page names the next.
    while (page.hasMore) page = await pageAt(partner, page.nextCursor, signal)
    return page.nextCursor
  })
