/**
 * `<florin-checkout>`: a button that opens the checkout above the shop's page, or the checkout in the page itself.
 *
 * @module
 */
import * as Conversation from "./Conversation.ts"
import * as Link from "./Link.ts"
import type { Report, Status } from "./Protocol.ts"

/**
 * What the checkout last reported. A payer can forge it: it is for what the page shows, and proves nothing. Both are
 * null if the checkout was closed before it could report.
 */
export interface Outcome {
  readonly paymentId: string | null
  readonly status: Status | null
}

const style = `
:host { display: block }
:host(:not([mode="inline"])) { display: inline-block }
button { font: inherit; cursor: pointer }
.pay { min-block-size: 2.75rem; padding: .5rem 1.25rem; border: 0; border-radius: var(--florin-radius, .75rem);
  background: var(--florin-accent, #0b6353); color: var(--florin-on-accent, #fff); font-weight: 600 }
.pay:disabled { opacity: .6; cursor: default }
:focus-visible { outline: 3px solid var(--florin-accent, #0b6353); outline-offset: 3px }
:host([hidden]) { display: contents }
:host([hidden]) .pay, :host([hidden]) .inline, [hidden] { display: none !important }
dialog { box-sizing: border-box; inline-size: min(100%, 58rem); block-size: min(100%, 47rem); max-inline-size: 100%;
  max-block-size: 100%; padding: 0; border: 0; border-radius: var(--florin-radius, .75rem); overflow: hidden;
  background: Canvas; color: CanvasText }
dialog[open] { display: flex; flex-direction: column }
dialog::backdrop { background: rgb(10 20 17 / 55%) }
.close { align-self: end; inline-size: 2.75rem; block-size: 2.75rem; border: 0; background: none; color: inherit }
.close:focus-visible { outline-offset: -3px }
iframe { flex: 1; inline-size: 100%; border: 0; background: none }
.inline iframe { display: block; block-size: 40rem; border-radius: var(--florin-radius, .75rem);
  box-shadow: 0 0 0 1px rgb(128 128 128 / 30%) }
@media (width < 52rem) { dialog { block-size: 100%; border-radius: 0 } }
`

/** Shared by all elements. A page's policy allows a constructed sheet, even if it allows no inline styles. */
let shared: CSSStyleSheet | undefined
const sheet = (): CSSStyleSheet => {
  if (shared === undefined) {
    shared = new CSSStyleSheet()
    shared.replaceSync(style)
  }
  return shared
}

const heightMax = 10_000

interface Opened {
  readonly frame: HTMLIFrameElement
  readonly conversation: Conversation.Conversation
  readonly outcome: Promise<Outcome>
}

// Modules of a shop are also loaded on its server, where no elements exist.
const Base = globalThis.HTMLElement ?? Object

export class FlorinCheckout extends Base {
  static readonly observedAttributes = ["label", "lang", "mode", "payment"]

  readonly #button = document.createElement("button")
  readonly #dialog = document.createElement("dialog")
  readonly #close = document.createElement("button")
  readonly #inline = document.createElement("div")
  #opened: Opened | undefined
  #settle: (outcome: Outcome) => void = () => undefined
  #last: Outcome = { paymentId: null, status: null }
  #announced: string | undefined
  #isShown = false

  constructor() {
    super()
    const root = this.attachShadow({ mode: "open", delegatesFocus: true })
    root.adoptedStyleSheets = [sheet()]
    this.#button.className = "pay"
    this.#inline.className = "inline"
    this.#close.className = "close"
    this.#close.textContent = "✕"
    for (const [element, part] of [
      [this.#button, "button"],
      [this.#dialog, "dialog"],
      [this.#close, "close"],
      [this.#inline, "inline"],
    ] as const) {
      element.part.add(part)
    }
    for (const button of [this.#button, this.#close]) button.type = "button"
    this.#name("Checkout", "Close")
    this.#dialog.append(this.#close)
    root.append(this.#button, this.#inline, this.#dialog)
    this.#button.addEventListener("click", () => void this.open())
    this.#close.addEventListener("click", () => this.close())
    // The checkout may have to ask the payer first.
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault()
      this.close()
    })
    this.#dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return
      event.preventDefault()
      this.close()
    })
    // Some browsers close the dialog anyway if the payer insists. Otherwise its checkout has ended before this is heard.
    this.#dialog.addEventListener("close", () => {
      if (!this.#dialog.open && this.#isModal) this.#end()
    })
  }

  /** The payment link: `gatewayUrl` of the API. */
  get payment(): string {
    return this.getAttribute("payment") ?? ""
  }

  set payment(link: string) {
    this.setAttribute("payment", link)
  }

  get mode(): Link.Mode {
    return this.getAttribute("mode") === "inline" ? "inline" : "modal"
  }

  set mode(mode: Link.Mode) {
    this.setAttribute("mode", mode)
  }

  /** Whether the checkout that is open is in the dialog. The mode may have changed since. */
  get #isModal(): boolean {
    return this.#opened?.frame.parentNode === this.#dialog
  }

  /** The text of the button. */
  get label(): string {
    return this.getAttribute("label") ?? "Pay"
  }

  set label(text: string) {
    this.setAttribute("label", text)
  }

  connectedCallback(): void {
    this.#isShown = true
    this.#draw()
  }

  disconnectedCallback(): void {
    this.#isShown = false
    this.#end()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.#isShown) return
    // An open dialog stays as it is: the payer may be paying.
    if (name !== "label" && !this.#isModal) this.#end()
    this.#draw()
  }

  /** Shows the checkout. Resolves when it is closed or, in the page itself, when the payment has ended. */
  async open(): Promise<Outcome> {
    if (this.#opened !== undefined) return this.#opened.outcome
    const link = Link.parse(this.payment)
    if (link === undefined) {
      throw new TypeError(
        "florin-checkout: payment is not a payment link, such as https://…/?pid=…",
      )
    }
    if (!this.isConnected) throw new TypeError("florin-checkout: the element is in no document")
    const isModal = this.mode === "modal"
    const frame = document.createElement("iframe")
    frame.part.add("frame")
    frame.title = "Checkout"
    frame.allow = "clipboard-write; ethereum"
    frame.referrerPolicy = "no-referrer"
    frame.src = Link.frameUrl(link, this.mode, this.lang)
    this.#last = { paymentId: null, status: null }
    this.#opened = {
      frame,
      outcome: new Promise((resolve) => {
        this.#settle = resolve
      }),
      conversation: Conversation.start(frame, link.origin, {
        onReport: (report) => this.#heard(report, frame),
        onFailed: () => this.#failed(link),
      }),
    }
    ;(isModal ? this.#dialog : this.#inline).append(frame)
    if (isModal) this.#dialog.showModal()
    return this.#opened.outcome
  }

  /** Closes the checkout. If money may be on its way, the checkout asks the payer first. */
  close(): void {
    this.#opened?.conversation.requestClose()
  }

  #draw(): void {
    const isInline = this.mode === "inline"
    this.#button.textContent = this.label
    this.#button.hidden = isInline
    this.#button.disabled = this.payment === ""
    if (isInline && this.payment !== "") void this.open()
  }

  #name(title: string, close: string): void {
    this.#dialog.setAttribute("aria-label", title)
    this.#close.setAttribute("aria-label", close)
  }

  #heard(report: Report, frame: HTMLIFrameElement): void {
    switch (report.type) {
      case "ready":
        this.#name(report.title, report.close)
        frame.title = report.title
        if (this.#isModal) frame.focus()
        return
      case "resize":
        if (!this.#isModal) {
          frame.style.blockSize = `${Math.min(Math.max(report.height, 0), heightMax)}px`
        }
        return
      case "status": {
        const { isFinal, paymentId, status } = report
        this.#last = { paymentId, status }
        if (!isFinal) return
        if (!this.#isModal) this.#settle(this.#last)
        const announced = `${paymentId} ${status}`
        if (announced === this.#announced) return
        this.#announced = announced
        this.#announce(status === "succeeded" ? "florin-succeeded" : "florin-failed")
        return
      }
      case "close":
        this.#end()
    }
  }

  #announce(type: string): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail: this.#last }))
  }

  /** Without a checkout in the frame, the payer goes to its own page, and is shown no empty box. */
  #failed(link: URL): void {
    if (this.#isModal) {
      // If the payer comes back, the browser may show this page as it was left.
      addEventListener("pageshow", () => this.#end(), { once: true })
      location.assign(link)
      return
    }
    this.#opened?.conversation.end()
    const way = document.createElement("a")
    way.className = "pay"
    way.part.add("button")
    way.href = link.href
    way.textContent = this.label
    this.#opened?.frame.replaceWith(way)
  }

  #end(): void {
    const opened = this.#opened
    if (opened === undefined) return
    this.#opened = undefined
    opened.conversation.end()
    this.#inline.replaceChildren()
    opened.frame.remove()
    this.#dialog.close()
    this.#settle(this.#last)
    this.#announce("florin-closed")
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "florin-checkout": FlorinCheckout
  }
  interface HTMLElementEventMap {
    "florin-succeeded": CustomEvent<Outcome>
    "florin-failed": CustomEvent<Outcome>
    "florin-closed": CustomEvent<Outcome>
  }
}
