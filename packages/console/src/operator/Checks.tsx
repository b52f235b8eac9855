/**
 * Whether the books agree: the ledger with the chains, and records with each other.
 *
 * @module
 */
import type * as Doctor from "@florin/api/wire/Doctor"
import type * as Reconciliation from "@florin/api/wire/Reconciliation"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Shown } from "../shell/Detail.tsx"
import { Form, select, useFields, useSubmission } from "../shell/Form.tsx"
import { Id } from "../shell/Id.tsx"
import { Button, Card, Code, Head, line, list, ModePill, Pill, State } from "../shell/Pieces.tsx"
import { ProblemNote } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Job from "./Job.ts"
import { Command, inEnglish, Sentence, Words } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { checks: texts, words } = Texts.texts

type Result = Reconciliation.Reconciliation

const differs = ({ ledger, onChain }: Result["accounts"][number]): boolean =>
  onChain !== null && onChain !== ledger

type Account = Result["accounts"][number]

const agreement = (account: Account) => {
  const { display, onChain, unit } = account
  if (onChain === null) return <Pill tone="plain">{texts.unserved}</Pill>
  if (!differs(account)) return <Pill tone="good">{texts.equal}</Pill>
  return <Pill tone="bad">{texts.onChain(Reader.amount({ unit, value: onChain, display }))}</Pill>
}

const accountLine = (account: Account) => {
  const { account: id, display, ledger, mode, unit } = account
  const amount = Reader.amount({ unit, value: ledger, display })
  return line(
    <>
      {Reader.token(display)} <Code name={words.account} text={id} /> <ModePill mode={mode} />
    </>,
    [<span class="amount">{amount}</span>, agreement(account)],
    "actions",
  )
}

const result = ({ accounts, overdrawn, records }: Result, at: number) => {
  const isGood = !accounts.some(differs) && overdrawn === 0 && (records?.count ?? 0) === 0
  const sorted = accounts.toSorted((left, right) => Number(differs(right)) - Number(differs(left)))
  return (
    <div class="stack">
      <p role="status">
        <Pill tone={isGood ? "good" : "bad"}>{isGood ? texts.agrees : texts.differs}</Pill>{" "}
        <span class="note">{Reader.time(at)}</span>
      </p>
      {list(sorted.map(accountLine))}
      {overdrawn > 0 && <p class="error">{texts.overdrawn(overdrawn)}</p>}
      {records !== null && (
        <>
          <p>{texts.compared(Reader.count(records.payments), Reader.count(records.count))}</p>
          {list(
            records.contradictions.map(({ mode, subject, what }) =>
              line(<Words text={what} />, [<Id of={subject} />, " ", <ModePill mode={mode} />], ""),
            ),
          )}
        </>
      )}
    </div>
  )
}

type Check = Doctor.Checks["checks"][number]

const openFirst = (left: Check, right: Check): number =>
  Number(left.verdict === "ok") - Number(right.verdict === "ok")

/** How much of what was found is shown before it is folded. */
const seenMax = 3

const found = (seen: Check["seen"]) => {
  const lines = seen.map((text) => <Sentence key={text} text={text} look="note finding" />)
  return seen.length > seenMax ? (
    <details>
      <summary>{texts.found(seen.length)}</summary>
      {lines}
    </details>
  ) : (
    lines
  )
}

/** What should hold before real money moves. */
const Checkup = () => {
  const again = useSubmission()
  const read = useRead<Doctor.Checks>("/doctor", {}, { everyInMs: null })
  return (
    <Card
      title={texts.doctor}
      head={
        <Button look="small" isBusy={again.isBusy} onClick={() => again.submit(read.reload)}>
          {texts.again}
        </Button>
      }
    >
      <Shown of={read}>
        {({ checks }) => (
          <ul class="lines">
            {checks.toSorted(openFirst).map(({ holds, item, mend, seen, verdict }) => (
              <li key={item} class="topped">
                <div class="check">
                  <Sentence text={holds} />
                  {found(seen)}
                  {verdict !== "ok" && <Sentence text={mend} />}
                </div>
                <State is={verdict} texts={texts.verdicts} />
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <p class="note">{texts.doctorNote}</p>
      <Command command="florin doctor" />
    </Card>
  )
}

export const Screen = () => {
  const console = useConsole()
  const form = useFields(() => [select("depth", texts.depth, Object.entries(texts.depths))])
  const state = Job.use()
  const progress = state.is === "running" ? state.progress : undefined
  const { done = 0, of = 0, what = "" } = progress ?? {}
  return (
    <>
      <Head title={texts.title} note={[texts.note, inEnglish()]} />
      <Card title={texts.reconcile} note={texts.lead}>
        {state.is === "running" ? (
          <div class="stack" role="status">
            <p>
              {progress === undefined
                ? texts.starting
                : texts.progress(what, Reader.count(done), Reader.count(of))}
            </p>
            <progress aria-label={texts.reconcile} max={Math.max(1, of)} value={done} />
            <p class="note">{texts.leave}</p>
            <div class="actions">
              <Button look="quiet" onClick={Job.stop}>
                {texts.stop}
              </Button>
            </div>
          </div>
        ) : (
          <Form
            of={form}
            action={texts.start}
            run={async () => Job.start(console, form.get("depth"))}
          >
            {form.shown}
          </Form>
        )}
        {state.is === "failed" && <ProblemNote error={state.error} />}
        {state.is === "done" && result(state.result, state.at)}
      </Card>
      <Checkup />
    </>
  )
}
