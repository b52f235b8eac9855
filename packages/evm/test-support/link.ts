/**
 * A chain's configuration and RPC client, as an operator would configure them.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { type Redacted, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as ChainConfig from "../src/config/ChainConfig.ts"
import * as Rpc from "../src/node/Rpc.ts"
import { batchMax, type Link } from "../src/read/Link.ts"
import { hex } from "../src/read/Queries.ts"

/** The accounts that collect. */
export const collecting: ReadonlyArray<Wallet.Wallet> = [
  Wallet.make(1_000_001),
  Wallet.make(1_000_002),
]

export const make = (
  chainId: Caip.ChainId,
  url: Redacted.Redacted,
  options: Partial<ChainConfig.Options> = {},
): Link => {
  const config = Result.getOrThrow(
    ChainConfig.make(
      {
        chainId: Eip155.numberOf(chainId),
        rpcUrls: [url],
        accounts: collecting.map(({ privateKey }) => privateKeyToAccount(hex(privateKey))),
        // A machine that is busy with tests answers late.
        answerWithinInMs: 60_000,
        ...options,
      },
      BuiltIn.catalog,
    ),
  )
  const { answerWithinInMs, rpcUrls: urls } = config
  return { config, rpc: Rpc.make({ chainId, urls, answerWithinInMs, batchMax }) }
}
