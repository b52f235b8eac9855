/**
 * The feed of a tenant's events: a cursor says how far a reader has come, and stays good for what comes later.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Cursor from "./Cursor.ts"
import type * as Merchant from "./Merchant.ts"
import type * as Mode from "./Mode.ts"
import type * as Seal from "./Seal.ts"

/** Whose events are read. */
export interface Scope {
  readonly partnerId: Merchant.PartnerId
  readonly mode: Mode.Mode
}

/** Before the first event. */
export const start = 0

const listText = (scope: Scope): string => JSON.stringify(["events", scope.partnerId, scope.mode])

const readPosition = Schema.decodeUnknownResult(
  Schema.Tuple([Schema.NumberFromString.check(Schema.isInt())]),
)

/** The cursor of a reader who has read everything up to a sequence number. */
export const encodeCursor = (key: Seal.SealKeys, scope: Scope, sequence: number): string =>
  Cursor.encode(key, listText(scope), [sequence.toString()])

export const decodeCursor = (
  key: Seal.SealKeys,
  scope: Scope,
  text: string,
): Result.Result<number, Cursor.InvalidCursor> =>
  Result.flatMap(Cursor.decode(key, listText(scope), text), (parts) =>
    Result.mapBoth(readPosition(parts), {
      onFailure: Cursor.invalid,
      onSuccess: ([sequence]) => sequence,
    }),
  )
