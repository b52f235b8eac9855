/**
 * What a terminal wallet has signed or sent for a payment that it has not confirmed. It is stored in a file for the
 * user alone, so that a crash costs nothing.
 *
 * @module
 */
import { existsSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import type { Resume } from "@florin/client"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as DirectoryLock from "@florin/postgres/DirectoryLock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../Failure.ts"

/** Data about the payer is not stored. If it is needed, it is asked for again. */
const Begun = Schema.Struct({
  paymentId: Schema.String,
  optionId: Schema.String,
  account: Schema.String,
  actions: Schema.Array(
    Schema.Struct({
      type: Schema.Literal("walletRpc"),
      data: Schema.Struct({
        chain_id: Schema.String,
        method: Schema.String,
        params: Schema.Array(Schema.String),
      }),
    }),
  ),
  outputs: Schema.Array(Schema.String),
})

const Needed = Schema.Struct({
  fields: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      required: Schema.Boolean,
      type: Schema.Literals(["text", "date", "checkbox"]),
    }),
  ),
  schema: Schema.Record(Schema.String, Schema.Unknown),
  url: Schema.String,
})

const Kept = Schema.fromJsonString(
  Schema.Struct({
    begun: Begun,
    /** Unix seconds until which the payment can be made this way. */
    expiresAt: Schema.Int,
    /** The data that the payment needs. */
    needed: Schema.optionalKey(Needed),
    /** A transaction that was signed for the next step, and may have been sent. */
    signed: Schema.optionalKey(Schema.String),
    /** Empty transactions that were signed to take its place, one after the other, and may have been sent. */
    instead: Schema.optionalKey(Schema.Array(Schema.String)),
  }),
)

export interface Unfinished {
  readonly begun: Omit<Resume, "collectedData">
  readonly expiresAt: number
  readonly needed?: typeof Needed.Type
  readonly signed?: string
  readonly instead?: ReadonlyArray<string>
}

const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeUnknownOption(Kept)

export const file = (directory: string, paymentId: PaymentId.PaymentId) => {
  const path = join(directory, `${paymentId}.json`)
  return {
    path,
    exists: (): boolean => existsSync(path),
    /**
     * Undefined if nothing was left unfinished. Fails if the file cannot be read, because it may describe money that
     * was sent.
     */
    read: (): Effect.Effect<Unfinished | undefined, Failure.CommandFailed> =>
      Option.match(decode(PrivateFile.read(path)), {
        onNone: () =>
          existsSync(path)
            ? new Failure.CommandFailed({
                message: `${path} has an unfinished attempt of this payment and cannot be read: make sure that nothing was sent, then remove it`,
              })
            : Effect.succeed(undefined),
        onSome: Effect.succeed,
      }),
    write: (kept: Unfinished): void => Effect.runSync(PrivateFile.write(path, encode(kept))),
    remove: (): void => Effect.runSync(PrivateFile.remove(path)),
  }
}

/**
 * Allows one process at a time per payment, until the scope closes, because two would not know what the other signs and
 * sends. A killed process does not leave the payment locked.
 */
export const lockPayment = Effect.fnUntraced(function* (
  directory: string,
  paymentId: PaymentId.PaymentId,
) {
  const lock = join(directory, paymentId)
  // This may also create the parent directory durably, which the lock itself does not do.
  yield* PrivateFile.makeDirectory(directory)
  // If another process has locked it in the meantime, the directory is not empty and stays.
  yield* Effect.addFinalizer(() => Effect.sync(() => Result.try(() => rmdirSync(lock))))
  yield* DirectoryLock.acquire(lock, "florin pay").pipe(
    Effect.mapError(
      (error) =>
        new Failure.CommandFailed({
          message:
            error._tag === "DirectoryInUse"
              ? `another florin pay (process ${error.pid}) is paying this payment: wait for it, or stop it. If it does not run on any machine any more, remove ${lock}`
              : error.message,
        }),
    ),
  )
})
