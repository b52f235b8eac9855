/**
 * Verifies webhooks in their receiver: that the service signed them, as Standard Webhooks defines, and not long ago. It
 * needs only WebCrypto, so it runs in Node, Deno, Bun, workers and browsers.
 *
 * @module
 */
import * as Connection from "./Connection.ts"
import { type FlorinEvent, isEvent } from "./Event.ts"

/** A call that must not be trusted: respond with 400, and do nothing. The message repeats nothing of the call. */
export class InvalidWebhook extends Error {
  readonly _tag = "InvalidWebhook"
  override readonly name = "InvalidWebhook"
  readonly reason: "headers" | "timestamp" | "signature" | "body"

  constructor(reason: InvalidWebhook["reason"], message: string) {
    super(message)
    this.reason = reason
  }
}

/** The web's `Headers`, or the headers of Node's requests. */
type Headers =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

export interface WebhookCall {
  /** The body as it was received. A body that was parsed and serialized again may have different bytes. */
  readonly body: string | Uint8Array
  readonly headers: Headers
  /**
   * The endpoint's secret, `whsec_…`. If you pass several, for example while you replace one, any of them may have
   * signed.
   */
  readonly secret: string | ReadonlyArray<string>
  /** The maximum difference between the time of the call and this machine's: 300 s by default. */
  readonly toleranceInS?: number
}

const defaultToleranceInS = 300
const secretPrefix = "whsec_"

/** Also finds names that are not in lower case. */
const headerOf = (headers: Headers, name: string): string => {
  if (typeof headers.get === "function") return headers.get(name) ?? ""
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  return [entry?.[1] ?? ""].flat().join(" ")
}

const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  throw new TypeError(
    "body must be the text or the bytes as they came: read them before any parser of JSON does",
  )
}

/** The prefix, and the base64 of 24 to 64 bytes. */
const secretPattern = /^whsec_(?:[0-9A-Za-z+/]{4}){8,21}(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$/u

const secretsOf = (secret: WebhookCall["secret"]): ReadonlyArray<string> => {
  const secrets = [secret].flat()
  if (secrets.length > 0 && secrets.every((each) => secretPattern.test(each))) return secrets
  throw new TypeError(`secret must be ${secretPrefix} and what follows, as the service showed it`)
}

const keyOf = (secret: string): Promise<CryptoKey> => {
  const encoded = secret.slice(secretPrefix.length)
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
}

/** Compares two texts in a time that does not depend on where they first differ. */
const isSame = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}

const signature = async (secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> => {
  const signed = await crypto.subtle.sign("HMAC", await keyOf(secret), content)
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`
}

/** The signed content. */
const contentOf = (id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

/** Whether a time in Unix seconds is close to this machine's time. */
const isNear = (timestamp: string, toleranceInS: number): boolean =>
  /^(?:0|[1-9][0-9]{0,14})$/u.test(timestamp) &&
  // @effect-diagnostics-next-line globalDate:off -- no Effect runtime here.
  Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceInS

/**
 * Returns the event of a webhook if the service signed it and sent it within the tolerance; rejects with
 * `InvalidWebhook` if not. Store its `id`: the same event may come several times.
 *
 * @example
 * const event = await verifyWebhook({
 *   body: await request.text(),
 *   headers: request.headers,
 *   secret, // `whsec_…`
 * })
 * if (event.type === "payment.succeeded") await ship(event.data.referenceId)
 */
export const verifyWebhook = async (call: WebhookCall): Promise<FlorinEvent> => {
  const { headers, secret, toleranceInS = defaultToleranceInS } = call
  const body = bytesOf(call.body)
  const secrets = secretsOf(secret)
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature")
  if ([id, timestamp, signatures].includes("")) {
    throw new InvalidWebhook(
      "headers",
      "a webhook has the headers webhook-id, webhook-timestamp and webhook-signature",
    )
  }
  const content = contentOf(id, timestamp, body)
  const expected = await Promise.all(secrets.map((each) => signature(each, content)))
  let isSigned = false
  for (const given of signatures.split(" ")) {
    for (const each of expected) isSigned = isSame(each, given) || isSigned
  }
  if (!isSigned) {
    throw new InvalidWebhook(
      "signature",
      "no signature matches: the secret belongs to another endpoint, or the body is not as it came",
    )
  }
  if (!isNear(timestamp, toleranceInS)) {
    throw new InvalidWebhook(
      "timestamp",
      `webhook-timestamp must be within ${toleranceInS} s of this machine's time: check its clock`,
    )
  }
  const event = Connection.parse(new TextDecoder().decode(body))
  if (!isEvent(event))
    throw new InvalidWebhook("body", "the signature is valid, but the body is not an event")
  return event
}
