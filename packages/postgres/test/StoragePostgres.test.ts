import * as StorageSuite from "@florin/testing/StorageSuite"
import * as Layer from "effect/Layer"
import * as Embedded from "../src/Embedded.ts"
import * as Migrations from "../src/Migrations.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { database } from "./databases.ts"

const embedded = Layer.effectDiscard(Migrations.run()).pipe(Layer.provideMerge(Embedded.layer()))

StorageSuite.suite("PostgreSQL", Layer.provide(StoragePostgres.layer, database()))
StorageSuite.suite("PGlite", Layer.provide(StoragePostgres.layer, embedded))
