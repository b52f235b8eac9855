import { assert, describe, it } from "@effect/vitest"
import * as Approvals from "@florin/core/engine/partner/Approvals"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Acting } from "@florin/core/ports/AuditStore"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

const request: Approvals.Request = {
  operation: "operator.keys.create",
  does: "Create a key",
  method: "POST",
  path: "/operator/v1/keys",
  tenant: null,
  scope: "admin",
  merchantId: undefined,
  body: { name: "Ada" },
  idempotencyKey: undefined,
}

const refusal = Effect.map(
  Scene.failsWith("ApprovalRequired", Approvals.require(request)),
  ({ message }) => message,
)

describe("A call that waits for a second person", () => {
  it.effect(
    "S41: is refused with the way out if it comes without a key, since nobody may have one yet",
    Scene.alone(
      Effect.gen(function* () {
        assert.include(yield* refusal, "restart the service without secondPerson")
        const { record } = yield* Keys.issue({
          mode: null,
          owner: { _tag: "Operator", name: "Ada" },
          name: "Ada",
          scopes: ["admin"],
          expiresAt: null,
        })
        const actor = { _tag: "Key", keyId: record.id } as const
        const said = yield* refusal.pipe(Effect.provideService(Acting, { actor, requestId: null }))
        assert.include(said, "another person must approve this")
        assert.notInclude(said, "secondPerson")
      }),
    ),
  )
})
