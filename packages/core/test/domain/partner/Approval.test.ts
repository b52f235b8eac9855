import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Approval from "@florin/core/domain/partner/Approval"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as SecondPerson from "@florin/core/domain/partner/SecondPerson"
import * as Result from "effect/Result"

const id = (name: string) => ApiKey.ApiKeyId.make(`key_${name}`)
const owner = ApiKey.Owner.cases.Partner.make({ partnerId: PartnerId.PartnerId.make("prtn_1") })
const request = { mode: "live", owner, expiresAt: null, scopes: ["read", "keys"] } as const

/** A key of a person, made by another one or by nobody. */
const personal = (name: string, madeBy: ReadonlyArray<ApiKey.ApiKeyId> = []): ApiKey.ApiKey => ({
  ...Result.getOrThrow(
    ApiKey.issue({ ...request, id: id(name), name, random: new Uint8Array(32).fill(7) }, 1000),
  ).record,
  madeBy,
})

const waits: Approval.Approval = {
  operation: "settlements.change",
  does: "Change a settlement destination",
  method: "PUT",
  path: "/v1/merchants/mrch_1/settlements/crypto/crypto_1",
  body: "{}",
  digest: Result.getOrThrow(Idempotency.fingerprint({})),
  askedBy: "Ada",
}
const ada = personal("ada", [id("root")])
const asked = SecondPerson.ask(
  ada,
  { id: id("asked"), mode: "live", owner, scope: "manage", approval: waits },
  2000,
)
const approved = Result.getOrThrow(SecondPerson.approve(asked, "Bob", 3000))

describe("a request that waits for a second person", () => {
  it("S41: is stored as a key without a secret for a day, and ends with the requester's key", () => {
    assert.deepInclude(asked, {
      use: "approval",
      scopes: ["manage"],
      person: ada.id,
      madeBy: [id("root"), ada.id],
      expiresAt: 2000 + Limits.approvalInMs,
    })
    const nobody = SecondPerson.ask(null, { ...asked, scope: "manage", approval: waits }, 2000)
    assert.isUndefined(nobody.madeBy)
    assert.isUndefined(nobody.person)
  })

  it("S41: is carried out once after it was approved, and not before", () => {
    assert.deepStrictEqual(SecondPerson.use(asked, null, 3000), Result.fail(Approval.refused.ended))
    const used = Result.getOrThrow(SecondPerson.use(approved, "once", 4000))
    assert.deepStrictEqual(used.approval?.used, { idempotencyKey: "once" })
    assert.deepStrictEqual(
      SecondPerson.use(used, "once", 4000),
      Result.fail(Approval.refused.ended),
    )
  })

  it("S41: is approved by one person, and declined until it was carried out", () => {
    assert.deepStrictEqual(approved.approval?.approved, { by: "Bob", at: 3000 })
    assert.deepStrictEqual(
      SecondPerson.approve(approved, "Eve", 3001),
      Result.fail(Approval.refused.approved),
    )
    assert.deepStrictEqual(SecondPerson.approve(approved, "Bob", 3001), Result.succeed(approved))
    assert.strictEqual(Result.getOrThrow(SecondPerson.decline(approved, 4000)).revokedAt, 4000)
    const used = Result.getOrThrow(SecondPerson.use(approved, null, 4000))
    assert.deepStrictEqual(SecondPerson.decline(used, 5000), Result.fail(Approval.refused.ended))
  })

  it("S41: ends if it was declined, and after its day", () => {
    const declined = Result.getOrThrow(SecondPerson.decline(asked, 2500))
    assert.deepStrictEqual(SecondPerson.decline(declined, 3000), Result.succeed(declined))
    const end = 2000 + Limits.approvalInMs
    for (const [key, now] of [
      [declined, 3000],
      [asked, end],
      [{ ...asked, approval: waits, revokedAt: 2500 }, 3000],
      [ada, 3000],
    ] as const) {
      assert.deepStrictEqual(
        SecondPerson.approve(key, "Bob", now),
        Result.fail(Approval.refused.ended),
      )
    }
    assert.isTrue(Result.isSuccess(SecondPerson.approve(asked, "Bob", end - 1)))
  })

  it("names people as the audit log does", () => {
    const operator = ApiKey.Owner.cases.Operator.make({ name: "Grace" })
    assert.strictEqual(ApiKey.nameOf({ owner: operator, name: "laptop" }), "Grace")
    assert.strictEqual(ApiKey.nameOf(ada), "ada")
  })
})
