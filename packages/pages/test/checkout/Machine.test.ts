import { assert, describe, it } from "@effect/vitest"
import * as Machine from "../../src/checkout/Machine.ts"
import {
  fakeWallet,
  final,
  nothingSent,
  open,
  option,
  processing,
  succeeded,
  transfer,
  amount,
} from "./Fixtures.ts"

const { wallet } = fakeWallet()
const after = (...events: ReadonlyArray<Machine.Event>) =>
  events.reduce(Machine.reduce, Machine.initial(open, nothingSent))
const screenAfter = (...events: ReadonlyArray<Machine.Event>) => Machine.screenOf(after(...events))
const heard = (status: Machine.State["status"]): Machine.Event => ({ _tag: "Heard", status })
const learned = (money: Partial<Machine.Money>): Machine.Event => ({
  _tag: "Learned",
  money: { ...nothingSent, ...money },
})
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

describe("mayBeSending", () => {
  const isAtRisk = (...events: ReadonlyArray<Machine.Event>) =>
    Machine.mayBeSending(after(...events))

  it("is true while the service may not know about money: of a wallet that sends, or of a confirm on its way", () => {
    assert.isTrue(isAtRisk(learned({ mayBeSent: true })))
    assert.isTrue(isAtRisk(learned({ transfers: [{ ...transfer, stage: "sent" }] })))
    assert.isTrue(isAtRisk(learned({ transfers: [{ ...transfer, stage: "signed" }] })))
    assert.isTrue(isAtRisk(went({ _tag: "Confirming" })))
  })

  it("is false before money moves, and once the service knows about it", () => {
    const moving = steps.filter(({ _tag }) => _tag !== "Confirming")
    for (const step of moving) assert.isFalse(isAtRisk(went(step)))
    assert.isFalse(isAtRisk(learned({ transfers: [{ ...transfer, stage: "known" }] })))
    assert.isFalse(isAtRisk(went({ _tag: "Confirming" }), { _tag: "Accepted" }))
    assert.isFalse(isAtRisk(went({ _tag: "Confirming" }), heard(succeeded)))
  })
})

describe("screenOf", () => {
  it("waits at first, and shows what the payer does while the payment is open", () => {
    assert.strictEqual(screenAfter()._tag, "Waiting")
    for (const step of steps) assert.deepStrictEqual(screenAfter(went(step)), step)
  })

  it("shows the payment's end whatever the payer is doing", () => {
    const ends: ReadonlyArray<readonly [Machine.State["status"], Machine.Screen]> = [
      [processing, { _tag: "Processing", progress: null }],
      [succeeded, { _tag: "Succeeded", paid: succeeded.info ?? assert.fail(), notice: undefined }],
      [
        final("failed", { failureCode: null }),
        { _tag: "Unpaid", how: "failed", notice: undefined },
      ],
      [
        final("failed", { failureCode: "declined_user" }),
        { _tag: "Unpaid", how: "declined", notice: undefined },
      ],
      [final("expired"), { _tag: "Unpaid", how: "expired", notice: undefined }],
      [final("cancelled"), { _tag: "Unpaid", how: "cancelled", notice: undefined }],
    ]
    for (const step of steps) {
      for (const [status, screen] of ends) {
        assert.deepStrictEqual(screenAfter(went(step), heard(status)), screen)
        assert.deepStrictEqual(screenAfter(heard(status), went(step)), screen)
      }
    }
  })

  it("says first of all that money is on its way, and no longer than it is", () => {
    const noticeAfter = (...events: ReadonlyArray<Machine.Event>) => {
      const screen = screenAfter(...events)
      return screen._tag === "Waiting" ? screen.notice?._tag : screen._tag
    }
    const rejected = went({ _tag: "Idle", notice: { _tag: "Rejected" } })
    const unsure = learned({ mayBeSent: true })
    const sent = learned({ mayBeSent: true, transfers: [transfer] })
    assert.strictEqual(noticeAfter(unsure, rejected), "MayBeSent")
    assert.strictEqual(noticeAfter(rejected, unsure, sent), "Sent")
    assert.strictEqual(noticeAfter(unsure, rejected, learned({})), "Rejected")
    // It is known to the service, and the payment is open all the same.
    const late = learned({ transfers: [{ ...transfer, stage: "known" }] })
    assert.strictEqual(noticeAfter(late), "SentLate")
  })

  it("says at the end what is in the way of what the service must still hear, and nothing else", () => {
    const noticeAt = (
      end: Machine.State["status"],
      stage: typeof transfer.stage,
      step: Machine.Step,
    ) => {
      const transfers = [{ ...transfer, stage }]
      const screen = screenAfter(learned({ transfers }), heard(end), went(step))
      return "notice" in screen ? screen.notice?._tag : undefined
    }
    const offline: Machine.Step = { _tag: "Halted", notice: { _tag: "Offline" }, mayLeave: false }
    const rejected: Machine.Step = { _tag: "Idle", notice: { _tag: "Rejected" } }
    const other: Machine.Step = { _tag: "Idle", notice: { _tag: "OtherAccount" } }
    // It tells the payer of an open payment to go on: after the end there is nothing to go on with.
    const goOn: Machine.Step = { _tag: "Idle", notice: { _tag: "GoOn" } }
    for (const end of [final("expired"), final("cancelled"), final("failed"), succeeded]) {
      for (const stage of ["sent", "signed"] as const) {
        assert.strictEqual(noticeAt(end, stage, offline), "Offline")
        assert.strictEqual(noticeAt(end, stage, rejected), "Rejected")
        assert.strictEqual(noticeAt(end, stage, other), "OtherAccount")
        assert.isUndefined(noticeAt(end, stage, goOn))
      }
      assert.isUndefined(noticeAt(end, "known", offline))
    }
    // What paid needs nothing more.
    const paid = learned({ transfers: [{ ...transfer, hash: succeeded.info?.txId ?? "" }] })
    assert.deepInclude(screenAfter(paid, heard(succeeded), went(offline)), { notice: undefined })
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

describe("what is said of money that was sent", () => {
  const standings = (
    status: Machine.State["status"],
    ...stages: ReadonlyArray<typeof transfer.stage>
  ) => {
    const transfers = Array.from(stages, (stage, nth) => ({
      ...transfer,
      hash: `0x7${nth}`,
      stage,
    }))
    return Machine.otherTransfers(after(learned({ transfers }), heard(status))).map(
      ({ standing }) => standing,
    )
  }

  it("is what is missing until it can pay", () => {
    assert.deepStrictEqual(standings(open, "sent", "signed"), ["unsigned", "unreported"])
  })

  it("is what is missing until it can be given back, however the payment ended", () => {
    for (const end of [final("expired"), final("cancelled"), final("failed"), succeeded]) {
      assert.deepStrictEqual(standings(end, "sent", "signed", "known"), [
        "unsignedLate",
        "unreportedLate",
        "reported",
      ])
    }
  })

  it("is nothing for the transfer that paid, and does not go with the payment's end for another", () => {
    const transfers = [transfer, { ...transfer, hash: "0xABC" }]
    const state = after(learned({ transfers }), heard(succeeded))
    assert.deepStrictEqual(
      Machine.otherTransfers(state).map(({ transfer: { hash } }) => hash),
      [transfer.hash],
    )
  })
})

describe("isWatching", () => {
  it("asks until the end, except while pay does, or in vain", () => {
    assert.isTrue(Machine.isWatching(after()))
    assert.isTrue(Machine.isWatching(after(heard(processing))))
    const confirming = went({ _tag: "Confirming" })
    assert.isFalse(Machine.isWatching(after(confirming)))
    // Once the payment is accepted, only the stream tells how far its transaction has got.
    assert.isTrue(Machine.isWatching(after(confirming, { _tag: "Accepted" })))
    assert.isFalse(Machine.isWatching(after(heard(final("expired")))))
    const stale = went({ _tag: "Halted", notice: { _tag: "Stale" }, mayLeave: false })
    assert.isFalse(Machine.isWatching(after(stale)))
  })

  it("asks on after an answer that came while the payment was handed in, and ended that", () => {
    assert.isTrue(Machine.isWatching(after(went({ _tag: "Confirming" }), heard(processing))))
    assert.isFalse(Machine.isWatching(after(went({ _tag: "Confirming" }), heard(open))))
  })
})

describe("progress", () => {
  const progress = { chain: "eip155:8453", hash: "0x01", blocks: { confirmed: 1, needed: 10 } }
  const streamed: Machine.Event = { _tag: "Heard", status: processing, progress }

  it("is what the stream last said, also while the page polls, and nothing once the payment is final", () => {
    assert.isNull(after().progress)
    assert.deepStrictEqual(after(streamed).progress, progress)
    assert.deepStrictEqual(after(streamed, heard(processing)).progress, progress)
    assert.isNull(after(streamed, { _tag: "Heard", status: processing, progress: null }).progress)
    assert.isNull(after(streamed, heard(final("failed"))).progress)
  })
})

describe("stepsOf", () => {
  it("counts an approval that a built action may begin with", () => {
    assert.deepStrictEqual(Machine.stepsOf(option()), { least: 1, most: 1 })
    const built = option({ actions: [{ type: "build", data: "7b7d" }] })
    assert.deepStrictEqual(Machine.stepsOf(built), { least: 1, most: 2 })
  })
})

describe("what the payer chose", () => {
  const chose: Machine.Event = { _tag: "Chose", amount }
  const confirming = went({ _tag: "Confirming" })

  it("stays visible from the choice to the end", () => {
    const events = [went({ _tag: "Preparing" }), chose, confirming]
    assert.deepStrictEqual(after(...events).chosen, amount)
    assert.deepStrictEqual(after(...events, { _tag: "Accepted" }).chosen, amount)
    assert.deepStrictEqual(after(...events, { _tag: "Accepted" }, heard(processing)).chosen, amount)
  })

  it("is forgotten if the payment was paid in another way meanwhile", () => {
    const asked = went({ _tag: "Preparing" })
    assert.isUndefined(after(asked, chose, heard(processing)).chosen)
  })
})
