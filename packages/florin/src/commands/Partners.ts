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
import * as Merchant from "@florin/core/domain/partner/Merchant"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as OperatorCommand from "../operator/Command.ts"
import * as RecordSettings from "../operator/RecordSettings.ts"
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

/** What sets a partner up, and changes it, besides the plain members of the body. */
const takes = {
  fees: FeeFlags.flags,
  credit: Taken.ofSchema(Schema.Struct({ credit: Schema.optionalKey(Partner.credit) })),
  limits: Taken.ofSchema(Partner.LimitsRequest),
  mode: Flags.choice(
    "mode",
    Mode.Mode.literals,
    "Mode of the credit and the limits (default: live)",
  ).pipe(Flag.withDefault("live" as const)),
}

const membersOf = ({ mode, ...own }: Command.Command.Config.InferValue<typeof takes>) => {
  const [fees, limits] = [Taken.members(own.fees), Taken.members(own.limits)]
  const { credit } = Taken.members(own.credit)
  return {
    ...(Object.keys(fees).length > 0 && { fees }),
    ...(credit !== undefined && { credit: { [mode]: credit } }),
    ...(Object.keys(limits).length > 0 && { limits: { [mode]: limits } }),
  }
}

/** `payout delay 1d, reserve 10% 30d` */
const limitsText = (limits: Partner.Partner["limits"]["live"]): string =>
  Object.entries(limits)
    .flatMap(([name, limit]) => {
      const words = name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
      if (limit === null || limit === false) return []
      return limit === true ? [words] : [`${words} ${limit}`]
    })
    .join(", ") || "none"

const settings: RecordSettings.Table<Partner.Partner> = {
  name: { name: "name", of: ({ name }) => Printable.from(JSON.stringify(name)) },
  versionPin: {
    name: "version",
    of: ({ versionPin }) => versionPin,
    note: `Running servers may use the old version for up to ${Limits.keyRememberedInMs / 1000} seconds.`,
  },
  fees: {
    name: "fees",
    of: ({ fees }) => FeeFlags.text(fees),
    note: "Existing payments keep their fees.",
  },
  payouts: {
    name: "payouts",
    of: ({ payouts }) => orDefault(payouts),
    note: "Merchants with a policy of their own keep it: `florin merchants change <merchantId> --payouts <policy>`",
  },
  credit: {
    name: "credit",
    of: ({ credit: { live, test } }) => `live: ${orDefault(live)}, test: ${orDefault(test)}`,
    note: "Refunds that wait for credit are retried within a minute.",
  },
  limits: {
    name: "limits",
    of: ({ limits: { live, test } }) => `live: ${limitsText(live)}; test: ${limitsText(test)}`,
  },
  secondPerson: {
    name: "approvals",
    of: ({ secondPerson }) =>
      secondPerson ? "by a second person, for destinations and keys" : "by nobody",
  },
}

const warn = Effect.fnUntraced(function* (carry: Carry, { id }: Partner.Partner) {
  const { resembles } = yield* OperatorCommand.send(carry, group, "resembling", { partnerId: id })
  for (const { merchantId, name, partnerId } of resembles) {
    Terminal.aside(
      `Its name resembles ${Printable.from(JSON.stringify(name))}, ${merchantId ?? partnerId}: check that it is not an imitation.`,
    )
  }
})

const stateOf = ({ frozenAt, suspendedAt }: Partner.Partner): string =>
  [suspendedAt && "suspended", frozenAt && "frozen"].filter(Boolean).join(", ") || "active"

const columns: ReadonlyArray<Table.Column<Partner.Partner>> = [
  { name: "partner", of: ({ id }) => id },
  { name: "fees", of: ({ fees }) => FeeFlags.text(fees) },
  { name: "payouts", of: ({ payouts }) => orDefault(payouts) },
  { name: "credit", of: ({ credit }) => orDefault(credit.live) },
  { name: "state", of: stateOf },
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
      takes,
      members: (own) => Effect.succeed(membersOf(own)),
      print: ({ credit, fees, id }) => {
        Terminal.result(id)
        if (credit.live === null) {
          Terminal.aside(
            `It has no credit. Unless its chains are local, a live refund that the payment's own share does not cover is paid from the merchant's other open shares, and waits if they are not enough. Grant credit with: \`florin partners change ${id} --credit "1000 USD"\``,
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
    make("show", "get", {
      print: (partner) => {
        Terminal.heading(partner.id)
        RecordSettings.print(settings, partner)
        Terminal.fact("state", stateOf(partner))
      },
    }),
    make("change", "change", {
      takes,
      members: (own) => Effect.succeed(membersOf(own)),
      settings,
      afterwards: (carry, partner, asked) => ("name" in asked ? warn(carry, partner) : Effect.void),
      examples: [
        'florin partners change prtn_… --fee-percentage 0.4 --fee-fixed "0.10 USD, 0.09 EUR"',
        "florin partners change prtn_… --payouts 60m/500 --credit none --mode test",
        'florin partners change prtn_… --payout-delay 24h --reserve "10% 30d"',
        "florin partners change prtn_… --payouts default --no-second-person",
      ],
    }),
    ...Merchant.measures.map(measure),
  ],
)
