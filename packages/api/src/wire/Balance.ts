/**
 * Balances on the wire: of merchants, and of the service's accounts.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/list/MerchantBalance"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Pages from "./Page.ts"
import * as Text from "./Text.ts"

/** The ledger's sums can be below zero. */
const Sum = Schema.Struct({
  unit: Text.tokenUnit,
  value: Text.signedQuantity.annotate({
    description: "An integer in the smallest unit of the token, which may be negative",
  }),
}).annotate({ identifier: "SignedQuantity" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      display: Amount.Display,
      account: Text.account.annotate({ description: "An account of the service" }),
      onChain: Schema.NullOr(Sum).annotate({
        description: "What the chain shows; null if it did not respond within 4 s",
      }),
      ledger: Sum.annotateKey({ description: "What the ledger shows" }),
      owed: Sum.annotateKey({ description: "The part of the ledger's sum owed to merchants" }),
      reserved: Sum.annotateKey({ description: "The part reserved for refunds that wait" }),
      suspense: Sum.annotateKey({ description: "The part that is unclaimed money" }),
      float: Sum.annotateKey({
        description: "Your own: the rest. Fees are part of it until you take them out",
      }),
    }).annotate({ identifier: "AccountBalance" }),
  ).annotate({ description: "Each token on each account" }),
  tokens: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      display: Amount.Display,
      fees: Sum.annotateKey({ description: "Fees that were earned and not returned" }),
      debt: Sum.annotateKey({ description: "What merchants owe after refunds" }),
    }).annotate({ identifier: "TokenBalance" }),
  ).annotate({ description: "Fees and debts of each token, which belong to no account" }),
}).annotate({ identifier: "BalanceList" })

/** What a merchant is owed of one token. */
export interface OfMerchant extends Schema.Schema.Type<typeof OfMerchant> {}
export const OfMerchant = Schema.Struct({
  merchantId: Text.merchantId,
  merchantName: Schema.String,
  display: Amount.Display,
  ...Record.map(Domain.parts, (meaning) =>
    Amount.Quantity.annotateKey({
      description: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`,
    }),
  ),
}).annotate({
  identifier: "MerchantBalance",
  description: "All parts, less `debt`, are what the merchant is owed in total",
})

export interface MerchantPage extends Schema.Schema.Type<typeof MerchantPage> {}
export const MerchantPage = Pages.of(OfMerchant, "MerchantBalancePage")
