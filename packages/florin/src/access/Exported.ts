/**
 * Where long lists are written: standard output, or a file that is written whole or not at all.
 *
 * @module
 */
import { open, rename, rm } from "node:fs/promises"
import process, { stdout } from "node:process"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as Failure from "../Failure.ts"
import * as Asked from "./Asked.ts"

/** What went wrong with a file or a pipe carries the machine's own word for it; undefined for all else. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined

const failed = (step: string, path: string) => (error: unknown) => {
  const code = codeOf(error)
  return new Failure.CommandFailed({
    message:
      code === undefined
        ? `${step}: ${Asked.reason(error)}`
        : `${path} cannot be written (${code}): choose another path`,
  })
}

/** Writes under another name, which becomes the file's when all is there. */
export const toFile = (step: string, path: string, chunks: AsyncIterable<string>) => {
  const unfinished = `${path}.${process.pid}.part`
  return Effect.tryPromise({
    try: async (signal) => {
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

/** As fast as it is read; who reads no more, as `head` does, has enough. */
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
