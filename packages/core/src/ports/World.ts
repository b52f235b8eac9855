/**
 * The world that payments meet: the chain, screening and time. Live payments meet it as it is. A service may change that
 * of test mode, so that no decision about money has to know how a test payment should end.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as Outflow from "../domain/outflow/Outflow.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import { type Chain, Chains, type TransferRefused } from "./Chain.ts"
import type { PaymentStore } from "./PaymentStore.ts"
import { Screening } from "./Screening.ts"
import type { NotFound, StorageUnavailable } from "./StorageError.ts"

/** What decides how a payment ends. */
export interface Met extends Pick<Chain["Service"], "holdings" | "look"> {
  /** Which of the accounts that could pay are refused. */
  readonly refusedPayers: Screening["Service"]["refused"]
  /** Whether the account is refused that pays. */
  readonly refusedPayer: Screening["Service"]["refused"]
  readonly now: number
}

export interface World {
  readonly meet: (payment: Payment.Payment, met: Met) => Met
  /** Fails if an outflow's payee is refused, no matter what else is in its way. */
  readonly admit: (
    outflow: Outflow.Outflow,
  ) => Effect.Effect<void, NotFound | StorageUnavailable | TransferRefused, PaymentStore>
  /** Whether a payment's share may be in one payout with others. */
  readonly mayShare: (payment: Payment.Payment) => boolean
}

const real: World = { meet: (_, met) => met, admit: () => Effect.void, mayShare: () => true }

/** The world of test mode. */
export const TestMode = Context.Reference("@florin/core/ports/World", { defaultValue: () => real })

export const of = (mode: Mode.Mode) => (mode === "test" ? TestMode : Effect.succeed(real))

/** What a payment meets now. */
export const meet = (payment: Payment.Payment) =>
  Effect.contextWith((context: Context.Context<Chains | Screening>) =>
    Effect.zipWith(of(payment.mode), Clock.currentTimeMillis, ({ meet: changed }, now) => {
      const { holdings, look } = Context.get(context, Chains).of(payment.mode)
      const { refused } = Context.get(context, Screening)
      return changed(payment, {
        holdings,
        look,
        refusedPayers: refused,
        refusedPayer: refused,
        now,
      })
    }),
  )
