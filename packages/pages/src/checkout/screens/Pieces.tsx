/**
 * Small parts that several screens are made of.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type * as Machine from "../Machine.ts"
import { Picture } from "../Picture.tsx"
import * as SafeUrl from "../SafeUrl.ts"
import { noticeText } from "../ScreenText.ts"
import type { Props } from "../View.ts"

export const Chevron = () => (
  <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M6 3l5 5-5 5" />
  </svg>
)

export const Spinner = () => (
  <svg class="spinner" viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="28" />
    <circle class="arc" cx="32" cy="32" r="28" pathLength="100" />
  </svg>
)

export const Mark = ({ kind }: { readonly kind: "good" | "bad" | "caution" }) => (
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

/** The drawing of a token, with that of its network in the corner. */
export const TokenMark = ({
  display,
  hasNetwork = true,
}: {
  readonly display: Amount.Display
  readonly hasNetwork?: boolean
}) => {
  const network = SafeUrl.iconPath(display.networkIconUrl)
  return (
    <span class="token-mark">
      <Picture name={display.assetSymbol} url={SafeUrl.iconPath(display.iconUrl)} shape="coin" />
      {hasNetwork && network !== undefined && (
        <Picture name={display.networkName ?? ""} url={network} shape="tile" />
      )}
    </span>
  )
}

/** A sentence that the payer must see before the rest. */
export const Notice = ({
  view,
  notice,
}: Pick<Props, "view"> & { readonly notice: Machine.Notice | undefined }) =>
  notice !== undefined && (
    <p class="notice" role="alert">
      {noticeText(view, notice)}
    </p>
  )

/** The way back to the start. */
export const OtherWay = ({ view, session }: Pick<Props, "session" | "view">) => (
  <button class="button quiet" type="button" onClick={session.leave}>
    {view.messages.otherWay}
  </button>
)

/** What few payers need, folded behind its title. */
export const Folded = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <details>
    <summary class="row">
      <span class="row-name">{title}</span>
      <Chevron />
    </summary>
    {children}
  </details>
)

/** Where the payer gets help from the merchant. */
export const Help = ({ view: { messages, origin, page } }: Pick<Props, "view">) => {
  const { name, supportEmail, supportUrl } = page.info.merchant
  const email = SafeUrl.email(supportEmail, page.referenceId)
  const url = SafeUrl.web(supportUrl, origin)
  return email === undefined && url === undefined ? null : (
    <div class="help">
      <p class="note">{messages.help(name)}</p>
      {email !== undefined && (
        <a class="link" href={email}>
          <bdi>{supportEmail}</bdi>
        </a>
      )}
      {url !== undefined && (
        <a class="link" href={url} target="_blank" rel="noopener noreferrer">
          {messages.helpPage}
          <span class="unseen"> ({messages.newWindow})</span>
        </a>
      )}
    </div>
  )
}

/** Copies the link or the hash of something. */
export const Copy = ({
  view: { messages },
  what,
  text,
  say,
}: Pick<Props, "say" | "view"> & { readonly what: "link" | "hash"; readonly text: string }) => {
  const { copied, copyFailed, copyHash, copyLink, hashCopied } = messages
  const [label, done] = what === "link" ? [copyLink, copied] : [copyHash, hashCopied]
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
      say(copyFailed)
    }
  }
  return (
    <button class="button quiet" type="button" onClick={copy}>
      {isCopied ? done : label}
    </button>
  )
}
