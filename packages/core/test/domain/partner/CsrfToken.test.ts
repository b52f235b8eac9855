import { assert, describe, it } from "@effect/vitest"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as CsrfToken from "@florin/core/domain/partner/CsrfToken"
import * as Result from "effect/Result"

const keysOf = (...seeds: ReadonlyArray<number>) =>
  Result.getOrThrow(Seal.makeKeys(seeds.map((seed) => new Uint8Array(32).fill(seed))))
const session = ApiKey.ApiKeyId.make("key_1")

describe("a CSRF token", () => {
  const token = CsrfToken.issue(session, keysOf(1))

  it("S40: is of one session", () => {
    assert.isTrue(CsrfToken.isOf(session, token, keysOf(1)))
    assert.isFalse(CsrfToken.isOf(ApiKey.ApiKeyId.make("key_2"), token, keysOf(1)))
  })

  it("S40: stays valid when the seal key is replaced", () => {
    assert.isTrue(CsrfToken.isOf(session, token, keysOf(2, 1)))
    assert.isFalse(CsrfToken.isOf(session, token, keysOf(2)))
  })

  it("S40: is not valid with any character changed, or sealed for another purpose", () => {
    for (const at of token.split("").keys()) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      assert.isFalse(CsrfToken.isOf(session, changed, keysOf(1)))
    }
    const other = Seal.seal(keysOf(1), "cursor", new TextEncoder().encode(session))
    for (const wrong of ["", "key_1", other]) {
      assert.isFalse(CsrfToken.isOf(session, wrong, keysOf(1)))
    }
  })
})
