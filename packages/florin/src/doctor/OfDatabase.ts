/**
 * Checks the database of a service, without changing anything in it.
 *
 * @module
 */
import type * as KeyProofs from "@florin/core/domain/ground/KeyProofs"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as KeysInUse from "@florin/core/engine/record/KeysInUse"
import * as Checklist from "@florin/core/engine/status/Checklist"
import { Vault } from "@florin/core/ports/Vault"
import * as Effect from "effect/Effect"
import type * as Configured from "../serve/Configured.ts"
import type * as Settings from "../serve/Settings.ts"
import * as VaultKey from "../serve/VaultKey.ts"

const { reportChecked, reportUnchecked, reportWaiting } = Checklist

const items = ["schema", "disk", "clock", "sameKeys"] as const

/** The keys of the settings that are not those of the database. */
const differing = Effect.fnUntraced(function* (
  proofs: KeyProofs.KeyProofs,
  { sealKey, vaultKey }: Settings.Values,
) {
  const keys = yield* Effect.fromResult(Seal.makeKeys(sealKey))
  const vault = yield* Effect.provide(Vault, yield* VaultKey.layer(vaultKey))
  return yield* KeysInUse.compare(proofs, keys, vault)
})

/** Checks the database of a PostgreSQL server before anything in it is opened. Other storages have no such checks. */
export const look = Effect.fnUntraced(function* ({ place, values }: Configured.Configured) {
  if (place._tag !== "Server") {
    return items.map((item) => reportWaiting(item, "there is no server"))
  }
  const Postgres = yield* Effect.promise(() => import("@florin/postgres/Postgres"))
  const seen = yield* Effect.result(Postgres.inspect(place))
  if (seen._tag === "Failure") {
    const [schemaItem, ...others] = items
    return [
      reportChecked(schemaItem, [seen.failure.message]),
      ...others.map((item) => reportUnchecked(item, "the database cannot be used")),
    ]
  }
  const { clockDiffersInMs, forgetful, keys, schema } = seen.success
  return [
    reportChecked(
      "schema",
      schema.found === schema.known ? [] : [`it has ${schema.found}, this release ${schema.known}`],
    ),
    reportChecked("disk", forgetful),
    reportChecked(
      "clock",
      clockDiffersInMs <= Limits.clockDriftMaxInMs ? [] : [`they differ by ${clockDiffersInMs} ms`],
    ),
    reportChecked("sameKeys", yield* differing(keys, values)),
  ]
})
