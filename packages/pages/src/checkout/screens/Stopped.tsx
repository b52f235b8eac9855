/**
 * The screens that explain why the payment cannot continue: an error, or accounts that are refused.
 *
 * @module
 */
import { Help } from "./Help.tsx"
import { Mark } from "./Mark.tsx"
import { Money } from "./Money.tsx"
import { OtherWay } from "./OtherWay.tsx"
import { noticeText, saidBy } from "./Said.ts"
import type { On } from "./Screen.ts"

export const Halted = ({ screen, ...rest }: On<"Halted">) => {
  const { view, session } = rest
  const { messages } = view
  const isStale = screen.notice._tag === "Stale"
  const isInVain = screen.notice._tag === "SentLate"
  return (
    <div class="state">
      <Mark kind="caution" />
      <p class="text">{noticeText(view, screen.notice)}</p>
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

export const Refused = ({ screen, ...rest }: On<"Refused">) => {
  const { view, session } = rest
  return (
    <div class="state">
      <Mark kind="bad" />
      <p class="text">{saidBy(view, screen, rest.chosen).text}</p>
      <Money {...rest} maybe={view.messages.mayBeSent} />
      <OtherWay view={view} session={session} />
      <Help view={view} />
    </div>
  )
}
