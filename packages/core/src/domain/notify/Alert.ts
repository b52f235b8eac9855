/**
 * The messages of the operator's own webhook: each finding that needs a person is reported once, and its end once.
 *
 * An alert stores what is true and what the receiver was last sent. A message is due while the two differ, so there is
 * at most one for each finding, no matter how long the receiver is down and how often the finding changes meanwhile.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import type * as Malformed from "../ground/Malformed.ts"
import * as Rfc3339 from "../ground/Rfc3339.ts"
import type * as WebUrl from "../ground/WebUrl.ts"
import * as Webhook from "./Webhook.ts"

/** The part of the system that was checked to find it. Parts of a chain name the chain. */
export interface Source extends Schema.Schema.Type<typeof Source> {}
const Source = Schema.Struct({ part: Schema.String, chainId: Schema.NullOr(Caip.ChainId) })

/** A finding that needs a person. Its text reveals nothing about payers. */
export interface Finding extends Schema.Schema.Type<typeof Finding> {}
const Finding = Schema.Struct({
  /** Stays the same as long as it is the same problem, even if its numbers change. */
  key: Schema.String,
  /** Such as `chain_halted`. */
  name: Schema.String,
  source: Source,
  text: Schema.String,
  commands: Schema.Array(Schema.String),
  details: Schema.JsonObject,
})

export interface Alert extends Schema.Schema.Type<typeof Alert> {}
const Alert = Schema.Struct({
  /** As it was when the alert was raised: every attempt sends the same. */
  finding: Finding,
  isRaised: Schema.Boolean,
  /** Since when. */
  changedAt: Schema.Int,
  /** When it was raised last. */
  raisedAt: Schema.Int,
  /** The last checks in a row that found the opposite. */
  contrary: Schema.NullOr(Schema.Struct({ looks: Schema.Int, since: Schema.Int })),
  /** What the receiver knows; `unknown` if a message was sent and its arrival is uncertain. */
  told: Schema.Literals(["raised", "cleared", "unknown"]),
  /** When its message was sent last; null if never. */
  triedAt: Schema.NullOr(Schema.Int),
})

/** The complete stored state of alerts. */
export interface Board extends Schema.Schema.Type<typeof Board> {}
export const Board = Schema.Struct({
  /** The process that checks and sends, and the end of its lease. */
  lease: Schema.NullOr(Schema.Struct({ holder: Schema.String, endsAt: Schema.Int })),
  alerts: Schema.Array(Alert),
})

export const empty: Board = { lease: null, alerts: [] }

/** Takes or extends the lease; null while another process has it. */
export const hold = (board: Board, holder: string, endsAt: number, now: number): Board | null =>
  board.lease === null || board.lease.holder === holder || board.lease.endsAt <= now
    ? { ...board, lease: { holder, endsAt } }
    : null

// --- what is true

/** What one look found. */
export interface Look {
  readonly found: ReadonlyArray<Finding>
  /**
   * What could not be checked: problems of these sources are not known to be over. A source without a chain means that
   * part on every chain.
   */
  readonly unread: ReadonlyArray<Source>
}

/** Checks in a row that raise an alert: a single one may fail by chance. */
export const looksToRaise = 2
/** Checks in a row that clear it: a problem that comes and goes more often stays raised. */
export const looksToClear = 5

const begin = (finding: Finding, now: number): Alert => ({
  finding,
  isRaised: false,
  changedAt: now,
  raisedAt: now,
  contrary: { looks: 1, since: now },
  told: "cleared",
  triedAt: null,
})

const turn = (alert: Alert, isRaised: boolean, since: number): Alert => ({
  ...alert,
  isRaised,
  changedAt: since,
  contrary: null,
  triedAt: null,
})

const raise = (alert: Alert, finding: Finding, since: number): Alert => ({
  ...turn(alert, true, since),
  // Otherwise the receiver never learned that it was over: for the receiver, nothing happened.
  ...(alert.told !== "raised" && { finding, raisedAt: since }),
})

/** An alert after a check that found the problem, or did not; null once there is nothing to remember. */
const advance = (alert: Alert, finding: Finding | undefined, now: number): Alert | null => {
  if ((finding !== undefined) === alert.isRaised) {
    return alert.isRaised || alert.told !== "cleared" ? { ...alert, contrary: null } : null
  }
  const { looks, since } = alert.contrary ?? { looks: 0, since: now }
  const contrary = { looks: looks + 1, since }
  if (finding !== undefined) {
    return contrary.looks < looksToRaise ? { ...alert, contrary } : raise(alert, finding, since)
  }
  if (contrary.looks < looksToClear) return { ...alert, contrary }
  return alert.told === "cleared" ? null : turn(alert, false, since)
}

/** Compares the alerts with the findings of a check. */
export const compare = (board: Board, { found, unread }: Look, now: number): Board => {
  const red = new Map(found.map((finding) => [finding.key, finding]))
  const isUnread = ({ chainId, part }: Source): boolean =>
    unread.some((each) => each.part === part && (each.chainId ?? chainId) === chainId)
  const alerts = board.alerts.flatMap((alert) => {
    const { key, source } = alert.finding
    const finding = red.get(key)
    red.delete(key)
    if (finding === undefined && isUnread(source)) return [alert]
    return advance(alert, finding, now) ?? []
  })
  return { ...board, alerts: [...alerts, ...[...red.values()].map((each) => begin(each, now))] }
}

// --- what the receiver is sent

/** Where alerts are sent, and how they are signed: each secret signs, so that a receiver can go from one to the next. */
export interface Receiver {
  readonly url: string
  readonly secrets: ReadonlyArray<Webhook.Secret>
}

/** The operator's own address may be in a private network, unlike those that partners give. */
export const urlPolicy: Webhook.UrlPolicy = { allowPrivate: true }

/** Reads the operator's own address: https, or in a private network. */
export const parseUrl = (text: string): Result.Result<WebUrl.WebUrl, Malformed.Malformed> =>
  Webhook.parseUrl(text, urlPolicy)

/** What is sent. The id is the same at every attempt. */
export interface Message {
  readonly id: string
  readonly body: string
}

const message = (
  kind: "raised" | "cleared" | "test",
  subject: string,
  at: number,
  data: Schema.JsonObject,
): Message => ({
  id: `alert_${bytesToHex(sha256(utf8ToBytes(`${kind}\n${subject}\n${at}`))).slice(0, 40)}`,
  body: JSON.stringify({ type: `operator.alert.${kind}`, timestamp: Rfc3339.format(at), data }),
})

const wanted = ({ isRaised }: Alert) => (isRaised ? "raised" : "cleared")

const messageOf = (alert: Alert): Message => {
  const { changedAt, finding, isRaised, raisedAt } = alert
  const { commands, details, key, name, text } = finding
  return message(wanted(alert), key, changedAt, {
    key,
    finding: name,
    since: Rfc3339.format(raisedAt),
    text,
    commands: isRaised ? commands : [],
    details,
  })
}

/** A message that only shows that it arrived. */
export const testMessage = (now: number): Message =>
  message("test", "test", now, { text: "This is a test. Nothing needs you." })

/**
 * The message to send now, and the board with that recorded; null if none is due. The message whose last attempt is the
 * oldest comes first.
 */
export const take = (
  board: Board,
  now: number,
): { readonly message: Message; readonly board: Board } | null => {
  const [next] = board.alerts
    .filter((alert) => alert.told !== wanted(alert))
    .toSorted((left, right) => (left.triedAt ?? 0) - (right.triedAt ?? 0))
  if (next === undefined) return null
  const tried: Alert = { ...next, told: "unknown", triedAt: now }
  const alerts = board.alerts.map((alert) => (alert === next ? tried : alert))
  return { message: messageOf(next), board: { ...board, alerts } }
}

/**
 * Records that the receiver accepted a message. If the alert changed while it was sent, a message is due again, with
 * another id.
 */
export const recordDelivered = (board: Board, { id }: Message): Board => ({
  ...board,
  alerts: board.alerts.map((alert) =>
    messageOf(alert).id === id ? { ...alert, told: wanted(alert) } : alert,
  ),
})
