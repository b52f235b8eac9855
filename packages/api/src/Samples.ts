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
 * The calls of `@florin/client` that do not follow from their operations: with a query, or otherwise. Null if the
 * client uses a newer path.
 */
const otherCalls: { readonly [Id in OperationId]?: string | null } = {
  "gateway.status": "await wallet.status(paymentId, { maxPollMs: 20_000 })",
  "payments.statistics":
    'await florin.payments.statistics({ by: "week", timeZone: "Europe/Berlin" })',
  "payments.list": 'await florin.payments.list({ status: ["succeeded"], limit: 20 })',
  "payments.status": "await florin.payments.status(paymentId, { maxPollMs: 20_000 })",
  "payments.listOfMerchant": "await florin.payments.listOfMerchant(merchantId)",
  "payments.listOfMerchantByPath": null,
  "payments.createAlias": null,
  "payments.statusAlias": null,
  "merchants.list": 'await florin.merchants.list({ search: "coffee" })',
  "merchants.statement":
    'await florin.merchants.statement(merchantId, { from: "2026-09-01", to: "2026-09-30" })',
  "refunds.list": "await florin.refunds.list(paymentId)",
  "events.list": "await florin.events.list({ limit: 20 })",
  "events.stream":
    "for await (const { cursor, event } of florin.events.stream()) console.log(cursor, event.type)",
}

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

const hasMembers = (body: Schema.Json | undefined): body is Schema.Json =>
  body !== undefined && JSON.stringify(body) !== "{}"

const rowOf = <A>(rows: { readonly [Id in OperationId]?: A }, { operationId }: Call) =>
  Object.entries<A>(rows).find(([id]) => id === operationId)?.[1]

/** The groups whose name is not that of their nouns. */
const nouns: { readonly [group: string]: string } = { gateway: "payment", session: "key" }

/** A parameter of the path as the client names it: `id` is that of the noun, as `webhookId`. */
const parameterOf = ({ operationId }: Call, name: string): string => {
  const [group = ""] = operationId.split(".")
  return name === "id" ? `${nouns[group] ?? group.replace(/s$/u, "")}Id` : name
}

const parameterPattern = /\{(\w+)\}/gu

/** The call of `@florin/client`; null if it has none, or if only a browser calls the operation. */
const clientCallOf = (call: Call): string | null => {
  const other = rowOf(otherCalls, call)
  if (other !== undefined) return other
  const [group, name] = call.operationId.split(".")
  if (group === "session") return null
  const client = group === "gateway" ? "wallet" : `florin.${group}`
  const names = [...call.path.matchAll(parameterPattern)].map(([, each = ""]) =>
    parameterOf(call, each),
  )
  const args = [...names, ...(hasMembers(call.body) ? ["body"] : [])]
  return `await ${client}.${name}(${args.join(", ")})`
}

/** A parameter as a shell variable: `paymentId` becomes `PAYMENT_ID`. */
const variable = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()

/** The path with a shell variable for each parameter, named as the client's call names it. */
const shellPath = (call: Call): string =>
  call.path.replaceAll(
    parameterPattern,
    (_, name: string) => `$${variable(parameterOf(call, name))}`,
  )

/** What identifies the caller: a key, or a person in the console. */
const credentialsOf = ({ method, operationId }: Call): ReadonlyArray<string> => {
  if (operationId === "session.signIn") return ["Api-Key: $SIGN_IN_KEY"]
  if (operationId.startsWith("session.")) {
    const token = method === "GET" ? [] : ["Csrf-Token: $CSRF_TOKEN"]
    return ["Cookie: $SESSION_COOKIE", ...token]
  }
  return [`Api-Key: ${operationId.startsWith("gateway.") ? "$WALLET_KEY" : "$API_KEY"}`]
}

const headersOf = (call: Call): ReadonlyArray<string> => {
  const { operationId, required } = call
  const sent = new Set([...required, ...(rowOf(alsoSent, call) ?? [])])
  return [
    ...credentialsOf(call),
    ...(sent.has("Merchant-Id") ? ["Merchant-Id: $MERCHANT_ID"] : []),
    ...(sent.has("Idempotency-Key") ? [`Idempotency-Key: ${operationId}-1`] : []),
  ]
}

const curl = (call: Call): string => {
  const { body, method, operationId } = call
  const query = rowOf(queries, call)
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

const client = (call: Call): string | null =>
  clientCallOf(call)?.replace(/\bbody\b/u, (_, at: number) =>
    write(call.body ?? {}, asJavaScript, at),
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
