/**
 * The user of this process: the audit log names them for the writes of a command.
 *
 * @module
 */
import { userInfo } from "node:os"
import process from "node:process"
import * as Result from "effect/Result"

/** Some containers run as a user with a number and no name. */
export const name = (): string | null =>
  Result.getOrElse(
    Result.try(() => userInfo().username),
    () => (process.getuid === undefined ? null : `uid ${process.getuid()}`),
  )
