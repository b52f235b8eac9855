/**
 * Where sending stopped, what is wrong with nodes and tokens, and what is spent on gas.
 *
 * @module
 */
import type * as Chain from "@florin/api/wire/Chain"
import type * as Relayer from "@florin/api/wire/Relayer"
import type * as Status from "@florin/api/wire/Status"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { named } from "../shell/Messages.ts"
import { Card, Code, Facts, Head, ModePill, Pill, Record, Time } from "../shell/Pieces.tsx"
import { Shown } from "../shell/Problem.tsx"
import { FindingLines } from "./Findings.tsx"
import { chainOf, coin, Sentence } from "./Parts.tsx"
import { deed } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

/** The parts of the status that are about chains, and have no list of their own here. */
const parts: ReadonlySet<string> = new Set(["nodes", "tokens", "gas"])

interface Stop {
  readonly id: string
  readonly title: string
  readonly mode: string
  readonly reason: string
  readonly at: string
  readonly state: string
  readonly resume: Act
}

/** Chains and tokens that are stopped until somebody resumes them. */
const Stopped = () => {
  const { chains: texts } = Texts.texts()
  const halts = useRead<Chain.Halts>("/chains/halted")
  const stops = useRead<Chain.Stops>("/tokens/stopped")
  const one = ({ at, id, mode, reason, resume, state, title }: Stop, onDone: () => void) => (
    <Record
      key={`${mode} ${id}`}
      look="urgent"
      title={title}
      mode={mode}
      pills={<Pill tone="bad">{state}</Pill>}
      acts={<ActButton act={{ ...resume, isDangerous: true }} look="main" onDone={onDone} />}
    >
      <Sentence text={reason} />
      <p class="note">
        <Code name={title} text={id} /> · <Time at={at} />
      </p>
    </Record>
  )
  const chain = ({
    chainId,
    haltedAt,
    networkName,
    ...own
  }: Chain.Halts["chains"][number]): Stop => ({
    ...own,
    id: chainId,
    title: networkName ?? chainId,
    at: haltedAt,
    state: texts.halted,
    resume: deed("chains.resume", { chainId, mode: own.mode }),
  })
  const token = ({
    asset,
    networkName,
    stoppedAt,
    symbol,
    ...own
  }: Chain.Stops["tokens"][number]): Stop => ({
    ...own,
    id: asset,
    title: `${symbol ?? asset} · ${networkName ?? chainOf(asset)}`,
    at: stoppedAt,
    state: texts.stopped,
    resume: deed("chains.resumeToken", { asset, mode: own.mode }),
  })
  return (
    <>
      <Shown of={halts}>
        {({ chains }) => (
          <ul class="findings">{chains.map((each) => one(chain(each), halts.reload))}</ul>
        )}
      </Shown>
      <Shown of={stops}>
        {({ tokens }) => (
          <ul class="findings">{tokens.map((each) => one(token(each), stops.reload))}</ul>
        )}
      </Shown>
    </>
  )
}

const Nodes = () => {
  const { chains: texts, now } = Texts.texts()
  const read = useRead<Status.Status>("/status")
  return (
    <Card title={texts.nodes}>
      <Shown of={read}>
        {({ findings, fine, skipped }) => {
          const found = findings.filter(({ part }) => parts.has(part))
          return (
            <>
              <FindingLines findings={found} onDone={read.reload} />
              <ul class="filters">
                {[...parts].map((part) => {
                  const [tone, text] = fine.includes(part)
                    ? (["good", texts.fine] as const)
                    : skipped.includes(part)
                      ? (["", now.skipped] as const)
                      : (["caution", texts.found] as const)
                  return (
                    <li key={part} class={`pill ${tone}`}>
                      {text(named(now.part, part))}
                    </li>
                  )
                })}
              </ul>
            </>
          )
        }}
      </Shown>
    </Card>
  )
}

/** Bars need no exact numbers. */
const percent = (part: string, whole: string): number =>
  whole === "0" ? 100 : Math.min(100, (Number(part) / Number(whole)) * 100)

const Budgets = () => {
  const { chains: texts } = Texts.texts()
  const budgets = useRead<Chain.Budgets>("/chains/gas-budgets")
  const relayers = useRead<Relayer.List>("/relayers")
  const gasOf = (account: string) =>
    relayers.value?.relayers.find((each) => each.account === account)?.gas
  return (
    <Card title={texts.budgets}>
      <Shown of={budgets}>
        {(read) =>
          read.budgets.length === 0 ? (
            <p class="note">{texts.noBudgets}</p>
          ) : (
            <ul class="stack">
              {read.budgets.map(({ account, isSpent, limit, mode, spent, spentForCode }) => {
                const gas = gasOf(account)
                const text = (value: string) =>
                  gas === undefined ? value : coin(value, gas.decimals, gas.coin)
                return (
                  <li key={`${mode} ${account}`} class="share">
                    <span>
                      <span>
                        <Code name={texts.account} text={account} /> <ModePill mode={mode} />
                      </span>
                      {isSpent && <Pill tone="bad">{texts.spentAll}</Pill>}
                    </span>
                    <span class="meter" aria-hidden="true">
                      <span
                        class={isSpent ? "bad" : percent(spent, limit) >= 80 ? "caution" : ""}
                        style={{ inlineSize: `${percent(spent, limit)}%` }}
                      />
                    </span>
                    <Facts
                      of={[
                        [texts.spent, texts.of(text(spent), text(limit))],
                        [texts.forCode, text(spentForCode)],
                      ]}
                    />
                  </li>
                )
              })}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}

export const Screen = () => {
  const { chains: texts } = Texts.texts()
  return (
    <>
      <Head title={texts.title} note={texts.note} />
      <Stopped />
      <Nodes />
      <Budgets />
    </>
  )
}
