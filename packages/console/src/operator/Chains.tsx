/**
 * Where sending stopped, what is wrong with nodes and tokens, and what is spent on gas.
 *
 * @module
 */
import type * as Chain from "@florin/api/wire/Chain"
import type * as Relayer from "@florin/api/wire/Relayer"
import type * as Status from "@florin/api/wire/Status"
import type { ComponentChildren } from "preact"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { named } from "../shell/Messages.ts"
import { Card, Code, Facts, Head, ModePill, Pill, Record, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Shown } from "../shell/Shown.tsx"
import * as Shell from "../shell/Texts.ts"
import { FindingLines } from "./Findings.tsx"
import { chainOf, coin, Sentence } from "./Parts.tsx"
import { deed } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

const { mode: modeTexts } = Shell.texts
const { chains: texts, now } = Texts.texts

/** The parts of the status that are about chains, and have no list of their own here. */
const parts: ReadonlySet<string> = new Set(["nodes", "tokens", "gas"])

interface Stop {
  readonly id: ComponentChildren
  readonly title: string
  readonly mode: string
  readonly reason: string
  readonly at: string
  readonly state: string
  readonly resume: Act
}

/** Chains and tokens that are stopped until somebody resumes them. */
const Stopped = () => {
  const halts = useRead<Chain.Halts>("/chains/halted")
  const stops = useRead<Chain.Stops>("/tokens/stopped")
  const one = ({ at, id, mode, reason, resume, state, title }: Stop, onDone: () => void) => (
    <Record
      key={`${mode} ${title}`}
      look="urgent"
      title={title}
      mode={mode}
      pills={<Pill tone="bad">{state}</Pill>}
      acts={<ActButton act={{ ...resume, isDangerous: true }} look="main" onDone={onDone} />}
    >
      <Sentence text={reason} />
      <p class="note">
        {id} · <Time at={at} />
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
    id: <code>{chainId}</code>,
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
    id: <Code name={symbol ?? asset} text={asset} />,
    title: `${symbol ?? asset} · ${networkName ?? chainOf(asset)}`,
    at: stoppedAt,
    state: texts.stopped,
    resume: deed("chains.resumeToken", { asset, mode: own.mode }),
  })
  const stopped = [
    ...(halts.value?.chains.map((each) => one(chain(each), halts.reload)) ?? []),
    ...(stops.value?.tokens.map((each) => one(token(each), stops.reload)) ?? []),
  ]
  return (
    <>
      <Shown of={halts}>{() => null}</Shown>
      <Shown of={stops}>{() => null}</Shown>
      {stopped.length > 0 && <ul class="findings">{stopped}</ul>}
    </>
  )
}

type One = Chain.List["chains"][number]

const seconds = (ms: number): string =>
  new Intl.NumberFormat(Reader.locale, {
    style: "unit",
    unit: "second",
    maximumFractionDigits: 1,
  }).format(ms / 1000)

/** A node: its newest block, and how far it is behind the others, or why it is silent. */
const NodeLine = ({
  of: { behindMs, error, headBlock, host },
  chain: { chainId, doNodesAgree, headAgeMs, networkName },
}: {
  readonly of: One["nodes"][number]
  readonly chain: One
}) => (
  <>
    <span>
      {networkName ?? chainId}{" "}
      <span class="note">
        <bdi>{host}</bdi>
      </span>
    </span>
    <span class="actions">
      {!doNodesAgree && <Pill tone="bad">{texts.differ}</Pill>}
      {headAgeMs === null && <Pill tone="bad">{texts.silent}</Pill>}
      {behindMs === null ? (
        <span class="note">{error ?? texts.silent}</span>
      ) : (
        <span class="number">{texts.node(Reader.count(headBlock ?? 0), seconds(behindMs))}</span>
      )}
      {headAgeMs !== null && <span class="note">{texts.head(seconds(headAgeMs))}</span>}
    </span>
  </>
)

/** The chains of each mode, with their nodes. */
const Served = () => {
  const read = useRead<Chain.List>("/chains")
  return (
    <Shown of={read}>
      {({ chains }) =>
        (["live", "test"] as const).map((mode) => {
          const own = chains.filter((chain) => chain.mode === mode)
          return (
            own.length > 0 && (
              <Card
                key={mode}
                title={modeTexts[mode]}
                lines={own.flatMap((chain) =>
                  chain.nodes.map((node, index) => (
                    <NodeLine key={`${chain.chainId} ${index}`} of={node} chain={chain} />
                  )),
                )}
              />
            )
          )
        })
      }
    </Shown>
  )
}

const Nodes = () => {
  const read = useRead<Status.Status>("/status")
  return (
    <Card title={texts.nodes}>
      <Shown of={read}>
        {({ findings, fine, skipped }) => (
          <>
            <FindingLines
              findings={findings.filter(({ part }) => parts.has(part))}
              onDone={read.reload}
            />
            <ul class="filters">
              {[...parts].map((part) => {
                const isFine = fine.includes(part)
                const isSkipped = skipped.includes(part)
                const text = isFine ? texts.fine : isSkipped ? now.skipped : texts.found
                return (
                  <li key={part} class={`pill ${isFine ? "good" : isSkipped ? "" : "caution"}`}>
                    {text(named(now.part, part))}
                  </li>
                )
              })}
            </ul>
          </>
        )}
      </Shown>
    </Card>
  )
}

/** Bars need no exact numbers. */
const percent = (part: string, whole: string): number =>
  whole === "0" ? 100 : Math.min(100, (Number(part) / Number(whole)) * 100)

const Budgets = () => {
  const budgets = useRead<Chain.Budgets>("/chains/gas-budgets")
  const relayers = useRead<Relayer.List>("/relayers")
  const one = (budget: Chain.Budgets["budgets"][number]) => {
    const { account, isSpent, limit, mode, spent, spentForCode } = budget
    const gas = relayers.value?.relayers.find((each) => each.account === account)?.gas
    const text = (value: string) =>
      gas === undefined ? value : coin(value, gas.decimals, gas.coin)
    const part = percent(spent, limit)
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
            class={isSpent ? "bad" : part >= 80 ? "caution" : ""}
            style={{ inlineSize: `${part}%` }}
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
  }
  return (
    <Card title={texts.budgets}>
      <Shown of={budgets}>
        {(read) =>
          read.budgets.length === 0 ? (
            <p class="note">{texts.noBudgets}</p>
          ) : (
            <ul class="stack">{read.budgets.map(one)}</ul>
          )
        }
      </Shown>
    </Card>
  )
}

export const Screen = () => (
  <>
    <Head title={texts.title} note={texts.note} />
    <Stopped />
    <Nodes />
    <Served />
    <Budgets />
  </>
)
