/**
 * Renders the OpenAPI document as pages for people, one for each chapter and group of operations: plain HTML and one
 * stylesheet, no script, nothing from other hosts.
 *
 * @module
 */
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Samples from "@florin/api/Samples"
import type * as Local from "@florin/api/wire/Local"
import * as Version from "@florin/core/domain/ground/Version"
import * as Mount from "../http/Mount.ts"
import { code, inline, join, type Markup, markup, nothing, prose, sample, value } from "./Markup.ts"
import * as Search from "./Search.ts"

/** The address of an anchor on a page of the documentation. */
type To = (page: string, anchor?: string) => string

const addressing =
  ({ url }: Reader, version: Version.Version): To =>
  (page, anchor) =>
    `${Mount.pathOf(url)}/docs${page === "" ? "" : `/${page}`}${version === Version.newestStable ? "" : `?version=${version}`}${anchor === undefined ? "" : `#${anchor}`}`

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
const shapeOf = (schema: JsonSchema.JsonSchema, to: To): Markup => {
  const { $ref, anyOf, contentSchema, enum: choices, items, oneOf, prefixItems } = schema
  if ($ref !== undefined) {
    const name = lastOf($ref)
    return markup`<a href="${to(Search.schemasPage, `schema-${name}`)}">${name}</a>`
  }
  const ways = anyOf ?? oneOf
  if (ways !== undefined)
    return join(
      ways.map((way) => typeOf(way, to)),
      " or ",
    )
  if (contentSchema !== undefined) return markup`JSON text of ${typeOf(contentSchema, to)}`
  if (choices !== undefined) return join(choices.map(value), ", ")
  if (prefixItems !== undefined)
    return markup`list of ${join(
      prefixItems.map((item) => typeOf(item, to)),
      ", then ",
    )}`
  if (items !== undefined) return markup`array of ${typeOf(items, to)}`
  const maps = entriesOf(schema).map(
    ([keys, values]) => markup`map of ${typeOf(values, to)}${keys}`,
  )
  if (maps.length > 0) return join(maps, " and ")
  return markup`${schema.type ?? "anything"}${schema.format === undefined ? "" : ` (${schema.format})`}`
}

const typeOf = (schema: JsonSchema.JsonSchema, to: To): Markup =>
  join([shapeOf(schema, to), ...rules(schema)], ", ")

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

const fields = (schema: JsonSchema.JsonSchema, required: string, to: To): Markup =>
  table(
    ["Field", "Type", required, "Meaning"],
    fieldsOf(schema).map((field) => [
      code(field.name),
      typeOf(field.schema, to),
      yesOrNo(field.required),
      meaningOf(field.schema),
    ]),
  )

const parameters = (list: ReadonlyArray<OpenApiDocument.Parameter>, to: To): Markup =>
  table(
    ["Parameter", "In", "Type", "Required", "Meaning"],
    list.map(({ deprecated, description = "", in: place, name, required, schema }) => [
      deprecated === true ? markup`<s>${code(name)}</s>` : code(name),
      markup`${place}`,
      typeOf(schema, to),
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

const details = (
  { method, operation, path }: OpenApiDocument.Call,
  { components }: OpenApiDocument.Document,
  fill: Fill,
  to: To,
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
    markup`<h2>${operation.summary}${operation.deprecated === true ? markup` <small class="badge">deprecated</small>` : nothing}</h2>
<p class="call"><span class="method">${method}</span> ${code(path)}</p>
`,
    prose(operation.description ?? ""),
    ...operation["x-codeSamples"].map(
      ({ label, source }) =>
        markup`<figure><figcaption>${label}</figcaption>${sample(fill(source))}</figure>\n`,
    ),
    own.length === 0 ? nothing : markup`<h3>Parameters</h3>\n${parameters(own, to)}`,
    body === undefined
      ? nothing
      : markup`<h3>${body.required ? "Body" : "Body: an empty object or no body"}</h3>
${fields(resolved(body.content), "Required", to)}${examplesOf(body.content)}`,
    ...responses
      .filter(({ status }) => Number(status) < 400)
      .map(
        ({ response: { content }, status }) =>
          markup`<h3>Response ${status}: ${typeOf(OpenApiDocument.mediaOf(content).schema, to)}</h3>
${fields(resolved(content), "Always present", to)}${examplesOf(content)}`,
      ),
    markup`<h3>Errors</h3>\n`,
    table(
      ["Status", "Codes", "Meaning"],
      errors.map(({ response, status }) => [
        code(status),
        typeOf(resolved(response.content).properties?.["code"] ?? {}, to),
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
  readonly keys: Local.Keys | null
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

const introduction = (
  { components, info }: OpenApiDocument.Document,
  reader: Reader,
  to: To,
): Markup => {
  const [, problem] =
    Object.entries(components.schemas).find(([name]) => Search.isProblem(name)) ?? []
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
<h1>Introduction</h1>
${prose(Search.split(info.description).introduction)}
<h2 id="examples">Examples</h2>
${aboutExamples(reader)}
<p>JavaScript examples use these two clients:</p>
${sample(filling(reader)(Samples.setup))}
<h2 id="headers">Headers for every call</h2>
${parameters(keys.concat(Object.values(components.parameters)), to)}<h2 id="error-body">The body of an error</h2>
${fields({ ...problem, properties: { ...problem?.properties, code: { type: "string" } } }, "Always present", to)}${[...new Map(errors.map((each) => [each.text, each])).values()]}</section>
`
}

const shapes = ({ components }: OpenApiDocument.Document, to: To): Markup => {
  const articles = Object.entries(components.schemas)
    .filter(([name]) => !Search.isProblem(name))
    .map(
      ([name, schema]) => markup`<article id="schema-${name}">
<h2>${name}</h2>
${prose(schema.description ?? "")}
${schema.properties === undefined ? markup`<p>${typeOf(schema, to)}</p>` : fields(schema, "Always present", to)}</article>
`,
    )
  return markup`<section id="schemas">
<h1>Schemas</h1>
${articles}</section>
`
}

/** The calls that the service makes: each type of event, with the shape of its body. */
const webhooks = ({ info, webhooks: all }: OpenApiDocument.Document, to: To): Markup => {
  const [first] = Object.values(all)
  const rows = Object.entries(all).map(([type, { post }]) => [
    markup`<span id="webhook-${type}">${code(type)}</span>`,
    typeOf(OpenApiDocument.mediaOf(post.requestBody.content).schema, to),
    markup`${post.summary}`,
  ])
  return markup`<section id="${Search.webhooksPage}">
<h1>${Search.webhooksTitle}</h1>
${prose(Search.split(info.description).webhooks)}
<h2 id="received">What webhooks receive</h2>
<h3>Headers</h3>
${parameters(first?.post.parameters ?? [], to)}<h3>Events</h3>
${table(["Event", "Body", "Meaning"], rows)}</section>
`
}

interface Group {
  readonly page: string
  readonly title: string
  readonly description: string
  readonly calls: ReadonlyArray<OpenApiDocument.Call>
}

const groupsOf = (document: OpenApiDocument.Document): ReadonlyArray<Group> => {
  const calls = OpenApiDocument.callsOf(document)
  return document.tags.map(({ description, name }) => ({
    page: Search.pageOf(name),
    title: Search.titleOf(name),
    description,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

const linkTo = ({ method, operation, path }: OpenApiDocument.Call, address: string): Markup =>
  markup`<a href="${address}" title="${path}"><span class="method">${method}</span> ${operation.deprecated === true ? markup`<s>${operation.summary}</s>` : operation.summary}</a>`

/** All that can be linked to. */
const contents = (
  document: OpenApiDocument.Document,
  groups: ReadonlyArray<Group>,
  to: To,
): Markup => {
  const { components, webhooks: events } = document
  const list = (page: string, names: ReadonlyArray<readonly [anchor: string, name: string]>) =>
    markup`<p class="names">${names.map(([anchor, name]) => markup`<a href="${to(page, anchor)}">${name}</a>\n`)}</p>`
  return markup`<section id="all">
<h2>All pages</h2>
${groups.map(
  (group) => markup`<h3><a href="${to(group.page)}">${group.title}</a></h3>
<p>${inline(group.description)}</p>
<ul>
${group.calls.map((call) => markup`<li>${linkTo(call, to(group.page, call.operation.operationId))}</li>\n`)}</ul>
`,
)}<h3><a href="${to(Search.webhooksPage)}">${Search.webhooksTitle}</a></h3>
<p>The events that webhooks receive:</p>
${list(
  Search.webhooksPage,
  Object.keys(events).map((type) => [`webhook-${type}`, type]),
)}
<h3><a href="${to(Search.schemasPage)}">Schemas</a></h3>
${list(
  Search.schemasPage,
  Object.keys(components.schemas)
    .filter((name) => !Search.isProblem(name))
    .map((name) => [`schema-${name}`, name]),
)}
</section>
`
}

const operations = (
  group: Group,
  document: OpenApiDocument.Document,
  reader: Reader,
  to: To,
): Markup => {
  const fill = filling(reader)
  return markup`<section>
<h1>${group.title}</h1>
<p>${inline(group.description)}</p>
${group.calls.map((call) => details(call, document, fill, to))}</section>
`
}

/** A page of the documentation, by the last segment of its path, which is empty for the first one. */
interface Chapter {
  readonly page: string
  readonly title: string
  readonly calls: ReadonlyArray<OpenApiDocument.Call>
  readonly content: () => Markup
}

const chaptersOf = (
  document: OpenApiDocument.Document,
  reader: Reader,
  to: To,
): ReadonlyArray<Chapter> => {
  const groups = groupsOf(document)
  const chapter = (
    page: string,
    title: string,
    content: Chapter["content"],
    calls: Chapter["calls"] = [],
  ): Chapter => ({ page, title, calls, content })
  return [
    chapter(
      "",
      "Introduction",
      () => markup`${introduction(document, reader, to)}${contents(document, groups, to)}`,
    ),
    chapter(Search.webhooksPage, Search.webhooksTitle, () => webhooks(document, to)),
    ...groups.map((group) =>
      chapter(group.page, group.title, () => operations(group, document, reader, to), group.calls),
    ),
    chapter(Search.schemasPage, "Schemas", () => shapes(document, to)),
  ]
}

/** The contents: every page, and the operations of the one that is shown. */
const navigation = (chapters: ReadonlyArray<Chapter>, shown: Chapter | null, to: To): Markup => {
  const items = chapters.map((chapter) => {
    const { calls, page, title } = chapter
    const isShown = chapter === shown
    const inside = calls.map(
      (call) => markup`<li>${linkTo(call, to(page, call.operation.operationId))}</li>\n`,
    )
    return markup`<li><a href="${to(page)}"${isShown ? markup` aria-current="page"` : nothing}>${title}</a>${isShown && calls.length > 0 ? markup`<ul>\n${inside}</ul>` : nothing}</li>\n`
  })
  return markup`<nav aria-label="Contents">
<details><summary>Contents</summary>
<ul>
${items}</ul>
</details>
</nav>
`
}

/** The way to the page before and the page after. */
const neighbours = (chapters: ReadonlyArray<Chapter>, shown: Chapter, to: To): Markup => {
  const at = chapters.indexOf(shown)
  const link = (chapter: Chapter | undefined, rel: string, before: string, after: string) =>
    chapter === undefined
      ? markup`<span></span>`
      : markup`<a rel="${rel}" href="${to(chapter.page)}">${before}${chapter.title}${after}</a>`
  return markup`<nav class="neighbours" aria-label="Next and previous page">
${link(chapters[at - 1], "prev", "← ", "")}
${link(chapters[at + 1], "next", "", " →")}
</nav>
`
}

/** The result of a search in a document. */
export interface Found {
  readonly asked: string
  readonly entries: ReadonlyArray<Search.Entry>
}

const found = ({ asked, entries }: Found, to: To): Markup => {
  const items = entries.map(
    ({ anchor, kind, page, title }) =>
      markup`<li><a href="${to(page, anchor)}">${title}</a> <span class="faint">${kind}</span></li>\n`,
  )
  return markup`<section id="found">
<h1>${entries.length === 1 ? "1 result" : `${entries.length} results`} for “${asked}”</h1>
${items.length === 0 ? markup`<p>No result has all of these words. Try fewer or different words.</p>` : markup`<ul class="found">\n${items}</ul>`}
<p><a href="${to("")}">Back to the introduction</a></p>
</section>
`
}

const layout = (
  { info }: OpenApiDocument.Document,
  reader: Reader,
  parts: {
    readonly page: string
    readonly title: string
    readonly asked: string
    readonly contents: Markup
    readonly main: Markup
  },
): string => {
  const below = Mount.pathOf(reader.url)
  const versions = Version.all.map((version) =>
    version === info.version
      ? markup`<strong>${version}</strong>`
      : markup`<a href="${addressing(reader, version)(parts.page)}">${version}</a>`,
  )
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${parts.title} · ${info.title} API ${info.version}</title>
<link rel="stylesheet" href="${below}/docs/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="name"><a href="${addressing(reader, info.version)("")}">${info.title} API</a> <small>${info.version}</small></p>
<p>${info.summary}</p>
<p>Versions: ${join(versions, " · ")} · <a href="${below}/openapi.json?version=${info.version}">OpenAPI document</a></p>
<form role="search" action="${below}/docs" method="get"><input type="hidden" name="version" value="${info.version}"><input type="search" name="search" value="${parts.asked}" aria-label="Search the reference" placeholder="Search: refund, metadata, 409 …"><button>Search</button></form>
</header>
${parts.contents}<main id="main">
${parts.main}</main>
</body>
</html>
`.text
}

/** A page of a document. Null if it has no such page. */
export const page = (
  document: OpenApiDocument.Document,
  reader: Reader,
  name: string,
): string | null => {
  const to = addressing(reader, document.info.version)
  const chapters = chaptersOf(document, reader, to)
  const shown = chapters.find((chapter) => chapter.page === name)
  return shown === undefined
    ? null
    : layout(document, reader, {
        page: name,
        title: shown.title,
        asked: "",
        contents: navigation(chapters, shown, to),
        main: markup`${shown.content()}${neighbours(chapters, shown, to)}`,
      })
}

/** The result of a search. */
export const results = (
  document: OpenApiDocument.Document,
  reader: Reader,
  search: Found,
): string => {
  const to = addressing(reader, document.info.version)
  return layout(document, reader, {
    page: "",
    title: search.asked,
    asked: search.asked,
    contents: navigation(chaptersOf(document, reader, to), null, to),
    main: found(search, to),
  })
}
