/**
 * How a wallet can pay: options, their actions, and the results of these.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Members from "./Members.ts"
import * as Text from "./Text.ts"

/** A field of the data form. */
export interface Field extends Schema.Schema.Type<typeof Field> {}
export const Field = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  required: Schema.Boolean,
  type: Schema.Literals(["text", "date", "checkbox"]),
}).annotate({ identifier: "CollectField" })

/** Data about the payer that the wallet must provide before it confirms this option. */
export interface CollectData extends Schema.Schema.Type<typeof CollectData> {}
export const CollectData = Schema.Struct({
  fields: Schema.Array(Field),
  schema: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "A JSON Schema (draft 2020-12) of the data",
  }),
  url: Text.plain("A hosted form for the data"),
}).annotate({ identifier: "CollectData" })

/** A step that the wallet executes. */
export interface WalletRpc extends Schema.Schema.Type<typeof WalletRpc> {}
export const WalletRpc = Schema.Struct({
  type: Schema.Literal("walletRpc"),
  data: Schema.Struct({
    chain_id: Text.chainId.annotate({ description: "A CAIP-2 chain id" }),
    method: Text.plain(
      "A method of the wallet's provider. Wallets of EVM chains (`eip155`) get `eth_signTypedData_v4`, `eth_sendTransaction` and `personal_sign`",
    ),
    params: Schema.Array(Schema.String).annotate({
      description: "The parameters of the method, each as JSON or plain text",
    }),
  }),
}).annotate({ identifier: "WalletRpcAction" })

/** A step that the wallet must first resolve with fetch. */
export interface Build extends Schema.Schema.Type<typeof Build> {}
export const Build = Schema.Struct({
  type: Schema.Literal("build"),
  data: Text.plain("Pass it to fetch unchanged"),
}).annotate({ identifier: "BuildAction" })

export type Action = typeof Action.Type
export const Action = Schema.Union([WalletRpc, Build])

export interface PaymentOption extends Schema.Schema.Type<typeof PaymentOption> {}
export const PaymentOption = Schema.Struct({
  id: Text.plain("The optionId of fetch and confirm"),
  account: Text.account.annotate({
    description: "The account that can pay with this option, as it was sent",
  }),
  actions: Schema.Array(Action).annotate({ description: "The steps for the wallet, in order" }),
  amount: Amount.Amount,
  collectData: Schema.NullOr(CollectData).annotateKey({
    description: "Null if no data is needed",
  }),
  etaS: Schema.Int.annotate({ description: "The usual duration in seconds" }),
  expiresAt: Schema.Int.annotate({ format: "int64", description: "Unix seconds" }),
  ...Members.optional({
    balance: Text.plain(
      "The account's balance of the token, in its smallest unit. Present only with `includeCosts`",
    ),
    networkFee: Schema.NullOr(Amount.Amount).annotate({
      description:
        "The estimated network fee that the payer pays in addition to the amount, in the payment's currency: zero if the wallet only signs, null if there is no estimate. Present only with `includeCosts`",
    }),
  }),
}).annotate({ identifier: "PaymentOption" })

/** The body of a wallet's request for options. */
export interface OptionsRequest extends Schema.Schema.Type<typeof OptionsRequest> {}
export const OptionsRequest = Schema.Struct({
  accounts: Schema.Array(Text.account)
    .check(
      Schema.isMaxLength(Limits.accountsPerCallMax, {
        message: `must hold at most ${Limits.accountsPerCallMax} accounts`,
      }),
    )
    .annotate({
      description: "CAIP-10 accounts",
      examples: [["eip155:8453:0x1111111111111111111111111111111111111111"]],
    }),
  refresh: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Schema.String)
        .check(
          Schema.isMaxLength(Limits.refreshPerCallMax, {
            message: `must hold at most ${Limits.refreshPerCallMax} option ids`,
          }),
        )
        .annotate({ description: "Ids of options to quote again" }),
    ),
  ),
}).annotate({ identifier: "OptionsRequest" })

export interface FetchRequest extends Schema.Schema.Type<typeof FetchRequest> {}
export const FetchRequest = Schema.Struct({
  optionId: Schema.String,
  data: Text.plain("The data of the build action; empty for all actions of the option"),
}).annotate({ identifier: "FetchRequest" })

export interface FetchResponse extends Schema.Schema.Type<typeof FetchResponse> {}
export const FetchResponse = Schema.Struct({ actions: Schema.Array(WalletRpc) }).annotate({
  identifier: "FetchResponse",
})

/** The result of one action: a signature or a transaction hash. */
export const Result = Schema.Struct({
  type: Schema.Literal("walletRpc"),
  data: Schema.Array(Schema.String).annotate({
    description: "The signature of a signing method, or the hash of a transaction",
  }),
}).annotate({ identifier: "Result" })

export interface CollectedField extends Schema.Schema.Type<typeof CollectedField> {}
export const CollectedField = Schema.Struct({
  id: Schema.String,
  value: Schema.String.check(Schema.isMaxCodePoints(Limits.collectedTextMaxLength)).annotate({
    description: "A boolean is sent as the text `true`",
  }),
}).annotate({ identifier: "CollectedField" })

export interface ConfirmRequest extends Schema.Schema.Type<typeof ConfirmRequest> {}
export const ConfirmRequest = Schema.Struct({
  optionId: Schema.String,
  results: Schema.Array(Result).check(
    Schema.isMinLength(1, { message: "must hold one result for each action" }),
    Schema.isMaxLength(Limits.resultsPerConfirmMax, {
      message: `must hold at most ${Limits.resultsPerConfirmMax} results`,
    }),
  ),
  ...Members.optional({
    collectedData: Schema.NullOr(Schema.Struct({ fields: Schema.Array(CollectedField) })),
    excludeFromRelayer: Schema.NullOr(Schema.Boolean).annotate({
      description:
        "True if the service must not send a transaction; only for options that the wallet sends itself",
    }),
  }),
}).annotate({ identifier: "ConfirmRequest" })
