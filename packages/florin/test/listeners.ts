/**
 * Receivers of a partner's webhooks, each of which accepts, refuses or never responds. The standard's own library
 * verifies what they receive.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Webhook } from "standardwebhooks"
import * as Listening from "./listening.ts"

const Body = Schema.Struct({
  type: Schema.String,
  timestamp: Schema.String,
  data: Schema.Struct({ paymentId: Schema.String }),
})
const readHeaders = Schema.decodeUnknownSync(
  Schema.Struct({
    "webhook-id": Schema.String,
    "webhook-timestamp": Schema.String,
    "webhook-signature": Schema.String,
  }),
)
const readBody = Schema.decodeUnknownSync(Body)

export type Manner = number | "hang"

/** A call as it was heard. */
interface Heard {
  readonly id: string
  readonly body: string
  readonly paymentId: string
  /** How long after the event it came. */
  readonly lagInMs: number
}

export interface Listener {
  readonly url: string
  /** Verifies with this secret from now on. */
  readonly trust: (secret: string) => void
  readonly heard: ReadonlyArray<Heard>
  /** Those that the library of the standard refused. */
  readonly refused: ReadonlyArray<string>
  /** How many events were heard, repetitions aside. */
  readonly count: () => number
}

/** A receiver, until the scope ends. */
export const listen = Effect.fnUntraced(function* (manner: (nth: number) => Manner) {
  const heard: Array<Heard> = []
  const refused: Array<string> = []
  const ids = new Set<string>()
  let webhook: Webhook | undefined
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Listening.start(({ body, headers: sent }, response) => {
        const headers = readHeaders(sent)
        try {
          const { data, timestamp } = readBody(webhook?.verify(body, headers))
          const lagInMs = Date.now() - Date.parse(timestamp)
          ids.add(headers["webhook-id"])
          heard.push({ id: headers["webhook-id"], body, paymentId: data.paymentId, lagInMs })
        } catch (error) {
          refused.push(String(error))
        }
        const answer = manner(heard.length)
        if (answer !== "hang") response.writeHead(answer).end()
      }),
    ),
    ({ close }) => Effect.sync(close),
  )
  const listener: Listener = {
    url,
    trust: (secret) => {
      webhook = new Webhook(secret)
    },
    heard,
    refused,
    count: () => ids.size,
  }
  return listener
})
