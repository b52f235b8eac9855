/**
 * The interface as an OpenAPI 3.1 document, one for each version. It is derived from the contract. This module only
 * adds what a reader or a code generator needs and Effect's own rendering leaves out.
 *
 * @module
 */
import * as Version from "@florin/core/domain/ground/Version"
import * as Event from "@florin/core/domain/payment/Event"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { api } from "./Api.ts"
import * as Examples from "./Examples.ts"
import * as Headers from "./Headers.ts"
import * as Introduction from "./Introduction.ts"
import * as JsonSchema from "./JsonSchema.ts"
import * as Problem from "./Problem.ts"
import * as Samples from "./Samples.ts"

export type Reference = { readonly $ref: string }

export interface Example {
  readonly summary: string
  readonly value: Schema.Json
}

export interface MediaType {
  readonly schema: JsonSchema.JsonSchema
  readonly examples?: { readonly [name: string]: Example }
}

export interface Content {
  readonly "application/json": MediaType
  readonly "text/csv"?: { readonly schema: JsonSchema.JsonSchema }
}

/** A response that stays open. The schema is that of one event. */
export interface StreamContent {
  readonly "text/event-stream": MediaType
}

/** The media type of a response's content: each has exactly one. */
export const mediaOf = (content: Content | StreamContent): MediaType =>
  "application/json" in content ? content["application/json"] : content["text/event-stream"]

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly deprecated?: boolean
  readonly style?: "form"
  readonly explode?: boolean
  readonly schema: JsonSchema.JsonSchema
}

export interface Response {
  readonly description: string
  readonly headers: { readonly [name: string]: Reference }
  readonly content: Content | StreamContent
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters: ReadonlyArray<Parameter | Reference>
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: { readonly [status: string]: Response | Reference }
  /** Code that makes the call, under the extension name that other OpenAPI readers know. */
  readonly "x-codeSamples": ReadonlyArray<Samples.Sample>
}

export const methods = ["get", "post", "put", "patch", "delete"] as const
export type Method = (typeof methods)[number]

export type Document = ReturnType<typeof make>

/** An operation, with what calls it: `GET` and a path. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The operations of a document, in its order. */
export const callsOf = ({ paths }: Pick<Document, "paths">): ReadonlyArray<Call> =>
  Object.entries(paths).flatMap(([path, item]) =>
    operationsIn(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )

const options: OpenApi.FromApiOptions = {
  includeAnnotationKey: (key) => key === "deprecated" || key === "pattern",
}

/** The schemas of the members of a query. */
const membersOf = (query: Schema.Top): { readonly [name: string]: JsonSchema.JsonSchema } => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Schema.toType(query), options)
  if (Object.keys(definitions).length > 0) throw new Error("a query names a shape: write it out")
  return JsonSchema.ofRendered({ ...schema, additionalProperties: false }).properties ?? {}
}

/**
 * The schemas of query parameters by operation, as the decoded values. Effect's document has the encoded ones, in which
 * a number is text that contains a number.
 */
const queries = new Map<string, ReturnType<typeof membersOf>>(
  Object.values(api.groups).flatMap((group) =>
    Object.values<{ readonly identifier: string; readonly query: Schema.Top | undefined }>(
      group.endpoints,
    ).flatMap(({ identifier, query }) =>
      query === undefined ? [] : [[`${group.identifier}.${identifier}`, membersOf(query)] as const],
    ),
  ),
)

const parameterOf = (
  raw: OpenApi.OpenAPISpecParameter,
  meant: JsonSchema.JsonSchema | undefined,
  version: Version.Version,
): Parameter => {
  const { deprecated, description, ...schema } = meant ?? JsonSchema.ofRendered(raw.schema)
  const named = {
    name: raw.in === "header" ? Headers.spell(raw.name) : raw.name,
    in: raw.in,
    required: raw.required,
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecated }),
  }
  if (named.name === "Svc-Version") {
    // A document describes the responses of its own version, so it allows no other: a client that is generated from it
    // never gets responses that it does not know. A preview is used only if the header asks for it.
    const required = Version.isPreview(version)
    return {
      ...named,
      ...(required && { description: "A preview version is used only if you send it" }),
      required,
      schema: { type: "string", enum: [version] },
    }
  }
  return {
    ...named,
    ...(raw.in === "query" && schema.type === "array" && { style: "form", explode: true }),
    schema,
  }
}

const reference = (
  kind: "headers" | "parameters" | "responses" | "schemas",
  name: string,
): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})

const meanings: { readonly [status: string]: string } = {
  200: "OK",
  201: "Created",
  400: "The request is invalid, or the state of the object does not allow it",
  401: "The key is invalid, or Merchant-Id is missing",
  403: "The key is not allowed to make this call",
  404: "Not found, or owned by somebody else",
  409: "Conflicts with an existing object, or the option is no longer offered",
  410: "The payment has expired",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "The signature or transaction is well-formed but wrong",
  429: "Too many requests: wait for the seconds in Retry-After",
  451: "Screening refused the payer",
  500: "An error of the service: retry",
  502: "The chain cannot be reached: retry",
  503: "Not ready: retry",
}

const headers = {
  "Request-Id": {
    description: "Identifies this request in the service's logs: send it when you ask for help",
    required: true,
    schema: { type: "string" },
  },
  "Svc-Version": {
    description: "The API version of this response",
    schema: { type: "string", enum: Version.all },
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
    schema: { type: "integer", minimum: 0 },
  },
  "Idempotency-Replayed": {
    description:
      "Present if this is the response to an earlier request with the same Idempotency-Key",
    schema: { type: "string", enum: ["true"] },
  },
  Deprecation: {
    description: "Since when the path is deprecated: `@` and Unix seconds (RFC 9745)",
    schema: { type: "string", pattern: "^@[0-9]+$" },
  },
  Link: {
    description: "The path that replaces it, as `successor-version`",
    schema: { type: "string" },
  },
}

/** Statuses whose responses say how long to wait. */
const waits = new Set(["429", "503"])

/** Statuses that only a call with a body can have. */
const bodily = new Set(["413", "415"])

const pascal = (text: string): string =>
  text.replaceAll(/(?:^|_)(?<letter>[a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** Names for several codes of one status, if every operation has them. */
const families: { readonly [status: string]: string } = { 400: "BadRequest", 401: "Unauthorized" }

/** Equal problems get equal names: after the family that every operation has, and the codes in addition to it. */
const problemName = (status: string, codes: ReadonlyArray<string>): string => {
  const family = families[status]
  const common = new Set<string>(family === undefined ? [] : Problem.everywhere)
  const own = codes.filter((code) => !common.has(code)).map(pascal)
  return [...(family === undefined ? [] : [family]), ...own].join("Or")
}

const codesOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<string> =>
  (schema.properties?.["code"]?.enum ?? []).filter((code) => typeof code === "string")

const contentOf = (
  schema: JsonSchema.JsonSchema,
  examples: ReadonlyArray<readonly [string, Example]>,
): Content => ({
  "application/json": {
    schema,
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
  },
})

const responseOf = (
  status: string,
  schema: JsonSchema.JsonSchema,
  examples: ReadonlyArray<readonly [string, Example]>,
  own: ReadonlyArray<string> = [],
): Response => ({
  description: meanings[status] ?? status,
  headers: Object.fromEntries(
    ["Request-Id", "Svc-Version", ...(waits.has(status) ? ["Retry-After"] : []), ...own].map(
      (name) => [name, reference("headers", name)],
    ),
  ),
  content: contentOf(schema, examples),
})

/** Codes whose message depends on the call, so that an example from one call does not fit another. */
const particular = new Set(["params_validation", "not_found"])

/** Recorded problems, as examples for every operation with the same code. */
const seenProblems = (codes: ReadonlyArray<string>, examples: ReadonlyArray<Examples.Example>) =>
  codes.flatMap((code) => {
    const seen = examples.find(({ name }) => name === code && !particular.has(name))
    return seen === undefined
      ? []
      : [[code, { summary: seen.summary, value: seen.response }] as const]
  })

const eventStream = "text/event-stream"

const jsonBody = (content: OpenApi.OpenApiSpecContent | undefined): unknown =>
  content?.["application/json"]?.schema ?? {}

const textSchema: JsonSchema.JsonSchema = { type: "string" }

const operationOf = (
  raw: OpenApi.OpenAPISpecOperation,
  { method, path }: { readonly method: Method; readonly path: string },
  query: { readonly [name: string]: JsonSchema.JsonSchema },
  version: Version.Version,
  recorded: ReadonlyArray<Examples.Example>,
): Operation => {
  const parameters = raw.parameters.map((each) =>
    parameterOf(each, each.in === "query" ? query[each.name] : undefined, version),
  )
  const examples = recorded.filter(({ operation }) => operation === raw.operationId)
  const sent = examples.flatMap(({ name, request, status, summary }) =>
    request === undefined || status >= 400 ? [] : [[name, { summary, value: request }] as const],
  )
  const hasCsv = query["format"]?.enum?.includes("csv") === true
  const replayable = method === "post" && parameters.some(({ name }) => name === "Idempotency-Key")
  const requestBody =
    raw.requestBody === undefined
      ? method === "post" && { required: false, content: contentOf({ type: "object" }, sent) }
      : {
          required: true,
          content: contentOf(JsonSchema.ofRendered(jsonBody(raw.requestBody.content)), sent),
        }
  const byStatus = Object.fromEntries(
    Object.entries(raw.responses).filter(
      ([status]) => requestBody !== false || !bodily.has(status),
    ),
  )
  return {
    operationId: raw.operationId,
    tags: raw.tags,
    summary: raw.summary ?? raw.operationId,
    ...(raw.description !== undefined && { description: raw.description }),
    ...(raw.deprecated !== undefined && { deprecated: raw.deprecated }),
    parameters: parameters.map((each) =>
      common.has(each.name) ? reference("parameters", each.name) : each,
    ),
    ...(requestBody !== false && { requestBody }),
    responses: Record.map(byStatus, ({ content }, status) => {
      const schema = JsonSchema.ofRendered(jsonBody(content))
      const shown = examples
        .filter((each) => String(each.status) === status)
        .map(({ name, response, summary }) => [name, { summary, value: response }] as const)
      const events = content?.[eventStream]?.schema
      if (events !== undefined) {
        return {
          ...responseOf(status, schema, []),
          content: { [eventStream]: { schema: JsonSchema.ofRendered(events) } },
        }
      }
      if (Number(status) < 400) {
        const response = responseOf(status, schema, shown, [
          ...(replayable ? ["Idempotency-Replayed"] : []),
          ...(raw.deprecated === true ? ["Deprecation", "Link"] : []),
        ])
        return hasCsv
          ? { ...response, content: { ...response.content, "text/csv": { schema: textSchema } } }
          : response
      }
      const name = problemName(status, codesOf(schema))
      return shown.length === 0
        ? reference("responses", name)
        : responseOf(status, reference("schemas", `${name}Problem`), shown)
    }),
    "x-codeSamples": Samples.of({
      operationId: raw.operationId,
      method: method.toUpperCase(),
      path,
      required: parameters
        .filter((each) => each.in === "header" && each.required)
        .map(({ name }) => name),
      body: sent[0]?.[1].value,
    }),
  }
}

/** The headers that every operation has. */
const common = new Set(Object.keys(Headers.common).map(Headers.spell))

const operationsIn = <O>(item: { readonly [M in Method]?: O }) =>
  methods.flatMap((method) => {
    const operation = item[method]
    return operation === undefined ? [] : [[method, operation] as const]
  })

const everyOperation = (spec: OpenApi.OpenAPISpec): ReadonlyArray<OpenApi.OpenAPISpecOperation> =>
  Object.values(spec.paths).flatMap((item) => operationsIn(item).map(([, operation]) => operation))

const commonParameters = (spec: OpenApi.OpenAPISpec, version: Version.Version) =>
  Object.fromEntries(
    everyOperation(spec)
      .flatMap(({ parameters }) => parameters)
      .map((each) => parameterOf(each, undefined, version))
      .filter(({ name }) => common.has(name))
      .map((each) => [each.name, each] as const),
  )

/** Every problem that some operation may return, by name. */
const problemsOf = (spec: OpenApi.OpenAPISpec, examples: ReadonlyArray<Examples.Example>) => {
  const problems = everyOperation(spec)
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { content }]) => {
      const schema = JsonSchema.ofRendered(jsonBody(content))
      const codes = codesOf(schema)
      return { status, schema, codes, name: problemName(status, codes) }
    })
  return {
    schemas: Object.fromEntries(
      problems.map(({ name, schema }) => [`${name}Problem`, schema] as const),
    ),
    responses: Object.fromEntries(
      problems.map(({ codes, name, status }) => {
        const schema = reference("schemas", `${name}Problem`)
        return [name, responseOf(status, schema, seenProblems(codes, examples))] as const
      }),
    ),
  }
}

/** The names that the text of a document refers to, directly or indirectly. */
const reachable = (
  roots: unknown,
  kind: string,
  from: { readonly [name: string]: unknown },
): ReadonlySet<string> => {
  const pattern = new RegExp(`"#/components/${kind}/([^"]+)"`, "gu")
  const found = new Set<string>()
  const visit = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(pattern)) {
      if (found.has(name)) continue
      found.add(name)
      visit(from[name] ?? null)
    }
  }
  visit(roots)
  return found
}

const keep = <A>(record: { readonly [name: string]: A }, names: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => names.has(name))
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )

const signed = [
  ["webhook-id", "The event's id, the same in every attempt"],
  ["webhook-timestamp", "Unix seconds of this attempt"],
  ["webhook-signature", "`v1,` and the signature, once for each valid secret, separated by spaces"],
] as const

const webhookOf = (type: string, schema: string, summary: string) => ({
  post: {
    operationId: `receive.${type}`,
    summary,
    description:
      "The service sends this to your webhook. Verify the signature before you use the event. Respond with 2xx within ten seconds, and do the work afterwards.",
    tags: ["webhooks"],
    parameters: signed.map(([name, meaning]): Parameter => ({
      name,
      in: "header",
      required: true,
      description: meaning,
      schema: { type: "string" },
    })),
    requestBody: { required: true, content: contentOf(reference("schemas", schema), []) },
    responses: {
      "2XX": {
        description:
          "Received. After any other response, the service retries the call, up to 8 attempts in total",
      },
    },
  },
})

const paymentEvents: { readonly [T in Event.PaymentEventType]: string } = {
  "payment.created": "A payment was created",
  "payment.processing": "The payer confirmed the payment",
  "payment.succeeded": "The transfer is final: the payment was paid",
  "payment.failed": "The payment failed",
  "payment.expired": "The payment expired: nobody paid in time",
  "payment.cancelled": "The payer or the merchant cancelled the payment",
  "payment.settled": "The merchant was paid its share, or it was set off against earlier refunds",
  "settlement.held": "The merchant's share could not be sent. The operator has to retry it",
  "refund.pending": "A refund was requested",
  "refund.processing": "The refund was sent, and is not final yet",
  "refund.succeeded": "The refund is final: the payer has the money",
  "refund.held": "The refund could not be sent. The operator has to retry it",
}

/** The webhook calls that endpoints receive, signed as Standard Webhooks defines: one for each type of event. */
const webhooks = {
  ...Record.map(paymentEvents, (summary, type) => webhookOf(type, "PaymentEvent", summary)),
  [Event.destinationChanged]: webhookOf(
    Event.destinationChanged,
    "SettlementDestinationEvent",
    "A merchant's destination was changed, confirmed or deleted",
  ),
  [Event.webhookTest]: webhookOf(
    Event.webhookTest,
    "TestEvent",
    "A test event for this webhook was requested",
  ),
}

/** The URL is relative to the document, as it does not know its service's address. */
const servers = [
  { url: "/", description: "The service that serves this document" },
  { url: "http://localhost:3000", description: "A service on this machine, such as `florin dev`" },
]

/**
 * Makes the document of a version, with the recorded examples.
 *
 * @example
 * JSON.stringify(OpenApiDocument.make("2026-02-18"))
 */
export const make = (
  version: Version.Version,
  examples: ReadonlyArray<Examples.Example> = Examples.all,
) => {
  const spec = OpenApi.fromApi(api, options)
  const problems = problemsOf(spec, examples)
  const schemas = {
    ...Record.map(spec.components.schemas, JsonSchema.ofRendered),
    ...problems.schemas,
  }
  const paths = Record.map(spec.paths, (item, path): { readonly [M in Method]?: Operation } =>
    Object.fromEntries(
      operationsIn(item).map(([method, operation]) => {
        const query = queries.get(operation.operationId) ?? {}
        return [method, operationOf(operation, { method, path }, query, version, examples)] as const
      }),
    ),
  )
  const responses = keep(problems.responses, reachable(paths, "responses", problems.responses))
  return {
    openapi: "3.1.0",
    info: {
      title: "Florin",
      version,
      summary: "Stablecoin payments from a wallet to a merchant",
      description: Introduction.text,
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: [{ "Api-Key": [] }],
    tags: spec.tags.map((tag) => ({ name: tag.name, description: tag.description ?? tag.name })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        "Api-Key": {
          type: "apiKey",
          in: "header",
          name: "Api-Key",
          description: "A wallet key or a partner key",
        },
      },
      parameters: commonParameters(spec, version),
      headers,
      responses,
      schemas: keep(schemas, reachable([paths, responses], "schemas", schemas)),
    },
  }
}
