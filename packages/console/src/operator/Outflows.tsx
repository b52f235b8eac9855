/**
 * Outgoing money: all of it newest first, the transfers whose account has too little, and one with what a person can
 * decide.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { chips, choice, link } from "../shell/Filter.ts"
import { Id, idFact } from "../shell/Id.tsx"
import { Listing } from "../shell/Listing.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import {
  ButtonLink,
  Card,
  Code,
  codeFact,
  foreign,
  line,
  list,
  ModePill,
  Record,
  State,
  Time,
  timeFact,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { column, numbers, states, times } from "../shell/Table.tsx"
import { movementAct } from "./Accounts.tsx"
import { deed } from "./Findings.tsx"
import { modeFilter, Sentence } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { deeds, outflows: texts, places, short, words } = Texts.texts

export const All = () => (
  <Listing<Outflow.Listed, Outflow.Page>
    texts={texts}
    actions={() => (
      <>
        <ButtonLink to="/stuck" name={places["/stuck"]} />
        <ButtonLink to="/outflows/short" name={places["/outflows/short"]} />
      </>
    )}
    path="/outflows"
    rowsOf={({ data }) => data}
    filters={[
      chips("state", { open: texts.open, ...words.states.outflow }),
      choice("purpose", texts.purpose, Object.entries(texts.purposes)),
      modeFilter(),
      link("merchantId"),
    ]}
    columns={[
      column(texts.purpose, "title", 1.25, ({ mode, purpose }) => (
        <>
          {named(texts.purposes, purpose)} <ModePill mode={mode} />
        </>
      )),
      numbers(words.amount, "end", 1.1, ({ amount }) => Reader.amount(amount)),
      states(texts.state, "belowEnd", ({ state }) => state, words.states.outflow),
      column(texts.to, "wide", 2.1, ({ amount, destination }) =>
        [amount.display.networkName, Reader.short(destination)].join(" · "),
      ),
      column(texts.problem, "wide", 1.1, ({ problem }) => (
        <span lang="en">{foreign(problem?.message)}</span>
      )),
      times(words.created, "below", ({ createdAt }) => createdAt),
    ]}
    to={({ id }) => at`/outflows/${id}`}
  />
)

type Item = Outflow.Short["short"][number]

/** What one lacks, and the record of what was sent to its account. */
const shortCard = ({ missing, outflow }: Item) => {
  const { amount, from: account, id, mode, purpose } = outflow
  const place = { account, display: amount.display, ledger: missing, mode }
  return (
    <Record
      title={short.lacks(Reader.amount({ ...missing, display: amount.display }))}
      mode={mode}
      facts={[
        [
          texts.purpose,
          <Link to={`/outflows/${id}`}>
            {named(texts.purposes, purpose)} {Reader.amount(amount)}
          </Link>,
        ],
        codeFact(texts.from, account),
      ]}
      acts={<ActButton act={{ ...movementAct("put", [place], [], place), name: short.bring }} />}
    />
  )
}

export const Short = () => (
  <Listing<Item, Outflow.Short>
    texts={short}
    back={{ to: "/outflows", name: texts.title }}
    path="/outflows/short"
    isWhole
    rowsOf={(page) => page.short}
    idOf={({ outflow: { id } }) => id}
    card={shortCard}
  />
)

type Wire = Outflow.Outflow

const own: ReadonlySet<Wire["purpose"]> = new Set(["move", "withdrawal", "sweep"])

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
  if (state === "held") return [deed("outflows.retry", { outflowId: id }, Reader.amount(amount))]
  return state === "waiting" && own.has(purpose) ? [of("cancel", at`/float/${id}/cancel`)] : []
}

const problemCard = ({ amount: { display }, problem }: Wire) => {
  if (problem === null) return null
  const { message, moved, since } = problem
  const text = (of: { readonly unit: string; readonly value: string }) =>
    Reader.amount({ ...of, display })
  const transfers = (moved?.transfers ?? []).map(({ amount, to }) => [
    `${text(amount)} → `,
    <Code name={texts.to} text={to} />,
  ])
  return (
    <Card
      title={texts.problem}
      head={<Time at={since} />}
      facts={[
        [texts.arrived, moved && text(moved.arrived)],
        [texts.left, moved && text(moved.left)],
        [texts.transfers, list(transfers, "")],
      ]}
    >
      <Sentence text={message} />
    </Card>
  )
}

export const One = ({ outflowId = "" }: Params) => {
  const { may } = useConsole()
  return (
    <Detail
      of={useRead<Wire>(at`/outflows/${outflowId}`)}
      back={{ to: "/outflows", name: texts.title }}
      name={texts.one}
      title={({ amount, purpose }) =>
        `${named(texts.purposes, purpose)} · ${Reader.amount(amount)}`
      }
      note={({ mode, state }) => (
        <>
          <State is={state} texts={words.states.outflow} /> <ModePill mode={mode} />
        </>
      )}
      acts={(outflow) =>
        decisions(outflow).map((act, index) => {
          const look = index > 0 || outflow.state === "waiting" ? "quiet" : "main"
          return <ActButton key={act.title} act={act} look={look} />
        })
      }
      main={(outflow) => (
        <>
          {decisions(outflow).some(({ scope }) => !may(scope)) && (
            <p class="note">{texts.notYours}</p>
          )}
          {problemCard(outflow)}
          <Card
            title={words.details}
            facts={[
              codeFact(words.id, outflow.id, true),
              codeFact(texts.from, outflow.from),
              codeFact(texts.to, outflow.destination),
              [words.network, outflow.amount.display.networkName],
              codeFact(words.transaction, outflow.lastTxId),
              [texts.block, outflow.blockNumber !== null && Reader.count(outflow.blockNumber)],
              [texts.reverts, outflow.reverts > 0 && Reader.count(outflow.reverts)],
              timeFact(texts.missing, outflow.missingSince),
              timeFact(words.created, outflow.createdAt),
              timeFact(texts.sent, outflow.sentAt),
              timeFact(texts.paid, outflow.paidAt),
              idFact(words.partner, outflow.partnerId),
              idFact(texts.payment, outflow.paymentId),
            ]}
          />
        </>
      )}
      side={({ amount: { display }, payments }) =>
        payments.length > 0 && (
          <Card
            title={texts.shares}
            lines={payments.map(({ amount, paymentId }) =>
              line(<Id of={paymentId} />, Reader.amount({ ...amount, display })),
            )}
          />
        )
      }
    />
  )
}
