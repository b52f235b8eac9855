/**
 * `florin partners`: manages partners, which own merchants and hold keys.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Version from "@florin/core/domain/ground/Version"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as BoundsOfPartner from "@florin/core/domain/partner/PartnerLimits"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Namesakes from "@florin/core/engine/Namesakes"
import { AccountStore } from "@florin/core/ports/AccountStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Access from "../storage/Access.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as FeeFlags from "./FeeFlags.ts"
import * as Measures from "./Measures.ts"
import * as PartnerLimits from "./PartnerLimits.ts"

/** `15m`, or `default` if the service's default applies. */
const payoutsText = ({ payouts }: Merchant.Partner): string =>
  payouts === undefined ? "default" : PayoutPolicy.format(payouts)

/** `1000.00 USD`, or `default` if the service's default applies. */
const creditText = ({ credit }: Merchant.Partner, mode: Mode.Mode): string => {
  const granted = credit?.[mode]
  return granted === undefined ? "default" : Credit.format(granted)
}

const asJson = (partner: Merchant.Partner) => ({
  partnerId: partner.id,
  name: partner.name,
  feePercentage: Fees.formatPercentage(partner.feeTerms.percentage),
  feeFixed: Fees.formatFixed(partner.feeTerms),
  feeReturned: partner.feeTerms.returned ?? "never",
  payouts: payoutsText(partner),
  isSuspended: partner.suspendedAt !== undefined,
  isFrozen: partner.frozenAt !== undefined,
  credit: { live: creditText(partner, "live"), test: creditText(partner, "test") },
  limits: PartnerLimits.asJson(partner),
  versionPin: partner.versionPin,
})

const warnOf = (namesakes: Namesakes.Found["namesakes"]): void => {
  for (const each of namesakes) {
    Terminal.aside(
      `Its name resembles ${Printable.from(JSON.stringify(each.name))}, ${Namesakes.idOf(each)}: check that it is not an imitation.`,
    )
  }
}

const create = Command.make(
  "create",
  {
    name: Flags.string("name", "NAME", "Name of the partner"),
    ...FeeFlags.flags,
    payouts: Flags.payouts,
    credit: Flags.credit,
    ...PartnerLimits.flags,
    versionPin: Flags.choice(
      "version-pin",
      Version.stable,
      `Oldest API version of the responses to its calls (default: ${Version.newestStable})`,
    ).pipe(Flag.withDefault(Version.newestStable)),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { credit, name, payouts, versionPin } = options
    const feeTerms = Fees.change(Fees.none, FeeFlags.readFees(options))
    const limits = BoundsOfPartner.change(BoundsOfPartner.none, PartnerLimits.patchOf(options))
    const { namesakes, partner } = yield* Effect.gen(function* () {
      const created = yield* Keys.createPartner({
        name,
        feeTerms,
        versionPin,
        ...(Option.isSome(credit) && { credit: { live: credit.value } }),
        ...(Object.keys(limits).length > 0 && { limits: { live: limits } }),
      })
      return {
        partner: Option.isNone(payouts)
          ? created
          : yield* Merchants.changePartner(created.id, { payouts: payouts.value }),
        namesakes: (yield* Namesakes.find(created.id, name)).namesakes,
      }
    }).pipe(Access.inStorage(options, "florin partners create"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.result(partner.id)
    warnOf(namesakes)
    if (Option.isNone(credit)) {
      Terminal.aside(
        `It has no credit. Unless its chains are local, a refund of a live payment that was paid out already is paid from the merchant's open shares, and waits if they are not enough. Grant credit with: \`florin partners credit ${partner.id} "1000 USD"\``,
      )
    }
    Terminal.aside(`Its fees are ${FeeFlags.format(partner.feeTerms)}. Give it a key with:`)
    Terminal.aside(`\`florin keys create --partner ${partner.id} --mode test\``)
  }),
).pipe(
  Command.withDescription(
    "Create a partner and print only its id to standard output, for $(florin partners create …). The fees apply to all its payments. A fee that is not given is 0.",
  ),
  Command.withShortDescription("Create a partner"),
  Command.withExamples([
    {
      command:
        'florin partners create --name "Corner Payments" --fee-percentage 0.4 --fee-fixed "0.10 USD, 0.09 EUR"',
      description: "With what its payments cost",
    },
  ]),
)

const columns: ReadonlyArray<Table.Column<Merchant.Partner>> = [
  { name: "partner", of: ({ id }) => id },
  { name: "fees", of: ({ feeTerms }) => FeeFlags.format(feeTerms) },
  { name: "payouts", of: payoutsText },
  { name: "credit", of: (partner) => creditText(partner, "live") },
  {
    name: "state",
    of: ({ frozenAt, suspendedAt }) =>
      [
        ...(suspendedAt === undefined ? [] : ["suspended"]),
        ...(frozenAt === undefined ? [] : ["frozen"]),
      ].join(", ") || "active",
  },
  { name: "version", of: ({ versionPin }) => versionPin },
  { name: "name", of: ({ name }) => name, isCut: true },
]

const list = Command.make(
  "list",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const partners = yield* Effect.flatMap(AccountStore, (accounts) =>
      accounts.partners(null),
    ).pipe(Access.inStorage(options, "florin partners list"))
    if (options.json) return Terminal.json(partners.map(asJson))
    if (partners.length === 0)
      return Terminal.plain("No partners. Create one with: `florin partners create --name <name>`")
    Table.print(columns, partners)
  }),
).pipe(
  Command.withDescription("List the partners with their fees, payout policies and live credit."),
  Command.withShortDescription("List the partners"),
)

const partnerId = Flags.argument("partnerId", "Id of the partner, prtn_…").pipe(
  Argument.filterMap(Schema.decodeOption(PartnerId.PartnerId), () => "the id of a partner, prtn_…"),
)

const setPayouts = Command.make(
  "payouts",
  {
    partnerId,
    policy: Flags.payoutsOrDefault("the service's default"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const partner = yield* Merchants.changePartner(options.partnerId, {
      payouts: options.policy,
    }).pipe(Access.inStorage(options, "florin partners payouts"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.writeSuccess(`The payout policy of ${partner.id} is ${payoutsText(partner)}.`)
    Terminal.note(
      "Merchants with a policy of their own keep it: `florin merchants payouts <merchantId> <policy>`",
    )
  }),
).pipe(
  Command.withDescription(
    "Set the payout policy of a partner's merchants. Shares that wait already follow the new policy after their old waiting time, or earlier together with another payout to the same destination.",
  ),
  Command.withShortDescription("Set the payout policy of a partner's merchants"),
  Command.withExamples([
    { command: "florin partners payouts prtn_… 60m/500" },
    { command: "florin partners payouts prtn_… default" },
  ]),
)

const setCredit = Command.make(
  "credit",
  {
    partnerId,
    credit: Flags.argument(
      "credit",
      `Maximum debt: "1000 USD", "1000 USD, 500 EUR", unlimited, none, or default for the service's default`,
    ).pipe(
      Argument.filterMap(
        (text) => (text === "default" ? Option.some(null) : Flags.readCredit(text)),
        () => `default, ${Flags.creditFormat}`,
      ),
    ),
    mode: Flags.choice("mode", Mode.Mode.literals, "Live or test money (default: live)").pipe(
      Flag.withDefault("live" as const),
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { credit, mode } = options
    const partner = yield* Merchants.changePartner(options.partnerId, {
      credit: { [mode]: credit },
    }).pipe(Access.inStorage(options, "florin partners credit"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.writeSuccess(`The ${mode} credit of ${partner.id} is ${creditText(partner, mode)}.`)
    Terminal.note("Refunds that wait for credit are retried within a minute.")
  }),
).pipe(
  Command.withDescription(
    "Set how much a partner's merchants may owe after refunds of payments that were paid out already. Such a refund is paid from the merchant's open shares first, then from this credit. All merchants of the partner share the credit, and stablecoins of one currency count at their pegs. Lowering the credit does not recall money that was lent.",
  ),
  Command.withShortDescription("Set a partner's credit for refunds"),
  Command.withExamples([
    { command: 'florin partners credit prtn_… "1000 USD, 500 EUR"' },
    { command: "florin partners credit prtn_… none --mode test" },
  ]),
)

const setFees = Command.make(
  "fees",
  { partnerId, ...FeeFlags.flags, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const partner = yield* Merchants.changePartner(options.partnerId, {
      fees: FeeFlags.readFees(options),
    }).pipe(Access.inStorage(options, "florin partners fees"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.writeSuccess(`The fees of ${partner.id} are ${FeeFlags.format(partner.feeTerms)}.`)
    Terminal.note("Existing payments keep their fees.")
  }),
).pipe(
  Command.withDescription(
    "Set the fees of a partner's future payments. A fee that is not given stays. The fixed fee is the amount in the currency of the payment. If there is none, it is the amount in the currency of the paid token. If there is none either, the first amount is converted.",
  ),
  Command.withShortDescription("Set a partner's fees"),
  Command.withExamples([
    {
      command: 'florin partners fees prtn_… --fee-percentage 0.4 --fee-fixed "0.10 USD, 0.09 EUR"',
    },
  ]),
)

const rename = Command.make(
  "rename",
  {
    partnerId,
    name: Flags.argument("name", "New name"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { namesakes, partner } = yield* Effect.gen(function* () {
      const renamed = yield* Merchants.changePartner(options.partnerId, { name: options.name })
      return { partner: renamed, ...(yield* Namesakes.find(renamed.id, renamed.name)) }
    }).pipe(Access.inStorage(options, "florin partners rename"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.writeSuccess(
      `${partner.id} is renamed to ${Printable.from(JSON.stringify(partner.name))}.`,
    )
    warnOf(namesakes)
  }),
).pipe(
  Command.withDescription("Rename a partner."),
  Command.withShortDescription("Rename a partner"),
  Command.withExamples([{ command: 'florin partners rename prtn_… "Corner Payments Ltd"' }]),
)

const pin = Command.make(
  "pin",
  {
    partnerId,
    version: Argument.Literals("version", Version.stable).pipe(
      Argument.withDescription("Oldest API version of the responses to its calls"),
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const partner = yield* Merchants.changePartner(options.partnerId, {
      versionPin: options.version,
    }).pipe(Access.inStorage(options, "florin partners pin"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.writeSuccess(
      `Responses to ${partner.id} have API version ${partner.versionPin} or newer.`,
    )
    Terminal.note(
      `Running servers may use the old version for up to ${Limits.keyRememberedInMs / 1000} seconds.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Set the oldest API version of the responses to a partner's calls. A webhook endpoint with a version of its own keeps it.",
  ),
  Command.withShortDescription("Set a partner's API version"),
  Command.withExamples([{ command: `florin partners pin prtn_… ${Version.newestStable}` }]),
)

const measure = (name: Merchant.Measure) => {
  const { description, done, short } = Measures.words[name]
  return Command.make(
    name,
    { partnerId, ...Access.flags },
    Effect.fnUntraced(function* (options) {
      const partner = yield* Merchants.takeOfPartner(options.partnerId, name).pipe(
        Access.inStorage(options, `florin partners ${name}`),
      )
      if (options.json) return Terminal.json(asJson(partner))
      Terminal.writeSuccess(`Every merchant of ${partner.id} ${done}.`)
    }),
  ).pipe(
    Command.withDescription(
      `${description} Applies to all merchants of the partner. ${Measures.storageNote}`,
    ),
    Command.withShortDescription(short),
  )
}

export const command = Command.make("partners").pipe(
  Command.withDescription("Manage partners. A partner owns merchants and has API keys."),
  Command.withSubcommands([
    create,
    list,
    rename,
    pin,
    setFees,
    setPayouts,
    setCredit,
    PartnerLimits.command(partnerId),
    ...Merchant.measures.map(measure),
  ]),
)
