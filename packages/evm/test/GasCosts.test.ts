import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Redacted } from "effect"
import * as GasCosts from "../src/send/GasCosts.ts"
import * as Link from "../test-support/link.ts"

describe("the cost of a payer's own transactions", () => {
  const unread = GasCosts.make(Link.make(Eip155.chainId(1), Redacted.make("http://localhost:1")))

  it("is unknown until the chain is read, except for a signature", () => {
    assert.isNull(unread.ofPayer("transfer", 2))
    assert.isNull(unread.ofPayer("permit2", 3))
    assert.strictEqual(unread.ofPayer("eip3009", 1)?.quantity, 0n)
  })
})
