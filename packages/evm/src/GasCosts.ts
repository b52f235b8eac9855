/**
 * What our transactions cost on a chain by the newest look at it. Whoever asks what accounts hold, and whoever judges what
 * an account with code signed, looks in the same request.
 *
 * @module
 */
import * as Gas from "@florin/core/domain/eip155/Gas"
import type * as GasCost from "@florin/core/domain/GasCost"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fees from "./Fees.ts"
import type { Link } from "./Link.ts"

/** Gas moves from block to block; what is bid leaves room for that. */
const betweenLooksInMs = 1_000

/** Collecting and paying out, as a rule. */
const ordinaryGas = 180_000n

const unitsPerCoin = 10n ** 18n

export const make = ({ config, rpc }: Link) => {
  /** Until somebody looked, gas costs the most that may be paid for it. */
  let known: Fees.Going = {
    rate: { base: config.maxFeePerGas, tip: 0n },
    extra: { data: 0n, operator: 0n },
  }
  let lookedAt = -Infinity
  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - lookedAt < betweenLooksInMs) return
    lookedAt = now
    known = yield* Fees.going({ config, rpc })
  })
  return {
    /** Takes in what gas costs now. If the node does not say, what it said before stays. */
    look: Effect.ignore(look),
    now: (): GasCost.GasCost => ({
      coin: config.network.coin,
      unitsPerCoin,
      ordinary: Fees.expected(known, ordinaryGas),
      byCode: Fees.mostOf(config, known, Gas.collectingUsually),
      allowance: config.gasAllowance,
    }),
  }
}
