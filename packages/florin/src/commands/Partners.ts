/**
 * `florin partners`: who owns merchants and holds keys.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import * as Catalog from "@florin/core/domain/Catalog"
import * as Fees from "@florin/core/domain/Fees"
import * as Merchant from "@florin/core/domain/Merchant"
import * as PayoutPolicy from "@florin/core/domain/PayoutPolicy"
import * as Version from "@florin/core/domain/Version"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import { AccountStore } from "@florin/core/ports/AccountStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Access from "../access/Access.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

const fixedText = ({ fixed: { currency, quantity } }: Fees.FeeTerms): string =>
  Amount.toText({ unit: Amount.fiat(currency), quantity }, Catalog.empty)

const feesText = (terms: Fees.FeeTerms): string =>
  `${fixedText(terms)} + ${Fees.formatPercentage(terms.percentage)} %`

/** `15m`, or `default` where the service's default holds. */
const payoutsText = ({ payouts }: Merchant.Partner): string =>
  payouts === undefined ? "default" : PayoutPolicy.format(payouts)

const asJson = (partner: Merchant.Partner) => ({
  partnerId: partner.id,
  name: partner.name,
  feePercentage: Fees.formatPercentage(partner.feeTerms.percentage),
  feeFixed: fixedText(partner.feeTerms),
  payouts: payoutsText(partner),
  versionPin: partner.versionPin,
})

/** `0.10 USD`: a decimal number with as many places as the currency has, or fewer. */
const fixedOf = (text: string): Option.Option<Fees.FeeTerms["fixed"]> => {
  const [, whole = "", fraction = "", code = ""] =
    /^([0-9]{1,12})(?:\.([0-9]+))? ([A-Z]{3})$/u.exec(text) ?? []
  const unit = Amount.parseUnit(`iso4217/${code}`, Catalog.empty)
  if (Result.isFailure(unit) || unit.success._tag !== "Fiat") return Option.none()
  const places = Amount.decimals(unit.success, Catalog.empty)
  if (fraction.length > places) return Option.none()
  // One number has one text: leading zeros would be refused.
  const value = `${BigInt(whole + fraction.padEnd(places, "0"))}`
  const { currency } = unit.success
  return Option.map(
    Result.getSuccess(Amount.parse({ unit: `iso4217/${currency}`, value }, Catalog.empty)),
    ({ quantity }) => ({ currency, quantity }),
  )
}

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("What the partner is called"),
    ),
    percentage: Flag.String("fee-percentage").pipe(
      Flag.withMetavar("0.4"),
      Flag.withDescription("What a payment costs, of what was paid, in per cent (0)"),
      Flag.filterMap(
        (text) => Result.getSuccess(Fees.parsePercentage(text)),
        () => "a decimal number from 0 to 100 with at most 6 decimals",
      ),
      Flag.withDefault(Fees.none.percentage),
    ),
    fixed: Flag.String("fee-fixed").pipe(
      Flag.withMetavar('"0.10 USD"'),
      Flag.withDescription("What each payment costs beside that (nothing)"),
      Flag.filterMap(fixedOf, () => 'an amount with its currency, such as "0.10 USD"'),
      Flag.withDefault(Fees.none.fixed),
    ),
    payouts: Flags.payouts,
    versionPin: Flag.Literals("version-pin", Version.all).pipe(
      Flag.withDescription(
        `The oldest version that its calls are answered in (${Version.newestStable})`,
      ),
      Flag.withDefault(Version.newestStable),
    ),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { fixed, name, payouts, percentage, versionPin } = options
    const partner = yield* Effect.gen(function* () {
      const created = yield* Keys.createPartner({
        name,
        feeTerms: { fixed, percentage },
        versionPin,
      })
      return Option.isNone(payouts)
        ? created
        : yield* Merchants.setPartnerPayouts(created.id, payouts.value)
    }).pipe(Access.inStorage(options, "florin partners create"))
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.result(partner.id)
    Terminal.aside(`Its fees are ${feesText(partner.feeTerms)}. Give it a key with:`)
    Terminal.aside(
      `florin keys create --partner ${partner.id} --mode test${Flags.inDirectory(options)}`,
    )
  }),
).pipe(
  Command.withDescription(
    "Registers a partner and prints its id alone, for $(florin partners create …). Its fees hold for payments from then on.",
  ),
  Command.withShortDescription("Register a partner"),
  Command.withExamples([
    {
      command:
        'florin partners create --name "Corner Payments" --fee-percentage 0.4 --fee-fixed "0.10 USD"',
      description: "With what its payments cost",
    },
  ]),
)

const columns: ReadonlyArray<Table.Column<Merchant.Partner>> = [
  { name: "partner", of: ({ id }) => id },
  { name: "fees", of: ({ feeTerms }) => feesText(feeTerms) },
  { name: "payouts", of: payoutsText },
  { name: "version", of: ({ versionPin }) => versionPin },
  { name: "name", of: ({ name }) => name, isCut: true },
]

const list = Command.make(
  "list",
  { ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const partners = yield* Effect.flatMap(AccountStore, (accounts) => accounts.partners).pipe(
      Access.inStorage(options, "florin partners list"),
    )
    if (options.json) return Terminal.json(partners.map(asJson))
    if (partners.length === 0) return Terminal.plain("There is no partner: florin partners create")
    Table.print(columns, partners)
  }),
).pipe(
  Command.withDescription(
    "Lists the partners with what their payments cost, and when their merchants are paid out.",
  ),
  Command.withShortDescription("List the partners"),
)

const setPayouts = Command.make(
  "payouts",
  {
    partnerId: Argument.String("partnerId").pipe(
      Argument.withDescription("The partner, as create and list print it"),
      Argument.filterMap(
        Schema.decodeOption(Merchant.PartnerId),
        () => "the id of a partner, prtn_…",
      ),
    ),
    policy: Flags.payoutsOrDefault("the service's default"),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const partner = yield* Merchants.setPartnerPayouts(options.partnerId, options.policy).pipe(
      Access.inStorage(options, "florin partners payouts"),
    )
    if (options.json) return Terminal.json(asJson(partner))
    Terminal.done(`The payout policy of ${partner.id} is ${payoutsText(partner)}.`)
    Terminal.note("Merchants with a policy of their own keep it: florin merchants payouts")
  }),
).pipe(
  Command.withDescription(
    "Set when a partner's merchants are paid out. Shares that wait already follow it once their old time is over, or earlier with another payout to the same destination. An embedded storage is opened only while no server has it.",
  ),
  Command.withShortDescription("Set when a partner's merchants are paid out"),
  Command.withExamples([
    { command: "florin partners payouts prtn_… 60m/500" },
    { command: "florin partners payouts prtn_… default" },
  ]),
)

export const command = Command.make("partners").pipe(
  Command.withDescription(
    "Registers partners, who own merchants and hold keys. An embedded storage is opened only while no server has it.",
  ),
  Command.withSubcommands([create, list, setPayouts]),
)
