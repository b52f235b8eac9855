/**
 * `florin payments statistics`: payments by day, week or month.
 *
 * @module
 */
import { group } from "@florin/api/groups/Payments"
import type * as Wire from "@florin/api/wire/Payment"
import * as Age from "@florin/core/domain/ground/Age"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PartnerCommand from "../operator/PartnerCommand.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

type Counts = Pick<Wire.Statistics["buckets"][number], "payments" | "revenue" | "succeeded">

/** Of each unit the amount, as a list. */
const sums = (
  { revenue }: Counts,
  { units }: Wire.Statistics,
  of: "gross" | "net" | "refunded",
): string =>
  revenue
    .flatMap((each) =>
      units
        .filter(({ unit }) => unit === each[of].unit)
        .map((shown) => WireAmount.toText({ ...shown, ...each[of] })),
    )
    .join(", ")

const columns = (all: Wire.Statistics): ReadonlyArray<Table.Column<Counts>> => [
  { name: "payments", of: ({ payments }) => `${payments}` },
  { name: "succeeded", of: ({ succeeded }) => `${succeeded}` },
  { name: "net revenue", of: (each) => sums(each, all, "net") },
  { name: "refunded", of: (each) => sums(each, all, "refunded"), isOptional: true },
]

/** Every command has `--merchant` already, and a deprecated filter gets no flag. */
export const omits = [PaymentFilter.table.merchantIds.name, PaymentFilter.table.tokens.name]

export const command = PartnerCommand.ofAny.of(group)("statistics", "statistics", {
  omits,
  print: (all) => {
    Table.print(
      [{ name: "from (UTC)", of: ({ startTs }) => Time.minute(startTs) }, ...columns(all)],
      all.buckets,
    )
    for (const { payments, status } of all.statuses) {
      if (payments > 0) Terminal.fact(status, `${payments}`)
    }
    if (all.tokens.length > 0) {
      const nameOf = (unit: string | null): string => {
        const { assetSymbol = "open", networkName } =
          all.units.find((each) => each.unit === unit)?.display ?? {}
        return networkName === undefined ? assetSymbol : `${assetSymbol} on ${networkName}`
      }
      Table.print([{ name: "token", of: ({ unit }) => nameOf(unit) }, ...columns(all)], all.tokens)
    }
    for (const { payments, upToMs } of all.timeToSuccess) {
      if (payments > 0) {
        Terminal.fact(upToMs === null ? "longer" : `up to ${Age.text(upToMs)}`, `${payments}`)
      }
    }
  },
  examples: [
    "florin payments statistics --by week --time-zone Europe/Berlin",
    "florin payments statistics --by month --since 2026-01-01T00:00:00Z --currency EUR",
  ],
})
