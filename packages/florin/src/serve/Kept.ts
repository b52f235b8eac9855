/**
 * Data that must be the same at the next start: the keys that encrypt options, cursors and webhook secrets, and the
 * keys that were issued.
 *
 * @module
 */
import { join } from "node:path"
import * as Seal from "@florin/core/domain/ground/Seal"
import { Identifiers } from "@florin/core/ports/Identifiers"
import type * as VaultAes from "@florin/postgres/VaultAes"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Place from "../access/Place.ts"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as IssuedKeys from "../dev/IssuedKeys.ts"
import type * as Failure from "../Failure.ts"
import * as VaultKey from "./VaultKey.ts"

const Kept = Schema.Struct({
  sealKey: Schema.Uint8ArrayFromBase64,
  /** Missing in files of an earlier release. */
  vaultKey: Schema.optionalKey(Schema.Uint8ArrayFromBase64),
  issued: Schema.NullOr(IssuedKeys.Both),
})
type Kept = typeof Kept.Type

const KeptJson = Schema.fromJsonString(Kept)
const encode = Schema.encodeSync(KeptJson)
const decode = Schema.decodeUnknownOption(KeptJson)

const keyBytes = 32

/** The path of the file. */
export const file = ({ home }: Place.Lasting): string => join(home, "keys.json")

const save = (place: Place.Place, kept: Kept) =>
  place._tag === "Memory" ? Effect.void : PrivateFile.write(file(place), `${encode(kept)}\n`)

const find = (place: Place.Place): Result.Result<Option.Option<Kept>, Failure.CommandFailed> =>
  place._tag === "Memory"
    ? Result.succeed(Option.none())
    : Result.map(PrivateFile.readKeys(file(place)), decode)

/** The vault key that is stored in a place, if there is one. */
export const vaultKeys = (
  place: Place.Place,
): Result.Result<ReadonlyArray<VaultAes.Key>, Failure.CommandFailed> =>
  Result.map(find(place), (found) => {
    const bytes = Option.getOrUndefined(found)?.vaultKey
    return bytes === undefined ? [] : [VaultKey.make(bytes)]
  })

/** The stored keys of a place, or new keys, which are then stored. */
export const load = Effect.fn("Kept.load")(function* (place: Place.Place) {
  const found = Option.getOrUndefined(yield* Effect.fromResult(find(place)))
  const { randomBytes } = yield* Identifiers
  const vaultKey = found?.vaultKey ?? (yield* randomBytes(keyBytes))
  const kept: Kept = {
    sealKey: found?.sealKey ?? (yield* randomBytes(keyBytes)),
    vaultKey,
    issued: found?.issued ?? null,
  }
  if (found?.vaultKey === undefined) yield* save(place, kept)
  const sealKey = yield* Effect.fromResult(Seal.makeKeys([kept.sealKey]))
  return {
    sealKey,
    vaultKey: VaultKey.make(vaultKey),
    issued: kept.issued,
    /** Stores the keys that were issued since. */
    keep: (issued: IssuedKeys.Both) => save(place, { ...kept, issued }),
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
