/**
 * Runs a local chain until it is killed: `node chainHolder.ts`, with a state file to keep the chain. It prints the
 * chain's address.
 *
 * @module
 */
import { argv, stdout } from "node:process"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import * as LocalChain from "../src/LocalChain.ts"

const [, , stateFile] = argv

await Effect.gen(function* () {
  const chain = yield* LocalChain.make({
    chainId: Eip155.chainId(1),
    blocks: "byHand",
    stateFile,
  })
  yield* chain.mine(7)
  stdout.write(`${chain.rpcUrl}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.runPromise)
