/**
 * The position of a reader in a list that only grows. The cursor stays valid for later entries.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Invalid from "../ground/Invalid.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as Seal from "../ground/Seal.ts"
import type * as AuditLog from "../partner/AuditLog.ts"
import * as Cursor from "./Cursor.ts"

/** The list that is read: a tenant's events from the first one on, or entries of the audit log, from the newest one on. */
export type Scope =
  | {
      readonly list: "events"
      readonly partnerId: PartnerId.PartnerId
      readonly mode: Mode.Mode
    }
  | ({ readonly list: "audit-log" } & AuditLog.Filter)

/** Equal for equal lists. */
const listText = (scope: Scope): string => {
  const { list, mode = null, partnerId = null } = scope
  const { action = null, since = null } = list === "audit-log" ? scope : {}
  return JSON.stringify([list, partnerId, mode, action, since])
}

const readPosition = Schema.decodeUnknownResult(
  Schema.Tuple([Schema.NumberFromString.check(Schema.isInt())]),
)

/** The cursor of a reader who has read up to a sequence number. */
export const encode = (key: Seal.SealKeys, scope: Scope, sequence: number): string =>
  Cursor.encode(key, listText(scope), [sequence.toString()])

/** The position in a request's cursor; null before the first page. */
export const read = (
  key: Seal.SealKeys,
  scope: Scope,
  text: string | undefined,
): Result.Result<number | null, Invalid.InvalidInput> =>
  Result.map(Cursor.read(key, listText(scope), text, readPosition), (at) => at && at[0])
