/**
 * The first screen: the wallets in this browser, the apps on this phone, and the link for every other wallet.
 *
 * @module
 */
import * as Media from "../Media.ts"
import { Picture } from "../Picture.tsx"
import { QrCode } from "../QrCode.tsx"
import * as SafeUrl from "../SafeUrl.ts"
import { isAfterSending } from "../ScreenText.ts"
import { isNone, type On, type Props } from "../View.ts"
import { Cancel } from "./Cancel.tsx"
import { Money } from "./Money.tsx"
import { Chevron, Copy, Folded, Notice } from "./Pieces.tsx"
import { AppLinks } from "./WalletApps.tsx"

/** A wallet that the payer can choose. */
const walletRow = (
  {
    name,
    icon,
    note,
  }: { readonly name: string; readonly icon?: string | undefined; readonly note?: string },
  onClick: () => void,
) => (
  <button class="row" type="button" onClick={onClick}>
    <Picture name={name} url={icon} shape="tile" />
    <span class="row-name">
      <bdi>{name}</bdi>
      {note !== undefined && <span class="note">{note}</span>}
    </span>
    <Chevron />
  </button>
)

const Scan = ({ view, wallets, say }: Pick<Props, "say" | "view" | "wallets">) => {
  const { messages, page } = view
  return (
    <section class="scan" aria-label={messages.scan.title}>
      <QrCode text={page.link} label={messages.qrCode(page.info.merchant.name)} />
      <p class="note">{wallets.length > 0 ? messages.anyWallet : messages.scan.text}</p>
      <Copy view={view} what="link" text={page.link} say={say} />
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
  const wallets = rest.wallets.filter((wallet) => wallet.remote === undefined)
  // Nothing of WalletConnect is loaded before the payer asks for it.
  const remote = rest.wallets.find((wallet) => wallet.remote !== undefined)
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
        <section class="wallets">
          <h2>{messages.inThisBrowser}</h2>
          <ul class="rows">
            {wallets.map((wallet) => (
              <li key={wallet.id}>{walletRow(wallet, () => session.connect(wallet))}</li>
            ))}
          </ul>
        </section>
      )}
      {!isAfterSending(screen) && (
        <>
          <Elsewhere {...rest} wallets={wallets} />
          {remote?.remote !== undefined &&
            walletRow({ name: remote.remote.brand, note: messages.onAnotherDevice }, () =>
              session.connect(remote),
            )}
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
