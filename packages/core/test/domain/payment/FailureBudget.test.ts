import { assert, describe, it } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as Fixtures from "@florin/testing/Fixtures"

const { defaults: limits } = FailureBudget
const now = 1_900_000_000_000
const minuteInMs = 60_000

const payer: FailureBudget.Payer = {
  mode: "live",
  account: Fixtures.account("payer"),
  merchantId: MerchantId.MerchantId.make("mrch_one"),
  partnerId: PartnerId.PartnerId.make("prtn_one"),
  key: "key_one",
}

/** Budgets as entries leave them. */
const charged = (
  levels: ReadonlyArray<FailureBudget.Level>,
  entries: ReadonlyArray<FailureBudget.Entry>,
  at = now,
): ReadonlyArray<FailureBudget.Level> | null => {
  const next = new Map(levels.map((level) => [level.subject, level]))
  for (const entry of entries) {
    const known = next.get(entry.subject)
    const emptyAt = FailureBudget.apply(known?.emptyAt ?? 0, entry, at)
    if (emptyAt === null) return null
    const hasPaid = entry.hasPaid === true || known?.hasPaid === true
    next.set(entry.subject, { subject: entry.subject, emptyAt, hasPaid })
  }
  return [...next.values()]
}

const reservedOf = (entries: ReadonlyArray<FailureBudget.Entry>): FailureBudget.Reserved =>
  entries.map(({ byInMs, subject }) => ({ byInMs, subject }))

/** So many collects that failed, each of an account of its own. */
const failures = (count: number, hasCode: boolean) => {
  let levels: ReadonlyArray<FailureBudget.Level> = []
  for (let index = 0; index < count; index++) {
    const each = { ...payer, account: Fixtures.account(`failing/${index}`) }
    const entries = hasCode
      ? FailureBudget.reserve(limits, each, levels)
      : FailureBudget.chargeFailed(limits, each, [])
    levels = charged(levels, entries) ?? assert.fail("it is refused")
  }
  return levels
}

describe("FailureBudget", () => {
  it("S1: allows as many failures as its limit, and another one after each part of an hour", () => {
    const levels = failures(limits.merchant, true)
    assert.strictEqual(FailureBudget.firstExhausted(limits, payer, true, levels, now), "merchant")
    assert.isNull(charged(levels, FailureBudget.reserve(limits, payer, levels)))
    const soon = now + 6 * minuteInMs
    assert.strictEqual(
      FailureBudget.firstExhausted(limits, payer, true, levels, soon - 1),
      "merchant",
    )
    assert.isNull(FailureBudget.firstExhausted(limits, payer, true, levels, soon))
    assert.isNotNull(charged(levels, FailureBudget.reserve(limits, payer, levels), soon))
  })

  it("S1: refuses an account for its own failures, with or without code, however often it paid", () => {
    const [own] = FailureBudget.chargeFailed(limits, payer, [])
    assert.isDefined(own)
    for (const hasPaid of [true, false]) {
      const levels = [{ subject: own.subject, emptyAt: now + 2 * own.byInMs, hasPaid }]
      for (const hasCode of [true, false]) {
        const exhausted = (at: number) =>
          FailureBudget.firstExhausted(limits, payer, hasCode, levels, at)
        assert.strictEqual(exhausted(now), "account")
        assert.isNull(exhausted(now + own.byInMs))
      }
    }
  })

  it("S31: charges an account without code from its second collection in progress on", () => {
    const only = FailureBudget.reservePlain(limits, payer.account, true)
    const more = FailureBudget.reservePlain(limits, payer.account, false)
    assert.deepStrictEqual(FailureBudget.reservedBy(only), [])
    let levels = charged([], only) ?? assert.fail("the first is refused")
    for (let pending = 0; pending < 2 * limits.account; pending++) {
      levels = charged(levels, more) ?? assert.fail("there is room for so many")
    }
    assert.isNull(charged(levels, more))
    // An option that was issued earlier does not outlive the budget.
    assert.isNull(charged(levels, only))
    const released = FailureBudget.release(FailureBudget.reservedBy(more))
    const left = charged(levels, [...released, ...released]) ?? assert.fail()
    assert.isNotNull(charged(left, only))
    // A failure uses a whole one, whatever was charged before.
    const [whole] = FailureBudget.chargeFailed(limits, payer, [])
    const [rest] = FailureBudget.chargeFailed(limits, payer, FailureBudget.reservedBy(more))
    assert.strictEqual(
      (rest?.byInMs ?? 0) + (FailureBudget.reservedBy(more)[0]?.byInMs ?? 0),
      whole?.byInMs,
    )
  })

  it("S31: allows an account with an exhausted budget one collection at a time", () => {
    const none = { ...limits, account: 0 }
    assert.deepStrictEqual(FailureBudget.reservePlain(none, payer.account, true), [])
    assert.isNull(charged([], FailureBudget.reservePlain(none, payer.account, false)))
  })

  it("S1: refuses accounts without code, or which have paid, only for their own failures", () => {
    const levels = failures(limits.merchant, false)
    assert.isNull(FailureBudget.firstExhausted(limits, payer, false, levels, now))
    assert.strictEqual(FailureBudget.firstExhausted(limits, payer, true, levels, now), "merchant")
    const [own] = FailureBudget.reserve(limits, payer, [])
    assert.isDefined(own)
    const known = [...levels, { subject: own.subject, emptyAt: now, hasPaid: true }]
    assert.isNull(FailureBudget.firstExhausted(limits, payer, true, known, now))
    assert.deepStrictEqual(FailureBudget.reserve(limits, payer, known), [own])
  })

  it("S1: returns what a successful collection reserved, and charges a failed one once", () => {
    const entries = FailureBudget.reserve(limits, payer, [])
    const levels = charged([], entries) ?? assert.fail()
    const reserved = reservedOf(entries)
    assert.isTrue(
      charged(levels, FailureBudget.release(reserved))?.every(({ emptyAt }) => emptyAt <= now),
    )
    const after =
      charged(levels, FailureBudget.releasePaid(payer.account, reserved)) ?? assert.fail()
    assert.deepStrictEqual(
      after.map(({ hasPaid }) => hasPaid),
      [true, false, false, false],
    )
    assert.deepStrictEqual(FailureBudget.chargeFailed(limits, payer, reserved), [])
    // A known account reserves of its own budget only, and a failure is everybody's.
    const failed = FailureBudget.chargeFailed(limits, payer, reserved.slice(0, 1))
    assert.deepStrictEqual(
      failed.map(({ subject }) => subject),
      entries.slice(1).map(({ subject }) => subject),
    )
  })

  it("S1: does not return more than was reserved after a refill", () => {
    const entries = FailureBudget.reserve(limits, payer, [])
    const levels = charged([], entries) ?? assert.fail()
    const later = now + 120 * minuteInMs
    const given = charged(levels, FailureBudget.release(reservedOf(entries)), later)
    assert.isTrue(given?.every(({ emptyAt }) => emptyAt <= later))
    const [own] = entries
    assert.isDefined(own)
    const spent = charged(given ?? [], [own, own, own], later)
    assert.isNull(spent)
  })

  it("S1: ignores the key's budget for our own pages, and relays nothing of new accounts if a limit is 0", () => {
    const page = { ...payer, key: undefined }
    assert.lengthOf(FailureBudget.reserve(limits, page, []), 3)
    const none = { ...limits, key: 0 }
    assert.strictEqual(FailureBudget.firstExhausted(none, payer, true, [], now), "key")
    assert.isNull(FailureBudget.firstExhausted(none, page, true, [], now))
    assert.isNull(FailureBudget.firstExhausted({ ...limits, account: 0 }, payer, false, [], now))
  })

  it("S1: reads every budget that a charge of one of these accounts may be refused by, each once", () => {
    const accounts = ["payer", "other", "payer"].map((name) => Fixtures.account(name))
    const subjects = FailureBudget.subjects(payer, accounts)
    assert.strictEqual(new Set(subjects).size, subjects.length)
    const charges = accounts.flatMap((account) =>
      FailureBudget.reserve(limits, { ...payer, account }, []),
    )
    assert.sameMembers([...subjects], [...new Set(charges.map(({ subject }) => subject))])
    assert.lengthOf(FailureBudget.subjects({ ...payer, key: undefined }, []), 2)
  })
})
