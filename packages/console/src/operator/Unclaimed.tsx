/**
 * Transfers to the service's accounts that belong to no payment: found by their transaction, and returned.
 *
 * @module
 */
import type * as Inflow from "@florin/api/wire/Inflow"
import { Card, Code, Empty, Fact, Facts, Head, Pill, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, Link, usePlace } from "../shell/Route.tsx"
import { Act } from "./Act.tsx"
import { Chips, chosen, ModePill, modes, Record, Sentence, Shown, useRead } from "./Parts.tsx"
import { deed } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

type One = Inflow.Inflow

const tones = {
  suspended: "caution",
  taken: "good",
  returning: "calm",
  funded: "good",
  gone: "plain",
} as const

const Transfer = ({ inflow, onDone }: { readonly inflow: One; readonly onDone: () => void }) => {
  const { deeds, unclaimed: texts } = Texts.texts()
  const { amount, foundAt, from, id, mode, obstacle, paymentId, state, to, txId } = inflow
  const returns = deed("inflows.return", { inflowId: id })
  const about = Reader.amount(amount)
  return (
    <li>
      <Record
        title={about}
        actions={
          <span class="actions">
            <ModePill mode={mode} />
            <Pill tone={tones[state]}>{texts.states[state]}</Pill>
          </span>
        }
      >
        <Facts>
          <Fact name={texts.network}>{amount.display.networkName}</Fact>
          <Fact name={texts.from}>
            <Code name={texts.from} text={from} />
          </Fact>
          <Fact name={texts.to}>
            <Code name={texts.to} text={to} />
          </Fact>
          <Fact name={texts.transaction}>
            <Code name={texts.transaction} text={txId} />
          </Fact>
          <Fact name={texts.reportedFor}>
            {paymentId !== null && <Link to={`/payments/${paymentId}`}>{paymentId}</Link>}
          </Fact>
          <Fact name={texts.found}>
            <Time at={foundAt} />
          </Fact>
          <Fact name={texts.obstacle}>{obstacle !== null && <Sentence text={obstacle} />}</Fact>
        </Facts>
        {state === "suspended" && obstacle === null && (
          <div class="actions">
            <Act
              isQuiet
              name={deeds["inflows.return"].name}
              deed={{
                ...returns,
                action: texts.giveBack(about),
                isDangerous: true,
                body: (
                  <>
                    <p>{texts.returns(about)}</p>
                    <p>
                      <code>{from}</code>
                    </p>
                    <p class="note">{deeds["inflows.return"].body}</p>
                  </>
                ),
              }}
              onDone={onDone}
            />
          </div>
        )}
      </Record>
    </li>
  )
}

const Transfers = ({
  inflows,
  onDone,
}: {
  readonly inflows: ReadonlyArray<One>
  readonly onDone: () => void
}) => (
  <ul class="findings">
    {inflows.map((inflow) => (
      <Transfer key={inflow.id} inflow={inflow} onDone={onDone} />
    ))}
  </ul>
)

const All = () => {
  const { query } = usePlace()
  const { unclaimed: texts } = Texts.texts()
  const read = useRead<Inflow.List>("/inflows", { mode: chosen(query, "mode", modes) })
  return (
    <Shown of={read}>
      {({ inflows, others }) => (
        <>
          {inflows.length === 0 && others.length === 0 && <Empty {...texts.none} />}
          <Transfers inflows={inflows} onDone={read.reload} />
          {others.length > 0 && (
            <Card title={texts.others}>
              <ul class="lines">
                {others.map(({ amount, count, mode }) => (
                  <li key={`${mode} ${amount.unit}`}>
                    <span>
                      {texts.transfers(count)} <ModePill mode={mode} />
                    </span>
                    <span class="amount">
                      {Reader.amount(amount)} · {amount.display.networkName}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </>
      )}
    </Shown>
  )
}

const OfTransaction = ({ txId }: { readonly txId: string }) => {
  const { unclaimed: texts } = Texts.texts()
  const read = useRead<Inflow.Brought>(`/transactions/${encodeURIComponent(txId)}/inflows`)
  return (
    <Shown of={read}>
      {({ inflows }) =>
        inflows.length === 0 ? (
          <Empty {...texts.noneOf} />
        ) : (
          <Transfers inflows={inflows} onDone={read.reload} />
        )
      }
    </Shown>
  )
}

export const Screen = () => {
  const place = usePlace()
  const { mode, unclaimed: texts } = Texts.texts()
  const txId = place.query.get("tx") ?? ""
  return (
    <>
      <Head title={texts.title} note={texts.note} />
      <div class="filters">
        <input
          type="search"
          aria-label={texts.byTransaction}
          placeholder={texts.byTransaction}
          value={txId}
          onChange={({ currentTarget }) =>
            go(filtered(place, { tx: currentTarget.value.trim() }), "replace")
          }
        />
        {txId === "" && <Chips name="mode" values={modes} texts={mode} />}
      </div>
      {txId === "" ? <All /> : <OfTransaction key={txId} txId={txId} />}
    </>
  )
}
