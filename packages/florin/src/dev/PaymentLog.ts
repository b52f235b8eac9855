/**
 * Log lines of `florin dev` about payments: which one succeeded, and how it was paid.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Printable from "../terminal/Printable.ts"
import * as ChangedPayments from "./ChangedPayments.ts"

const { catalog } = BuiltIn

/** `pay_… succeeded: 12.50 USD, paid with 12.50 USDC on Base (order-1)` */
const lineOf = (
  { amount, id, referenceId }: Payment.Payment,
  { transfer }: Extract<Payment.State, { readonly _tag: "Succeeded" }>,
): string => {
  const { quantity, token } = transfer.movement
  const paid = Amount.toText({ unit: Amount.token(token), quantity }, catalog)
  const network = Catalog.networkName(catalog, token.chainId)
  return `${id} succeeded: ${Amount.toText(amount, catalog)}, paid with ${paid} on ${network} (${Printable.from(referenceId)})`
}

/** Signals that also report, once, each payment that has succeeded since. */
export const layer = (say: (line: string) => void) =>
  Layer.unwrap(
    Effect.map(Clock.currentTimeMillis, (since) => {
      const said = new Set<string>()
      return ChangedPayments.layer((payment) =>
        Effect.sync(() => {
          const { id, state } = payment
          if (state._tag !== "Succeeded" || state.succeededAt < since || said.has(id)) return
          said.add(id)
          say(lineOf(payment, state))
        }),
      )
    }),
  )
