import * as ChainSuite from "@florin/testing/ChainSuite"
import * as NonceSuite from "@florin/testing/NonceSuite"
import * as Harness from "./harness.ts"

const ethereum = Harness.layer({ chainId: 1, finality: 3, finalityDepth: 3 })
const polygon = Harness.layer({ chainId: 137, finality: "finalized", finalityDepth: 2 })

ChainSuite.suite("anvil as Ethereum, final after 3 blocks", ethereum)
ChainSuite.suite("anvil as Polygon, final by its own word", polygon)
NonceSuite.suite("anvil as Ethereum, final after 3 blocks", ethereum)
NonceSuite.suite("anvil as Polygon, final by its own word", polygon)
