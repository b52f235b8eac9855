/**
 * The wallet has not enough of any token that is accepted.
 *
 * @module
 */
import * as Amounts from "../../shared/Amounts.ts"
import { Money } from "./Money.tsx"
import { OtherWay } from "./OtherWay.tsx"
import { saidBy } from "./Said.ts"
import type { On } from "./Screen.ts"
import { TokenMark } from "./TokenMark.tsx"

export const NoFit = ({ screen, ...rest }: On<"NoFit">) => {
  const { view, session } = rest
  const { page, messages, locale } = view
  return (
    <>
      <Money {...rest} maybe={messages.mayBeSent} />
      <p class="text">{saidBy(view, screen, rest.chosen).text}</p>
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
