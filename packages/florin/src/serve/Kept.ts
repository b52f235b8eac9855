/**
 * What must be the same at the next start: the key that seals options and cursors, and the keys that were issued.
 *
 * @module
 */
import { join } from "node:path"
import * as Seal from "@florin/core/domain/Seal"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Place from "../access/Place.ts"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as IssuedKeys from "../dev/IssuedKeys.ts"

const Kept = Schema.Struct({
  sealKey: Schema.Uint8ArrayFromBase64,
  issued: Schema.NullOr(IssuedKeys.Both),
})
type Kept = typeof Kept.Type

const KeptJson = Schema.fromJsonString(Kept)
const encode = Schema.encodeSync(KeptJson)
const decode = Schema.decodeUnknownOption(KeptJson)

const sealKeyBytes = 32

/** Where it is kept. */
export const file = ({ home }: Place.Lasting): string => join(home, "keys.json")

const save = (place: Place.Place, kept: Kept) =>
  place._tag === "Memory" ? Effect.void : PrivateFile.write(file(place), `${encode(kept)}\n`)

/** What was kept in a place, or a fresh seal key, kept from now on. */
export const load = Effect.fn("Kept.load")(function* (place: Place.Place) {
  const found = place._tag === "Memory" ? Option.none() : decode(PrivateFile.read(file(place)))
  const kept: Kept = Option.isSome(found)
    ? found.value
    : { sealKey: yield* (yield* Identifiers).randomBytes(sealKeyBytes), issued: null }
  if (Option.isNone(found)) yield* save(place, kept)
  const sealKey = yield* Effect.fromResult(Seal.makeKeys([kept.sealKey]))
  return {
    sealKey,
    issued: kept.issued,
    /** Keeps what was issued since. */
    keep: (issued: IssuedKeys.Both) => save(place, { ...kept, issued }),
  }
})
