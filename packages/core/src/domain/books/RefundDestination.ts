/**
 * A refund to another account than the one that paid, which the paying account has to sign for.
 *
 * What it signs is a statement of everything that it allows: this refund, of this amount, to this account, by this
 * service, for a day. It counts the earlier refunds of the payment, so the next one uses it up, and nothing has to be
 * stored.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import type * as DeadEnd from "../chain/DeadEnd.ts"
import * as Family from "../chain/Family.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as Rfc3339 from "../ground/Rfc3339.ts"
import * as Amount from "../money/Amount.ts"
import * as SettlementDestination from "../partner/SettlementDestination.ts"
import * as Payment from "../payment/Payment.ts"
import type * as Refunding from "./Refunding.ts"

/** What a statement says apart from the payment and the amount. */
export interface Terms {
  /** The account to which the refund is to go. */
  readonly account: Caip.Account
  /** The origin of the service, as payers know it. */
  readonly service: string
  readonly catalog: Catalog.Catalog
}

const refuse = Invalid.fail

const lastLine = "Valid until: "

/** The text that the paying account signs, or why there is no such refund. */
export const statement = (
  payment: Payment.Payment,
  ask: Refunding.Ask,
  { account, catalog, service }: Terms,
  validUntil: number,
): Result.Result<string, Refunding.Refused> =>
  Result.flatMap(ask(payment), ({ quantity, value }) => {
    const option = Payment.attemptOf(payment)?.option
    if (option === undefined || Caip.sameAccount(option.account, account)) {
      return refuse("destination", "is the account that paid: leave it out, as refunds go there")
    }
    const { account: payer, token } = option
    if (token.chainId !== account.chainId) {
      return refuse(
        "destination",
        `must be on ${token.chainId}, the chain on which the payment was paid`,
      )
    }
    const asked = Amount.toText({ unit: payment.amount.unit, quantity: value }, catalog)
    const sent = Amount.toText({ unit: Amount.token(token), quantity }, catalog)
    return Result.succeed(
      [
        "I paid with this account. The refund is to go to another account, and not to this one.",
        `Refund to: ${Family.formatAccount(catalog, account)}`,
        `Amount: ${asked === sent ? asked : `${asked}, which is ${sent}`}`,
        `Token: ${Family.formatToken(catalog, token)}`,
        `Paid by: ${Family.formatAccount(catalog, payer)}`,
        `Payment: ${payment.id}`,
        `Earlier refunds: ${Payment.refunds(payment).length}`,
        `Mode: ${payment.mode}`,
        `Service: ${service}`,
        `${lastLine}${Rfc3339.format(validUntil)}`,
      ].join("\n"),
    )
  })

/** The account that a request names. It may be no account at which money would be lost. */
export const read = (text: string, known: DeadEnd.Known) =>
  SettlementDestination.readDestination(text, known, "use an account of the payer")

/** Until when a signed text is valid; null if this service would say no such time. */
const readTime = (signed: string, now: number): number | null => {
  const text = signed.slice(signed.lastIndexOf(lastLine) + lastLine.length)
  const at = Rfc3339.read(text) ?? 0
  const most = now + Limits.refundStatementLifeInMs + Limits.clockDriftMaxInMs
  return at > now && at <= most ? at : null
}

const another = "ask for the statement of this refund, and let the payer sign that one"

/**
 * Asks for the refund to another account, if what was signed is the statement of it as the payment is when that is
 * decided. Whether the signature is good is checked apart from it.
 */
export const proven =
  (ask: Refunding.Ask, signed: string, terms: Terms, now: number): Refunding.Ask =>
  (payment) => {
    const validUntil = readTime(signed, now)
    if (validUntil === null) return refuse("statement", `is not valid any more: ${another}`)
    return Result.flatMap(statement(payment, ask, terms, validUntil), (expected) =>
      expected === signed
        ? Result.map(ask(payment), (asked) => ({ ...asked, to: terms.account }))
        : refuse(
            "statement",
            `is of another refund, or another refund of the payment came first: ${another}`,
          ),
    )
  }
