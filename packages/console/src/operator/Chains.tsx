/**
 * Where sending stopped and is resumed, what is wrong with nodes and tokens, and what is spent on gas.
 *
 * @module
 */
import type * as Chain from "@florin/api/wire/Chain"
import type * as Relayer from "@florin/api/wire/Relayer"
import type * as Status from "@florin/api/wire/Status"
import { useRead } from "../shell/Api.ts"
import { Read } from "../shell/Detail.tsx"
import { Card, Code, Facts, Head, list, meter, ModePill, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { findingList, partPills } from "./Findings.tsx"
import { coin, inEnglish } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { chains: texts, mode: modeTexts, words } = Texts.texts

/** The parts of the status that are about chains, with what is stopped until somebody resumes it. */
const parts: ReadonlySet<string> = new Set(["halts", "nodes", "tokens", "gas"])

type One = Chain.List["chains"][number]

/** A node: its newest block, and how far it is behind the others, or why it is silent. */
const nodeLine = (
  { chainId, doNodesAgree, headAgeMs, networkName }: One,
  { behindMs, error, headBlock, host }: One["nodes"][number],
) => (
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
        <span class="note">{error === null ? texts.silent : <bdi lang="en">{error}</bdi>}</span>
      ) : (
        <span class="number">
          {texts.node(Reader.count(headBlock ?? 0), Reader.duration(behindMs))}
        </span>
      )}
      {headAgeMs !== null && <span class="note">{texts.head(Reader.duration(headAgeMs))}</span>}
    </span>
  </>
)

const served = ({ chains }: Chain.List) =>
  (["live", "test"] as const).map((mode) => {
    const own = chains.filter((chain) => chain.mode === mode)
    const lines = own.flatMap((chain) => chain.nodes.map((node) => nodeLine(chain, node)))
    return own.length > 0 && <Card key={mode} title={modeTexts[mode]} lines={lines} />
  })

const found = ({ findings, ...read }: Status.Status) => {
  const own = findings.filter(({ part }) => parts.has(part))
  return (
    <>
      {own.length > 0 && findingList(own)}
      {partPills(parts, read)}
    </>
  )
}

export const Screen = () => {
  const relayers = useRead<Relayer.List>("/relayers")
  const budgetLine = (budget: Chain.Budgets["budgets"][number]) => {
    const { account, isSpent, limit, mode, spent, spentForCode } = budget
    const gas = relayers.value?.relayers.find((each) => each.account === account)?.gas
    const text = (value: string) =>
      gas === undefined ? value : coin(value, gas.decimals, gas.coin)
    const look = isSpent ? "bad" : Number(spent) >= Number(limit) * 0.8 ? "caution" : ""
    return (
      <div class="share">
        <span>
          <span>
            <Code name={words.account} text={account} /> <ModePill mode={mode} />
          </span>
          {isSpent && <Pill tone="bad">{texts.spentAll}</Pill>}
        </span>
        {meter(limit, [look, spent])}
        <Facts
          of={[
            [texts.spent, texts.of(text(spent), text(limit))],
            [texts.forCode, text(spentForCode)],
          ]}
        />
      </div>
    )
  }
  return (
    <>
      <Head title={texts.title} note={[texts.note, inEnglish()]} />
      <Card title={texts.nodes}>
        <Read<Status.Status> path="/status">{found}</Read>
      </Card>
      <Read<Chain.List> path="/chains">{served}</Read>
      <Card title={texts.budgets}>
        <Read<Chain.Budgets> path="/chains/gas-budgets">
          {({ budgets }) =>
            list(budgets.map(budgetLine), "stack") || <p class="note">{texts.noBudgets}</p>
          }
        </Read>
      </Card>
    </>
  )
}
