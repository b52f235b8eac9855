import { assert, describe, it } from "@effect/vitest"
import * as TabStore from "../../src/checkout/TabStore.ts"
import { fakeStore } from "./Fixtures.ts"

const forbidden = () => {
  throw new Error("forbidden")
}

describe("the store of a tab", () => {
  it("is in the browser, for the next page of the tab", () => {
    const browser = fakeStore()
    const store = TabStore.make(() => browser)
    store.setItem("a", "1")
    store.setItem("b", "2")
    store.removeItem("b")
    assert.deepStrictEqual([...browser.held], [["a", "1"]])
    assert.strictEqual(TabStore.make(() => browser).getItem("a"), "1")
  })

  it.each<[string, () => TabStore.Store]>([
    ["altogether", forbidden],
    ["when it is used", () => ({ getItem: forbidden, setItem: forbidden, removeItem: forbidden })],
  ])("is in the page, if the browser forbids it %s", (_, browser) => {
    const store = TabStore.make(browser)
    assert.isNull(store.getItem("a"))
    store.setItem("a", "1")
    assert.strictEqual(store.getItem("a"), "1")
    store.removeItem("a")
    assert.isNull(store.getItem("a"))
  })

  it("does not return a value that the browser could not remove", () => {
    const store = TabStore.make(() => ({
      ...fakeStore(),
      getItem: () => "1",
      removeItem: forbidden,
    }))
    store.removeItem("a")
    assert.isNull(store.getItem("a"))
  })
})

describe("TabStore.read", () => {
  it("reads JSON, and undefined if it is invalid", () => {
    const store = fakeStore()
    store.setItem("a", "[1]")
    store.setItem("b", "{")
    assert.deepStrictEqual(TabStore.read(store, "a"), [1])
    assert.isUndefined(TabStore.read(store, "b"))
    assert.isNull(TabStore.read(store, "c"))
  })
})
