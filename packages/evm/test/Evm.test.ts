import * as ChainSuite from "@florin/testing/ChainSuite"
import * as Harness from "./harness.ts"

ChainSuite.suite(
  "anvil as Ethereum, final after 3 blocks",
  Harness.layer({ chainId: 1, finality: 3, finalityDepth: 3 }),
)
ChainSuite.suite(
  "anvil as Polygon, final by its own word",
  Harness.layer({ chainId: 137, finality: "finalized", finalityDepth: 2 }),
)
