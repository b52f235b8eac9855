/**
 * The schemas of errors: most endpoints have most of them in common.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { api } from "@florin/api/Api"
import { api as operatorApi } from "@florin/api/operator/Api"
import * as Problem from "@florin/api/Problem"

interface Contract {
  readonly groups: {
    readonly [name: string]: {
      readonly endpoints: { readonly [name: string]: { readonly error: ReadonlySet<unknown> } }
    }
  }
}

const errorsOf = ({ groups }: Contract): ReadonlyArray<unknown> =>
  Object.values(groups).flatMap(({ endpoints }) =>
    Object.values(endpoints).flatMap(({ error }) => Array.from(error)),
  )

describe("the schemas of errors", () => {
  it("are the same for the same codes, whatever else an endpoint refuses", () => {
    const usual = Problem.errors("not_found")
    const more = Problem.errors("not_found", "quote_expired")
    assert.includeMembers(more, usual)
    assert.strictEqual(more.length, usual.length + 1)
  })

  it("are few, because each costs a start of the service time and memory", () => {
    const errors = [...errorsOf(api), ...errorsOf(operatorApi)]
    assert.isAbove(errors.length, 1000)
    assert.isAtMost(new Set(errors).size, 40)
  })
})
