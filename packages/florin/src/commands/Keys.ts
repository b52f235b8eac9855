/**
 * `florin keys`: manages API keys, with their mode and expiry. A key is shown when it is created, and never again.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Keys"
import type * as Wire from "@florin/api/wire/Key"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const make = OperatorCommand.of(Contract.group)

const unitsInMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const durationInMs = (text: string): Option.Option<number> => {
  const [, count, unit = ""] = /^([1-9][0-9]{0,5})([mhd])$/u.exec(text) ?? []
  return Option.map(Option.fromUndefinedOr(unitsInMs[unit]), (each) => Number(count) * each)
}

/** When a key of this lifetime ends, as the API takes it. */
const validUntil = Flags.string(
  "expires",
  "90d",
  "Lifetime of the new key in days, hours or minutes, such as 90d, 12h or 30m (default: unlimited)",
).pipe(
  Flag.filterMap(durationInMs, () => "a time such as 90d, 12h or 30m"),
  Flag.mapEffect((inMs) => Effect.map(Clock.currentTimeMillis, (now) => Time.iso(now + inMs))),
  Flag.optional,
)

const ownerOf = ({ owner: { operator, partnerId, profile, wallet } }: Wire.OwnedKey): string => {
  if (partnerId !== null) return partnerId
  return wallet === null
    ? `operator ${operator}`
    : `wallet ${wallet}${profile === null ? "" : ` (${profile})`}`
}

/** Only the text of a new key goes to standard output, so that a script can read it from there. */
const show = ({ key, secret }: Wire.OwnedWithSecret): void => {
  Terminal.result(secret)
  const kind = key.mode === null ? "an operator's" : `a ${key.mode}`
  Terminal.aside(`This is ${key.id}, ${kind} key. It is not shown again.`)
}

/** Whether the key is valid, and until when. */
const stateOf = ({ revokedAt, successor, validUntil: end }: Wire.OwnedKey): string => {
  if (revokedAt !== null) return "revoked"
  if (end === null) return "good"
  return successor === null
    ? `good until ${Time.second(end)}`
    : `replaced, good until ${Time.second(end)}`
}

const columns: ReadonlyArray<Table.Column<Wire.OwnedKey>> = [
  { name: "key", of: ({ id }) => id },
  { name: "begins", of: ({ hint }) => hint },
  { name: "owner", of: ownerOf, isCut: true },
  { name: "for", of: ({ name }) => name, isCut: true },
  {
    name: "last used (UTC)",
    of: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : Time.minute(lastUsedAt)),
  },
  { name: "is", of: stateOf },
]

const graceInHours = Limits.keyRotationGraceInMs / 3_600_000

export const command = Described.group(
  "keys",
  "Create, list, change, rotate and revoke API keys of partners, wallets and operators.",
  [
    make("create", "issue", {
      adds: "Only the key goes to standard output, for $(florin keys create …).",
      // People sign in with `florin login`.
      omits: ["validUntil", "use"],
      takes: { validUntil },
      print: show,
      examples: [
        "florin keys create --partner prtn_… --mode live --expires 90d",
        "florin keys create --partner prtn_… --mode live --scopes read,pay",
        "florin keys create --partner prtn_… --mode live --from 203.0.113.0/24,198.51.100.7",
        'florin keys create --wallet "Pocket Wallet" --mode test',
        "florin keys create --operator Ada --scopes read,support --expires 90d",
      ],
    }),
    make("list", "list", {
      print: ({ keys }) =>
        Table.list(
          columns,
          keys,
          "No keys. Create one with: `florin keys create --partner <partnerId> --mode test`",
        ),
    }),
    make("change", "change", {
      done: (key) => `${key.id} belongs to ${ownerOf(key)}.`,
      next: () =>
        "Merchants see it for payments confirmed from now on. Other keys of the wallet do not change.",
      examples: ["florin keys change key_… --icon-url https://wallet.example/icon.png"],
    }),
    make("rotate", "rotate", {
      adds: "Only the new key goes to standard output.",
      takes: { validUntil },
      print: (issued) => {
        show(issued)
        Terminal.aside(`The old key is valid for ${graceInHours} more hours.`)
      },
    }),
    make("revoke", "revoke", {
      print: ({ revoked }) => {
        Terminal.writeSuccess(`Revoked: ${revoked.join(", ")}`)
        const seconds = Limits.keyRememberedInMs / 1000
        Terminal.aside(`Running servers may accept it for up to ${seconds} more seconds.`)
      },
    }),
  ],
)
