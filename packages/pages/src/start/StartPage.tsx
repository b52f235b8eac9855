/**
 * The start page of a service on a developer's machine: create a test payment, open its checkout, watch what happens.
 *
 * @module
 */
import type * as Event from "@florin/api/wire/Event"
import type * as Payment from "@florin/api/wire/Payment"
import type { Partner } from "@florin/client"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import * as Amounts from "../shared/Amounts.ts"
import * as Ask from "./Ask.ts"
import { CopyButton, Fact } from "./Copied.tsx"
import * as Feed from "./Feed.ts"
import { consolePath, type Start } from "./Start.ts"

const locale = "en"

/** A section of the page, labelled by its heading. */
const Card = (props: {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <section class="card" aria-labelledby={props.id}>
    <h2 id={props.id}>{props.title}</h2>
    {props.children}
  </section>
)

const checkoutOf = (paymentId: string): string => `/?pid=${paymentId}`

const OpenCheckout = (props: { readonly url: string; readonly label: string }) => (
  <a href={props.url} target="_blank" rel="noopener">
    {props.label}
    <span class="unseen"> (opens in a new tab)</span>
  </a>
)

/** The state of creating a payment. */
type Creating =
  | { readonly _tag: "Ready" | "Sending" }
  | { readonly _tag: "Created"; readonly url: string }
  | { readonly _tag: "Failed"; readonly message: string }

const Create = ({
  onCreated,
  origin,
  partner,
  start,
}: {
  readonly onCreated: () => void
  readonly origin: string
  readonly partner: Partner
  readonly start: Start
}) => {
  const [order, setOrder] = useState(1)
  const [text, setText] = useState("12.50")
  const [currency, setCurrency] = useState("USD")
  const [description, setDescription] = useState("")
  const [outcome, setOutcome] = useState("")
  const [creating, setCreating] = useState<Creating>({ _tag: "Ready" })
  useEffect(() => {
    // Orders of an earlier visit are counted, too.
    void Feed.nextOrder(partner).then((found) => setOrder((now) => Math.max(now, found)))
  }, [])
  const amount = Ask.amount(text, currency)
  const body = (value: NonNullable<typeof amount>): Payment.CreateRequest => ({
    referenceId: `order-${order}`,
    amount: value,
    ...(description.trim() !== "" && { description: description.trim() }),
    ...(outcome !== "" && { metadata: { testOutcome: outcome } }),
  })
  const create = async () => {
    if (amount === undefined) {
      setCreating({ _tag: "Failed", message: `Enter an amount of ${currency}, such as 12` })
      return
    }
    setCreating({ _tag: "Sending" })
    try {
      const { gatewayUrl } = await partner.payments.create(body(amount), {
        merchantId: start.merchantId,
      })
      setCreating({ _tag: "Created", url: gatewayUrl })
      setOrder(order + 1)
      onCreated()
    } catch (error) {
      const message = error instanceof Error ? error.message : "try again"
      setCreating({ _tag: "Failed", message: `The payment was not created: ${message}` })
    }
  }
  return (
    <Card id="create" title="Create a test payment">
      <form
        class="create"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <label>
          Amount
          <input
            inputMode="decimal"
            autocomplete="off"
            value={text}
            aria-invalid={creating._tag === "Failed" && amount === undefined}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label>
          Currency
          <select
            value={currency}
            onChange={({ currentTarget }) => setCurrency(currentTarget.value)}
          >
            {start.currencies.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="wide">
          Description (optional)
          <input
            autocomplete="off"
            placeholder="Coffee beans"
            value={description}
            onInput={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        </label>
        <label class="wide">
          Outcome
          <select value={outcome} onChange={({ currentTarget }) => setOutcome(currentTarget.value)}>
            <option value="">as usual</option>
            {start.outcomes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="submit" class="button" disabled={creating._tag === "Sending"}>
          Create payment
        </button>
      </form>
      <div role="status" class="created">
        {creating._tag === "Created" && (
          <>
            <p>The payment is waiting for its payer.</p>
            <p class="actions">
              <OpenCheckout url={creating.url} label="Open the checkout" />
              <CopyButton name="payment link" text={creating.url} />
            </p>
          </>
        )}
      </div>
      {creating._tag === "Failed" && (
        <p class="error" role="alert">
          {creating.message}
        </p>
      )}
      <p class="note">
        In the checkout, choose a test wallet: rich, poor, slow, one that refuses, or a smart
        account.
      </p>
      {amount !== undefined && (
        <details>
          <summary>The same with curl</summary>
          <pre tabIndex={0}>{Ask.curl(origin, start, body(amount))}</pre>
          <CopyButton name="curl command" text={Ask.curl(origin, start, body(amount))} />
        </details>
      )}
    </Card>
  )
}

const statuses: { readonly [S in Payment.Item["status"]]: string } = {
  requires_action: "waiting for the payer",
  processing: "processing",
  succeeded: "succeeded",
  failed: "failed",
  expired: "expired",
  cancelled: "cancelled",
}

const amountOf = ({ fiatAmount, tokenAmount }: Payment.Item): string => {
  const amount = fiatAmount ?? tokenAmount
  return amount === undefined ? "" : Amounts.format(amount, locale)
}

const refundOf = ({ refund, refunded, tokenAmount }: Payment.Item): string =>
  refund?.status === "succeeded" && refunded?.value !== tokenAmount?.value
    ? "refunded in part"
    : `refund ${refund?.status}`

/** Refunds the whole payment. The list shows the refund's state. */
const RefundButton = ({
  onRefunded,
  partner,
  payment,
}: {
  readonly onRefunded: () => void
  readonly partner: Partner
  readonly payment: Payment.Item
}) => {
  const [state, setState] = useState<"Refund" | "Refunding…" | "Not refunded">("Refund")
  const refund = async () => {
    setState("Refunding…")
    try {
      await partner.refunds.create(
        { paymentId: payment.paymentId },
        { merchantId: payment.merchant.id },
      )
      onRefunded()
    } catch {
      setState("Not refunded")
    }
  }
  return (
    <button
      type="button"
      class="quiet"
      disabled={state === "Refunding…"}
      onClick={() => void refund()}
    >
      <span aria-live="polite">{state}</span>
      <span class="unseen"> {amountOf(payment)}</span>
    </button>
  )
}

const Payments = ({
  onRefunded,
  partner,
  payments,
}: Pick<Feed.Feed, "payments"> & {
  readonly onRefunded: () => void
  readonly partner: Partner
}) => (
  <Card id="payments" title="Payments">
    {payments === null && <p class="note">Loading payments…</p>}
    {payments?.length === 0 && <p class="note">No payments yet. Create one above.</p>}
    {payments !== null && payments.length > 0 && (
      <ul class="list">
        {payments.map((payment) => (
          <li key={payment.paymentId}>
            <span class="what">
              <strong>{amountOf(payment)}</strong>
              <span class="note">
                <bdi>{payment.referenceId}</bdi>
                {payment.settlement.settled && " · paid out"}
                {payment.refund !== undefined && ` · ${refundOf(payment)}`}
              </span>
            </span>
            <span class={`status ${payment.status}`}>{statuses[payment.status]}</span>
            {payment.status === "succeeded" && payment.refund === undefined && (
              <RefundButton partner={partner} payment={payment} onRefunded={onRefunded} />
            )}
            <a href={checkoutOf(payment.paymentId)} target="_blank" rel="noopener">
              Open
              <span class="unseen">
                {" "}
                the checkout of {amountOf(payment)} for {payment.referenceId} (opens in a new tab)
              </span>
            </a>
          </li>
        ))}
      </ul>
    )}
  </Card>
)

const aboutOf = (event: Event.Event): string =>
  "referenceId" in event.data ? event.data.referenceId : ""

const Events = ({ events }: Pick<Feed.Feed, "events">) => (
  <Card id="events" title="Events">
    {events.length === 0 && <p class="note">No events yet. They appear here as they happen.</p>}
    {events.length > 0 && (
      // It scrolls, so the keyboard must be able to focus it.
      <ul class="list scrolls" tabIndex={0} aria-labelledby="events">
        {events.map((event) => (
          <li key={event.id}>
            <code class="what">{event.type}</code>
            <bdi class="note">{aboutOf(event)}</bdi>
            <time class="note" dateTime={event.timestamp}>
              {new Date(event.timestamp).toLocaleTimeString(locale, { hour12: false })}
            </time>
          </li>
        ))}
      </ul>
    )}
  </Card>
)

const KeyFacts = ({ keys }: { readonly keys: Start["live"] }) => (
  <dl>
    <Fact name="Partner key" text={keys.partnerKey} />
    <Fact name="Wallet key" text={keys.walletKey} />
    <Fact name="Merchant id" text={keys.merchantId} />
  </dl>
)

const Keys = ({ start }: { readonly start: Start }) => (
  <Card id="keys" title="Keys">
    <p class="note">
      The partner key creates payments from your server. The wallet key pays them from a wallet.
    </p>
    <KeyFacts keys={start} />
    <details>
      <summary>Keys of live mode</summary>
      <p class="note">Live payments run on the same local chains. No real money moves.</p>
      <KeyFacts keys={start.live} />
    </details>
  </Card>
)

const Webhooks = ({ start: { listenCommand } }: { readonly start: Start }) => (
  <Card id="webhooks" title="Webhooks">
    <p class="note">
      Your server learns of payments by webhooks. This command forwards every event to a server on
      this machine, and prints the secret that its signatures are verified with.
    </p>
    <dl>
      <Fact name="Forward events to your server" text={listenCommand} />
    </dl>
  </Card>
)

const Chains = ({ start: { chains, wallets } }: { readonly start: Start }) => (
  <Card id="chains" title="Local chains">
    <p class="note">Add a network to your own wallet with its RPC URL and chain id.</p>
    <dl>
      {chains.map(({ chainId, name, rpcUrl }) => (
        <Fact key={chainId} name={`${name}, chain id ${chainId}`} text={rpcUrl} />
      ))}
    </dl>
    <details>
      <summary>Accounts with test tokens</summary>
      <p class="note">
        Everyone knows these private keys. Never send real money to these accounts.
      </p>
      <dl>
        {wallets.map(({ address, privateKey }) => (
          <Fact key={address} name={address} text={privateKey} />
        ))}
      </dl>
    </details>
  </Card>
)

const consoles = [
  ["test", "Console of the shop"],
  ["live", "Console of the shop, live mode"],
  ["operator", "Console of the operator"],
] as const

/** Opens a console in a new tab, signed in. The link is made when it is asked for, as it works once and not for long. */
const ConsoleButton = (props: { readonly open: string; readonly label: string }) => {
  const [hasFailed, setHasFailed] = useState(false)
  const open = async () => {
    // A tab that is opened after waiting would be blocked.
    const tab = window.open("about:blank", "_blank")
    try {
      const response = await fetch(consolePath, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ open: props.open }),
      })
      const { link }: { readonly link: string } = await response.json()
      setHasFailed(false)
      tab?.location.replace(new URL(link, location.href))
    } catch {
      tab?.close()
      setHasFailed(true)
    }
  }
  return (
    <button type="button" class="quiet" onClick={() => void open()}>
      <span aria-live="polite">{hasFailed ? "Not opened" : props.label}</span>
      <span class="unseen"> (opens in a new tab)</span>
    </button>
  )
}

const Consoles = () => (
  <Card id="consoles" title="Console">
    <p class="note">Look around as a shop, a partner or the operator. You are signed in.</p>
    <ul class="links">
      {consoles.map(([open, label]) => (
        <li key={open}>
          <ConsoleButton open={open} label={label} />
        </li>
      ))}
    </ul>
  </Card>
)

const Links = () => (
  <Card id="links" title="Links">
    <ul class="links">
      <li>
        <a href="/docs">API reference</a>
      </li>
      <li>
        <a href="/openapi.json">OpenAPI document</a>
      </li>
      <li>
        <a href="/readyz">Status of the service</a>
      </li>
    </ul>
  </Card>
)

const alerts: { readonly [C in Feed.Feed["connection"]]: string | undefined } = {
  connected: undefined,
  lost: "The service does not respond. Is florin dev still running? This page reconnects automatically.",
  refused: "The service has new keys since this page was loaded. Reload the page.",
}

export const StartPage = ({
  origin,
  start,
}: {
  readonly origin: string
  readonly start: Start
}) => {
  const [feed, setFeed] = useState(Feed.initial)
  const partner = useMemo(() => Feed.client(origin, start.partnerKey, setFeed), [])
  useEffect(() => {
    const controller = new AbortController()
    void Feed.follow(partner, setFeed, controller.signal)
    return () => controller.abort()
  }, [])
  const list = () => void Feed.list(partner, setFeed)
  const alert = alerts[feed.connection]
  return (
    <>
      <header>
        <h1>Florin on this machine</h1>
        <p class="badge">TEST</p>
        <p class="note">A complete payment service on local chains. No real money moves.</p>
      </header>
      {alert !== undefined && (
        <p class="alert" role="alert">
          {alert}
        </p>
      )}
      <div class="columns">
        <div>
          <Create origin={origin} partner={partner} start={start} onCreated={list} />
          <Payments partner={partner} payments={feed.payments} onRefunded={list} />
          <Events events={feed.events} />
        </div>
        <div>
          <Consoles />
          <Keys start={start} />
          <Webhooks start={start} />
          <Chains start={start} />
          <Links />
        </div>
      </div>
    </>
  )
}
