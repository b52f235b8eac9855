import * as ChainSuite from "@florin/testing/ChainSuite"
import * as Counts from "@florin/testing/Counts"
import * as NonceSuite from "@florin/testing/NonceSuite"
import * as Harness from "./harness.ts"

const ethereum = Harness.layer({ chainId: 1, finality: 3, finalityDepth: 3 })
const polygon = Harness.layer({ chainId: 137, finality: "finalized", finalityDepth: 2 })

ChainSuite.suite("anvil as Ethereum, final after 3 blocks", ethereum)
ChainSuite.suite("anvil as Polygon, final by its own word", polygon)

// Which nonce a transaction gets does not depend on how its block becomes final: a usual run takes one of them.
const nonces = [
  ["anvil as Ethereum, final after 3 blocks", ethereum],
  ["anvil as Polygon, final by its own word", polygon],
] as const
for (const [name, harness] of Counts.some(nonces, 1)) NonceSuite.suite(name, harness)
