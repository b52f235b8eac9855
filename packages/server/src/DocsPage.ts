/**
 * The OpenAPI document as a page that people read: plain HTML and one stylesheet, no script, nothing from elsewhere.
 *
 * @module
 */
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/Version"
import * as Html from "./Html.ts"

/** Markup that may be put into a page as it is. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | ReadonlyArray<Markup>

const textOf = (part: Part): string => {
  if (part instanceof Markup) return part.text
  return typeof part === "object" ? part.map(textOf).join("") : Html.escape(String(part))
}

/** Everything that is put in is escaped, but what was made here. */
const markup = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(strings.map((text, index) => text + textOf(parts[index] ?? "")).join(""))

const nothing = markup``

const join = (parts: ReadonlyArray<Markup>, separator: string): Markup =>
  new Markup(parts.map(textOf).join(Html.escape(separator)))

/** The little of Markdown that descriptions are written in: headings, paragraphs, code and emphasis. */
const inline = (text: string): Markup =>
  new Markup(
    Html.escape(text)
      .replaceAll(/`([^`]+)`/gu, "<code>$1</code>")
      .replaceAll(/\*([^*]+)\*/gu, "<em>$1</em>"),
  )

const prose = (text: string): Markup =>
  join(
    text
      .split("\n\n")
      .filter((block) => block !== "")
      .map((block) =>
        block.startsWith("## ")
          ? markup`<h3>${block.slice("## ".length)}</h3>`
          : markup`<p>${inline(block)}</p>`,
      ),
    "\n",
  )

const code = (text: string | number): Markup => markup`<code>${text}</code>`
const value = (of: unknown): Markup => code(typeof of === "string" ? of : JSON.stringify(of))

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

/** Keywords that have words of their own; any other is shown as it is written. */
const worded = new Set(
  `$ref type format description default enum pattern minimum maximum minLength maxLength minItems maxItems
  minProperties maxProperties items prefixItems properties required patternProperties additionalProperties propertyNames
  anyOf oneOf examples`.split(/\s+/u),
)

/** What else a value must be, beside its type. */
const rules = (schema: JsonSchema.JsonSchema): ReadonlyArray<Markup> => [
  ...between(schema.minimum, schema.maximum),
  ...between(schema.minLength, schema.maxLength, " characters"),
  ...between(schema.minItems, schema.maxItems, " items"),
  ...between(schema.minProperties, schema.maxProperties, " entries"),
  ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
  ...(schema.propertyNames === undefined
    ? []
    : [markup`keys of ${join(rules(schema.propertyNames), ", ")}`]),
  ...(schema.default === undefined ? [] : [markup`${value(schema.default)} by default`]),
  ...Object.entries(schema)
    .filter(([keyword]) => !worded.has(keyword))
    .map(([keyword, each]) => code(`${keyword}: ${JSON.stringify(each)}`)),
]

/** What the values of a map are, for all of its keys or for those of a pattern. */
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

/** A value by its shape alone. */
const shapeOf = (schema: JsonSchema.JsonSchema): Markup => {
  const { $ref, anyOf, enum: choices, items, oneOf, prefixItems } = schema
  if ($ref !== undefined) {
    return markup`<a href="#schema-${lastOf($ref)}">${lastOf($ref)}</a>`
  }
  const ways = anyOf ?? oneOf
  if (ways !== undefined) return join(ways.map(typeOf), " or ")
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

/** Every member of an object, with those of the objects inside it that have no name of their own. */
const fieldsOf = (schema: JsonSchema.JsonSchema, prefix = ""): ReadonlyArray<Field> =>
  Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = `${prefix}${key}`
    const field = { name, required: schema.required?.includes(key) ?? false, schema: member }
    return [field].concat(fieldsIn(member, name))
  })

/** The members of what a field holds, of each of its alternatives. */
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
): Markup => {
  /** The shape itself, in place of its name. */
  const resolved = (content: OpenApiDocument.Response["content"]): JsonSchema.JsonSchema => {
    const { schema } = OpenApiDocument.mediaOf(content)
    return components.schemas[lastOf(schema.$ref ?? "")] ?? schema
  }
  const own = operation.parameters.flatMap((each) => (isReference(each) ? [] : [each]))
  const answers = Object.entries(operation.responses).flatMap(([status, response]) => {
    const found = isReference(response) ? components.responses[lastOf(response.$ref)] : response
    return found === undefined ? [] : [{ status, response: found, named: isReference(response) }]
  })
  const errors = answers.filter(({ status }) => Number(status) >= 400)
  const body = operation.requestBody

  const parts = [
    markup`<h3>${operation.summary}${operation.deprecated === true ? markup` <small class="badge">deprecated</small>` : nothing}</h3>
<p class="call"><span class="method">${method}</span> ${code(path)}</p>
`,
    prose(operation.description ?? ""),
    own.length === 0 ? nothing : markup`<h4>Parameters</h4>\n${parameters(own)}`,
    body === undefined
      ? nothing
      : markup`<h4>${body.required ? "Body" : "Body: an empty object, or none"}</h4>
${fields(resolved(body.content), "Required")}${examplesOf(body.content)}`,
    ...answers
      .filter(({ status }) => Number(status) < 400)
      .map(
        ({ response: { content }, status }) =>
          markup`<h4>Answer ${status}: ${typeOf(OpenApiDocument.mediaOf(content).schema)}</h4>
${fields(resolved(content), "Always there")}${examplesOf(content)}`,
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
    // Those that every call may have are shown once, in the introduction.
    ...errors.filter(({ named }) => !named).flatMap(({ response }) => examplesOf(response.content)),
  ]
  return markup`<article id="${operation.operationId}">
${parts}</article>
`
}

const introduction = ({ components, info }: OpenApiDocument.Document): Markup => {
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
<h3>Headers of every call</h3>
${parameters(keys.concat(Object.values(components.parameters)))}<h3>The body of an error</h3>
${fields({ ...problem, properties: { ...problem?.properties, code: { type: "string" } } }, "Always there")}${[...new Map(errors.map((each) => [each.text, each])).values()]}</section>
`
}

const shapes = ({ components }: OpenApiDocument.Document): Markup => {
  const articles = Object.entries(components.schemas)
    .filter(([name]) => !isProblem(name))
    .map(
      ([name, schema]) => markup`<article id="schema-${name}">
<h3>${name}</h3>
${prose(schema.description ?? "")}
${schema.properties === undefined ? markup`<p>${typeOf(schema)}</p>` : fields(schema, "Always there")}</article>
`,
    )
  return markup`<section id="shapes">
<h2>Shapes</h2>
${articles}</section>
`
}

/** The page of a document. */
export const page = (document: OpenApiDocument.Document): string => {
  const { info } = document
  const calls = callsOf(document)
  const groups = document.tags.map(({ description, name }) => ({
    description,
    name,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const versions = Version.all.map((version) =>
    version === info.version
      ? markup`<strong>${version}</strong>`
      : markup`<a href="/docs?version=${version}">${version}</a>`,
  )
  const entries = groups.map((group) => {
    const inside = group.calls.map(
      ({ method, operation, path }) =>
        markup`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>\n`,
    )
    return markup`<li><a href="#group-${group.name}">${group.name}</a><ul>\n${inside}</ul></li>\n`
  })
  const sections = groups.map(
    (group) => markup`<section id="group-${group.name}">
<h2>${group.name}</h2>
<p>${inline(group.description)}</p>
${group.calls.map((call) => details(call, document))}</section>
`,
  )
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
<p>${info.summary}</p>
<p>Versions: ${join(versions, " · ")} · <a href="/openapi.json?version=${info.version}">OpenAPI document</a></p>
</header>
<nav aria-label="Contents">
<details open><summary>Contents</summary>
<ul>
<li><a href="#introduction">introduction</a></li>
${entries}<li><a href="#shapes">shapes</a></li>
</ul>
</details>
</nav>
<main>
${introduction(document)}${sections}${shapes(document)}</main>
</body>
</html>
`.text
}

/** The stylesheet of the page, to be served at `/docs/style.css`. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2024, #e6e8eb);
  --faint: light-dark(#5b6470, #9aa4b0);
  --ground: light-dark(#ffffff, #15181c);
  --raised: light-dark(#f3f5f7, #20252b);
  --line: light-dark(#d7dce1, #363d46);
  --link: light-dark(#0b57b0, #7db4ff);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto;
  max-width: 80rem;
  padding: 0 1rem 4rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--link); }
h1 small, .faint { color: var(--faint); font-weight: normal; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); text-transform: capitalize; }
h4 { margin: 1.5rem 0 0.5rem; }
article { margin-top: 2.5rem; }
code, .method { font: 0.875em/1.5 ui-monospace, monospace; }
td code, p code, li code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--raised); }
td code { overflow-wrap: anywhere; }
pre { padding: 1rem; border-radius: 8px; background: var(--raised); overflow-x: auto; }
.call { padding: 0.5rem 0.75rem; border-radius: 8px; background: var(--raised); overflow-x: auto; }
.method { font-weight: 700; }
.badge { padding: 0.1em 0.5em; border: 1px solid var(--line); border-radius: 1em; font-weight: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child { min-width: 8rem; }
td:last-child { min-width: 12rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
nav ul { list-style: none; padding-left: 0.75rem; margin: 0.25rem 0; }
nav > details > ul { padding-left: 0; }
nav > details > ul > li > a { text-transform: capitalize; }
nav li { margin: 0.25rem 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); column-gap: 3rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1rem 0; font-size: 0.875rem; align-self: start; }
}
@media (prefers-reduced-motion: no-preference) {
  html { scroll-behavior: smooth; }
}
`
