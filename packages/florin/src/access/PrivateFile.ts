/**
 * Files that contain keys. Only the user can read them, and they are written completely or not at all, so that they
 * survive a power cut.
 *
 * @module
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, resolve } from "node:path"
import process from "node:process"
import * as PrivateFile from "@florin/signers/PrivateFile"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Failure from "../terminal/Failure.ts"

const attempt = (path: string, act: () => void) =>
  Effect.try({
    try: act,
    catch: () => Failure.make(`${path} cannot be written: choose another path`),
  })

/**
 * Without this, a name that was created in the directory may be lost in a power cut. Some file systems cannot sync
 * directories.
 */
const syncDirectory = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } catch (cause) {
    if (!Predicate.hasProperty(cause, "code") || cause.code !== "EINVAL") throw cause
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs the parent of a new directory, and those above it up to the first that was created with it. */
const syncNames = (made: string, firstMade: string): void => {
  syncDirectory(dirname(made))
  if (made !== firstMade) syncNames(dirname(made), firstMade)
}

const make = (directory: string, mode?: number): void => {
  const firstMade = mkdirSync(directory, { recursive: true, mode })
  if (firstMade !== undefined) syncNames(directory, firstMade)
}

export const write = (path: string, text: string) =>
  attempt(path, () => {
    const directory = dirname(resolve(path))
    make(directory)
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, text, { mode: 0o600, flush: true })
    renameSync(unfinished, path)
    syncDirectory(directory)
  })

export const makeDirectory = (path: string) => attempt(path, () => make(resolve(path), 0o700))

export const remove = (path: string) => attempt(path, () => rmSync(path, { force: true }))

/** Undefined if the file does not exist or cannot be read. */
export const read = (path: string): string | undefined =>
  Result.getOrUndefined(Result.try(() => readFileSync(path, "utf8")))

/** The text of a file that a flag names; fails with what the flag takes. */
export const readNamed = (path: string, whatItTakes: string) =>
  Effect.mapError(Effect.fromNullishOr(read(path)), () =>
    Failure.make(`${path} cannot be read: ${whatItTakes}`),
  )

/**
 * Undefined if the file does not exist or cannot be read. Fails if other users can read it: they may have read
 * its keys.
 */
export const readKeys = (path: string): Result.Result<string | undefined, Failure.CommandFailed> =>
  PrivateFile.isOpen(path)
    ? Result.fail(
        Failure.make(
          `${path} holds keys, and other users can read or write it: run chmod 600 ${path}, and replace the keys if other people use this machine`,
        ),
      )
    : Result.succeed(read(path))
