/**
 * One payment of any partner: what it waits for, and everything that happened to it.
 *
 * @module
 */
import type * as Explanation from "@florin/api/wire/Explanation"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Params } from "../shell/Face.ts"
import { Card, Code, Fact, Facts, Head, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { type Step, Timeline } from "../shell/Timeline.tsx"
import { Act } from "./Act.tsx"
import { Sentence, Shown, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Item = Explanation.Item

/** What leads on from an item: its transaction, its outflow, its partner's entry. */
const body = (item: Item): ComponentChildren => {
  const { outflows: texts, payment } = Texts.texts()
  const hash = (text: string | null) =>
    text !== null && <Code name={texts.transaction} text={text} />
  switch (item.kind) {
    case "transaction":
      return (
        <>
          {hash(item.record.txId)}
          {item.record.earlierTxIds.length > 0 && (
            <span>
              {payment.bumped(item.record.earlierTxIds.length)}{" "}
              {item.record.earlierTxIds.map((text) => hash(text))}
            </span>
          )}
        </>
      )
    case "transfer":
    case "report":
      return hash(item.record.txId)
    case "confirmation":
      return item.record.txIds.map((text) => hash(text))
    case "outflow":
      return (
        <>
          <Link to={`/outflows/${item.record.id}`}>{item.record.id}</Link>
          {hash(item.record.lastTxId)}
        </>
      )
    case "ledger":
      return item.record.isSound ? null : <Pill tone="bad">{payment.unsound}</Pill>
    case "audit":
      return item.record.reason === null ? null : <bdi>{item.record.reason}</bdi>
    case "delivery":
    case "event":
    case "inflow":
      return null
  }
}

const toneOf = (item: Item): Step["tone"] => {
  if (item.kind === "ledger") return item.record.isSound ? "done" : "bad"
  if (item.kind === "outflow") {
    const { state } = item.record
    return state === "held" ? "bad" : state === "paid" || state === "cancelled" ? "done" : "now"
  }
  return "done"
}

/** Kinds that a person seldom asks about. */
const quiet: ReadonlySet<Item["kind"]> = new Set(["ledger", "delivery"])

const History = ({ timeline }: Pick<Explanation.Explanation, "timeline">) => {
  const { payment: texts } = Texts.texts()
  const [isAll, setIsAll] = useState(false)
  const shown = timeline.filter((item) => isAll || !quiet.has(item.kind) || toneOf(item) === "bad")
  return (
    <Card
      title={texts.history}
      actions={
        <label class="toggle">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ currentTarget }) => setIsAll(currentTarget.checked)}
          />
          {texts.everything}
        </label>
      }
    >
      <Timeline
        steps={shown.map((item, index) => ({
          key: `${index}`,
          at: item.at ?? undefined,
          tone: toneOf(item),
          title: (
            <>
              <span class="kind">{texts.kinds[item.kind]}</span> <Sentence text={item.sentence} />
            </>
          ),
          body: body(item),
        }))}
      />
    </Card>
  )
}

export const Screen = ({ paymentId = "" }: Params) => {
  const { payment: texts, now } = Texts.texts()
  const path = `/payments/${encodeURIComponent(paymentId)}`
  const read = useRead<Explanation.Explanation>(`${path}/explanation`)
  const retry = (name: "settlement" | "refunds") => (
    <Act
      isQuiet
      deed={{
        scope: "support",
        ...texts.retry[name],
        path: `${path}/${name}/retry`,
        body: <p>{texts.retry[name].body}</p>,
      }}
      onDone={read.reload}
    />
  )
  return (
    <>
      <Head
        title={read.value === undefined ? texts.title : <bdi>{read.value.payment.referenceId}</bdi>}
        note={<Code name={texts.id} text={paymentId} isWhole />}
        back={{ to: "/", name: now.title }}
      />
      <Shown of={read}>
        {({ payment, timeline, verdict }) => {
          const { amount } = payment
          const open = verdict.open.filter((text) => !verdict.text.includes(text))
          const isHeld = timeline.some(
            ({ kind, record }) =>
              kind === "outflow" && "state" in record && record.state === "held",
          )
          return (
            <div class="columns">
              <History timeline={timeline} />
              <div class="stack leads">
                <Card title={texts.verdict}>
                  <p class="finding">
                    <Sentence text={verdict.text} />
                  </p>
                  {open.length > 0 && (
                    <ul class="lines">
                      {open.map((text) => (
                        <li key={text} class="finding">
                          <Sentence text={text} />
                        </li>
                      ))}
                    </ul>
                  )}
                  {isHeld && (
                    <div class="actions">
                      {retry("settlement")}
                      {retry("refunds")}
                    </div>
                  )}
                </Card>
                <Card title={texts.facts}>
                  <Facts>
                    <Fact name={texts.status}>{texts.states[payment.status]}</Fact>
                    <Fact name={texts.amount}>{Reader.amount(amount)}</Fact>
                    <Fact name={texts.merchant}>
                      <Link to={`/merchants/${payment.merchant.id}`}>
                        <bdi>{payment.merchant.name}</bdi>
                      </Link>
                    </Fact>
                    <Fact name={texts.created}>{Reader.time(payment.createdAt)}</Fact>
                  </Facts>
                </Card>
              </div>
            </div>
          )
        }}
      </Shown>
    </>
  )
}
