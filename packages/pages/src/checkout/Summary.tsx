/**
 * The amount, the merchant and the time left: the same on every screen.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import { logosPath } from "@florin/api/wire/HostedPage"
import { useEffect, useState } from "preact/hooks"
import * as Amounts from "../shared/Amounts.ts"
import { Picture } from "./Picture.tsx"
import type { View } from "./View.ts"

const tickInMs = 1000
const minuteInMs = 60_000

interface TimeProps {
  readonly view: View
  readonly onMinuteLeft: () => void
  readonly onTimeUp: () => void
}

const TimeLeft = ({ view, onMinuteLeft, onTimeUp }: TimeProps) => {
  const leftInMs = () => view.page.info.expiresAt * 1000 - view.now()
  const [left, setLeft] = useState(leftInMs)
  const isShort = left <= minuteInMs
  const isUp = left <= 0
  useEffect(() => {
    const timer = setInterval(() => setLeft(leftInMs()), tickInMs)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    if (isShort && !isUp) onMinuteLeft()
  }, [isShort])
  useEffect(() => {
    if (isUp) onTimeUp()
  }, [isUp])
  return (
    <p class={isShort ? "time short" : "time"} role="timer">
      {view.messages.secondsLeft(Amounts.countdown(left, view.locale))}
    </p>
  )
}

interface Props extends TimeProps {
  /** The amount that the payer chose to pay with. */
  readonly chosen: Amount.Amount | undefined
  /** Whether the payer can still act before the time is up. */
  readonly isOpen: boolean
}

export const Summary = ({ chosen, isOpen, ...time }: Props) => {
  const { page, messages, locale } = time.view
  const { merchant, amount } = page.info
  // Not from the merchant's own host, which would learn of every payer.
  const logo = merchant.iconUrl === undefined ? undefined : `${logosPath}/${page.paymentId}`
  return (
    <section class="summary" aria-label={messages.payTo(merchant.name)}>
      <svg class="rings" viewBox="0 0 200 200" aria-hidden="true">
        <circle cx="100" cy="100" r="99" />
        <circle cx="100" cy="100" r="76" />
        <circle cx="100" cy="100" r="53" />
      </svg>
      {page.mode === "test" && <p class="test">{messages.test}</p>}
      <div class="merchant">
        <Picture name={merchant.name} url={logo} shape="tile" />
        <p>
          <bdi>{merchant.name}</bdi>
        </p>
      </div>
      <p class="amount">
        <bdi>{Amounts.format(amount, locale)}</bdi>
      </p>
      <dl class="details">
        <dt>{messages.reference}</dt>
        <dd>
          <bdi>{page.referenceId}</bdi>
        </dd>
        {chosen !== undefined && (
          <>
            <dt>{messages.paying}</dt>
            <dd>
              <bdi>{Amounts.format(chosen, locale)}</bdi>{" "}
              {messages.onNetwork(chosen.display.networkName ?? "")}
            </dd>
          </>
        )}
      </dl>
      {isOpen && <TimeLeft {...time} />}
    </section>
  )
}
