/**
 * The ways to pay that a person chooses from, each on a line of its own.
 *
 * @module
 */
import type { PayOptions } from "@florin/client"
import * as WireAmount from "../terminal/WireAmount.ts"

type Way = Parameters<NonNullable<PayOptions["chooseOption"]>>[0][number]

/** How the token is handed over, as its first action shows. */
const handedOver = ({ actions: [first] }: Way): string => {
  if (first === undefined) return ""
  if (first.type === "build") return ", signed with Permit2"
  switch (first.data.method) {
    case "eth_sendTransaction":
      return ", sent by the wallet"
    case "eth_signTypedData_v4":
      return first.data.params.some((each) => each.includes('"primaryType":"Permit"'))
        ? ", signed as a permit"
        : ", signed"
    default:
      return ""
  }
}

const waitText = (inS: number): string => (inS < 120 ? `${inS} s` : `${Math.ceil(inS / 60)} min`)

/** One line for each way. Only ways in the same token say how it is handed over. */
export const lines = (ways: ReadonlyArray<Way>): ReadonlyArray<string> => {
  const amounts = ways.map(({ amount }) => WireAmount.toText(amount))
  return ways.map((way, index) => {
    const amount = amounts[index] ?? ""
    const isAlike = amounts.indexOf(amount) !== amounts.lastIndexOf(amount)
    const how = isAlike ? handedOver(way) : ""
    const also = way.collectData === null ? "" : ", needs your details"
    return `${amount}${how}, in about ${waitText(way.etaS)}${also}`
  })
}
