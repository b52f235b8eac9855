/**
 * What transactions cost on a chain, ours and those of payers, as last read. The calls that read account balances, or
 * judge a signature of an account with code, refresh it in the same request.
 *
 * @module
 */
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Gas from "@florin/core/domain/eip155/Gas"
import type * as GasCost from "@florin/core/domain/money/GasCost"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Link } from "../read/Link.ts"
import * as Fees from "./Fees.ts"

/** Gas prices change with each block; a bid leaves room for that. */
const betweenLooksInMs = 1_000

/** Collecting and paying out, as a rule. */
const ordinaryGas = 180_000n

/**
 * What usual tokens take if the payer sends it: an approval for an account that had none, and a transfer to an account
 * that may hold nothing yet.
 */
const approvalGas = 55_000n
const transferGas = 65_000n

const unitsPerCoin = 10n ** 18n

export const make = ({ config, rpc }: Link) => {
  /** Until the first read, gas is assumed to cost the most that may be paid for it. */
  let known: Fees.Prices = {
    rate: { base: config.maxFeePerGas, tip: 0n },
    extra: { data: 0n, operator: 0n },
  }
  let isRead = false
  let lookedAt = -Infinity
  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - lookedAt < betweenLooksInMs) return
    lookedAt = now
    known = yield* Fees.currentPrices({ config, rpc })
    isRead = true
  })
  return {
    /** Reads what gas costs now. If the node does not respond, the last known cost stays. */
    look: Effect.ignore(look),
    now: (): GasCost.GasCost => ({
      coin: config.network.coin,
      unitsPerCoin,
      ordinary: Fees.expectedCost(known, ordinaryGas),
      byCode: Fees.mostOf(config, known, Gas.usualCollection),
      allowance: config.gasAllowance,
    }),
    /** What the wallet's own transactions cost: every step but the last, which is a signature. */
    ofPayer: (flow: PaymentOption.Flow, stepCount: number): GasCost.Coins | null => {
      const sent = BigInt(stepCount - 1)
      if (sent > 0n && !isRead) return null
      const gas = flow === "transfer" ? transferGas : approvalGas
      const { coin } = config.network
      return { coin, unitsPerCoin, quantity: sent * Fees.expectedCost(known, gas) }
    },
  }
}
