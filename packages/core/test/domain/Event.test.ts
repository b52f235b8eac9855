import { assert, describe, it } from "@effect/vitest"
import * as Event from "@florin/core/domain/Event"
import * as Samples from "./samples.ts"

describe("Event.make", () => {
  it("holds the payment as it was right after the change, when that was, and its version", () => {
    const payment = { ...Samples.processing(), stateVersion: 12, updatedAt: Samples.now + 7 }
    assert.deepStrictEqual(Event.make("payment.processing", payment), {
      id: "evt_0000000000test0012",
      type: "payment.processing",
      stateVersion: 12,
      createdAt: Samples.now + 7,
      payment,
    })
  })
})
