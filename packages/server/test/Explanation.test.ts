import { assert, describe, it } from "@effect/vitest"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import type * as Evidence from "@florin/core/engine/status/Evidence"
import * as Verdict from "@florin/core/engine/status/Verdict"
import * as Fixtures from "@florin/testing/Fixtures"
import { Result } from "effect"
import * as TimelineView from "../src/views/TimelineView.ts"
import * as TimeView from "../src/views/TimeView.ts"

const display = { publicUrl: "https://pay.example.com", catalog: BuiltIn.catalog }

/** What the operator's API shows of the evidence. */
const explain = (evidence: Evidence.Evidence) => ({
  timeline: TimelineView.timeline(evidence, display),
  verdict: Verdict.judge(evidence),
})

const world = Fixtures.make("explained")

/** The slots that a write takes. */
const slotsOf = ({ outflows, payments }: Change.Write): ReadonlyArray<Lane.Slot> => [
  ...payments.flatMap(({ payment: { state } }) =>
    state._tag === "Processing" && state.slot !== null ? [state.slot] : [],
  ),
  ...outflows.flatMap(({ outflow: { state } }) => (state._tag === "Sent" ? [state.slot] : [])),
]

const isShort = (payment: Payment.Payment): boolean => {
  const state = Payment.refundOf(payment)?.state
  return state?._tag === "Pending" && state.waitsForFloat
}

/** What a storage knows of the payment of a path. */
const knownBy = (path: ReadonlyArray<Change.Write>): Evidence.Evidence => {
  const { inflow, payment } = Fixtures.statesAfter(path)
  const ids = [
    ...Payment.outflowIds(payment),
    ...(inflow?.state._tag === "Returning" ? [inflow.state.outflowId] : []),
  ]
  const written = path.flatMap(({ outflows }) => outflows.map(({ outflow }) => outflow))
  return {
    catalog: BuiltIn.catalog,
    payment,
    merchant: world.merchant({ id: payment.merchantId }),
    partner: world.partner(),
    payouts: PayoutPolicy.immediate,
    outflows: ids.flatMap((id) => written.findLast((each) => each.id === id) ?? []),
    inflows: inflow === undefined ? [] : [inflow],
    events: path.flatMap(({ payments }) =>
      payments.flatMap(({ event, payment: after }) =>
        event === undefined ? [] : [Event.make(event, after)],
      ),
    ),
    ledger: path.flatMap(({ outflows, payments }) => [
      ...payments.flatMap(({ ledger }) => ledger),
      ...outflows.flatMap(({ ledger }) => ledger.map(({ transaction }) => transaction)),
    ]),
    transactions: path
      .flatMap(slotsOf)
      .map(({ lane, nonce }) => Fixtures.laneTransaction(lane, nonce)),
    deliveries: [],
    missing: isShort(payment) ? 5n : 0n,
    halted: [],
    audited: [],
    now: payment.updatedAt,
  }
}

/** What a storage knows once a payment has come this far. */
const knownAt = (stage: Fixtures.Stage): Evidence.Evidence => knownBy(world.path(stage))

const toldAt = (stage: Fixtures.Stage) => explain(knownAt(stage))
const texts = (stage: Fixtures.Stage) => toldAt(stage).timeline.map(({ sentence }) => sentence)

/** How each ends, and how much of it is open. */
const verdicts: { readonly [S in Fixtures.Stage]: readonly [begins: string, open: number] } = {
  created: ["Not paid yet; waits for the payer until 20", 1],
  confirmed: ["Confirmed; waits for its money to be collected: make sure that a worker runs.", 1],
  relayed: ["Confirmed; waits for 0x", 1],
  owed: [
    "Paid, owed; waits for a settlement destination to be in effect: the merchant registers one with `florin merchants settlements add mrch_",
    1,
  ],
  settlementPending: ["Paid, not settled yet; waits for its payout to be sent", 1],
  gathered: [
    "Paid, not settled yet; waits for its payout to be sent: make sure that a worker runs.",
    1,
  ],
  settling: ["Paid, not settled yet; waits for its payout 0x", 1],
  settled: ["Paid, settled, nothing open.", 0],
  netted: ["Paid, settled, nothing open.", 0],
  settlementHeld: [
    "Paid, its payout is held; waits for you to retry its payout: fix the cause, then `florin payments settle pay_",
    1,
  ],
  refundPending: ["Paid, not settled, to be refunded; waits for its refund to be sent", 1],
  refundWaiting: ["Paid, not settled, to be refunded; waits for money to refund from", 1],
  refunding: ["Paid, not settled, to be refunded; waits for its refund 0x", 1],
  refunded: ["Paid, not settled, refunded, nothing open.", 0],
  refundHeld: [
    "Paid, not settled, its refund is held; waits for you to retry its refund: fix the cause, then `florin refunds retry pay_",
    1,
  ],
  refundAfterSettlement: ["Paid, settled, to be refunded; waits for its refund", 1],
  failed: ["Failed, nothing open.", 0],
  declined: ["Failed, nothing open.", 0],
  declinedUnconfirmed: ["Failed, nothing open.", 0],
  expired: ["Expired, nothing open.", 0],
  cancelledByUser: ["Cancelled, nothing open.", 0],
  cancelledByMerchant: ["Cancelled, nothing open.", 0],
  lateReported: ["Expired; waits for 0x", 1],
  lateSuspended: [
    "Expired; waits for unclaimed money to be returned: `florin unclaimed return unc_",
    1,
  ],
  lateReturning: ["Expired; waits for the return of unclaimed money to be sent", 1],
  lateReturnSent: ["Expired; waits for the return of unclaimed money 0x", 1],
  lateReturned: ["Expired, nothing open.", 0],
}

describe("Explanation", () => {
  for (const stage of Fixtures.stages) {
    it(`shows the current state of a payment: ${stage}`, () => {
      const { open, text } = toldAt(stage).verdict
      const [begins, count] = verdicts[stage]
      assert.strictEqual(text.slice(0, begins.length), begins)
      assert.strictEqual(open.length, count, text)
    })
  }

  it("shows the command that resumes a halted chain while money waits to be sent on it", () => {
    const verdictWhere = (stage: Fixtures.Stage, halted: Evidence.Evidence["halted"]) =>
      explain({ ...knownAt(stage), halted }).verdict.text
    const other = Caip.ChainId.make(Fixtures.chainId + 1)
    for (const stage of [
      "confirmed",
      "settlementPending",
      "gathered",
      "refundPending",
      "lateReturning",
    ] as const) {
      const usual = verdictWhere(stage, [])
      assert.strictEqual(verdictWhere(stage, [other]), usual)
      const stopped = verdictWhere(stage, [Fixtures.chainId])
      assert.match(
        stopped,
        /is stopped: find out why, then `florin chains resume eip155:31337`\.$/u,
      )
    }
    // What was signed before goes out again.
    assert.notInclude(verdictWhere("settling", [Fixtures.chainId]), "stopped")
  })

  it("names what the merchant still owes for a refund, and what helps", () => {
    const { returned: _, ...keeping } = Fixtures.feeTerms
    for (const [feeTerms, lacks] of [
      // Of 10 000 000 units, 100 000 are the fee.
      [keeping, "10000000"],
      [Fixtures.feeTerms, "9900000"],
    ] as const) {
      const path = world.path("refundAfterSettlement", { feeTerms })
      const { outflow, payment } = Fixtures.statesAfter(path)
      const why = { code: "credit", reason: "too little" } as const
      const current = { outflow: outflow ?? assert.fail("nothing goes out"), payments: [payment] }
      const waits = Outgoing.wait(current, why, Fixtures.now, Fixtures.now)
      const known = knownBy([...path, waits ?? assert.fail("it does not wait")])
      const [open = assert.fail("nothing is open")] = explain(known).verdict.open
      assert.include(open, `waits for ${lacks}`)
      assert.include(open, "from the next sales of its merchant")
      assert.include(open, `florin partners change ${payment.partnerId} --credit`)
      assert.strictEqual(open.includes("--fee-returned withRefund"), feeTerms === keeping)
    }
  })

  it("S24: advises not to send money again that moved another amount", () => {
    const failure = {
      reason: "the transaction moved no such money (0x1)",
      code: "moved",
      movedOtherwise: true,
    } as const
    const holds = [
      ["settling", "its payout"],
      ["refunding", "its refund"],
      ["lateReturnSent", "the return of unclaimed money"],
    ] as const
    for (const [stage, what] of holds) {
      const path = world.path(stage)
      const { outflow, payment } = Fixtures.statesAfter(path)
      if (outflow === null) return assert.fail("nothing goes out")
      const held = Outgoing.hold({ outflow, payments: [payment] }, failure, Fixtures.now)
      const known = knownBy([...path, held ?? assert.fail("it is not held")])
      const { open } = explain(known).verdict
      assert.deepStrictEqual(open, [
        `waits for you to look into ${what} (${outflow.id}): ${Transfer.whyNotRetried(failure.reason)}`,
      ])
      const transfer = world.evidenceOf(outflow.movement)
      const moved = { transfer, left: outflow.movement.quantity, transfers: [] }
      const told = Outgoing.hold(
        { outflow, payments: [payment] },
        { ...failure, moved },
        Fixtures.now,
      )
      const { verdict } = explain(knownBy([...path, told ?? assert.fail("not held")]))
      assert.match(
        verdict.text,
        /\(0x1\): (?<whole>.+) of \k<whole> arrived, and \k<whole> left the account/u,
      )
    }
  })

  it("shows until when a share waits for others, and by which payout policy", () => {
    const known = knownAt("settlementPending")
    const succeededAt =
      known.payment.state._tag === "Succeeded"
        ? known.payment.state.succeededAt
        : assert.fail("unpaid")
    const verdictBy = (text: string, now: number, halted: Evidence.Evidence["halted"] = []) => {
      const payouts = Result.getOrThrow(PayoutPolicy.parse(text))
      return explain({ ...known, payouts, now, halted }).verdict.text
    }
    const minuteInMs = 60_000
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
    const until = `${clock(succeededAt + 15 * minuteInMs)} (UTC)`
    assert.strictEqual(
      verdictBy("15m/500", succeededAt),
      `Paid, not settled yet; waits to be gathered with other shares until ${until} at the latest, by the payout policy 15m/500: nothing to do.`,
    )
    assert.match(
      verdictBy("15m", succeededAt, [Fixtures.chainId]),
      /15m: its chain is stopped: find out why, then `florin chains resume eip155:31337`\.$/u,
    )
    const day = new Date(succeededAt + 2880 * minuteInMs).toISOString().slice(0, 10)
    assert.include(
      verdictBy("2880m", succeededAt),
      `until ${day} ${clock(succeededAt)} (UTC) at the latest, by the payout policy 2880m`,
    )
    assert.include(
      verdictBy("15m", succeededAt + 15 * minuteInMs),
      "; waits for its payout to be sent: make sure that a worker runs.",
    )
  })

  it("shows with how many others a share is paid if one transfer pays several", () => {
    /** The same payout with the shares of three more payments. */
    const batched = (outflow: Outflow.Outflow): Outflow.Outflow => {
      if (outflow.purpose._tag !== "Settle") return outflow
      const [share] = outflow.purpose.shares
      if (share === undefined) return assert.fail("it carries nothing")
      const { merchantId, netted, quantity: each } = share
      const others = [1, 2, 3].map((index) => ({
        paymentId: PaymentId.PaymentId.make(`pay_other${index}`),
        merchantId,
        netted,
        quantity: each,
      }))
      const quantity = Money.Quantity.make(share.quantity * 4n)
      const movement = { ...outflow.movement, quantity }
      const { state } = outflow
      return {
        ...outflow,
        movement,
        purpose: { _tag: "Settle", shares: [share, ...others] },
        state:
          state._tag === "Paid" ? { ...state, transfer: { ...state.transfer, movement } } : state,
      }
    }
    const lineAt = (stage: Fixtures.Stage, begins: string) => {
      const known = knownAt(stage)
      const told = explain({ ...known, outflows: known.outflows.map(batched) })
      const line = told.timeline.find(({ sentence }) => sentence.startsWith(begins))
      return { line: line ?? assert.fail(begins), verdict: told.verdict.text }
    }
    const { line: gathered } = lineAt("gathered", "The merchant's share of")
    assert.match(
      gathered.sentence,
      /^The merchant's share of (\S+ \S+ on .+) was gathered with 3 other shares into one payout of \S+ \S+ on /u,
    )
    const { line: paid } = lineAt("settled", "The payout is final")
    assert.match(paid.sentence, /^The payout is final, with 3 other shares: /u)
    assert.include(gathered.sentence, paid.sentence.slice(paid.sentence.indexOf(": ") + 2))
    const { verdict } = lineAt("settlementHeld", "The payout is held: ")
    assert.include(verdict, "waits for you to retry its payout of 4 shares: fix the cause")

    const alone = texts("settled").join("\n")
    assert.include(alone, " became a payout of its own")
    assert.include(alone, "The payout is final: ")
  })

  it("names the payout that each of our transactions was for", () => {
    const purposes = [
      ["settling", "payout"],
      ["refunding", "refund"],
      ["lateReturnSent", "return"],
    ] as const
    const transactions = (told: ReturnType<typeof explain>) =>
      told.timeline.flatMap((item) => (item.kind === "transaction" ? [item] : []))
    for (const [stage, what] of purposes) {
      const sent = transactions(toldAt(stage)).at(-1)
      assert.include(sent?.sentence, ` for the ${what}: nonce `, stage)
      assert.match(sent?.record.outflowId ?? "", /^out_/u, stage)
    }
    const known = knownAt("settled")
    const [paid] = known.outflows
    if (paid?.state._tag !== "Paid") return assert.fail("it is not paid")
    const { txHash } = paid.state.transfer
    const outbid = known.transactions.map((each) => ({ ...each, earlierHashes: [txHash] }))
    const told = explain({ ...known, transactions: outbid })
    assert.include(
      transactions(told).map(({ record }) => record.outflowId),
      paid.id,
    )
  })

  it("shows that an operator retried a refund, or a return of late money", () => {
    for (const [stage, what] of [
      ["refunding", "the refund"],
      ["lateReturnSent", "the return"],
    ] as const) {
      const path = [...world.path(stage)]
      const step = (decide: (current: Outgoing.Current) => Change.Write | null) => {
        const { outflow, payment } = Fixtures.statesAfter(path)
        if (outflow === null) return assert.fail("nothing goes out")
        path.push(decide({ outflow, payments: [payment] }) ?? assert.fail("nothing changes"))
      }
      step((current) => Outgoing.hold(current, { reason: "blocked", code: "payee" }, Fixtures.now))
      step((current) => Outgoing.retry(current, Fixtures.now))
      const { timeline, verdict } = explain(knownBy(path))
      assert.include(
        timeline.map(({ sentence }) => sentence),
        `An operator retried ${what}`,
      )
      assert.include(verdict.text, " to be sent: make sure that a worker runs.")
    }
  })

  it("S7: shows why money out waits, and since when", () => {
    for (const [stage, what] of [
      ["gathered", "The payout"],
      ["settling", "The payout"],
      ["refunding", "The refund"],
      ["lateReturnSent", "The return"],
    ] as const) {
      const path = [...world.path(stage)]
      const { outflow, payment } = Fixtures.statesAfter(path)
      if (outflow === null) return assert.fail("nothing goes out")
      const obstacle = { code: "paused", reason: "the token is paused by its issuer" } as const
      const at = Fixtures.now + 5
      const waiting = Outgoing.wait({ outflow, payments: [payment] }, obstacle, at, at)
      path.push(waiting ?? assert.fail("nothing changes"))
      const { timeline, verdict } = explain(knownBy(path))
      const sentence = `${what} waits, and is retried automatically: ${obstacle.reason}`
      assert.deepInclude(
        timeline.find((item) => item.sentence === sentence),
        { at: TimeView.iso(at), kind: "outflow" },
      )
      assert.match(
        verdict.text,
        /retried automatically since .* \(UTC\), because the token is paused/u,
      )
    }
  })

  it("lists every event and ledger transaction, in order of time", () => {
    for (const stage of Fixtures.stages) {
      const known = knownAt(stage)
      const { timeline } = explain(known)
      const times = timeline.flatMap(({ at }) => (at === null ? [] : [at]))
      assert.deepStrictEqual(times, times.toSorted(), stage)
      assert.deepStrictEqual(
        timeline.flatMap((item) => (item.kind === "event" ? [item.record.id] : [])),
        known.events.map(({ id }) => id),
      )
      assert.deepStrictEqual(
        timeline.flatMap((item) => (item.kind === "ledger" ? [item.sentence] : [])),
        known.ledger.map(({ kind }) => `Ledger: ${kind}, which sums to zero`),
      )
    }
  })

  it("lists every hash of our transactions, and never what was signed", () => {
    const known = knownAt("settled")
    const [sent] = known.transactions
    if (sent === undefined) return assert.fail("nothing was sent")
    const outbid = { ...sent, earlierHashes: [Fixtures.hash("first"), Fixtures.hash("second")] }
    const told = JSON.stringify(explain({ ...known, transactions: [outbid] }).timeline)
    for (const hash of [outbid.hash, ...outbid.earlierHashes]) assert.include(told, hash)
    assert.include(told, `nonce ${sent.nonce}, signed again with a higher fee 2 times`)
    assert.notInclude(told, "ab".repeat(20))
    assert.notInclude(told, sent.raw)
  })

  it("reports a ledger transaction that does not sum to zero", () => {
    const known = knownAt("settled")
    const ledger = known.ledger.map(({ kind, postings }) => ({ kind, postings: postings.slice(1) }))
    const { timeline, verdict } = explain({ ...known, ledger })
    assert.include(
      timeline.map(({ sentence }) => sentence).join("\n"),
      "WHICH DOES NOT SUM TO ZERO",
    )
    assert.include(verdict.text, "a ledger that does not sum to zero")
  })

  it("lists each attempt of a webhook, without the path of its address", () => {
    const known = knownAt("created")
    const [event] = known.events
    if (event === undefined) return assert.fail("nothing was announced")
    const endpoint = { ...world.endpoint(), url: "https://shop.example.com/hooks?secret=word" }
    const made =
      Webhook.deliveryOf(event, endpoint, known.partner) ?? assert.fail("it is not wanted")
    const failed = { at: event.createdAt + 1, status: 500, error: null }
    const tried = Webhook.recordAttempt(made, failed)
    const { timeline, verdict } = explain({
      ...known,
      deliveries: [{ delivery: tried, endpoint, event }],
    })
    const told = timeline.filter(({ kind }) => kind === "delivery")
    const what = "Webhook payment.created to shop.example.com"
    assert.deepStrictEqual(
      told.map(({ at, sentence }) => [at, sentence]),
      [
        [TimeView.iso(event.createdAt + 1), `${what}, attempt 1: 500`],
        [TimeView.iso(event.createdAt + 5001), `${what} is due`],
      ],
    )
    assert.strictEqual(verdict.open.length, 2)
    assert.notInclude(JSON.stringify(timeline), "word")
  })

  it("shows the command that sends webhooks again, except for a disabled endpoint", () => {
    const known = knownAt("settled")
    const endpoints = [world.endpoint(), world.endpoint({ disabledAt: Fixtures.now })]
    const deliveries = endpoints.flatMap((endpoint) =>
      known.events.map((event) => ({
        delivery: {
          id: Webhook.deliveryId(endpoint.id, event.id),
          endpointId: endpoint.id,
          eventId: event.id,
          version: known.partner.versionPin,
          attempts: [],
          dueAt: null,
          state: "givenUp" as const,
        },
        endpoint,
        event,
      })),
    )
    const verdictOf = (those: typeof deliveries) =>
      explain({ ...known, deliveries: those }).verdict.text
    assert.strictEqual(
      verdictOf(deliveries),
      `Paid, settled; waits for ${known.events.length} webhooks that were given up: ` +
        `fix the receiver, then \`florin webhooks replay ${known.payment.id}\`.`,
    )
    assert.strictEqual(
      verdictOf(deliveries.slice(known.events.length)),
      "Paid, settled, nothing open.",
    )
  })

  it("shows what a person did about the payment, and why", () => {
    const known = knownAt("settled")
    const entry = {
      id: "aud_1",
      at: known.now,
      partnerId: known.payment.partnerId,
      mode: known.payment.mode,
      action: "payout.retried",
      subject: known.outflows[0]?.id ?? "",
      actor: { _tag: "Operator", name: "Ada", processId: null },
      requestId: null,
      reason: "ticket 7",
      changes: [],
    } as const
    const item = explain({ ...known, audited: [entry] }).timeline.at(-1)
    assert.strictEqual(item?.sentence, "In the audit log: payout.retried, by Ada")
    assert.deepInclude(item?.record, { subject: entry.subject, reason: "ticket 7" })
  })

  it("describes signatures in EVM terms only on EVM chains", () => {
    const signedIn = (flow: string, chainId: Caip.ChainId | undefined): string => {
      const known = knownAt("confirmed")
      const { state } = known.payment
      if (state._tag !== "Processing") return assert.fail(state._tag)
      const { option } = state.attempt
      const token = { ...option.token, ...(chainId !== undefined && { chainId }) }
      const attempt = { ...state.attempt, option: { ...option, flow, token } }
      const { timeline } = explain({
        ...known,
        payment: { ...known.payment, state: { ...state, attempt } },
      })
      return timeline
        .flatMap((item) => (item.kind === "confirmation" ? [item.record.signed] : []))
        .join()
    }
    assert.strictEqual(signedIn("permit2", undefined), "a Permit2 transfer")
    const another = "the message that its wallet was asked to sign"
    for (const flow of ["constructor", "pledge"]) {
      assert.strictEqual(signedIn(flow, undefined), another)
    }
    assert.strictEqual(signedIn("permit2", Caip.ChainId.make("harbour:north")), another)
  })

  it("shows what was paid, by which account, and what happened to it", () => {
    assert.include(texts("settled").join("\n"), "Confirmed by eip155:31337:0x")
    assert.include(texts("settled"), "The merchant is paid")
    assert.match(texts("cancelledByUser").join("\n"), /^Cancelled: /mu)
  })
})
