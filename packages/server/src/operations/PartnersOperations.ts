/**
 * Partners over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Partners"
import type * as Wire from "@florin/api/wire/Partner"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Credit from "@florin/core/domain/money/Credit"
import * as FeeTerms from "@florin/core/domain/money/Fees"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Namesakes from "@florin/core/engine/partner/Namesakes"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as PartnerView from "../views/PartnerView.ts"
import * as Fees from "./Fees.ts"
import * as Members from "./Members.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

type Parsed<A> = Result.Result<A, Invalid.InvalidInput>

/** Reads a text of the request, and names its member in a refusal. Null and undefined stay. */
const member = <A, N extends null | undefined>(
  field: string,
  text: string | N,
  parse: (text: string) => Parsed<A>,
): Parsed<A | N> =>
  typeof text === "string"
    ? Result.mapError(parse(text), ({ issues: [first] }) => Read.invalid(field, first))
    : Result.succeed(text)

const limitsOf = (
  field: string,
  { netsMerchants, ...texts }: Wire.LimitsRequest,
): Parsed<PartnerLimits.Patch> =>
  Result.gen(function* () {
    const patch: PartnerLimits.Patch = Members.given({ netsMerchants })
    for (const name of Struct.keys(PartnerLimits.table)) {
      const { read, removal } = PartnerLimits.table[name]
      const asked = yield* member(`${field}.${name}`, texts[name], read)
      Object.assign(patch, asked === null ? removal : asked)
    }
    return patch
  })

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
): Parsed<Members.Given<Required<Merchants.PartnerChange>>> =>
  Result.gen(function* () {
    const test = yield* member("credit.test", credit.test, Credit.parse)
    const live = yield* member("credit.live", credit.live, Credit.parse)
    return Members.given({
      name,
      versionPin,
      secondPerson,
      fees: yield* Fees.read(fees, catalog),
      payouts: yield* member("payouts", payouts, PayoutPolicy.parse),
      credit: Members.given({ test, live }),
      limits: Members.given({
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
    ...Members.given({
      versionPin,
      payouts: payouts ?? undefined,
      credit: credit && Members.given({ test: test ?? undefined, live: live ?? undefined }),
      limits: limits && Members.given({ test: bounds(limits.test), live: bounds(limits.live) }),
    }),
  }
})

const measure = (name: Merchant.Measure) => (call: Operation.OperatorCall) =>
  Effect.flatMap(Read.idOfPartner(call), (id) =>
    Effect.map(Merchants.takeOfPartner(id, name), PartnerView.partner),
  )

export const operator = Operation.operator(Contract.group, {
  create: Effect.fnUntraced(function* (_, body) {
    return PartnerView.partner(yield* Keys.createPartner(yield* draftOf(body)))
  }),

  ensure: Effect.fnUntraced(function* (_, { key, ...body }) {
    return PartnerView.partner(yield* Keys.ensurePartner(key ?? body.name, yield* draftOf(body)))
  }),

  list: Effect.fnUntraced(function* () {
    const partners = yield* (yield* AccountStore).partners(null)
    return { partners: partners.map(PartnerView.partner) }
  }),

  get: Effect.fnUntraced(function* (call) {
    return PartnerView.partner(
      yield* findPartner(yield* AccountStore, yield* Read.idOfPartner(call)),
    )
  }),

  resembling: Effect.fnUntraced(function* (call) {
    const { id, name } = yield* findPartner(yield* AccountStore, yield* Read.idOfPartner(call))
    return { resembles: (yield* Namesakes.find(id, name)).namesakes }
  }),

  change: Effect.fnUntraced(function* (call, body) {
    const id = yield* Read.idOfPartner(call)
    const change = yield* Effect.fromResult(changeOf(body, yield* Assets))
    return PartnerView.partner(yield* Merchants.changePartner(id, change))
  }),

  suspend: measure("suspend"),
  resume: measure("resume"),
  freeze: measure("freeze"),
  unfreeze: measure("unfreeze"),
})
