import * as Counts from "@florin/testing/Counts"
import * as StorageSuite from "@florin/testing/StorageSuite"
import * as Layer from "effect/Layer"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { embedded } from "../test-support/databases.ts"

// The embedded database gets the statements that PostgreSQL gets, one at a time: a usual run asks for some themes.
StorageSuite.suite(
  "PGlite",
  Layer.provide(StoragePostgres.layer, embedded),
  Counts.some(StorageSuite.themes, 2),
)
