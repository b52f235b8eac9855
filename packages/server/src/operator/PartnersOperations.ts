/**
 * Partners over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Partners"
import type * as Wire from "@florin/api/wire/Partner"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as FeeTerms from "@florin/core/domain/money/Fees"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Namesakes from "@florin/core/engine/Namesakes"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Operation from "../Operation.ts"
import * as PartnerView from "../views/PartnerView.ts"
import * as Fees from "./Fees.ts"
import * as Read from "./Read.ts"

const isPartnerId = Schema.is(PartnerId.PartnerId)

type Parsed<A> = Result.Result<A, Invalid.InvalidInput>

const idOf = (call: Operation.OperatorCall) =>
  Read.idInPath(call, "partnerId", isPartnerId, "partner")

/** Reads a text of the request, and names its member in a refusal. Null and undefined stay. */
const member = <A, N extends null | undefined>(
  field: string,
  text: string | N,
  parse: (text: string) => Parsed<A>,
): Parsed<A | N> => {
  if (typeof text !== "string") return Result.succeed(text)
  return Result.mapError(
    parse(text),
    ({ issues: [first] }) =>
      new Invalid.InvalidInput({ issues: [Invalid.issue(field, first.message)] }),
  )
}

const limitsOf = (
  field: string,
  { netsMerchants, ...texts }: Wire.LimitsRequest,
): Parsed<PartnerLimits.Patch> =>
  Result.gen(function* () {
    const patch: PartnerLimits.Patch = named({ netsMerchants })
    for (const name of Struct.keys(PartnerLimits.table)) {
      const { read, removal } = PartnerLimits.table[name]
      const asked = yield* member(`${field}.${name}`, texts[name], read)
      Object.assign(patch, asked === null ? removal : asked)
    }
    return patch
  })

type Named<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

const isNamed = <A extends object>(kept: object): kept is Named<A> =>
  Object.values(kept).every((value) => value !== undefined)

/** Leaves out what is undefined. */
const named = <A extends object>(members: A): Named<A> => {
  const kept = Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  )
  if (!isNamed<A>(kept)) throw new Error("a member is undefined")
  return kept
}

/** Reads a change of a partner, up to its first mistake. */
const changeOf = (
  {
    credit = {},
    fees = {},
    limits = {},
    name,
    payouts,
    secondPerson,
    versionPin,
  }: Wire.ChangeRequest,
  catalog: Catalog.Catalog,
): Parsed<Named<Required<Merchants.PartnerChange>>> =>
  Result.gen(function* () {
    const test = yield* member("credit.test", credit.test, Credit.parse)
    const live = yield* member("credit.live", credit.live, Credit.parse)
    return named({
      name,
      versionPin,
      secondPerson,
      fees: yield* Fees.read(fees, catalog),
      payouts: yield* member("payouts", payouts, PayoutPolicy.parse),
      credit: named({ test, live }),
      limits: named({
        test: limits.test && (yield* limitsOf("limits.test", limits.test)),
        live: limits.live && (yield* limitsOf("limits.live", limits.live)),
      }),
    })
  })

/** A new partner is an empty one that is changed: what null restores is what it begins with. */
const draftOf = Effect.fnUntraced(function* ({ name, ...settings }: Wire.CreateRequest) {
  const { credit, fees, limits, payouts, versionPin } = yield* Effect.fromResult(
    changeOf(settings, yield* Assets),
  )
  const { live, test } = credit ?? {}
  const bounds = (patch: PartnerLimits.Patch | undefined) =>
    patch && PartnerLimits.change(PartnerLimits.none, patch)
  return {
    name,
    feeTerms: FeeTerms.change(FeeTerms.none, fees ?? {}),
    ...named({
      versionPin,
      payouts: payouts ?? undefined,
      credit: credit && named({ test: test ?? undefined, live: live ?? undefined }),
      limits: limits && named({ test: bounds(limits.test), live: bounds(limits.live) }),
    }),
  }
})

const shown = (record: Merchant.Partner) => Operation.ok(PartnerView.partner(record))

const measure = (name: Merchant.Measure) => (call: Operation.OperatorCall) =>
  Effect.flatMap(idOf(call), (id) => Effect.map(Merchants.takeOfPartner(id, name), shown))

export const operations = Operation.operator(Contract.group, {
  create: Effect.fnUntraced(function* (_, body) {
    const created = yield* Keys.createPartner(yield* draftOf(body))
    return { status: 201, body: PartnerView.partner(created) }
  }),

  ensure: Effect.fnUntraced(function* (_, { key, ...body }) {
    return shown(yield* Keys.ensurePartner(key ?? body.name, yield* draftOf(body)))
  }),

  list: Effect.fnUntraced(function* () {
    const partners = yield* (yield* AccountStore).partners(null)
    return Operation.ok({ partners: partners.map(PartnerView.partner) })
  }),

  get: Effect.fnUntraced(function* (call) {
    return shown(yield* findPartner(yield* AccountStore, yield* idOf(call)))
  }),

  resembling: Effect.fnUntraced(function* (call) {
    const { id, name } = yield* findPartner(yield* AccountStore, yield* idOf(call))
    return Operation.ok({ resembles: (yield* Namesakes.find(id, name)).namesakes })
  }),

  change: Effect.fnUntraced(function* (call, body) {
    const id = yield* idOf(call)
    const change = yield* Effect.fromResult(changeOf(body, yield* Assets))
    return shown(yield* Merchants.changePartner(id, change))
  }),

  suspend: measure("suspend"),
  resume: measure("resume"),
  freeze: measure("freeze"),
  unfreeze: measure("unfreeze"),
})
