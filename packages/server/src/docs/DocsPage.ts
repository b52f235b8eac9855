/**
 * Renders the OpenAPI document as a page for people: plain HTML and one stylesheet, no script, nothing from other
 * hosts.
 *
 * @module
 */
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Samples from "@florin/api/Samples"
import * as Version from "@florin/core/domain/Version"
import type { ExampleKeys } from "../EdgeSettings.ts"
import { code, inline, join, type Markup, markup, nothing, prose, sample, value } from "./Markup.ts"
import type * as Search from "./Search.ts"

const lastOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Markup>>,
): Markup => {
  if (rows.length === 0) return nothing
  const head = columns.map((name) => markup`<th scope="col">${name}</th>`)
  const body = rows.map(
    (cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>\n`,
  )
  return markup`<div class="table" tabindex="0"><table>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>
`
}

const between = (
  least: number | undefined,
  most: number | undefined,
  of = "",
): ReadonlyArray<Markup> => {
  if (least === undefined) return most === undefined ? [] : [markup`at most ${most}${of}`]
  return most === undefined ? [markup`at least ${least}${of}`] : [markup`${least} to ${most}${of}`]
}

/** Keywords with their own wording. Any other keyword is shown as it is written. */
const worded = new Set(
  `$ref type format description default enum pattern minimum maximum minLength maxLength minItems maxItems
  minProperties maxProperties items prefixItems properties required patternProperties additionalProperties propertyNames
  anyOf oneOf examples contentMediaType contentSchema`.split(/\s+/u),
)

/** A longer pattern is meant for programs. People read the description instead. */
const patternMaxLength = 40

/** The rules for a value in addition to its type. */
const rules = (schema: JsonSchema.JsonSchema): ReadonlyArray<Markup> => [
  ...between(schema.minimum, schema.maximum),
  ...between(schema.minLength, schema.maxLength, " characters"),
  ...between(schema.minItems, schema.maxItems, " items"),
  ...between(schema.minProperties, schema.maxProperties, " entries"),
  ...(schema.pattern === undefined || schema.pattern.length > patternMaxLength
    ? []
    : [code(schema.pattern)]),
  ...(schema.propertyNames === undefined
    ? []
    : [markup`keys of ${join(rules(schema.propertyNames), ", ")}`]),
  ...(schema.default === undefined ? [] : [markup`${value(schema.default)} by default`]),
  ...Object.entries(schema)
    .filter(([keyword]) => !worded.has(keyword))
    .map(([keyword, each]) => code(`${keyword}: ${JSON.stringify(each)}`)),
]

/** The shapes of a map's values, for all of its keys or for those of a pattern. */
const entriesOf = ({
  additionalProperties: all,
  patternProperties = {},
}: JsonSchema.JsonSchema): ReadonlyArray<
  readonly [keys: Markup, values: JsonSchema.JsonSchema]
> => [
  ...Object.entries(patternProperties).map(
    ([pattern, each]) => [markup` for keys like ${code(pattern)}`, each] as const,
  ),
  ...(typeof all === "object" ? [[nothing, all] as const] : []),
]

/** Describes a value by its shape alone. */
const shapeOf = (schema: JsonSchema.JsonSchema): Markup => {
  const { $ref, anyOf, contentSchema, enum: choices, items, oneOf, prefixItems } = schema
  if ($ref !== undefined) {
    return markup`<a href="#schema-${lastOf($ref)}">${lastOf($ref)}</a>`
  }
  const ways = anyOf ?? oneOf
  if (ways !== undefined) return join(ways.map(typeOf), " or ")
  if (contentSchema !== undefined) return markup`JSON text of ${typeOf(contentSchema)}`
  if (choices !== undefined) return join(choices.map(value), ", ")
  if (prefixItems !== undefined) return markup`list of ${join(prefixItems.map(typeOf), ", then ")}`
  if (items !== undefined) return markup`array of ${typeOf(items)}`
  const maps = entriesOf(schema).map(([keys, values]) => markup`map of ${typeOf(values)}${keys}`)
  if (maps.length > 0) return join(maps, " and ")
  return markup`${schema.type ?? "anything"}${schema.format === undefined ? "" : ` (${schema.format})`}`
}

const typeOf = (schema: JsonSchema.JsonSchema): Markup =>
  join([shapeOf(schema), ...rules(schema)], ", ")

interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: JsonSchema.JsonSchema
}

/** Every member of an object, including those of inner objects that have no name of their own. */
const fieldsOf = (schema: JsonSchema.JsonSchema, prefix = ""): ReadonlyArray<Field> =>
  Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = `${prefix}${key}`
    const field = { name, required: schema.required?.includes(key) ?? false, schema: member }
    return [field].concat(fieldsIn(member, name))
  })

/** The members of a field's value, for each of its alternatives. */
const fieldsIn = (schema: JsonSchema.JsonSchema, name: string): ReadonlyArray<Field> => {
  const { anyOf, items, oneOf } = schema
  const own = items === undefined ? fieldsOf(schema, `${name}.`) : fieldsOf(items, `${name}[].`)
  return own.concat(
    entriesOf(schema).flatMap(([, values]) => fieldsOf(values, `${name}.*.`)),
    (anyOf ?? oneOf ?? []).flatMap((way) => fieldsIn(way, name)),
  )
}

const yesOrNo = (is: boolean): Markup => (is ? markup`yes` : markup`no`)

const meaningOf = ({ description = "", examples }: JsonSchema.JsonSchema): Markup => {
  const [example] = examples ?? []
  return example === undefined
    ? inline(description)
    : markup`${inline(description)} <span class="faint">for example ${value(example)}</span>`
}

const fields = (schema: JsonSchema.JsonSchema, required: string): Markup =>
  table(
    ["Field", "Type", required, "Meaning"],
    fieldsOf(schema).map((field) => [
      code(field.name),
      typeOf(field.schema),
      yesOrNo(field.required),
      meaningOf(field.schema),
    ]),
  )

const parameters = (list: ReadonlyArray<OpenApiDocument.Parameter>): Markup =>
  table(
    ["Parameter", "In", "Type", "Required", "Meaning"],
    list.map(({ deprecated, description = "", in: place, name, required, schema }) => [
      deprecated === true ? markup`<s>${code(name)}</s>` : code(name),
      markup`${place}`,
      typeOf(schema),
      yesOrNo(required),
      meaningOf({ ...schema, description }),
    ]),
  )

const examplesOf = (content: OpenApiDocument.Response["content"]): ReadonlyArray<Markup> =>
  Object.values(OpenApiDocument.mediaOf(content).examples ?? {}).map(
    (example) =>
      markup`<details><summary>${example.summary}</summary><pre><code>${JSON.stringify(example.value, null, 2)}</code></pre></details>
`,
  )

const isReference = (
  of: OpenApiDocument.Parameter | OpenApiDocument.Response | OpenApiDocument.Reference,
): of is OpenApiDocument.Reference => "$ref" in of

interface Call {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiDocument.Operation
}

const callsOf = (document: OpenApiDocument.Document): ReadonlyArray<Call> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    OpenApiDocument.methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }]
    }),
  )

const isProblem = (name: string): boolean => name.endsWith("Problem")

const details = (
  { method, operation, path }: Call,
  { components }: OpenApiDocument.Document,
  fill: Fill,
): Markup => {
  /** The shape that a reference names. */
  const resolved = (content: OpenApiDocument.Response["content"]): JsonSchema.JsonSchema => {
    const { schema } = OpenApiDocument.mediaOf(content)
    return components.schemas[lastOf(schema.$ref ?? "")] ?? schema
  }
  const own = operation.parameters.flatMap((each) => (isReference(each) ? [] : [each]))
  const responses = Object.entries(operation.responses).flatMap(([status, response]) => {
    const found = isReference(response) ? components.responses[lastOf(response.$ref)] : response
    return found === undefined ? [] : [{ status, response: found, named: isReference(response) }]
  })
  const errors = responses.filter(({ status }) => Number(status) >= 400)
  const body = operation.requestBody

  const parts = [
    markup`<h3>${operation.summary}${operation.deprecated === true ? markup` <small class="badge">deprecated</small>` : nothing}</h3>
<p class="call"><span class="method">${method}</span> ${code(path)}</p>
`,
    prose(operation.description ?? ""),
    ...operation["x-codeSamples"].map(
      ({ label, source }) =>
        markup`<figure><figcaption>${label}</figcaption>${sample(fill(source))}</figure>\n`,
    ),
    own.length === 0 ? nothing : markup`<h4>Parameters</h4>\n${parameters(own)}`,
    body === undefined
      ? nothing
      : markup`<h4>${body.required ? "Body" : "Body: an empty object or no body"}</h4>
${fields(resolved(body.content), "Required")}${examplesOf(body.content)}`,
    ...responses
      .filter(({ status }) => Number(status) < 400)
      .map(
        ({ response: { content }, status }) =>
          markup`<h4>Response ${status}: ${typeOf(OpenApiDocument.mediaOf(content).schema)}</h4>
${fields(resolved(content), "Always present")}${examplesOf(content)}`,
      ),
    markup`<h4>Errors</h4>\n`,
    table(
      ["Status", "Codes", "Meaning"],
      errors.map(({ response, status }) => [
        code(status),
        typeOf(resolved(response.content).properties?.["code"] ?? {}),
        markup`${response.description}`,
      ]),
    ),
    // Errors that every call may return are shown once, in the introduction.
    ...errors.filter(({ named }) => !named).flatMap(({ response }) => examplesOf(response.content)),
  ]
  return markup`<article id="${operation.operationId}">
${parts}</article>
`
}

/** What the service that shows the page knows about its readers. */
export interface Reader {
  /** The URL at which readers call the service. */
  readonly url: string
  /** Keys to try the service with; null if readers have their own. */
  readonly keys: ExampleKeys | null
}

/** Replaces the variables of an example with known values. */
type Fill = (source: string) => string

const filling =
  ({ keys, url }: Reader): Fill =>
  (source) =>
    Object.entries({
      FLORIN_URL: url,
      ...(keys && {
        API_KEY: keys.partnerKey,
        WALLET_KEY: keys.walletKey,
        MERCHANT_ID: keys.merchantId,
      }),
    }).reduce((text, [name, known]) => text.replaceAll(`$${name}`, () => known), source)

const aboutExamples = ({ keys }: Reader): Markup =>
  keys === null
    ? markup`<p>Shell examples use variables. Set them once: <code>export API_KEY=… WALLET_KEY=… MERCHANT_ID=…</code></p>`
    : markup`<p>The examples contain the keys of this local service. Ids of payments and other objects are shell variables. Set them first, for example <code>export PAYMENT_ID=…</code></p>`

const introduction = ({ components, info }: OpenApiDocument.Document, reader: Reader): Markup => {
  const [, problem] = Object.entries(components.schemas).find(([name]) => isProblem(name)) ?? []
  const keys = Object.values(components.securitySchemes).map(
    ({ description, in: place, name }): OpenApiDocument.Parameter => ({
      name,
      in: place,
      required: true,
      description,
      schema: { type: "string" },
    }),
  )
  const errors = Object.values(components.responses).flatMap(({ content }) => examplesOf(content))
  return markup`<section id="introduction">
<h2>Introduction</h2>
${prose(info.description)}
<h3 id="examples">Examples</h3>
${aboutExamples(reader)}
<p>JavaScript examples use these two clients:</p>
${sample(filling(reader)(Samples.setup))}
<h3 id="headers">Headers for every call</h3>
${parameters(keys.concat(Object.values(components.parameters)))}<h3 id="error-body">The body of an error</h3>
${fields({ ...problem, properties: { ...problem?.properties, code: { type: "string" } } }, "Always present")}${[...new Map(errors.map((each) => [each.text, each])).values()]}</section>
`
}

const shapes = ({ components }: OpenApiDocument.Document): Markup => {
  const articles = Object.entries(components.schemas)
    .filter(([name]) => !isProblem(name))
    .map(
      ([name, schema]) => markup`<article id="schema-${name}">
<h3>${name}</h3>
${prose(schema.description ?? "")}
${schema.properties === undefined ? markup`<p>${typeOf(schema)}</p>` : fields(schema, "Always present")}</article>
`,
    )
  return markup`<section id="schemas">
<h2>Schemas</h2>
${articles}</section>
`
}

/** The calls that the service makes: each type of event, with the shape of its body. */
const webhooks = ({ webhooks: all }: OpenApiDocument.Document): Markup => {
  const [first] = Object.values(all)
  const rows = Object.entries(all).map(([type, { post }]) => [
    markup`<span id="webhook-${type}">${code(type)}</span>`,
    typeOf(OpenApiDocument.mediaOf(post.requestBody.content).schema),
    markup`${post.summary}`,
  ])
  return markup`<section id="received">
<h2>What webhooks receive</h2>
<p>To verify, acknowledge and order events, see <a href="#webhooks-and-events">Webhooks and events</a>.</p>
<h3>Headers</h3>
${parameters(first?.post.parameters ?? [])}<h3>Events</h3>
${table(["Event", "Body", "Meaning"], rows)}</section>
`
}

const found = (version: Version.Version, { asked, entries }: Found): Markup => {
  const items = entries.map(
    ({ anchor, kind, title }) =>
      markup`<li><a href="/docs?version=${version}#${anchor}">${title}</a> <span class="faint">${kind}</span></li>\n`,
  )
  return markup`<section id="found">
<h2>${entries.length === 1 ? "1 result" : `${entries.length} results`} for “${asked}”</h2>
${items.length === 0 ? markup`<p>No result has all of these words. Try fewer or different words.</p>` : markup`<ul class="found">\n${items}</ul>`}
<p><a href="/docs?version=${version}">Back to the reference</a></p>
</section>
`
}

const reference = (
  document: OpenApiDocument.Document,
  reader: Reader,
  groups: ReadonlyArray<Group>,
) => {
  const fill = filling(reader)
  const sections = groups.map(
    (group) => markup`<section id="group-${group.name}">
<h2>${group.name}</h2>
<p>${inline(group.description)}</p>
${group.calls.map((call) => details(call, document, fill))}</section>
`,
  )
  return markup`${introduction(document, reader)}${sections}${webhooks(document)}${shapes(document)}`
}

interface Group {
  readonly name: string
  readonly description: string
  readonly calls: ReadonlyArray<Call>
}

/** The result of a search in a document. */
export interface Found {
  readonly asked: string
  readonly entries: ReadonlyArray<Search.Entry>
}

/** The page of a document, or the result of a search in it. */
export const page = (
  document: OpenApiDocument.Document,
  reader: Reader,
  search: Found | null = null,
): string => {
  const { info } = document
  const calls = callsOf(document)
  const groups = document.tags.map(({ description, name }): Group => ({
    description,
    name,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const versions = Version.all.map((version) =>
    version === info.version
      ? markup`<strong>${version}</strong>`
      : markup`<a href="/docs?version=${version}">${version}</a>`,
  )
  const to = (anchor: string) =>
    search === null ? `#${anchor}` : `/docs?version=${info.version}#${anchor}`
  const entries = groups.map((group) => {
    const inside = group.calls.map(
      ({ method, operation, path }) =>
        markup`<li><a href="${to(operation.operationId)}" title="${path}"><span class="method">${method}</span> ${operation.deprecated === true ? markup`<s>${operation.summary}</s>` : operation.summary}</a></li>\n`,
    )
    return markup`<li><a href="${to(`group-${group.name}`)}">${group.name}</a><ul>\n${inside}</ul></li>\n`
  })
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API ${info.version}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header>
<h1>${info.title} API <small>${info.version}</small></h1>
<p>${info.summary}</p>
<p>Versions: ${join(versions, " · ")} · <a href="/openapi.json?version=${info.version}">OpenAPI document</a></p>
<form role="search" action="/docs" method="get"><input type="hidden" name="version" value="${info.version}"><input type="search" name="search" value="${search?.asked ?? ""}" aria-label="Search the reference" placeholder="Search: refund, metadata, 409 …"><button>Search</button></form>
</header>
<nav aria-label="Contents">
<details open><summary>Contents</summary>
<ul>
<li><a href="${to("introduction")}">introduction</a></li>
<li><a href="${to("webhooks-and-events")}">webhooks and events</a></li>
${entries}<li><a href="${to("received")}">what webhooks receive</a></li>
<li><a href="${to("schemas")}">schemas</a></li>
</ul>
</details>
</nav>
<main>
${search === null ? reference(document, reader, groups) : found(info.version, search)}</main>
</body>
</html>
`.text
}
