import { assert, describe, it } from "@effect/vitest"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Payments from "@florin/core/engine/payment/Payments"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Vault } from "@florin/core/ports/Vault"
import * as Fixtures from "@florin/testing/Fixtures"
import * as SeededIdentifiers from "@florin/testing/SeededIdentifiers"
import * as Service from "@florin/testing/Service"
import { Effect } from "effect"

const account = `eip155:8453:0x${"ab".repeat(20)}`

describe("Service.layer", () => {
  it.effect("offers options for a payment that was just created", () =>
    Effect.gen(function* () {
      const partner = yield* Keys.createPartner({ name: "P", feeTerms: Fixtures.feeTerms })
      const tenant = { partnerId: partner.id, mode: "test" } as const
      yield* Merchants.create({
        tenant,
        name: "Shop",
        email: "shop@example.com",
        idempotencyKey: "key",
      })
      const { payment } = yield* Payments.create({
        partner,
        mode: "test",
        merchantId: undefined,
        request: { referenceId: "order 1", amount: { unit: "iso4217/USD", value: "1000" } },
      })
      const caller: Keys.Caller = { _tag: "Partner", mode: "test", partner }
      const { options } = yield* Gateway.options(caller, payment.id, {
        accounts: [account],
        includePaymentInfo: false,
      })
      assert.deepStrictEqual(
        options?.map((each) => each.option.accountText),
        [account],
      )
    }).pipe(Effect.provide(Service.layer({ chain: { unseenBalance: 100 } }))),
  )

  it.effect("is a new service each time", () =>
    Effect.gen(function* () {
      const layer = Service.layer()
      const create = Keys.createPartner({ name: "P", feeTerms: Fixtures.feeTerms })
      const { id } = yield* Effect.provide(create, layer)
      const partners = Effect.flatMap(AccountStore, (accounts) => accounts.partners(null))
      assert.deepStrictEqual(yield* Effect.provide(partners, layer), [])
      assert.strictEqual((yield* Effect.provide(create, layer)).id, id)
      const seeded = Effect.provide(
        create,
        Service.layer({ identifiers: SeededIdentifiers.layer("another") }),
      )
      assert.notStrictEqual((yield* seeded).id, id)
    }),
  )

  it.effect("opens sealed data in its own place only, and only unchanged", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const plain = new TextEncoder().encode("Ada Lovelace")
      const sealed = yield* vault.seal("a/fullName", plain)
      assert.deepStrictEqual(yield* vault.open("a/fullName", sealed), plain)
      assert.notInclude(new TextDecoder().decode(sealed), "Ada")
      const changed = sealed.map((byte, index) => (index === 0 ? byte ^ 1 : byte))
      const refused = [
        vault.open("b/fullName", sealed),
        vault.open("a/fullName", changed),
        vault.open("a/fullName", plain),
      ]
      for (const open of refused) {
        assert.strictEqual((yield* Effect.flip(open))._tag, "VaultRefused")
      }
      const again = yield* vault.seal("a/fullName", plain)
      assert.notDeepEqual(again, sealed)
    }).pipe(Effect.provide(Service.layer())),
  )
})
