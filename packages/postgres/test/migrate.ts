/**
 * Migrates the database whose address is the first argument, as a separate process for Migrations.test.ts.
 *
 * @module
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"

const url = Redacted.make(process.argv[2] ?? "")
await Effect.runPromise(Effect.provide(Migrations.run(), Connection.layer({ url })))
