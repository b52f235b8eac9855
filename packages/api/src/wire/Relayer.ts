/**
 * The service's accounts that collect and pay out, on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Text from "./Text.ts"

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({
  relayers: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      account: Text.account.annotate({ description: "An account of the service" }),
      networkName: Schema.NullOr(Schema.String),
      isKeyless: Schema.Boolean.annotate({
        description: "Whether its key is not in this process, so that it only collects",
      }),
      haltedBecause: Schema.NullOr(Schema.String).annotate({
        description: "Why nothing new is sent on its chain; null if sending is not stopped",
      }),
      gas: Schema.Struct({
        coin: Text.plain("The symbol of the chain's own coin"),
        decimals: Schema.Int,
        value: Schema.NullOr(Text.quantity).annotate({
          description: "What it has, in the coin's smallest unit; null if no node responds",
        }),
        spent: Text.quantity.annotate({
          description: "The most that its transactions since the last full hour may cost",
        }),
      }).annotate({ identifier: "RelayerGas" }),
      transactions: Schema.Array(
        Schema.Struct({
          nonce: Schema.Int,
          txId: Text.plain("The hash of its newest version"),
          earlierTxIds: Schema.Array(Schema.String).annotate({
            description:
              "The hashes of the versions that it replaced, with lower fees, newest first. Any of them may be mined",
          }),
          feeMax: Schema.NullOr(Text.quantity).annotate({
            description:
              "The most that its newest version may cost, in the coin's smallest unit; null if gas costs nothing",
          }),
          signedAt: Text.dateTime,
        }).annotate({ identifier: "RelayerTransaction" }),
      ).annotate({ description: "Its last transactions, newest first" }),
      tokens: Schema.Array(
        Schema.Struct({
          holds: Amount.Amount.annotateKey({ description: "What the ledger shows" }),
          owed: Amount.Quantity.annotateKey({
            description: "The part owed to merchants and to senders of unclaimed money",
          }),
        }).annotate({ identifier: "RelayerToken" }),
      ),
    }).annotate({ identifier: "Relayer" }),
  ),
}).annotate({ identifier: "RelayerList" })
