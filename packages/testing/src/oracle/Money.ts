/**
 * Rules about money: every unit on the chains has one reason, and the ledger says the same as the chains.
 *
 * @module
 */
import * as Consistency from "@florin/core/domain/books/Consistency"
import * as Caip from "@florin/core/domain/chain/Caip"
import { kit } from "../Eip155Kit.ts"
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

const { address, amount, at, list, text } = Reading

type Rule = (evidence: Evidence.Evidence) => Iterable<string>

const details = ({ books }: Evidence.Evidence) => books.flatMap((each) => each.details)

const isSucceeded = (payment: Evidence.Json): boolean => text(payment, "status") === "succeeded"

const sumsToZero: Rule = ({ ledger }) => Consistency.sumToZero(ledger)

/** What the ledger says our accounts hold is what they hold on the chain. */
const equalsTheChain: Rule = function* ({ chain, ledger }) {
  const keyOf = (token: string, holder: string) => `${token} ${holder}`
  const held = new Map(
    chain.balances.map((each) => [keyOf(each.token, each.address), each.quantity]),
  )
  for (const { holds, quantity, token } of ledger) {
    if (holds === null) continue
    const onChain = held.get(keyOf(token, holds)) ?? chain.before(token, holds)
    if (onChain !== quantity) {
      yield `${holds} holds ${onChain} of ${token}, and the ledger says ${quantity}`
    }
  }
}

interface Movement extends Evidence.Transfer {
  readonly hash: string
}

/** Transfers that still want a reason. Each reason takes one of them. */
const pool = (transfers: ReadonlyArray<Movement>) => {
  const left = new Set(transfers)
  return {
    left,
    take: (matches: (transfer: Movement) => boolean): boolean => {
      for (const transfer of left) {
        if (matches(transfer)) return left.delete(transfer)
      }
      return false
    },
  }
}

/** Whether the payer signed a statement that a refund may go to another account than its own. */
const isProven = (
  { exchanges }: Evidence.Evidence,
  payment: Evidence.Json,
  refund: Evidence.Json,
): boolean => {
  const id = text(payment, "paymentId")
  const destination = text(refund, "destination").toLowerCase()
  return exchanges.some(({ body, path }) => {
    const statement = text(body, "statement")
    return (
      path === "/v1/refunds" &&
      text(body, "paymentId") === id &&
      text(body, "destination").toLowerCase() === destination &&
      [id, destination].every((each) => statement.toLowerCase().includes(each.toLowerCase())) &&
      kit.isTextSigned(
        Caip.Address.make(address(payment, "buyer", "accountCaip10")),
        statement,
        text(body, "proof"),
      )
    )
  })
}

/**
 * Every transfer from our accounts is a payout, a refund, or the return of money that no payment took; every payment,
 * payout and refund has a transfer of its own, in a final block.
 */
const hasOneReasonEach: Rule = function* (evidence) {
  const { books, chain } = evidence
  const all = chain.transactions.flatMap(({ hash, isFinal, transfers }) =>
    isFinal ? transfers.map((each): Movement => ({ ...each, hash })) : [],
  )
  const isOwn = (holder: string) => chain.own.has(holder)
  const incoming = pool(all.filter(({ from, to }) => isOwn(to) && !isOwn(from)))
  const outgoing = pool(all.filter(({ from, to }) => isOwn(from) && !isOwn(to)))
  for (const payment of details(evidence)) {
    if (!isSucceeded(payment)) continue
    const id = text(payment, "paymentId")
    const payer = address(payment, "buyer", "accountCaip10")
    const paid = amount(payment, "info", "optionAmount")
    const hash = text(payment, "info", "txId")
    const isPaid = incoming.take(
      (each) =>
        each.hash === hash &&
        each.from === payer &&
        each.token === paid.token &&
        each.quantity === paid.quantity,
    )
    if (!isPaid) yield `${id} succeeded, and no transfer of its own pays it: ${hash}`
    for (const refund of list(payment, "refunds")) {
      if (text(refund, "status") !== "succeeded") continue
      const { quantity } = amount(refund, "amount")
      const payee = address(refund, "destination") || payer
      const isRefunded = outgoing.take(
        (each) =>
          each.hash === text(refund, "txId") &&
          each.to === payee &&
          each.token === paid.token &&
          each.quantity === quantity,
      )
      if (!isRefunded) yield `${id} was refunded, and no transfer of its own paid it back`
    }
  }
  for (const payout of books.flatMap((each) => each.payouts)) {
    if (text(payout, "state") !== "paid") continue
    const sent = amount(payout, "amount")
    const to = address(payout, "destination")
    const isSent = outgoing.take(
      (each) =>
        each.hash === text(payout, "txId") &&
        each.to === to &&
        each.token === sent.token &&
        each.quantity === sent.quantity,
    )
    if (!isSent) yield `${text(payout, "id")} is paid, and no transfer of its own paid it`
  }
  for (const { hash, quantity, to, token } of outgoing.left) {
    const isReturned = incoming.take(
      (each) => each.from === to && each.token === token && each.quantity === quantity,
    )
    if (!isReturned) yield `${quantity} of ${token} went to ${to} for no reason, in ${hash}`
  }
}

/** A partner's payments as the rules that the product shares read them. */
const readPayments = ({ details: shown, lists }: Evidence.Books) => {
  const items = new Map((lists[0]?.items ?? []).map((item) => [text(item, "paymentId"), item]))
  return shown.map((each) => Reading.payment(each, items.get(text(each, "paymentId"))))
}

/** A payout is the sum of what it pays, each payment is in one payout at most, and gets what it was paid less the fee. */
const paysWhatIsOwed: Rule = function* ({ books }) {
  for (const each of books) {
    const payments = new Map(readPayments(each).map((payment) => [payment.id, payment]))
    const payouts = new Map(each.payouts.map(Reading.payout).map((payout) => [payout.id, payout]))
    for (const payout of payouts.values()) {
      yield* Consistency.isSum(payout)
      for (const { paymentId } of payout.shares) {
        yield* Consistency.isNamed(payout, paymentId, payments.get(paymentId))
      }
    }
    if (payouts.size !== each.payouts.length) yield "a payout is listed twice"
    for (const payment of payments.values()) {
      yield* Consistency.paysWhatIsOwed(payment)
      for (const carried of payment.carried) {
        yield* Consistency.isCarried(payment, carried, payouts.get(carried.outflowId))
      }
    }
  }
}

/** A refund is the whole payment, or the part of it that it says, at the payment's rate. */
const refundsWhatWasAsked = function* (payment: Evidence.Json): Iterable<string> {
  const id = text(payment, "paymentId")
  const refunds = list(payment, "refunds")
  const quantities = refunds.map((each) => amount(each, "amount").quantity)
  const price = BigInt(text(payment, "amount", "value"))
  const paid = refunds.length === 0 ? 0n : amount(payment, "info", "optionAmount").quantity
  // The last part takes what rounding left.
  const isAll = quantities.reduce((sum, each) => sum + each, 0n) === paid
  for (const [index, refund] of refunds.entries()) {
    const asked = BigInt(text(refund, "requested", "value") || price)
    const due = (asked * paid) / price
    const isLast = isAll && index === refunds.length - 1
    if (quantities[index] !== due && !isLast) {
      yield `${id} was to refund ${due}, and refunds ${quantities[index]}`
    }
  }
}

const refundsWhatWasPaid: Rule = function* (evidence) {
  for (const payment of evidence.books.flatMap(readPayments)) {
    yield* Consistency.refundsWhatWasPaid(payment)
  }
  for (const payment of details(evidence)) yield* refundsWhatWasAsked(payment)
}

/** A price in dollars is asked for to the last unit: stablecoins are at par. */
const asksForThePrice: Rule = function* (evidence) {
  for (const payment of details(evidence)) {
    if (text(payment, "amount", "unit") !== "iso4217/USD" || at(payment, "info") === null) continue
    const cents = BigInt(text(payment, "amount", "value"))
    const decimals = Reading.number(payment, "info", "optionAmount", "display", "decimals")
    const expected = cents * 10n ** BigInt(decimals - 2)
    const asked = amount(payment, "info", "optionAmount").quantity
    if (asked !== expected) {
      yield `${text(payment, "paymentId")} costs ${cents} cents, and the payer was asked for ${asked} units`
    }
  }
}

/** A refund goes to the account that paid, or to one for which that account signed. */
const refundsThePayer: Rule = function* (evidence) {
  for (const payment of details(evidence)) {
    for (const refund of list(payment, "refunds")) {
      if (at(refund, "destination") !== null && !isProven(evidence, payment, refund)) {
        yield `${text(payment, "paymentId")} is refunded to another account, for which its payer did not sign`
      }
    }
  }
}

export const rules: Readonly<Record<string, Rule>> = {
  "the ledger sums to zero": sumsToZero,
  "the ledger equals the chain": equalsTheChain,
  "every transfer has one reason": hasOneReasonEach,
  "payouts pay what is owed, once": paysWhatIsOwed,
  "refunds return what was paid": refundsWhatWasPaid,
  "refunds go where their payers want them": refundsThePayer,
  "payers are asked for the price": asksForThePrice,
}
