/**
 * What is known about a transaction: what was paid, its hash, and where to look it up.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import * as Amounts from "../../shared/Amounts.ts"
import * as SafeUrl from "../SafeUrl.ts"
import type { Props, View } from "../View.ts"
import { Copy } from "./Pieces.tsx"

export const AmountPaid = ({
  view: { messages, locale },
  amount,
}: {
  readonly view: View
  readonly amount: Amount.Amount
}) => (
  <>
    <dt>{messages.amount}</dt>
    <dd>
      <bdi>{Amounts.format(amount, locale)}</bdi>
      {amount.display.networkName !== undefined && (
        <span class="note">{messages.onNetwork(amount.display.networkName)}</span>
      )}
    </dd>
  </>
)

/** Who is paid. */
export const Recipient = ({ view: { messages, page } }: Pick<Props, "view">) => (
  <>
    <dt>{messages.recipient}</dt>
    <dd>
      <bdi>{page.info.merchant.name}</bdi>
    </dd>
  </>
)

export const Transaction = ({ view, hash }: { readonly view: View; readonly hash: string }) => (
  <>
    <dt>{view.messages.transaction}</dt>
    <dd>
      <bdi class="hash" title={hash}>
        {Amounts.shorten(hash)}
      </bdi>
    </dd>
  </>
)

/** What was refunded, in whole or in part: how much, to which account, and whether it was sent. */
export const Refunds = ({ view }: Pick<Props, "view">) => {
  const { messages, page } = view
  if (page.refunds === null) return null
  return (
    <div class="sent">
      <p class="notice">{messages.refund[page.refunds.of]}</p>
      {page.refunds.each.map(({ amount, to, txId }, index) => (
        <section key={index}>
          <h2>{messages.refund[txId === null ? "open" : "sent"]}</h2>
          <dl class="receipt">
            <AmountPaid view={view} amount={amount} />
            <dt>{messages.recipient}</dt>
            <dd>
              <bdi class="hash" title={to}>
                {Amounts.shorten(to.slice(to.lastIndexOf(":") + 1))}
              </bdi>
            </dd>
            {txId !== null && <Transaction view={view} hash={txId} />}
          </dl>
        </section>
      ))}
    </div>
  )
}

/** Links to a transaction in explorers. */
export const Seeing = ({
  view,
  chain,
  hash,
  say,
}: Pick<Props, "say" | "view"> & { readonly chain: string; readonly hash: string }) => {
  const { messages, origin, page } = view
  const seen = SafeUrl.transaction(page.explorers[chain], hash, origin)
  return (
    <div class="pair">
      {seen !== undefined && (
        <a class="button quiet" href={seen} target="_blank" rel="noopener noreferrer">
          {messages.seeTransaction}
          <span class="unseen"> ({messages.newWindow})</span>
        </a>
      )}
      <Copy view={view} what="hash" text={hash} say={say} />
    </div>
  )
}
