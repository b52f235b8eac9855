/**
 * A statement for spreadsheets: a row for each token, amounts in whole units of it.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Money from "../ground/Money.ts"
import * as Csv from "./Csv.ts"
import type * as Statement from "./Statement.ts"

type Texts<A> = { readonly [K in keyof A]: string }

/** A token as the interface shows it: integers as text. */
interface Token extends Texts<Statement.Lines> {
  readonly unit: string
  readonly display: {
    readonly assetSymbol: string
    readonly decimals: number
    readonly networkName?: string
  }
  readonly opening: Texts<Statement.Balance>
  readonly closing: Texts<Statement.Balance>
}

interface Shown {
  readonly merchantId: string
  readonly merchantName: string
  readonly from: string
  readonly to: string
  readonly tokens: ReadonlyArray<Token>
}

/** Exactly: `-12.5`. */
export const decimal = (value: string, { decimals }: Token["display"]): string => {
  const [sign, digits] = value.startsWith("-") ? ["-", value.slice(1)] : ["", value]
  return Result.match(Money.parse(digits), {
    onFailure: () => "?",
    onSuccess: (quantity) => `${sign}${Money.toDecimal(quantity, decimals, 0)}`,
  })
}

/** The amounts of a token, in the order in which they add up. */
export const amounts: ReadonlyArray<readonly [column: string, of: (token: Token) => string]> = [
  ["opening_owed", ({ opening }) => opening.owed],
  ["paid_in", ({ paidIn }) => paidIn],
  ["fees", ({ fees }) => fees],
  ["refunds", ({ refunds }) => refunds],
  ["debt", ({ debt }) => debt],
  ["kept", ({ kept }) => kept],
  ["paid_out", ({ paidOut }) => paidOut],
  ["transferred", ({ transferred }) => transferred],
  ["closing_owed", ({ closing }) => closing.owed],
  ["opening_debt", ({ opening }) => opening.debt],
  ["closing_debt", ({ closing }) => closing.debt],
  ["opening_kept", ({ opening }) => opening.kept],
  ["closing_kept", ({ closing }) => closing.kept],
]

const named = [
  "merchant_id",
  "merchant",
  "from",
  "to",
  "token",
  "network",
  "asset",
  ...amounts.map(([column]) => column),
]

export const write = ({ from, merchantId, merchantName, to, tokens }: Shown): string =>
  [
    named,
    ...tokens.map((token) => [
      merchantId,
      merchantName,
      from,
      to,
      token.display.assetSymbol,
      token.display.networkName ?? "",
      token.unit,
      ...amounts.map(([, of]) => decimal(of(token), token.display)),
    ]),
  ]
    .map(Csv.line)
    .join("")
