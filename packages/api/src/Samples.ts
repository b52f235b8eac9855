/**
 * Sample code for each call: with curl, and with `@florin/client`.
 *
 * @module
 */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as Schema from "effect/Schema"
import type { api } from "./Api.ts"

export interface Sample {
  readonly lang: "Shell" | "JavaScript"
  readonly label: string
  readonly source: string
}

/** The parts of a call that its samples need. */
export interface Call {
  readonly operationId: string
  readonly method: string
  readonly path: string
  /** The call's required headers. */
  readonly required: ReadonlyArray<string>
  readonly body: Schema.Json | undefined
}

type Groups = typeof api.groups
type IdsOf<Name extends string, Group extends HttpApiGroup.Constraint> = {
  readonly [Endpoint in keyof Group["endpoints"] & string]: `${Name}.${Endpoint}`
}[keyof Group["endpoints"] & string]
type OperationId = {
  readonly [Name in keyof Groups & string]: IdsOf<Name, Groups[Name]>
}[keyof Groups & string]

/**
 * The call of `@florin/client` for each operation; null if the client uses a newer path, or if only a browser
 * calls it. Names are the parameters of
 * the path, in their order; `body` is the body of an example.
 */
const clientCalls: { readonly [Id in OperationId]: string | null } = {
  "gateway.get": "await wallet.get(paymentId)",
  "gateway.options": "await wallet.options(paymentId, body)",
  "gateway.fetch": "await wallet.fetch(paymentId, body)",
  "gateway.confirm": "await wallet.confirm(paymentId, body)",
  "gateway.status": "await wallet.status(paymentId, { maxPollMs: 20_000 })",
  "gateway.cancel": "await wallet.cancel(paymentId)",
  "payments.statistics":
    'await florin.payments.statistics({ by: "week", timeZone: "Europe/Berlin" })',
  "payments.list": 'await florin.payments.list({ status: ["succeeded"], limit: 20 })',
  "payments.create": "await florin.payments.create(body)",
  "payments.get": "await florin.payments.get(paymentId)",
  "payments.status": "await florin.payments.status(paymentId, { maxPollMs: 20_000 })",
  "payments.cancel": "await florin.payments.cancel(paymentId)",
  "payments.listOfMerchant": "await florin.payments.listOfMerchant(merchantId)",
  "payments.listOfMerchantByPath": null,
  "payments.createAlias": null,
  "payments.statusAlias": null,
  "merchants.list": 'await florin.merchants.list({ search: "coffee" })',
  "merchants.create": "await florin.merchants.create(body)",
  "merchants.get": "await florin.merchants.get(merchantId)",
  "merchants.update": "await florin.merchants.update(merchantId, body)",
  "merchants.remove": "await florin.merchants.remove(merchantId)",
  "merchants.statement":
    'await florin.merchants.statement(merchantId, { from: "2026-09-01", to: "2026-09-30" })',
  "settlements.list": "await florin.settlements.list(merchantId)",
  "settlements.create": "await florin.settlements.create(merchantId, body)",
  "settlements.change": "await florin.settlements.change(merchantId, settlementId, body)",
  "settlements.remove": "await florin.settlements.remove(merchantId, settlementId)",
  "refunds.create": "await florin.refunds.create(body)",
  "refunds.destination": "await florin.refunds.destination(body)",
  "refunds.list": "await florin.refunds.list(paymentId)",
  "refunds.get": "await florin.refunds.get(refundId)",
  "payouts.list": "await florin.payouts.list()",
  "payouts.get": "await florin.payouts.get(payoutId)",
  "events.list": "await florin.events.list({ limit: 20 })",
  "events.stream":
    "for await (const { cursor, event } of florin.events.stream()) console.log(cursor, event.type)",
  "webhooks.list": "await florin.webhooks.list()",
  "webhooks.create": "await florin.webhooks.create(body)",
  "webhooks.get": "await florin.webhooks.get(webhookId)",
  "webhooks.change": "await florin.webhooks.change(webhookId, body)",
  "webhooks.remove": "await florin.webhooks.remove(webhookId)",
  "webhooks.rotate": "await florin.webhooks.rotate(webhookId)",
  "webhooks.test": "await florin.webhooks.test(webhookId)",
  "webhooks.deliveries": "await florin.webhooks.deliveries(webhookId)",
  "webhooks.redeliver": "await florin.webhooks.redeliver(webhookId, deliveryId)",
  "webhooks.replay": "await florin.webhooks.replay(webhookId, body)",
  "keys.list": "await florin.keys.list()",
  "keys.create": "await florin.keys.create(body)",
  "keys.rotate": "await florin.keys.rotate(keyId)",
  "keys.revoke": "await florin.keys.revoke(keyId)",
  "assets.list": "await florin.assets.list()",
  "auditLog.list": "await florin.auditLog.list()",
  "approvals.list": "await florin.approvals.list()",
  "approvals.approve": "await florin.approvals.approve(approvalId)",
  "approvals.decline": "await florin.approvals.decline(approvalId)",
  "session.signIn": null,
  "session.get": null,
  "session.signOut": null,
  "session.passkeys": null,
  "session.addPasskey": null,
  "session.removePasskey": null,
}

const isOperationId = (text: string): text is OperationId => text in clientCalls

/** Optional headers that the sample of a call still includes. */
const alsoSent: { readonly [Id in OperationId]?: ReadonlyArray<string> } = {
  "payments.create": ["Merchant-Id", "Idempotency-Key"],
  "payments.createAlias": ["Merchant-Id", "Idempotency-Key"],
  "payments.cancel": ["Merchant-Id"],
  "refunds.create": ["Merchant-Id", "Idempotency-Key"],
  "refunds.destination": ["Merchant-Id"],
  "refunds.list": ["Merchant-Id"],
  "refunds.get": ["Merchant-Id"],
}

/** The query of a sample, the same for curl and the client. */
const queries: { readonly [Id in OperationId]?: string } = {
  "gateway.status": "maxPollMs=20000",
  "payments.list": "status=succeeded&limit=20",
  "payments.statistics": "by=week&timeZone=Europe%2FBerlin",
  "payments.status": "maxPollMs=20000",
  "merchants.list": "search=coffee",
  "merchants.statement": "from=2026-09-01&to=2026-09-30",
  "refunds.list": "paymentId=$PAYMENT_ID",
  "events.list": "limit=20",
}

/** Longer ids and signatures are shortened, as a sample only shows their position. */
const textMax = 80
const textShown = 24
const shorten = (text: string): string =>
  text.length > textMax ? `${text.slice(0, textShown)}…` : text

interface Style {
  readonly key: (key: string) => string
  /** The text after the last member, if each member has its own line. */
  readonly last: string
}

const asJson: Style = { key: (key) => JSON.stringify(key), last: "" }
const asJavaScript: Style = {
  key: (key) => (/^[a-z_$][\w$]*$/iu.test(key) ? key : JSON.stringify(key)),
  last: ",",
}

const lineMax = 80

/** Formats a value as people write it: on one line if that is short. `column` is the current length of the line. */
const write = (value: Schema.Json, style: Style, column: number, indent = ""): string => {
  if (typeof value === "string") return JSON.stringify(shorten(value))
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each: Schema.Json) => write(each, style, inner.length, inner))
    : Object.entries(value).map(([name, each]) => {
        const key = `${style.key(name)}: `
        return `${key}${write(each, style, inner.length + key.length, inner)}`
      })
  const [open, close, space] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "]
  if (parts.length === 0) return `${open}${close}`
  const short = `${open}${space}${parts.join(", ")}${space}${close}`
  if (column + short.length <= lineMax && !short.includes("\n")) return short
  const lines = parts.map((each) => `${inner}${each}`).join(",\n")
  return `${open}\n${lines}${style.last}\n${indent}${close}`
}

const clientCallOf = (operationId: string): string | null =>
  isOperationId(operationId) ? clientCalls[operationId] : null

/** A parameter as a shell variable: `paymentId` becomes `PAYMENT_ID`. */
const variable = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()

/** The path with a shell variable for each parameter, named as the client's call names it. */
const shellPath = ({ operationId, path }: Call): string => {
  const [, args = ""] = /\(([^()]*)\)/u.exec(clientCallOf(operationId) ?? "") ?? []
  const names = args.split(", ").filter((each) => /^\w+Id$/u.test(each))
  let index = 0
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const argument = names[index] ?? (name === "id" ? "paymentId" : name)
    index += 1
    return `$${variable(argument)}`
  })
}

/** What identifies a person in the console, instead of a key. */
const ofPeople: { readonly [Id in OperationId]?: ReadonlyArray<string> } = {
  "session.signIn": ["Api-Key: $SIGN_IN_KEY"],
  "session.get": ["Cookie: $SESSION_COOKIE"],
  "session.signOut": ["Cookie: $SESSION_COOKIE", "Csrf-Token: $CSRF_TOKEN"],
  "session.passkeys": ["Cookie: $SESSION_COOKIE"],
  "session.addPasskey": ["Cookie: $SESSION_COOKIE", "Csrf-Token: $CSRF_TOKEN"],
  "session.removePasskey": ["Cookie: $SESSION_COOKIE", "Csrf-Token: $CSRF_TOKEN"],
}

const headersOf = ({ operationId, required }: Call): ReadonlyArray<string> => {
  const also = (isOperationId(operationId) && alsoSent[operationId]) || []
  const sent = new Set([...required, ...also])
  const key = `Api-Key: ${operationId.startsWith("gateway.") ? "$WALLET_KEY" : "$API_KEY"}`
  return [
    ...((isOperationId(operationId) && ofPeople[operationId]) || [key]),
    ...(sent.has("Merchant-Id") ? ["Merchant-Id: $MERCHANT_ID"] : []),
    ...(sent.has("Idempotency-Key") ? [`Idempotency-Key: ${operationId}-1`] : []),
  ]
}

const hasMembers = (body: Schema.Json | undefined): body is Schema.Json =>
  body !== undefined && JSON.stringify(body) !== "{}"

const curl = (call: Call): string => {
  const { body, method, operationId } = call
  const query = isOperationId(operationId) ? queries[operationId] : undefined
  const url = `"$FLORIN_URL${shellPath(call)}${query === undefined ? "" : `?${query}`}"`
  const flags = [
    ...(operationId === "events.stream" ? ["-N"] : []),
    ...(method === "GET" || (method === "POST" && hasMembers(body)) ? [] : ["-X", method]),
  ]
  const json = hasMembers(body) ? write(body, asJson, 0).replaceAll("'", String.raw`'\''`) : null
  return [
    ["curl", ...flags, url].join(" "),
    ...headersOf(call).map((header) => `-H "${header}"`),
    ...(json === null ? [] : ['-H "Content-Type: application/json"', `-d '${json}'`]),
  ].join(" \\\n  ")
}

const client = ({ body, operationId }: Call): string | null =>
  clientCallOf(operationId)?.replace(/\bbody\b/u, (_, at: number) =>
    body === undefined ? "body" : write(body, asJavaScript, at),
  ) ?? null

/** The setup of both clients, shared by all samples. */
export const setup = `import { makePartner, makeWallet } from "@florin/client"

const florin = makePartner({
  baseUrl: "$FLORIN_URL",
  apiKey: "$API_KEY",
  merchantId: "$MERCHANT_ID",
})
const wallet = makeWallet({ baseUrl: "$FLORIN_URL", apiKey: "$WALLET_KEY" })`

/** The samples of a call. The reader fills in `$FLORIN_URL`, keys and ids. */
export const of = (call: Call): ReadonlyArray<Sample> => {
  const source = client(call)
  return [
    { lang: "Shell", label: "curl", source: curl(call) },
    ...(source === null ? [] : [{ lang: "JavaScript" as const, label: "@florin/client", source }]),
  ]
}
