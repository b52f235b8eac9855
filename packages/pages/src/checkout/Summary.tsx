/**
 * The amount, the merchant, what is paid for and the time left: the same on every screen.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import { logosPath } from "@florin/api/wire/HostedPage"
import type * as Payment from "@florin/api/wire/Payment"
import { useEffect, useRef, useState } from "preact/hooks"
import * as Amounts from "../shared/Amounts.ts"
import * as Media from "./Media.ts"
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

/** On a phone, the other lines of an order are folded. */
const linesShown = 3

const Line = ({
  item,
  locale,
}: {
  readonly item: Payment.ShownLineItem
  readonly locale: string
}) => (
  <li>
    <span>
      {item.quantity !== 1 && (
        <>
          <bdi>
            {new Intl.NumberFormat(locale).format(item.quantity)}
            {"\u00a0×"}
          </bdi>{" "}
        </>
      )}
      <bdi>{item.name}</bdi>
    </span>
    {item.amount !== undefined && <bdi>{Amounts.format(item.amount, locale)}</bdi>}
  </li>
)

const Order = ({ view: { locale, messages, page } }: Pick<TimeProps, "view">) => {
  const isWide = Media.useMedia(Media.wide)
  const { description, lineItems = [] } = page.info
  const shown = isWide ? lineItems : lineItems.slice(0, linesShown)
  const folded = lineItems.slice(shown.length)
  const listed = (items: typeof lineItems) => (
    <ul>
      {items.map((item, index) => (
        <Line key={index} item={item} locale={locale} />
      ))}
    </ul>
  )
  return (
    <div class="order">
      {description !== undefined && (
        <p>
          <bdi>{description}</bdi>
        </p>
      )}
      {shown.length > 0 && listed(shown)}
      {folded.length > 0 && (
        <details>
          <summary>{Amounts.withDigits(messages.moreItems(folded.length), locale)}</summary>
          {listed(folded)}
        </details>
      )}
    </div>
  )
}

/** Stays at the top of the screen once the amount is scrolled out of sight. A screen reader has already read it. */
const Bar = ({ view: { locale, page } }: Pick<TimeProps, "view">) => {
  const place = useRef<HTMLDivElement>(null)
  const [isPast, setPast] = useState(false)
  useEffect(() => {
    if (place.current === null) return
    const observer = new IntersectionObserver(([entry]) =>
      setPast(entry !== undefined && !entry.isIntersecting && entry.boundingClientRect.top < 0),
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} aria-hidden="true">
      {isPast && (
        <p class="bar">
          <bdi>{page.info.merchant.name}</bdi>
          <bdi>{Amounts.format(page.info.amount, locale)}</bdi>
        </p>
      )}
    </div>
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
      <div class="merchant">
        <Picture name={merchant.name} url={logo} shape="tile" />
        <p>
          <bdi>{merchant.name}</bdi>
        </p>
      </div>
      <p class="amount">
        <bdi>{Amounts.format(amount, locale)}</bdi>
      </p>
      <Bar view={time.view} />
      <Order view={time.view} />
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
