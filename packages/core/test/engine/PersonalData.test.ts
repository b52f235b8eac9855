import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import * as PersonalData from "@florin/core/engine/status/PersonalData"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, first } = Scene

const payer = Wallet.make(1).account(Eip155.chainId(8453))
const stranger = Wallet.make(3).account(Eip155.chainId(8453))
const payerText = Eip155.formatAccount(payer)

const ada = {
  fullName: "Ada Lovelace",
  dob: "1990-12-10",
  porCountry: "GB",
  porAddress: "12 St James’s Square",
  tosConfirmed: true,
} as const

const formOf = (fullName: string) =>
  Object.entries({ ...ada, fullName }).map(([id, value]) => ({ id, value: String(value) }))

/** Two payments: the payer told something for both, and a stranger for the first. */
const told = Effect.gen(function* () {
  const scene = yield* begin
  const { create, world } = scene
  const [one, two] = [yield* create(), yield* create()]
  const session = world.session("form")
  yield* PayerData.collect(one.id, payer, session, formOf("Ada Lovelace"))
  yield* PayerData.collect(two.id, payer, session, formOf("Ada King"))
  yield* PayerData.collect(one.id, stranger, session, formOf("Mickey Mouse"))
  return { ...scene, one, two }
}).pipe(Effect.provide(CollectDataPolicy.layerAlways))

const namesOf = (all: ReadonlyArray<PersonalData.StoredData>) =>
  all.map(({ data }) => data?.fullName).toSorted()

/** The entries of the audit log, the oldest first. */
const logged = ({ tenant }: Effect.Success<typeof begin>) =>
  Effect.map(AuditLog.list(tenant, undefined, 100), ({ items }) =>
    items
      .map(({ action, changes, subject }) => ({ action, subject, changes }))
      .filter(({ action }) => action.startsWith("collected."))
      .toReversed(),
  )

describe("a payer's personal data", () => {
  it.effect(
    "can be shown for a payment, and for an account over all payments, and each look is recorded",
    alone(
      Effect.gen(function* () {
        const scene = yield* told
        const { one, two } = scene
        assert.deepStrictEqual(namesOf(yield* PersonalData.show(one.id)), [
          "Ada Lovelace",
          "Mickey Mouse",
        ])
        const ofPayer = yield* PersonalData.show(payerText)
        assert.deepStrictEqual(namesOf(ofPayer), ["Ada King", "Ada Lovelace"])
        assert.deepStrictEqual(first(ofPayer).account, payer)
        assert.deepStrictEqual(first(ofPayer).data, { ...ada, fullName: "Ada Lovelace" })
        const shown = (subject: string, to: number) => ({
          action: "collected.shown" as const,
          subject,
          changes: [{ field: "records", to }],
        })
        assert.sameDeepMembers(yield* logged(scene), [
          shown(one.id, 2),
          shown(one.id, 1),
          shown(two.id, 1),
        ])
      }),
    ),
  )

  it.effect(
    "can be erased, once, for a payment or an account, without touching other accounts",
    alone(
      Effect.gen(function* () {
        const scene = yield* told
        const { one, two } = scene
        assert.strictEqual(yield* PersonalData.erase(payerText), 2)
        assert.strictEqual(yield* PersonalData.erase(payerText), 0)
        assert.deepStrictEqual(namesOf(yield* PersonalData.show(one.id)), ["Mickey Mouse"])
        assert.strictEqual(yield* PersonalData.erase(one.id), 1)
        assert.deepStrictEqual(yield* PersonalData.show(one.id), [])
        const erased = (subject: string) => ({
          action: "collected.erased" as const,
          subject,
          changes: [{ field: "records", to: 1 }],
        })
        assert.sameDeepMembers(
          (yield* logged(scene)).filter(({ action }) => action === "collected.erased"),
          [erased(one.id), erased(two.id), erased(one.id)],
        )
      }),
    ),
  )

  it.effect(
    "can be read only with its own key, not with the vault's",
    alone(
      Effect.gen(function* () {
        const { one } = yield* told
        const kept = yield* (yield* PaymentStore).collected(one.id)
        const own = first(kept.filter((each) => Caip.sameAccount(each.account, payer)))
        const backup = { ...own, key: new Uint8Array() }
        yield* failsWith("VaultRefused", PayerData.open(one.id, backup))
        const other = first(kept.filter((each) => !Caip.sameAccount(each.account, payer)))
        yield* failsWith("VaultRefused", PayerData.open(one.id, { ...own, key: other.key }))
      }),
    ),
  )

  it.effect(
    "is reported as present if the vault cannot open it",
    alone(
      Effect.gen(function* () {
        const { create, payments, world } = yield* begin
        const { id } = yield* create()
        yield* payments.putCollected(id, world.collected({ account: payer }))
        assert.isNull(first(yield* PersonalData.show(id)).data)
      }),
    ),
  )
})
