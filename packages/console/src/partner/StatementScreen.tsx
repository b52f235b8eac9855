/**
 * A merchant's statement: what it was owed, each kind of change, and what it is owed at the end. Amounts stay whole
 * numbers of the smallest unit.
 *
 * @module
 */
import type * as Statement from "@florin/api/wire/Statement"
import type { Line } from "../messages/PartnerMessages.ts"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { useLoad } from "../shell/Load.ts"
import { Card, Empty, Foreign, Head, Skeleton } from "../shell/Pieces.tsx"
import { ProblemNote } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, usePlace } from "../shell/Route.tsx"
import * as Texts from "./Texts.ts"

const lines = [
  "paidIn",
  "fees",
  "refunds",
  "debt",
  "kept",
  "paidOut",
  "transferred",
] as const satisfies ReadonlyArray<Line>

const isDay = (text: string | null): text is string => /^\d{4}-\d{2}-\d{2}$/u.test(text ?? "")

const today = (): string => new Date().toISOString().slice(0, 10)
const monthStart = (): string => `${today().slice(0, 8)}01`

/** An amount with its sign before it. */
const said = ({ display, unit }: Statement.OfToken, value: string): string =>
  `${value.startsWith("-") ? "\u2212" : ""}${Reader.amount({ unit, value: value.replace("-", ""), display })}`

export const Screen = ({ id = "" }: Params) => {
  const { baseUrl, partner } = useConsole()
  const place = usePlace()
  const { merchants, statement: texts } = Texts.texts()
  const [asked, until] = [place.query.get("from"), place.query.get("to")]
  const from = isDay(asked) ? asked : monthStart()
  const to = isDay(until) ? until : today()
  const {
    error,
    reload,
    value: statement,
  } = useLoad(`${id} ${from} ${to}`, (signal) =>
    partner.merchants.statement(id, { from, to }, { signal }),
  )
  return (
    <>
      <Head
        back={{
          to: `/merchants/${encodeURIComponent(id)}`,
          name: statement?.merchantName ?? merchants.title,
        }}
        title={texts.title}
        note={texts.utc}
      >
        {statement !== undefined && statement.tokens.length > 0 && (
          <a
            class="button quiet"
            href={`${baseUrl}/v1/merchants/${encodeURIComponent(id)}/statement?from=${from}&to=${to}&format=csv`}
            download={`statement-${from}-${to}.csv`}
          >
            {texts.csv}
          </a>
        )}
      </Head>
      <div class="filters">
        <label>
          {texts.from}
          <input
            type="date"
            value={from}
            max={to}
            onChange={({ currentTarget }) =>
              go(filtered(place, { from: currentTarget.value }), "replace")
            }
          />
        </label>
        <label>
          {texts.to}
          <input
            type="date"
            value={to}
            min={from}
            onChange={({ currentTarget }) =>
              go(filtered(place, { to: currentTarget.value }), "replace")
            }
          />
        </label>
      </div>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {statement === undefined && error === undefined && <Skeleton rows={6} />}
      {statement?.tokens.length === 0 && <Empty {...texts.empty} />}
      {statement?.tokens.map((token) => (
        <Card
          key={token.unit}
          title={`${token.display.assetSymbol} · ${token.display.networkName ?? ""}`}
        >
          <table class="sums">
            <tbody>
              <tr>
                <th scope="row">{texts.opening}</th>
                <td>{said(token, token.opening.owed)}</td>
              </tr>
              {lines
                .filter((line) => token[line] !== "0")
                .map((line) => (
                  <tr key={line}>
                    <th scope="row">{texts.line[line]}</th>
                    <td>{said(token, token[line])}</td>
                  </tr>
                ))}
              <tr class="total">
                <th scope="row">{texts.closing}</th>
                <td>{said(token, token.closing.owed)}</td>
              </tr>
            </tbody>
          </table>
        </Card>
      ))}
      {statement !== undefined && (
        <p class="note">
          <Foreign text={statement.merchantName} /> · {from} – {to}
        </p>
      )}
    </>
  )
}
