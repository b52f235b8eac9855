/**
 * The program as `florin serve` loads it. It is published in few files of its own, because a start would take longer to
 * find all those that it shares with the other commands than to run them.
 *
 * @module
 */
// A server decodes requests all day. Compiled decoders are four times as fast, but only schemas that are made later use
// them.
import "effect/schema/SchemaJITCompiler/enable"
// oxlint-disable-next-line import/no-unassigned-import -- The program finds it already loaded.
import "./commands/Serve.ts"

export { run } from "./Program.ts"
