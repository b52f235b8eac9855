/**
 * The pages in a browser that runs no script: the checkout, with who is paid how much and how to pay elsewhere, and the
 * page for an address where nothing is.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import type { CheckoutMessages } from "../../messages/CheckoutMessages.ts"
import { type Catalogue, isolate } from "../../messages/Messages.ts"
import type { PlainMessages } from "../../messages/PlainMessages.ts"
import * as Amounts from "../../shared/Amounts.ts"
import * as Html from "../../shared/Html.ts"
import { escape, isolated } from "../../shared/Html.ts"
import * as Machine from "../Machine.ts"
import * as SafeUrl from "../SafeUrl.ts"
import { screenText } from "../ScreenText.ts"

interface View {
  readonly page: HostedPage.Checkout
  readonly checkout: Catalogue<CheckoutMessages>
  readonly plain: PlainMessages
  /** The format of amounts and times, as BCP 47. */
  readonly locale: string
}

const summary = ({ checkout: { texts }, locale, page, plain }: View, isOpen: boolean): string => {
  const { amount, description, expiresAt, merchant } = page.info
  const [initial = "?"] = Array.from(merchant.name.trim())
  // The payer's own time zone is not known.
  const time = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "long",
    timeZone: "UTC",
  }).format(expiresAt * 1000)
  return `<section class="summary" aria-label="${escape(texts.payTo(merchant.name))}">
${Html.rings}
<div class="merchant"><span class="picture tile" aria-hidden="true">${escape(initial.toUpperCase())}</span><p>${isolated(merchant.name)}</p></div>
<p class="amount">${isolated(Amounts.format(amount, locale))}</p>
<div class="order">${description === undefined ? "" : `<p>${isolated(description)}</p>`}</div>
<dl class="details"><dt>${escape(texts.reference)}</dt><dd>${isolated(page.referenceId)}</dd></dl>
${isOpen ? `<p class="time">${escape(plain.payBy(time))}</p>` : ""}
</section>`
}

const chevron = `<svg class="chevron" viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3l5 5-5 5" /></svg>`

const link = (page: HostedPage.Checkout): string =>
  `<p class="written"><a href="${escape(page.link)}" target="_top">${isolated(page.link)}</a></p>`

/** On a phone the code is folded: nobody scans the screen in their hand. */
const code = ({ checkout: { texts }, page }: View): string => {
  const { name } = page.info.merchant
  const path = `${HostedPage.qrCodesPath}/${page.paymentId}`
  const scan = `<div class="scan"><img class="qr" src="${escape(path)}" alt="${escape(texts.qrCode(name))}" /><p class="note">${escape(texts.scan.text)}</p></div>`
  return `<div class="with-mouse">${scan}</div>
<details class="without-mouse"><summary class="row"><span class="row-name">${escape(texts.otherDevice)}</span>${chevron}</summary>${scan}</details>`
}

const legal = ({ checkout: { texts }, page }: View): string => {
  const { origin } = new URL(page.link)
  const links = [
    [texts.terms, page.termsUrl],
    [texts.privacy, page.privacyUrl],
  ] as const
  return links
    .map(([label, url]) => [label, SafeUrl.web(url, origin)] as const)
    .map(([label, url]) =>
      url === undefined
        ? ""
        : `<a href="${escape(url)}" target="_blank" rel="noopener noreferrer">${escape(label)}<span class="unseen"> (${escape(texts.newWindow)})</span></a>`,
    )
    .join("\n")
}

/** The whole document. */
export const payment = (view: View, stylesheet: string): string => {
  const { checkout, page, plain } = view
  const { texts } = checkout
  const { name } = page.info.merchant
  const screen = Machine.screenOf(Machine.initial(page.status, { transfers: [], mayBeSent: false }))
  const isOpen = screen._tag === "Waiting"
  const said = screenText({ ...view, messages: texts }, screen, undefined)
  return Html.document(
    checkout.language,
    stylesheet,
    `${escape(said.title)} · ${escape(isolate(name))}`,
    `<div class="card">
${page.mode === "test" ? `<p class="test">${escape(texts.test)}</p>` : ""}
${summary(view, isOpen)}
<div class="panel">
<h1>${escape(said.title)}</h1>
<p class="text">${escape(isOpen ? plain.needsScript : said.text)}</p>
${page.refunds === null ? "" : `<p class="text">${escape(texts.refund[page.refunds.of])}</p>`}
${isOpen ? link(page) + code(view) : ""}
</div>
</div>
<p class="legal">
${legal(view)}
</p>`,
  )
}

/** The page for an address where nothing is, such as a payment link that is not complete. */
export const notFound = (catalogue: Catalogue<PlainMessages>, stylesheet: string): string => {
  const { text, title } = catalogue.texts.notFound
  return Html.document(
    catalogue.language,
    stylesheet,
    escape(title),
    `<div class="card absent">
<div class="panel">
<h1>${escape(title)}</h1>
<div class="state">
<svg class="mark caution" viewBox="0 0 64 64" aria-hidden="true"><circle cx="32" cy="32" r="32" /><path d="M32 19v16M32 44v.5" /></svg>
<p class="text">${escape(text)}</p>
</div>
</div>
</div>`,
  )
}
