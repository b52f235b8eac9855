/**
 * Partners, and the merchants they own.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Base62 from "../ground/Base62.ts"
import * as Conflict from "../ground/Conflict.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import * as Mode from "../ground/Mode.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as Version from "../ground/Version.ts"
import * as WebUrl from "../ground/WebUrl.ts"
import * as Credit from "../money/Credit.ts"
import * as Fees from "../money/Fees.ts"
import * as BrandColor from "./BrandColor.ts"
import * as CheckoutOrigin from "./CheckoutOrigin.ts"
import * as PartnerLimits from "./PartnerLimits.ts"
import * as PayoutPolicy from "./PayoutPolicy.ts"

/** A partner serves both test and live: its keys and its merchants have a mode, the partner has none. */
export interface Partner extends Schema.Schema.Type<typeof Partner> {}
export const Partner = Schema.Struct({
  id: PartnerId.PartnerId,
  name: Schema.String,
  versionPin: Version.Version,
  feeTerms: Fees.FeeTerms,
  /** When its merchants are paid out; absent if the service's default applies. */
  payouts: Schema.optionalKey(PayoutPolicy.PayoutPolicy),
  /** What the operator lends it for refunds; absent if the service's default applies. */
  credit: Schema.optionalKey(Credit.Granted),
  /** The limits of its payouts and refunds; absent if there are none. */
  limits: Schema.optionalKey(PartnerLimits.ByMode),
  /** Since when none of its merchants takes new payments. */
  suspendedAt: Schema.optionalKey(Schema.Int),
  /** Since when nothing is paid out to its merchants, refunded or returned. */
  frozenAt: Schema.optionalKey(Schema.Int),
  /** Whether a second person must approve what changes where its money goes, and who may call. */
  secondPerson: Schema.optionalKey(Schema.Boolean),
  /** The keys by which its name is compared; absent until it is first compared. */
  likenesses: Schema.optionalKey(Schema.Array(Schema.String)),
})

/** What payers see of a merchant, and could mistake for another's. */
export interface Look extends Schema.Schema.Type<typeof Look> {}
export const Look = Schema.Struct({
  name: Schema.String,
  iconUrl: Schema.NullOr(Schema.String),
  supportEmail: Schema.optionalKey(Schema.String),
  supportUrl: Schema.optionalKey(Schema.String),
})

/**
 * What the operator must approve before payers see it: nothing, names that look like another partner's, or everything.
 */
export type Approval = typeof Approval.Type
export const Approval = Schema.Literals(["never", "alike", "always"])

/** What the operator must review before payers see it. */
export interface Waiting extends Schema.Schema.Type<typeof Waiting> {}
export const Waiting = Schema.Struct({
  since: Schema.Int,
  /** Whether the name looked like one of another partner when it was given. */
  isAlike: Schema.Boolean,
  /** What payers see meanwhile; null for a merchant that was never approved. */
  approved: Schema.NullOr(Look),
})

/** Only an active merchant takes payments. Partners see the status; the operator sets it. */
export type Status = typeof Status.Type
export const Status = Schema.Literals(["active", "inactive", "suspended"])

export interface Merchant extends Schema.Schema.Type<typeof Merchant> {}
export const Merchant = Schema.Struct({
  id: MerchantId.MerchantId,
  partnerId: PartnerId.PartnerId,
  mode: Mode.Mode,
  name: Schema.String,
  email: Schema.String,
  iconUrl: Schema.NullOr(Schema.String),
  /** Where payers get help. */
  supportEmail: Schema.optionalKey(Schema.String),
  supportUrl: Schema.optionalKey(Schema.String),
  /** `#rrggbb`, in lower case. */
  brandColor: Schema.optionalKey(Schema.String),
  /** The origins whose pages may show its checkout in a frame. */
  checkoutOrigins: Schema.optionalKey(Schema.Array(Schema.String)),
  status: Status,
  createdAt: Schema.Int,
  /** Once set, the merchant is hidden and takes no new payments; its existing payments stay and settle. */
  deletedAt: Schema.NullOr(Schema.Int),
  /** When it is paid out; absent if its partner's policy applies. */
  payouts: Schema.optionalKey(PayoutPolicy.PayoutPolicy),
  /** The fees of its payments; absent if its partner's fees apply. */
  feeTerms: Schema.optionalKey(Fees.FeeTerms),
  /** Since when nothing is paid out to it, refunded or returned. */
  frozenAt: Schema.optionalKey(Schema.Int),
  /** The keys by which the name of a live merchant is compared; absent until it is first compared. */
  likenesses: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Present if the name, icon or support contact of a live merchant waits for the operator. */
  waiting: Schema.optionalKey(Waiting),
})

// Both cases are spelled out: with the flag `i`, the Kelvin sign would match k.
const emailPattern =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/u
const emailLocalMaxLength = 64

const nameIssues = (name: string) =>
  Invalid.textIssues("merchantName", name, Limits.merchantNameMaxLength)

const emailIssues = (field: string, email: string | null): ReadonlyArray<Invalid.Issue> => {
  if (email === null) return []
  if (email.length > Limits.merchantEmailMaxLength) {
    return [Invalid.issue(field, `must have at most ${Limits.merchantEmailMaxLength} characters`)]
  }
  return Invalid.unless(
    emailPattern.test(email) && email.indexOf("@") <= emailLocalMaxLength,
    field,
    "must be an email address, such as shop@example.com",
  )
}

const colorIssues = (color: string | null): ReadonlyArray<Invalid.Issue> =>
  Invalid.unless(
    color === null || BrandColor.parse(color) !== undefined,
    "brandColor",
    "must be a color, such as #1f6feb",
  )

const originsIssues = (
  origins: ReadonlyArray<string>,
  mode: Mode.Mode,
): ReadonlyArray<Invalid.Issue> =>
  origins.length > Limits.checkoutOriginsMax
    ? [Invalid.issue("checkoutOrigins", `must have at most ${Limits.checkoutOriginsMax} origins`)]
    : origins.flatMap((origin, index) =>
        Invalid.issueOf(`checkoutOrigins[${index}]`, CheckoutOrigin.parse(origin, mode)),
      )

/** Checks a partner's name and pin, as far as they are given. */
export const checkPartner = ({
  name,
  versionPin,
}: {
  readonly name?: string
  readonly versionPin?: Version.Version
}): Result.Result<void, Invalid.InvalidInput> =>
  Invalid.check([
    ...(name === undefined ? [] : Invalid.textIssues("name", name, Limits.merchantNameMaxLength)),
    ...(versionPin === undefined ? [] : Version.pinIssues("versionPin", versionPin)),
  ])

/** 178 bits of a hash: no two keys share an id. */
const keyedIdLength = 30

/**
 * The id of the partner that an embedder identifies by a key of its own. It is the same in every process and at every start, so
 * two that start at the same time mean one partner.
 */
export const partnerIdOfKey = (
  key: string,
): Result.Result<PartnerId.PartnerId, Invalid.InvalidInput> =>
  Result.map(Invalid.check(Invalid.textIssues("key", key, Limits.merchantNameMaxLength)), () => {
    const hash = sha256(utf8ToBytes(`florin/partner/1\n${key}`))
    return PartnerId.PartnerId.make(`prtn_${Base62.ofBytes(hash, keyedIdLength)}`)
  })

/** A new partner, pinned to the newest stable version by default. */
export const createPartner = (input: {
  readonly id: PartnerId.PartnerId
  readonly name: string
  readonly feeTerms: Fees.FeeTerms
  readonly versionPin?: Version.Version
  readonly payouts?: PayoutPolicy.PayoutPolicy
  readonly credit?: Credit.Granted
  readonly limits?: PartnerLimits.ByMode
}): Result.Result<Partner, Invalid.InvalidInput> =>
  Result.map(checkPartner(input), () => ({ versionPin: Version.newestStable, ...input }))

/** The fields of a change. An absent field stays, and null unsets it. */
export interface Patch {
  readonly name?: string
  readonly email?: string
  readonly iconUrl?: string | null
  readonly brandColor?: string | null
  readonly supportEmail?: string | null
  readonly supportUrl?: string | null
  readonly checkoutOrigins?: ReadonlyArray<string> | null
}

/** The fields of a new merchant. */
export interface Draft extends Patch {
  readonly name: string
  readonly email: string
}

const issuesOf = (patch: Patch, mode: Mode.Mode): ReadonlyArray<Invalid.Issue> => {
  const { brandColor = null, checkoutOrigins, email, name } = patch
  return [
    ...(name === undefined ? [] : nameIssues(name)),
    ...(email === undefined ? [] : emailIssues("merchantEmail", email)),
    ...WebUrl.httpsIssues("iconUrl", patch.iconUrl ?? null),
    ...colorIssues(brandColor),
    ...emailIssues("supportEmail", patch.supportEmail ?? null),
    ...WebUrl.httpsIssues("supportUrl", patch.supportUrl ?? null),
    ...originsIssues(checkoutOrigins ?? [], mode),
  ]
}

/** Checks a change, no matter which merchant of the mode it is for. */
export const checkPatch = (
  patch: Patch,
  mode: Mode.Mode,
): Result.Result<void, Invalid.InvalidInput> =>
  Invalid.check(
    Object.values(patch).every((value) => value === undefined)
      ? [
          Invalid.issue(
            "body",
            "must hold at least one of merchantName, merchantEmail, iconUrl, brandColor, supportEmail, supportUrl and checkoutOrigins",
          ),
        ]
      : issuesOf(patch, mode),
  )

/** The value of an optional field after a change. */
const valueAfter = <A>(asked: A | null | undefined, before: A | undefined): A | undefined =>
  asked === undefined ? before : (asked ?? undefined)

/** A merchant after a valid change. */
const changed = (merchant: Merchant, patch: Patch): Merchant => {
  const { brandColor, checkoutOrigins, supportEmail, supportUrl, ...others } = merchant
  const color = valueAfter(patch.brandColor, brandColor)?.toLowerCase()
  const email = valueAfter(patch.supportEmail, supportEmail)
  const url = valueAfter(patch.supportUrl, supportUrl)
  const origins = new Set(
    valueAfter(patch.checkoutOrigins, checkoutOrigins)?.map((each) =>
      Result.getOrElse(CheckoutOrigin.parse(each, merchant.mode), () => each),
    ),
  )
  return {
    ...others,
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.email !== undefined && { email: patch.email }),
    ...(patch.iconUrl !== undefined && { iconUrl: patch.iconUrl }),
    ...(email !== undefined && { supportEmail: email }),
    ...(url !== undefined && { supportUrl: url }),
    ...(color !== undefined && { brandColor: color }),
    ...(origins.size > 0 && { checkoutOrigins: [...origins] }),
  }
}

export const create = (
  input: Draft,
  {
    now,
    ...owner
  }: {
    readonly id: MerchantId.MerchantId
    readonly partnerId: PartnerId.PartnerId
    readonly mode: Mode.Mode
    readonly now: number
  },
): Result.Result<Merchant, Invalid.InvalidInput> =>
  Result.map(checkPatch(input, owner.mode), () =>
    changed(
      {
        ...owner,
        name: input.name,
        email: input.email,
        iconUrl: null,
        status: "active",
        createdAt: now,
        deletedAt: null,
      },
      input,
    ),
  )

export const update = (
  merchant: Merchant,
  patch: Patch,
): Result.Result<Merchant, Invalid.InvalidInput> =>
  Result.map(checkPatch(patch, merchant.mode), () => changed(merchant, patch))

const sameLook = (one: Look, other: Look): boolean =>
  one.name === other.name &&
  one.iconUrl === other.iconUrl &&
  one.supportEmail === other.supportEmail &&
  one.supportUrl === other.supportUrl

/** What payers see of a merchant: what the operator last approved, if a change waits. */
export const lookOf = ({ iconUrl, name, supportEmail, supportUrl, waiting }: Merchant): Look =>
  waiting?.approved ?? {
    name,
    iconUrl,
    ...(supportEmail !== undefined && { supportEmail }),
    ...(supportUrl !== undefined && { supportUrl }),
  }

/** What the pages of a merchant's payments show and obey. */
export interface Face extends Look, Pick<Merchant, "brandColor" | "checkoutOrigins"> {}

export const faceOf = (merchant: Merchant): Face => {
  const { brandColor, checkoutOrigins } = merchant
  return {
    ...lookOf(merchant),
    ...(brandColor !== undefined && { brandColor }),
    ...(checkoutOrigins !== undefined && { checkoutOrigins }),
  }
}

/** The result of comparing a new name. */
export interface Compared {
  readonly likenesses: ReadonlyArray<string>
  /** Whether it looks like a name of another partner. */
  readonly isAlike: boolean
}

/**
 * A live merchant after a change, with the parts that wait for the operator, as far as the operator requires approval.
 * Test merchants never wait. `compared` is null if no name was given.
 */
export const review = (
  before: Merchant | null,
  after: Merchant,
  compared: Compared | null,
  { approval, now }: { readonly approval: Approval; readonly now: number },
): Merchant => {
  if (after.mode === "test") return after
  const { waiting, ...others } = after
  const merchant = compared === null ? others : { ...others, likenesses: compared.likenesses }
  const approved = before === null || before.waiting?.approved === null ? null : lookOf(before)
  if (approved !== null && sameLook(approved, after)) return merchant
  const isAlike = approved?.name !== after.name && (compared?.isAlike ?? waiting?.isAlike ?? false)
  return approval === "always" || (approval === "alike" && isAlike)
    ? { ...merchant, waiting: { since: waiting?.since ?? now, isAlike, approved } }
    : merchant
}

/** The operator approves the look that they saw; payers see it from then on. */
export const approve = (
  merchant: Merchant,
  seen: Look,
): Result.Result<Merchant, Conflict.Conflict> => {
  if (!sameLook(merchant, seen)) {
    return Result.fail(
      Conflict.of(
        "the merchant changed its name, icon or support contact meanwhile: look at it again",
      ),
    )
  }
  return Result.succeed(Struct.omit(merchant, ["waiting"]))
}

/**
 * The operator names the merchant, which approves the name. An icon or support contact that waits continues to wait, and
 * payers see the approved one. `likenesses` is null for a test merchant.
 */
export const rename = (
  merchant: Merchant,
  name: string,
  likenesses: ReadonlyArray<string> | null,
): Merchant => {
  const { waiting, ...others } = merchant
  const named = { ...others, name, ...(likenesses !== null && { likenesses }) }
  const approved = { iconUrl: null, ...waiting?.approved, name }
  return waiting === undefined || sameLook(approved, named)
    ? named
    : { ...named, waiting: { ...waiting, isAlike: false, approved } }
}

/**
 * Whether the operator must approve the merchant before it takes another payment. If only an icon, a support contact or
 * an unsuspicious name waits, the merchant continues under the approved one.
 */
export const mustBeApproved = ({ waiting }: Merchant): boolean =>
  waiting !== undefined && (waiting.isAlike || waiting.approved === null)

/** Deletes softly. Deleting again changes nothing. */
export const remove = (merchant: Merchant, now: number): Merchant =>
  merchant.deletedAt === null ? { ...merchant, deletedAt: now } : merchant

/** The fees of a merchant's payments: its own terms, or else its partner's. */
export const feesOf = (
  { feeTerms }: Pick<Merchant, "feeTerms">,
  partner: Pick<Partner, "feeTerms">,
): Fees.FeeTerms => feeTerms ?? partner.feeTerms

/** A merchant with terms of its own; with null its partner's apply. */
export const setFees = (merchant: Merchant, terms: Fees.FeeTerms | null): Merchant =>
  terms === null ? Struct.omit(merchant, ["feeTerms"]) : { ...merchant, feeTerms: terms }

export const setStatus = (merchant: Merchant, status: Status): Merchant => ({ ...merchant, status })

/** The reversible measures of an operator against a merchant or a partner that is not trusted. */
export const measures = ["suspend", "resume", "freeze", "unfreeze"] as const
export type Measure = (typeof measures)[number]

/**
 * A suspended merchant takes no new payments; a frozen one receives no payouts, and its refunds and returns stop. An
 * inactive merchant takes no payments anyway, and stays inactive: resuming must not open what was closed for another
 * reason.
 */
export const take = (merchant: Merchant, measure: Measure, now: number): Merchant => {
  switch (measure) {
    case "suspend":
      return merchant.status === "active" ? setStatus(merchant, "suspended") : merchant
    case "resume":
      return merchant.status === "suspended" ? setStatus(merchant, "active") : merchant
    case "freeze":
      return merchant.frozenAt === undefined ? { ...merchant, frozenAt: now } : merchant
    case "unfreeze":
      return Struct.omit(merchant, ["frozenAt"])
  }
}

/** Takes the measure for all merchants of a partner. */
export const takeOfPartner = (partner: Partner, measure: Measure, now: number): Partner => {
  switch (measure) {
    case "suspend":
      return partner.suspendedAt === undefined ? { ...partner, suspendedAt: now } : partner
    case "resume":
      return Struct.omit(partner, ["suspendedAt"])
    case "freeze":
      return partner.frozenAt === undefined ? { ...partner, frozenAt: now } : partner
    case "unfreeze":
      return Struct.omit(partner, ["frozenAt"])
  }
}

/** The merchant with a payout policy of its own, or with its partner's. */
export const setPayouts = (
  merchant: Merchant,
  policy: PayoutPolicy.PayoutPolicy | null,
): Merchant =>
  policy === null ? Struct.omit(merchant, ["payouts"]) : { ...merchant, payouts: policy }

/** When a merchant is paid out: by its own policy, its partner's, or the service's, the first that exists. */
export const payoutsOf = (
  merchant: Merchant,
  partner: Partner,
  defaults: PayoutPolicy.ByMode,
): PayoutPolicy.PayoutPolicy => merchant.payouts ?? partner.payouts ?? defaults[merchant.mode]

/** What a partner's merchants may owe in a mode: by what it was granted, or by the service's default. */
export const creditOf = (
  partner: Partner,
  mode: Mode.Mode,
  defaults: Credit.ByMode,
): Credit.Credit => partner.credit?.[mode] ?? defaults[mode]

export const limitsOf = (partner: Partner, mode: Mode.Mode): PartnerLimits.PartnerLimits =>
  partner.limits?.[mode] ?? PartnerLimits.none

export const takesPayments = (merchant: Merchant): boolean =>
  merchant.status === "active" && merchant.deletedAt === null

/** Whether the name or id contains the text, ignoring case. No character of the text is special. */
export const matchesSearch = (merchant: Merchant, search: string): boolean => {
  const text = search.toLowerCase()
  return merchant.name.toLowerCase().includes(text) || merchant.id.toLowerCase().includes(text)
}

export interface Filter {
  readonly status?: Status
  readonly search?: string
}

/** Whether a list shows the merchant: it is not deleted and passes every filter. */
export const isListed = (merchant: Merchant, filter: Filter): boolean =>
  merchant.deletedAt === null &&
  (filter.status === undefined || merchant.status === filter.status) &&
  (filter.search === undefined || matchesSearch(merchant, filter.search))

/** The order of lists: newest first, and the greater id first if two are equally old. */
export const newestFirst = (
  left: { readonly createdAt: number; readonly id: string },
  right: { readonly createdAt: number; readonly id: string },
): number => right.createdAt - left.createdAt || Order.String(right.id, left.id)
