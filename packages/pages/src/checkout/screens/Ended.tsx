/**
 * The screens after the end: paid, or not.
 *
 * @module
 */
import * as Amounts from "../../shared/Amounts.ts"
import { Leaving } from "../Leaving.tsx"
import * as Receipt from "../Receipt.ts"
import { isNone, type On, type View } from "../View.ts"
import { Money } from "./Money.tsx"
import { Help, Mark, Notice } from "./Pieces.tsx"
import { AmountPaid, Recipient, Refunds, Seeing, Transaction } from "./Transaction.tsx"

/** Saves the receipt as a file that is made here: nobody is asked for it. */
const download = (view: View, paid: On<"Succeeded">["screen"]["paid"]) => {
  const document = Receipt.html(view, paid, view.now())
  const url = URL.createObjectURL(new Blob([document], { type: "text/html" }))
  const link = globalThis.document.createElement("a")
  link.href = url
  link.download = `${view.page.paymentId}.html`
  link.click()
  URL.revokeObjectURL(url)
}

export const Succeeded = ({ screen, ...rest }: On<"Succeeded">) => {
  const { view, say, money } = rest
  const { page, messages } = view
  const { optionAmount, txId } = screen.paid
  return (
    <div class="state">
      <Mark kind="good" />
      {page.refunds?.of !== "whole" && <p class="text">{rest.said.text}</p>}
      <Refunds view={view} />
      <dl class="receipt">
        <AmountPaid view={view} amount={optionAmount} />
        <Recipient view={view} />
        <dt>{messages.reference}</dt>
        <dd>
          <bdi>{page.referenceId}</bdi>
        </dd>
        <Transaction view={view} hash={txId} />
      </dl>
      <Leaving view={view} to={page.returnTo?.successUrl} isByItself={isNone(money)} />
      <div class="pair">
        <button class="button quiet" type="button" onClick={() => window.print()}>
          {messages.print}
        </button>
        <button class="button quiet" type="button" onClick={() => download(view, screen.paid)}>
          {messages.download}
        </button>
      </div>
      <Seeing view={view} chain={Amounts.chainOf(optionAmount.unit) ?? ""} hash={txId} say={say} />
      <Notice view={view} notice={screen.notice} />
      <Money {...rest} maybe={messages.mayBeSentLate(page.info.merchant.name)} />
      <Help view={view} />
    </div>
  )
}

export const Unpaid = ({ screen, ...rest }: On<"Unpaid">) => {
  const { view, money } = rest
  const { messages, page } = view
  const merchant = page.info.merchant.name
  return (
    <div class="state">
      <Mark kind={screen.how === "failed" || screen.how === "declined" ? "bad" : "caution"} />
      <p class="text">{rest.said.text}</p>
      <Notice view={view} notice={screen.notice} />
      <Money {...rest} maybe={messages.mayBeSentLate(merchant)} />
      {isNone(money) && <p class="note">{messages.ifSent(merchant)}</p>}
      <Leaving view={view} to={page.returnTo?.errorUrl} isByItself={isNone(money)} />
      <Help view={view} />
    </div>
  )
}
