import { assert, describe, it } from "@effect/vitest"
import * as KeptPayment from "../../src/checkout/KeptPayment.ts"
import { fakeStore, paymentId, resume } from "./Fixtures.ts"

const kept = { walletId: "example.foxglove", resume }

describe("KeptPayment", () => {
  it("is returned to its own payment, until it is removed", () => {
    const store = fakeStore()
    KeptPayment.save(store, kept)
    assert.deepStrictEqual(KeptPayment.load(store, paymentId), kept)
    assert.isUndefined(KeptPayment.load(store, "pay_other"))
    KeptPayment.remove(store, paymentId)
    assert.strictEqual(store.held.size, 0)
    assert.isUndefined(KeptPayment.load(store, paymentId))
  })

  it("is undefined if the store contains something else", () => {
    const store = fakeStore()
    const other = { ...kept, resume: { ...resume, paymentId: "pay_other" } }
    for (const text of ["{", "null", "7", "{}", '{"walletId":"x"}', JSON.stringify(other)]) {
      store.setItem(`florin-resume-${paymentId}`, text)
      assert.isUndefined(KeptPayment.load(store, paymentId))
    }
  })

  it("is complete when every step has its output", () => {
    assert.isFalse(KeptPayment.isComplete(kept))
    assert.isTrue(KeptPayment.isComplete({ resume: { ...resume, outputs: ["0x7a", "0x51"] } }))
  })

  it("is removed when it was submitted, unless another attempt was saved meanwhile", () => {
    const store = fakeStore()
    KeptPayment.save(store, kept)
    KeptPayment.handedIn(store, { ...resume, optionId: "option-2" })
    KeptPayment.handedIn(store, { ...resume, outputs: ["0x7b"] })
    assert.deepStrictEqual(KeptPayment.load(store, paymentId), kept)
    KeptPayment.handedIn(store, resume)
    assert.strictEqual(store.held.size, 0)
  })

  it("compares accounts in any case", () => {
    const letters = { ...kept, resume: { ...resume, account: "eip155:1:0xAb" } }
    assert.isTrue(KeptPayment.isOf(letters, ["eip155:1:0xaB"]))
    assert.isFalse(KeptPayment.isOf(letters, ["eip155:10:0xab"]))
  })
})
