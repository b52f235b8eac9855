#!/usr/bin/env node
/**
 * Where `florin` begins: all that is loaded after the cache is there is compiled once.
 *
 * @module
 */
import { argv, exit } from "node:process"
import * as CompileCache from "./CompileCache.ts"

CompileCache.enable()
// Who answers calls decodes all day: four times as fast once decoders are compiled, which only schemas made later are.
if (["serve", "dev"].includes(argv[2] ?? "")) await import("effect/schema/SchemaJITCompiler/enable")
const { run } = await import("./Program.ts")
exit(await run(argv.slice(2)))
