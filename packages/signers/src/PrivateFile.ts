/**
 * Checks files with keys, which only their owner may access.
 *
 * @module
 */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import process from "node:process"
import * as Result from "effect/Result"

/** The permissions of group and others. */
const ofOthers = 0o077

/**
 * systemd passes keys to a service in a directory that only the service can enter, and grants access by an access list,
 * which a file's mode shows as rights of the group.
 */
const isCredential = (path: string): boolean => {
  const directory = process.env["CREDENTIALS_DIRECTORY"] ?? ""
  return directory !== "" && dirname(resolve(path)) === resolve(directory)
}

/** Whether others than its owner may access a file. It is not checked on Windows, nor for credentials of systemd. */
export const isOpen = (path: string): boolean => {
  const mode = Result.getOrUndefined(Result.try(() => statSync(path).mode)) ?? 0
  return process.platform !== "win32" && (mode & ofOthers) !== 0 && !isCredential(path)
}
