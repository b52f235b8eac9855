/**
 * One outflow: where it stands, what is in its way, and what a person can decide.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { Card, Code, Fact, Facts, Head, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { Act, type Deed } from "./Act.tsx"
import { ModePill, Sentence, Shown, StatePill, useRead } from "./Parts.tsx"
import { deed } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

type Wire = Outflow.Outflow

const own: ReadonlySet<Wire["purpose"]> = new Set(["move", "withdrawal", "sweep"])

/** What a person can decide now. */
const decisions = ({ amount, id, problem, purpose, state }: Wire): ReadonlyArray<Deed> => {
  const { deeds } = Texts.texts()
  const about = Reader.amount(amount)
  const path = encodeURIComponent(id)
  if (state === "held" && problem?.movedOtherwise === true) {
    const of = (name: "accept" | "release"): Deed => ({
      scope: "treasury",
      ...deeds[name],
      body: (
        <>
          <p>{deeds[name].body}</p>
          <p class="big">{about}</p>
        </>
      ),
      path: `/outflows/${path}/${name}`,
      isDangerous: true,
    })
    return [of("accept"), of("release")]
  }
  if (state === "held") return [deed("outflows.retry", { outflowId: id })]
  return state === "waiting" && own.has(purpose)
    ? [
        {
          scope: "treasury",
          ...deeds.cancel,
          body: <p>{deeds.cancel.body}</p>,
          path: `/float/${path}/cancel`,
        },
      ]
    : []
}

const Problem = ({ outflow: { amount, problem } }: { readonly outflow: Wire }) => {
  const { outflows: texts } = Texts.texts()
  if (problem === null) return null
  const { message, moved, since } = problem
  const text = (of: Pick<Wire["amount"], "unit" | "value">) =>
    Reader.amount({ ...of, display: amount.display })
  return (
    <Card title={texts.problem} actions={<Time at={since} />}>
      <p class="finding">
        <Sentence text={message} />
      </p>
      {moved !== null && (
        <Facts>
          <Fact name={texts.arrived}>{text(moved.arrived)}</Fact>
          <Fact name={texts.left}>{text(moved.left)}</Fact>
          <Fact name={texts.transfers}>
            <ul>
              {moved.transfers.map(({ amount: one, to }, index) => (
                <li key={index}>
                  {text(one)} → <Code name={texts.to} text={to} />
                </li>
              ))}
            </ul>
          </Fact>
        </Facts>
      )}
    </Card>
  )
}

export const Screen = ({ outflowId = "" }: Params) => {
  const { outflows: texts } = Texts.texts()
  const { may } = useConsole()
  const read = useRead<Wire>(`/outflows/${encodeURIComponent(outflowId)}`)
  const { value } = read
  const deeds = value === undefined ? [] : decisions(value)
  return (
    <>
      <Head
        title={
          value === undefined
            ? texts.one
            : `${Texts.purposeOf(value.purpose)} · ${Reader.amount(value.amount)}`
        }
        note={
          value !== undefined && (
            <>
              <StatePill {...value} /> <ModePill mode={value.mode} />
            </>
          )
        }
        back={{ to: "/outflows", name: texts.title }}
      >
        {deeds.map((each, index) => (
          <Act key={each.action} deed={each} isQuiet={index > 0} onDone={read.reload} />
        ))}
      </Head>
      {deeds.some(({ scope }) => !may(scope)) && <p class="note">{texts.notYours}</p>}
      <Shown of={read}>
        {(outflow) => (
          <div class="columns">
            <div class="stack">
              <Problem outflow={outflow} />
              <Card title={texts.facts}>
                <Facts>
                  <Fact name={texts.id}>
                    <Code name={texts.id} text={outflow.id} isWhole />
                  </Fact>
                  <Fact name={texts.from}>
                    <Code name={texts.from} text={outflow.from} />
                  </Fact>
                  <Fact name={texts.to}>
                    <Code name={texts.to} text={outflow.destination} />
                  </Fact>
                  <Fact name={texts.network}>{outflow.amount.display.networkName}</Fact>
                  <Fact name={texts.transaction}>
                    {outflow.lastTxId !== null && (
                      <Code name={texts.transaction} text={outflow.lastTxId} />
                    )}
                  </Fact>
                  <Fact name={texts.block}>
                    {outflow.blockNumber !== null && Reader.count(outflow.blockNumber)}
                  </Fact>
                  <Fact name={texts.reverts}>
                    {outflow.reverts > 0 && Reader.count(outflow.reverts)}
                  </Fact>
                  <Fact name={texts.missing}>
                    {outflow.missingSince !== null && <Time at={outflow.missingSince} />}
                  </Fact>
                  <Fact name={texts.created}>{Reader.time(outflow.createdAt)}</Fact>
                  <Fact name={texts.sent}>
                    {outflow.sentAt !== null && Reader.time(outflow.sentAt)}
                  </Fact>
                  <Fact name={texts.paid}>
                    {outflow.paidAt !== null && Reader.time(outflow.paidAt)}
                  </Fact>
                  <Fact name={texts.partner}>
                    {outflow.partnerId !== null && (
                      <Link to={`/partners/${outflow.partnerId}`}>{outflow.partnerId}</Link>
                    )}
                  </Fact>
                  <Fact name={texts.payment}>
                    {outflow.paymentId !== null && (
                      <Link to={`/payments/${outflow.paymentId}`}>{outflow.paymentId}</Link>
                    )}
                  </Fact>
                </Facts>
              </Card>
            </div>
            {outflow.payments.length > 0 && (
              <Card title={texts.shares}>
                <ul class="lines">
                  {outflow.payments.map(({ amount, paymentId }) => (
                    <li key={paymentId}>
                      <Link to={`/payments/${paymentId}`}>{paymentId}</Link>
                      <span class="amount">
                        {Reader.amount({ ...amount, display: outflow.amount.display })}
                      </span>
                    </li>
                  ))}
                </ul>
              </Card>
            )}
          </div>
        )}
      </Shown>
    </>
  )
}
