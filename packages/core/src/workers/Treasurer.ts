/**
 * Moves the operator's own money between our accounts on a chain if a refund or a withdrawal waits for it, and sweeps
 * what accounts hold beyond their limit to a cold account. Each movement is an outflow, which the Sender sends.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as OwnMoney from "../domain/books/OwnMoney.ts"
import * as Caip from "../domain/chain/Caip.ts"
import type * as Transfer from "../domain/chain/Transfer.ts"
import * as Mode from "../domain/ground/Mode.ts"
import * as Money from "../domain/ground/Money.ts"
import * as Outflow from "../domain/outflow/Outflow.ts"
import * as Treasury from "../domain/outflow/Treasury.ts"
import type * as Change from "../domain/payment/Change.ts"
import * as Float from "../engine/books/Float.ts"
import * as Writes from "../engine/record/Writes.ts"
import { Assets } from "../ports/Assets.ts"
import { Chains } from "../ports/Chain.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { TreasuryPolicy } from "../ports/TreasuryPolicy.ts"
import * as Worker from "./Worker.ts"

/** How many of the oldest waiting outflows are looked at. Each costs a read, and the others follow later. */
const waitingMax = 100

/** Whether it waits and needs the operator's own money, because the rest of its account is owed to others. */
const isWaiting = (outflow: Outflow.Outflow): boolean =>
  outflow.state._tag === "Waiting" && (Outflow.isOwn(outflow) || outflow.purpose._tag === "Refund")

const wantedBy = (outflow: Outflow.Outflow) =>
  Effect.map(Float.drawOf(outflow), (draw) => ({ movement: outflow.movement, draw }))

/** The accounts that we serve, with the balances of each token. */
const placesOf = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  open: ReadonlyArray<Outflow.Outflow>,
) {
  const { accounts } = (yield* Chains).of(mode)
  const wanted = yield* Effect.forEach(open.filter(isWaiting).slice(0, waitingMax), wantedBy)
  const holdings = yield* (yield* LedgerStore).holdings(mode, null)
  const places = new Map<string, { readonly token: Caip.Token; places: Array<Treasury.Place> }>()
  for (const { collecting: address, holds, owed, token } of holdings) {
    if (!accounts.some((each) => each.chainId === token.chainId && each.address === address)) {
      continue
    }
    const isHere = ({ from, token: of }: Transfer.Movement): boolean =>
      from === address && Caip.sameToken(of, token)
    const coming = open.filter(
      ({ movement, purpose, state }) =>
        purpose._tag === "Move" &&
        state._tag !== "Held" &&
        movement.to === address &&
        Caip.sameToken(movement.token, token),
    )
    const key = Caip.tokenKey(token)
    const known = places.get(key) ?? { token, places: [] }
    known.places.push({
      address,
      float: holds - owed,
      wanted: wanted.reduce(
        (total, { draw, movement }) => (isHere(movement) ? total + draw : total),
        0n,
      ),
      coming: coming.reduce((total, { movement }) => total + movement.quantity, 0n),
      isLeaving: open.some((each) => Outflow.isOwn(each) && isHere(each.movement)),
    })
    places.set(key, known)
  }
  return [...places.values()]
})

/**
 * Stores the outflow. If another process was faster, or the account was already swept in this period, it does nothing.
 */
const store = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  purpose: Outflow.OwnTag,
  movement: Transfer.Movement,
  claims: Change.OutflowChange["claims"],
) {
  const id = yield* (yield* Identifiers).outflow
  const now = yield* Clock.currentTimeMillis
  const write = OwnMoney.request({ id, mode, movement, purpose }, claims, now)
  yield* Writes.write({}, () => Result.succeed(write)).pipe(
    Effect.catchTag("ClaimTaken", () => Effect.void),
  )
})

/** The movements that are due now in one mode. If `period` is given, it also sweeps accounts for that period. */
const look = Effect.fnUntraced(function* (mode: Mode.Mode, period: number | null) {
  const open = yield* (yield* OutflowStore).openOutflows(mode)
  if (period === null && !open.some(isWaiting)) return
  const { sweep } = yield* TreasuryPolicy
  const assets = yield* Assets
  for (const { places, token } of yield* placesOf(mode, open)) {
    const planned = Treasury.moves(places)
    for (const move of planned) yield* store(mode, "Move", { token, ...move }, [])
    const cold = sweep?.to.find(({ chainId }) => chainId === token.chainId)
    const decimals = assets.find(token)?.decimals
    const isWanted = places.some(({ wanted }) => wanted > 0n)
    if (period === null || sweep === null || cold === undefined) continue
    if (decimals === undefined || isWanted) continue
    const hotMax = Money.Quantity.make(BigInt(sweep.hotMax) * 10n ** BigInt(decimals))
    for (const place of places) {
      const quantity = Treasury.excess(place, hotMax)
      const { address } = place
      if (quantity > 0n) {
        yield* store(mode, "Sweep", { token, from: address, to: cold.address, quantity }, [
          { _tag: "Sweep", mode, token, address, period },
        ])
      }
    }
  }
})

/** Looks in both modes, and sweeps if a period is given. */
export const round = (period: number | null) =>
  Effect.forEach(Mode.Mode.literals, (mode) => look(mode, period), { discard: true })

const betweenLooksInMs = 15_000

/** Looks every 15 seconds until the layer's scope closes, and sweeps in the first look of each period. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { sweep } = yield* TreasuryPolicy
    let swept: number | null = null
    const next = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const period = sweep === null ? null : Math.floor(now / sweep.everyInMs)
      yield* round(period === swept ? null : period)
      swept = period
    })
    return Worker.layerEvery(betweenLooksInMs, next)
  }),
)
