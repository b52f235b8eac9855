/**
 * Renders the operator's API for docs/: its OpenAPI document, and a page for people.
 *
 * @module
 */
import * as OpenApi from "effect/http-api/OpenApi"
import * as JsonSchema from "../packages/api/src/JsonSchema.ts"
import { methods } from "../packages/api/src/OpenApiDocument.ts"
import { api } from "../packages/api/src/operator/Api.ts"
import * as Endpoint from "../packages/api/src/operator/Endpoint.ts"

const spec = OpenApi.fromApi(api)

const schemaOf = (content: OpenApi.OpenApiSpecContent | undefined) => {
  const body = Object.values(content ?? {})[0]?.schema
  return body === undefined ? undefined : JsonSchema.ofRendered(body)
}

/** Jobs stream events, everything else is JSON. */
const typeOf = (content: OpenApi.OpenApiSpecContent | undefined): string =>
  Object.keys(content ?? {})[0] ?? "application/json"

const codesOf = (schema: JsonSchema.JsonSchema | undefined): ReadonlyArray<string> =>
  (schema?.properties?.["code"]?.enum ?? []).filter((code) => typeof code === "string").toSorted()

/** Equal problems are one component: a status, and the codes that it may have. */
const problems = new Map<string, string>()
const responses: { [name: string]: object } = {}
const problemOf = (status: string, schema: JsonSchema.JsonSchema | undefined): object => {
  const codes = codesOf(schema)
  const key = [status, ...codes].join(" ")
  const alike = [...problems.keys()].filter((each) => each.startsWith(status)).length
  const name = problems.get(key) ?? `Problem${status}${alike === 0 ? "" : `_${alike + 1}`}`
  problems.set(key, name)
  responses[name] = {
    description: `The code is ${codes.map((code) => `\`${code}\``).join(" or ")}`,
    content: { "application/json": { schema } },
  }
  return { $ref: `#/components/responses/${name}` }
}

const operationOf = (raw: OpenApi.OpenAPISpecOperation) => ({
  ...raw,
  security: [{ "Api-Key": [] }],
  ...(raw.parameters.length > 0 && {
    parameters: raw.parameters.map((each) => ({
      ...each,
      schema: JsonSchema.ofRendered(each.schema),
    })),
  }),
  responses: Object.fromEntries(
    Object.entries(raw.responses).map(([status, { content, description }]) => {
      const schema = schemaOf(content)
      return [
        status,
        Number(status) >= 400
          ? problemOf(status, schema)
          : { description, content: { [typeOf(content)]: { schema } } },
      ]
    }),
  ),
})

const paths = Object.fromEntries(
  Object.entries(spec.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined ? [] : [[method, operationOf(operation)]]
      }),
    ),
  ]),
)

const document = {
  openapi: "3.1.0",
  info: {
    title: "Florin, for its operator",
    version: "1",
    summary: "What the operator of a Florin decides, sees and mends",
    description: "Served on the operator's port and the control socket, never on the public port.",
    contact: { name: "The operator of this service" },
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "http://127.0.0.1:9464", description: "The operator's port" }],
  tags: spec.tags.map(({ description = "", name }) => ({ name, description })),
  paths,
  components: {
    securitySchemes: {
      "Api-Key": {
        type: "apiKey",
        in: "header",
        name: "Api-Key",
        description: "An operator's key",
      },
    },
    responses,
    schemas: Object.fromEntries(
      Object.entries(spec.components.schemas).map(([name, schema]) => [
        name,
        JsonSchema.ofRendered(schema),
      ]),
    ),
  },
}

/** What a payer must have entered says nothing of a record that is read. */
const isOfForms = (name: string, value: unknown): boolean =>
  name === "anyOf" &&
  Array.isArray(value) &&
  value.every((each) => Object.keys(Object(each)).join() === "required")

export const renderOpenApi = (): string =>
  `${JSON.stringify(document, (name, value: unknown) => (isOfForms(name, value) ? undefined : value), 2)}\n`

const row = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `\`${method} ${path}\``

const textsOf = (method: string, path: string) => {
  const found: { readonly summary?: string } | undefined = Object(
    spec.paths[path.replaceAll(/:(\w+)/gu, "{$1}")],
  )[method.toLowerCase()]
  return { summary: found?.summary ?? "" }
}

const section = (group: (typeof api.groups)[keyof typeof api.groups]): string =>
  [
    `## ${group.identifier}`,
    "",
    "| In this process | HTTP | Scope | What it does |",
    "| --- | --- | --- | --- |",
    ...Object.values(group.endpoints).map((endpoint) => {
      const { scope } = Endpoint.accessOf(endpoint)
      const { summary } = textsOf(endpoint.method, endpoint.path)
      return `| \`${group.identifier}.${endpoint.identifier}\` | ${row(endpoint)} | \`${scope}\` | ${summary} |`
    }),
    "",
  ].join("\n")

export const render = (): string =>
  [
    "# The operator's API",
    "",
    "<!-- Generated by scripts/operator-api.ts. Do not edit. -->",
    "",
    "The operator's port serves this API (`--operator-port`). The public port does not. In your own process, `florin.operator` has the same operations without HTTP: `await florin.operator.partners.create({ name })`. Path, query and body are members of one record. [openapi/operator.json](openapi/operator.json) has the schemas.",
    "",
    "Send an operator's key in the `Api-Key` header. Create the first one with `florin keys create --operator Ada --scopes admin`. Operations that create something need an `Idempotency-Key`. A retry with the same key gets the first response. Errors are problems with a `code`, as in the partner's API.",
    "",
    "`reconciliation.run` is a job: its response is a stream of server-sent events with `progress`, and at last with `result` or `problem`. It stops when you close the connection. In your own process it is a promise of the result: `florin.operator.reconciliation.run({}, { onProgress })`.",
    "",
    ...Object.values(api.groups).map(section),
  ].join("\n")
