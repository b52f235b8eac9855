/**
 * `florin merchants`: a partner manages its merchants and their payout destinations; the operator approves, changes and
 * stops them.
 *
 * @module
 */
import { stdin } from "node:process"
import * as Balances from "@florin/api/groups/Balances"
import * as Merchants from "@florin/api/groups/Merchants"
import * as Settlements from "@florin/api/groups/Settlements"
import * as Contract from "@florin/api/operator/Merchants"
import type { OfMerchant } from "@florin/api/wire/Balance"
import type * as Wire from "@florin/api/wire/Merchant"
import type { CryptoSettlement, History } from "@florin/api/wire/Settlement"
import type { Statement } from "@florin/api/wire/Statement"
import * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as StatementCsv from "@florin/core/domain/list/StatementCsv"
import * as MerchantRecord from "@florin/core/domain/partner/Merchant"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as OperatorCommand from "../operator/Command.ts"
import * as PartnerCommand from "../operator/PartnerCommand.ts"
import type * as RecordSettings from "../operator/RecordSettings.ts"
import * as Taken from "../operator/Taken.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Prompt from "../terminal/Prompt.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"
import * as FeeFlags from "./FeeFlags.ts"
import * as Measures from "./Measures.ts"

const ofPartner = PartnerCommand.ofAll.of(Merchants.group)
const ofBalances = PartnerCommand.ofAll.of(Balances.group)
const ofSettlements = PartnerCommand.ofAll.of(Settlements.group)
const ofOperator = OperatorCommand.of(Contract.group)

type Waiting = Wire.WaitingPage["merchants"][number]
type Look = NonNullable<NonNullable<Waiting["waiting"]>["approved"]>

/** What payers see of a merchant, and what the operator approves. */
const lookFacts = (look: {
  readonly name: string
  readonly iconUrl: string | null
  readonly supportEmail?: string | null
  readonly supportUrl?: string | null
}): void => {
  Terminal.fact("name", Printable.from(look.name))
  Terminal.fact("icon", Printable.from(look.iconUrl ?? "none"))
  for (const support of [look.supportEmail, look.supportUrl]) {
    Terminal.fact("support", support && Printable.from(support))
  }
}

const facts = (merchant: Wire.Merchant): void => {
  lookFacts(merchant)
  Terminal.fact("color", merchant.brandColor && Printable.from(merchant.brandColor))
  for (const origin of merchant.checkoutOrigins) Terminal.fact("framed by", Printable.from(origin))
  Terminal.fact("email", Printable.from(merchant.email))
  Terminal.fact("status", merchant.status)
  Terminal.fact("created", Time.second(merchant.createdAt))
}

const destinations: ReadonlyArray<Table.Column<CryptoSettlement>> = [
  { name: "settlement", of: ({ id }) => id },
  { name: "asset", of: ({ asset }) => asset },
  { name: "destination", of: ({ destination }) => destination },
  {
    name: "in effect",
    of: ({ statement, takesEffectAt }) => {
      if (statement !== undefined) return "after it is signed"
      return takesEffectAt === undefined ? "yes" : Time.second(takesEffectAt)
    },
  },
]

const showDestinations = (found: ReadonlyArray<CryptoSettlement>): void => {
  Table.counted(destinations, found, {
    name: "Settlement destinations",
    none: "No settlement destinations: the merchant's money stays owed.",
  })
  showStatements(found)
}

/** Prints the statements that destinations have still to sign, verbatim. */
const showStatements = (found: ReadonlyArray<CryptoSettlement>): void => {
  for (const { id, statement } of found) {
    if (statement === undefined) continue
    Terminal.heading(
      `${id} is paid after its account signs this text, without a line break at the end:`,
    )
    for (const line of statement.split("\n")) Terminal.plain(Printable.from(line))
    Terminal.note(
      "Submit the signature with: `florin merchants settlements prove <merchantId> <settlementId> <destination> <signature>`",
    )
  }
}

const columns: ReadonlyArray<Table.Column<Wire.Merchant>> = [
  { name: "created (UTC)", of: ({ createdAt }) => Time.minute(createdAt) },
  { name: "name", of: (merchant) => merchant.name, isCut: true },
  { name: "email", of: (merchant) => merchant.email, isCut: true },
  { name: "status", of: ({ status }) => status },
  { name: "merchant", of: ({ id }) => id },
]

const inAll = { name: "Merchants", none: "No merchants." }

const ownedColumns: ReadonlyArray<Table.Column<Wire.Owned>> = [
  ...columns.slice(0, 2),
  { name: "mode", of: ({ mode }) => mode },
  ...columns.slice(3),
  { name: "partner", of: ({ partnerId }) => partnerId },
]

const balanceColumns: ReadonlyArray<Table.Column<OfMerchant>> = [
  { name: "name", of: ({ merchantName }) => Printable.from(merchantName), isCut: true },
  { name: "token", of: ({ display }) => display.assetSymbol },
  { name: "on", of: ({ display }) => display.networkName ?? "-", isCut: true },
  ...Struct.keys(MerchantBalance.parts).map((part): Table.Column<OfMerchant> => ({
    name: part === "inPayout" ? "in payout" : part,
    of: ({ display, [part]: sum }) => WireAmount.toNumber({ ...sum, display }),
  })),
  { name: "merchant", of: ({ merchantId }) => merchantId },
]

const historyColumns: ReadonlyArray<Table.Column<History["changes"][number]>> = [
  { name: "at", of: ({ createdAt }) => Time.second(createdAt) },
  { name: "asset", of: ({ asset }) => asset },
  { name: "from", of: ({ from }) => from ?? "none" },
  { name: "to", of: ({ to }) => to ?? "none" },
  {
    name: "takes effect",
    of: ({ takesEffectAt }) =>
      takesEffectAt === null ? "immediately" : Time.second(takesEffectAt),
  },
  { name: "by", of: ({ keyId }) => keyId ?? "the operator" },
  { name: "request", of: ({ requestId }) => requestId ?? "-" },
]

const lookText = (look: Look): string =>
  [
    Printable.from(JSON.stringify(look.name)),
    `icon ${Printable.from(look.iconUrl ?? "none")}`,
    ...[look.supportEmail, look.supportUrl].flatMap((support) =>
      support === null ? [] : [`support ${Printable.from(support)}`],
    ),
  ].join(", ")

/** Why a merchant waits for approval, and what payers see of it until then. */
const reasons = ({ resembles, waiting: state }: Waiting): ReadonlyArray<string> => {
  const { approved = null, isAlike = false, takesPayments = true } = state ?? {}
  const resembled = resembles.map(
    ({ merchantId: id, name: theirs, partnerId }) =>
      `resembles ${Printable.from(JSON.stringify(theirs))}, ${id === null ? `partner ${partnerId}` : `merchant ${id} of partner ${partnerId}`}`,
  )
  return [
    ...(approved === null
      ? ["was never approved"]
      : ["changed its name, icon or support contact", `payers see ${lookText(approved)}`]),
    ...resembled,
    ...(isAlike && resembled.length === 0
      ? ["resembled a name of another partner that is gone or changed"]
      : []),
    takesPayments
      ? "accepts payments with the old name, icon and support contact"
      : "accepts no live payments",
  ]
}

const approvalFlags = {
  name: Flags.optionalString(
    "name",
    "TEXT",
    "Name that you checked; the command fails if the merchant has another name now",
  ),
  yes: Flags.toggle("yes", "Approve without asking"),
}

/** What is approved: the person saw it, or named it. */
const approval = Effect.fnUntraced(function* (
  own: Command.Command.Config.InferValue<typeof approvalFlags>,
  { asked, carry, json }: OperatorCommand.Asking,
) {
  if (!own.yes && (json || !stdin.isTTY)) {
    return yield* Failure.makeUsage(
      "nobody can be asked: add --yes to approve what payers will see, or run the command in a terminal without --json",
    )
  }
  const current = yield* OperatorCommand.send(carry, Contract.group, "get", asked)
  const seen = Option.getOrElse(own.name, () => current.name)
  if (!json) {
    Terminal.heading("Payers will see:")
    lookFacts(current)
  }
  if (!own.yes && seen === current.name && !(yield* Prompt.ask("Approve this"))) {
    return yield* Failure.make("nothing was approved")
  }
  // It fails if the name differs from --name, or if the merchant was changed after it was shown.
  return { ...Struct.pick(current, ["iconUrl", "supportEmail", "supportUrl"]), name: seen }
})

const measure = (taken: MerchantRecord.Measure) =>
  ofOperator(taken, taken, {
    done: ({ id, status }) => {
      const isInactive = status === "inactive" && (taken === "suspend" || taken === "resume")
      return `${id} ${isInactive ? "is inactive: it accepts no payments, as before" : Measures.done[taken]}.`
    },
  })

const settings: RecordSettings.Table<Wire.Owned> = {
  name: {
    name: "name",
    of: ({ name }) => Printable.from(JSON.stringify(name)),
    note: "Payers see the new name.",
  },
  status: { name: "status", of: ({ status }) => status },
  fees: {
    name: "fees",
    of: ({ fees }) => (fees === null ? "those of its partner" : FeeFlags.text(fees)),
    note: "Existing payments keep their fees.",
  },
  payouts: {
    name: "payouts",
    of: ({ payouts }) => payouts ?? "as those of its partner",
    note: "Shares that wait already follow it after their old waiting time, or earlier together with another payout to the same destination.",
  },
}

const titleOf = ({ display, unit }: Statement["tokens"][number]): string =>
  display.networkName === undefined ? unit : `${display.assetSymbol} on ${display.networkName}`

const settlements = Described.group(
  "settlements",
  "Manage the accounts that receive a merchant's payouts.",
  [
    ofSettlements("add", "create", {
      does: "Add a settlement destination",
      description: "Set the account that receives a merchant's payouts in one token.",
      omits: "all",
      takes: {
        asset: Flags.argument("asset", "Token that is paid out: eip155:8453/erc20:0x…"),
        destination: Flags.argument("destination", "Account that receives it: eip155:8453:0x…"),
      },
      members: ({ asset, destination }) =>
        Effect.succeed({ settlements: [{ asset, destination }] }),
      done: (created) =>
        created.settlements.some(({ takesEffectAt }) => takesEffectAt !== undefined)
          ? "Payouts in that token go there after the change takes effect, and wait until then."
          : "Payouts in that token go there from now on.",
      print: (created) => {
        Table.print(destinations, created.settlements)
        showStatements(created.settlements)
      },
    }),
    ofSettlements("list", "list", {
      description: "List a merchant's settlement destinations.",
      print: ({ crypto }) => showDestinations(crypto),
    }),
    ofSettlements("remove", "remove", {
      done: ({ id }) => `${id} is removed. Later payments in its token stay owed.`,
    }),
    ofSettlements("prove", "change", {
      does: "Prove control of a settlement destination",
      description:
        "Submit the signature which proves that the merchant controls a destination's account. A service with proveDestinations pays a new destination only after that. A contract account may sign by ERC-1271.",
      omits: "all",
      takes: {
        destination: Flags.argument("destination", "Account that signed"),
        signature: Flags.argument("signature", "Signature of the text that list prints"),
      },
      members: ({ destination, signature: proof }) => Effect.succeed({ destination, proof }),
      done: ({ id }) => `${id} is proven. Payouts that waited for it are sent within 10 minutes.`,
    }),
    ofOperator("confirm", "confirmDestination", {
      args: ["destination"],
      done: ({ asset, destination, id }) => `${id} is in effect: ${asset} goes to ${destination}.`,
      next: () => "Payouts that waited for it are sent within 10 minutes.",
    }),
    ofOperator("history", "destinationHistory", {
      print: ({ changes }) => Table.list(historyColumns, changes, "No changes of destinations."),
    }),
  ],
  "Manage settlement destinations",
)

export const command = Described.group(
  "merchants",
  "Manage a partner's merchants. The service's address and key come from FLORIN_URL and FLORIN_API_KEY; if neither is set, from the service that runs in --directory. These commands are for operators and call the operator's API instead, as florin partners does: settlements confirm, settlements history, change, all, waiting, approve, suspend, resume, freeze and unfreeze.",
  [
    ofPartner("create", "create", {
      description:
        "Create a merchant. A test merchant can be paid immediately; a live one may have to be approved by the operator first.",
      done: ({ merchant }) => merchant.id,
      print: ({ merchant }) => facts(merchant),
      next: ({ merchant }) =>
        `Set its settlement destination with: \`florin merchants settlements add ${merchant.id} <asset> <destination>\``,
      examples: ['florin merchants create --name "Corner Shop" --email shop@example.com'],
    }),
    ofPartner("list", "list", {
      print: ({ merchants, totalCount }) => {
        Table.counted(columns, merchants, { ...inAll, count: totalCount })
      },
    }),
    ofBalances("balances", "list", {
      print: ({ data }) => Table.list(balanceColumns, data, "No merchant is owed anything."),
      examples: ["florin merchants balances", "florin merchants balances --merchant mrch_…"],
    }),
    ofPartner("show", "get", {
      print: ({ merchant }) => {
        Terminal.heading(merchant.id)
        facts(merchant)
        showDestinations(merchant.settlements.crypto)
      },
    }),
    ofPartner("update", "update", {
      done: ({ merchant }) => `${merchant.id} is changed`,
      print: ({ merchant }) => facts(merchant),
      examples: ["florin merchants update mrch_… --name Tea --icon-url none"],
    }),
    ofPartner("delete", "remove", {
      done: ({ id }) =>
        `${id} is deleted. It accepts no new payments; its existing payments stay and still settle.`,
    }),
    ofPartner("statement", "statement", {
      adds: "In each token, `opening owed` and the lines down to `transferred` add up to `closing owed`.",
      omits: ["format"],
      takes: { csv: Flags.toggle("csv", "Print CSV, one row for each token") },
      members: ({ csv }, { json }) => Effect.as(Flags.refuseTogether({ csv, json }), {}),
      print: (found, { csv }) => {
        // Each line already has a newline at its end.
        if (csv) return Terminal.result(StatementCsv.write(found).slice(0, -1))
        const { from, merchantName, to, tokens } = found
        Terminal.heading(
          `${Printable.from(merchantName)}, ${from} to ${to}${tokens.length === 0 ? ": nothing." : ""}`,
        )
        for (const token of tokens) {
          Terminal.heading(Printable.from(titleOf(token)))
          Table.print(
            [
              { name: "line", of: ([column]) => column.replace("_", " ") },
              { name: "amount", of: ([, of]) => StatementCsv.decimal(of(token), token.display) },
            ],
            StatementCsv.amounts,
          )
        }
      },
      examples: ["florin merchants statement mrch_… --from 2026-09-01 --to 2026-09-30 --csv"],
    }),
    settlements,
    ofOperator("change", "change", {
      adds: "A name that you set needs no approval. An icon or a support contact that waits for approval still waits.",
      takes: {
        fees: FeeFlags.flags,
        usual: Flags.optionalChoice("fees", ["default"], "Use the fees of its partner again"),
      },
      members: ({ fees, usual }) => {
        const own = Taken.members(fees)
        const isOwn = Object.keys(own).length > 0
        if (isOwn && Option.isSome(usual)) {
          return Effect.fail(
            Failure.makeUsage("--fees default and a fee contradict each other: give one of them"),
          )
        }
        return Effect.succeed(isOwn || Option.isSome(usual) ? { fees: isOwn ? own : null } : {})
      },
      settings,
      examples: [
        'florin merchants change mrch_… --name "Corner Shop"',
        "florin merchants change mrch_… --payouts 15m --fee-percentage 0.2",
        "florin merchants change mrch_… --payouts default --fees default",
      ],
    }),
    ofOperator("all", "list", {
      print: ({ merchants, totalCount }) => {
        Table.counted(ownedColumns, merchants, { ...inAll, count: totalCount })
      },
      examples: ["florin merchants all --partner prtn_… --search tea"],
    }),
    ofOperator("waiting", "waiting", {
      print: ({ merchants }) => {
        Terminal.heading(
          merchants.length === 0
            ? "No merchant waits for your approval."
            : `Waiting: ${merchants.length}`,
        )
        for (const each of merchants) {
          Terminal.heading(each.id)
          Terminal.fact("partner", each.partnerId)
          lookFacts(each)
          for (const reason of reasons(each)) Terminal.fact("", reason)
        }
        if (merchants.length > 0) {
          Terminal.note("Approve one with: `florin merchants approve <merchantId>`")
        }
      },
    }),
    ofOperator("approve", "approve", {
      description:
        "Approve the name, the icon and the support contact of a live merchant. The command shows them and asks before it approves them. The merchant accepts live payments from then on.",
      omits: "all",
      takes: approvalFlags,
      members: approval,
      done: ({ id }) => `${id} is approved.`,
      examples: [
        "florin merchants approve mrch_…",
        'florin merchants approve mrch_… --name "Corner Shop" --yes',
      ],
    }),
    ...MerchantRecord.measures.map(measure),
  ],
)
