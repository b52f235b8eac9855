/**
 * Money that was sent and has not paid, and what the payer can do about it.
 *
 * @module
 */
import * as InjectedWallet from "../InjectedWallet.ts"
import type * as Machine from "../Machine.ts"
import type { Props } from "../View.ts"
import { AmountPaid, Recipient, Seeing, Transaction } from "./Transaction.tsx"

/** A transfer that has not paid, and what happens to it. */
const Sent = ({
  view,
  wallets,
  session,
  say,
  unpaying: { standing, transfer },
}: Pick<Props, "say" | "session" | "view" | "wallets"> & {
  readonly unpaying: Machine.OtherTransfer
}) => {
  const { messages, page } = view
  const { account, amount, hash } = transfer
  const wallet = wallets.find(({ id }) => id === transfer.walletId)
  return (
    <div class="sent">
      <h2>{messages.whatYouSent}</h2>
      <p class="notice" role="alert">
        {messages.money[standing](page.info.merchant.name)}
      </p>
      {standing === "unsignedLate" && wallet !== undefined && (
        <button class="button" type="button" onClick={() => session.connect(wallet)}>
          {messages.signIn(wallet.name)}
        </button>
      )}
      <dl class="receipt">
        {amount !== undefined && <AmountPaid view={view} amount={amount} />}
        <Recipient view={view} />
        <Transaction view={view} hash={hash} />
      </dl>
      <Seeing view={view} chain={InjectedWallet.chainOf(account)} hash={hash} say={say} />
    </div>
  )
}

/** All that is known about money that was sent. `maybe` says what to do if only the wallet knows whether it was. */
export const Money = ({
  money: { transfers, mayBeSent },
  maybe,
  ...rest
}: Pick<Props, "money" | "say" | "session" | "view" | "wallets"> & { readonly maybe: string }) => (
  <>
    {mayBeSent && (
      <p class="notice" role="alert">
        {maybe}
      </p>
    )}
    {transfers.map((unpaying) => (
      <Sent {...rest} key={unpaying.transfer.hash} unpaying={unpaying} />
    ))}
  </>
)
