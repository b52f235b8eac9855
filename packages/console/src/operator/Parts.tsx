/**
 * What several screens of the operator show in the same way.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type { Call } from "@florin/client/Connection"
import * as Amounts from "@florin/pages/Amounts"
import type { ComponentChildren } from "preact"
import { useConsole } from "../shell/Console.tsx"
import { type List, type Loaded, useList, useLoad } from "../shell/Load.ts"
import { CopyButton, Pill, Skeleton, type Tone } from "../shell/Pieces.tsx"
import { ProblemNote } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import * as Texts from "./Texts.ts"

type Query = Parameters<Call>[0]["query"]

/** Reads the operator's API, and follows it. */
export const useRead = <A extends object>(
  path: string,
  query: NonNullable<Query> = {},
  isLive = true,
): Loaded<A> => {
  const { call } = useConsole()
  return useLoad(
    `${path} ${JSON.stringify(query)}`,
    (signal) =>
      call<A>({ method: "GET", path: `/operator/v1${path}`, query, responseMembers: [], signal }),
    { isLive },
  )
}

/** Reads a list of the operator's API, page by page. */
export const useRows = <Row, Page extends { readonly nextCursor: string | null }>(
  path: string,
  query: NonNullable<Query>,
  idOf: (row: Row) => string,
  rowsOf: (page: Page) => ReadonlyArray<Row>,
): List<Row, undefined> => {
  const { call } = useConsole()
  return useList(
    `${path} ${JSON.stringify(query)}`,
    idOf,
    async (cursor, signal) => {
      const page = await call<Page>({
        method: "GET",
        path: `/operator/v1${path}`,
        query: { limit: 100, ...query, cursor },
        responseMembers: ["nextCursor"],
        signal,
      })
      return { rows: rowsOf(page), next: page.nextCursor, extra: undefined }
    },
    { isLive: true },
  )
}

/** A list that comes in one piece. */
export const whole = <A, Row>(
  { error, isLoading, reload, value }: Loaded<A>,
  rowsOf: (value: A) => ReadonlyArray<Row>,
): List<Row, A> => ({
  rows: value && rowsOf(value),
  extra: value,
  error,
  isLoading,
  more: undefined,
  reload,
})

/** What was loaded, or that it loads, or why it does not. What was loaded before stays under the error. */
export const Shown = <A,>({
  of: { error, reload, value },
  children,
}: {
  readonly of: Loaded<A>
  readonly children: (value: A) => ComponentChildren
}) => (
  <>
    {error !== undefined && <ProblemNote error={error} retry={reload} />}
    {value === undefined ? error === undefined && <Skeleton rows={6} /> : children(value)}
  </>
)

/** What a person copies out of a sentence of the service: commands, accounts, addresses and hashes. */
const copied = /(`[^`]+`|(?:[a-z0-9]+:[a-zA-Z0-9]+:)?0x[0-9a-fA-F]{40,64})/u

/** The service begins some of its reasons with a small letter. What begins with an id or a command stays as it is. */
const sentenceCase = (text: string): string =>
  /^(?!florin )[a-z]+(?: |'s )/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text

const shortened = (text: string): string =>
  text.replace(/0x[0-9a-fA-F]+$/u, (address) => Reader.short(address))

/** A sentence of the service, in which what nobody reads to its end is shortened. */
export const Sentence = ({ text: sentence }: { readonly text: string }) => (
  <bdi>
    {sentenceCase(sentence)
      .split(copied)
      .map((part, index) => {
        if (index % 2 === 0) return part
        const text = part.replaceAll("`", "")
        return (
          <span key={index} class="code">
            <code title={text}>{shortened(text)}</code>
            <CopyButton name={text} text={text} />
          </span>
        )
      })}
  </bdi>
)

/** Says that it is not real money. Live money needs no mark. */
export const ModePill = ({ mode }: { readonly mode: string | null }) =>
  mode === "test" ? <Pill tone="caution">{Texts.texts().mode.test}</Pill> : null

/** A value of the address that is one of those that the API knows. */
export const chosen = <A extends string>(
  query: URLSearchParams,
  name: string,
  values: ReadonlyArray<A>,
): A | undefined => values.find((value) => value === query.get(name))

export const modes = ["live", "test"] as const

/** Chips of which one is chosen. */
export const Chips = <A extends string>({
  name,
  values,
  texts,
}: {
  readonly name: string
  readonly values: ReadonlyArray<A>
  readonly texts: { readonly [V in A]: string }
}) => {
  const place = usePlace()
  const now = chosen(place.query, name, values)
  const chip = (value: A | undefined, text: string) => (
    <Link
      key={text}
      class="chip"
      to={filtered(place, { [name]: value })}
      aria-current={value === now ? "page" : undefined}
    >
      {text}
    </Link>
  )
  return (
    <div class="filters">
      {chip(undefined, Texts.texts().all)}
      {values.map((value) => chip(value, texts[value]))}
    </div>
  )
}

/** Sums of the ledger may be below zero. */
export const sum = (
  { unit, value }: { readonly unit: string; readonly value: string },
  display: Amount.Display,
): string =>
  value.startsWith("-")
    ? `−${Reader.amount({ unit, value: value.slice(1), display })}`
    : Reader.amount({ unit, value, display })

/** An amount of a chain's own coin, which has no unit on the wire. */
export const coin = (value: string, decimals: number, assetSymbol: string): string =>
  Amounts.formatBalance(
    { unit: "coin", value, display: { assetName: assetSymbol, assetSymbol, decimals } },
    Reader.locale,
  )

/** The network of a CAIP-10 account or a CAIP-19 token, as the API writes it. */
export const chainOf = (of: string): string => /^(?:caip19\/)?([^:/]+:[^:/]+)/u.exec(of)?.[1] ?? of

/** One of several things alike: a card that is no landmark. */
export const Record = ({
  title,
  actions,
  children,
}: {
  readonly title: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <article class="card">
    <div class="cardHead">
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </article>
)

export const stateTones = {
  waiting: "caution",
  sent: "calm",
  paid: "good",
  held: "bad",
  cancelled: "plain",
} as const satisfies { readonly [state: string]: Tone }

export const StatePill = ({ state }: { readonly state: keyof typeof stateTones }) => (
  <Pill tone={stateTones[state]}>{Texts.texts().outflows.states[state]}</Pill>
)
