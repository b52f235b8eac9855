/**
 * Sends alerts to the operator's own webhook: it looks at the state of the service at regular intervals, and sends what
 * became red or stopped being red.
 *
 * Any number of processes may run it. One of them has a lease, looks and sends, and keeps the lease for as long as it
 * runs. Each message is recorded before and after it is sent, so that another process can continue if this one is
 * killed: no alert is left out, and a message that may have arrived is sent again under the same id.
 *
 * @module
 */
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Catalog from "../domain/chain/Catalog.ts"
import * as Alert from "../domain/notify/Alert.ts"
import * as Webhook from "../domain/notify/Webhook.ts"
import * as Findings from "../engine/status/Findings.ts"
import * as Status from "../engine/status/Status.ts"
import { Assets } from "../ports/Assets.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { StateStore } from "../ports/StateStore.ts"
import { CallFailed, WebhookTransport } from "../ports/WebhookTransport.ts"
import * as Worker from "./Worker.ts"

/** Longer than a look and a call together. */
const leaseSpareInMs = 30_000

const findingOf = (
  found: Findings.Finding,
  catalog: Catalog.Catalog,
  now: number,
): Alert.Finding => {
  const { details, finding, key, message, part, remedies } = Findings.describe(found, catalog, now)
  const { withheld } = Findings.table[found._tag]
  return {
    key,
    name: finding,
    source: { part, chainId: Findings.chainOf(found) },
    text: message,
    commands: remedies.map(({ command }) => command),
    details: Object.fromEntries(Object.entries(details).filter(([name]) => name !== withheld)),
  }
}

/** Converts a look at the state into alerts. */
export const lookOf = ({ at, findings }: Status.Status, catalog: Catalog.Catalog): Alert.Look => ({
  found: findings.filter(({ isRed }) => isRed).map((each) => findingOf(each, catalog, at)),
  unread: Status.unreadParts(findings),
})

/** Sends one message; fails with the reason if the receiver does not accept it. */
export const send = Effect.fn("Notifier.send")(function* (
  { secrets, url }: Alert.Receiver,
  { body, id }: Alert.Message,
  now: number,
) {
  const headers = yield* Effect.fromResult(Webhook.headers(secrets, id, body, now))
  const status = yield* (yield* WebhookTransport).post({ url, headers, body })
  if (!Webhook.isReceived({ at: now, status, error: null })) {
    return yield* new CallFailed({ message: `it responded with ${status}` })
  }
})

/** Sends a test message to check that the receiver accepts messages; returns the message's id. */
export const test = Effect.fnUntraced(function* (receiver: Alert.Receiver) {
  const now = yield* Clock.currentTimeMillis
  const message = Alert.testMessage(now)
  yield* send(receiver, message, now)
  return message.id
})

/**
 * Looks once, and sends due messages until none is left or the receiver refuses one: the next look retries it. Does
 * nothing if another process has the lease.
 */
export const round = Effect.fnUntraced(function* (
  holder: string,
  receiver: Alert.Receiver,
  everyInMs: number,
) {
  const states = yield* StateStore
  /** Decides while this process has the lease, which a write extends; null if another process has it. */
  const holding = <A>(
    decide: (board: Alert.Board, now: number) => { result: A; next: Alert.Board | null },
  ) =>
    states.modify("alerts", (board, now) => {
      const held = Alert.hold(board, holder, now + everyInMs + leaseSpareInMs, now)
      return held === null ? { result: null, next: null } : decide(held, now)
    })
  const isHeld = yield* holding((board) => ({ result: true, next: board }))
  if (isHeld === null) return
  const look = lookOf(yield* Status.look(), yield* Assets)
  yield* holding((board, now) => ({ result: true, next: Alert.compare(board, look, now) }))
  for (;;) {
    const due = yield* holding((board, now) => {
      const taken = Alert.take(board, now)
      return { result: taken && { message: taken.message, now }, next: taken && taken.board }
    })
    if (due === null) return
    const sent = yield* Effect.result(send(receiver, due.message, due.now))
    if (Result.isFailure(sent)) {
      return yield* Effect.logWarning(
        `an alert was not accepted by the alert webhook and will be retried: ${sent.failure.message}`,
      )
    }
    yield* states.modify("alerts", (board) => ({
      result: undefined,
      next: Alert.recordDelivered(board, due.message),
    }))
  }
})

/** Looks at regular intervals until the layer's scope closes. */
export const layer = (receiver: Alert.Receiver, everyInMs = 60_000) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const holder = bytesToHex(yield* (yield* Identifiers).randomBytes(8))
      return Worker.layerEvery(everyInMs, Worker.withoutTrace(round(holder, receiver, everyInMs)))
    }),
  )
