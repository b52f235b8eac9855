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

describe("Machine.mayBeSending", () => {
  const isAtRisk = (...events: ReadonlyArray<Machine.Event>) =>
    Machine.mayBeSending(after(...events))

  it("is true while the service may not know about money: after the wallet sent it, or during a confirm", () => {
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

describe("Machine.screenOf", () => {
  it("is waiting at first, and shows the payer's step while the payment is open", () => {
    assert.strictEqual(screenAfter()._tag, "Waiting")
    for (const step of steps) assert.deepStrictEqual(screenAfter(went(step)), step)
  })

  it("shows the payment's end during any step of the payer", () => {
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

  it("shows first that money is on its way, for as long as it is", () => {
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

  it("shows at the end what prevents a report to the service, and nothing else", () => {
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

  it("shows that the page is too old to learn of the end", () => {
    const stale: Machine.Step = { _tag: "Halted", notice: { _tag: "Stale" }, mayLeave: false }
    assert.deepStrictEqual(screenAfter(heard(processing), went(stale)), stale)
  })
})

describe("Machine.reduce", () => {
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

describe("transfers that did not pay", () => {
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

  it("show what is missing until they can pay", () => {
    assert.deepStrictEqual(standings(open, "sent", "signed"), ["unsigned", "unreported"])
  })

  it("show what is missing until they can be refunded, however the payment ended", () => {
    for (const end of [final("expired"), final("cancelled"), final("failed"), succeeded]) {
      assert.deepStrictEqual(standings(end, "sent", "signed", "known"), [
        "unsignedLate",
        "unreportedLate",
        "reported",
      ])
    }
  })

  it("do not include the transfer that paid, but another one after the payment's end", () => {
    const transfers = [transfer, { ...transfer, hash: "0xABC" }]
    const state = after(learned({ transfers }), heard(succeeded))
    assert.deepStrictEqual(
      Machine.otherTransfers(state).map(({ transfer: { hash } }) => hash),
      [transfer.hash],
    )
  })
})

describe("Machine.isWatching", () => {
  it("is true until the end, except during a confirm or on a page that is too old", () => {
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

  it("is true after a response that ended the confirm", () => {
    assert.isTrue(Machine.isWatching(after(went({ _tag: "Confirming" }), heard(processing))))
    assert.isFalse(Machine.isWatching(after(went({ _tag: "Confirming" }), heard(open))))
  })
})

describe("Machine.progress", () => {
  const progress = { chain: "eip155:8453", hash: "0x01", blocks: { confirmed: 1, needed: 10 } }
  const streamed: Machine.Event = { _tag: "Heard", status: processing, progress }

  it("is the latest of the stream, also while the page polls, and absent at the end", () => {
    assert.isNull(after().progress)
    assert.deepStrictEqual(after(streamed).progress, progress)
    assert.deepStrictEqual(after(streamed, heard(processing)).progress, progress)
    assert.isNull(after(streamed, { _tag: "Heard", status: processing, progress: null }).progress)
    assert.isNull(after(streamed, heard(final("failed"))).progress)
  })
})

describe("Machine.stepsOf", () => {
  it("counts an approval that a build action may start with", () => {
    assert.deepStrictEqual(Machine.stepsOf(option()), { least: 1, most: 1 })
    const built = option({ actions: [{ type: "build", data: "7b7d" }] })
    assert.deepStrictEqual(Machine.stepsOf(built), { least: 1, most: 2 })
  })
})

describe("the payer's choice", () => {
  const chose: Machine.Event = { _tag: "Chose", amount }
  const confirming = went({ _tag: "Confirming" })

  it("stays visible from the choice to the end", () => {
    const events = [went({ _tag: "Preparing" }), chose, confirming]
    assert.deepStrictEqual(after(...events).chosen, amount)
    assert.deepStrictEqual(after(...events, { _tag: "Accepted" }).chosen, amount)
    assert.deepStrictEqual(after(...events, { _tag: "Accepted" }, heard(processing)).chosen, amount)
  })

  it("is removed if the payment was paid in another way meanwhile", () => {
    const asked = went({ _tag: "Preparing" })
    assert.isUndefined(after(asked, chose, heard(processing)).chosen)
  })
})

describe("the phases of an attempt", () => {
  const rows = Object.values(Machine.phases)

  it("forget neither sent money nor a submitted signature", () => {
    for (const { isBeforePaying, isSending, on } of rows) {
      for (const next of Object.values(on)) {
        if (isSending) assert.isTrue(Machine.phases[next].isSending ?? next === "accepted")
        if (!isBeforePaying) assert.isUndefined(Machine.phases[next].isBeforePaying)
      }
    }
  })

  it("end when the service accepts, and connecting alone changes nothing", () => {
    assert.deepStrictEqual(Machine.phases.accepted, { on: {} })
    assert.deepStrictEqual(Machine.phases.connecting, { on: {} })
    for (const phase of ["unpaid", "sending", "sent", "signed"] as const) {
      assert.strictEqual(Machine.phases[phase].on.accepted, "accepted")
    }
  })
})
