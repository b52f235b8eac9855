/**
 * The outputs for long lists: standard output, or a file that is written completely or not at all.
 *
 * @module
 */
import { open, rename, rm, stat } from "node:fs/promises"
import process, { stdout } from "node:process"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Refused } from "@florin/client"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.ts"
import * as Asked from "./Asked.ts"

/** The system's error code of a failed file or pipe; undefined for all other errors. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined

const failed = (step: string, path: string) => (error: unknown) => {
  if (error instanceof Failure.CommandFailed) return error
  const code = codeOf(error)
  if (code !== undefined) {
    return Failure.make(`${path} cannot be written (${code}): choose another path`)
  }
  const isUsage = error instanceof Refused && error.issues.length > 0
  return (isUsage ? Failure.makeUsage : Failure.make)(`${step}: ${Asked.reason(error)}`)
}

/** A file would take the place of a device or a pipe, such as /dev/null, for every program of the machine. */
const requireFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.isFile()) return
  throw Failure.make(
    `${path} is not a file: choose another path, or leave out --output for standard output`,
  )
}

/** Writes to a temporary name, and renames the file when it is complete. */
export const toFile = (step: string, path: string, chunks: AsyncIterable<string> | string) => {
  const unfinished = `${path}.${process.pid}.part`
  return Effect.tryPromise({
    try: async (signal) => {
      await requireFile(path)
      const file = await open(unfinished, "wx", 0o600)
      try {
        await file.writeFile(chunks, { signal })
        await file.datasync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
    },
    catch: failed(step, path),
  }).pipe(Effect.ensuring(Effect.promise(() => rm(unfinished, { force: true }))))
}

/** Writes as fast as the reader reads. A reader that closes the pipe, as `head` does, is no error. */
export const toStdout = (step: string, chunks: AsyncIterable<string>) =>
  Effect.tryPromise({
    try: async (signal) => {
      try {
        await pipeline(Readable.from(chunks), stdout, { end: false, signal })
      } catch (error) {
        if (codeOf(error) !== "EPIPE") throw error
      }
    },
    catch: failed(step, "standard output"),
  })
