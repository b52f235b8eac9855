/**
 * `florin payments`: manages payments over HTTP, as a partner's own server would.
 *
 * @module
 */
import process from "node:process"
import { group } from "@florin/api/groups/Payments"
import * as Outflows from "@florin/api/operator/Outflows"
import * as Queries from "@florin/api/Query"
import type * as Wire from "@florin/api/wire/Payment"
import type { Partner } from "@florin/client"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Csv from "@florin/core/domain/list/Csv"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Exported from "../access/Exported.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as PartnerCommand from "../operator/PartnerCommand.ts"
import * as Taken from "../operator/Taken.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as ProgressBar from "../terminal/ProgressBar.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"
import * as PaymentFacts from "./PaymentFacts.ts"
import * as Statistics from "./Statistics.ts"

const make = PartnerCommand.ofOne.of(group)

const everyInMs = 2000

type Query = NonNullable<Parameters<Partner["payments"]["list"]>[0]>
type LineItem = NonNullable<Parameters<Partner["payments"]["create"]>[0]["lineItems"]>[number]

const readItem = (
  text: string,
  { unit }: ReturnType<typeof Amount.format>,
): Result.Result<LineItem, Failure.CommandFailed> => {
  const [, quantity, name, total] =
    /^(?:([1-9][0-9]*)x )?(.*?\S)(?: *= *([0-9.,]+))?$/su.exec(text) ?? []
  if (name === undefined) {
    return Result.fail(
      Failure.makeUsage(
        "an item is written like 'Coffee beans', '2x Coffee beans' or 'Coffee beans=12.50'",
      ),
    )
  }
  const line = { name, ...(quantity !== undefined && { quantity: Number(quantity) }) }
  const currency = unit.slice("iso4217/".length)
  return total === undefined || !Amount.isCurrency(currency)
    ? Result.succeed(line)
    : Result.map(WireAmount.parse(total, currency), (amount) => ({ ...line, amount }))
}

const { omits } = Statistics

const textOf = (amount: WireAmount.Shown | undefined): string =>
  amount === undefined ? "" : WireAmount.toText(amount)

const decimalOf = (amount: WireAmount.Shown | undefined) => amount && WireAmount.toDecimal(amount)

const refundText = ({ refund, refunded, status, tokenAmount }: Wire.Item): string => {
  if (refund === undefined) return status
  if (refund.status !== "succeeded") return `refund ${refund.status}`
  return refunded?.value === tokenAmount?.value ? "refunded" : "partly refunded"
}

/** One row for each payment, even at 80 columns. */
export const columns: ReadonlyArray<Table.Column<Wire.Item>> = [
  { name: "created (UTC)", of: ({ createdAt }) => Time.minute(createdAt), isOptional: true },
  { name: "reference", of: ({ referenceId }) => referenceId, isCut: true },
  { name: "amount", of: ({ fiatAmount }) => textOf(fiatAmount) },
  {
    name: "status",
    of: refundText,
    style: ({ status }) => PaymentFacts.styles[status],
  },
  { name: "paid", of: ({ tokenAmount }) => textOf(tokenAmount), isOptional: true },
  { name: "payment", of: (item) => item.paymentId },
]

/** The revenue of all payments that match the filters, including those that are not shown. */
const showRevenue = (stats: Wire.Page["stats"]): void => {
  for (const [index, { amount, currency }] of stats.totalRevenue.entries()) {
    const minimumFractionDigits = Amount.isCurrency(currency)
      ? Amount.decimals(Amount.fiat(currency), Catalog.empty)
      : 2
    const text = (sum = 0) =>
      sum.toLocaleString("en", {
        maximumFractionDigits: 18,
        minimumFractionDigits,
        useGrouping: false,
      })
    const refunded = text(stats.totalRefunded[index]?.amount)
    const net = text(stats.netRevenue[index]?.amount)
    Terminal.fact(
      "revenue",
      `${text(amount)} ${currency} gross, ${refunded} refunded, ${net} net of refunds, before fees`,
    )
  }
}

const exported: ReadonlyArray<
  readonly [name: string, of: (item: Wire.Item) => string | undefined]
> = [
  ["payment_id", (item) => item.paymentId],
  ["created_at", ({ createdAt }) => createdAt],
  ["updated_at", ({ lastUpdatedAt }) => lastUpdatedAt],
  ["status", ({ status }) => status],
  ["reference", ({ referenceId }) => referenceId],
  ["merchant_id", ({ merchant }) => merchant.id],
  ["merchant", ({ merchant }) => merchant.name],
  ["amount", ({ fiatAmount }) => decimalOf(fiatAmount)],
  ["currency", ({ fiatAmount }) => fiatAmount?.display.assetSymbol],
  ["paid_amount", ({ tokenAmount }) => decimalOf(tokenAmount)],
  ["paid_token", ({ tokenAmount }) => tokenAmount?.display.assetSymbol],
  ["paid_asset", ({ tokenAmount }) => tokenAmount?.unit],
  ["payer", ({ buyer }) => buyer?.accountCaip10],
  ["transaction", ({ transaction }) => transaction?.hash],
  ["fee", ({ fees }) => decimalOf(fees?.total)],
  ["fee_asset", ({ fees }) => fees?.total.unit],
  ["settled_at", ({ settledAt }) => settledAt],
  ["settled_amount", ({ settlement }) => decimalOf(settlement.amount)],
  ["settled_asset", ({ settlement }) => settlement.amount?.unit],
  ["settlement_transaction", ({ settlement }) => settlement.txHash],
  ["payout_state", ({ payout }) => payout?.state],
  ["payout_id", ({ payout }) => payout?.id ?? undefined],
  ["refund_status", ({ refund }) => refund?.status],
  ["refund_amount", ({ refund }) => decimalOf(refund?.amount)],
  ["refunded", ({ refunded }) => decimalOf(refunded)],
]

const csvLine = (item: Wire.Item): string => Csv.line(exported.map(([, of]) => of(item) ?? ""))
const jsonLine = (item: Wire.Item): string => `${Printable.json(item)}\n`

/** Reads one page at a time, so that a long list needs little memory. */
async function* chunks(
  client: Partner,
  format: "csv" | "jsonl",
  query: Query,
  progress: typeof ProgressBar.show,
): AsyncGenerator<string, void> {
  if (format === "csv") yield Csv.line(exported.map(([name]) => name))
  const line = format === "csv" ? csvLine : jsonLine
  let count = 0
  let cursor: string | null | undefined
  do {
    // oxlint-disable-next-line no-await-in-loop -- A page names the next.
    const page = await client.payments.list({
      ...query,
      ...(typeof cursor === "string" && { cursor }),
    })
    count += page.data.length
    progress(count, page.stats.totalTransactions)
    yield page.data.map(line).join("")
    cursor = page.nextCursor
  } while (cursor !== null)
}

const exportCommand = Command.make(
  "export",
  {
    filters: Taken.ofSchema(Schema.Struct(Queries.payments), [...omits, "limit", "cursor"]),
    ...ServiceAccess.connectFlags,
    merchant: ServiceAccess.merchant,
    format: Flags.choice(
      "format",
      ["csv", "jsonl"],
      "csv for spreadsheets, or jsonl: one JSON object of the API in each line",
    ),
    output: Flags.output,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const output = Option.getOrUndefined(options.output)
    const isSeen = output !== undefined || !process.stdout.isTTY
    let total = 0
    const lines = chunks(
      client,
      options.format,
      { ...Taken.members(options.filters), limit: Limits.listPageMax },
      (done, all) => {
        total = done
        if (isSeen) ProgressBar.show(done, all)
      },
    )
    const step = "exporting payments"
    const written =
      output === undefined ? Exported.toStdout(step, lines) : Exported.toFile(step, output, lines)
    yield* Effect.ensuring(
      written,
      Effect.sync(() => {
        if (isSeen) ProgressBar.clear()
      }),
    )
    if (output !== undefined)
      Terminal.writeSuccess(
        `Wrote ${Printable.counted(total, "payment")} to ${Printable.from(output)}`,
      )
  }),
).pipe(
  Described.as({
    does: "Write payments to a file",
    description:
      "Write all payments that match the filters to a file, as CSV or as lines of JSON. In CSV, a value that a spreadsheet could take for a formula begins with an apostrophe.",
    examples: [
      "florin payments export --format csv --output march.csv",
      "florin payments export --format jsonl --status succeeded | wc -l",
    ],
  }),
)

const ofOutflows = OperatorCommand.of(Outflows.group)

export const command = Described.group(
  "payments",
  "Creates payments and looks after them, as a partner's server does. Address and key come from FLORIN_URL and FLORIN_API_KEY; with neither, from what runs in --directory. settle and record are for operators and call the operator's API instead.",
  [
    make("create", "create", {
      description: "Create a payment and print the link that the payer opens or scans.",
      omits: ["expiresAt", "lineItems", "merchantId"],
      takes: {
        amount: Flags.string("amount", "AMOUNT", "Amount to request: 12.50"),
        currency: Flags.optionalChoice(
          "currency",
          Amount.Currency.literals,
          "Currency of the amount",
        ),
        // A point in time, not a duration: repeating the command must send the same request.
        expiresAt: Flag.Date("expires-at").pipe(
          Flag.withMetavar("TIME"),
          Flag.withDescription(
            `Time when the payment expires: 2026-03-01T12:00:00Z (default: in ${Limits.paymentLifeDefaultInS / 60} minutes)`,
          ),
          Flag.map((time) => Math.floor(time.getTime() / 1000)),
          Flag.optional,
        ),
        item: Flags.string(
          "item",
          "ITEM",
          "Line of the order, shown on the checkout: '2x Coffee beans=12.50', where 12.50 is the amount of the whole line; repeat for several",
        ).pipe(Flag.atLeast(0)),
        metadata: Flags.pairs(
          "metadata",
          "KEY=VALUE",
          "Data to store with the payment, never shown to the payer; repeat for several",
        ),
        idempotencyKey: Flags.idempotencyKey("payment"),
      },
      members: Effect.fnUntraced(function* ({ currency, expiresAt, item, metadata, ...own }) {
        const amount = yield* Effect.fromResult(
          WireAmount.parse(own.amount, Option.getOrUndefined(currency)),
        )
        const lineItems = yield* Effect.forEach(item, (each) =>
          Effect.fromResult(readItem(each, amount)),
        )
        return {
          amount,
          ...Taken.members({ expiresAt }),
          ...(lineItems.length > 0 && { lineItems }),
          ...(Object.keys(metadata).length > 0 && { metadata }),
        }
      }),
      once: Flags.onceOf,
      print: ({ expiresAt, gatewayUrl, paymentId: id }, own, { isLive }) => {
        const asked = [own.amount, ...Option.toArray(own.currency)].join(" ")
        Terminal.writeSuccess(`${id} requests ${asked}`)
        Terminal.fact("link", gatewayUrl)
        Terminal.fact("expires", PaymentFacts.secondText(expiresAt))
        if (!isLive) Terminal.note(`Pay it here with: \`florin pay '${gatewayUrl}'\``)
      },
      examples: [
        "florin payments create --amount 12.50 --currency USD --reference order-1",
        "florin payments create --amount 700 --currency JPY --reference order-2 --metadata cart=6735",
        "florin payments create --amount 25 --currency EUR --reference order-3 --item '2x Coffee beans=21.00' --item Shipping=4.00",
      ],
    }),
    PartnerCommand.ofAny.of(group)("list", "list", {
      description: "List payments, newest first unless --sort is given.",
      omits,
      everyInMs,
      print: ({ data, nextCursor, stats }) => {
        Table.counted(columns, data, { name: "Payments", none: "No payments." })
        if (data.length > 0) showRevenue(stats)
        if (nextCursor !== null)
          Terminal.note("Export all with: `florin payments export --format csv`")
      },
      examples: ["florin payments list --status succeeded --since 2026-03-01T00:00:00Z"],
    }),
    make("show", "get", {
      everyInMs,
      print: PaymentFacts.print,
    }),
    make("cancel", "cancel", {
      done: ({ cancelledAt, paymentId: id }) =>
        `${id} was cancelled at ${Time.second(cancelledAt)}.`,
    }),
    Statistics.command,
    exportCommand,
    ofOutflows("settle", "retrySettlement", {
      explain: (why, { paymentId }) => `${why}: \`florin explain ${paymentId}\` shows the state`,
      done: ({ destination, paymentId }) =>
        `The payout of ${paymentId} is due again, to ${destination}. A worker sends it.`,
      next: ({ paymentId }) => `Follow it with: \`florin explain ${paymentId}\``,
    }),
    ofOutflows("record", "recordForPayment", {
      adds: "For a payout of several payments use `florin payouts record <txHash>`.",
      omits: "all",
      takes: { txId: Flags.txHash("Hash of the transaction") },
      explain: (why) => `nothing was recorded: ${why}`,
      done: ({ paymentId }, { txId }) => `${txId} is recorded for ${paymentId}.`,
      next: ({ paymentId }) => `Show its history with: \`florin explain ${paymentId}\``,
    }),
  ],
)
