/**
 * What is stuck, why, and since when: money on its way out that is held or waits, and shares that wait for a change of
 * their destination.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Obstacle from "../../domain/chain/Obstacle.ts"
import type * as Transfer from "../../domain/chain/Transfer.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import { OutflowStore } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"

export interface Stuck {
  readonly mode: Mode.Mode
  /** Null for the operator's own money. */
  readonly partnerId: PartnerId.PartnerId | null
  /** The outflow; null for shares that were not gathered. */
  readonly outflow: Outflow.Outflow | null
  readonly paymentIds: ReadonlyArray<PaymentId.PaymentId>
  /** What is to move. */
  readonly movement: Transfer.Movement
  /** Whether only an operator can resolve it; otherwise the service retries it. */
  readonly isHeld: boolean
  readonly code: Obstacle.Code
  readonly reason: string
  /** Epoch milliseconds. */
  readonly since: number
  readonly ageInMs: number
}

/** Everything that is stuck, oldest first. */
export const list = Effect.fn("Stuck.list")(function* (mode: Mode.Mode) {
  const now = yield* Clock.currentTimeMillis
  const outflows = yield* (yield* OutflowStore).openOutflows(mode)
  const payments = yield* (yield* PaymentStore).stuckPayments(mode)
  const aged = <A extends Pick<Stuck, "since">>(each: A) => ({
    ...each,
    ageInMs: Math.max(0, now - each.since),
  })
  const goingOut = outflows.flatMap((outflow): ReadonlyArray<Stuck> => {
    const obstacle = Outflow.obstacleOf(outflow)
    const { movement, partnerId = null, state } = outflow
    const paymentIds = Outflow.paymentIds(outflow)
    const isHeld = state._tag === "Held"
    return obstacle === null
      ? []
      : [
          {
            mode,
            partnerId,
            outflow,
            paymentIds,
            movement,
            isHeld,
            ...aged(obstacle),
          },
        ]
  })
  const changing = payments.flatMap((payment): ReadonlyArray<Stuck> => {
    const { id, merchantId, partnerId, state } = payment
    if (state._tag !== "Succeeded") return []
    const { attempt, entry } = state
    const { waitsSince: since } = entry
    if (since === undefined) return []
    const { payTo: from, token } = attempt.option
    // While its destination changes, it goes to neither account, so our own account is shown.
    const movement = { token, from, to: from, quantity: Entry.left(entry) }
    return [
      {
        mode,
        partnerId,
        outflow: null,
        paymentIds: [id],
        movement,
        isHeld: false,
        code: "destination",
        reason: `${Obstacle.meanings.destination}: a change takes effect automatically, or with \`florin merchants settlements confirm ${merchantId} <settlementId> <destination>\`, and an account that has to sign with \`florin merchants settlements prove ${merchantId} <settlementId> <destination> <signature>\``,
        ...aged({ since }),
      },
    ]
  })
  return [...goingOut, ...changing].toSorted((left, right) => left.since - right.since)
})

/** Stuck money on one chain with one reason. */
export interface Group {
  readonly mode: Mode.Mode
  readonly chainId: Caip.ChainId
  readonly code: Stuck["code"]
  readonly isHeld: boolean
  readonly count: number
  /** The sum for each token. */
  readonly quantities: ReadonlyArray<Ledger.Sum>
  readonly oldest: Stuck
}

/**
 * Groups what is stuck by reason, in the order of the oldest of each group. Test payments that asked to be held are left
 * out: no partner's test may alert the operator.
 */
export const groups = (all: ReadonlyArray<Stuck>): ReadonlyArray<Group> => {
  const byKey = Arr.groupBy(
    all.filter(({ reason }) => reason !== Obstacle.requested),
    ({ code, isHeld, mode, movement }): string =>
      `${mode} ${movement.token.chainId} ${code} ${isHeld}`,
  )
  return Object.values(byKey).map((members) => {
    const [{ code, isHeld, mode, movement }] = members
    const oldest = members.reduce((most, each) => (each.since < most.since ? each : most))
    const { chainId } = movement.token
    const quantities = Ledger.sumsOf(members.map((each) => each.movement))
    return { mode, chainId, code, isHeld, count: members.length, quantities, oldest }
  })
}
