/**
 * A directory for as long as a test lasts.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const make = (): string => mkdtempSync(join(tmpdir(), "florin-"))

export const remove = (directory: string): void => {
  rmSync(directory, { recursive: true, force: true })
}

/** Makes one, works in it, and removes it whatever became of the work. */
export const within = <A>(work: (directory: string) => A): A => {
  const directory = make()
  try {
    return work(directory)
  } finally {
    remove(directory)
  }
}
