/**
 * Files that hold keys, and must be for their owner alone.
 *
 * @module
 */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import process from "node:process"
import * as Result from "effect/Result"

/** What group and others may do. */
const ofOthers = 0o077

/**
 * systemd hands keys to a service in a directory that only it can enter, and opens them to it by an access list, which
 * a file's mode shows as rights of the group.
 */
const isCredential = (path: string): boolean => {
  const directory = process.env["CREDENTIALS_DIRECTORY"] ?? ""
  return directory !== "" && dirname(resolve(path)) === resolve(directory)
}

/** Whether others than its owner may use a file. It is not checked on Windows, nor for credentials of systemd. */
export const isOpen = (path: string): boolean => {
  const mode = Result.getOrUndefined(Result.try(() => statSync(path).mode)) ?? 0
  return process.platform !== "win32" && (mode & ofOthers) !== 0 && !isCredential(path)
}
