#!/usr/bin/env node
/**
 * The entry point of `florin`. It enables the cache first, so that everything loaded afterwards is compiled once.
 *
 * @module
 */
import { argv, exit } from "node:process"
import * as CompileCache from "./CompileCache.ts"

CompileCache.enable()
const [command = "", ...args] = argv.slice(2)
if (command === "dev") await import("effect/schema/SchemaJITCompiler/enable")
// Completions are of all commands.
const isService = command === "serve" && !args.some((arg) => arg.startsWith("--completions"))
const { run } = await (isService ? import("./Service.ts") : import("./Program.ts"))
exit(await run(argv.slice(2)))
