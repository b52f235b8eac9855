/**
 * The oracle, with records of a healthy world in which one thing is changed. Each rule must notice its change.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Oracle from "@florin/testing/oracle/Oracle"
import * as Reading from "@florin/testing/oracle/Reading"
import * as Simulation from "./simulation/Simulation.ts"
import * as Steps from "./simulation/Steps.ts"

type Books = Evidence.Books
type Json = Evidence.Json

const { at, list, text } = Reading

/** A JSON value with one member changed. */
const put = (value: Json | undefined, path: ReadonlyArray<string | number>, next: Json): Json => {
  const [first, ...rest] = path
  if (first === undefined) return next
  if (typeof first === "number") {
    return list(value).map((each, index) => (index === first ? put(each, rest, next) : each))
  }
  return { ...Object(value), [first]: put(at(value, first), rest, next) }
}

/** The evidence with the first of these values changed that fits. */
const inBooks = (
  evidence: Evidence.Evidence,
  member: "delivered" | "details" | "feed" | "payouts",
  fits: (value: Json) => boolean,
  change: (value: Json) => ReadonlyArray<Json>,
): Evidence.Evidence => {
  const owner = evidence.books.findIndex((books) => books[member].some(fits))
  assert.notStrictEqual(owner, -1, "the world has nothing of the kind")
  const changed = (books: Books): Books => {
    const which = books[member].findIndex(fits)
    const values = books[member].flatMap((each, index) => (index === which ? change(each) : [each]))
    return { ...books, [member]: values }
  }
  const books = evidence.books.map((each, index) => (index === owner ? changed(each) : each))
  return { ...evidence, books }
}

const inLists = (
  evidence: Evidence.Evidence,
  change: (listed: Books["lists"][number]) => Books["lists"][number],
): Evidence.Evidence => ({
  ...evidence,
  books: evidence.books.map((books) => ({ ...books, lists: books.lists.map(change) })),
})

const inExchanges = (
  evidence: Evidence.Evidence,
  fits: (exchange: Evidence.Exchange) => boolean,
  change: (exchange: Evidence.Exchange) => ReadonlyArray<Evidence.Exchange>,
): Evidence.Evidence => {
  const which = evidence.exchanges.findIndex(fits)
  assert.notStrictEqual(which, -1, "the world has nothing of the kind")
  const exchanges = evidence.exchanges.flatMap((each, index) =>
    index === which ? change(each) : [each],
  )
  return { ...evidence, exchanges }
}

const hasRefund = (payment: Json) => text(payment, "refund", "status") === "succeeded"
const isSettled = (payment: Json) => at(payment, "settlement") !== null && !hasRefund(payment)
const isPaidOut = (payout: Json) => text(payout, "state") === "paid"
const any = () => true
const isOk = (path: RegExp) => (exchange: Evidence.Exchange) =>
  path.test(exchange.path) && exchange.response !== null && exchange.response.status < 300
const answered = (
  exchange: Evidence.Exchange,
  path: ReadonlyArray<string | number>,
  next: Json,
): Evidence.Exchange => ({
  ...exchange,
  response: exchange.response && {
    ...exchange.response,
    body: put(exchange.response.body, path, next),
  },
})

/** For each rule, what contradicts it. */
const spoiled: Readonly<Record<string, (sound: Evidence.Evidence) => Evidence.Evidence>> = {
  "the ledger sums to zero": (sound) => ({
    ...sound,
    ledger: sound.ledger.toSpliced(
      sound.ledger.findIndex(({ quantity }) => quantity !== 0n),
      1,
    ),
  }),
  "the ledger equals the chain": (sound) => ({
    ...sound,
    chain: {
      ...sound.chain,
      balances: sound.chain.balances.map((each) => ({ ...each, quantity: each.quantity + 1n })),
    },
  }),
  "every transfer has one reason": (sound) =>
    inBooks(sound, "details", hasRefund, (payment) => [put(payment, ["refunds"], [])]),
  "payouts pay what is owed, once": (sound) =>
    inBooks(sound, "payouts", isPaidOut, (payout) => [payout, payout]),
  "refunds return what was paid": (sound) =>
    inBooks(sound, "details", hasRefund, (payment) => [
      put(payment, ["refunds", 0, "amount", "value"], "1"),
    ]),
  "refunds go where their payers want them": (sound) =>
    inBooks(sound, "details", hasRefund, (payment) => [
      put(payment, ["refunds", 0, "destination"], `eip155:8453:0x${"ee".repeat(20)}`),
    ]),
  "payers are asked for the price": (sound) =>
    inBooks(sound, "details", isSettled, (payment) => [
      put(payment, ["info", "optionAmount", "value"], "1"),
    ]),
  "what was created stays": (sound) =>
    inBooks(sound, "details", any, (payment) => [put(payment, ["referenceId"], "ANOTHER")]),
  "refunds that were accepted stay": (sound) =>
    inExchanges(sound, isOk(/^\/v1\/refunds$/u), (each) => [
      answered(each, ["refundId"], "rfnd_another"),
    ]),
  "one key is one request": (sound) =>
    inExchanges(
      sound,
      (each) => each.method === "POST" && isOk(/^\/v1\/payments$/u)(each),
      (each) => [each, { ...each, body: put(each.body, ["referenceId"], "ANOTHER") }],
    ),
  "no status is taken back": (sound) =>
    inExchanges(sound, isOk(/\/status$/u), (each) => [
      answered(each, ["status"], "cancelled"),
      answered({ ...each, startedAt: Infinity, endedAt: Infinity }, ["status"], "succeeded"),
    ]),
  "one order explains all responses": (sound) =>
    inExchanges(sound, isOk(/\/confirm$/u), (each) => [
      each,
      {
        ...each,
        path: each.path.replace("confirm", "cancel"),
        response: { status: 200, body: { status: "cancelled" } },
      },
    ]),
  "everything ends": (sound) =>
    inBooks(sound, "details", isSettled, (payment) => [put(payment, ["settlement"], null)]),
  "events are complete": (sound) => inBooks(sound, "feed", any, () => []),
  "everybody gets the same events": (sound) => inBooks(sound, "delivered", any, () => []),
  "lists contain what they say": (sound) =>
    inLists(sound, (listed) => ({ ...listed, items: listed.items.slice(1) })),
  "statistics sum up their list": (sound) =>
    inLists(sound, (listed) => ({ ...listed, stats: put(listed.stats, ["totalCustomers"], 99) })),
  "lists and details agree on money": (sound) =>
    inBooks(sound, "details", isSettled, (payment) => [put(payment, ["info", "txId"], "0x")]),
}

describe("The oracle", () => {
  const { evidence, violations } = Simulation.play(Steps.planOf(5, 200))

  it("reports nothing for a healthy world", () => {
    assert.deepStrictEqual(violations, [])
  })

  it("is tried with each of its rules", () => {
    assert.sameMembers(Object.keys(spoiled), Object.keys(Oracle.rules))
  })

  it("reports a refund that is not finished", () => {
    const isRefunded = (payment: Json) => text(payment, "refund", "status") === "succeeded"
    for (const status of ["pending", "processing", "held"]) {
      const open = inBooks(evidence, "details", isRefunded, (payment) => [
        put(payment, ["refunds", 0, "status"], status),
      ])
      assert.include(
        Oracle.judge(open).map(({ rule }) => rule),
        "everything ends",
        status,
      )
    }
  })

  it("allows redelivered events, and reports events in a wrong order", () => {
    const reversed = (member: "attempted" | "delivered") =>
      Oracle.judge({
        ...evidence,
        books: evidence.books.map((books) => ({ ...books, [member]: books[member].toReversed() })),
      }).map(({ rule }) => rule)
    assert.deepStrictEqual(reversed("delivered"), [])
    assert.include(reversed("attempted"), "everybody gets the same events")
  })

  for (const [rule, spoil] of Object.entries(spoiled)) {
    it(`reports a world that contradicts "${rule}"`, () => {
      const broken = Oracle.judge(spoil(evidence)).map((each) => each.rule)
      assert.include(broken, rule)
    })
  }
})
