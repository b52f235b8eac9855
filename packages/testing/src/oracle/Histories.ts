/**
 * Rules about what callers were told: a promise that was made is kept, and nobody sees time run backwards.
 *
 * @module
 */
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

const { at, list, text } = Reading

type Rule = (evidence: Evidence.Evidence) => Iterable<string>

/** What may follow what, for everybody who looks. */
const mayFollow: Readonly<Record<string, ReadonlyArray<string>>> = {
  requires_action: ["processing", "succeeded", "failed", "expired", "cancelled"],
  processing: ["succeeded", "failed"],
  succeeded: [],
  failed: [],
  expired: [],
  cancelled: [],
}
const isFinal = (status: string): boolean => mayFollow[status]?.length === 0
const isLegal = (from: string, to: string): boolean =>
  from === to || mayFollow[from]?.includes(to) === true

const isSuccess = ({ response }: Evidence.Exchange): boolean =>
  response !== null && response.status >= 200 && response.status < 300

const detailsById = ({ books }: Evidence.Evidence) =>
  new Map(
    books.flatMap(({ details }) =>
      details.map((payment) => [text(payment, "paymentId"), payment] as const),
    ),
  )

/** A payment that was created exists, as it was asked for. */
const keepsWhatWasCreated: Rule = function* (evidence) {
  const known = detailsById(evidence)
  for (const exchange of evidence.exchanges) {
    if (exchange.method !== "POST" || exchange.path !== "/v1/payments") continue
    if (!isSuccess(exchange)) continue
    const id = text(exchange.response?.body, "paymentId")
    const payment = known.get(id) ?? null
    if (payment === null) {
      yield `${id} was created, and is gone`
      continue
    }
    for (const path of [["referenceId"], ["amount", "unit"], ["amount", "value"]]) {
      const asked = text(exchange.body, ...path)
      const kept = text(payment, ...path)
      if (asked !== kept) yield `${id} was created with ${path.join(".")} ${asked}, and has ${kept}`
    }
  }
}

/** A refund that was accepted is there, under the id that was said. */
const keepsRefunds: Rule = function* (evidence) {
  const known = detailsById(evidence)
  for (const exchange of evidence.exchanges) {
    if (exchange.path !== "/v1/refunds" || !isSuccess(exchange)) continue
    const id = text(exchange.body, "paymentId")
    const said = text(exchange.response?.body, "refundId")
    const kept = list(known.get(id), "refunds").map((each) => text(each, "refundId"))
    if (!kept.includes(said))
      yield `${id} got the refund ${said}, and has ${kept.join(", ") || "none"}`
  }
}

/** Two requests with one key are one: the same body gets the same response, and another body is refused. */
const repeatsResponses: Rule = function* ({ exchanges }) {
  const keyed = exchanges.filter((each) => each.idempotencyKey !== null && isSuccess(each))
  const scoped = Reading.groupBy(keyed, (each) =>
    [each.key, each.method, each.path, each.idempotencyKey].join(" "),
  )
  for (const [scope, [first, ...others]] of scoped) {
    for (const other of others) {
      if (first === undefined) break
      if (!Reading.isSame(first.body, other.body)) {
        yield `${scope} was accepted for two requests`
      } else if (!Reading.isSame(first.response?.body ?? null, other.response?.body ?? null)) {
        yield `${scope} got two responses`
      }
    }
  }
}

interface Seen {
  readonly id: string
  readonly status: string
  readonly startedAt: number
  readonly endedAt: number
}

const idIn = (path: string): string => /pay_\w+/u.exec(path)?.[0] ?? ""

/** What each response showed of payments. A response to a key says how it was, not how it is. */
const seenIn = (exchange: Evidence.Exchange): ReadonlyArray<Seen> => {
  const { endedAt, idempotencyKey, path, response, startedAt } = exchange
  if (response === null || response.status !== 200 || idempotencyKey !== null) return []
  // The status of a refund is no payment's.
  if (path.startsWith("/v1/refunds")) return []
  const { body } = response
  const isList = path.startsWith("/v1/payments?")
  const shown = isList ? list(body, "data") : at(body, "status") === null ? [] : [body]
  return shown.map((payment) => ({
    id: text(payment, "paymentId") || idIn(path),
    status: text(payment, "status"),
    startedAt,
    endedAt,
  }))
}

/** Of two looks at a payment, one after the other, the second shows the same or what may follow it. */
const neverGoesBack: Rule = function* (evidence) {
  const known = detailsById(evidence)
  const looks = Reading.groupBy(evidence.exchanges.flatMap(seenIn), ({ id }) => id)
  for (const [id, seen] of looks) {
    const last = text(known.get(id), "status")
    for (const [index, look] of seen.entries()) {
      if (!isLegal(look.status, last)) yield `${id} was ${look.status}, and is ${last} in the end`
      for (const later of seen.slice(index + 1)) {
        if (look.endedAt < later.startedAt && !isLegal(look.status, later.status)) {
          yield `${id} was ${look.status}, and after that ${later.status}`
        }
      }
    }
  }
}

/** What of a payment has not ended; null if nothing is left to do. */
export const unfinished = (payment: Evidence.Json): string | null => {
  const status = text(payment, "status")
  if (!isFinal(status)) return `it is ${status}`
  const refunds = list(payment, "refunds").map((each) => text(each, "status"))
  const open = refunds.find((each) => each !== "succeeded")
  if (open !== undefined) return `its refund is ${open}`
  const isTakenBack = text(payment, "payout", "state") === "cancelled"
  const isOwed = status === "succeeded" && !isTakenBack && at(payment, "settlement") === null
  return isOwed ? "it is not paid out" : null
}

/** Every payment, refund and payout ends. */
const everythingEnds: Rule = function* (evidence) {
  for (const [id, payment] of detailsById(evidence)) {
    const open = unfinished(payment)
    if (open !== null) yield `${id} does not end: ${open}`
  }
}

export const rules: Readonly<Record<string, Rule>> = {
  "what was created stays": keepsWhatWasCreated,
  "refunds that were accepted stay": keepsRefunds,
  "one key is one request": repeatsResponses,
  "no status is taken back": neverGoesBack,
  "everything ends": everythingEnds,
}
