/**
 * The payment is on its way: its transaction, and how many blocks have confirmed it.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Amounts from "../../shared/Amounts.ts"
import type { On, View } from "../View.ts"
import { Spinner } from "./Pieces.tsx"
import { AmountPaid, Recipient, Seeing, Transaction } from "./Transaction.tsx"

/** Moves without an end while the number of blocks is not known: it shows no progress that nobody has seen. */
const Confirmations = ({
  view: { locale, messages },
  blocks,
}: {
  readonly view: View
  readonly blocks: HostedPage.Progress["blocks"]
}) => {
  if (blocks === null) {
    return (
      <div class="confirmations">
        <progress aria-label={messages.confirmations} />
      </div>
    )
  }
  const { needed } = blocks
  const confirmed = Math.min(blocks.confirmed, needed)
  const text = Amounts.withDigits(messages.blocks(confirmed, needed), locale)
  return (
    <div class="confirmations">
      <progress
        value={confirmed}
        max={needed}
        aria-label={messages.confirmations}
        aria-valuetext={text}
      />
      <p class="note">{text}</p>
    </div>
  )
}

export const Processing = ({ view, screen, said, chosen, say }: On<"Processing">) => {
  const { progress } = screen
  return (
    <div class="state">
      <Spinner />
      <p class="text">{said.text}</p>
      <Confirmations view={view} blocks={progress?.blocks ?? null} />
      {(chosen !== undefined || progress !== null) && (
        <dl class="receipt">
          {chosen !== undefined && <AmountPaid view={view} amount={chosen} />}
          <Recipient view={view} />
          {progress !== null && <Transaction view={view} hash={progress.hash} />}
        </dl>
      )}
      {progress !== null && (
        <Seeing view={view} chain={progress.chain} hash={progress.hash} say={say} />
      )}
    </div>
  )
}
