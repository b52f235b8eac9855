/**
 * Checks the contract at Permit2's address.
 *
 * Its code holds two words that differ from chain to chain, the chain id and the domain separator, so its hash differs,
 * too. With Ethereum's words in their place, the hash must be Ethereum's.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import { keccak256 } from "viem/utils"
import { type Hex, hex } from "../read/Queries.ts"

/** The `extcodehash` of Permit2 on Ethereum. */
const ethereumCodeHash = "0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131"
const ethereum = Eip155.chainId(1)

/** The domain separator of Permit2 on a chain; its domain has no version. */
export const separator = (chainId: Caip.ChainId): string =>
  Eip712.separator({
    name: "Permit2",
    chainId: Eip155.numberOf(chainId),
    verifyingContract: Eip155.permit2Address,
  })

/** How Permit2's code pushes the words that differ: PUSH32, and the word. */
const pushes = (chainId: Caip.ChainId): readonly [string, string] => [
  `7f${Eip155.numberOf(chainId).toString(16).padStart(64, "0")}`,
  `7f${separator(chainId).slice(2)}`,
]

/** The hash that a chain's Permit2 would have on Ethereum. */
export const codeHash = (code: string, chainId: Caip.ChainId): Hex => {
  const [id, domain] = pushes(chainId)
  const [ethereumId, ethereumDomain] = pushes(ethereum)
  return keccak256(hex(code.toLowerCase().replace(id, ethereumId).replace(domain, ethereumDomain)))
}

/** Whether the code at Permit2's address on a chain is Permit2's. */
export const isCanonical = (code: string, chainId: Caip.ChainId): boolean =>
  codeHash(code, chainId) === ethereumCodeHash
