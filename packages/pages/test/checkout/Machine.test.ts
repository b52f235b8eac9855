import { assert, describe, it } from "@effect/vitest"
import type * as Option from "@florin/api/wire/Option"
import * as Machine from "../../src/checkout/Machine.ts"
import {
  approve,
  fakeWallet,
  final,
  open,
  option,
  processing,
  send,
  sign,
  state as statement,
  succeeded,
} from "./Fixtures.ts"

const { wallet } = fakeWallet()
const after = (...events: ReadonlyArray<Machine.Event>) =>
  events.reduce(Machine.reduce, Machine.initial(open))
const screenAfter = (...events: ReadonlyArray<Machine.Event>) => Machine.screenOf(after(...events))
const heard = (status: Machine.State["status"]): Machine.Event => ({ _tag: "Heard", status })
const went = (to: Machine.Step): Machine.Event => ({ _tag: "Went", to })

const steps: ReadonlyArray<Exclude<Machine.Step, { readonly _tag: "Idle" }>> = [
  { _tag: "Connecting", wallet },
  { _tag: "Preparing" },
  { _tag: "Choosing", wallet, options: [option()] },
  { _tag: "Collecting", url: "https://pay.example/collect/" },
  { _tag: "Asking", wallet, step: 1, steps: 1, asks: "sign", mayLeave: true },
  { _tag: "Confirming" },
  { _tag: "NoFit", wallet },
  { _tag: "Refused" },
  { _tag: "Halted", notice: { _tag: "Offline" }, mayLeave: true },
]

describe("screenOf", () => {
  it("waits at first, and shows what the payer does while the payment is open", () => {
    assert.strictEqual(screenAfter()._tag, "Waiting")
    for (const step of steps) assert.deepStrictEqual(screenAfter(went(step)), step)
  })

  it("shows the payment's end whatever the payer is doing", () => {
    const ends: ReadonlyArray<readonly [Machine.State["status"], Machine.Screen]> = [
      [processing, { _tag: "Processing" }],
      [succeeded, { _tag: "Succeeded", paid: succeeded.info ?? assert.fail() }],
      [final("failed", { failureCode: null }), { _tag: "Unpaid", how: "failed" }],
      [final("failed", { failureCode: "declined_user" }), { _tag: "Unpaid", how: "declined" }],
      [final("expired"), { _tag: "Unpaid", how: "expired" }],
      [final("cancelled"), { _tag: "Unpaid", how: "cancelled" }],
    ]
    for (const step of steps) {
      for (const [status, screen] of ends) {
        assert.deepStrictEqual(screenAfter(went(step), heard(status)), screen)
        assert.deepStrictEqual(screenAfter(heard(status), went(step)), screen)
      }
    }
  })

  it("says when the page is too old to hear of the end", () => {
    const stale: Machine.Step = { _tag: "Halted", notice: { _tag: "Stale" }, mayLeave: false }
    assert.deepStrictEqual(screenAfter(heard(processing), went(stale)), stale)
  })
})

describe("reduce", () => {
  it("never leaves the end", () => {
    const state = after(heard(succeeded), heard(open), { _tag: "Accepted" })
    assert.strictEqual(state.status, succeeded)
  })

  it("lists every wallet once", () => {
    const other = { ...wallet, id: "example.harbour" }
    const state = after(
      { _tag: "Announced", wallet },
      { _tag: "Announced", wallet: other },
      { _tag: "Announced", wallet },
    )
    assert.deepStrictEqual(state.wallets, [wallet, other])
  })
})

describe("isWatching", () => {
  it("asks until the end, except while pay does, or in vain", () => {
    assert.isTrue(Machine.isWatching(after()))
    assert.isTrue(Machine.isWatching(after(heard(processing))))
    assert.isFalse(Machine.isWatching(after(went({ _tag: "Confirming" }))))
    assert.isFalse(Machine.isWatching(after(heard(final("expired")))))
    const stale = went({ _tag: "Halted", notice: { _tag: "Stale" }, mayLeave: false })
    assert.isFalse(Machine.isWatching(after(stale)))
  })

  it("asks on after an answer that came while the payment was handed in, and ended that", () => {
    assert.isTrue(Machine.isWatching(after(went({ _tag: "Confirming" }), heard(processing))))
    assert.isFalse(Machine.isWatching(after(went({ _tag: "Confirming" }), heard(open))))
  })
})

describe("stepsOf", () => {
  it("counts an approval that a built action may begin with", () => {
    assert.deepStrictEqual(Machine.stepsOf(option()), { least: 1, most: 1 })
    const built = option({ actions: [{ type: "build", data: "7b7d" }] })
    assert.deepStrictEqual(Machine.stepsOf(built), { least: 1, most: 2 })
  })
})

describe("what the next step asks for", () => {
  it("says that money goes only where it does", () => {
    const asks = (actions: ReadonlyArray<Option.WalletRpc>, outputs: ReadonlyArray<string> = []) =>
      Machine.asksOf({ actions, outputs })
    assert.strictEqual(asks([sign]), "sign")
    assert.strictEqual(asks([approve, sign]), "allow")
    assert.strictEqual(asks([approve, sign], ["0x7a"]), "sign")
    assert.strictEqual(asks([send, statement]), "send")
    assert.strictEqual(asks([send, statement], ["0x7a"]), "sign")
  })

  it("knows money on its way from a token that was only let be used", () => {
    const hasSent = (
      actions: ReadonlyArray<Option.WalletRpc>,
      ...outputs: ReadonlyArray<string>
    ): boolean => Machine.hasSent({ actions, outputs })
    assert.isFalse(hasSent([send, statement]))
    assert.isTrue(hasSent([send, statement], "0x7a"))
    assert.isTrue(hasSent([send, statement], "0x7a", "0x52"))
    assert.isFalse(hasSent([approve, sign], "0x7a"))
    assert.isFalse(hasSent([approve, sign], "0x7a", "0x51"))
  })
})
