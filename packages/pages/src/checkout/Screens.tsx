/**
 * The screens: one for each state of the page. They render, and pass the payer's actions to the session.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Option from "@florin/api/wire/Option"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Cause, Said } from "../messages/CheckoutMessages.ts"
import * as Amounts from "../shared/Amounts.ts"
import * as Choices from "./Choices.ts"
import { CollectDialog } from "./CollectDialog.tsx"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as LastChoice from "./LastChoice.ts"
import { Leaving } from "./Leaving.tsx"
import type * as Machine from "./Machine.ts"
import { stepsOf } from "./Machine.ts"
import { Picture } from "./Picture.tsx"
import { QrCode } from "./QrCode.tsx"
import * as SafeUrl from "./SafeUrl.ts"
import type { Session } from "./Session.ts"
import { networkName, type View } from "./View.ts"
import { WalletConnectRow } from "./WalletConnectRow.tsx"
import { WalletConnectScreen } from "./WalletConnectScreen.tsx"

export interface Props {
  readonly view: View
  readonly screen: Machine.Screen
  readonly wallets: ReadonlyArray<InjectedWallet.InjectedWallet>
  readonly money: MoneySent
  readonly session: Session
  /** Announces text to payers who cannot see the change. */
  readonly say: (text: string) => void
  readonly title: string
  /** The title gets the focus on every screen except the first. */
  readonly isFirst: boolean
}

/** Money that was sent and has not paid. */
interface MoneySent {
  readonly transfers: ReadonlyArray<Machine.Unpaying>
  readonly mayBeSent: boolean
}

const isNone = ({ transfers, mayBeSent }: MoneySent): boolean =>
  transfers.length === 0 && !mayBeSent

type On<Tag extends Machine.Screen["_tag"]> = Omit<Props, "screen"> & {
  readonly screen: Extract<Machine.Screen, { readonly _tag: Tag }>
}

const noticeText = (view: View, notice: Machine.Notice): string => {
  const { messages } = view
  switch (notice._tag) {
    case "WrongNetwork":
      return messages.wrongNetwork(networkName(view, notice.chain))
    case "Rejected":
      return messages.rejected
    case "Pending":
      return messages.pending
    case "NoAccount":
      return messages.noAccount
    case "OtherAccount":
      return messages.otherAccount
    case "WalletFailed":
      return messages.walletFailed
    case "Disconnected":
      return messages.disconnected
    case "Offline":
      return messages.offline
    case "Stale":
      return messages.stale
    case "Unsafe":
      return messages.unsafe
    case "Service":
      return messages.service
    case "OptionExpired":
      return messages.optionExpired
    case "FormClosed":
      return messages.formClosed
    case "GoOn":
      return messages.goOn
    case "MayBeSent":
      return messages.mayBeSent
    case "Sent":
      return messages.sent
    case "Unsigned":
      return messages.unsigned
    case "SentLate":
      return messages.sentLate
  }
}

const causeOf = ({ _tag }: Machine.Notice): Cause => {
  switch (_tag) {
    case "Rejected":
      return "rejected"
    case "Pending":
    case "WrongNetwork":
    case "NoAccount":
    case "OtherAccount":
    case "WalletFailed":
    case "Disconnected":
      return "wallet"
    case "Offline":
      return "offline"
    case "Service":
      return "service"
    default:
      return "other"
  }
}

/** A payer who has sent the money sees no other way to pay. */
const isAfterSending = ({ notice }: Pick<On<"Waiting">["screen"], "notice">): boolean =>
  notice?._tag === "Sent" || notice?._tag === "SentLate"

/** The text that a screen announces. */
export const saidBy = (view: View, screen: Machine.Screen): Said => {
  const { messages, page } = view
  const merchant = page.info.merchant.name
  switch (screen._tag) {
    case "Waiting":
      return {
        title: messages.payTo(merchant),
        text: isAfterSending(screen) ? messages.sent : messages.scan.text,
      }
    case "Connecting":
      return screen.wallet.remote === undefined
        ? messages.connecting(screen.wallet.name)
        : messages.pairing
    case "Preparing":
      return messages.preparing
    case "Choosing":
      return messages.choose(screen.wallet.name)
    case "Collecting":
      return messages.form
    case "Asking":
      return messages[screen.asks](screen.wallet.name)
    case "Confirming":
      return messages.confirming
    case "Processing":
      return messages.processing
    case "NoFit":
      return messages.noFit(screen.wallet.name)
    case "Refused":
      return messages.refused
    case "Halted":
      return {
        title: messages.halted[causeOf(screen.notice)],
        text: noticeText(view, screen.notice),
      }
    case "Succeeded":
      return messages.succeeded(merchant)
    case "Unpaid":
      return messages.unpaid[screen.how](merchant)
  }
}

const Heading = ({ title, isFirst }: Pick<Props, "isFirst" | "title">) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  )
}

const Notice = ({ view, notice }: { readonly view: View; readonly notice: Machine.Notice }) => (
  <p class="notice" role="alert">
    {noticeText(view, notice)}
  </p>
)

const Copy = ({
  text,
  label,
  done,
  failed,
  say,
}: {
  readonly text: string
  readonly label: string
  readonly done: string
  readonly failed: string
  readonly say: Props["say"]
}) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      say(done)
    } catch {
      say(failed)
    }
  }
  return (
    <button class="button quiet" type="button" onClick={copy}>
      {isCopied ? done : label}
    </button>
  )
}

const AmountPaid = ({
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

const Transaction = ({ view, hash }: { readonly view: View; readonly hash: string }) => (
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
const Seeing = ({
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

/** A transfer that has not paid, and what happens to it. */
const Sent = ({
  view,
  wallets,
  session,
  say,
  unpaying: { standing, transfer },
}: Pick<Props, "say" | "session" | "view" | "wallets"> & {
  readonly unpaying: Machine.Unpaying
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
        <Transaction view={view} hash={hash} />
      </dl>
      <Seeing view={view} chain={InjectedWallet.chainOf(account)} hash={hash} say={say} />
    </div>
  )
}

/** All that is known about money that was sent. `maybe` says what to do if only the wallet knows whether it was. */
const Money = ({
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

const Wallets = ({ wallets, session, view }: Pick<Props, "session" | "view" | "wallets">) => (
  <section class="wallets">
    <h2>{view.messages.inThisBrowser}</h2>
    <ul class="rows">
      {wallets.map((wallet) => (
        <li key={wallet.id}>
          <button class="row" type="button" onClick={() => session.connect(wallet)}>
            <Picture name={wallet.name} url={wallet.icon} shape="tile" />
            <span class="row-name">
              <bdi>{wallet.name}</bdi>
            </span>
            <Chevron />
          </button>
        </li>
      ))}
    </ul>
  </section>
)

const Chevron = () => (
  <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M6 3l5 5-5 5" />
  </svg>
)

const Scan = ({ view, wallets, say }: Pick<Props, "say" | "view" | "wallets">) => {
  const { messages, page } = view
  return (
    <section class="scan" aria-label={messages.scan.title}>
      <a class="button only-on-phone" href={SafeUrl.walletApp(page.link)}>
        {messages.openInWallet}
      </a>
      <QrCode text={page.link} label={messages.qrCode(page.info.merchant.name)} />
      <p class="note">{wallets.length > 0 ? messages.anyWallet : messages.scan.text}</p>
      <Copy
        text={page.link}
        label={messages.copyLink}
        done={messages.copied}
        failed={messages.copyFailed}
        say={say}
      />
    </section>
  )
}

/** For a payer who does not want to pay now. */
const BackToMerchant = ({ view: { messages, origin, page } }: Pick<Props, "view">) => {
  const url = SafeUrl.web(page.returnTo?.errorUrl, origin)
  return url === undefined ? null : (
    <a class="button quiet" href={url}>
      {messages.backTo(page.info.merchant.name)}
    </a>
  )
}

const Waiting = ({ screen, ...rest }: On<"Waiting">) => {
  const { view, session, money } = rest
  const wallets = rest.wallets.filter(({ remote }) => remote === undefined)
  const { notice } = screen
  const { messages } = view
  const isSent = notice?._tag === "Sent"
  const isSentLate = notice?._tag === "SentLate"
  const isUnsureSaid = notice?._tag === "MayBeSent"
  return (
    <>
      {notice !== undefined && !isSent && <Notice view={view} notice={notice} />}
      <Money
        {...rest}
        money={isUnsureSaid ? { ...money, mayBeSent: false } : money}
        maybe={messages.mayBeSent}
      />
      {wallets.length > 0 && !isSentLate && (
        <Wallets view={view} wallets={wallets} session={session} />
      )}
      {!isAfterSending(screen) && (
        <>
          {wallets.length > 0 && <p class="or">{messages.or}</p>}
          <Scan {...rest} wallets={wallets} />
          <WalletConnectRow view={view} wallets={rest.wallets} onPress={session.connect} />
        </>
      )}
      {isNone(money) && <BackToMerchant view={view} />}
    </>
  )
}

/** A duration as people say it. */
const timeOf = ({ messages }: View, seconds: number): string =>
  seconds < 90
    ? messages.aboutSeconds(Math.max(1, seconds))
    : messages.aboutMinutes(Math.round(seconds / 60))

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
  const address = option.account.slice(option.account.lastIndexOf(":") + 1)
  return (
    <button class="row" type="button" onClick={onPick}>
      <Picture name={display.assetSymbol} url={SafeUrl.drawing(display.iconUrl)} shape="coin" />
      <span class="row-name">
        <bdi class="row-amount">{Amounts.format(option.amount, locale)}</bdi>
        <span class="note">
          {[
            messages.onNetwork(display.networkName ?? ""),
            timeOf(view, option.etaS),
            messages.networkFee[Choices.networkFeeOf(option)],
            ...(most === 1 ? [] : [messages.steps(least, most)]),
            ...(showAccount ? [Amounts.shorten(address)] : []),
            ...(option.collectData === null ? [] : [messages.needsData]),
          ].join(" · ")}
        </span>
      </span>
      <Chevron />
    </button>
  )
}

const Choosing = ({ view, screen, session }: On<"Choosing">) => {
  const { messages } = view
  const { options, wallet } = screen
  const [wanted, setWanted] = useState("")
  const accounts = new Set(
    options.map(({ account }) => account.slice(account.lastIndexOf(":")).toLowerCase()),
  )
  const pick = (option: Option.PaymentOption) => {
    LastChoice.save(wallet.id, option.amount.unit)
    session.pick(option)
  }
  const recommended = Choices.recommend(options, LastChoice.load(wallet.id))
  const found = Choices.matching(options, wanted)
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
      {screen.notice !== undefined && <Notice view={view} notice={screen.notice} />}
      <p class="text">{saidBy(view, screen).text}</p>
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
              <Picture
                name={symbol}
                url={SafeUrl.drawing(ways[0]?.amount.display.iconUrl)}
                shape="coin"
              />
              <span class="row-name">
                <bdi>{symbol}</bdi>
                <span class="note">{messages.ways(ways.length)}</span>
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

const OtherWay = ({ view, session }: Pick<Props, "session" | "view">) => (
  <button class="button quiet" type="button" onClick={session.leave}>
    {view.messages.otherWay}
  </button>
)

const Spinner = () => (
  <svg class="spinner" viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="28" />
    <circle class="arc" cx="32" cy="32" r="28" pathLength="100" />
  </svg>
)

const Busy = ({
  view,
  screen,
  children,
}: {
  readonly view: View
  readonly screen: Machine.Screen
  readonly children?: ComponentChildren
}) => (
  <div class="state">
    <Spinner />
    <p class="text">{saidBy(view, screen).text}</p>
    {children}
  </div>
)

const Connecting = ({ screen, ...rest }: On<"Connecting">) => {
  const { view, say } = rest
  const { messages } = view
  const { remote } = screen.wallet
  const waiting = (
    <Busy view={view} screen={screen}>
      <OtherWay {...rest} />
    </Busy>
  )
  return remote === undefined ? (
    waiting
  ) : (
    <WalletConnectScreen view={view} remote={remote} waiting={waiting}>
      {(uri) => (
        <>
          <Copy
            text={uri}
            label={messages.copyLink}
            done={messages.copied}
            failed={messages.copyFailed}
            say={say}
          />
          <OtherWay {...rest} />
        </>
      )}
    </WalletConnectScreen>
  )
}

const Asking = ({ view, screen, session }: On<"Asking">) => (
  <Busy view={view} screen={screen}>
    {screen.steps > 1 && (
      <div class="steps">
        <p class="note">{view.messages.step(screen.step, screen.steps)}</p>
        <progress value={screen.step - 1} max={screen.steps} aria-hidden="true" />
      </div>
    )}
    {screen.mayLeave && <OtherWay view={view} session={session} />}
  </Busy>
)

const Mark = ({ kind }: { readonly kind: "good" | "bad" | "caution" }) => (
  <svg class={`mark ${kind}`} viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="32" />
    <path
      d={
        {
          good: "M20 33l8.5 8.5L45 24.5",
          bad: "M23 23l18 18M41 23L23 41",
          caution: "M32 19v16M32 44v.5",
        }[kind]
      }
    />
  </svg>
)

const NoFit = ({ screen, ...rest }: On<"NoFit">) => {
  const { view, session } = rest
  const { page, messages, locale } = view
  return (
    <>
      <Money {...rest} maybe={messages.mayBeSent} />
      <p class="text">{saidBy(view, screen).text}</p>
      <h2>{messages.wouldDo}</h2>
      <ul class="rows plain">
        {page.accepted.map((amount) => (
          <li class="row" key={amount.unit}>
            <Picture
              name={amount.display.assetSymbol}
              url={SafeUrl.drawing(amount.display.iconUrl)}
              shape="coin"
            />
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

const Halted = ({ screen, ...rest }: On<"Halted">) => {
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
    </div>
  )
}

const Refused = ({ screen, ...rest }: On<"Refused">) => {
  const { view, session } = rest
  return (
    <div class="state">
      <Mark kind="bad" />
      <p class="text">{saidBy(view, screen).text}</p>
      <Money {...rest} maybe={view.messages.mayBeSent} />
      <OtherWay view={view} session={session} />
    </div>
  )
}

const Succeeded = ({ screen, ...rest }: On<"Succeeded">) => {
  const { view, say, money } = rest
  const { page, messages } = view
  const { optionAmount, txId } = screen.paid
  return (
    <div class="state">
      <Mark kind="good" />
      <p class="text">{saidBy(view, screen).text}</p>
      <dl class="receipt">
        <AmountPaid view={view} amount={optionAmount} />
        <dt>{messages.reference}</dt>
        <dd>
          <bdi>{page.referenceId}</bdi>
        </dd>
        <Transaction view={view} hash={txId} />
      </dl>
      <Leaving view={view} to={page.returnTo?.successUrl} isByItself={isNone(money)} />
      <button class="button quiet" type="button" onClick={() => window.print()}>
        {messages.print}
      </button>
      <Seeing view={view} chain={Amounts.chainOf(optionAmount.unit) ?? ""} hash={txId} say={say} />
      {screen.notice !== undefined && <Notice view={view} notice={screen.notice} />}
      <Money {...rest} maybe={messages.mayBeSentLate(page.info.merchant.name)} />
    </div>
  )
}

const Unpaid = ({ screen, ...rest }: On<"Unpaid">) => {
  const { view, money } = rest
  const { messages, page } = view
  const merchant = page.info.merchant.name
  return (
    <div class="state">
      <Mark kind={screen.how === "failed" || screen.how === "declined" ? "bad" : "caution"} />
      <p class="text">{saidBy(view, screen).text}</p>
      {screen.notice !== undefined && <Notice view={view} notice={screen.notice} />}
      <Money {...rest} maybe={messages.mayBeSentLate(merchant)} />
      {isNone(money) && <p class="note">{messages.ifSent(merchant)}</p>}
      <Leaving view={view} to={page.returnTo?.errorUrl} isByItself={isNone(money)} />
    </div>
  )
}

const Body = ({ screen, ...rest }: Props) => {
  switch (screen._tag) {
    case "Waiting":
      return <Waiting {...rest} screen={screen} />
    case "Choosing":
      return <Choosing {...rest} screen={screen} />
    case "Collecting":
      return (
        <Busy view={rest.view} screen={screen}>
          <CollectDialog view={rest.view} url={screen.url} onClosed={rest.session.collected} />
        </Busy>
      )
    case "Asking":
      return <Asking {...rest} screen={screen} />
    case "Connecting":
      return <Connecting {...rest} screen={screen} />
    case "Preparing":
    case "Confirming":
    case "Processing":
      return <Busy view={rest.view} screen={screen} />
    case "NoFit":
      return <NoFit {...rest} screen={screen} />
    case "Refused":
      return <Refused {...rest} screen={screen} />
    case "Halted":
      return <Halted {...rest} screen={screen} />
    case "Succeeded":
      return <Succeeded {...rest} screen={screen} />
    case "Unpaid":
      return <Unpaid {...rest} screen={screen} />
  }
}

export const ScreenView = (props: Props) => (
  <>
    <Heading title={props.title} isFirst={props.isFirst} />
    <Body {...props} />
  </>
)

/** The screen for a payment that does not exist. It has no summary. */
export const Absent = ({ messages }: Pick<View, "messages">) => (
  <div class="card absent">
    <div class="panel">
      <h1>{messages.absent.title}</h1>
      <div class="state">
        <Mark kind="caution" />
        <p class="text">{messages.absent.text}</p>
      </div>
    </div>
  </div>
)
