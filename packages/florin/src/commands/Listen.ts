/**
 * `florin listen`: prints a partner's events as they happen, and forwards them to a server on the developer's machine.
 *
 * They arrive over the event stream, so no port of that machine must be reachable. Each event is forwarded as the
 * service would send it, with the headers of a webhook.
 *
 * @module
 */
import { createHmac } from "node:crypto"
import { makePartner, type FlorinEvent } from "@florin/client"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Event from "@florin/core/domain/payment/Event"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as Posted from "../access/Posted.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"

const flags = {
  forwardTo: Flags.string(
    "forward-to",
    "URL",
    "Send each event to this address as a webhook, once (default: print events only)",
  ).pipe(
    Flag.filter(Flags.isWebAddress, () => "a web address such as http://localhost:4242/hook"),
    Flag.optional,
  ),
  types: Flags.choice(
    "type",
    [...Event.eventTypes, Event.webhookTest],
    "Only events of this type; repeat it for several (default: all)",
  ).pipe(Flag.atLeast(0)),
  ...ServiceAccess.connectFlags,
  json: Flags.json,
}

/**
 * The secret for signatures, derived from the API key. It is the same at every start, so nothing has to be stored, and
 * it reveals nothing about the key.
 */
const secretOf = (apiKey: string): Webhook.Secret =>
  Webhook.Secret.make(
    `whsec_${createHmac("sha256", apiKey).update("florin listen").digest("base64")}`,
  )

/** A `fetch` that reports once when the service becomes unreachable, and once when it is reachable again. */
const noticing = (say: (text: string) => void) => {
  let isLost = false
  const changed = (next: boolean, text: string): void => {
    if (next !== isLost) say(text)
    isLost = next
  }
  return async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetch(url, init)
      if (response.ok) changed(false, "Connected again. No event was missed.")
      return response
    } catch (error) {
      if (init.signal?.aborted !== true) changed(true, "Cannot reach the service: trying again.")
      throw error
    }
  }
}

interface Target {
  readonly url: string
  readonly secret: Webhook.Secret
}

/** Sends an event as the service does. Redirects are not followed either. */
const forward = async (
  { secret, url }: Target,
  event: FlorinEvent,
  now: number,
  signal: AbortSignal,
): Promise<Posted.Outcome> => {
  const body = JSON.stringify(event)
  const signed = Effect.runSync(Effect.fromResult(Webhook.headers([secret], event.id, body, now)))
  return Posted.post(url, { ...signed }, body, signal)
}

/** The subject of an event. A later release may send events that this one does not know. */
const subjectOf = ({ data, id }: FlorinEvent): string => {
  if ("paymentId" in data) return data.paymentId
  if ("settlementId" in data) return data.settlementId
  return "webhookId" in data ? data.webhookId : id
}

const typeWidth = Math.max(...Event.paymentEventTypes.map(({ length }) => length))
const subjectWidth = 34

/** One line after a mark: time, type, payment, and result of an event. */
const lineOf = (event: FlorinEvent, outcome: string): string =>
  [
    event.timestamp.slice(11, 19),
    Printable.from(event.type).padEnd(typeWidth),
    Printable.from(subjectOf(event)).padEnd(subjectWidth),
    outcome,
  ]
    .join("  ")
    .trimEnd()

const show = (event: FlorinEvent, outcome: Posted.Outcome | null, json: boolean): void => {
  if (json) {
    Terminal.result(Printable.json(event))
    if (outcome?.isAccepted === false)
      Terminal.writeFailure(`${event.id} was not accepted: ${outcome.text}`)
    return
  }
  if (outcome === null) Terminal.plain(lineOf(event, ""))
  else Terminal.line(lineOf(event, outcome.text), outcome.isAccepted)
}

/** A summary of the events, printed when the command is stopped. */
const summary = (events: number, failed: number, isForwarded: boolean): string => {
  const came = `Stopped after ${Printable.counted(events, "event")}.`
  if (!isForwarded || events === 0) return came
  if (failed === 0) return `${came} All were accepted.`
  const [was, is] = failed === 1 ? ["was", "is"] : ["were", "are"]
  return `${came} ${failed} ${was} not accepted and ${is} not sent again.`
}

export const command = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* (options) {
    const { forwardTo, json, types } = options
    const { apiKey, baseUrl } = yield* ServiceAccess.find(options)
    const say = json ? Terminal.aside : Terminal.plain
    const client = yield* Asked.makeClient(() => makePartner({ baseUrl, apiKey }))
    const following = yield* Asked.makeClient(() =>
      makePartner({ baseUrl, apiKey, fetch: noticing(say) }),
    )
    const target = Option.getOrNull(
      Option.map(forwardTo, (url): Target => ({ url, secret: secretOf(apiKey) })),
    )
    const clock = yield* Clock.Clock
    const cursor = yield* Asked.endOfEvents(client, () =>
      say("Skipping earlier events. This may take a moment."),
    )
    say(`Waiting for events of ${baseUrl} (UTC). Ctrl-C stops it.`)
    if (target !== null) {
      say(`forward to  ${target.url}`)
      say(`secret      ${target.secret}`)
    }
    let [events, failed] = [0, 0]
    // Events are sent one after the other, so that a slow server is not overloaded.
    const follow = async (signal: AbortSignal): Promise<never> => {
      for await (const { event } of following.events.stream({ cursor }, { signal })) {
        if (types.length > 0 && !types.some((type) => type === event.type)) continue
        const now = clock.currentTimeMillisUnsafe()
        const outcome = target === null ? null : await forward(target, event, now, signal)
        signal.throwIfAborted()
        events += 1
        if (outcome?.isAccepted === false) failed += 1
        show(event, outcome, json)
      }
      throw Failure.make("the stream of events ended")
    }
    return yield* Effect.onInterrupt(Asked.calling(follow), () =>
      Effect.sync(() => say(summary(events, failed, target !== null))),
    )
  }),
).pipe(
  Described.as({
    description:
      "Print a partner's events as they happen, and forward each to a server on your machine as a webhook. The headers are those of a real webhook. They are signed with a secret that is printed at the start and follows from the API key, so it is the same every time. An event is sent once; a response other than 2xx is reported and not retried. After a lost connection it continues without losing or repeating an event. It runs until you stop it with Ctrl-C; the exit code is 0 then.",
    examples: [
      "florin listen --forward-to http://localhost:4242/hook",
      "florin listen --type payment.succeeded --json",
    ],
  }),
)
