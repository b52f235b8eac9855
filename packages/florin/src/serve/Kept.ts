/**
 * What must be the same at the next start: the keys that seal options and cursors, and webhooks' secrets, and the keys
 * that were issued.
 *
 * @module
 */
import { join } from "node:path"
import * as Seal from "@florin/core/domain/Seal"
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
  /** There is none in what an earlier release kept. */
  vaultKey: Schema.optionalKey(Schema.Uint8ArrayFromBase64),
  issued: Schema.NullOr(IssuedKeys.Both),
})
type Kept = typeof Kept.Type

const KeptJson = Schema.fromJsonString(Kept)
const encode = Schema.encodeSync(KeptJson)
const decode = Schema.decodeUnknownOption(KeptJson)

const keyBytes = 32

/** Where it is kept. */
export const file = ({ home }: Place.Lasting): string => join(home, "keys.json")

const save = (place: Place.Place, kept: Kept) =>
  place._tag === "Memory" ? Effect.void : PrivateFile.write(file(place), `${encode(kept)}\n`)

const find = (place: Place.Place): Result.Result<Option.Option<Kept>, Failure.CommandFailed> =>
  place._tag === "Memory"
    ? Result.succeed(Option.none())
    : Result.map(PrivateFile.readKeys(file(place)), decode)

/** The key of the vault that is kept in a place, if there is one. */
export const vaultKeys = (
  place: Place.Place,
): Result.Result<ReadonlyArray<VaultAes.Key>, Failure.CommandFailed> =>
  Result.map(find(place), (found) => {
    const bytes = Option.getOrUndefined(found)?.vaultKey
    return bytes === undefined ? [] : [VaultKey.make(bytes)]
  })

/** What was kept in a place, or fresh keys, kept from now on. */
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
    /** Keeps what was issued since. */
    keep: (issued: IssuedKeys.Both) => save(place, { ...kept, issued }),
  }
})

/**
 * The seal keys and the vault of a service, of the operator's keys and those that are kept. With a PostgreSQL server the
 * operator's are all.
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
