/**
 * `florin verify <url>`: sends deliveries to a partner's webhook receiver, good and bad ones, and reports its faults.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Posted from "../access/Posted.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

interface Delivery {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Makes a delivery of an event: the first, second … of one payment. No other run has the same events. */
type Source = (version: number, type: string, changed?: Changed) => Delivery

interface Changed {
  /** How long ago it was signed. */
  readonly ageInS?: number
  readonly secrets?: (own: Webhook.Secret, other: Webhook.Secret) => ReadonlyArray<Webhook.Secret>
  readonly write?: (event: object) => string
  /** After it was signed. */
  readonly after?: (signed: Delivery) => Delivery
}

const randomSecret = (): Webhook.Secret => Result.getOrThrow(Webhook.makeSecret(randomBytes(32)))

const sourceOf = (secret: Webhook.Secret, now: number): Source => {
  const [run, other] = [randomBytes(8).toString("hex"), randomSecret()]
  return (version, type, changed = {}) => {
    const { ageInS = 0, secrets = (own) => [own], write = JSON.stringify } = changed
    const id = `evt_verify${run}${version.toString().padStart(4, "0")}`
    const body = write({
      id,
      type,
      timestamp: Time.iso(now),
      data: {
        paymentId: `pay_verify${run}`,
        merchantId: "mrch_verify",
        referenceId: "florin-verify",
        payment_state_version: version,
        status: type === "payment.succeeded" ? "succeeded" : "processing",
        amount: { unit: "iso4217/USD", value: "1250" },
        expiresAt: Math.floor(now / 1000) + 900,
        metadata: { note: "Café ☕" },
        buyer: null,
        info: null,
        settlement: null,
        refund: null,
      },
    })
    const signed = Webhook.headers(secrets(secret, other), id, body, now - ageInS * 1000)
    const delivery = { body, headers: { ...Result.getOrThrow(signed) } }
    return changed.after?.(delivery) ?? delivery
  }
}

interface Check {
  readonly tried: string
  readonly wants: "accepted" | "refused"
  readonly deliveries: (source: Source) => ReadonlyArray<Delivery>
  /** What to do about a fault. */
  readonly mend: string
}

const rawBody =
  "Verify the signature over the bytes of the body as they came, before any parser or middleware reads them"

const checks: ReadonlyArray<Check> = [
  {
    tried: "an event",
    wants: "accepted",
    deliveries: (of) => [of(0, "payment.created")],
    mend: "Respond 2xx to an event with a valid signature, also if you do not know its payment. Check that the receiver has this secret. Redirects are not followed: register the address to which they lead",
  },
  {
    tried: "the same event again",
    wants: "accepted",
    deliveries: (of) => [of(0, "payment.created")],
    mend: "An event can arrive twice. Store webhook-id, and respond 2xx if you have it already",
  },
  {
    tried: "a later event first",
    wants: "accepted",
    deliveries: (of) => [of(2, "payment.succeeded"), of(1, "payment.processing")],
    mend: "Events can arrive in another order. Compare data.payment_state_version, and respond 2xx to an event that is too old",
  },
  {
    tried: "an unknown type of event",
    wants: "accepted",
    deliveries: (of) => [of(3, "payment.of_a_later_release")],
    mend: "Later releases add types. Respond 2xx to a type that you do not know",
  },
  {
    tried: "a body with other spaces",
    wants: "accepted",
    deliveries: (of) => [
      of(4, "payment.processing", { write: (event) => `${JSON.stringify(event, null, 3)}\n` }),
    ],
    mend: rawBody,
  },
  {
    tried: "two signatures, the second is valid",
    wants: "accepted",
    deliveries: (of) => [of(5, "payment.processing", { secrets: (own, other) => [other, own] })],
    mend: "For 24 hours after a change of the secret there are two signatures. Split webhook-signature at spaces, and accept the event if one is valid",
  },
  {
    tried: "a wrong signature",
    wants: "refused",
    deliveries: (of) => [of(6, "payment.succeeded", { secrets: (_, other) => [other] })],
    mend: "Anybody can send you events. Verify webhook-signature, and respond 400 if it is wrong",
  },
  {
    tried: "a body changed after signing",
    wants: "refused",
    deliveries: (of) => [
      of(7, "payment.processing", {
        after: ({ body, headers }) => ({ body: body.replace("1250", "9250"), headers }),
      }),
    ],
    mend: rawBody,
  },
  {
    tried: "no signature",
    wants: "refused",
    deliveries: (of) => [
      of(8, "payment.succeeded", { after: ({ body }) => ({ body, headers: {} }) }),
    ],
    mend: "Respond 400 to a request without webhook-signature",
  },
  {
    tried: "an event signed 10 min ago",
    wants: "refused",
    deliveries: (of) => [of(9, "payment.succeeded", { ageInS: 600 })],
    mend: "Respond 400 if webhook-timestamp differs from your clock by more than 5 minutes: an old request can be sent again by somebody else",
  },
]

interface Finding {
  readonly tried: string
  readonly ok: boolean
  readonly happened: string
  readonly mend: string | null
}

/** Any response but 2xx refuses; without a response nothing is known. */
const isAsWanted = ({ wants }: Check, { isAccepted, status }: Posted.Outcome): boolean =>
  wants === "accepted" ? isAccepted : status !== null && status >= 400

const meaning = (outcome: Posted.Outcome): string => {
  const { isAccepted, status, text } = outcome
  if (status === null) return text
  if (isAccepted) return `${text}, accepted`
  return status < 400 ? `${text}, a redirect` : `${text}, refused`
}

const slowInMs = 5000

const speedOf = (slowestInMs: number): Finding => {
  const ok = slowestInMs < slowInMs
  const happened = `slowest ${Math.round(slowestInMs)} ms of ${Posted.limitInS * 1000} ms`
  const mend = `After ${Posted.limitInS} s the service sends the event again. Store the event, respond, and do the work afterwards`
  return { tried: "speed", ok, happened, mend: ok ? null : mend }
}

const run = Effect.fnUntraced(function* (url: string, secret: Webhook.Secret) {
  const clock = yield* Clock.Clock
  const source = sourceOf(secret, clock.currentTimeMillisUnsafe())
  const findings: Array<Finding> = []
  let slowestInMs = 0
  for (const check of checks) {
    const outcomes = yield* Effect.forEach(check.deliveries(source), ({ body, headers }) =>
      Effect.gen(function* () {
        const startedAt = clock.currentTimeMillisUnsafe()
        const outcome = yield* Effect.promise((signal) => Posted.post(url, headers, body, signal))
        slowestInMs = Math.max(slowestInMs, clock.currentTimeMillisUnsafe() - startedAt)
        return outcome
      }),
    )
    const fault = outcomes.find((each) => !isAsWanted(check, each))
    const shown = fault ?? outcomes.at(-1)
    findings.push({
      tried: check.tried,
      ok: fault === undefined,
      happened: shown === undefined ? "" : meaning(shown),
      mend: fault === undefined ? null : check.mend,
    })
    // Nothing is there: everything else would be the same.
    if (findings.length === 1 && fault?.status === null) return findings
  }
  return [...findings, speedOf(slowestInMs)]
})

const width = Math.max(...checks.map(({ tried }) => tried.length))

const readSecret = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const text = yield* ServiceAccess.secretOf(file, "FLORIN_WEBHOOK_SECRET")
  if (Option.isNone(text)) {
    return yield* Failure.make(
      "no secret is given: set FLORIN_WEBHOOK_SECRET or --secret-file to the secret of the webhook",
    )
  }
  const secret = Result.mapError(Webhook.parseSecret(text.value.trim()), Failure.of)
  return yield* Effect.fromResult(secret)
})

export const command = Command.make(
  "verify",
  {
    url: Argument.String("url").pipe(
      Argument.withDescription("Address of the webhook receiver"),
      Argument.filter(Flags.isWebAddress, () => "a web address such as http://localhost:4242/hook"),
    ),
    secretFile: Flags.optionalString(
      "secret-file",
      "FILE",
      "File with the secret of the webhook, instead of FLORIN_WEBHOOK_SECRET",
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* ({ json, secretFile, url }) {
    const secret = yield* readSecret(secretFile)
    const findings = yield* run(url, secret)
    const faults = findings.filter(({ ok }) => !ok).length
    if (json) Terminal.json({ url, ok: faults === 0, checks: findings })
    else {
      for (const { happened, mend, ok, tried } of findings) {
        Terminal.line(`${tried.padEnd(width)}  ${happened}`, ok)
        if (mend !== null) Terminal.paragraph(`${mend}.`)
      }
    }
    if (faults > 0) {
      return yield* Failure.make(`the receiver has ${Printable.counted(faults, "fault")}`)
    }
    if (!json) Terminal.writeSuccess("The receiver does all that it must.")
  }),
).pipe(
  Described.as({
    description:
      "Check a webhook receiver. The command sends signed events as the service does, and prints what the receiver did with each, and what to do about a fault: events that come twice, in another order or with an unknown type, wrong and old signatures, slow responses and redirects. The events are of a payment that does not exist, with the reference florin-verify. Set FLORIN_WEBHOOK_SECRET to the secret of the webhook. The exit code is 1 if the receiver has a fault.",
    examples: [
      "florin verify http://localhost:4242/hook",
      "florin verify https://shop.example/florin --secret-file secret.txt --json",
    ],
  }),
)
