/**
 * Checks the database of a service, without changing anything in it.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Checklist from "@florin/core/engine/status/Checklist"
import * as Effect from "effect/Effect"
import type * as Place from "../access/Place.ts"

const { reportChecked, reportUnchecked, reportWaiting } = Checklist

const items = ["schema", "disk", "clock"] as const

/** Checks the database of a PostgreSQL server before anything in it is opened. Other storages have no such checks. */
export const look = Effect.fnUntraced(function* (place: Place.Place) {
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
  const { clockDiffersInMs, forgetful, schema } = seen.success
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
  ]
})
