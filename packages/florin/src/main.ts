#!/usr/bin/env node
/**
 * The entry point of `florin`. It enables the cache first, so that everything loaded afterwards is compiled once.
 *
 * @module
 */
import { argv, exit } from "node:process"
import * as CompileCache from "./CompileCache.ts"

CompileCache.enable()
// A server decodes requests all day. Compiled decoders are four times as fast, but only schemas that are made later use
// them.
if (["serve", "dev"].includes(argv[2] ?? "")) await import("effect/schema/SchemaJITCompiler/enable")
const { run } = await import("./Program.ts")
exit(await run(argv.slice(2)))
