/**
 * What is known about a transaction: what was paid, its hash, and where to look it up.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import * as Amounts from "../../shared/Amounts.ts"
import * as SafeUrl from "../SafeUrl.ts"
import type { View } from "../View.ts"
import { Copy } from "./Copy.tsx"
import type { Props } from "./Screen.ts"

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

/** Links to a transaction in explorers. */
export const Seeing = ({
  view: { messages, origin, page },
  chain,
  hash,
  say,
}: Pick<Props, "say" | "view"> & { readonly chain: string; readonly hash: string }) => {
  const seen = SafeUrl.transaction(page.explorers[chain], hash, origin)
  return (
    <div class="pair">
      {seen !== undefined && (
        <a class="button quiet" href={seen} target="_blank" rel="noopener noreferrer">
          {messages.seeTransaction}
          <span class="unseen"> ({messages.newWindow})</span>
        </a>
      )}
      <Copy
        text={hash}
        label={messages.copyHash}
        done={messages.hashCopied}
        failed={messages.copyFailed}
        say={say}
      />
    </div>
  )
}
