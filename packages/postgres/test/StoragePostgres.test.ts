import * as StorageSuite from "@florin/testing/StorageSuite"
import * as Layer from "effect/Layer"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { database, embedded } from "./databases.ts"

StorageSuite.suite("PostgreSQL", Layer.provide(StoragePostgres.layer, database()))
StorageSuite.suite("PGlite", Layer.provide(StoragePostgres.layer, embedded))
