/**
 * What the steps of a payment ask of a wallet, and which of them sends the money.
 *
 * @module
 */
import type { Resume } from "./Pay.ts"

/** To sign, to allow the use of the token, or to send the money itself. */
export type Asks = "sign" | "allow" | "send"

type Steps = Pick<Resume, "actions" | "outputs">

/**
 * What the next step asks for. A transaction before a signature for typed data moves no money: it allows the use of the
 * token.
 *
 * @example
 * if (asksOf(progress.resume) === "send") tellThePayer("Your wallet sends the money now.")
 */
export const asksOf = ({ actions, outputs }: Steps): Asks => {
  const [next, ...later] = actions.slice(outputs.length)
  if (next?.data.method !== "eth_sendTransaction") return "sign"
  return later.some(({ data }) => data.method === "eth_signTypedData_v4") ? "allow" : "send"
}

/**
 * The hash of the transaction with which the wallet sent the money itself; undefined if it sent none. If there is one,
 * paying in another way would pay twice.
 */
export const sentHash = ({ actions, outputs }: Steps): string | undefined =>
  outputs.find((_, step) => asksOf({ actions, outputs: outputs.slice(0, step) }) === "send")
