/**
 * The layout of the ways to pay: one that is recommended, and the others by token. Pure.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import type { NetworkFee } from "../messages/CheckoutMessages.ts"

type Way = Option.PaymentOption

/** The ways to pay with one token. */
interface Group {
  readonly symbol: string
  readonly ways: ReadonlyArray<Way>
}

/** With more ways than this, a payer can search by name, and the ways with one token are folded. */
export const shownMax = 5

const symbolOf = ({ amount }: Way): string => amount.display.assetSymbol

/**
 * The service puts the best way first: without gas, then cheap, then quick. The payer's last choice takes precedence.
 */
export const recommend = (ways: ReadonlyArray<Way>, lastUnit: string | null | undefined) =>
  ways.find(({ amount }) => amount.unit === lastUnit) ?? ways[0]

/** Groups by token, in the order of each token's best way. */
export const group = (ways: ReadonlyArray<Way>): ReadonlyArray<Group> =>
  Array.from(new Set(ways.map(symbolOf)), (symbol) => ({
    symbol,
    ways: ways.filter((way) => symbolOf(way) === symbol),
  }))

/** The ways whose token or network name contains this text. */
export const filterByText = (ways: ReadonlyArray<Way>, text: string): ReadonlyArray<Way> => {
  const wanted = text.trim().toLocaleLowerCase()
  return ways.filter(({ amount: { display } }) =>
    `${display.assetSymbol} ${display.assetName} ${display.networkName ?? ""}`
      .toLocaleLowerCase()
      .includes(wanted),
  )
}

const signing: ReadonlySet<string> = new Set(["eth_signTypedData_v4", "personal_sign"])

/**
 * How the network fee is said. The service rounds an estimate up to the currency's smallest unit, so one unit may be
 * less. Without an estimate, the steps say whether there is a fee.
 */
export const networkFeeOf = (way: Way): NetworkFee | "about" | "below" => {
  const steps = feeOfSteps(way)
  const value = way.networkFee?.value
  if (value === undefined || !/^[0-9]+$/u.test(value)) return steps
  // A fee of nothing is not believed if the wallet sends a transaction.
  if (BigInt(value) === 0n) return steps === "some" ? steps : "none"
  return BigInt(value) === 1n ? "below" : "about"
}

const feeOfSteps = ({ actions }: Way): NetworkFee => {
  const isPaid = actions.some(
    (action) => action.type === "walletRpc" && !signing.has(action.data.method),
  )
  if (isPaid) return "some"
  return actions.some(({ type }) => type === "build") ? "maybe" : "none"
}
