/**
 * `florin partners`: manages partners, which own merchants and hold keys.
 *
 * @module
 */
import type { Carry } from "@florin/api/operator/Call"
import * as Contract from "@florin/api/operator/Partners"
import * as Partner from "@florin/api/wire/Partner"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Version from "@florin/core/domain/ground/Version"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as OperatorCommand from "../operator/Command.ts"
import * as Taken from "../operator/Taken.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as FeeFlags from "./FeeFlags.ts"
import * as Measures from "./Measures.ts"

const { group } = Contract
const make = OperatorCommand.of(group)

/** `15m`, or `default` if the service's default applies. */
const orDefault = (text: string | null): string => text ?? "default"

const mode = Flags.choice("mode", Mode.Mode.literals, "Live or test money (default: live)").pipe(
  Flag.withDefault("live" as const),
)

/** The limits of one mode, from the schema of the API. */
const limits = Taken.ofSchema(Partner.LimitsRequest)

const warn = Effect.fnUntraced(function* (carry: Carry, { id }: Partner.Partner) {
  const { resembles } = yield* OperatorCommand.send(carry, group, "resembling", { partnerId: id })
  for (const { merchantId, name, partnerId } of resembles) {
    Terminal.aside(
      `Its name resembles ${Printable.from(JSON.stringify(name))}, ${merchantId ?? partnerId}: check that it is not an imitation.`,
    )
  }
})

/** `payouts per day` for `payoutsPerDay` */
const wordsOf = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)

const columns: ReadonlyArray<Table.Column<Partner.Partner>> = [
  { name: "partner", of: ({ id }) => id },
  { name: "fees", of: ({ fees }) => FeeFlags.text(fees) },
  { name: "payouts", of: ({ payouts }) => orDefault(payouts) },
  { name: "credit", of: ({ credit }) => orDefault(credit.live) },
  {
    name: "state",
    of: ({ frozenAt, suspendedAt }) =>
      [suspendedAt && "suspended", frozenAt && "frozen"].filter(Boolean).join(", ") || "active",
  },
  { name: "version", of: ({ versionPin }) => versionPin },
  { name: "name", of: ({ name }) => name, isCut: true },
]

const measure = <const M extends Merchant.Measure>(name: M) =>
  make(name, name, {
    done: ({ id }) => `Every merchant of ${id} ${Measures.done[name]}.`,
  })

export const command = Described.group(
  "partners",
  "Manage partners. A partner owns merchants and has API keys.",
  [
    make("create", "create", {
      adds: "Only its id goes to standard output, for $(florin partners create …).",
      takes: {
        fees: FeeFlags.flags,
        credit: Flags.optionalString(
          "credit",
          '"1000 USD"',
          "How much its merchants may owe after live refunds of payments that were paid out (default: none)",
        ),
        limits,
      },
      members: (own) =>
        Effect.succeed({
          fees: Taken.members(own.fees),
          limits: { live: Taken.members(own.limits) },
          ...(Option.isSome(own.credit) && { credit: { live: own.credit.value } }),
        }),
      print: ({ credit, fees, id }) => {
        Terminal.result(id)
        if (credit.live === null) {
          Terminal.aside(
            `It has no credit. Unless its chains are local, a live refund that the payment's own share does not cover is paid from the merchant's other open shares, and waits if they are not enough. Grant credit with: \`florin partners credit ${id} "1000 USD"\``,
          )
        }
        Terminal.aside(`Its fees are ${FeeFlags.text(fees)}. Give it a key with:`)
        Terminal.aside(`\`florin keys create --partner ${id} --mode test\``)
      },
      afterwards: warn,
      examples: [
        {
          command:
            'florin partners create --name "Corner Payments" --fee-percentage 0.4 --fee-fixed "0.10 USD, 0.09 EUR"',
          description: "With what its payments cost",
        },
      ],
    }),
    make("list", "list", {
      print: ({ partners }) =>
        Table.list(
          columns,
          partners,
          "No partners. Create one with: `florin partners create --name <name>`",
        ),
    }),
    make("rename", "change", {
      omits: "all",
      description: "Rename a partner.",
      does: "Rename a partner",
      args: ["name"],
      done: ({ id, name }) => `${id} is renamed to ${Printable.from(JSON.stringify(name))}.`,
      afterwards: warn,
      examples: ['florin partners rename prtn_… "Corner Payments Ltd"'],
    }),
    make("pin", "change", {
      omits: "all",
      does: "Set a partner's API version",
      description:
        "Set the oldest API version of the responses to a partner's calls. A webhook endpoint with a version of its own keeps it.",
      takes: {
        version: Argument.Literals("version", Version.stable).pipe(
          Argument.withDescription("Oldest API version of the responses to its calls"),
        ),
      },
      members: ({ version }) => Effect.succeed({ versionPin: version }),
      done: ({ id, versionPin }) => `Responses to ${id} have API version ${versionPin} or newer.`,
      next: () =>
        `Running servers may use the old version for up to ${Limits.keyRememberedInMs / 1000} seconds.`,
      examples: [`florin partners pin prtn_… ${Version.newestStable}`],
    }),
    make("fees", "change", {
      omits: "all",
      does: "Set a partner's fees",
      description:
        "Set the fees of a partner's future payments. A fee that is not given stays. The fixed fee is the amount in the currency of the payment. If there is none, it is the amount in the currency of the paid token. If there is none either, the first amount is converted.",
      takes: FeeFlags.flags,
      members: (own) => Effect.succeed({ fees: Taken.members(own) }),
      done: ({ fees, id }) => `The fees of ${id} are ${FeeFlags.text(fees)}.`,
      next: () => "Existing payments keep their fees.",
      examples: [
        'florin partners fees prtn_… --fee-percentage 0.4 --fee-fixed "0.10 USD, 0.09 EUR"',
      ],
    }),
    make("approvals", "change", {
      omits: "all",
      does: "Require a second person for destinations and keys",
      description:
        "Require that a second person of the partner approves changes of settlement destinations and new keys, or end that. Give its first two people keys or sign-in links yourself: a person that one of them invites counts as that one.",
      takes: {
        wanted: Argument.Literals("wanted", ["on", "off"]).pipe(
          Argument.withDescription("Whether a second person is required: on or off"),
        ),
      },
      members: ({ wanted }) => Effect.succeed({ secondPerson: wanted === "on" }),
      done: ({ id, secondPerson }) =>
        secondPerson
          ? `A second person of ${id} must approve changes of destinations, and new keys.`
          : `${id} needs no second person.`,
      examples: ["florin partners approvals prtn_… on"],
    }),
    make("payouts", "change", {
      omits: "all",
      does: "Set the payout policy of a partner's merchants",
      description:
        "Set the payout policy of a partner's merchants. Shares that wait already follow the new policy after their old waiting time, or earlier together with another payout to the same destination.",
      takes: {
        policy: Flags.textOrDefault(
          "policy",
          "immediate, 15m, 15m/500, or default for the service's default",
        ),
      },
      members: ({ policy }) => Effect.succeed({ payouts: policy }),
      done: ({ id, payouts }) => `The payout policy of ${id} is ${orDefault(payouts)}.`,
      next: () =>
        "Merchants with a policy of their own keep it: `florin merchants payouts <merchantId> <policy>`",
      examples: [
        "florin partners payouts prtn_… 60m/500",
        "florin partners payouts prtn_… default",
      ],
    }),
    make("credit", "change", {
      omits: "all",
      does: "Set a partner's credit for refunds",
      description:
        "Set how much a partner's merchants may owe after refunds that their shares do not cover, because a share was paid out already, or because of the fee. A refund takes the merchant's open shares first, then this credit. All merchants of the partner share the credit, and stablecoins of one currency count at their pegs. Lowering the credit does not recall money that was lent.",
      takes: {
        credit: Flags.textOrDefault(
          "credit",
          `Maximum debt: "1000 USD", "1000 USD, 500 EUR", unlimited, none, or default for the service's default`,
        ),
        mode,
      },
      members: ({ credit, mode: of }) => Effect.succeed({ credit: { [of]: credit } }),
      done: ({ credit, id }, { mode: of }) =>
        `The ${of} credit of ${id} is ${orDefault(credit[of])}.`,
      next: () => "Refunds that wait for credit are retried within a minute.",
      examples: [
        'florin partners credit prtn_… "1000 USD, 500 EUR"',
        "florin partners credit prtn_… none --mode test",
      ],
    }),
    OperatorCommand.calls("limits", {
      of: group.endpoints.change,
      does: "Set or show a partner's payout and refund limits",
      description:
        "Set or show the limits of a partner's payouts and refunds. A flag that is not given changes nothing; none removes a limit. Payouts and refunds that wait for a limit are sent automatically: `florin stuck` shows when.",
      takes: { partnerId: Flags.argument("partnerId", "The partner's id"), limits, mode },
      call: (carry, own) => {
        const asked = Taken.members(own.limits)
        const { partnerId } = own
        // A command that only looks needs no key that may change something.
        return Object.keys(asked).length === 0
          ? OperatorCommand.send(carry, group, "get", { partnerId })
          : OperatorCommand.send(carry, group, "change", {
              partnerId,
              limits: { [own.mode]: asked },
            })
      },
      print: ({ id, limits: of }, own) => {
        const set = of[own.mode]
        Terminal.heading(`The ${own.mode} limits of ${id}`)
        for (const name of Struct.keys(PartnerLimits.table)) {
          Terminal.fact(wordsOf(name), set[name] ?? "none")
        }
        Terminal.fact(wordsOf("netsMerchants"), set.netsMerchants ? "yes" : "no")
      },
      examples: [
        'florin partners limits prtn_… --payout-delay 24h --reserve "10% 30d"',
        'florin partners limits prtn_… --refunds-per-day "500 USD, 500 EUR"',
        "florin partners limits prtn_…",
      ],
    }),
    ...Merchant.measures.map(measure),
  ],
)
