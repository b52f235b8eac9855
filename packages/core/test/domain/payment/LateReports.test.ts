import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as LateReports from "@florin/core/domain/payment/LateReports"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import { given } from "../books.ts"
import * as Samples from "../samples.ts"

const { now } = Samples
const own = Samples.option({ flow: "transfer" })

const by = (account: Caip.Account) => Samples.option({ flow: "transfer", account })
const stranger = (index: number) => by(Fixtures.account(`stranger ${index}`))

const unproven = (name: string, option = own): LateReports.Report => ({
  txHash: Fixtures.hash(name),
  option,
  isFirm: false,
})
const firm = (name: string, option = own): LateReports.Report => ({
  ...unproven(name, option),
  isFirm: true,
})

type All = ReadonlyArray<Payment.LateReport>

const adding = (all: All, reports: ReadonlyArray<LateReports.Report>): All =>
  reports.reduce((before, report) => LateReports.add(before, report, now) ?? before, all)

const hashes = (all: All) => all.map(({ txHash }) => txHash)

/** As many reports as there is place for, each of another account. */
const full = adding(
  [],
  Array.from({ length: Limits.lateUnprovenPerPaymentMax }, (_, index) =>
    unproven(`made up ${index}`, stranger(index)),
  ),
)

describe("LateReports.add", () => {
  it("keeps each report once, and notes when it is confirmed by more than the payer's word", () => {
    const all = adding([], [unproven("one"), unproven("one"), unproven("two")])
    assert.deepStrictEqual(hashes(all), [Fixtures.hash("one"), Fixtures.hash("two")])
    assert.isNull(LateReports.add(all, unproven("one"), now))
    const noted = given(LateReports.add(all, firm("one"), now + 5))
    assert.deepInclude(noted[0], { reportedAt: now, firm: true })
    assert.strictEqual(noted[1], all[1])
    assert.isNull(LateReports.add(noted, firm("one"), now))
    assert.isNull(LateReports.add(noted, unproven("one"), now))
  })

  it("S17: does not treat a stranger's report of a hash as the payer's", () => {
    const all = adding([], [unproven("one", stranger(1)), unproven("one")])
    assert.strictEqual(all.length, 2)
    const elsewhere = Samples.option({ flow: "transfer", payTo: Fixtures.address("another") })
    assert.strictEqual(adding(all, [unproven("one", elsewhere)]).length, 3)
  })

  it("S17: keeps a limited number of unproven reports per account, replacing the oldest", () => {
    const names = Array.from(
      { length: Limits.lateUnprovenPerAccountMax + 2 },
      (_, each) => `${each}`,
    )
    const before = adding([], [unproven("other", stranger(1)), firm("shown")])
    const all = adding(
      before,
      names.map((name) => unproven(name)),
    )
    const last = names.slice(-Limits.lateUnprovenPerAccountMax)
    assert.deepStrictEqual(hashes(all), ["other", "shown", ...last].map(Fixtures.hash))
  })

  it("S17: keeps a limited number of unproven reports in total", () => {
    assert.strictEqual(full.length, Limits.lateUnprovenPerPaymentMax)
    assert.isNull(LateReports.add(full, unproven("one more"), now))
  })

  it("S17: always keeps a report that the chain shows, whatever was reported before", () => {
    const shown = Array.from({ length: 50 }, (_, index) => firm(`shown ${index}`))
    const all = adding(full, shown)
    for (const report of shown) assert.include(hashes(all), report.txHash)
    assert.deepStrictEqual(all.slice(0, full.length), full)
  })
})

describe("LateReports.drop", () => {
  const payment = { ...Fixtures.make("reports").createPayment().payment, reports: full }

  it("removes a report whose transfer was found, and keeps looking for the others", () => {
    const [first] = full
    const change = given(LateReports.drop(payment, (each) => each === first, now))
    assert.deepStrictEqual(change.payment.reports, full.slice(1))
    assert.deepStrictEqual(change.due, { watch: now })
    assert.isNull(LateReports.drop(change.payment, (each) => each === first, now))
    assert.deepStrictEqual(given(LateReports.drop(payment, () => true, now)).due, { watch: null })
  })

  it("keeps a report for a week", () => {
    const [report = assert.fail("there is none")] = full
    assert.isFalse(LateReports.isOverdue(report, now + Limits.lateWatchedInMs))
    assert.isTrue(LateReports.isOverdue(report, now + Limits.lateWatchedInMs + 1))
  })
})
