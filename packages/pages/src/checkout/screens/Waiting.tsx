/**
 * The first screen: the wallets in this browser, the apps on this phone, and the link for every other wallet.
 *
 * @module
 */
import * as Media from "../Media.ts"
import { Picture } from "../Picture.tsx"
import { QrCode } from "../QrCode.tsx"
import * as SafeUrl from "../SafeUrl.ts"
import { Cancel } from "./Cancel.tsx"
import { Copy } from "./Copy.tsx"
import { Folded } from "./Folded.tsx"
import { Chevron } from "./Mark.tsx"
import { Money } from "./Money.tsx"
import { Notice } from "./Notice.tsx"
import { isAfterSending } from "./Said.ts"
import { isNone, type On, type Props } from "./Screen.ts"
import { AppLinks } from "./WalletApps.tsx"
import { WalletConnectRow } from "./WalletConnectRow.tsx"

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

const Scan = ({ view, wallets, say }: Pick<Props, "say" | "view" | "wallets">) => {
  const { messages, page } = view
  return (
    <section class="scan" aria-label={messages.scan.title}>
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

/** Every wallet that is not in this browser: on a phone the apps come first, elsewhere the code to scan. */
const Elsewhere = (props: Pick<Props, "say" | "view" | "wallets">) => {
  const { view, wallets } = props
  const { messages } = view
  const isPhone = !Media.useMedia(Media.mouse)
  const isFirst = wallets.length === 0
  if (!isPhone) {
    return (
      <>
        {!isFirst && <p class="or">{messages.or}</p>}
        <Scan {...props} />
      </>
    )
  }
  const apps = <AppLinks view={view} />
  return (
    <>
      {isFirst ? apps : <Folded title={messages.otherWallet}>{apps}</Folded>}
      <Folded title={messages.otherDevice}>
        <Scan {...props} />
      </Folded>
    </>
  )
}

/** For a payer who does not want to pay now. */
const BackToMerchant = ({ view: { frame, messages, origin, page } }: Pick<Props, "view">) => {
  const url = SafeUrl.web(page.returnTo?.errorUrl, origin)
  // In a frame, the merchant's page is around this one.
  return url === undefined || frame !== undefined ? null : (
    <a class="button quiet" href={url}>
      {messages.backTo(page.info.merchant.name)}
    </a>
  )
}

export const Waiting = ({ screen, ...rest }: On<"Waiting">) => {
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
          <Elsewhere {...rest} wallets={wallets} />
          <WalletConnectRow {...rest} />
        </>
      )}
      {isNone(money) && (
        <div class="away">
          <BackToMerchant view={view} />
          <Cancel view={view} session={session} />
        </div>
      )}
    </>
  )
}
