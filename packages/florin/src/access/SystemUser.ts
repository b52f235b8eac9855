/**
 * The user of this process: the audit log names them for the writes of a command.
 *
 * @module
 */
import { userInfo } from "node:os"
import process from "node:process"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import { Acting } from "@florin/core/ports/AuditStore"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** Some containers run as a user with a number and no name. */
export const name = (): string | null =>
  Result.getOrElse(
    Result.try(() => userInfo().username),
    () => (process.getuid === undefined ? null : `uid ${process.getuid()}`),
  )

/** Attributes all writes to this user. */
export const layer = Layer.sync(Acting, (): AuditLog.Acting => ({
  actor: { _tag: "Operator", name: name(), processId: process.pid },
  requestId: null,
}))
