/**
 * `florin merchants`: a partner's merchants, and where their money goes, over HTTP; the operator sets when they are paid
 * out, in the storage.
 *
 * @module
 */
import type { Partner } from "@florin/client"
import type { DestinationEvent } from "@florin/core/domain/Event"
import * as Limits from "@florin/core/domain/Limits"
import * as MerchantRecord from "@florin/core/domain/Merchant"
import * as Mode from "@florin/core/domain/Mode"
import * as PayoutPolicy from "@florin/core/domain/PayoutPolicy"
import * as StatementCsv from "@florin/core/domain/StatementCsv"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Settlements from "@florin/core/engine/Settlements"
import { AccountStore, type Tenant } from "@florin/core/ports/AccountStore"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Access from "../access/Access.ts"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as FeeFlags from "./FeeFlags.ts"
import * as Measures from "./Measures.ts"

type Merchant = Awaited<ReturnType<Partner["merchants"]["create"]>>["merchant"]
type StatementOfToken = Awaited<ReturnType<Partner["merchants"]["statement"]>>["tokens"][number]
type Destination = Awaited<ReturnType<Partner["settlements"]["list"]>>["crypto"][number]

const timeText = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

const merchantId = Argument.String("merchantId").pipe(
  Argument.withDescription("The merchant, as create and list print it"),
)

const name = Flag.String("name").pipe(
  Flag.withMetavar("TEXT"),
  Flag.withDescription("What payers see"),
)
const email = Flag.String("email").pipe(
  Flag.withMetavar("ADDRESS"),
  Flag.withDescription("Where the merchant is reached"),
)
const iconUrl = Flag.String("icon-url").pipe(
  Flag.withMetavar("URL"),
  Flag.withDescription("The merchant's picture, over https"),
  Flag.optional,
)

const facts = (merchant: Merchant): void => {
  Terminal.fact("name", Printable.from(merchant.name))
  Terminal.fact("email", Printable.from(merchant.email))
  Terminal.fact("icon", Printable.from(merchant.iconUrl ?? "none"))
  Terminal.fact("status", merchant.status)
  Terminal.fact("created", merchant.createdAt)
}

const destinations: ReadonlyArray<Table.Column<Destination>> = [
  { name: "settlement", of: ({ id }) => id },
  { name: "asset", of: ({ asset }) => asset, isCut: true },
  { name: "destination", of: ({ destination }) => destination },
  {
    name: "in effect",
    of: ({ statement, takesEffectAt }) =>
      statement === undefined ? (takesEffectAt ?? "yes") : "once it is signed",
  },
]

const showDestinations = (found: ReadonlyArray<Destination>): void => {
  Terminal.heading(
    found.length === 0 ? "No destinations: what is paid stays owed." : "Where its money goes:",
  )
  if (found.length > 0) Table.print(destinations, found)
  tellStatements(found)
}

/** What destinations have still to sign, as it is. */
const tellStatements = (found: ReadonlyArray<Destination>): void => {
  for (const { id, statement } of found) {
    if (statement === undefined) continue
    Terminal.heading(`${id} is paid once its account signed this, without a line break at the end:`)
    for (const line of statement.split("\n")) Terminal.plain(Printable.from(line))
    Terminal.note(
      "Hand it in with: `florin merchants settlements prove <merchantId> <settlementId> <destination> <signature>`",
    )
  }
}

const create = Command.make(
  "create",
  { ...ServiceAccess.flags, name, email, iconUrl, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const created = yield* Asked.ask("creating the merchant", () =>
      client.merchants.create({
        merchantName: options.name,
        merchantEmail: options.email,
        ...(Option.isSome(options.iconUrl) && { iconUrl: options.iconUrl.value }),
      }),
    )
    if (options.json) return Terminal.json(created)
    Terminal.done(created.merchant.id)
    facts(created.merchant)
    Terminal.note(
      `Say where its money goes with: \`florin merchants settlements add ${created.merchant.id} <asset> <destination>\``,
    )
  }),
).pipe(
  Command.withDescription(
    "Create a merchant. A test merchant can be paid immediately; a live one may have to be approved by the operator first.",
  ),
  Command.withShortDescription("Create a merchant"),
)

const columns: ReadonlyArray<Table.Column<Merchant>> = [
  { name: "created (UTC)", of: ({ createdAt }) => createdAt.slice(0, 16).replace("T", " ") },
  { name: "name", of: (merchant) => merchant.name, isCut: true },
  { name: "email", of: (merchant) => merchant.email, isCut: true },
  { name: "status", of: ({ status }) => status },
  { name: "merchant", of: ({ id }) => id },
]

const list = Command.make(
  "list",
  {
    ...ServiceAccess.flags,
    status: Flag.Literals("status", ["active", "inactive", "suspended"]).pipe(
      Flag.withDescription("Only these"),
      Flag.optional,
    ),
    search: Flag.String("search").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("Part of the name or of the id"),
      Flag.optional,
    ),
    limit: ServiceAccess.limit,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const query = {
      ...(Option.isSome(options.status) && { status: options.status.value }),
      ...(Option.isSome(options.search) && { search: options.search.value }),
      limit: Math.min(options.limit + 1, Limits.listPageMax),
    }
    const { hasMore, shown } = yield* Asked.ask("listing merchants", () =>
      ServiceAccess.firstOf(client.merchants.all(query), options.limit),
    )
    if (options.json) return Terminal.json(shown)
    Terminal.heading(shown.length === 0 ? "No merchants." : `Merchants: ${shown.length}`)
    if (shown.length > 0) Table.print(columns, shown)
    if (hasMore) Terminal.note("There are more: add --limit")
  }),
).pipe(Command.withDescription("Lists merchants."), Command.withShortDescription("List merchants"))

const show = Command.make(
  "show",
  { ...ServiceAccess.flags, merchantId, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const found = yield* Asked.ask("reading the merchant", () =>
      client.merchants.get(options.merchantId),
    )
    if (options.json) return Terminal.json(found)
    Terminal.heading(found.merchant.id)
    facts(found.merchant)
    showDestinations(found.merchant.settlements.crypto)
  }),
).pipe(
  Command.withDescription("Tells who a merchant is, and where its money goes."),
  Command.withShortDescription("Show a merchant"),
)

const update = Command.make(
  "update",
  {
    ...ServiceAccess.flags,
    merchantId,
    name: Flag.optional(name),
    email: Flag.optional(email),
    iconUrl,
    noIcon: Flag.Boolean("no-icon").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Take the picture away"),
      Flag.withDefault(false),
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const change = {
      ...(Option.isSome(options.name) && { merchantName: options.name.value }),
      ...(Option.isSome(options.email) && { merchantEmail: options.email.value }),
      ...(Option.isSome(options.iconUrl) && { iconUrl: options.iconUrl.value }),
      ...(options.noIcon && { iconUrl: null }),
    }
    if (Object.keys(change).length === 0) {
      return yield* new Failure.NotUnderstood({
        message: "nothing to change: add --name, --email, --icon-url or --no-icon",
      })
    }
    if (options.noIcon && Option.isSome(options.iconUrl)) {
      return yield* new Failure.NotUnderstood({
        message: "--icon-url and --no-icon contradict each other: leave one out",
      })
    }
    const { client } = yield* ServiceAccess.ofAll(options)
    const updated = yield* Asked.ask("changing the merchant", () =>
      client.merchants.update(options.merchantId, change),
    )
    if (options.json) return Terminal.json(updated)
    Terminal.done(`${updated.merchant.id} is changed`)
    facts(updated.merchant)
  }),
).pipe(
  Command.withDescription("Changes what is named, and nothing else."),
  Command.withShortDescription("Change a merchant"),
)

const remove = Command.make(
  "delete",
  { ...ServiceAccess.flags, merchantId, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const deleted = yield* Asked.ask("deleting the merchant", () =>
      client.merchants.remove(options.merchantId),
    )
    if (options.json) return Terminal.json(deleted)
    Terminal.done(`${deleted.id} takes no new payments; those it has stay, and still settle.`)
  }),
).pipe(
  Command.withDescription("A deleted merchant takes no new payments. Those it has still settle."),
  Command.withShortDescription("Let a merchant take no more payments"),
)

const add = Command.make(
  "add",
  {
    ...ServiceAccess.flags,
    merchantId,
    asset: Argument.String("asset").pipe(
      Argument.withDescription("What is paid out: eip155:8453/erc20:0x…"),
    ),
    destination: Argument.String("destination").pipe(
      Argument.withDescription("The account that it goes to: eip155:8453:0x…"),
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { asset, destination } = options
    const { client } = yield* ServiceAccess.ofAll(options)
    const created = yield* Asked.ask("registering the destination", () =>
      client.settlements.create(options.merchantId, { settlements: [{ asset, destination }] }),
    )
    if (options.json) return Terminal.json(created)
    Terminal.done(
      created.settlements.some(({ takesEffectAt }) => takesEffectAt !== undefined)
        ? "What is paid in that asset goes there once the change is in effect, and waits until then."
        : "From now on what is paid in that asset goes there.",
    )
    Table.print(destinations, created.settlements)
    tellStatements(created.settlements)
  }),
).pipe(
  Command.withDescription("Says where a merchant's money goes that is paid in an asset."),
  Command.withShortDescription("Add a destination"),
)

const listDestinations = Command.make(
  "list",
  { ...ServiceAccess.flags, merchantId, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const found = yield* Asked.ask("listing destinations", () =>
      client.settlements.list(options.merchantId),
    )
    if (options.json) return Terminal.json(found)
    showDestinations(found.crypto)
  }),
).pipe(
  Command.withDescription("Lists where a merchant's money goes."),
  Command.withShortDescription("List destinations"),
)

const removeDestination = Command.make(
  "remove",
  {
    ...ServiceAccess.flags,
    merchantId,
    settlementId: Argument.String("settlementId").pipe(
      Argument.withDescription("The destination, as add and list print it"),
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const deleted = yield* Asked.ask("removing the destination", () =>
      client.settlements.remove(options.merchantId, options.settlementId),
    )
    if (options.json) return Terminal.json(deleted)
    Terminal.done(`${deleted.id} is removed: later payments in its asset stay owed.`)
  }),
).pipe(
  Command.withDescription("Later payments in the destination's asset stay owed."),
  Command.withShortDescription("Remove a destination"),
)

const prove = Command.make(
  "prove",
  {
    ...ServiceAccess.flags,
    merchantId,
    settlementId: Argument.String("settlementId").pipe(
      Argument.withDescription("The destination, as add and list print it"),
    ),
    destination: Argument.String("destination").pipe(
      Argument.withDescription("The account that signed"),
    ),
    signature: Argument.String("signature").pipe(
      Argument.withDescription("Its signature of the statement that list prints"),
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { destination, signature: proof } = options
    const { client } = yield* ServiceAccess.ofAll(options)
    const proven = yield* Asked.ask("proving the destination", () =>
      client.settlements.change(options.merchantId, options.settlementId, { destination, proof }),
    )
    if (options.json) return Terminal.json(proven)
    Terminal.done(`${proven.id} is proven. What waited for it is paid out within 10 minutes.`)
  }),
).pipe(
  Command.withDescription(
    "Send the signature by which the account of a destination shows that somebody controls it. A service with proveDestinations pays a new destination only after that. A contract that is an account may sign by ERC-1271.",
  ),
  Command.withShortDescription("Prove the control of a destination"),
)

/** Whose merchant it is: the operator names none of that. */
const tenantOf = Effect.fnUntraced(function* (id: string) {
  const accounts = yield* AccountStore
  const known = yield* Effect.fromResult(Merchants.readId(id))
  const tenants = (yield* accounts.partners).flatMap((partner) =>
    Mode.Mode.literals.map((mode): Tenant => ({ partnerId: partner.id, mode })),
  )
  for (const tenant of tenants) {
    const found = yield* accounts.merchantsById(tenant, [known])
    if (found.length > 0) return tenant
  }
  return yield* NotFound.of("merchant")
})

const confirm = Command.make(
  "confirm",
  {
    merchantId,
    settlementId: Argument.String("settlementId").pipe(
      Argument.withDescription("The destination, as list prints it"),
    ),
    destination: Argument.String("destination").pipe(
      Argument.withDescription("The account that it is to go to, as you had it confirmed"),
    ),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const confirmed = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Settlements.confirm(tenant, options.merchantId, options.settlementId, options.destination),
    ).pipe(Access.inStorage(options, "florin merchants settlements confirm"))
    const { assetText: asset, destinationText: destination, id } = confirmed
    if (options.json) return Terminal.json({ id, asset, destination })
    Terminal.done(`${id} is in effect: ${asset} goes to ${destination}.`)
    Terminal.note("What waited for it is paid out within 10 minutes.")
  }),
).pipe(
  Command.withDescription(
    `Has a change of a destination take effect now. Ask the merchant first, in another way than the one that the change came by. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Let a change take effect now"),
)

const historyColumns: ReadonlyArray<Table.Column<DestinationEvent>> = [
  { name: "at", of: ({ createdAt }) => timeText(createdAt) },
  { name: "asset", of: ({ assetText }) => assetText, isCut: true },
  { name: "from", of: ({ from }) => from ?? "none" },
  { name: "to", of: ({ to }) => to ?? "none" },
  {
    name: "takes effect",
    of: ({ takesEffectAt }) => (takesEffectAt === null ? "at once" : timeText(takesEffectAt)),
  },
  { name: "by", of: ({ actor }) => (actor._tag === "Key" ? actor.keyId : "the operator") },
  { name: "request", of: ({ requestId }) => requestId ?? "-" },
]

const history = Command.make(
  "history",
  { merchantId, ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const changes = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Settlements.history(tenant, options.merchantId),
    ).pipe(Access.inStorage(options, "florin merchants settlements history"))
    if (options.json) {
      return Terminal.json(
        changes.map(({ actor, assetText, createdAt, destinationId, takesEffectAt, ...each }) => ({
          at: timeText(createdAt),
          settlementId: destinationId,
          asset: assetText,
          from: each.from,
          to: each.to,
          takesEffectAt: takesEffectAt === null ? null : timeText(takesEffectAt),
          keyId: actor._tag === "Key" ? actor.keyId : null,
          requestId: each.requestId,
        })),
      )
    }
    if (changes.length === 0) return Terminal.plain("Its destinations were never changed.")
    Table.print(historyColumns, changes)
  }),
).pipe(
  Command.withDescription(
    `Lists every change of a merchant's destinations: the account before and after, when it takes effect, the key and the request. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("List changes of destinations"),
)

const payouts = Command.make(
  "payouts",
  {
    merchantId,
    policy: Flags.payoutsOrDefault("its partner's policy"),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const merchant = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Merchants.setPayouts(tenant, options.merchantId, options.policy),
    ).pipe(Access.inStorage(options, "florin merchants payouts"))
    const policy =
      merchant.payouts === undefined ? "default" : PayoutPolicy.format(merchant.payouts)
    if (options.json) return Terminal.json({ merchantId: merchant.id, payouts: policy })
    Terminal.done(
      policy === "default"
        ? `${merchant.id} is paid out by the policy of its partner.`
        : `The payout policy of ${merchant.id} is ${policy}.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Set when a merchant is paid out. Shares that wait already follow it once their old time is over, or earlier with another payout to the same destination. This is for the operator: it opens the storage.",
  ),
  Command.withShortDescription("Set when a merchant is paid out"),
  Command.withExamples([
    { command: "florin merchants payouts mrch_… immediate" },
    { command: "florin merchants payouts mrch_… default" },
  ]),
)

const fees = Command.make(
  "fees",
  {
    merchantId,
    ...FeeFlags.flags,
    isDefault: Flag.Boolean("default").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Let the fees of its partner hold again"),
      Flag.withDefault(false),
    ),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { isDefault } = options
    const change = FeeFlags.named(options)
    const isNamed = change.fixed !== undefined || change.percentage !== undefined
    if (isNamed === isDefault) {
      return yield* new Failure.NotUnderstood({
        message: "name --fee-percentage, --fee-fixed or both, or else --default",
      })
    }
    const { feeTerms, id } = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Merchants.setFees(tenant, options.merchantId, isDefault ? null : change),
    ).pipe(Access.inStorage(options, "florin merchants fees"))
    const text = feeTerms === undefined ? "default" : FeeFlags.format(feeTerms)
    if (options.json) return Terminal.json({ merchantId: id, fees: text })
    Terminal.done(
      feeTerms === undefined
        ? `The fees of its partner hold for ${id}.`
        : `The fees of ${id} are ${text}.`,
    )
    Terminal.note("Payments that were created before keep theirs.")
  }),
).pipe(
  Command.withDescription(
    `Set what a merchant's payments cost from now on, in place of its partner's fees. What is not named is as it was for this merchant. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Set what a merchant's payments cost"),
  Command.withExamples([
    { command: "florin merchants fees mrch_… --fee-percentage 0.2" },
    { command: "florin merchants fees mrch_… --default" },
  ]),
)

const rename = Command.make(
  "rename",
  {
    merchantId,
    name: Argument.String("name").pipe(Argument.withDescription("What payers see from now on")),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const merchant = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Merchants.rename(tenant, options.merchantId, options.name),
    ).pipe(Access.inStorage(options, "florin merchants rename"))
    const { id, name: given } = merchant
    if (options.json) return Terminal.json({ merchantId: id, name: given })
    Terminal.done(`${id} is ${Printable.from(JSON.stringify(given))} now, to payers too.`)
  }),
).pipe(
  Command.withDescription(
    `Give a merchant another name. A name that you give needs no approval; an icon that waits goes on waiting. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Give a merchant another name"),
  Command.withExamples([{ command: 'florin merchants rename mrch_… "Corner Shop"' }]),
)

/** Why a merchant waits, and what payers see of it meanwhile. */
const reasons = ({ merchant, namesakes }: Merchants.Waiting): ReadonlyArray<string> => {
  const { isAlike = false, approved = null } = merchant.waiting ?? {}
  const resembled = namesakes.map(
    ({ merchantId: id, name: theirs, partnerId }) =>
      `resembles ${Printable.from(JSON.stringify(theirs))}, ${id === null ? `partner ${partnerId}` : `merchant ${id} of partner ${partnerId}`}`,
  )
  return [
    approved === null
      ? "was never approved"
      : `changed its name or icon; payers see ${Printable.from(JSON.stringify(approved.name))}, icon ${Printable.from(approved.iconUrl ?? "none")}`,
    ...resembled,
    ...(isAlike && resembled.length === 0
      ? ["resembled a name of another partner that is gone or changed"]
      : []),
    MerchantRecord.mustBeApproved(merchant)
      ? "takes no live payments"
      : "takes payments under what payers see",
  ]
}

const asJson = ({ merchant, namesakes }: Merchants.Waiting) => ({
  merchantId: merchant.id,
  partnerId: merchant.partnerId,
  name: merchant.name,
  iconUrl: merchant.iconUrl,
  approved: merchant.waiting?.approved ?? null,
  takesPayments: !MerchantRecord.mustBeApproved(merchant),
  resembles: namesakes,
})

const waiting = Command.make(
  "waiting",
  { ...Access.flags, limit: ServiceAccess.limit, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { hasMore, items } = yield* Merchants.waiting(options.limit).pipe(
      Access.inStorage(options, "florin merchants waiting"),
    )
    if (options.json) return Terminal.json(items.map(asJson))
    Terminal.heading(
      items.length === 0 ? "No merchant waits for your approval." : `Waiting: ${items.length}`,
    )
    for (const each of items) {
      Terminal.heading(each.merchant.id)
      Terminal.fact("partner", each.merchant.partnerId)
      Terminal.fact("name", Printable.from(each.merchant.name))
      Terminal.fact("icon", Printable.from(each.merchant.iconUrl ?? "none"))
      for (const reason of reasons(each)) Terminal.fact("", reason)
    }
    if (items.length > 0) Terminal.note("Approve one with: `florin merchants approve <merchantId>`")
    if (hasMore) Terminal.note("There are more: add --limit")
  }),
).pipe(
  Command.withDescription(
    `List merchants that wait for your approval, and which names of other partners they resemble. Partners never see that. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("List merchants that wait for your approval"),
)

const approve = Command.make(
  "approve",
  {
    merchantId,
    name: Flag.String("name").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("The name that you looked at: refused if the merchant has another now"),
      Flag.optional,
    ),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const merchant = yield* Effect.gen(function* () {
      const tenant = yield* tenantOf(options.merchantId)
      const current = yield* Merchants.present(tenant, options.merchantId)
      return yield* Merchants.approve(tenant, options.merchantId, {
        name: Option.getOrElse(options.name, () => current.name),
        iconUrl: current.iconUrl,
      })
    }).pipe(Access.inStorage(options, "florin merchants approve"))
    const { iconUrl: icon, id, name: approved } = merchant
    if (options.json) return Terminal.json({ merchantId: id, name: approved, iconUrl: icon })
    Terminal.done(`${id} is approved. Payers see:`)
    Terminal.fact("name", Printable.from(approved))
    Terminal.fact("icon", Printable.from(icon ?? "none"))
  }),
).pipe(
  Command.withDescription(
    `Approve the name and the icon of a live merchant, as \`florin merchants waiting\` shows them. It takes live payments from then on. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Approve a merchant's name and icon"),
  Command.withExamples([{ command: 'florin merchants approve mrch_… --name "Corner Shop"' }]),
)

const measure = (taken: MerchantRecord.Measure) => {
  const { description, done, short } = Measures.words[taken]
  return Command.make(
    taken,
    { merchantId, ...Access.flags, json: Flags.json },
    Effect.fnUntraced(function* (options) {
      const { frozenAt, id, status } = yield* Effect.flatMap(
        tenantOf(options.merchantId),
        (tenant) => Merchants.take(tenant, options.merchantId, taken),
      ).pipe(Access.inStorage(options, `florin merchants ${taken}`))
      if (options.json) {
        return Terminal.json({ merchantId: id, status, isFrozen: frozenAt !== undefined })
      }
      const isInactive = status === "inactive" && (taken === "suspend" || taken === "resume")
      Terminal.done(`${id} ${isInactive ? "is inactive: it takes no payments, as before" : done}.`)
    }),
  ).pipe(
    Command.withDescription(`${description} ${Measures.storageNote}`),
    Command.withShortDescription(short),
  )
}

const day = (flag: "from" | "to", which: "first" | "last") =>
  Flag.String(flag).pipe(
    Flag.withMetavar("DAY"),
    Flag.withDescription(`The ${which} day, in UTC, such as 2026-09-01`),
  )

const titleOf = ({ display, unit }: StatementOfToken): string =>
  display.networkName === undefined ? unit : `${display.assetSymbol} on ${display.networkName}`

const statement = Command.make(
  "statement",
  {
    ...ServiceAccess.flags,
    merchantId,
    from: day("from", "first"),
    to: day("to", "last"),
    csv: Flag.Boolean("csv").pipe(
      Flag.withoutNegation,
      Flag.withDescription("For spreadsheets: a row for each token"),
      Flag.withDefault(false),
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const { from, to } = options
    const told = yield* Asked.ask("reading the statement", () =>
      client.merchants.statement(options.merchantId, { from, to }),
    )
    if (options.json) return Terminal.json(told)
    // Every line of it ends already.
    if (options.csv) return Terminal.result(StatementCsv.write(told).slice(0, -1))
    Terminal.heading(
      `${Printable.from(told.merchantName)}, ${from} to ${to}${told.tokens.length === 0 ? ": nothing." : ""}`,
    )
    for (const token of told.tokens) {
      Terminal.heading(Printable.from(titleOf(token)))
      Table.print(
        [
          { name: "line", of: ([column]) => column.replace("_", " ") },
          { name: "amount", of: ([, of]) => StatementCsv.decimal(of(token), token.display) },
        ],
        StatementCsv.amounts,
      )
    }
  }),
).pipe(
  Command.withDescription(
    "Show what a merchant was owed when a period began, what came and went in it, and what it is owed at its end, for each token. opening owed and the lines up to transferred add up to closing owed.",
  ),
  Command.withShortDescription("Show a merchant's statement for a period"),
  Command.withExamples([
    { command: "florin merchants statement mrch_… --from 2026-09-01 --to 2026-09-30 --csv" },
  ]),
)

const settlements = Command.make("settlements").pipe(
  Command.withDescription("Says where a merchant's money goes."),
  Command.withShortDescription("Say where a merchant's money goes"),
  Command.withSubcommands([add, listDestinations, removeDestination, prove, confirm, history]),
)

export const command = Command.make("merchants").pipe(
  Command.withDescription(
    "Looks after a partner's merchants. Address and key come from FLORIN_URL and FLORIN_API_KEY; with neither, from what runs in --directory. Only settlements confirm, settlements history, rename, fees, payouts, waiting, approve, suspend, resume, freeze and unfreeze open the storage instead.",
  ),
  Command.withSubcommands([
    create,
    list,
    show,
    update,
    remove,
    statement,
    settlements,
    rename,
    fees,
    payouts,
    waiting,
    approve,
    ...MerchantRecord.measures.map(measure),
  ]),
)
