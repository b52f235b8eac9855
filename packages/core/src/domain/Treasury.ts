/**
 * The operator's own money on our accounts: where it may leave to, and what the service moves by itself.
 *
 * @module
 */
import * as Caip from "./Caip.ts"
import * as Limits from "./Limits.ts"
import * as Money from "./Money.ts"
import type * as Outflow from "./Outflow.ts"

/** Sends what accounts hold beyond a limit to accounts whose keys the service does not have. */
export interface Sweep {
  /** One account for each chain that is swept. */
  readonly to: ReadonlyArray<Caip.Account>
  /** What an account keeps of each token besides what is owed from it, in whole units of the token. */
  readonly hotMax: number
  /** Each account is swept at most once in this time, which is counted from the epoch. */
  readonly everyInMs: number
}

export interface Policy {
  /** Where the operator may take its money. */
  readonly accounts: ReadonlyArray<Caip.Account>
  readonly sweep: Sweep | null
}

/** Nothing leaves. */
export const closed: Policy = { accounts: [], sweep: null }

const includes = (accounts: ReadonlyArray<Caip.Account>, account: Caip.Account): boolean =>
  accounts.some((each) => Caip.sameAccount(each, account))

/** Whether an outflow may go where it goes: for the operator's own money settings decide, and not the storage. */
export const mayLeave = (
  { movement, purpose }: Pick<Outflow.Outflow, "movement" | "purpose">,
  policy: Policy,
  own: ReadonlyArray<Caip.Account>,
): boolean => {
  const account = { chainId: movement.token.chainId, address: movement.to }
  // What goes to an account of ours has not left: our keys are the same on every chain.
  const isOurs = own.some(({ address }) => address === account.address)
  switch (purpose._tag) {
    case "Move":
      return includes(own, account) && movement.from !== movement.to
    case "Withdraw":
      return includes(policy.accounts, account) && !isOurs
    case "Sweep":
      return policy.sweep !== null && includes(policy.sweep.to, account) && !isOurs
    default:
      return true
  }
}

/** One account of ours in one token. */
export interface Place {
  readonly address: Caip.Address
  /** What it holds beyond what is owed from it. */
  readonly float: bigint
  /** What outflows that wait would take of its float. */
  readonly wanted: bigint
  /** What is on its way to it from our other accounts. */
  readonly coming: bigint
  /** Whether the operator's own money is leaving it already: one at a time. */
  readonly isLeaving: boolean
}

export interface Move {
  readonly from: Caip.Address
  readonly to: Caip.Address
  readonly quantity: Money.Quantity
}

const most = Money.Quantity.make(Limits.maxQuantity)

/** What the place could give: nothing of what waits on it. */
const spareOf = ({ float, isLeaving, wanted }: Place): bigint =>
  isLeaving || float <= wanted ? 0n : float - wanted

const missingAt = ({ coming, float, wanted }: Place): bigint => {
  const missing = wanted - coming - float
  // Money that the chain took from us is not made up for: only what waits is.
  return wanted === 0n || missing < 0n ? 0n : missing
}

/** Brings money to where outflows wait for it, from the places that have the most to spare. All are of one token. */
export const moves = (places: ReadonlyArray<Place>): ReadonlyArray<Move> => {
  const spares = places
    .map((place) => ({ place, spare: spareOf(place) }))
    .filter(({ spare }) => spare > 0n)
    .toSorted((left, right) => (left.spare > right.spare ? -1 : 1))
  const planned: Array<Move> = []
  for (const place of places) {
    let missing = missingAt(place)
    while (missing > 0n) {
      const next = spares.shift()
      if (next === undefined) return planned
      const quantity = Money.clamp(next.spare < missing ? next.spare : missing, most)
      planned.push({ from: next.place.address, to: place.address, quantity })
      missing -= quantity
    }
  }
  return planned
}

/** What is swept from a place, so that it keeps `hotMax`. Nothing while an outflow of the token waits for money. */
export const excess = (place: Place, hotMax: Money.Quantity): Money.Quantity => {
  const spare = spareOf(place) - hotMax
  return spare > 0n ? Money.clamp(spare, most) : Money.zero
}
