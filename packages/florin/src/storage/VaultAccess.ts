/**
 * The vault of the service that a storage belongs to, for commands that encrypt secrets.
 *
 * @module
 */
import { env } from "node:process"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Place from "../access/Place.ts"
import * as ConfigFile from "../serve/ConfigFile.ts"
import * as Kept from "../serve/Kept.ts"
import * as Setting from "../serve/Setting.ts"
import * as Settings from "../serve/Settings.ts"
import * as VaultKey from "../serve/VaultKey.ts"
import type * as Access from "./Access.ts"

/** Its keys are those in the settings of `florin serve`, and the one that is kept for a service on this machine. */
export const layer = (named: Access.Named) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const place = yield* Effect.fromResult(Place.parse(named))
      const sources = yield* Effect.fromResult(ConfigFile.sources({}, env))
      const given = yield* Effect.fromResult(Setting.read(Settings.rows.vaultKey, sources))
      const kept =
        place._tag === "Embedded"
          ? [(yield* Effect.provide(Kept.load(place), Identifiers.layer)).vaultKey]
          : (yield* Effect.fromResult(Kept.read(place))).vaultKeys
      return yield* VaultKey.layer([...given, ...kept])
    }),
  )
