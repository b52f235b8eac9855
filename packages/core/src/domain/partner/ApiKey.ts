/**
 * API keys: they identify the caller and its mode, and have a lifetime. Only a hash of a key is stored; the key itself
 * is shown once.
 *
 * A key is `flr_<mode>_<kind>_`, or `flr_op_` for an operator, and 38 base62 characters: 32 random ones (190 bits) and a
 * checksum of 6, so that a mistyped key is refused without a look-up.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Base62 from "../ground/Base62.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as Mode from "../ground/Mode.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as Version from "../ground/Version.ts"
import * as WebUrl from "../ground/WebUrl.ts"
import * as AddressBlock from "./AddressBlock.ts"
import * as Approval from "./Approval.ts"
import * as Passkey from "./Passkey.ts"

export type ApiKeyId = Brand.Branded<string, "ApiKeyId">
export const ApiKeyId = Schema.String.check(Schema.isPattern(/^key_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("ApiKeyId", Brand.nominal<ApiKeyId>()),
)

/** SHA-256 of a key, as hex. A key has too much entropy to be guessed back from it. */
export type KeyHash = Brand.Branded<string, "KeyHash">
const keyHash = Brand.nominal<KeyHash>()
export const KeyHash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).pipe(
  Schema.fromBrand("KeyHash", keyHash),
)

/**
 * Partner keys (`pk`) reach a partner's own payments; wallet keys (`wk`) every payment of their mode; an operator's keys
 * (`op`) the operator's API, in both modes.
 */
export type Kind = "partner" | "wallet" | "operator"

/**
 * What a key may do:
 *
 * - `read`: read and list.
 * - `pay`: create, pay and cancel payments.
 * - `refund`: refund payments.
 * - `manage`: change merchants and their settlement destinations.
 * - `webhooks`: manage webhook endpoints.
 * - `keys`: make, replace and revoke keys.
 */
export type PartnerScope = typeof PartnerScope.Type
export const PartnerScope = Schema.Literals(["read", "pay", "refund", "manage", "webhooks", "keys"])

/**
 * What an operator's key may do:
 *
 * - `read`: read and list.
 * - `support`: retry, resend, return, suspend and freeze.
 * - `treasury`: move the operator's own money.
 * - `admin`: change partners, their fees and limits, and all keys.
 */
export type OperatorScope = typeof OperatorScope.Type
export const OperatorScope = Schema.Literals(["read", "support", "treasury", "admin"])

export type Scope = typeof Scope.Type
export const Scope = Schema.Literals([
  ...new Set([...PartnerScope.literals, ...OperatorScope.literals]),
])

/**
 * Whether a key has a scope by default. `keys` must be named, because keys without named scopes could otherwise make
 * more keys without end.
 */
const isUsual = (scope: Scope): boolean => scope !== "keys"

/** The sides of the interface. The operator's is served on a port of its own. */
export type Face = "gateway" | "partner" | "operator"

/** The letters of a kind in the text of a key, the sides that it may call, and all scopes that its keys may have. */
const kinds: {
  readonly [K in Kind]: {
    readonly code: string
    readonly calls: ReadonlyArray<Face>
    readonly scopes: ReadonlyArray<Scope>
  }
} = {
  partner: { code: "pk", calls: ["gateway", "partner"], scopes: PartnerScope.literals },
  wallet: { code: "wk", calls: ["gateway"], scopes: ["read", "pay"] },
  operator: { code: "op", calls: ["operator"], scopes: OperatorScope.literals },
}

/** The shapes of requests and responses: those of the interface, or those of wallets in the field. */
export type Profile = typeof Profile.Type
export const Profile = Schema.Literals(["interface", "field"])

/** The owner of a key. A wallet has no account of its own: its key names it, and pins its version. */
export type Owner = typeof Owner.Type
export const Owner = Schema.TaggedUnion({
  Partner: { partnerId: PartnerId.PartnerId },
  Wallet: {
    name: Schema.String,
    iconUrl: Schema.NullOr(Schema.String),
    versionPin: Version.Version,
    /** The shapes of its responses; absent if the header of its version decides. */
    profile: Schema.optionalKey(Profile),
  },
  /** A person or a system of the operator, by the name that the audit log records. */
  Operator: { name: Schema.String },
})

/**
 * What a key is for, if it is not for programs: `sign_in` starts one session of the console and does nothing else,
 * `session` is that session, which counts only in the cookie of a browser, and `passkey` starts sessions whenever its
 * person uses it. The hash of a passkey is that of its credential's id, and no text is a passkey's key. Nor is one an
 * `approval`'s, with which a second person lets one request pass once.
 */
export type Use = typeof Use.Type
export const Use = Schema.Literals(["sign_in", "session", "passkey", "approval"])

export interface ApiKey extends Schema.Schema.Type<typeof ApiKey> {}
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  hash: KeyHash,
  /** The beginning of the key, to recognise it by. */
  hint: Schema.String,
  /** Null for an operator's key, which is for both modes. */
  mode: Schema.NullOr(Mode.Mode),
  owner: Owner,
  /** What the key is for, in its owner's words. */
  name: Schema.String,
  createdAt: Schema.Int,
  lastUsedAt: Schema.NullOr(Schema.Int),
  expiresAt: Schema.NullOr(Schema.Int),
  revokedAt: Schema.NullOr(Schema.Int),
  /**
   * The successor of this key, the time until which this one is still valid, and the key that requested the rotation,
   * if one did.
   */
  rotation: Schema.NullOr(
    Schema.Struct({ to: ApiKeyId, graceEndsAt: Schema.Int, by: Schema.optionalKey(ApiKeyId) }),
  ),
  /** The keys that it ends with: the one that made it, and that key's own makers. */
  madeBy: Schema.optionalKey(Schema.Array(ApiKeyId)),
  /** The scopes of the key; absent if it may do everything that its kind may. */
  scopes: Schema.optionalKey(Schema.Array(Scope)),
  /** The address blocks from which it may be used; absent if it may be used from anywhere. */
  from: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Absent for a key that a program sends. */
  use: Schema.optionalKey(Use),
  /**
   * The latest end of the keys that a person makes in the console: that of the key that let the person in. It is not that
   * of the session, as keys for programs outlive it.
   */
  makesUntil: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  /** Whose session, passkey or request it is: the sign-in key that let the person in first. */
  person: Schema.optionalKey(ApiKeyId),
  /** Until when a session may move money without using a passkey again. */
  freshUntil: Schema.optionalKey(Schema.Int),
  /** When the newest challenge was made that a passkey answered, or to which a session added a passkey. */
  challengedAt: Schema.optionalKey(Schema.Int),
  passkey: Schema.optionalKey(Passkey.Passkey),
  approval: Schema.optionalKey(Approval.Approval),
})

/** An invalid key. The reason is only logged: the caller does not see it. */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>()("InvalidApiKey", {
  reason: Schema.Literals(["malformed", "unknown", "expired", "revoked", "rotated"]),
  message: Schema.String,
  /** A person's link, session or passkey that was used wrongly or after its end, for the audit log. */
  ofPerson: Schema.optionalKey(ApiKey),
}) {}

/** A header with characters outside ASCII. */
export class HeaderNotAscii extends Schema.TaggedError<HeaderNotAscii>()("HeaderNotAscii", {
  message: Schema.String,
}) {}

/** Too few random bytes for a key. */
export class TooLittleRandomness extends Schema.TaggedError<TooLittleRandomness>()(
  "TooLittleRandomness",
  { message: Schema.String },
) {}

const randomLength = 32
const checksumLength = 6
export const hintLength = 4
/** 256 bits for 190: taking the remainder favours no key by more than 2^-65. */
export const randomBytesMin = 32

const pattern = /^(flr_(?:(live|test)_(pk|wk)|op)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/u
const asciiPattern = /^[\0-\x7f]*$/u

export const invalid = (reason: InvalidApiKey["reason"], ofPerson?: ApiKey): InvalidApiKey =>
  new InvalidApiKey({
    reason,
    message: "the Api-Key is unknown, expired or revoked: use a current one",
    ...(ofPerson !== undefined && { ofPerson }),
  })

const checksum = (body: string): string =>
  Base62.ofBytes(sha256(utf8ToBytes(`florin/key/1\n${body}`)).subarray(0, 8), checksumLength)

/** Makes the text of a key from at least {@link randomBytesMin} random bytes. */
export const make = (
  mode: Mode.Mode | null,
  kind: Kind,
  random: Uint8Array,
): Result.Result<string, TooLittleRandomness> => {
  if (random.length < randomBytesMin) {
    return Result.fail(
      new TooLittleRandomness({ message: `a key needs at least ${randomBytesMin} random bytes` }),
    )
  }
  const prefix = mode === null ? "flr" : `flr_${mode}`
  const body = `${prefix}_${kinds[kind].code}_${Base62.ofBytes(random, randomLength)}`
  return Result.succeed(body + checksum(body))
}

export const hash = (text: string): KeyHash => keyHash(bytesToHex(sha256(utf8ToBytes(text))))

/** The part of a key that may be shown: `flr_live_pk_abcd…`. */
export const hint = (text: string): string =>
  `${text.slice(0, hintLength - randomLength - checksumLength)}…`

/** The parts of a key's text, before its hash is looked up. */
export interface Parsed {
  readonly mode: Mode.Mode | null
  readonly kind: Kind
  readonly hash: KeyHash
}

export const parse = (text: string): Result.Result<Parsed, InvalidApiKey | HeaderNotAscii> => {
  if (!asciiPattern.test(text)) {
    return Result.fail(
      new HeaderNotAscii({
        message: "the Api-Key header has characters outside ASCII: copy it again",
      }),
    )
  }
  const [, body, mode, code, sum] = pattern.exec(text) ?? []
  if (body === undefined || sum !== checksum(body)) return Result.fail(invalid("malformed"))
  return Result.succeed(
    code === undefined
      ? { mode: null, kind: "operator", hash: hash(text) }
      : {
          mode: mode === "live" ? "live" : "test",
          kind: code === "pk" ? "partner" : "wallet",
          hash: hash(text),
        },
  )
}

const kindsByTag = { Partner: "partner", Wallet: "wallet", Operator: "operator" } as const

export const kindOf = ({ _tag }: Pick<Owner, "_tag">): Kind => kindsByTag[_tag]

/** The partner that has a key; null if a wallet or an operator has it. */
export const partnerIdOf = ({ owner }: Pick<ApiKey, "owner">): PartnerId.PartnerId | null =>
  owner._tag === "Partner" ? owner.partnerId : null

export const mayCall = (kind: Kind, face: Face): boolean => kinds[kind].calls.includes(face)

export const scopesOf = ({ owner, scopes }: Pick<ApiKey, "owner" | "scopes">) =>
  scopes ?? kinds[kindOf(owner)].scopes.filter(isUsual)

/** Whether a key may be used from a caller's address; null means that the address is unknown. */
export const mayCallFrom = ({ from }: Pick<ApiKey, "from">, address: string | null): boolean =>
  from === undefined ||
  (address !== null && from.some((each) => AddressBlock.covers(each, address)))

/** A new key: the record to store, and the text to show once. */
export interface Issued {
  readonly record: ApiKey
  readonly text: string
}

/** The inputs for a new key. */
export interface Fresh {
  readonly id: ApiKeyId
  readonly random: Uint8Array
  /** Epoch milliseconds, or null for a key that does not expire. */
  readonly expiresAt: number | null
}

const ownerIssues = (owner: Owner): ReadonlyArray<Invalid.Issue> => {
  if (owner._tag === "Partner") return []
  const named = Invalid.textIssues("owner.name", owner.name, Limits.merchantNameMaxLength)
  if (owner._tag === "Operator") return named
  return [
    ...named,
    ...WebUrl.httpsIssues("owner.iconUrl", owner.iconUrl),
    ...Version.pinIssues("owner.versionPin", owner.versionPin),
  ]
}

const scopeIssues = (
  owner: Owner,
  scopes: ReadonlyArray<Scope> | undefined,
): ReadonlyArray<Invalid.Issue> => {
  const most = kinds[kindOf(owner)].scopes
  const rule = `must be some of ${most.join(", ")}`
  // An operator's keys differ too much in what they may do to have a default.
  return scopes === undefined
    ? Invalid.unless(owner._tag !== "Operator", "scopes", `${rule}: name those that it needs`)
    : Invalid.unless(
        scopes.length > 0 && scopes.every((each) => most.includes(each)),
        "scopes",
        rule,
      )
}

const fromIssues = (from: ReadonlyArray<string> | undefined): ReadonlyArray<Invalid.Issue> => {
  if (from === undefined) return []
  return from.length < 1 || from.length > Limits.keyAddressBlocksMax
    ? [Invalid.issue("from", `must have 1 to ${Limits.keyAddressBlocksMax} entries`)]
    : from.flatMap((each, index) =>
        Invalid.unless(
          AddressBlock.isBlock(each),
          `from[${index}]`,
          `must be ${AddressBlock.expected}`,
        ),
      )
}

/** The limits of a key. */
export interface Restriction {
  /** The scopes (default: all of the kind except `keys`). */
  readonly scopes?: ReadonlyArray<Scope>
  /** The address blocks from which it may be used, such as `203.0.113.0/24` (default: anywhere). */
  readonly from?: ReadonlyArray<string>
  /** What it is for, if not for a program. */
  readonly use?: Use
}

const useIssues = (
  { expiresAt, owner, scopes = [], use }: Pick<ApiKey, "expiresAt" | "owner" | "scopes" | "use">,
  now: number,
): ReadonlyArray<Invalid.Issue> => {
  if (use === undefined) return []
  const most = {
    sign_in: Limits.signInMaxInMs,
    session: Limits.sessionMaxInMs,
    passkey: 0,
    approval: 0,
  }[use]
  const isWallet = owner._tag === "Wallet"
  const isShort = expiresAt !== null && expiresAt <= now + most
  return [
    ...Invalid.unless(!isWallet, "use", "must be absent: a wallet has no console"),
    ...Invalid.unless(
      isWallet || scopes.includes("read"),
      "scopes",
      "must include read: the console shows what it reads",
    ),
    ...Invalid.unless(isShort, "validUntil", `must be within ${most / 3_600_000} hours`),
  ]
}

/** What every key has that nobody used yet. */
export const unused = (now: number) => ({
  createdAt: now,
  lastUsedAt: null,
  revokedAt: null,
  rotation: null,
})

export const issue = (
  input: Fresh &
    Restriction & {
      readonly mode: Mode.Mode | null
      readonly owner: Owner
      readonly name: string
      readonly madeBy?: ReadonlyArray<ApiKeyId>
      readonly makesUntil?: number | null
    },
  now: number,
) =>
  Result.gen(function* () {
    const { expiresAt: end, from, makesUntil = null, mode, name, owner, scopes, use } = input
    const expiresAt = use === "sign_in" && end === null ? now + Limits.signInUsualInMs : end
    yield* Invalid.check([
      ...Invalid.textIssues("name", name, Limits.merchantNameMaxLength),
      ...ownerIssues(owner),
      ...Invalid.unless(
        (mode === null) === (owner._tag === "Operator"),
        "mode",
        "must be live or test; an operator's key has no mode",
      ),
      ...scopeIssues(owner, scopes),
      ...fromIssues(from),
      ...Invalid.unless(
        expiresAt === null || expiresAt > now,
        "expiresAt",
        "must be in the future",
      ),
      ...useIssues({ ...input, expiresAt }, now),
    ])
    const text = yield* make(mode, kindOf(owner), input.random)
    const record: ApiKey = {
      ...Struct.pick(input, ["from", "id", "madeBy", "mode", "name", "owner", "scopes", "use"]),
      ...unused(now),
      hash: hash(text),
      hint: hint(text),
      expiresAt,
      ...(use !== undefined && { makesUntil }),
    }
    const issued: Issued = { record, text }
    return issued
  })

/** What merchants see of a wallet. Undefined members are left out. */
export interface Shown {
  readonly name?: string | undefined
  readonly iconUrl?: string | null | undefined
}

/** Changes what merchants see of the wallet that holds a key. The key and its text stay. */
export const changeWallet = (
  key: ApiKey,
  { iconUrl, name }: Shown,
): Result.Result<ApiKey, Invalid.InvalidInput> => {
  if (key.owner._tag !== "Wallet") {
    return Invalid.fail("keyId", "must be a wallet's key: merchants are shown nothing of others")
  }
  const owner: Owner = {
    ...key.owner,
    ...(name !== undefined && { name }),
    ...(iconUrl !== undefined && { iconUrl }),
  }
  return Result.map(Invalid.check(ownerIssues(owner)), () => ({ ...key, owner }))
}

const endedWhy = (record: ApiKey, now: number): InvalidApiKey["reason"] | null => {
  if (record.revokedAt !== null) return "revoked"
  if (record.expiresAt !== null && now >= record.expiresAt) return "expired"
  return record.rotation !== null && now >= record.rotation.graceEndsAt ? "rotated" : null
}

/** Whether a key is valid now. */
export const check = (record: ApiKey, now: number): Result.Result<void, InvalidApiKey> => {
  const reason = endedWhy(record, now)
  return reason === null
    ? Result.void
    : Result.fail(invalid(reason, record.use === undefined ? undefined : record))
}

/** A key cannot make or replace a key that may do more than it may itself. */
export class KeyTooStrong extends Schema.TaggedError<KeyTooStrong>()("KeyTooStrong", {
  message: Schema.String,
}) {}

/** The time until which a key is valid; null if it does not expire. */
export const endOf = ({ expiresAt, rotation }: ApiKey): number | null => {
  const ends = [expiresAt, rotation?.graceEndsAt ?? null].filter((at) => at !== null)
  return ends.length === 0 ? null : Math.min(...ends)
}

/** The latest end of the keys that a key makes; null if they need not end. */
const endOfMade = (key: ApiKey): number | null =>
  key.use === undefined ? endOf(key) : (key.makesUntil ?? null)

export const earlier = (at: number, most: number | null): number =>
  most === null ? at : Math.min(at, most)

export const descent = ({ id, madeBy = [] }: ApiKey): ReadonlyArray<ApiKeyId> => [...madeBy, id]

/** What a key hands down to those that it makes. */
export const handedDown = (maker: ApiKey) => ({
  ...Struct.pick(maker, ["from", "mode", "name", "owner"]),
  scopes: scopesOf(maker),
  madeBy: descent(maker),
})

const isFromWithin = (
  outer: ReadonlyArray<string> | undefined,
  inner: ReadonlyArray<string> | undefined,
): boolean =>
  outer === undefined ||
  (inner !== undefined &&
    inner.every((each) => outer.some((block) => AddressBlock.contains(block, each))))

/** Whether a key may do everything that another one may, from every address from which the other may be used. */
export const isAsStrong = (
  key: ApiKey,
  other: Pick<ApiKey, "owner" | "scopes" | "from">,
): boolean =>
  scopesOf(other).every((each) => scopesOf(key).includes(each)) &&
  isFromWithin(key.from, other.from)

/**
 * Makes a key with another key, for the same owner and mode, and with no more rights than that key. Options that are
 * left out are copied from the maker, except the right to make keys.
 */
export const issueBy = (
  maker: ApiKey,
  {
    expiresAt,
    from = maker.from,
    id,
    name,
    random,
    scopes = scopesOf(maker).filter(isUsual),
    use,
  }: Fresh & Restriction & { readonly name: string },
  now: number,
) =>
  Result.gen(function* () {
    const own = scopesOf(maker)
    const inherited = handedDown(maker)
    const most = endOfMade(maker)
    const end =
      expiresAt ?? (use === undefined ? most : earlier(now + Limits.signInUsualInMs, most))
    yield* check(maker, now)
    yield* Invalid.check([
      ...Invalid.unless(
        scopes.every((each) => own.includes(each)),
        "scopes",
        `must be some of those of this key: ${own.join(", ")}`,
      ),
      ...Invalid.unless(
        isFromWithin(maker.from, from),
        "from",
        "must lie within the blocks that this key may be used from",
      ),
      ...Invalid.unless(
        most === null || (end !== null && end <= most),
        "validUntil",
        "must not be later than the end of this key",
      ),
      ...Invalid.unless(
        inherited.madeBy.length <= Limits.keyGenerationsMax,
        "scopes",
        "this key cannot create keys: use the key that created it",
      ),
    ])
    const made = {
      ...inherited,
      id,
      name,
      random,
      scopes,
      expiresAt: end,
      ...(from !== undefined && { from }),
      ...(use !== undefined && { use, makesUntil: most }),
    }
    return yield* issue(made, now)
  })

/** Whose session or passkey a key is. */
export const personOf = ({ id, person = id }: ApiKey): ApiKeyId => person

/** The name of who uses a key, as other people see it. */
export const nameOf = ({ name, owner }: Pick<ApiKey, "name" | "owner">): string =>
  owner._tag === "Operator" ? owner.name : name

/**
 * Replaces a key on request of another key. The requesting key must have at least the same rights, and must not end
 * earlier than the successor.
 */
export const rotateBy = (
  actor: ApiKey,
  record: ApiKey,
  { expiresAt, ...next }: Fresh,
  now: number,
) =>
  Result.gen(function* () {
    const most = endOfMade(actor)
    const end = expiresAt ?? record.expiresAt
    if (!isAsStrong(actor, record) || (most !== null && (end === null || end > most))) {
      const message = "this key cannot rotate a key that has more permissions or expires later"
      return yield* Result.fail(new KeyTooStrong({ message }))
    }
    yield* check(actor, now)
    return yield* rotate(record, { ...next, expiresAt: end }, now, actor)
  })

/**
 * The valid keys that end with a key: itself, those that it made, those that these made, also if these ended since, and
 * every successor that one of them requested for itself.
 */
export const endingWith = (
  { id }: ApiKey,
  all: ReadonlyArray<ApiKey>,
  now: number,
): ReadonlyArray<ApiKey> => {
  const good = all.filter((each) => Result.isSuccess(check(each, now)))
  const ids = new Set([id])
  for (let size = 0; size < ids.size;) {
    size = ids.size
    for (const each of all) {
      if (each.madeBy?.some((maker) => ids.has(maker)) === true) ids.add(each.id)
    }
    for (const { id: own, rotation } of good) {
      if (rotation !== null && ids.has(own) && rotation.by === own) ids.add(rotation.to)
    }
  }
  return good.filter((each) => ids.has(each.id))
}

/**
 * Gives a key a successor with the same owner, mode, name, scopes and addresses. Both are valid for the grace period.
 * If another key requests it, the successor ends with that key.
 */
export const rotate = (record: ApiKey, next: Fresh, now: number, by?: ApiKey) =>
  Result.gen(function* () {
    yield* check(record, now)
    if (record.use !== undefined) {
      return yield* Invalid.fail(
        "keyId",
        "must be the key of a program: make a new sign-in link instead",
      )
    }
    // With a second successor it would be unclear which of the two is current.
    if (record.rotation !== null) return yield* Result.fail(invalid("rotated"))
    const madeBy = by === undefined || by.id === record.id ? record.madeBy : descent(by)
    const issued = yield* issue(
      {
        ...next,
        ...Struct.pick(record, ["from", "mode", "name", "owner", "scopes"]),
        ...(madeBy !== undefined && { madeBy }),
      },
      now,
    )
    const rotation = {
      to: next.id,
      graceEndsAt: now + Limits.keyRotationGraceInMs,
      ...(by !== undefined && { by: by.id }),
    }
    const previous: ApiKey = { ...record, rotation }
    return { previous, next: issued }
  })

/** Ends a key immediately. Revoking again changes nothing. */
export const revoke = (record: ApiKey, now: number): ApiKey =>
  record.revokedAt === null ? { ...record, revokedAt: now } : record

/** Records that a key was used. Records may arrive out of order. */
export const recordUse = (record: ApiKey, now: number): ApiKey => ({
  ...record,
  lastUsedAt: Math.max(record.lastUsedAt ?? now, now),
})
