/**
 * Chains on the wire as the operator sees them: where sending stopped, and what gas costs.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Mode from "./Mode.ts"
import * as Text from "./Text.ts"

export const chainId = Text.chainId.annotate({
  description: "The CAIP-2 id of the chain, such as eip155:8453",
  examples: ["eip155:8453"],
})
export const asset = Text.asset.annotate({ description: "A CAIP-19 token: eip155:8453/erc20:0x…" })
const networkName = Schema.NullOr(Schema.String).annotate({
  description: "The name of the chain; null if the service no longer has it",
})
const reason = Text.plain("Why it stopped")

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({
  chains: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      chainId,
      networkName,
      headAgeMs: Schema.NullOr(Schema.Int).annotate({
        description: "The age of the newest block that any node shows; null if none responds",
      }),
      doNodesAgree: Schema.Boolean.annotate({
        description:
          "Whether the nodes show the same block at a final height. If not, at least one is wrong",
      }),
      nodes: Schema.Array(
        Schema.Struct({
          host: Schema.NullOr(Schema.String).annotate({
            description: "The name of the node's host, without keys",
          }),
          headBlock: Schema.NullOr(Schema.Int).annotate({
            description: "The number of its newest block; null if it does not respond",
          }),
          behindMs: Schema.NullOr(Schema.Int).annotate({
            description:
              "By how much its newest block is older than the newest of all nodes; null if it does not respond",
          }),
          finalBlock: Schema.NullOr(Schema.String).annotate({
            description:
              "The hash of the block that the nodes are compared by; null if it shows none",
          }),
          error: Schema.NullOr(Schema.String).annotate({ description: "Why it did not respond" }),
        }).annotate({ identifier: "ChainNode" }),
      ).annotate({ description: "In the order of the settings" }),
    }).annotate({ identifier: "ServedChain" }),
  ),
}).annotate({ identifier: "ServedChains" })

export interface Halts extends Schema.Schema.Type<typeof Halts> {}
export const Halts = Schema.Struct({
  chains: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      chainId,
      networkName,
      reason,
      haltedAt: Text.dateTime,
    }).annotate({
      identifier: "HaltedChain",
    }),
  ),
}).annotate({ identifier: "HaltedChains" })

export interface Stops extends Schema.Schema.Type<typeof Stops> {}
export const Stops = Schema.Struct({
  tokens: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      asset,
      symbol: Schema.NullOr(Schema.String).annotate({
        description: "Its symbol; null if the service no longer has the token",
      }),
      networkName,
      reason,
      stoppedAt: Text.dateTime,
    }).annotate({ identifier: "StoppedToken" }),
  ),
}).annotate({ identifier: "StoppedTokens" })

export interface Tokens extends Schema.Schema.Type<typeof Tokens> {}
export const Tokens = Schema.Struct({
  tokens: Schema.Array(
    Schema.Struct({
      asset,
      symbol: Schema.String,
      decimals: Schema.Int,
      networkName,
      isServed: Schema.Boolean.annotate({
        description: "False if the service knows the token only from earlier settings",
      }),
    }).annotate({ identifier: "KnownToken" }),
  ),
}).annotate({ identifier: "KnownTokens" })

export interface Budgets extends Schema.Schema.Type<typeof Budgets> {}
export const Budgets = Schema.Struct({
  budgets: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      account: Text.account.annotate({ description: "An account of the service" }),
      limit: Text.quantity.annotate({
        description: "What it may spend in an hour, in the smallest unit of the chain's own coin",
      }),
      spent: Text.quantity.annotate({ description: "What it spent since the last full hour" }),
      spentForCode: Text.quantity.annotate({
        description:
          "The part of it for payers' accounts with code, at most a quarter of the limit",
      }),
      isSpent: Schema.Boolean.annotate({
        description: "Whether it sends nothing more for payers until the next full hour",
      }),
    }).annotate({ identifier: "GasBudget" }),
  ),
}).annotate({ identifier: "GasBudgets" })
