/**
 * Files with keys in them: for the user alone, and written whole or not at all.
 *
 * @module
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Failure from "./Failure.ts"

const attempt = (path: string, act: () => void) =>
  Effect.try({
    try: act,
    catch: () =>
      new Failure.CommandFailed({ message: `${path} cannot be written: name another place` }),
  })

export const write = (path: string, text: string) =>
  attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true })
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, text, { mode: 0o600 })
    renameSync(unfinished, path)
  })

export const makeDirectory = (path: string) =>
  attempt(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  })

export const remove = (path: string) => attempt(path, () => rmSync(path, { force: true }))

/** Undefined where it is not there, or is not for us. */
export const read = (path: string): string | undefined =>
  Result.getOrUndefined(Result.try(() => readFileSync(path, "utf8")))
