/**
 * The screens that explain why the payment cannot continue: an error, accounts that are refused, or a wallet that has
 * not enough of any token that is accepted.
 *
 * @module
 */
import * as Amounts from "../../shared/Amounts.ts"
import type { On } from "../View.ts"
import { Money } from "./Money.tsx"
import { Help, Mark, OtherWay, TokenMark } from "./Pieces.tsx"

export const Halted = ({ screen, ...rest }: On<"Halted">) => {
  const { view, session } = rest
  const { messages } = view
  const isStale = screen.notice._tag === "Stale"
  const isInVain = screen.notice._tag === "SentLate"
  return (
    <div class="state">
      <Mark kind="caution" />
      <p class="text">{rest.said.text}</p>
      <Money {...rest} maybe={messages.mayBeSent} />
      {!isInVain && (
        <button
          class="button"
          type="button"
          onClick={isStale ? () => location.reload() : session.again}
        >
          {isStale ? messages.reload : messages.tryAgain}
        </button>
      )}
      {screen.mayLeave && <OtherWay view={view} session={session} />}
      <Help view={view} />
    </div>
  )
}

export const Refused = (rest: On<"Refused">) => {
  const { view, session } = rest
  return (
    <div class="state">
      <Mark kind="bad" />
      <p class="text">{rest.said.text}</p>
      <Money {...rest} maybe={view.messages.mayBeSent} />
      <OtherWay view={view} session={session} />
      <Help view={view} />
    </div>
  )
}

export const NoFit = (rest: On<"NoFit">) => {
  const { view, session } = rest
  const { page, messages, locale } = view
  return (
    <>
      <Money {...rest} maybe={messages.mayBeSent} />
      <p class="text">{rest.said.text}</p>
      <h2>{messages.wouldDo}</h2>
      <ul class="rows plain">
        {page.accepted.map((amount) => (
          <li class="row" key={amount.unit}>
            <TokenMark display={amount.display} />
            <span class="row-name">
              <bdi class="row-amount">{Amounts.format(amount, locale)}</bdi>
              <span class="note">{messages.onNetwork(amount.display.networkName ?? "")}</span>
            </span>
          </li>
        ))}
      </ul>
      <button class="button" type="button" onClick={session.again}>
        {messages.checkAgain}
      </button>
      <OtherWay view={view} session={session} />
    </>
  )
}
