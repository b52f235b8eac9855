/**
 * The messages between a shop's page and the checkout in a frame of that page.
 *
 * Both sides state the exact origin that they send to, and ignore messages of any other window, origin, version or
 * type. No message contains a secret: the shop's page learns only what anybody with the payment link can read.
 *
 * @module
 */

/** In every message, as `florin`. A change that an older page would misunderstand needs a new number. */
export const version = 1

const statuses = [
  "requires_action",
  "processing",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
] as const

/** The status of a payment, as in the API. */
export type Status = (typeof statuses)[number]

/** What the shop's page asks of the checkout: to report to this page, or to be closed. */
export type Request = "hello" | "close"

export interface Ready {
  readonly type: "ready"
  /** The name of the dialog and of the button that closes it, in the payer's language. */
  readonly title: string
  readonly close: string
}

export interface Resized {
  readonly type: "resize"
  /** The height of the checkout in CSS pixels. */
  readonly height: number
}

export interface StatusChanged {
  readonly type: "status"
  readonly paymentId: string
  readonly status: Status
  readonly isFinal: boolean
}

/** The checkout may be closed now, or stays open because the payer must decide first. */
export interface Closing {
  readonly type: "close" | "stay"
}

/** What the checkout reports to the shop's page. */
export type Report = Ready | Resized | StatusChanged | Closing

/** Adds the version, for `postMessage`. */
export const seal = <Content extends object>(content: Content) => ({ florin: version, ...content })

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

/** Reads a status; undefined for anything else. */
export const readStatus = (value: unknown): Status | undefined =>
  statuses.find((each) => each === value)

const opened = (data: unknown): { readonly [name: string]: unknown } | undefined =>
  isObject(data) && data["florin"] === version ? data : undefined

/** Reads a request; undefined for anything else. */
export const readRequest = (data: unknown): Request | undefined => {
  const type = opened(data)?.["type"]
  return type === "hello" || type === "close" ? type : undefined
}

/** Reads a report; undefined for anything else. */
export const readReport = (data: unknown): Report | undefined => {
  const { close, height, isFinal, paymentId, status, title, type } = opened(data) ?? {}
  if (type === "close" || type === "stay") return { type }
  if (type === "resize" && typeof height === "number") return { type, height }
  if (type === "ready" && typeof title === "string" && typeof close === "string") {
    return { type, title, close }
  }
  const known = readStatus(status)
  return type === "status" && known !== undefined && typeof paymentId === "string"
    ? { type, paymentId, status: known, isFinal: isFinal === true }
    : undefined
}
