import { assert, describe, it } from "@effect/vitest"
import * as RefundDestination from "@florin/core/domain/books/RefundDestination"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Wallet from "@florin/testing/Wallet"
import { Result } from "effect"
import * as Books from "../books.ts"

const { given } = Books
const { now } = Fixtures
const { catalog } = BuiltIn
const life = Limits.refundStatementLifeInMs

const world = Fixtures.make("elsewhere")
const paid = Fixtures.paymentAfter(world.path("settlementPending"))
const { option } = given(Payment.attemptOf(paid))
const account = { ...option.account, address: Wallet.make(77).address }
const terms: RefundDestination.Terms = { account, catalog, service: "https://pay.example.com" }

const cents = (value: bigint) =>
  Refunding.part({ unit: Amount.fiat("USD"), quantity: Fixtures.quantity(value) }, catalog)

const statementOf = (
  ask = Refunding.whole,
  {
    payment = paid,
    validUntil = now + life,
    ...other
  }: Partial<RefundDestination.Terms> & {
    readonly payment?: Payment.Payment
    readonly validUntil?: number
  } = {},
): string =>
  Result.getOrThrow(RefundDestination.statement(payment, ask, { ...terms, ...other }, validUntil))

describe("RefundDestination.statement", () => {
  it("differs for every two refunds, and is the same for the same one", () => {
    const texts = [
      statementOf(),
      ...[1n, 2n, 10n, 11n, 100n].map((value) => statementOf(cents(value))),
      statementOf(Refunding.whole, { account: { ...account, address: Wallet.make(78).address } }),
      statementOf(Refunding.whole, { service: "https://pay.example.org" }),
      statementOf(Refunding.whole, { validUntil: now + life - 1 }),
      statementOf(Refunding.whole, { payment: { ...paid, mode: "live" } }),
      statementOf(Refunding.whole, {
        payment: Fixtures.paymentAfter(world.path("settlementPending")),
      }),
    ]
    assert.strictEqual(new Set(texts).size, texts.length)
    assert.strictEqual(statementOf(), texts[0])
  })
})

describe("RefundDestination.proven", () => {
  const ask = cents(250n)
  const signed = statementOf(ask)
  const judge = (text: string, at: number, asking = ask) =>
    RefundDestination.proven(asking, text, terms, at)(paid)

  it("asks for the refund to the account of the statement, until the statement ends", () => {
    for (const at of [now, now + life - 1]) {
      const asked = Result.getOrThrow(judge(signed, at))
      assert.deepStrictEqual(asked, { ...Result.getOrThrow(ask(paid)), to: account })
    }
    for (const at of [now + life, now - Limits.clockDriftMaxInMs - 1]) {
      assert.isTrue(Result.isFailure(judge(signed, at)))
    }
  })

  it("refuses a text that ends without a time, or with a time in another form", () => {
    const [, time = ""] = signed.split("Valid until: ")
    for (const other of [
      "",
      "never",
      "+275760-09-13T00:00:00.000Z",
      time.replace("Z", "+00:00"),
      time.replace(".000Z", "Z"),
      `${time}\nValid until: ${time}`,
    ]) {
      assert.isTrue(Result.isFailure(judge(signed.replace(time, other), now)), other)
    }
  })

  it("refuses accounts on other chains, and the one that paid", () => {
    const elsewhere = { ...account, chainId: Caip.ChainId.make("eip155:137") }
    for (const each of [elsewhere, option.account]) {
      const asked = RefundDestination.statement(paid, ask, { ...terms, account: each }, now + life)
      assert.include(Result.isFailure(asked) ? asked.failure.message : "", "destination: ")
    }
  })
})
