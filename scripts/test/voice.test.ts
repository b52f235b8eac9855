/**
 * Finds odd words in documents, help of commands, descriptions in OpenAPI, the pages, and the titles of the suites that
 * adapters run. Ignores code in documents.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const read = (file: string): string => readFileSync(file, "utf8")
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => existsSync(file))

/** A pattern, and what to write instead. */
const patterns: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\bwhoever\b/iu, "callers that …, or a name"],
  [/\banew\b/iu, "again"],
  [/\bat once\b/iu, "immediately, or at the same time"],
  [/\bbesides?\b/iu, "next to"],
  [/\b(?:tells|told)\b/iu, "reports, prints, logs, notifies or sends"],
  [/\banswer(?:s|ed)\b/iu, "returns, or responds with; response"],
  [/\bends with (?:exit )?\d/iu, "the exit code is"],
  [/\b(?:goes|went) on\b/iu, "continues"],
  [/\bg(?:ives?|iven|ave) (?:it |them |this )?back\b/iu, "returns or refunds"],
  [/\bh(?:eld|olds?) against\b/iu, "compare with"],
  [/\bnothing but\b/iu, "only"],
  [/\b(?:by|from|than|unless|if|so|nobody) who\b/iu, "callers that …"],
  [/(?:^|[.:;] \**)(?:What|Whatever|Wherever) [^?.]{12,}?\./mu, "a subject that is a noun"],
  [/(?:^|\. \**)(?:Who|Whose) [^?.]{12,}?\./mu, "a subject that is a noun"],
]

/** Prose of a document: no code, no targets of links, a line for each paragraph. */
const prose = (text: string): string =>
  text
    .replaceAll(/^ *```[^]*?^ *```/gmu, "")
    .replaceAll(/`[^`\n]*`/gu, "`code`")
    .replaceAll(/\]\([^)]*\)/gu, "]")
    .replaceAll(/<[^>]*>/gu, "")

/** Every text below a key of an OpenAPI document that a reader sees as words. */
const described = (value: Schema.Json): ReadonlyArray<string> => {
  if (value === null || typeof value !== "object") return []
  return Object.entries(value).flatMap(([key, each]) =>
    (key === "description" || key === "summary") && typeof each === "string"
      ? [prose(each)]
      : described(each),
  )
}

const json = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/** Texts between tags and in quotes that are words and no names. */
const shown = (source: string): ReadonlyArray<string> =>
  Array.from(
    source
      .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, "")
      .matchAll(
        /"(?<quoted>[^"\n]* [^"\n]*)"|`(?<template>[^`]* [^`]*)`|>(?<text>[^<>{}=]* [^<>{}=]*)</gu,
      ),
    ({ groups: { quoted, template, text } = {} }) => quoted ?? template ?? text ?? "",
  )

const named = (pattern: RegExp) => files.filter((file) => pattern.test(file))

const kinds: ReadonlyArray<
  readonly [
    what: string,
    texts: (file: string) => ReadonlyArray<string>,
    files: ReadonlyArray<string>,
  ]
> = [
  [
    "documents",
    (file) => prose(read(file)).split("\n"),
    named(/(?<!CHANGELOG)\.md$/u).filter((file) => !file.startsWith(".changeset/")),
  ],
  [
    "help of commands",
    (file) => read(file).split("\n"),
    named(/^packages\/florin\/test\/help\/.+\.txt$/u),
  ],
  ["OpenAPI", (file) => described(json(read(file))), named(/^docs\/openapi\/.+\.json$/u)],
  [
    "pages",
    (file) => shown(read(file)),
    named(/^packages\/(?:console|pages)\/src\/(?!messages\/languages\/).+\.tsx?$/u),
  ],
  [
    "titles of suites",
    (file) => shown(read(file)),
    named(/^packages\/(?:testing\/src|signers\/src\/SignerSuite).+\.ts$/u),
  ],
]

describe("voice", () => {
  it.each(kinds)("%s are in plain words", (_what, texts, among) => {
    assert.isNotEmpty(among)
    const found = among.flatMap((file) =>
      texts(file).flatMap((text) =>
        patterns.flatMap(([pattern, instead]) => {
          const match = pattern.exec(text)?.[0]
          return match === undefined ? [] : [`${file}: “${match.trim()}”: ${instead}`]
        }),
      ),
    )
    assert.deepStrictEqual(found, [])
  })

  it("finds odd words, and ignores questions and code", () => {
    const odd = (text: string): number =>
      patterns.filter(([pattern]) => pattern.test(prose(text))).length
    assert.strictEqual(odd("What a client says that was signed is never read."), 1)
    assert.strictEqual(odd("Whoever asks is told at once."), 3)
    assert.strictEqual(odd("What does it cost?"), 0)
    assert.strictEqual(odd("The call `answers.told` is code."), 0)
  })
})
