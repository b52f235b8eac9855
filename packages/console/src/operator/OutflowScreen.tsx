/**
 * One outflow: where it stands, what is in its way, and what a person can decide.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import {
  Card,
  Code,
  codeFact,
  Facts,
  line,
  linkFact,
  ModePill,
  State,
  Time,
  timeFact,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { Sentence } from "./Parts.tsx"
import { deed } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

const { deeds, outflows: texts } = Texts.texts

type Wire = Outflow.Outflow

const own: ReadonlySet<Wire["purpose"]> = new Set(["move", "withdrawal", "sweep"])

/** What a person can decide now. */
const decisions = ({ amount, id, problem, purpose, state }: Wire): ReadonlyArray<Act> => {
  const of = (name: "accept" | "release" | "cancel", path: string): Act => ({
    ...deeds[name],
    scope: "treasury",
    path,
    isDangerous: name !== "cancel",
    body: [deeds[name].body, <p class="big">{Reader.amount(amount)}</p>],
  })
  if (state === "held" && problem?.movedOtherwise === true) {
    return [of("accept", at`/outflows/${id}/accept`), of("release", at`/outflows/${id}/release`)]
  }
  if (state === "held") return [deed("outflows.retry", { outflowId: id })]
  return state === "waiting" && own.has(purpose) ? [of("cancel", at`/float/${id}/cancel`)] : []
}

const Problem = ({ outflow: { amount, problem } }: { readonly outflow: Wire }) => {
  if (problem === null) return null
  const { message, moved, since } = problem
  const text = (of: Pick<Wire["amount"], "unit" | "value">) =>
    Reader.amount({ ...of, display: amount.display })
  const transfers = moved?.transfers.map(({ amount: one, to }, index) => (
    <li key={index}>
      {text(one)} → <Code name={texts.to} text={to} />
    </li>
  ))
  return (
    <Card title={texts.problem} head={<Time at={since} />}>
      <Sentence text={message} />
      {moved !== null && (
        <Facts
          of={[
            [texts.arrived, text(moved.arrived)],
            [texts.left, text(moved.left)],
            [texts.transfers, <ul>{transfers}</ul>],
          ]}
        />
      )}
    </Card>
  )
}

export const Screen = ({ outflowId = "" }: Params) => {
  const { may } = useConsole()
  const read = useRead<Wire>(at`/outflows/${outflowId}`)
  return (
    <Detail
      of={read}
      back={{ to: "/outflows", name: texts.title }}
      name={texts.one}
      title={({ amount, purpose }) =>
        `${named(texts.purposes, purpose)} · ${Reader.amount(amount)}`
      }
      note={({ mode, state }) => (
        <>
          <State is={state} texts={texts.states} /> <ModePill mode={mode} />
        </>
      )}
      acts={(outflow) =>
        decisions(outflow).map((act, index) => {
          const look = index > 0 ? "quiet" : "main"
          return <ActButton key={act.title} act={act} look={look} onDone={read.reload} />
        })
      }
      main={(outflow) => (
        <>
          {decisions(outflow).some(({ scope }) => !may(scope)) && (
            <p class="note">{texts.notYours}</p>
          )}
          <Problem outflow={outflow} />
          <Card
            title={texts.facts}
            facts={[
              codeFact(texts.id, outflow.id, true),
              codeFact(texts.from, outflow.from),
              codeFact(texts.to, outflow.destination),
              [texts.network, outflow.amount.display.networkName],
              codeFact(texts.transaction, outflow.lastTxId),
              [texts.block, outflow.blockNumber !== null && Reader.count(outflow.blockNumber)],
              [texts.reverts, outflow.reverts > 0 && Reader.count(outflow.reverts)],
              timeFact(texts.missing, outflow.missingSince),
              timeFact(texts.created, outflow.createdAt),
              timeFact(texts.sent, outflow.sentAt),
              timeFact(texts.paid, outflow.paidAt),
              linkFact(texts.partner, "/partners", outflow.partnerId),
              linkFact(texts.payment, "/payments", outflow.paymentId),
            ]}
          />
        </>
      )}
      side={({ amount: { display }, payments }) =>
        payments.length > 0 && (
          <Card
            title={texts.shares}
            lines={payments.map(({ amount, paymentId }) =>
              line(
                <Link to={`/payments/${paymentId}`}>{paymentId}</Link>,
                Reader.amount({ ...amount, display }),
              ),
            )}
          />
        )
      }
    />
  )
}
