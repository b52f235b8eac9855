/**
 * `florin merchants`: a partner manages its merchants and their payout destinations over HTTP; the operator sets their
 * payout policy, in the storage.
 *
 * @module
 */
import { stdin, stdout } from "node:process"
import type { Partner } from "@florin/client"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as StatementCsv from "@florin/core/domain/list/StatementCsv"
import * as MerchantRecord from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import type { DestinationEvent } from "@florin/core/domain/payment/Event"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Settlements from "@florin/core/engine/Settlements"
import { AccountStore, type Tenant } from "@florin/core/ports/AccountStore"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Prompt from "../terminal/Prompt.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as FeeFlags from "./FeeFlags.ts"
import * as Measures from "./Measures.ts"

type Merchant = Awaited<ReturnType<Partner["merchants"]["create"]>>["merchant"]
type StatementOfToken = Awaited<ReturnType<Partner["merchants"]["statement"]>>["tokens"][number]
type Destination = Awaited<ReturnType<Partner["settlements"]["list"]>>["crypto"][number]

const merchantId = Flags.argument("merchantId", "Id of the merchant, mrch_…")

const settlementId = Flags.argument("settlementId", "Id of the destination, from add or list")

const name = Flags.string("name", "TEXT", "Name that payers see")
const email = Flags.string("email", "ADDRESS", "Email address of the merchant")
const iconUrl = Flags.optionalString("icon-url", "URL", "HTTPS URL of the merchant's icon")

const brandColor = Flags.optionalString(
  "brand-color",
  "COLOR",
  "Color of the merchant's brand on the checkout: '#1f6feb'",
)
const supportEmail = Flags.optionalString(
  "support-email",
  "ADDRESS",
  "Email address that the checkout shows to payers who need help",
)
const supportUrl = Flags.optionalString(
  "support-url",
  "URL",
  "HTTPS URL of the page that the checkout links to for help",
)
const checkoutOrigin = Flags.string(
  "checkout-origin",
  "ORIGIN",
  "Origin whose pages may show the checkout in a frame: https://shop.example; repeat for several",
).pipe(Flag.atLeast(0))
const face = { iconUrl, brandColor, supportEmail, supportUrl, checkoutOrigin }

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
    if (typeof support === "string") Terminal.fact("support", Printable.from(support))
  }
}

const facts = (merchant: Merchant): void => {
  lookFacts(merchant)
  if (merchant.brandColor !== null) Terminal.fact("color", Printable.from(merchant.brandColor))
  for (const origin of merchant.checkoutOrigins) {
    Terminal.fact("framed by", Printable.from(origin))
  }
  Terminal.fact("email", Printable.from(merchant.email))
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
      statement === undefined ? (takesEffectAt ?? "yes") : "after it is signed",
  },
]

const showDestinations = (found: ReadonlyArray<Destination>): void => {
  Terminal.heading(
    found.length === 0
      ? "No settlement destinations: the merchant's money stays owed."
      : "Settlement destinations:",
  )
  if (found.length > 0) Table.print(destinations, found)
  showStatements(found)
}

/** Prints the statements that destinations have still to sign, verbatim. */
const showStatements = (found: ReadonlyArray<Destination>): void => {
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

const create = Command.make(
  "create",
  { name, email, ...face, ...ServiceAccess.flags },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const created = yield* Asked.ask("creating the merchant", () =>
      client.merchants.create({
        merchantName: options.name,
        merchantEmail: options.email,
        ...(Option.isSome(options.iconUrl) && { iconUrl: options.iconUrl.value }),
        ...(Option.isSome(options.brandColor) && { brandColor: options.brandColor.value }),
        ...(Option.isSome(options.supportEmail) && { supportEmail: options.supportEmail.value }),
        ...(Option.isSome(options.supportUrl) && { supportUrl: options.supportUrl.value }),
        ...(options.checkoutOrigin.length > 0 && { checkoutOrigins: options.checkoutOrigin }),
      }),
    )
    if (options.json) return Terminal.json(created)
    Terminal.writeSuccess(created.merchant.id)
    facts(created.merchant)
    Terminal.note(
      `Set its settlement destination with: \`florin merchants settlements add ${created.merchant.id} <asset> <destination>\``,
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
    status: Flags.optionalChoice(
      "status",
      ["active", "inactive", "suspended"],
      "Show only merchants with this status",
    ),
    search: Flags.optionalString(
      "search",
      "TEXT",
      "Show only merchants whose name or id contains this text",
    ),
    limit: ServiceAccess.limit,
    ...ServiceAccess.flags,
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
    if (hasMore) Terminal.note("There are more: raise --limit")
  }),
).pipe(
  Command.withDescription("List the partner's merchants."),
  Command.withShortDescription("List merchants"),
)

const show = Command.make(
  "show",
  { merchantId, ...ServiceAccess.flags },
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
  Command.withDescription("Show a merchant with its settlement destinations."),
  Command.withShortDescription("Show a merchant"),
)

/** The value that one flag gives and another removes; undefined if neither is there. */
const changeOf = <A>(
  given: Option.Option<A>,
  isRemoved: boolean,
  flags: string,
): Effect.Effect<A | null | undefined, Failure.NotUnderstood> =>
  isRemoved && Option.isSome(given)
    ? Effect.fail(Failure.makeUsage(`${flags} contradict each other: omit one of them`))
    : Effect.succeed(isRemoved ? null : Option.getOrUndefined(given))

const update = Command.make(
  "update",
  {
    merchantId,
    name: Flag.optional(name),
    email: Flag.optional(email),
    ...face,
    noIcon: Flags.toggle("no-icon", "Remove the icon"),
    noBrandColor: Flags.toggle("no-brand-color", "Remove the color"),
    noSupportEmail: Flags.toggle("no-support-email", "Remove the email address for help"),
    noSupportUrl: Flags.toggle("no-support-url", "Remove the page for help"),
    noCheckoutOrigins: Flags.toggle("no-checkout-origins", "Remove the origins"),
    ...ServiceAccess.flags,
  },
  Effect.fnUntraced(function* (options) {
    const origins =
      options.checkoutOrigin.length > 0 ? Option.some(options.checkoutOrigin) : Option.none()
    const icon = yield* changeOf(options.iconUrl, options.noIcon, "--icon-url and --no-icon")
    const color = yield* changeOf(
      options.brandColor,
      options.noBrandColor,
      "--brand-color and --no-brand-color",
    )
    const helpEmail = yield* changeOf(
      options.supportEmail,
      options.noSupportEmail,
      "--support-email and --no-support-email",
    )
    const helpUrl = yield* changeOf(
      options.supportUrl,
      options.noSupportUrl,
      "--support-url and --no-support-url",
    )
    const checkoutOrigins = yield* changeOf(
      origins,
      options.noCheckoutOrigins,
      "--checkout-origin and --no-checkout-origins",
    )
    const change = {
      ...(Option.isSome(options.name) && { merchantName: options.name.value }),
      ...(Option.isSome(options.email) && { merchantEmail: options.email.value }),
      ...(icon !== undefined && { iconUrl: icon }),
      ...(color !== undefined && { brandColor: color }),
      ...(helpEmail !== undefined && { supportEmail: helpEmail }),
      ...(helpUrl !== undefined && { supportUrl: helpUrl }),
      ...(checkoutOrigins !== undefined && { checkoutOrigins }),
    }
    if (Object.keys(change).length === 0) {
      return yield* Failure.makeUsage(
        "nothing to change: set --name, --email, --icon-url or another flag of --help",
      )
    }
    const { client } = yield* ServiceAccess.ofAll(options)
    const updated = yield* Asked.ask("changing the merchant", () =>
      client.merchants.update(options.merchantId, change),
    )
    if (options.json) return Terminal.json(updated)
    Terminal.writeSuccess(`${updated.merchant.id} is changed`)
    facts(updated.merchant)
  }),
).pipe(
  Command.withDescription("Change a merchant. Only the given fields change."),
  Command.withShortDescription("Change a merchant"),
)

const remove = Command.make(
  "delete",
  { merchantId, ...ServiceAccess.flags },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const deleted = yield* Asked.ask("deleting the merchant", () =>
      client.merchants.remove(options.merchantId),
    )
    if (options.json) return Terminal.json(deleted)
    Terminal.writeSuccess(
      `${deleted.id} is deleted. It accepts no new payments; its existing payments stay and still settle.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Delete a merchant. It accepts no new payments. Its existing payments stay and still settle.",
  ),
  Command.withShortDescription("Delete a merchant"),
)

const add = Command.make(
  "add",
  {
    merchantId,
    asset: Flags.argument("asset", "Token that is paid out: eip155:8453/erc20:0x…"),
    destination: Flags.argument("destination", "Account that receives it: eip155:8453:0x…"),
    ...ServiceAccess.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { asset, destination } = options
    const { client } = yield* ServiceAccess.ofAll(options)
    const created = yield* Asked.ask("registering the destination", () =>
      client.settlements.create(options.merchantId, { settlements: [{ asset, destination }] }),
    )
    if (options.json) return Terminal.json(created)
    Terminal.writeSuccess(
      created.settlements.some(({ takesEffectAt }) => takesEffectAt !== undefined)
        ? "Payouts in that token go there after the change takes effect, and wait until then."
        : "Payouts in that token go there from now on.",
    )
    Table.print(destinations, created.settlements)
    showStatements(created.settlements)
  }),
).pipe(
  Command.withDescription("Set the account that receives a merchant's payouts in one token."),
  Command.withShortDescription("Add a settlement destination"),
)

const listDestinations = Command.make(
  "list",
  { merchantId, ...ServiceAccess.flags },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const found = yield* Asked.ask("listing destinations", () =>
      client.settlements.list(options.merchantId),
    )
    if (options.json) return Terminal.json(found)
    showDestinations(found.crypto)
  }),
).pipe(
  Command.withDescription("List a merchant's settlement destinations."),
  Command.withShortDescription("List settlement destinations"),
)

const removeDestination = Command.make(
  "remove",
  { merchantId, settlementId, ...ServiceAccess.flags },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const deleted = yield* Asked.ask("removing the destination", () =>
      client.settlements.remove(options.merchantId, options.settlementId),
    )
    if (options.json) return Terminal.json(deleted)
    Terminal.writeSuccess(`${deleted.id} is removed. Later payments in its token stay owed.`)
  }),
).pipe(
  Command.withDescription(
    "Remove a settlement destination. Later payments in its token stay owed.",
  ),
  Command.withShortDescription("Remove a settlement destination"),
)

const prove = Command.make(
  "prove",
  {
    merchantId,
    settlementId,
    destination: Flags.argument("destination", "Account that signed"),
    signature: Flags.argument("signature", "Signature of the text that list prints"),
    ...ServiceAccess.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { destination, signature: proof } = options
    const { client } = yield* ServiceAccess.ofAll(options)
    const proven = yield* Asked.ask("proving the destination", () =>
      client.settlements.change(options.merchantId, options.settlementId, { destination, proof }),
    )
    if (options.json) return Terminal.json(proven)
    Terminal.writeSuccess(
      `${proven.id} is proven. Payouts that waited for it are sent within 10 minutes.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Submit the signature which proves that the merchant controls a destination's account. A service with proveDestinations pays a new destination only after that. A contract account may sign by ERC-1271.",
  ),
  Command.withShortDescription("Prove control of a settlement destination"),
)

/** The partner and mode of a merchant, because the operator names neither. */
const tenantOf = Effect.fnUntraced(function* (id: string) {
  const accounts = yield* AccountStore
  const known = yield* Effect.fromResult(Merchants.readId(id))
  const tenants = (yield* accounts.partners(null)).flatMap((partner) =>
    Mode.Mode.literals.map((mode): Tenant => ({ partnerId: partner.id, mode })),
  )
  for (const tenant of tenants) {
    const found = yield* accounts.findMerchants({ _tag: "Ids", tenant, ids: [known] })
    if (found.length > 0) return tenant
  }
  return yield* NotFound.of("merchant")
})

const confirm = Command.make(
  "confirm",
  {
    merchantId,
    settlementId: Flags.argument("settlementId", "Id of the destination, from list"),
    destination: Flags.argument("destination", "New account, as the merchant confirmed it to you"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const confirmed = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Settlements.confirm(tenant, options.merchantId, options.settlementId, options.destination),
    ).pipe(Access.inStorage(options, "florin merchants settlements confirm"))
    const { assetText: asset, destinationText: destination, id } = confirmed
    if (options.json) return Terminal.json({ id, asset, destination })
    Terminal.writeSuccess(`${id} is in effect: ${asset} goes to ${destination}.`)
    Terminal.note("Payouts that waited for it are sent within 10 minutes.")
  }),
).pipe(
  Command.withDescription(
    `Let a change of a settlement destination take effect now, without the waiting time. Ask the merchant first, through another channel than the one that the change came from. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Apply a change of a destination now"),
)

const historyColumns: ReadonlyArray<Table.Column<DestinationEvent>> = [
  { name: "at", of: ({ createdAt }) => Time.iso(createdAt) },
  { name: "asset", of: ({ assetText }) => assetText, isCut: true },
  { name: "from", of: ({ from }) => from ?? "none" },
  { name: "to", of: ({ to }) => to ?? "none" },
  {
    name: "takes effect",
    of: ({ takesEffectAt }) => (takesEffectAt === null ? "immediately" : Time.iso(takesEffectAt)),
  },
  { name: "by", of: ({ actor }) => (actor._tag === "Key" ? actor.keyId : "the operator") },
  { name: "request", of: ({ requestId }) => requestId ?? "-" },
]

const history = Command.make(
  "history",
  { merchantId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const changes = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Settlements.history(tenant, options.merchantId),
    ).pipe(Access.inStorage(options, "florin merchants settlements history"))
    if (options.json) {
      return Terminal.json(
        changes.map(({ actor, assetText, createdAt, destinationId, takesEffectAt, ...each }) => ({
          at: Time.iso(createdAt),
          settlementId: destinationId,
          asset: assetText,
          from: each.from,
          to: each.to,
          takesEffectAt: takesEffectAt === null ? null : Time.iso(takesEffectAt),
          keyId: actor._tag === "Key" ? actor.keyId : null,
          requestId: each.requestId,
        })),
      )
    }
    if (changes.length === 0) return Terminal.plain("No changes of destinations.")
    Table.print(historyColumns, changes)
  }),
).pipe(
  Command.withDescription(
    `List every change of a merchant's settlement destinations: the old and new account, when the change takes effect, the key and the request. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("List changes of settlement destinations"),
)

const payouts = Command.make(
  "payouts",
  {
    merchantId,
    policy: Flags.payoutsOrDefault("its partner's policy"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const merchant = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Merchants.changeAsOperator(tenant, options.merchantId, { payouts: options.policy }),
    ).pipe(Access.inStorage(options, "florin merchants payouts"))
    const policy =
      merchant.payouts === undefined ? "default" : PayoutPolicy.format(merchant.payouts)
    if (options.json) return Terminal.json({ merchantId: merchant.id, payouts: policy })
    Terminal.writeSuccess(
      policy === "default"
        ? `${merchant.id} follows the payout policy of its partner.`
        : `The payout policy of ${merchant.id} is ${policy}.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Set the payout policy of a merchant. Shares that wait already follow the new policy after their old waiting time, or earlier together with another payout to the same destination. For operators: the command opens the storage.",
  ),
  Command.withShortDescription("Set a merchant's payout policy"),
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
    isDefault: Flags.toggle("default", "Use the fees of its partner again"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { isDefault } = options
    const change = FeeFlags.readFees(options)
    const isNamed = Object.values(change).some((each) => each !== undefined)
    if (isNamed === isDefault) {
      return yield* Failure.makeUsage(
        "no fee is given: set --fee-percentage, --fee-fixed or --fee-returned, or --default",
      )
    }
    const { feeTerms, id } = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Merchants.changeAsOperator(tenant, options.merchantId, { fees: isDefault ? null : change }),
    ).pipe(Access.inStorage(options, "florin merchants fees"))
    const text = feeTerms === undefined ? "default" : FeeFlags.format(feeTerms)
    if (options.json) return Terminal.json({ merchantId: id, fees: text })
    Terminal.writeSuccess(
      feeTerms === undefined
        ? `${id} has the fees of its partner.`
        : `The fees of ${id} are ${text}.`,
    )
    Terminal.note("Existing payments keep their fees.")
  }),
).pipe(
  Command.withDescription(
    `Set the fees of a merchant's future payments, instead of its partner's fees. A fee that is not given keeps its value for this merchant. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Set a merchant's fees"),
  Command.withExamples([
    { command: "florin merchants fees mrch_… --fee-percentage 0.2" },
    { command: "florin merchants fees mrch_… --default" },
  ]),
)

const rename = Command.make(
  "rename",
  {
    merchantId,
    name: Flags.argument("name", "New name; payers see it"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const merchant = yield* Effect.flatMap(tenantOf(options.merchantId), (tenant) =>
      Merchants.changeAsOperator(tenant, options.merchantId, { name: options.name }),
    ).pipe(Access.inStorage(options, "florin merchants rename"))
    const { id, name: given } = merchant
    if (options.json) return Terminal.json({ merchantId: id, name: given })
    Terminal.writeSuccess(
      `${id} is renamed to ${Printable.from(JSON.stringify(given))}. Payers see the new name.`,
    )
  }),
).pipe(
  Command.withDescription(
    `Rename a merchant. A name that you set needs no approval. An icon or a support contact that waits for approval still waits. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Rename a merchant"),
  Command.withExamples([{ command: 'florin merchants rename mrch_… "Corner Shop"' }]),
)

const lookText = (look: MerchantRecord.Look): string =>
  [
    Printable.from(JSON.stringify(look.name)),
    `icon ${Printable.from(look.iconUrl ?? "none")}`,
    ...[look.supportEmail, look.supportUrl].flatMap((support) =>
      support === undefined ? [] : [`support ${Printable.from(support)}`],
    ),
  ].join(", ")

/** Why a merchant waits for approval, and what payers see of it until then. */
const reasons = ({ merchant, namesakes }: Merchants.Waiting): ReadonlyArray<string> => {
  const { isAlike = false, approved = null } = merchant.waiting ?? {}
  const resembled = namesakes.map(
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
    MerchantRecord.mustBeApproved(merchant)
      ? "accepts no live payments"
      : "accepts payments with the old name, icon and support contact",
  ]
}

const asJson = ({ merchant, namesakes }: Merchants.Waiting) => ({
  merchantId: merchant.id,
  partnerId: merchant.partnerId,
  name: merchant.name,
  iconUrl: merchant.iconUrl,
  supportEmail: merchant.supportEmail ?? null,
  supportUrl: merchant.supportUrl ?? null,
  approved: merchant.waiting?.approved ?? null,
  takesPayments: !MerchantRecord.mustBeApproved(merchant),
  resembles: namesakes,
})

const waiting = Command.make(
  "waiting",
  { ...Access.placeFlags, limit: ServiceAccess.limit, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { hasMore, items } = yield* Merchants.listWaiting(options.limit).pipe(
      Access.inStorage(options, "florin merchants waiting"),
    )
    if (options.json) return Terminal.json(items.map(asJson))
    Terminal.heading(
      items.length === 0 ? "No merchant waits for your approval." : `Waiting: ${items.length}`,
    )
    for (const each of items) {
      Terminal.heading(each.merchant.id)
      Terminal.fact("partner", each.merchant.partnerId)
      lookFacts(each.merchant)
      for (const reason of reasons(each)) Terminal.fact("", reason)
    }
    if (items.length > 0) Terminal.note("Approve one with: `florin merchants approve <merchantId>`")
    if (hasMore) Terminal.note("There are more: raise --limit")
  }),
).pipe(
  Command.withDescription(
    `List merchants that wait for your approval, with the names of other partners that they resemble. Partners never see this list. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("List merchants that wait for your approval"),
)

const isConfirmed = Effect.promise((signal) =>
  Prompt.confirm({ input: stdin, output: stdout }, "\n  Approve this (y/N)? ", signal),
)

const approve = Command.make(
  "approve",
  {
    merchantId,
    name: Flags.optionalString(
      "name",
      "TEXT",
      "Name that you checked; the command fails if the merchant has another name now",
    ),
    yes: Flags.toggle("yes", "Approve without asking"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    if (!options.yes && options.json) {
      return yield* Failure.makeUsage(
        "--json asks no questions: add --yes to approve what payers will see",
      )
    }
    if (!options.yes && !stdin.isTTY) {
      return yield* Failure.makeUsage(
        "there is no terminal to ask in: add --yes to approve what payers will see, or run the command in a terminal",
      )
    }
    const merchant = yield* Effect.gen(function* () {
      const tenant = yield* tenantOf(options.merchantId)
      const current = yield* Merchants.getPresent(tenant, options.merchantId)
      const seen = { ...current, name: Option.getOrElse(options.name, () => current.name) }
      if (!options.json) {
        Terminal.heading("Payers will see:")
        lookFacts(current)
      }
      const isNamed = seen.name === current.name
      if (!options.yes && isNamed && !(yield* isConfirmed)) return null
      // It fails if the name differs from --name, or if the merchant was changed after it was shown.
      return yield* Merchants.approve(tenant, options.merchantId, seen)
    }).pipe(Access.inStorage(options, "florin merchants approve"))
    if (merchant === null) {
      return yield* Failure.make("nothing was approved")
    }
    const { iconUrl: icon, id, name: approved } = merchant
    if (options.json) {
      return Terminal.json({
        merchantId: id,
        name: approved,
        iconUrl: icon,
        supportEmail: merchant.supportEmail ?? null,
        supportUrl: merchant.supportUrl ?? null,
      })
    }
    Terminal.writeSuccess(`${id} is approved.`)
  }),
).pipe(
  Command.withDescription(
    `Approve the name, the icon and the support contact of a live merchant. The command shows them and asks before it approves them. The merchant accepts live payments from then on. ${Measures.storageNote}`,
  ),
  Command.withShortDescription("Approve what payers see of a merchant"),
  Command.withExamples([
    { command: "florin merchants approve mrch_…" },
    { command: 'florin merchants approve mrch_… --name "Corner Shop" --yes' },
  ]),
)

const measure = (taken: MerchantRecord.Measure) => {
  const { description, done, short } = Measures.words[taken]
  return Command.make(
    taken,
    { merchantId, ...Access.flags },
    Effect.fnUntraced(function* (options) {
      const { frozenAt, id, status } = yield* Effect.flatMap(
        tenantOf(options.merchantId),
        (tenant) => Merchants.take(tenant, options.merchantId, taken),
      ).pipe(Access.inStorage(options, `florin merchants ${taken}`))
      if (options.json) {
        return Terminal.json({ merchantId: id, status, isFrozen: frozenAt !== undefined })
      }
      const isInactive = status === "inactive" && (taken === "suspend" || taken === "resume")
      Terminal.writeSuccess(
        `${id} ${isInactive ? "is inactive: it accepts no payments, as before" : done}.`,
      )
    }),
  ).pipe(
    Command.withDescription(`${description} ${Measures.storageNote}`),
    Command.withShortDescription(short),
  )
}

const day = (flag: "from" | "to", which: "first" | "last") =>
  Flags.string(flag, "DAY", `The ${which} day in UTC, such as 2026-09-01`)

const titleOf = ({ display, unit }: StatementOfToken): string =>
  display.networkName === undefined ? unit : `${display.assetSymbol} on ${display.networkName}`

const statement = Command.make(
  "statement",
  {
    merchantId,
    from: day("from", "first"),
    to: day("to", "last"),
    csv: Flags.toggle("csv", "Print CSV, one row for each token"),
    ...ServiceAccess.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofAll(options)
    const { from, to } = options
    const found = yield* Asked.ask("reading the statement", () =>
      client.merchants.statement(options.merchantId, { from, to }),
    )
    if (options.json) return Terminal.json(found)
    // Each line already has a newline at its end.
    if (options.csv) return Terminal.result(StatementCsv.write(found).slice(0, -1))
    Terminal.heading(
      `${Printable.from(found.merchantName)}, ${from} to ${to}${found.tokens.length === 0 ? ": nothing." : ""}`,
    )
    for (const token of found.tokens) {
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
    "Show a merchant's statement for a period, for each token: the amount owed at the start, all movements, and the amount owed at the end. opening owed plus the lines up to transferred is closing owed.",
  ),
  Command.withShortDescription("Show a merchant's statement for a period"),
  Command.withExamples([
    { command: "florin merchants statement mrch_… --from 2026-09-01 --to 2026-09-30 --csv" },
  ]),
)

const settlements = Command.make("settlements").pipe(
  Command.withDescription("Manage the accounts that receive a merchant's payouts."),
  Command.withShortDescription("Manage settlement destinations"),
  Command.withSubcommands([add, listDestinations, removeDestination, prove, confirm, history]),
)

export const command = Command.make("merchants").pipe(
  Command.withDescription(
    "Manage a partner's merchants. The service's address and key come from FLORIN_URL and FLORIN_API_KEY; if neither is set, from the service that runs in --directory. These commands are for operators and open the storage instead: settlements confirm, settlements history, rename, fees, payouts, waiting, approve, suspend, resume, freeze and unfreeze.",
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
