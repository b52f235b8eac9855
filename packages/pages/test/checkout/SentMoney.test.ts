import { assert, describe, it } from "@effect/vitest"
import * as SentMoney from "../../src/checkout/SentMoney.ts"
import { fakeStore, paymentId, transfer } from "./Fixtures.ts"

const other = { ...transfer, hash: "0x7b" }

describe("SentMoney", () => {
  it("lists every transfer of a payment, in order, with its latest stage", () => {
    const store = fakeStore()
    SentMoney.note(store, paymentId, transfer)
    SentMoney.note(store, paymentId, other)
    const { amount: _amount, ...withoutAmount } = transfer
    SentMoney.note(store, paymentId, { ...withoutAmount, stage: "signed" })
    assert.deepStrictEqual(SentMoney.load(store, paymentId), [
      { ...transfer, stage: "signed" },
      other,
    ])
    assert.deepStrictEqual(SentMoney.load(store, "pay_other"), [])
  })

  it("is marked as known one transfer at a time", () => {
    const store = fakeStore()
    SentMoney.note(store, paymentId, transfer)
    SentMoney.note(store, paymentId, other)
    SentMoney.markKnown(store, paymentId, other.hash)
    assert.deepStrictEqual(SentMoney.load(store, paymentId), [
      transfer,
      { ...other, stage: "known" },
    ])
  })

  it("is empty if the store contains something else", () => {
    const store = fakeStore()
    for (const text of ["{", "null", "{}", '"x"']) {
      store.setItem(`florin-sent-${paymentId}`, text)
      assert.deepStrictEqual(SentMoney.load(store, paymentId), [])
    }
  })
})
