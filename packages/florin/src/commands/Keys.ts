/**
 * `florin keys`: manages API keys, with their mode and expiry. A key is shown when it is created, and never again.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Version from "@florin/core/domain/ground/Version"
import * as AddressBlock from "@florin/core/domain/partner/AddressBlock"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as KeyUseCases from "@florin/core/engine/Keys"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const unitsInMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const durationInMs = (text: string): Option.Option<number> => {
  const [, count, unit = ""] = /^([1-9][0-9]{0,5})([mhd])$/u.exec(text) ?? []
  return Option.map(Option.fromUndefinedOr(unitsInMs[unit]), (each) => Number(count) * each)
}

const expires = Flags.string(
  "expires",
  "90d",
  "Lifetime of the new key in days, hours or minutes, such as 90d, 12h or 30m (default: unlimited)",
).pipe(
  Flag.filterMap(durationInMs, () => "a time such as 90d, 12h or 30m"),
  Flag.optional,
)

const scopesOf = (text: string) =>
  Schema.decodeUnknownOption(Schema.Array(ApiKey.Scope))(text.split(",").map((each) => each.trim()))

const blocksOf = (text: string) => {
  const blocks = text.split(",").map((each) => each.trim())
  return blocks.every(AddressBlock.isBlock) ? Option.some(blocks) : Option.none()
}

const keyId = Flags.argument("keyId", "Id of the key, from `keys list`").pipe(
  Argument.filterMap(Schema.decodeOption(ApiKey.ApiKeyId), () => "the id of a key, key_…"),
)

const endOf = (lifeInMs: Option.Option<number>) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    Option.getOrNull(Option.map(lifeInMs, (life) => now + life)),
  )

const timeOrNull = (at: number | null): string | null => (at === null ? null : Time.iso(at))

const ownerText = (owner: ApiKey.Owner): string => {
  switch (owner._tag) {
    case "Partner":
      return owner.partnerId
    case "Wallet":
      return `wallet ${owner.name}${owner.profile === undefined ? "" : ` (${owner.profile})`}`
    case "Operator":
      return `operator ${owner.name}`
  }
}

const ownerJson = (owner: ApiKey.Owner) => {
  switch (owner._tag) {
    case "Partner":
      return { partnerId: owner.partnerId }
    case "Wallet":
      return {
        wallet: owner.name,
        iconUrl: owner.iconUrl,
        versionPin: owner.versionPin,
        profile: owner.profile ?? null,
      }
    case "Operator":
      return { operator: owner.name }
  }
}

/** Whether the key is valid, and until when. */
const stateText = (key: ApiKey.ApiKey, now: number): string => {
  const refused = ApiKey.check(key, now)
  if (Result.isFailure(refused)) return refused.failure.reason
  const ends = [key.expiresAt, key.rotation?.graceEndsAt ?? null].filter((at) => at !== null)
  return ends.length === 0 ? "good" : `valid until ${Time.iso(Math.min(...ends))}`
}

const asJson = (key: ApiKey.ApiKey, now: number) => ({
  keyId: key.id,
  hint: key.hint,
  mode: key.mode,
  owner: ownerJson(key.owner),
  name: key.name,
  scopes: ApiKey.scopesOf(key),
  from: key.from ?? null,
  isGood: Result.isSuccess(ApiKey.check(key, now)),
  createdAt: Time.iso(key.createdAt),
  lastUsedAt: timeOrNull(key.lastUsedAt),
  expiresAt: timeOrNull(key.expiresAt),
  revokedAt: timeOrNull(key.revokedAt),
  rotation: key.rotation && {
    to: key.rotation.to,
    graceEndsAt: Time.iso(key.rotation.graceEndsAt),
  },
})

/** Only the text of a new key goes to standard output, so that a script can read it from there. */
const show = ({ record, text }: ApiKey.Issued, json: boolean, now: number): void => {
  if (json) return Terminal.json({ key: text, ...asJson(record, now) })
  Terminal.result(text)
  const kind = record.mode === null ? "an operator's" : `a ${record.mode}`
  Terminal.aside(`This is ${record.id}, ${kind} key. It is not shown again.`)
}

const walletOwner = (
  name: string,
  iconUrl: Option.Option<string>,
  profile: Option.Option<ApiKey.Profile>,
): ApiKey.Owner => ({
  _tag: "Wallet",
  name,
  iconUrl: Option.getOrNull(iconUrl),
  versionPin: Version.newestStable,
  ...(Option.isSome(profile) && { profile: profile.value }),
})

const create = Command.make(
  "create",
  {
    partner: Flags.partnerId.pipe(Flag.withDescription("Partner that owns the key"), Flag.optional),
    wallet: Flags.optionalString(
      "wallet",
      "NAME",
      "Name of the wallet that owns the key; merchants see it",
    ),
    operator: Flags.optionalString(
      "operator",
      "NAME",
      "Name of the person or system that owns the key and calls the operator's API; the audit log records it",
    ),
    iconUrl: Flags.optionalString(
      "icon-url",
      "URL",
      "HTTPS URL of the wallet's icon; merchants see it",
    ),
    profile: Flags.optionalChoice(
      "profile",
      ApiKey.Profile.literals,
      "API profile of the responses to this wallet (default: the version header of each request decides)",
    ),
    mode: Flags.optionalChoice(
      "mode",
      Mode.Mode.literals,
      "Live or test money; an operator's key is for both",
    ),
    name: Flags.string("name", "TEXT", "What the key is for (florin keys)").pipe(
      Flag.withDefault("florin keys"),
    ),
    scopes: Flags.string(
      "scopes",
      "SCOPES",
      "Permissions, separated by commas. Partner and wallet: read, pay, refund, manage, webhooks, keys (default: all of the key's kind except keys). Operator: read, support, treasury, admin (no default)",
    ).pipe(
      Flag.filterMap(scopesOf, () => `some of ${ApiKey.Scope.literals.join(", ")}`),
      Flag.optional,
    ),
    from: Flags.string(
      "from",
      "BLOCKS",
      "IP addresses that may use the key, separated by commas, such as 203.0.113.0/24 (default: all)",
    ).pipe(
      Flag.filterMap(blocksOf, () => AddressBlock.expected),
      Flag.optional,
    ),
    expires,
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const owners: ReadonlyArray<ApiKey.Owner> = [
      ...Option.toArray(options.partner).map((id) => ({ _tag: "Partner" as const, partnerId: id })),
      ...Option.toArray(options.wallet).map((name) =>
        walletOwner(name, options.iconUrl, options.profile),
      ),
      ...Option.toArray(options.operator).map((name) => ({ _tag: "Operator" as const, name })),
    ]
    const [owner, second] = owners
    if (owner === undefined || second !== undefined) {
      return yield* Failure.makeUsage(
        "a key belongs to a partner, a wallet or an operator: set one of --partner, --wallet and --operator",
      )
    }
    if (owner._tag !== "Operator" && Option.isNone(options.mode)) {
      return yield* Failure.makeUsage("the key is for one kind of money: set --mode live or test")
    }
    if (owner._tag !== "Wallet" && Option.isSome(options.profile)) {
      return yield* Failure.makeUsage(
        "only a wallet's key has a profile: omit --profile, or set --wallet",
      )
    }
    if (owner._tag !== "Wallet" && Option.isSome(options.iconUrl)) {
      return yield* Failure.makeUsage(
        "only a wallet's key has an icon: omit --icon-url, or set --wallet",
      )
    }
    const { json, name } = options
    const mode = Option.getOrNull(options.mode)
    yield* Effect.gen(function* () {
      if (owner._tag === "Partner") yield* findPartner(yield* AccountStore, owner.partnerId)
      const expiresAt = yield* endOf(options.expires)
      const issued = yield* KeyUseCases.issue({
        mode,
        owner,
        name,
        expiresAt,
        ...(Option.isSome(options.scopes) && { scopes: options.scopes.value }),
        ...(Option.isSome(options.from) && { from: options.from.value }),
      })
      show(issued, json, yield* Clock.currentTimeMillis)
    }).pipe(Access.inStorage(options, "florin keys create"))
  }),
).pipe(
  Command.withDescription(
    "Create a key and print only the key to standard output, for $(florin keys create …). The key is shown once. A partner's key has access to that partner's payments. A wallet's key can pay the payments of all partners in its mode. An operator's key calls the API of the operator's port.",
  ),
  Command.withShortDescription("Create a key"),
  Command.withExamples([
    { command: "florin keys create --partner prtn_… --mode live --expires 90d" },
    { command: "florin keys create --partner prtn_… --mode live --scopes read,pay" },
    {
      command: "florin keys create --partner prtn_… --mode live --from 203.0.113.0/24,198.51.100.7",
    },
    { command: 'florin keys create --wallet "Pocket Wallet" --mode test' },
    { command: "florin keys create --operator Ada --scopes read,support --expires 90d" },
  ]),
)

const columns = (now: number): ReadonlyArray<Table.Column<ApiKey.ApiKey>> => [
  { name: "key", of: ({ id }) => id },
  { name: "begins", of: ({ hint }) => hint },
  { name: "owner", of: ({ owner }) => ownerText(owner), isCut: true },
  { name: "for", of: ({ name }) => name, isCut: true },
  {
    name: "last used",
    of: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : Time.iso(lastUsedAt)),
  },
  { name: "is", of: (key) => stateText(key, now) },
]

/** The keys of one partner, or of all partners and all wallets. */
const keysOf = Effect.fnUntraced(function* (partner: Option.Option<PartnerId.PartnerId>) {
  if (Option.isSome(partner)) return yield* KeyUseCases.list(partner.value)
  const partners = yield* (yield* AccountStore).partners(null)
  const each = yield* Effect.forEach(partners, ({ id }) => KeyUseCases.list(id))
  return [...each.flat(), ...(yield* KeyUseCases.list(null))]
})

const list = Command.make(
  "list",
  {
    partner: Flags.partnerId.pipe(
      Flag.withDescription("Show only keys of this partner (default: all keys)"),
      Flag.optional,
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const keys = yield* keysOf(options.partner).pipe(Access.inStorage(options, "florin keys list"))
    const now = yield* Clock.currentTimeMillis
    if (options.json) return Terminal.json(keys.map((key) => asJson(key, now)))
    if (keys.length === 0)
      return Terminal.plain(
        "No keys. Create one with: `florin keys create --partner <partnerId> --mode test`",
      )
    Table.print(columns(now), keys)
  }),
).pipe(
  Command.withDescription(
    "List keys with their ids, first characters, owners, last use and status. The full key is never shown.",
  ),
  Command.withShortDescription("List keys"),
)

const change = Command.make(
  "change",
  {
    keyId,
    wallet: Flags.optionalString(
      "wallet",
      "NAME",
      "New name of the wallet; merchants see it (default: unchanged)",
    ),
    iconUrl: Flags.optionalString(
      "icon-url",
      "URL",
      "New HTTPS URL of the wallet's icon; none removes it (default: unchanged)",
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const name = Option.getOrUndefined(options.wallet)
    const iconUrl = Option.getOrUndefined(options.iconUrl)
    if (name === undefined && iconUrl === undefined) {
      return yield* Failure.makeUsage("nothing to change: set --wallet or --icon-url")
    }
    const changed = yield* KeyUseCases.changeWallet(options.keyId, {
      name,
      iconUrl: iconUrl === "none" ? null : iconUrl,
    }).pipe(Access.inStorage(options, "florin keys change"))
    if (options.json) return Terminal.json(asJson(changed, yield* Clock.currentTimeMillis))
    Terminal.writeSuccess(`${changed.id} belongs to ${ownerText(changed.owner)}.`)
    Terminal.note(
      "Merchants see it for payments confirmed from now on. Other keys of the wallet do not change.",
    )
  }),
).pipe(
  Command.withDescription(
    "Change the wallet name and icon of a key. Merchants see them with each payment. The key itself does not change.",
  ),
  Command.withShortDescription("Change a wallet's name or icon"),
  Command.withExamples([
    { command: "florin keys change key_… --icon-url https://wallet.example/icon.png" },
  ]),
)

const graceInHours = Limits.keyRotationGraceInMs / 3_600_000

const rotate = Command.make(
  "rotate",
  { keyId, expires, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const issued = yield* Effect.flatMap(endOf(options.expires), (expiresAt) =>
      KeyUseCases.rotate(options.keyId, expiresAt),
    ).pipe(
      Effect.catchTag("InvalidApiKey", ({ reason }) =>
        Effect.fail(
          Failure.make(
            `the key is ${reason} already, and only a valid key can be rotated: create another with \`florin keys create --partner <partnerId> --mode test\``,
          ),
        ),
      ),
      Access.inStorage(options, "florin keys rotate"),
    )
    show(issued, options.json, yield* Clock.currentTimeMillis)
    Terminal.aside(`${options.keyId} is valid for ${graceInHours} more hours.`)
  }),
).pipe(
  Command.withDescription(
    `Create a key that replaces another one, with the same owner, mode and permissions. Only the new key goes to standard output, once. The old key stays valid for ${graceInHours} hours, so that you can deploy the new one.`,
  ),
  Command.withShortDescription("Replace a key; the old one stays valid for a day"),
)

const revoke = Command.make(
  "revoke",
  { keyId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const revoked = yield* KeyUseCases.revoke(options.keyId).pipe(
      Access.inStorage(options, "florin keys revoke"),
    )
    if (options.json) return Terminal.json(asJson(revoked, yield* Clock.currentTimeMillis))
    Terminal.writeSuccess(`${revoked.id} is revoked.`)
    const seconds = Limits.keyRememberedInMs / 1000
    Terminal.aside(`Running servers may accept it for up to ${seconds} more seconds.`)
  }),
).pipe(
  Command.withDescription(
    "Revoke a key immediately, together with the keys that it created over HTTP. Revoking a key again changes nothing.",
  ),
  Command.withShortDescription("Revoke a key"),
)

export const command = Command.make("keys").pipe(
  Command.withDescription(
    "Create, list, change, rotate and revoke API keys of partners, wallets and operators.",
  ),
  Command.withSubcommands([create, list, change, rotate, revoke]),
)
