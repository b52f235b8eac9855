/**
 * The ways to pay with the wallet that is connected.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import { Fragment } from "preact"
import { useState } from "preact/hooks"
import * as Amounts from "../../shared/Amounts.ts"
import * as Choices from "../Choices.ts"
import { stepsOf } from "../Machine.ts"
import * as TabStore from "../TabStore.ts"
import type { On, View } from "../View.ts"
import { Chevron, Notice, OtherWay, TokenMark } from "./Pieces.tsx"

/** The unit with which a wallet paid last in this browser. */
const lastUnits = TabStore.make(() => localStorage)
const lastUnitOf = (wallet: { readonly id: string }): string => `florin-last-${wallet.id}`

/** A duration as people say it. */
const timeOf = ({ locale, messages }: View, seconds: number): string =>
  Amounts.withDigits(
    seconds < 90
      ? messages.aboutSeconds(Math.max(1, seconds))
      : messages.aboutMinutes(Math.round(seconds / 60)),
    locale,
  )

/** What the payer pays the network, as exactly as the service knows it. */
const feeOf = ({ locale, messages }: View, option: Option.PaymentOption): string => {
  const fee = Choices.networkFeeOf(option)
  const text = option.networkFee ? Amounts.format(option.networkFee, locale) : ""
  switch (fee) {
    case "about":
      return messages.networkFeeAbout(text)
    case "below":
      return messages.networkFeeBelow(text)
    default:
      return messages.networkFee[fee]
  }
}

/** Short statements in one line, or in more lines that each begin with a whole one. */
const Parts = ({ parts }: { readonly parts: ReadonlyArray<string> }) =>
  parts.length === 0 ? null : (
    <span class="note parts">
      {parts.map((part, index) => (
        <Fragment key={part}>
          <span>
            <bdi>{part}</bdi>
            {index < parts.length - 1 && "\u00a0·"}
          </span>{" "}
        </Fragment>
      ))}
    </span>
  )

const OptionRow = ({
  view,
  option,
  showAccount,
  onPick,
}: {
  readonly view: View
  readonly option: Option.PaymentOption
  readonly showAccount: boolean
  readonly onPick: () => void
}) => {
  const { messages, locale } = view
  const { display } = option.amount
  const { least, most } = stepsOf(option)
  const steps = messages.steps(most)
  const range = least < most ? messages.stepsRange(least, messages.steps(least), steps) : steps
  const address = option.account.slice(option.account.lastIndexOf(":") + 1)
  return (
    <button class="row" type="button" onClick={onPick}>
      <TokenMark display={display} />
      <span class="row-name">
        <span class="row-title">
          <bdi class="row-amount">{Amounts.format(option.amount, locale)}</bdi>{" "}
          <span class="note">{messages.onNetwork(display.networkName ?? "")}</span>
        </span>
        <Parts
          parts={[
            feeOf(view, option),
            timeOf(view, option.etaS),
            ...(most === 1 ? [] : [Amounts.withDigits(range, locale)]),
            ...(option.collectData === null ? [] : [messages.needsData]),
          ]}
        />
        <Parts
          parts={[
            ...(option.balance === undefined
              ? []
              : [
                  messages.balance(
                    Amounts.formatBalance({ ...option.amount, value: option.balance }, locale),
                  ),
                ]),
            ...(showAccount ? [Amounts.shorten(address)] : []),
          ]}
        />
      </span>
      <Chevron />
    </button>
  )
}

export const Choosing = ({ view, screen, said, session }: On<"Choosing">) => {
  const { messages } = view
  const { options, wallet } = screen
  const [wanted, setWanted] = useState("")
  const accounts = new Set(
    options.map(({ account }) => account.slice(account.lastIndexOf(":")).toLowerCase()),
  )
  const pick = (option: Option.PaymentOption) => {
    lastUnits.setItem(lastUnitOf(wallet), option.amount.unit)
    session.pick(option)
  }
  const recommended = Choices.recommend(options, lastUnits.getItem(lastUnitOf(wallet)))
  const found = Choices.filterByText(options, wanted)
  const groups = Choices.group(found.filter((option) => option !== recommended))
  const isLong = options.length > Choices.shownMax
  const rows = (ways: ReadonlyArray<Option.PaymentOption>) => (
    <ul class="rows">
      {ways.map((option) => (
        <li key={option.id}>
          <OptionRow
            view={view}
            option={option}
            showAccount={accounts.size > 1}
            onPick={() => pick(option)}
          />
        </li>
      ))}
    </ul>
  )
  return (
    <>
      <Notice view={view} notice={screen.notice} />
      <p class="text">{said.text}</p>
      {recommended !== undefined && (
        <section class="recommended" aria-labelledby="recommended">
          <h2 id="recommended">{messages.recommended}</h2>
          {rows([recommended])}
        </section>
      )}
      {isLong && (
        <label class="filter">
          {messages.filter}
          <input
            type="search"
            autocomplete="off"
            value={wanted}
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          />
        </label>
      )}
      {found.length === 0 && <p class="text">{messages.noMatch}</p>}
      {groups.map(({ symbol, ways }) =>
        isLong && ways.length > 1 ? (
          <details key={symbol} open={wanted !== ""}>
            <summary class="row">
              {ways.slice(0, 1).map(({ amount }) => (
                <TokenMark key={symbol} display={amount.display} hasNetwork={false} />
              ))}
              <span class="row-name">
                <bdi>{symbol}</bdi>
                <span class="note">
                  {Amounts.withDigits(messages.ways(ways.length), view.locale)}
                </span>
              </span>
              <Chevron />
            </summary>
            {rows(ways)}
          </details>
        ) : (
          <div key={symbol}>{rows(ways)}</div>
        ),
      )}
      <OtherWay view={view} session={session} />
    </>
  )
}
