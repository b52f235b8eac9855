/**
 * Finds calls, shapes and chapters of the documentation by their words.
 *
 * @module
 */
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import { anchorOf } from "./Markup.ts"

export interface Entry {
  readonly anchor: string
  readonly title: string
  /** The kind of entry, or the call's method and path. */
  readonly kind: string
  readonly text: string
}

/** Names and descriptions in a schema, at any depth. */
const wordsOf = (schema: unknown): string =>
  JSON.stringify(schema, (key, value: unknown) => (key === "$ref" ? undefined : value))

const membersOf = ({ description = "", properties = {} }: JsonSchema.JsonSchema): string =>
  [description, ...Object.keys(properties), wordsOf(properties)].join(" ")

const chaptersOf = (text: string): ReadonlyArray<Entry> =>
  text
    .split(/^## /mu)
    .slice(1)
    .map((chapter) => {
      const [title = "", ...rest] = chapter.split("\n")
      return { anchor: anchorOf(title), title, kind: "chapter", text: rest.join("\n") }
    })

/** Everything in a document that can be found. */
const entriesOf = ({ components, info, paths }: OpenApiDocument.Document): ReadonlyArray<Entry> => [
  ...chaptersOf(info.description),
  ...Object.entries(paths).flatMap(([path, item]) =>
    OpenApiDocument.methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined
        ? []
        : [
            {
              anchor: operation.operationId,
              title: operation.summary,
              kind: `${method.toUpperCase()} ${path}`,
              text: [
                operation.operationId,
                operation.description ?? "",
                wordsOf(operation.parameters),
                wordsOf(operation.requestBody ?? ""),
              ].join(" "),
            },
          ]
    }),
  ),
  ...Object.entries(components.schemas).map(([name, schema]) => ({
    anchor: `schema-${name}`,
    title: name,
    kind: "schema",
    text: membersOf(schema),
  })),
]

/** The search index, made once for a document, so that a search only compares. */
export interface Index {
  readonly rows: ReadonlyArray<{
    readonly entry: Entry
    readonly head: string
    readonly all: string
  }>
}

export const indexOf = (document: OpenApiDocument.Document): Index => ({
  rows: entriesOf(document).map((entry) => ({
    entry,
    head: `${entry.title} ${entry.kind}`.toLowerCase(),
    all: entry.text.toLowerCase(),
  })),
})

/** More words do not narrow down the result, and each is searched in the whole document. */
const wordsMax = 10
const inTitle = 2

/** The entries that contain every word of the search. Those with the words in their title or path come first. */
export const find = ({ rows }: Index, asked: string): ReadonlyArray<Entry> => {
  const words = asked
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
    .slice(0, wordsMax)
  return rows
    .map(({ all, entry, head }) => {
      const scores = words.map((word) =>
        head.includes(word) ? inTitle : Number(all.includes(word)),
      )
      return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, each) => sum + each, 0) }
    })
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ entry }) => entry)
}
