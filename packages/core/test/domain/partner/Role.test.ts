import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Role from "@florin/core/domain/partner/Role"

describe("a role", () => {
  for (const kind of ["partner", "operator"] as const) {
    it(`of a ${kind}'s person is a set of scopes that has its name`, () => {
      for (const role of Role.Role.literals) {
        const scopes = Role.scopesOf(role, kind)
        assert.include([...scopes], "read")
        assert.strictEqual(Role.of([...scopes].toReversed(), kind), role)
      }
      assert.deepStrictEqual([...Role.scopesOf("viewer", kind)], ["read"])
    })
  }

  it("admin may do everything, and no other role invites people", () => {
    assert.sameMembers([...Role.scopesOf("admin", "partner")], [...ApiKey.PartnerScope.literals])
    assert.sameMembers([...Role.scopesOf("admin", "operator")], [...ApiKey.OperatorScope.literals])
    for (const role of ["viewer", "support", "finance"] as const) {
      assert.notInclude([...Role.scopesOf(role, "partner")], "keys")
      assert.notInclude([...Role.scopesOf(role, "operator")], "admin")
    }
  })

  it("is null for scopes that no role has", () => {
    assert.isNull(Role.of(["webhooks"], "partner"))
    assert.isNull(Role.of([], "operator"))
  })
})
