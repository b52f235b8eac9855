/**
 * Whether some order of all calls about one payment explains every response: each call takes effect once, at one moment
 * between its request and its response, although several processes carried them out. Wing and Gong's search.
 *
 * @module
 */
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

const { list, text } = Reading

/** What a payment is to its callers. */
interface State {
  readonly status: string
  /** The ids of its refunds, as far as anybody was told. */
  readonly refunds: ReadonlyArray<string>
}

/** The states that a call may leave, if it took effect in a state; none if its response contradicts the state. */
type Effects = (state: State) => ReadonlyArray<State>

interface Call {
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number
  readonly effects: Effects
  /** Whether it may never have taken effect, because nobody knows its response. */
  readonly isOpen: boolean
}

/** What happens without a call. */
const byItself: Readonly<Record<string, ReadonlyArray<string>>> = {
  requires_action: ["expired"],
  processing: ["succeeded", "failed"],
}

const moved = (state: State, status: string): ReadonlyArray<State> => [{ ...state, status }]

/** The states that a state may have become in the meantime, itself among them. */
const later = (state: State): ReadonlyArray<State> => [
  state,
  ...(byItself[state.status] ?? []).flatMap((status) => moved(state, status)),
]

const when =
  (isSo: (state: State) => boolean): Effects =>
  (state) =>
    isSo(state) ? [state] : []

const confirmed = (state: State): ReadonlyArray<State> =>
  state.status === "requires_action"
    ? [...moved(state, "processing"), ...moved(state, "failed")]
    : [state]
const cancelled = (state: State): ReadonlyArray<State> =>
  state.status === "requires_action" ? moved(state, "cancelled") : [state]
const unknown = "unknown"
const refundedBy = (state: State, refundId: string): State => ({
  ...state,
  refunds: [...state.refunds, refundId].toSorted(),
})

/** A part may be refunded as often as something is left, and the whole payment if nothing was. */
const refunded =
  (isPart: boolean): Effects =>
  (state) =>
    state.status === "succeeded" && (isPart || state.refunds.length === 0)
      ? [state, refundedBy(state, unknown)]
      : [state]

const confirm = (response: NonNullable<Evidence.Exchange["response"]>): Effects => {
  const status = text(response.body, "status")
  if (response.status === 200) {
    // The end may have come before its response was made.
    return (state) =>
      confirmed(state)
        .flatMap(later)
        .filter((after) => after.status === status)
  }
  return when(({ status: now }) => response.status !== 410 || now === "expired")
}

const cancel = (response: NonNullable<Evidence.Exchange["response"]>): Effects => {
  if (response.status === 200) {
    return (state) => cancelled(state).filter((after) => after.status === "cancelled")
  }
  if (text(response.body, "code") === "invalid_state") {
    return when(({ status }) => status !== "requires_action" && status !== "cancelled")
  }
  return when(({ status }) => response.status !== 410 || status === "expired")
}

const refund = (
  response: NonNullable<Evidence.Exchange["response"]>,
  body: Evidence.Json,
): Effects => {
  const refundId = text(response.body, "refundId")
  const code = text(response.body, "code")
  if (response.status === 200) {
    return (state) => {
      const { refunds, status } = state
      if (status !== "succeeded") return []
      if (refunds.includes(refundId)) return [state]
      const place = refunds.indexOf(unknown)
      const told = { ...state, refunds: refunds.toSpliced(place, 1) }
      return [
        ...(place === -1 ? [] : [refundedBy(told, refundId)]),
        ...(isPart(body) || refunds.length === 0 ? [refundedBy(state, refundId)] : []),
      ]
    }
  }
  // A part may be more than the whole payment.
  if (code === "already_refunded") {
    return when(
      (state) => state.refunds.length > 0 || (isPart(body) && state.status === "succeeded"),
    )
  }
  return when(({ status }) => code !== "payment_not_succeeded" || status !== "succeeded")
}

const isPart = (body: Evidence.Json): boolean => Reading.at(body, "amount") !== null

/** The writes: what each does, and what its response says. */
const writes: ReadonlyArray<{
  readonly path: RegExp
  readonly read: (
    response: NonNullable<Evidence.Exchange["response"]>,
    body: Evidence.Json,
  ) => Effects
  readonly unread: (body: Evidence.Json) => Effects
}> = [
  { path: /\/confirm$/u, read: confirm, unread: () => confirmed },
  { path: /\/cancel$/u, read: cancel, unread: () => cancelled },
  { path: /^\/v1\/refunds$/u, read: refund, unread: (body) => refunded(isPart(body)) },
]

const idIn = (path: string): string => /pay_\w+/u.exec(path)?.[0] ?? ""

/** The calls about payments, each with its payment. */
const callsOf = (exchange: Evidence.Exchange): ReadonlyArray<readonly [string, Call]> => {
  const { body, endedAt, method, path, response, startedAt } = exchange
  const [route = "", query = ""] = path.split("?")
  const write = method === "POST" ? writes.find((each) => each.path.test(route)) : undefined
  const name = `${method} ${path} ${response?.status ?? "lost"}`
  if (write !== undefined) {
    const isOpen = response === null || response.status >= 500
    const id = idIn(path) || text(body, "paymentId")
    const one = (effects: Effects) =>
      [id, { name, startedAt, endedAt: isOpen ? Infinity : endedAt, effects, isOpen }] as const
    const unread = write.unread(body)
    if (isOpen) return [one(unread)]
    const waited = new URLSearchParams(query).has("maxPollMs") && response.status === 200
    if (!waited) return [one(write.read(response, body))]
    // It wrote, and looked later: others may have seen what was in between.
    const status = text(response.body, "status")
    return [one(unread), one(when((state) => state.status === status))]
  }
  if (method !== "GET" || response?.status !== 200) return []
  const shown = path.startsWith("/v1/payments?") ? list(response.body, "data") : [response.body]
  return shown.flatMap((payment) => {
    const status = text(payment, "status")
    const effects = when((state) => state.status === status)
    const id = text(payment, "paymentId") || idIn(path)
    return status === ""
      ? []
      : [[id, { name: `${name} ${status}`, startedAt, endedAt, effects, isOpen: false }] as const]
  })
}

/** Beyond this, the search gives up and finds nothing wrong. */
const stepsMax = 50_000

/** Whether an order explains all calls. */
const isExplained = (calls: ReadonlyArray<Call>): boolean => {
  const seen = new Set<string>()
  let steps = 0
  const search = (left: ReadonlyArray<number>, state: State): boolean => {
    const waiting = left.filter((index) => calls[index]?.isOpen === false)
    if (waiting.length === 0) return true
    const key = `${left.join()} ${state.status} ${state.refunds.join()}`
    if (seen.has(key)) return false
    seen.add(key)
    steps += 1
    if (steps > stepsMax) return true
    // The next one began before any other that is left had ended.
    const endsAt = Math.min(...left.map((index) => calls[index]?.endedAt ?? Infinity))
    return left.some((index) => {
      const call = calls[index]
      if (call === undefined || call.startedAt > endsAt) return false
      const others = left.filter((each) => each !== index)
      return later(state)
        .flatMap(call.effects)
        .some((after) => search(others, after))
    })
  }
  return search([...calls.keys()], { status: "requires_action", refunds: [] })
}

/** Of each payment, the calls have an order that explains all responses. */
const haveAnOrder = function* ({ exchanges }: Evidence.Evidence): Iterable<string> {
  const byPayment = Reading.groupBy(exchanges.flatMap(callsOf), ([id]) => id)
  for (const [id, calls] of byPayment) {
    const its = calls
      .map(([, call]) => call)
      .toSorted((left, right) => left.startedAt - right.startedAt)
    if (!isExplained(its)) {
      yield `no order explains what was said of ${id}: ${its.map(({ name }) => name).join("; ")}`
    }
  }
}

export const rules: Readonly<Record<string, (evidence: Evidence.Evidence) => Iterable<string>>> = {
  "one order explains all responses": haveAnOrder,
}
