/**
 * Holds a local chain until it is killed: `node chainHolder.ts`, with a state file if the chain shall be kept. It says
 * where the chain is.
 *
 * @module
 */
import { argv, stdout } from "node:process"
import * as Caip from "@florin/core/domain/Caip"
import * as Effect from "effect/Effect"
import * as LocalChain from "../src/LocalChain.ts"

const [, , stateFile] = argv

await Effect.gen(function* () {
  const chain = yield* LocalChain.make({
    chainId: Caip.ChainId.make(1),
    blocks: "byHand",
    stateFile,
  })
  yield* chain.mine(7)
  stdout.write(`${chain.rpcUrl}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.runPromise)
