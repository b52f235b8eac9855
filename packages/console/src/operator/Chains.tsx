/**
 * Where sending stopped, what is wrong with nodes and tokens, and what is spent on gas.
 *
 * @module
 */
import type * as Chain from "@florin/api/wire/Chain"
import type * as Relayer from "@florin/api/wire/Relayer"
import type * as Status from "@florin/api/wire/Status"
import type { ComponentChildren } from "preact"
import { Card, Code, Fact, Facts, Head, Pill, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Act, type Deed } from "./Act.tsx"
import { FindingLines } from "./Findings.tsx"
import { chainOf, coin, ModePill, Sentence, Shown, useRead } from "./Parts.tsx"
import { deed } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

/** The parts of the status that are about chains, and have no list of their own here. */
const parts: ReadonlySet<string> = new Set(["nodes", "tokens", "gas"])

const seconds = (ms: number): string =>
  new Intl.NumberFormat(Reader.locale, {
    style: "unit",
    unit: "second",
    maximumFractionDigits: 1,
  }).format(ms / 1000)

/** A chain or a token that is stopped until somebody resumes it. */
const Stopped = (props: {
  readonly title: string
  readonly mode: string
  readonly state: string
  readonly reason: string
  readonly id: ComponentChildren
  readonly at: string
  readonly resume: Deed
  readonly onDone: () => void
}) => (
  <section class="card urgent">
    <div class="cardHead">
      <h2>{props.title}</h2>
      <span class="actions">
        <ModePill mode={props.mode} />
        <Pill tone="bad">{props.state}</Pill>
      </span>
    </div>
    <p class="finding">
      <Sentence text={props.reason} />
    </p>
    <p class="note">
      {props.id} · <Time at={props.at} />
    </p>
    <div class="actions">
      <Act deed={{ ...props.resume, isDangerous: true }} onDone={props.onDone} />
    </div>
  </section>
)

const Halts = () => {
  const { chains: texts } = Texts.texts()
  const read = useRead<Chain.Halts>("/chains/halted")
  return (
    <Shown of={read}>
      {({ chains }) =>
        chains.map(({ chainId, haltedAt, mode, networkName, reason }) => (
          <Stopped
            key={`${mode} ${chainId}`}
            title={networkName ?? chainId}
            mode={mode}
            state={texts.halted}
            reason={reason}
            id={<code>{chainId}</code>}
            at={haltedAt}
            resume={deed("chains.resume", { chainId, mode })}
            onDone={read.reload}
          />
        ))
      }
    </Shown>
  )
}

const Stops = () => {
  const { chains: texts } = Texts.texts()
  const read = useRead<Chain.Stops>("/tokens/stopped")
  return (
    <Shown of={read}>
      {({ tokens }) =>
        tokens.map(({ asset, mode, networkName, reason, stoppedAt, symbol }) => (
          <Stopped
            key={`${mode} ${asset}`}
            title={`${symbol ?? asset} · ${networkName ?? chainOf(asset)}`}
            mode={mode}
            state={texts.stopped}
            reason={reason}
            id={<Code name={symbol ?? asset} text={asset} />}
            at={stoppedAt}
            resume={deed("chains.resumeToken", { asset, mode })}
            onDone={read.reload}
          />
        ))
      }
    </Shown>
  )
}

/** Each chain with its nodes: their newest blocks, how far they are behind, and why one is silent. */
const Served = () => {
  const { chains: texts } = Texts.texts()
  const read = useRead<Chain.List>("/chains")
  return (
    <Shown of={read}>
      {({ chains }) =>
        chains.map(({ chainId, doNodesAgree, headAgeMs, mode, networkName, nodes }) => (
          <Card
            key={`${mode} ${chainId}`}
            title={networkName ?? chainId}
            actions={
              <span class="actions">
                <ModePill mode={mode} />
                {!doNodesAgree && <Pill tone="bad">{texts.differ}</Pill>}
                <Pill tone={headAgeMs === null ? "bad" : "plain"}>
                  {headAgeMs === null ? texts.silent : texts.head(seconds(headAgeMs))}
                </Pill>
              </span>
            }
          >
            <ul class="lines">
              {nodes.map(({ behindMs, error, headBlock, host }) => (
                <li key={host}>
                  <bdi>{host}</bdi>
                  {behindMs === null ? (
                    <span class="note">{error ?? texts.silent}</span>
                  ) : (
                    <span class="number">
                      {texts.node(Reader.count(headBlock ?? 0), seconds(behindMs))}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </Card>
        ))
      }
    </Shown>
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
                {[...parts].map((part) => (
                  <li
                    key={part}
                    class={`pill ${fine.includes(part) ? "good" : skipped.includes(part) ? "" : "caution"}`}
                  >
                    {fine.includes(part)
                      ? texts.fine(now.part[part] ?? part)
                      : skipped.includes(part)
                        ? now.skipped(now.part[part] ?? part)
                        : texts.found(now.part[part] ?? part)}
                  </li>
                ))}
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
                    <Facts>
                      <Fact name={texts.spent}>{texts.of(text(spent), text(limit))}</Fact>
                      <Fact name={texts.forCode}>{text(spentForCode)}</Fact>
                    </Facts>
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
      <Halts />
      <Stops />
      <Nodes />
      <Served />
      <Budgets />
    </>
  )
}
