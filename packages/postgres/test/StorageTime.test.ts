import * as Limits from "@florin/core/domain/Limits"
import * as ClockSuite from "@florin/testing/ClockSuite"
import * as Layer from "effect/Layer"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import * as StorageTime from "../src/StorageTime.ts"
import { database, embedded } from "./databases.ts"

/** The storage of a process whose clock counts. */
const storage = Layer.provide(
  StoragePostgres.layer,
  Layer.succeed(StorageTime.DriftMaxInMs, Limits.clockDriftMaxInMs),
)

ClockSuite.suite("PostgreSQL", database(), storage)
ClockSuite.suite("PGlite", embedded, storage)
