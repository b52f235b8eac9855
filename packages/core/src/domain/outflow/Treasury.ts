/**
 * The operator's own money on our accounts: where it may go, and what the service moves automatically.
 *
 * @module
 */
import * as Caip from "../chain/Caip.ts"
import * as Limits from "../ground/Limits.ts"
import * as Money from "../ground/Money.ts"
import * as Outflow from "./Outflow.ts"

/** Sends the excess of accounts over a limit to accounts whose keys the service does not have. */
export interface Sweep {
  /** One account for each chain that is swept. */
  readonly to: ReadonlyArray<Caip.Account>
  /** How much an account keeps of each token in addition to what is owed from it, in whole units of the token. */
  readonly hotMax: number
  /** Each account is swept at most once in this time, which is counted from the epoch. */
  readonly everyInMs: number
}

export interface Policy {
  /** The accounts to which the operator may withdraw its money. */
  readonly accounts: ReadonlyArray<Caip.Account>
  readonly sweep: Sweep | null
}

/** Nothing may leave. */
export const closedPolicy: Policy = { accounts: [], sweep: null }

const includes = (accounts: ReadonlyArray<Caip.Account>, account: Caip.Account): boolean =>
  accounts.some((each) => Caip.sameAccount(each, account))

/** Whether an outflow may go to its destination: for the operator's own money the settings decide, not the storage. */
export const mayLeave = (
  outflow: Pick<Outflow.Outflow, "movement" | "purpose">,
  policy: Policy,
  own: ReadonlyArray<Caip.Account>,
): boolean => {
  const { movement } = outflow
  const account = { chainId: movement.token.chainId, address: movement.to }
  // Money for one of our accounts has not left: our keys are the same on every chain.
  const isOurs = own.some(({ address }) => address === account.address)
  switch (Outflow.factsOf(outflow).goesTo) {
    case "ours":
      return includes(own, account) && movement.from !== movement.to
    case "treasury":
      return includes(policy.accounts, account) && !isOurs
    case "cold":
      return policy.sweep !== null && includes(policy.sweep.to, account) && !isOurs
    // What others are owed goes where their records say.
    case "record":
      return true
  }
}

/** One of our accounts in one token. */
export interface Place {
  readonly address: Caip.Address
  /** Its balance beyond what is owed from it. */
  readonly float: bigint
  /** How much of its float the waiting outflows would take. */
  readonly wanted: bigint
  /** How much is on its way to it from our other accounts. */
  readonly coming: bigint
  /** Whether an outflow of the operator's own money is leaving it already: only one at a time. */
  readonly isLeaving: boolean
}

export interface Move {
  readonly from: Caip.Address
  readonly to: Caip.Address
  readonly quantity: Money.Quantity
}

const most = Money.Quantity.make(Limits.maxQuantity)

/** How much the place could give without delaying its own waiting outflows. */
const spareOf = ({ float, isLeaving, wanted }: Place): bigint =>
  isLeaving || float <= wanted ? 0n : float - wanted

const missingAt = ({ coming, float, wanted }: Place): bigint => {
  const missing = wanted - coming - float
  // Money that the chain took from us is not replaced: only waiting outflows are covered.
  return wanted === 0n || missing < 0n ? 0n : missing
}

/**
 * Moves money to places where outflows wait for it, from the places that have the most to spare. All are of one token.
 */
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

/** How much is swept from a place, so that it keeps `hotMax`. Nothing while an outflow of the token waits for money. */
export const excess = (place: Place, hotMax: Money.Quantity): Money.Quantity => {
  const spare = spareOf(place) - hotMax
  return spare > 0n ? Money.clamp(spare, most) : Money.zero
}
