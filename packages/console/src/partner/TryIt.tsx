/**
 * The first tab on a developer's machine: create a payment, open its checkout, watch what happens, and all that a
 * developer needs for their own code.
 *
 * @module
 */
import type * as Event from "@florin/api/wire/Event"
import * as Local from "@florin/api/wire/Local"
import type * as Payment from "@florin/api/wire/Payment"
import * as EventStream from "@florin/client/EventStream"
import { useEffect, useRef, useState } from "preact/hooks"
import { useRows, useSend } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail, Shown } from "../shell/Detail.tsx"
import { Form, select, useFields } from "../shell/Form.tsx"
import { useLoad } from "../shell/Load.ts"
import { Button, Card, codeFact, CopyButton, Facts, foreign, line, Time } from "../shell/Pieces.tsx"
import { Link } from "../shell/Route.tsx"
import * as Session from "../shell/Session.ts"
import { Table } from "../shell/Table.tsx"
import * as Curl from "./Curl.ts"
import * as Parts from "./PaymentParts.tsx"
import * as Payments from "./Payments.tsx"
import * as Texts from "./Texts.ts"

const { create, payments, try: texts, words } = Texts.texts

/** Where the columns of the list are on a phone: there is room for no others. */
const shown: ReadonlySet<string> = new Set(["title", "end", "belowEnd"])
const paymentsMax = 20
const eventsMax = 10

const outside = (to: string, name: string) => (
  <a href={to} target="_blank" rel="noopener">
    {name}
    <span class="unseen"> {texts.newTab}</span>
  </a>
)

const Creation = ({
  keys,
  local: { currencies, outcomes },
  order,
}: {
  readonly keys: Local.Local["test"]
  readonly local: Local.Local
  readonly order: number
}) => {
  const { baseUrl, session } = useConsole()
  const send = useSend()
  const [made, setMade] = useState<Payment.Created>()
  const ways = [["", texts.usual], ...outcomes.map((each) => [each, each] as const)] as const
  const form = useFields((typed) => [
    ...Parts.priceFields(typed, currencies, "12.50"),
    { name: "description", ...create.description, maxLength: 500 },
    ...(session.mode === "test" ? [select("outcome", texts.outcome, ways)] : []),
  ])
  const { get } = form
  const amount = Parts.priced(get)
  const request = {
    referenceId: `order-${order}`,
    amount,
    ...(get("description").trim() !== "" && { description: get("description").trim() }),
    ...(get("outcome") !== "" && { metadata: { testOutcome: get("outcome") } }),
  }
  const submit = async () => {
    const { merchantId } = keys
    setMade(await send<Payment.Created>({ path: "/payments", merchantId, request }))
  }
  return (
    <Card title={texts.create} note={texts.wallets}>
      <Form action={texts.button} of={form} run={submit}>
        <div class="pair">{form.only("amount.value", "currency")}</div>
        {form.only("description", "outcome")}
      </Form>
      <div role="status">
        {made !== undefined && (
          <p class="actions">
            {texts.made} {outside(made.gatewayUrl, texts.open)}
            <CopyButton name={texts.link} text={made.gatewayUrl} />
          </p>
        )}
      </div>
      {amount !== undefined && (
        <details>
          <summary>{texts.curl}</summary>
          <div class="stack">
            <pre tabIndex={0}>{Curl.of(baseUrl, keys, request)}</pre>
            <CopyButton name={texts.command} text={Curl.of(baseUrl, keys, request)} />
          </div>
        </details>
      )}
    </Card>
  )
}

const useEvents = (hear: () => void): ReadonlyArray<Event.Event> => {
  const { baseUrl, prepare, session } = useConsole()
  const [events, setEvents] = useState<ReadonlyArray<Event.Event>>([])
  const latest = useRef(hear)
  latest.current = hear
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const after = (cursor: string | undefined) =>
      prepare({ method: "GET", path: "/v1/events/stream", headers: { "Last-Event-ID": cursor } })
    const options = { baseUrl, apiKey: session }
    const follow = async () => {
      for await (const { event } of EventStream.follow(after, options, undefined, signal)) {
        setEvents((was) => [event, ...was].slice(0, eventsMax))
        latest.current()
      }
    }
    // The shell says that the service cannot be reached, or that the session is over.
    follow().catch(() => undefined)
    return () => controller.abort()
  }, [prepare])
  return events
}

/** Opens another console, signed in. The link is made when it is asked for. */
const Consoles = () => {
  const { call, session, toast } = useConsole()
  const open = async (which: Local.Open["open"], tab: Window | null) => {
    try {
      const { link } = await Session.linkTo(call, which)
      ;(tab ?? window).location.assign(new URL(link, location.href))
    } catch {
      tab?.close()
      toast({ text: texts.notOpened, kind: "bad" })
    }
  }
  const other = session.mode === "test" ? "live" : "test"
  return (
    <>
      <Button look="quiet" onClick={() => void open(other, null)}>
        {texts.consoles[other]}
      </Button>
      {/* A tab that is opened after waiting would be blocked. */}
      <Button
        look="quiet"
        about={texts.newTab}
        onClick={() => void open("operator", window.open("about:blank"))}
      >
        {texts.consoles.operator}
      </Button>
    </>
  )
}

/** What a developer needs for their own code. */
const needed = ({ chains, listenCommand, wallets }: Local.Local, keys: Local.Local["test"]) => (
  <>
    <Card
      title={texts.keys}
      note={texts.keysNote}
      facts={[
        codeFact(texts.partnerKey, keys.partnerKey, true),
        codeFact(texts.walletKey, keys.walletKey, true),
        codeFact(texts.merchantId, keys.merchantId, true),
      ]}
    />
    <Card
      title={Texts.texts.webhooks.title}
      note={texts.webhooksNote}
      facts={[codeFact(texts.listen, listenCommand, true)]}
    />
    <Card
      title={texts.chains}
      note={texts.chainsNote}
      facts={chains.map(({ chainId, name, rpcUrl }) =>
        codeFact(texts.chain(name, `${chainId}`), rpcUrl, true),
      )}
    />
    <Card
      title={texts.accounts}
      note={texts.accountsNote}
      lines={wallets.map(({ address, privateKey }) => (
        <Facts of={[codeFact(words.account, address), codeFact(texts.privateKey, privateKey)]} />
      ))}
    />
    <Card
      title={texts.more}
      lines={(["docs", "openapi.json", "readyz"] as const).map((page) =>
        outside(`/${page}`, texts.links[page]),
      )}
    />
  </>
)

export const Screen = () => {
  const { call, session } = useConsole()
  const local = useLoad("local", (signal) =>
    call<Local.Local>({ method: "GET", path: Local.path, responseMembers: ["test"], signal }),
  )
  const list = useRows<Payment.Item, Payment.Page>(Payments.source)
  const events = useEvents(list.reload)
  const total = list.value?.stats.totalTransactions ?? 0
  const keysOf = (found: Local.Local) => found[session.mode ?? "test"]
  return (
    <Detail
      of={local}
      name={texts.title}
      note={texts.note}
      acts={<Consoles />}
      main={(found) => (
        <>
          <Creation local={found} keys={keysOf(found)} order={total + 1} />
          <Card title={payments.title} head={<Link to="/payments">{texts.all}</Link>}>
            <Shown of={list}>
              {() => (
                <Table
                  name={payments.title}
                  columns={Payments.columns.filter(({ place }) => shown.has(place))}
                  list={{ ...list, rows: list.rows?.slice(0, paymentsMax), more: undefined }}
                  to={Payments.to}
                  empty={payments.none}
                />
              )}
            </Shown>
          </Card>
          <Card
            title={texts.events}
            {...(events.length === 0 && { note: texts.noEvents })}
            lines={events.map(({ data, timestamp, type }) =>
              line(
                [<code>{type}</code>, " ", "referenceId" in data && foreign(data.referenceId)],
                <Time at={timestamp} />,
                "note",
              ),
            )}
          />
        </>
      )}
      side={(found) => needed(found, keysOf(found))}
    />
  )
}
