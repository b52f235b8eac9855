import { assert, describe, it } from "@effect/vitest"
import type * as Option from "@florin/api/wire/Option"
import type { InjectedWallet } from "../../src/checkout/InjectedWallet.ts"
import * as KeptPayment from "../../src/checkout/KeptPayment.ts"
import * as Machine from "../../src/checkout/Machine.ts"
import * as SentMoney from "../../src/checkout/SentMoney.ts"
import * as Session from "../../src/checkout/Session.ts"
import * as TabStore from "../../src/checkout/TabStore.ts"
import {
  account,
  amount,
  approve,
  base,
  fakeStore,
  fakeWallet,
  final,
  open,
  option,
  paymentId,
  processing,
  resume,
  send,
  sign,
  state as statement,
  succeeded,
  transfer,
  walletError,
} from "./Fixtures.ts"

type ScriptedResponse = { readonly status?: number; readonly body: unknown }
type ScriptedResponses = { readonly [operation: string]: () => ScriptedResponse }

const ok = (body: unknown) => (): ScriptedResponse => ({ body })
const refuse = (status: number, code: string) => (): ScriptedResponse => ({
  status,
  body: { code, message: "", requestId: "r" },
})

interface Page {
  readonly session: Session.Session
  readonly screens: ReadonlyArray<string>
  readonly screen: () => Machine.Screen
  readonly money: () => Machine.Money
  /** What the page asked the service, with the body it sent. */
  readonly calls: ReadonlyArray<readonly [operation: string, body: string]>
  readonly of: (operation: string) => ReadonlyArray<string>
  readonly until: (tag: Machine.Screen["_tag"]) => Promise<void>
}

/** A page in front of a service that answers as told; the payer picks the first option, and sends the form. */
const pageOn = (
  answers: ScriptedResponses,
  store: TabStore.Store = fakeStore(),
  does: (session: Session.Session, step: Machine.Step) => void = (session, step) => {
    if (step._tag === "Choosing" && step.notice === undefined)
      session.pick(step.options[0] ?? option())
    if (step._tag === "Collecting") session.collected(true)
  },
  accepted = [amount],
  start = open,
  now: () => number = () => 0,
): Page => {
  let state = Machine.initial(start, Session.moneyKept(store, paymentId))
  const calls: Array<readonly [string, string]> = []
  const screens: Array<string> = []
  const waiting = new Map<string, () => void>()
  const session = Session.make({
    page: { paymentId, accepted },
    store,
    now,
    formOf: (url) => url,
    connection: {
      baseUrl: "https://pay.example/pages",
      apiKey: { pageToken: "token" },
      timing: { sleep: () => Promise.resolve(), random: () => 0 },
      fetch: async (url, { body }) => {
        const operation = new URL(url).pathname.split("/").at(-1) ?? ""
        calls.push([operation, String(body)])
        const { status = 200, body: answer } =
          answers[operation]?.() ?? assert.fail(`not expected: ${operation}`)
        return Response.json(answer, { status })
      },
    },
    dispatch: (event) => {
      state = Machine.reduce(state, event)
      const { _tag } = Machine.screenOf(state)
      if (event._tag !== "Learned" && event._tag !== "Chose") screens.push(_tag)
      queueMicrotask(() => {
        if (event._tag === "Went") does(session, event.to)
        waiting.get(_tag)?.()
      })
    },
  })
  return {
    session,
    screens,
    screen: () => Machine.screenOf(state),
    money: () => state.money,
    calls,
    of: (operation) => calls.flatMap(([name, body]) => (name === operation ? [body] : [])),
    until: (tag) => new Promise((resolve) => waiting.set(tag, resolve)),
  }
}

const offering = (...options: ReadonlyArray<Option.PaymentOption>) => ok({ options })
const paying: ScriptedResponses = {
  options: offering(option()),
  confirm: ok(processing),
  status: ok(succeeded),
}
const built = option({ actions: [{ type: "build", data: "7b7d" }] })
const twoSteps: ScriptedResponses = {
  ...paying,
  options: offering(built),
  fetch: ok({ actions: [approve, sign] }),
}
const sending: ScriptedResponses = {
  ...paying,
  options: offering(option({ actions: [send, statement] })),
}
const storeWith = (outputs: ReadonlyArray<string>) => {
  const store = fakeStore()
  KeptPayment.save(store, { walletId: "example.foxglove", resume: { ...resume, outputs } })
  return store
}
/** Picks what is offered first; where it is offered again, the payer leaves. */
const pickOrLeave = (session: Session.Session, step: Machine.Step): void => {
  if (step._tag !== "Choosing") return
  if (step.notice === undefined) session.pick(step.options[0] ?? option())
  else session.leave()
}
const connected = async (page: Page, wallet: InjectedWallet) => {
  await page.session.connect(wallet)
  return page
}

describe("Session.connect, in the checkout", () => {
  it("pays: options for every account and chain, the wallet's step, confirm, receipt", async () => {
    const { wallet } = fakeWallet()
    const store = fakeStore()
    const page = await connected(pageOn(paying, store), wallet)
    assert.deepStrictEqual(page.of("options"), [JSON.stringify({ accounts: [account] })])
    const expected = { optionId: "option-1", results: [{ type: "walletRpc", data: ["0x51"] }] }
    assert.deepStrictEqual(page.of("confirm"), [JSON.stringify(expected)])
    assert.deepStrictEqual(page.screens, [
      "Connecting",
      "Preparing",
      "Choosing",
      "Preparing",
      "Asking",
      "Confirming",
      "Processing",
      "Succeeded",
    ])
    assert.strictEqual(store.held.size, 0)
  })

  it("saves the signature until it was submitted", async () => {
    const store = fakeStore()
    const held: Array<number | undefined> = []
    const look = () => held.push(KeptPayment.load(store, paymentId)?.resume.outputs.length)
    const { wallet } = fakeWallet({
      eth_signTypedData_v4: () => {
        look()
        return "0x51"
      },
    })
    const answers: ScriptedResponses = {
      ...twoSteps,
      confirm: () => {
        look()
        return { body: processing }
      },
      status: () => {
        look()
        return { body: succeeded }
      },
    }
    await connected(pageOn(answers, store), wallet)
    assert.deepStrictEqual(held, [1, 2, undefined])
  })

  it("opens the form of an option, and sends no data itself", async () => {
    const collectData = { fields: [], schema: {}, url: "https://pay.example/collect/?pid=1" }
    const page = pageOn({ ...paying, options: offering(option({ collectData })) })
    await connected(page, fakeWallet().wallet)
    assert.include(page.screens, "Collecting")
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.notInclude(page.of("confirm")[0] ?? "", "collectedData")
  })

  it("returns to the options when the payer rejects the request", async () => {
    const { wallet } = fakeWallet({
      eth_signTypedData_v4: () => Promise.reject(walletError(4001)),
    })
    const page = pageOn(paying)
    const asking = page.until("Asking")
    void page.session.connect(wallet)
    await asking
    await page.until("Choosing")
    assert.deepInclude(page.screen(), { notice: { _tag: "Rejected" } })
    assert.deepStrictEqual(page.of("confirm"), [])
  })

  it("requests only the remaining step after a rejection between two steps", async () => {
    let isWilling = false
    const { wallet, asked } = fakeWallet({
      eth_signTypedData_v4: () => (isWilling ? "0x51" : Promise.reject(walletError(4001))),
    })
    const page = await connected(pageOn(twoSteps), wallet)
    assert.deepStrictEqual(page.screen(), {
      _tag: "Halted",
      notice: { _tag: "Rejected" },
      mayLeave: true,
    })
    isWilling = true
    await page.session.again()
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.lengthOf(
      asked.filter((method) => method === "eth_sendTransaction"),
      1,
    )
  })

  it.each([
    ["WrongNetwork", { wallet_switchEthereumChain: () => Promise.reject(walletError(4902)) }],
    ["Pending", { eth_signTypedData_v4: () => Promise.reject(walletError(-32_002)) }],
    ["WalletFailed", { eth_signTypedData_v4: () => Promise.reject(new Error("locked")) }],
    ["WalletFailed", { eth_requestAccounts: () => Promise.reject(walletError(5100)) }],
    ["Unreachable", { eth_requestAccounts: () => Promise.reject(walletError("unreachable")) }],
    ["Disconnected", { eth_signTypedData_v4: () => Promise.reject(walletError(4900)) }],
    ["Disconnected", { eth_chainId: () => Promise.reject(walletError(4900)) }],
    ["NoAccount", { eth_requestAccounts: () => [] }],
    ["Pending", { eth_requestAccounts: () => Promise.reject(walletError(-32_002)) }],
  ] as const)("shows %s, and lets the payer try again", async (notice, does) => {
    const page = await connected(pageOn(paying), fakeWallet(does).wallet)
    const screen = page.screen()
    assert.strictEqual(screen._tag === "Halted" ? screen.notice._tag : screen._tag, notice)
    assert.deepStrictEqual(page.of("confirm"), [])
  })

  it("returns to the start when the payer rejects the connection", async () => {
    const { wallet } = fakeWallet({
      eth_requestAccounts: () => Promise.reject(walletError(4001)),
    })
    const page = await connected(pageOn({}), wallet)
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Rejected" } })
  })

  it.each([
    ["NoFit", { options: offering() }],
    ["Refused", { options: refuse(451, "sanctioned_user") }],
    ["Halted", { options: refuse(401, "invalid_api_key") }],
    // The page's own watching says how a payment ended.
    ["Waiting", { options: refuse(410, "payment_expired") }],
    ["Waiting", { options: ok({ options: null }), status: ok(final("cancelled")) }],
  ] as const)("shows %s", async (tag, answers) => {
    const page = await connected(pageOn(answers), fakeWallet().wallet)
    assert.strictEqual(page.screen()._tag, tag)
  })

  it("offers options again, without the old signature, if the option expired", async () => {
    const store = storeWith(["0x7a"])
    const page = pageOn({ ...paying, confirm: refuse(409, "quote_expired") }, store)
    const choosing = page.until("Choosing")
    void page.session.connect(fakeWallet().wallet)
    await choosing
    assert.deepInclude(page.screen(), { notice: { _tag: "OptionExpired" } })
    assert.strictEqual(store.held.size, 0)
  })
})

describe("Session.resume, in the checkout", () => {
  it("submits a signature from before a reload, without any wallet", async () => {
    const store = storeWith(["0x7a", "0x51"])
    const page = pageOn(paying, store)
    await page.session.resume()
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.deepStrictEqual(page.of("options"), [])
    assert.strictEqual(store.held.size, 0)
  })

  it("keeps the signature, with no other way to pay, while the service is unreachable", async () => {
    const store = storeWith(["0x7a", "0x51"])
    const page = pageOn({ confirm: refuse(503, "unavailable") }, store)
    await page.session.resume()
    assert.deepStrictEqual(page.screen(), {
      _tag: "Halted",
      notice: { _tag: "Service" },
      mayLeave: false,
    })
    assert.isDefined(KeptPayment.load(store, paymentId))
  })

  it("waits for the wallet that was in use, and continues with it automatically", async () => {
    const page = pageOn(paying, storeWith(["0x7a"]))
    await page.session.resume()
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "GoOn" } })
    const other = fakeWallet()
    await page.session.announced({ ...other.wallet, id: "example.harbour" })
    assert.deepStrictEqual(other.asked, [])
    const { wallet, asked } = fakeWallet()
    await page.session.announced(wallet)
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.notInclude(asked, "eth_requestAccounts")
    assert.notInclude(asked, "eth_sendTransaction")
  })

  it("starts once even if a wallet announces itself again", async () => {
    const page = pageOn(paying, storeWith(["0x7a"]))
    const { wallet, asked } = fakeWallet()
    await Promise.all([page.session.announced(wallet), page.session.announced(wallet)])
    assert.lengthOf(
      asked.filter((method) => method === "eth_accounts"),
      1,
    )
    assert.strictEqual(page.screen()._tag, "Succeeded")
  })
})

describe("Session.leave, in the checkout", () => {
  /** The wallet answers with a transaction's hash once the payer has left. */
  const leftBeforeAnswer = async (answers: ScriptedResponses) => {
    const store = fakeStore()
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { wallet } = fakeWallet({
      eth_sendTransaction: () => {
        reach()
        return answered
      },
    })
    const page = pageOn(answers, store)
    const attempt = page.session.connect(wallet)
    await reached
    page.session.leave()
    answer("0x7a")
    await attempt
    return { page, store }
  }

  it("forgets an attempt without a response, and ignores a late one", async () => {
    const { page, store } = await leftBeforeAnswer(twoSteps)
    assert.strictEqual(page.screen()._tag, "Waiting")
    assert.strictEqual(store.held.size, 0)
    assert.deepStrictEqual(page.of("confirm"), [])
  })

  it("remembers what the wallet sent, however late it responds", async () => {
    const { store } = await leftBeforeAnswer(sending)
    assert.deepStrictEqual(KeptPayment.load(store, paymentId)?.resume.outputs, ["0x7a"])
  })
})

type Question = PromiseWithResolvers<string>

/** A wallet whose payer takes time over what it is asked to send, the first and the second time. */
const slowWallet = () => {
  const first = Promise.withResolvers<Question>()
  const second = Promise.withResolvers<Question>()
  const questions = [first, second]
  const { wallet, asked } = fakeWallet({
    eth_sendTransaction: () => {
      const question: Question = Promise.withResolvers()
      questions.shift()?.resolve(question)
      return question.promise
    },
  })
  return { wallet, asked, first: first.promise, second: second.promise }
}

/** A page that the payer left while the wallet asks. `question` is the wallet's open request. */
const leftOpen = async (
  answers: ScriptedResponses = sending,
  does?: (session: Session.Session, step: Machine.Step) => void,
) => {
  const store = fakeStore()
  const slow = slowWallet()
  const page = pageOn(answers, store, does)
  const left = page.session.connect(slow.wallet)
  const question = await slow.first
  page.session.leave()
  return { ...slow, store, page, left, question }
}

const known: SentMoney.Transfer = { ...transfer, stage: "known" }
const sentIn = (store: TabStore.Store) => SentMoney.load(store, paymentId)
const no = () => Promise.reject(walletError(4001))
const countOf = (asked: ReadonlyArray<string>, method: string) =>
  asked.filter((each) => each === method).length

describe("Session.cancel, in the checkout", () => {
  const cancelled = ok({ paymentId, status: "cancelled", cancelledReason: "cancelled_by_user" })

  it("cancels the payment, and shows that", async () => {
    const page = pageOn({ cancel: cancelled })
    await page.session.cancel()
    assert.deepStrictEqual(page.screen(), { _tag: "Unpaid", how: "cancelled", notice: undefined })
  })

  it("reports a failed cancellation with the payment's status", async () => {
    const page = pageOn({ cancel: refuse(409, "state_refused") })
    await page.session.cancel()
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Service" } })
  })
})

describe("a payment that the wallet itself sends", () => {
  /** A page that is closed while the wallet asks the payer. */
  const closedWhileAsking = async () => {
    const store = fakeStore()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const page = pageOn(sending, store)
    const { wallet } = fakeWallet({
      eth_sendTransaction: () => {
        reach()
        return new Promise(() => undefined)
      },
    })
    void page.session.connect(wallet)
    await reached
    return store
  }

  it("cannot be cancelled while it may be on its way", async () => {
    const store = fakeStore()
    await connected(pageOn(sending, store), fakeWallet({ personal_sign: no }).wallet)
    const pages = [
      pageOn({ cancel: refuse(500, "unexpected") }, store),
      pageOn({ cancel: refuse(500, "unexpected") }, await closedWhileAsking()),
      pageOn({ cancel: refuse(500, "unexpected") }, storeWith(["0x7a", "0x51"])),
    ]
    for (const page of pages) {
      // oxlint-disable-next-line no-await-in-loop -- One page after another.
      await page.session.cancel()
      assert.deepStrictEqual(page.of("cancel"), [])
    }
  })

  it("is not requested again after a reload, and the payer is asked to check the wallet", async () => {
    const page = pageOn(sending, await closedWhileAsking())
    const { asked, wallet } = fakeWallet()
    await page.session.resume()
    await page.session.announced(wallet)
    const screen = page.screen()
    assert.strictEqual(screen._tag === "Waiting" ? screen.notice?._tag : screen._tag, "MayBeSent")
    assert.deepStrictEqual(asked, [])
    await page.session.connect(wallet)
    assert.strictEqual(page.screen()._tag, "Succeeded")
  })

  it("is not marked as requested once the wallet has responded", async () => {
    const store = fakeStore()
    const { wallet } = fakeWallet({ eth_sendTransaction: no })
    await connected(pageOn(sending, store, pickOrLeave), wallet)
    assert.strictEqual(store.held.size, 0)
  })

  it("cannot be left once it is sent, and only the missing step is requested again", async () => {
    const store = fakeStore()
    let isWilling = false
    const { wallet, asked } = fakeWallet({ personal_sign: () => (isWilling ? "0x52" : no()) })
    const shown: Array<Machine.Step> = []
    const page = pageOn(sending, store, (session, step) => {
      if (step._tag === "Choosing") session.pick(step.options[0] ?? option())
      if ("mayLeave" in step) shown.push(step)
    })
    await page.session.connect(wallet)
    assert.deepStrictEqual(
      shown.map((step) => "mayLeave" in step && step.mayLeave),
      [true, false, false],
    )
    assert.deepInclude(page.screen(), { _tag: "Halted", notice: { _tag: "Unsigned" } })
    assert.deepStrictEqual(KeptPayment.load(store, paymentId)?.resume.outputs, ["0x7a"])
    page.session.leave()
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Sent" } })
    assert.deepStrictEqual(KeptPayment.load(store, paymentId)?.resume.outputs, ["0x7a"])
    isWilling = true
    assert.deepStrictEqual(sentIn(store), [transfer])
    await page.session.connect(wallet)
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.strictEqual(countOf(asked, "eth_sendTransaction"), 1)
    assert.isUndefined(KeptPayment.load(store, paymentId))
    assert.deepStrictEqual(sentIn(store), [known])
  })

  it("is not requested again if its offer expired, and its hash is kept", async () => {
    const store = fakeStore()
    const late: ScriptedResponses = { ...sending, confirm: refuse(409, "quote_expired") }
    await connected(pageOn(late, store, pickOrLeave), fakeWallet().wallet)
    const page = pageOn(late, store)
    await page.session.resume()
    assert.deepInclude(page.screen(), {
      _tag: "Halted",
      notice: { _tag: "SentLate" },
      mayLeave: false,
    })
    assert.strictEqual(KeptPayment.load(store, paymentId)?.resume.outputs[0], "0x7a")
    assert.deepStrictEqual(sentIn(store), [known])
    page.session.leave()
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "SentLate" } })
  })

  it.each([
    ["the payer is refused", { status: ok(final("failed", { failureCode: "declined_user" })) }],
    ["the payment fails", { status: ok(final("failed", { failureCode: null })) }],
    ["the payment expired meanwhile", { confirm: refuse(410, "payment_expired") }],
    [
      "the payment was cancelled meanwhile",
      { confirm: refuse(400, "invalid_state"), status: ok(final("cancelled")) },
    ],
  ])("is kept with its hash as known to the service if %s", async (_, answers) => {
    const store = fakeStore()
    await connected(pageOn({ ...sending, ...answers }, store), fakeWallet().wallet)
    assert.isUndefined(KeptPayment.load(store, paymentId))
    assert.deepStrictEqual(Session.moneyKept(store, paymentId), {
      transfers: [known],
      mayBeSent: false,
    })
  })

  it("is signed for, but not known, until the service has accepted it", async () => {
    const store = fakeStore()
    const unreached: ScriptedResponses = { ...sending, confirm: refuse(503, "unavailable") }
    await connected(pageOn(unreached, store), fakeWallet().wallet)
    assert.deepStrictEqual(sentIn(store), [{ ...transfer, stage: "signed" }])
    const later = pageOn({ confirm: refuse(410, "payment_expired") }, store)
    await later.session.resume()
    assert.deepStrictEqual(sentIn(store), [known])
  })

  it("is signed for and reported even if the payment ended during the request", async () => {
    const store = fakeStore()
    const { wallet, asked, first } = slowWallet()
    const page = pageOn({ ...sending, confirm: refuse(410, "payment_expired") }, store)
    const attempt = page.session.connect(wallet)
    const question = await first
    page.session.stop()
    question.resolve("0x7a")
    await attempt
    assert.strictEqual(countOf(asked, "personal_sign"), 1)
    assert.deepStrictEqual(sentIn(store), [known])
  })

  it("is stopped by the payment's end if the wallet only signs", async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
    const page = pageOn(paying)
    const attempt = page.session.connect(
      fakeWallet({
        eth_signTypedData_v4: () => {
          reach()
          return answered
        },
      }).wallet,
    )
    await reached
    page.session.stop()
    answer("0x51")
    await attempt
    assert.deepStrictEqual(page.of("confirm"), [])
  })

  it("is signed for by a wallet that connects after the end", async () => {
    const store = fakeStore()
    await connected(pageOn(sending, store), fakeWallet({ personal_sign: no }).wallet)
    assert.deepStrictEqual(sentIn(store), [transfer])
    // A payment that is over takes no token any more.
    const page = pageOn({ confirm: refuse(410, "payment_expired") }, store, undefined, [])
    const { wallet, asked } = fakeWallet()
    await page.session.resume()
    await page.session.announced(wallet)
    assert.strictEqual(countOf(asked, "personal_sign"), 1)
    assert.strictEqual(countOf(asked, "eth_sendTransaction"), 0)
    assert.deepStrictEqual(sentIn(store), [known])
  })

  it.each([
    ["the payer says no to", { personal_sign: no }, "Unsigned"],
    [
      "the wallet fails at",
      { personal_sign: () => Promise.reject(new Error("locked")) },
      "Unsigned",
    ],
    ["the payer does not connect for", { eth_requestAccounts: no }, "Rejected"],
    ["the wallet shares no account for", { eth_requestAccounts: () => [] }, "NoAccount"],
    [
      "the wallet shares another account for",
      { eth_requestAccounts: () => [`0x${"2".repeat(40)}`] },
      "OtherAccount",
    ],
  ] as const)("is shown as unsigned after the end if %s it", async (_, does, expected) => {
    const store = fakeStore()
    await connected(pageOn(sending, store), fakeWallet({ personal_sign: no }).wallet)
    const page = pageOn({}, store, undefined, [], final("cancelled"))
    await page.session.connect(fakeWallet(does).wallet)
    assert.deepStrictEqual(page.screen(), {
      _tag: "Unpaid",
      how: "cancelled",
      notice: { _tag: expected },
    })
    assert.deepStrictEqual(sentIn(store), [transfer])
  })

  it("is shown as unreported after the end if the service is unreachable", async () => {
    const store = fakeStore()
    await connected(pageOn(sending, store), fakeWallet({ personal_sign: no }).wallet)
    const unreached: ScriptedResponses = { confirm: refuse(503, "unavailable") }
    const page = pageOn(unreached, store, undefined, [], final("cancelled"))
    await page.session.connect(fakeWallet().wallet)
    assert.deepInclude(page.screen(), { _tag: "Unpaid", notice: { _tag: "Service" } })
    assert.deepStrictEqual(sentIn(store), [{ ...transfer, stage: "signed" }])
  })

  it("is not sent twice if the browser allows no storage", async () => {
    const store = TabStore.make(() => assert.fail("forbidden"))
    let isWilling = false
    const { wallet, asked } = fakeWallet({ personal_sign: () => (isWilling ? "0x52" : no()) })
    const page = await connected(pageOn(sending, store), wallet)
    isWilling = true
    await page.session.again()
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.strictEqual(countOf(asked, "eth_sendTransaction"), 1)
  })

  it("may have been sent before, even if the account is refused now", async () => {
    const page = pageOn({ options: refuse(451, "sanctioned_user") }, await closedWhileAsking())
    await page.session.connect(fakeWallet().wallet)
    assert.strictEqual(page.screen()._tag, "Refused")
    assert.isTrue(page.money().mayBeSent)
  })

  it("is not paid again by another account, nor by one that does not connect", async () => {
    const store = fakeStore()
    await connected(pageOn(sending, store), fakeWallet({ personal_sign: no }).wallet)
    const kept = KeptPayment.load(store, paymentId)
    const page = pageOn(sending, store)
    await page.session.resume()
    const sent = { _tag: "Waiting", notice: { _tag: "Sent" } } as const
    assert.deepStrictEqual(page.screen(), sent)
    const other = fakeWallet({ eth_requestAccounts: () => [`0x${"2".repeat(40)}`] })
    await page.session.connect(other.wallet)
    assert.deepStrictEqual(page.screen(), sent)
    await page.session.connect(fakeWallet({ eth_requestAccounts: no }).wallet)
    assert.deepStrictEqual(page.screen(), sent)
    assert.deepStrictEqual(page.calls, [])
    assert.deepStrictEqual(KeptPayment.load(store, paymentId), kept)
  })

  it.each([
    ["a question is open already", () => Promise.reject(walletError(-32_002))],
    ["the wallet is at fault", () => Promise.reject(walletError(-32_603))],
    ["the wallet is cut off", () => Promise.reject(walletError(4900))],
    ["nobody knows why", () => Promise.reject(new Error("timeout"))],
    ["the answer is no hash", () => null],
  ])(
    "may have been sent if %s: the payer is asked to check, and not to try again",
    async (_, answer) => {
      const store = fakeStore()
      const page = await connected(
        pageOn(sending, store),
        fakeWallet({ eth_sendTransaction: answer }).wallet,
      )
      const looking = { _tag: "Waiting", notice: { _tag: "MayBeSent" } } as const
      assert.deepStrictEqual(page.screen(), looking)
      assert.isTrue(KeptPayment.load(store, paymentId)?.mayBeSent)
      // Other ways are open to who has looked; going there forgets nothing, nor does a later no.
      page.session.leave()
      assert.deepStrictEqual(page.screen(), looking)
      await page.session.connect(fakeWallet({ eth_sendTransaction: no }).wallet)
      assert.deepStrictEqual(page.screen(), looking)
      assert.isTrue(KeptPayment.load(store, paymentId)?.mayBeSent)
      assert.lengthOf(page.of("options"), 2)
    },
  )

  it("may have been sent by a wallet that never responds and is left", async () => {
    const { left, page, question, store } = await leftOpen()
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "MayBeSent" } })
    assert.isTrue(KeptPayment.load(store, paymentId)?.mayBeSent)
    question.reject(walletError(4001))
    await left
    assert.strictEqual(store.held.size, 0)
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: undefined })
  })

  it("is shown as sent when the wallet responds after it was left", async () => {
    const { left, page, question } = await leftOpen()
    question.resolve("0x7a")
    await left
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Sent" } })
    assert.deepStrictEqual(page.money().transfers, [transfer])
  })

  it("is not sent if the wallet does not switch the network, and needs no check", async () => {
    const store = fakeStore()
    const { wallet, asked } = fakeWallet({
      wallet_switchEthereumChain: () => Promise.reject(walletError(4902)),
    })
    const page = await connected(pageOn(sending, store), wallet)
    assert.deepInclude(page.screen(), { notice: { _tag: "WrongNetwork", chain: base } })
    assert.notInclude(asked, "eth_sendTransaction")
    assert.strictEqual(store.held.size, 0)
  })

  it.each([
    ["the payment ended", (session: Session.Session) => session.stop()],
    ["the payer left", (session: Session.Session) => session.leave()],
  ])("is not requested if %s while the wallet switched the network", async (_, end) => {
    const store = fakeStore()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const { wallet: usual, asked } = fakeWallet()
    const wallet: InjectedWallet = {
      ...usual,
      provider: {
        request: async (request) => {
          if (request.method === "wallet_switchEthereumChain") {
            reach()
            await answered
          }
          return usual.provider.request(request)
        },
      },
    }
    const page = pageOn(sending, store)
    const attempt = page.session.connect(wallet)
    await reached
    end(page.session)
    answer()
    await attempt
    assert.include(asked, "wallet_switchEthereumChain")
    assert.notInclude(asked, "eth_sendTransaction")
    assert.deepStrictEqual(page.money(), { transfers: [], mayBeSent: false })
    assert.strictEqual(store.held.size, 0)
  })

  it("stays marked during a newer attempt, whatever happens to the one that was left", async () => {
    const { left, page, question: older, second, store, wallet } = await leftOpen()
    const newer = page.session.connect(wallet)
    const question = await second
    older.reject(walletError(4001))
    await left
    assert.isTrue(KeptPayment.load(store, paymentId)?.mayBeSent)
    question.resolve("0x7b")
    await newer
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.isUndefined(KeptPayment.load(store, paymentId))
    assert.isFalse(page.money().mayBeSent)
  })

  it("is not sent again by an open choice when the wallet reports late that it was sent", async () => {
    const store = fakeStore()
    const { wallet, asked, first } = slowWallet()
    let isPicking = true
    const page = pageOn(sending, store, (session, step) => {
      if (step._tag === "Choosing" && isPicking) session.pick(step.options[0] ?? option())
    })
    const left = page.session.connect(wallet)
    const question = await first
    isPicking = false
    page.session.leave()
    const choosing = page.until("Choosing")
    const newer = page.session.connect(wallet)
    await choosing
    question.resolve("0x7a")
    await left
    page.session.pick(option({ actions: [send, statement] }))
    await newer
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Sent" } })
    assert.deepStrictEqual(KeptPayment.load(store, paymentId)?.resume.outputs, ["0x7a"])
    assert.strictEqual(countOf(asked, "eth_sendTransaction"), 1)
  })

  it("is kept when the wallet reports late that it was sent, while a newer attempt pays", async () => {
    let offered = option({ actions: [send, statement] })
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    const answers: ScriptedResponses = {
      ...paying,
      options: () => ({ body: { options: [offered] } }),
      confirm: () => {
        confirm()
        return { body: processing }
      },
    }
    const { left, page, question, store, wallet } = await leftOpen(answers)
    offered = option({ id: "option-2" })
    const newer = page.session.connect(wallet)
    await confirmed
    question.resolve("0x7a")
    await left
    await newer
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.deepStrictEqual(KeptPayment.load(store, paymentId)?.resume.outputs, ["0x7a"])
  })

  it("is not sent again by a preparing attempt when the wallet reports late that it was sent", async () => {
    let offered = option({ actions: [send, statement] })
    const { asked, left, page, question, wallet } = await leftOpen(
      { ...sending, options: () => ({ body: { options: [offered] } }) },
      (session, step) => {
        if (step._tag === "Choosing") session.pick(step.options[0] ?? option())
      },
    )
    const collectData = { url: "https://pay.example/form", fields: [], schema: {} }
    offered = option({ id: "option-2", actions: [send, statement], collectData })
    const collecting = page.until("Collecting")
    const newer = page.session.connect(wallet)
    await collecting
    question.resolve("0x7a")
    await left
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Sent" } })
    page.session.collected(true)
    await newer
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Sent" } })
    assert.strictEqual(countOf(asked, "eth_sendTransaction"), 1)
  })

  it("is neither forgotten nor paid again when the wallet signs in a newer attempt", async () => {
    const store = fakeStore()
    const { wallet: slow, first } = slowWallet()
    const { promise: asking, resolve: ask } = Promise.withResolvers<void>()
    const { promise: signed, resolve: giveSignature } = Promise.withResolvers<string>()
    const wallet: InjectedWallet = {
      ...slow,
      provider: {
        request: (request) => {
          if (request.method !== "eth_signTypedData_v4") return slow.provider.request(request)
          ask()
          return signed
        },
      },
    }
    let offered = option({ actions: [send, statement] })
    const page = pageOn({ ...paying, options: () => ({ body: { options: [offered] } }) }, store)
    const left = page.session.connect(wallet)
    const question = await first
    page.session.leave()
    offered = option({ id: "option-2" })
    const newer = page.session.connect(wallet)
    await asking
    question.resolve("0x7a")
    await left
    giveSignature("0x51")
    await newer
    assert.deepStrictEqual(page.of("confirm"), [])
    assert.deepStrictEqual(KeptPayment.load(store, paymentId)?.resume.outputs, ["0x7a"])
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "Sent" } })
  })

  it("is not paid again by a signature from before a reload while it may have been sent", async () => {
    const store = fakeStore()
    const signature = { ...resume, outputs: ["0x7a", "0x51"] }
    KeptPayment.save(store, {
      walletId: "example.foxglove",
      resume: signature,
      mayBeSent: true,
    })
    const page = pageOn(paying, store)
    await page.session.resume()
    await page.session.announced(fakeWallet().wallet)
    assert.deepStrictEqual(page.screen(), { _tag: "Waiting", notice: { _tag: "MayBeSent" } })
    assert.deepStrictEqual(page.calls, [])
    await page.session.connect(fakeWallet().wallet)
    assert.strictEqual(page.screen()._tag, "Succeeded")
  })

  it("may still have been sent after a newer attempt paid and the page was reloaded", async () => {
    const { left, page, question: older, second, store, wallet } = await leftOpen()
    const newer = page.session.connect(wallet)
    const question = await second
    question.resolve("0x7b")
    await newer
    assert.strictEqual(page.screen()._tag, "Succeeded")
    assert.isTrue(Session.moneyKept(store, paymentId).mayBeSent)
    const reloaded = pageOn({}, store, undefined, undefined, succeeded)
    await reloaded.session.resume()
    assert.strictEqual(reloaded.screen()._tag, "Succeeded")
    assert.isTrue(reloaded.money().mayBeSent)
    older.reject(walletError(4001))
    await left
    assert.isUndefined(KeptPayment.load(store, paymentId))
  })

  it("is not requested shortly before its offer expires: the payer chooses again", async () => {
    const store = fakeStore()
    const { wallet, asked } = fakeWallet()
    const page = pageOn(sending, store, pickOrLeave, [amount], open, () => 1_799_999_971_000)
    await page.session.connect(wallet)
    assert.notInclude(asked, "eth_sendTransaction")
    assert.lengthOf(page.of("options"), 2)
    assert.deepStrictEqual(page.money(), { transfers: [], mayBeSent: false })
    assert.strictEqual(store.held.size, 0)
  })
})

describe("a wallet on another device", () => {
  /** What it is told, and whether an attempt needs its connection. */
  const remoteWallet = (
    accounts: ReadonlyArray<string>,
    does: Parameters<typeof fakeWallet>[0] = {},
  ) => {
    const fake = fakeWallet(does)
    let holds = 0
    let isConnected = true
    const wallet: InjectedWallet = {
      ...fake.wallet,
      remote: {
        brand: "Brand",
        accounts: () => accounts,
        isConnected: () => isConnected,
        hold: () => {
          holds++
          return () => {
            holds--
          }
        },
        watch: () => () => undefined,
      },
    }
    return {
      asked: fake.asked,
      wallet,
      holds: () => holds,
      disconnect: () => {
        isConnected = false
      },
    }
  }

  it("gets options only for the chains that it shares", async () => {
    const shared = `eip155:10:0x${"22".repeat(20)}`
    const page = await connected(pageOn(paying), remoteWallet([shared]).wallet)
    assert.deepStrictEqual(page.of("options"), [JSON.stringify({ accounts: [shared] })])
  })

  it("keeps its connection until an attempt is over, even if the payer left it", async () => {
    const signed = Promise.withResolvers<string>()
    const remote = remoteWallet([account], { eth_signTypedData_v4: () => signed.promise })
    const page = pageOn(paying)
    const asking = page.until("Asking")
    const paid = page.session.connect(remote.wallet)
    await asking
    page.session.leave()
    assert.strictEqual(remote.holds(), 1)
    signed.resolve("0x51")
    await paid
    assert.strictEqual(remote.holds(), 0)
  })

  it("is connected again when the payer retries after the connection ended", async () => {
    let isGone = true
    const remote = remoteWallet([account], {
      eth_signTypedData_v4: () => (isGone ? Promise.reject(walletError(4900)) : "0x51"),
    })
    const page = await connected(pageOn(paying), remote.wallet)
    remote.disconnect()
    isGone = false
    await page.session.again()
    assert.strictEqual(remote.asked.filter((method) => method === "eth_requestAccounts").length, 2)
    assert.strictEqual(page.screen()._tag, "Succeeded")
  })
})
