/**
 * A merchant's statement: what it was owed, each kind of change, and what it is owed at the end. Amounts stay whole
 * numbers of the smallest unit.
 *
 * @module
 */
import type * as Statement from "@florin/api/wire/Statement"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { Day } from "../shell/Filters.tsx"
import { at } from "../shell/Path.ts"
import { Card, Empty, Skeleton } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, usePlace } from "../shell/Route.tsx"
import * as Texts from "./Texts.ts"

const { merchants, statement: texts } = Texts.texts

/** In the order of the statement. */
const lines = ["paidIn", "fees", "refunds", "debt", "kept", "paidOut", "transferred"] as const

const isDay = (text: string | null): text is string => /^\d{4}-\d{2}-\d{2}$/u.test(text ?? "")

const today = (): string => new Date().toISOString().slice(0, 10)
const monthStart = (): string => `${today().slice(0, 8)}01`

const sums = (token: Statement.OfToken) => {
  const { display, unit } = token
  const row = (name: string, value: string, look = "") => (
    <tr key={name} class={look}>
      <th scope="row">{name}</th>
      <td>{Reader.amount({ unit, value, display })}</td>
    </tr>
  )
  return (
    <Card key={unit} title={Reader.token(display)}>
      <table class="sums">
        <tbody>
          {row(texts.opening, token.opening.owed)}
          {lines
            .filter((line) => token[line] !== "0")
            .map((line) => row(texts.line[line], token[line]))}
          {row(texts.closing, token.closing.owed, "total")}
        </tbody>
      </table>
    </Card>
  )
}

export const Screen = ({ id = "" }: Params) => {
  const { baseUrl } = useConsole()
  const place = usePlace()
  const [asked, until] = [place.query.get("from"), place.query.get("to")]
  const from = isDay(asked) ? asked : monthStart()
  const to = isDay(until) ? until : today()
  const path = at`/merchants/${id}/statement`
  const read = useRead<Statement.Statement>(path, { from, to }, { everyInMs: null })
  const set = (name: string) => (day: string) => go(filtered(place, { [name]: day }), "replace")
  return (
    <Detail
      of={read}
      back={{ to: at`/merchants/${id}`, name: read.value?.merchantName ?? merchants.title }}
      name={texts.title}
      note={texts.utc}
      acts={({ tokens }) =>
        tokens.length > 0 && (
          <a
            class="button quiet"
            href={`${baseUrl}/v1${path}?from=${from}&to=${to}&format=csv`}
            download={`statement-${from}-${to}.csv`}
          >
            {texts.csv}
          </a>
        )
      }
      above={
        <div class="filters">
          <Day label={texts.from} value={from} max={to} onValue={set("from")} />
          <Day label={texts.to} value={to} min={from} onValue={set("to")} />
        </div>
      }
      main={({ tokens }) => {
        // Sums of other days must not stand below these.
        if (read.isLoading) return <Skeleton />
        return tokens.length === 0 ? <Empty {...texts.empty} /> : tokens.map(sums)
      }}
    />
  )
}
