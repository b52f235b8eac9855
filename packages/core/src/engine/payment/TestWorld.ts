/**
 * The world that test payments meet: screening, the chain or the time makes each end as its creator requests in its
 * metadata. Two outcomes are elsewhere: `expired` is read when a payment is created, and `reorganised` is up to a local
 * chain.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Obstacle from "../../domain/chain/Obstacle.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as TestOutcome from "../../domain/payment/TestOutcome.ts"
import { TransferRefused } from "../../ports/Chain.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import * as World from "../../ports/World.ts"

const changes: { readonly [N in TestOutcome.Name]?: (met: World.Met) => Partial<World.Met> } = {
  sanctioned: () => ({ refusedPayers: Effect.succeed }),
  insufficient_funds: () => ({ holdings: () => Effect.succeed([]) }),
  option_expired: () => ({ now: Infinity }),
  declined: () => ({ refusedPayer: Effect.succeed }),
  // As long as we sent nothing, nothing can be collected.
  failed: ({ look }) => ({
    look: (sought) =>
      sought.relayed === null
        ? Effect.succeed({ _tag: "Impossible", reason: Obstacle.requested })
        : look(sought),
  }),
  // Nothing is final for 30 seconds. The adapter does not measure how long that takes.
  slow: ({ look }) => ({
    look: ({ waitingSince = -Infinity, ...sought }) =>
      Effect.zipWith(look(sought), Clock.currentTimeMillis, (seen, now) =>
        seen._tag === "Final" && now < waitingSince + 30_000 ? { ...seen, _tag: "Included" } : seen,
      ),
  }),
}

const refused: { readonly [P in Outflow.Purpose["_tag"]]?: TestOutcome.Name } = {
  Settle: "payout_held",
  Refund: "refund_held",
}

const world: World.World = {
  meet: (payment, met) => {
    const name = TestOutcome.of(payment)
    return { ...met, ...(name && changes[name]?.(met)) }
  },
  admit: Effect.fnUntraced(function* (outflow) {
    const name = refused[outflow.purpose._tag]
    const [id, ...others] = Outflow.paymentIds(outflow)
    if (name === undefined || id === undefined || others.length > 0) return
    if (TestOutcome.of(yield* (yield* PaymentStore).payment(id)) !== name) return
    return yield* new TransferRefused({ reason: "payee", message: Obstacle.requested })
  }),
  mayShare: (payment) => TestOutcome.of(payment) !== "payout_held",
}

export const layer = Layer.succeed(World.TestMode, world)
