/**
 * One payment of any partner: what it waits for, and everything that happened to it.
 *
 * @module
 */
import type * as Explanation from "@florin/api/wire/Explanation"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { Id } from "../shell/Id.tsx"
import { at } from "../shell/Path.ts"
import { Card, Code, foreign, Pill, timeFact, Toggle } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { type Step, step, Timeline } from "../shell/Timeline.tsx"
import { inEnglish, Sentence, Words } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { now, payment: texts, words } = Texts.texts

type Item = Explanation.Item

/** What leads on from an item: its transaction, its outflow, its partner's entry. */
const body = (item: Item): ComponentChildren => {
  const hash = (text: string | null) =>
    text !== null && <Code name={words.transaction} text={text} />
  switch (item.kind) {
    case "transaction": {
      const { earlierTxIds: earlier, txId } = item.record
      return [
        hash(txId),
        earlier.length > 0 && (
          <span>
            {texts.bumped(earlier.length)} {earlier.map(hash)}
          </span>
        ),
      ]
    }
    case "transfer":
    case "report":
      return hash(item.record.txId)
    case "confirmation":
      return item.record.txIds.map(hash)
    case "outflow":
      return [<Id of={item.record.id} />, hash(item.record.lastTxId)]
    case "ledger":
      return item.record.isSound ? null : <Pill tone="bad">{texts.unsound}</Pill>
    case "audit":
      return foreign(item.record.reason)
    case "delivery":
    case "event":
    case "inflow":
      return null
  }
}

const stateOf = (item: Item): Step["is"] => {
  if (item.kind === "ledger") return item.record.isSound ? "done" : "failed"
  if (item.kind !== "outflow") return "done"
  const { state } = item.record
  return state === "cancelled" ? "done" : state === "waiting" ? "processing" : state
}

/** Kinds that a person seldom asks about. */
const quiet: ReadonlySet<Item["kind"]> = new Set(["ledger", "delivery"])

const History = ({ timeline }: Pick<Explanation.Explanation, "timeline">) => {
  const [isAll, setIsAll] = useState(false)
  const shown = timeline.filter(
    (item) => isAll || !quiet.has(item.kind) || stateOf(item) === "failed",
  )
  return (
    <Card
      title={texts.history}
      head={<Toggle name={texts.everything} isOn={isAll} onChange={setIsAll} />}
    >
      <Timeline
        steps={shown.map((item) =>
          step(
            stateOf(item),
            <>
              <span class="kind">{texts.kinds[item.kind]}</span> <Words text={item.sentence} />
            </>,
            item.at,
            body(item),
          ),
        )}
      />
    </Card>
  )
}

const retried = ["settlement", "refunds"] as const

/** Whether something is held that is retried by this. */
const isHeld = (timeline: ReadonlyArray<Item>, name: (typeof retried)[number]): boolean =>
  timeline.some(
    (item) =>
      item.kind === "outflow" &&
      item.record.state === "held" &&
      (item.record.purpose === "refund") === (name === "refunds"),
  )

export const Screen = ({ paymentId = "" }: Params) => {
  const path = at`/payments/${paymentId}`
  const retry = (name: (typeof retried)[number]) => (
    <ActButton
      key={name}
      act={{ ...texts.retry[name], scope: "support", path: `${path}/${name}/retry` }}
    />
  )
  return (
    <Detail
      of={useRead<Explanation.Explanation>(`${path}/explanation`)}
      back={{ to: "/", name: now.title }}
      name={texts.title}
      title={({ payment }) => foreign(payment.referenceId)}
      note={[<Code name={texts.id} text={paymentId} isWhole />, inEnglish()]}
      main={({ timeline }) => <History timeline={timeline} />}
      isSideFirst
      side={({ payment, timeline, verdict }) => (
        <>
          <Card
            title={texts.verdict}
            lines={verdict.open
              .filter((text) => !verdict.text.includes(text))
              .map((text) => (
                <Sentence text={text} />
              ))}
            acts={retried.map((name) => isHeld(timeline, name) && retry(name))}
          >
            <Sentence text={verdict.text} />
          </Card>
          <Card
            title={words.details}
            facts={[
              [words.status, Texts.texts.status[payment.status]],
              [words.amount, Reader.amount(payment.amount)],
              [
                words.merchant,
                <Link to={`/merchants/${payment.merchant.id}`}>
                  {foreign(payment.merchant.name)}
                </Link>,
              ],
              timeFact(words.created, payment.createdAt),
            ]}
          />
        </>
      )}
    />
  )
}
