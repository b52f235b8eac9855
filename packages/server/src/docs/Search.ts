/**
 * Finds calls, events, shapes and chapters of the documentation by their words, and names the page that each is on.
 *
 * @module
 */
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import { anchorOf } from "./Markup.ts"

/** Whether a shape is that of an error. The introduction describes all of these together. */
export const isProblem = (name: string): boolean => name.endsWith("Problem")

/** The page of the other shapes. */
export const schemasPage = "schemas"

/** The chapter with a page of its own. The others are on the first page. */
export const webhooksTitle = "Webhooks and events"
export const webhooksPage = anchorOf(webhooksTitle)

/** The title of a group's page, such as `Audit log`. */
export const titleOf = (group: string): string =>
  group
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./u, (letter) => letter.toUpperCase())

/** The last segment of the path of a group's page, such as `audit-log`. */
export const pageOf = (group: string): string => anchorOf(titleOf(group))

/** What the first page says, and what the page on webhooks says. */
export const split = (
  description: string,
): { readonly introduction: string; readonly webhooks: string } => {
  const [introduction = "", webhooks = ""] = description.split(`## ${webhooksTitle}\n`)
  return { introduction, webhooks }
}

export interface Entry {
  /** The last segment of the path of its page. */
  readonly page: string
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
      const anchor = anchorOf(title)
      const page = anchor === webhooksPage ? webhooksPage : ""
      return { page, anchor, title, kind: "chapter", text: rest.join("\n") }
    })

/** Everything in a document that can be found. */
const entriesOf = ({
  components,
  info,
  paths,
  webhooks,
}: OpenApiDocument.Document): ReadonlyArray<Entry> => [
  ...chaptersOf(info.description),
  ...OpenApiDocument.callsOf({ paths }).map(({ method, operation, path }) => ({
    page: pageOf(operation.tags[0] ?? ""),
    anchor: operation.operationId,
    title: operation.summary,
    kind: `${method} ${path}`,
    text: [
      operation.operationId,
      operation.description ?? "",
      wordsOf(operation.parameters),
      wordsOf(operation.requestBody ?? ""),
    ].join(" "),
  })),
  ...Object.entries(webhooks).map(([type, { post }]) => ({
    page: webhooksPage,
    anchor: `webhook-${type}`,
    title: type,
    kind: "event",
    text: post.summary,
  })),
  ...Object.entries(components.schemas)
    .filter(([name]) => !isProblem(name))
    .map(([name, schema]) => ({
      page: schemasPage,
      anchor: `schema-${name}`,
      title: name,
      kind: "schema",
      text: membersOf(schema),
    })),
]

/** The search index, made once for a document, so that a search only compares. */
export const indexOf = (document: OpenApiDocument.Document) =>
  entriesOf(document).map((entry) => ({
    entry,
    head: `${entry.title} ${entry.kind}`.toLowerCase(),
    all: entry.text.toLowerCase(),
  }))

type Index = ReturnType<typeof indexOf>

/** More words do not narrow down the result, and each is searched in the whole document. */
const wordsMax = 10
const scoreOf = (word: string, { all, head }: Index[number]): number => {
  if (head.startsWith(word)) return 3
  return head.includes(word) ? 2 : Number(all.includes(word))
}

/** The entries that contain every word of the search. Those with the words in their title or path come first, above all at its start. */
export const find = (index: Index, asked: string): ReadonlyArray<Entry> => {
  const words = asked
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
    .slice(0, wordsMax)
  return index
    .map((row) => {
      const { entry } = row
      const scores = words.map((word) => scoreOf(word, row))
      return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, each) => sum + each, 0) }
    })
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ entry }) => entry)
}
