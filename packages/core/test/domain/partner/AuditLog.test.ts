import { assert, describe, it } from "@effect/vitest"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as Counts from "@florin/testing/Counts"
import { Schema } from "effect"

const now = 1_790_000_000_000
const scope = { partnerId: PartnerId.PartnerId.make("prtn_1"), mode: "live" } as const
const otherPartner = PartnerId.PartnerId.make("prtn_2")
const byKey: AuditLog.Acting = {
  actor: { _tag: "Key", keyId: ApiKey.ApiKeyId.make("key_1") },
  requestId: "req_1",
}
const deed: AuditLog.Deed = {
  ...scope,
  action: "merchant.changed",
  subject: "mrch_1",
  changes: [AuditLog.became("name", "B", "A")],
}
const entry = AuditLog.entry(deed, byKey, { id: "aud_1", at: now })

describe("AuditLog.entry", () => {
  it("records the action, the object, its owner, the actor, the request and the time", () => {
    assert.deepStrictEqual(entry, {
      id: "aud_1",
      at: now,
      action: "merchant.changed",
      partnerId: scope.partnerId,
      mode: "live",
      subject: "mrch_1",
      actor: byKey.actor,
      requestId: "req_1",
      changes: [{ field: "name", from: "A", to: "B" }],
    })
  })

  it("is read back as it was stored, for every action and actor", () => {
    const read = Schema.decodeUnknownSync(AuditLog.Entry)
    for (const action of AuditLog.Action.literals) {
      for (const acting of [byKey, AuditLog.unnamedOperator]) {
        const stored = AuditLog.entry({ ...deed, action }, acting, { id: "aud_2", at: now })
        assert.deepStrictEqual(read(JSON.parse(JSON.stringify(stored))), stored)
      }
    }
  })

  it("has a different description for each action", () => {
    const words = AuditLog.Action.literals.map((action) => AuditLog.actions[action])
    assert.strictEqual(new Set(words).size, words.length)
    assert.deepStrictEqual(Object.keys(AuditLog.actions), [...AuditLog.Action.literals])
  })
})

interface Account {
  readonly name: string
  readonly isOpen: boolean
  readonly email: string
}
const differences = AuditLog.differences<Account>({
  kept: { name: ({ name }) => name, isOpen: ({ isOpen }) => isOpen },
  hidden: { email: ({ email }) => email },
})
const before: Account = { name: "A", isOpen: true, email: "a@example.com" }

describe("AuditLog.differences", () => {
  it("lists the fields that changed with both values", () => {
    assert.deepStrictEqual(differences(before, before), [])
    assert.deepStrictEqual(differences(before, { ...before, name: "B", isOpen: false }), [
      { field: "name", from: "A", to: "B" },
      { field: "isOpen", from: true, to: false },
    ])
  })

  it("lists a field with secret values without its values", () => {
    assert.deepStrictEqual(differences(before, { ...before, email: "b@example.com" }), [
      { field: "email" },
    ])
  })

  it("lists every field of a new object as a change", () => {
    assert.deepStrictEqual(differences(null, before), [
      { field: "name", from: null, to: "A" },
      { field: "isOpen", from: null, to: true },
      { field: "email" },
    ])
  })

  it("leaves out fields that are false in a new object", () => {
    assert.deepStrictEqual(differences(null, { ...before, isOpen: false }), [
      { field: "name", from: null, to: "A" },
      { field: "email" },
    ])
  })

  it("hides no values by default", () => {
    const all = AuditLog.differences<Account>({ kept: { email: ({ email }) => email } })
    assert.deepStrictEqual(all(null, before), [{ field: "email", from: null, to: "a@example.com" }])
  })

  const Drawn = Schema.Struct({
    name: Schema.Literals(["A", "B"]),
    isOpen: Schema.Boolean,
    email: Schema.Literals(["secret-1", "secret-2"]),
  })
  it.prop(
    "lists exactly the fields that differ, and never a hidden value",
    [Schema.NullOr(Drawn), Drawn],
    ([from, to]) => {
      const changes = differences(from, to)
      const differing = (["name", "isOpen", "email"] as const).filter((field) =>
        from === null ? to[field] !== false : from[field] !== to[field],
      )
      assert.deepStrictEqual(
        changes.map(({ field }) => field),
        differing,
      )
      assert.notInclude(JSON.stringify(changes), "secret")
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})

describe("AuditLog.isListed", () => {
  it("lists everything without a filter", () => {
    assert.isTrue(AuditLog.isListed(entry, {}))
  })

  it("lists nothing of other partners to a partner, nor what is only for the operator", () => {
    assert.isTrue(AuditLog.isListed(entry, { partnerId: scope.partnerId }))
    for (const partnerId of [otherPartner, null]) {
      assert.isFalse(AuditLog.isListed({ ...entry, partnerId }, { partnerId: scope.partnerId }))
    }
  })

  it("lists entries of the given mode, and entries without a mode", () => {
    assert.isTrue(AuditLog.isListed(entry, { mode: "live" }))
    assert.isFalse(AuditLog.isListed(entry, { mode: "test" }))
    for (const mode of ["live", "test"] as const) {
      assert.isTrue(AuditLog.isListed({ ...entry, mode: null }, { mode }))
    }
  })

  it("filters by action, or from a time on", () => {
    assert.isTrue(AuditLog.isListed(entry, { action: "merchant.changed" }))
    assert.isFalse(AuditLog.isListed(entry, { action: "merchant.created" }))
    assert.isTrue(AuditLog.isListed(entry, { since: now }))
    assert.isFalse(AuditLog.isListed(entry, { since: now + 1 }))
  })

  it("combines all filters", () => {
    const asked: AuditLog.Filter = { ...scope, action: "merchant.changed", since: now }
    assert.isTrue(AuditLog.isListed(entry, asked))
    for (const one of [
      { partnerId: otherPartner },
      { mode: "test" },
      { action: "key.created" },
      { since: now + 1 },
    ] as const) {
      assert.isFalse(AuditLog.isListed(entry, { ...asked, ...one }))
    }
  })
})
