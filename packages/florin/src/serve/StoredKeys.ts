/**
 * Data that must be the same at the next start: the keys that encrypt options, cursors and webhook secrets, and the
 * keys that were issued.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Seal from "@florin/core/domain/ground/Seal"
import type * as VaultAes from "@florin/core/node/VaultAes"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Place from "../access/Place.ts"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as ReadyFile from "../access/ReadyFile.ts"
import * as Failure from "../terminal/Failure.ts"
import * as VaultKey from "./VaultKey.ts"

/** The keys of both modes. */
const Issued = Schema.Struct({ test: ReadyFile.Issued, live: ReadyFile.Issued })

const StoredKeys = Schema.Struct({
  sealKey: Schema.Uint8ArrayFromBase64,
  vaultKey: Schema.Uint8ArrayFromBase64,
  issued: Schema.NullOr(Issued),
})
type StoredKeys = typeof StoredKeys.Type

const StoredKeysJson = Schema.fromJsonString(StoredKeys)
const encode = Schema.encodeSync(StoredKeysJson)
const decode = Schema.decodeUnknownResult(StoredKeysJson)

const keyBytes = 32

/** The path of the file. */
export const file = ({ home }: Place.Lasting): string => join(home, "keys.json")

const save = (place: Place.Place, kept: StoredKeys) =>
  place._tag === "Memory" ? Effect.void : PrivateFile.write(file(place), `${encode(kept)}\n`)

/** Whatever was sealed with keys that are overwritten is lost, so a file that cannot be read is left alone. */
const unreadable = (path: string) =>
  Failure.make(
    `${path} does not contain the keys of this service: restore it from a backup, or move it away to begin with new keys, which open nothing that was sealed before`,
  )

const find = (place: Place.Place): Result.Result<StoredKeys | undefined, Failure.CommandFailed> => {
  if (place._tag === "Memory") return Result.succeed(undefined)
  const path = file(place)
  return Result.flatMap(PrivateFile.readKeys(path), (text) =>
    text === undefined && !existsSync(path)
      ? Result.succeed(undefined)
      : Result.mapError(decode(text), () => unreadable(path)),
  )
}

/** The stored keys of a place, or new keys, which are then stored. */
export const load = Effect.fn("StoredKeys.load")(function* (place: Place.Place) {
  const found = yield* Effect.fromResult(find(place))
  const { randomBytes } = yield* Identifiers
  const kept: StoredKeys = found ?? {
    sealKey: yield* randomBytes(keyBytes),
    vaultKey: yield* randomBytes(keyBytes),
    issued: null,
  }
  if (found === undefined) yield* save(place, kept)
  const sealKey = yield* Effect.fromResult(Seal.makeKeys([kept.sealKey]))
  return {
    sealKey,
    vaultKey: VaultKey.make(kept.vaultKey),
    issued: kept.issued,
    /** Stores the keys that were issued since. */
    keep: (issued: typeof Issued.Type) => save(place, { ...kept, issued }),
  }
})

/**
 * The seal keys and the vault of a service, from the operator's keys and the stored ones. On a PostgreSQL server with a
 * seal key of the operator, only the operator's keys are used.
 */
export const complete = Effect.fnUntraced(function* (
  place: Place.Place,
  sealKey: Seal.SealKeys | null,
  given: ReadonlyArray<VaultAes.Key>,
) {
  if (place._tag === "Server" && sealKey !== null) {
    return { sealKey, vault: yield* VaultKey.layer(given) }
  }
  const kept = yield* load(place)
  return {
    sealKey: sealKey ?? kept.sealKey,
    vault: yield* VaultKey.layer([...given, kept.vaultKey]),
  }
})
