/**
 * The inputs that are kept, one file for each parser: those that reach the most code, and those that once broke a rule.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const pathOf = (name: string): string => join(import.meta.dirname, "corpus", `${name}.json`)

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string")

export const load = (name: string): ReadonlyArray<string> => {
  const path = pathOf(name)
  const texts: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : []
  if (isTexts(texts)) return texts
  throw new Error(`${path} is not a list of texts`)
}

/** Visible ASCII, so that a text can be read and no tool changes it. */
const written = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^ -~]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  )

export const save = (name: string, texts: ReadonlyArray<string>): void =>
  writeFileSync(pathOf(name), `[${texts.map((each) => `\n  ${written(each)}`).join(",")}\n]\n`)
