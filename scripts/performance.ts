/**
 * Renders docs/performance.md and its plots from docs/performance.json, which `pnpm bench --json` wrote. No other
 * document has a figure of speed.
 *
 * @module
 */
import { readFileSync } from "node:fs"

interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

type Spreads = Readonly<Record<string, Spread | undefined>>

interface Result {
  readonly bench: string
  readonly name: string
  readonly unit: string
  readonly sides: Spreads
  readonly ratios: Spreads
}

interface Run {
  readonly command: string
  readonly date: string
  readonly node: string
  readonly machine: { readonly processors: number; readonly model: string; readonly load: number }
  readonly size: { readonly turns: number; readonly polls: number; readonly payments: number }
  readonly results: ReadonlyArray<Result>
}

const run: Run = JSON.parse(
  readFileSync(new URL("../docs/performance.json", import.meta.url), "utf8"),
)

const number = (value: number): string =>
  value >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : String(Number(value.toPrecision(value < 10 ? 2 : 3)))

const middle = (spread: Spread | undefined): string =>
  spread === undefined ? "" : number(spread.median)

/** The median, and between which values half of the turns are. */
const whole = (spread: Spread | undefined): string =>
  spread === undefined || spread.low === spread.high
    ? middle(spread)
    : `${middle(spread)} (${number(spread.low)} to ${number(spread.high)})`

/** The least that physics, the disk or the protocol leaves: what remains without any framework or table of ours. */
const limits: Readonly<Record<string, string>> = {
  status: "bare `node:http`, which writes a constant text",
  "options, 1 account": "bare `node:http`, and 16 to 25 µs for each option: HMAC, Keccak, text",
  "options, 8 accounts": "the same",
  "options, 64 accounts": "the same",
  confirm: "bare `node:http`, and about 110 µs to hash and recover the signer",
  "parked poll, with its connection": "bare `node:http`: the connection",
  "reads of storage while parked": "0",
  statements: "8: four decisions, each read and written",
  "writing commits": "4: create, confirm, collect, settle, one wait for the disk each",
  "rows read without an index": "0 of a table that grows",
  "write-ahead log": "about what is stored",
  stored: "3 to 4 KB: the promise, its proof, and the ledger",
  "processor time of ours": "2 ms",
  "processor time of PostgreSQL": "2 ms",
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = [], ...others] = rows
  const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...others.map(line)].join("\n")
}

const of = (...benches: ReadonlyArray<string>): ReadonlyArray<Result> =>
  run.results.filter(({ bench }) => benches.includes(bench))

const compared = (...benches: ReadonlyArray<string>): string =>
  table([
    ["what", "unit", "Florin", "Fastify 5", "`node:http`", "Fastify / Florin", "limit"],
    ...of(...benches).map(({ name, ratios, sides, unit }) => [
      name,
      unit,
      whole(sides["florin"]),
      middle(sides["fastify"]),
      middle(sides["raw"]),
      whole(ratios["fastify / florin"]),
      limits[name] ?? "bare `node:http`",
    ]),
  ])

const value = ({ sides }: Result): number => sides["florin"]?.median ?? 0

/** The rows of `pay` that begin so, largest first, without what comes to less than a hundredth of them all. */
const parts = (prefix: string): ReadonlyArray<readonly [name: string, bytes: number]> => {
  const all = of("pay").flatMap((result): ReadonlyArray<readonly [string, number]> =>
    result.name.startsWith(prefix) ? [[result.name.slice(prefix.length), value(result)]] : [],
  )
  const sum = all.reduce((total, [, bytes]) => total + bytes, 0)
  const large = all
    .filter(([, bytes]) => bytes * 100 >= sum)
    .toSorted((left, right) => right[1] - left[1])
  const rest = sum - large.reduce((total, [, bytes]) => total + bytes, 0)
  return [...large, ["all others", rest]]
}

const costs = (): string =>
  table([
    ["for one payment", "figure", "unit", "limit"],
    ...of("pay").flatMap((result) =>
      limits[result.name] === undefined
        ? []
        : [[result.name, number(value(result)), result.unit, limits[result.name] ?? ""]],
    ),
  ])

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const [labelWidth, barWidth, rowHeight] = [290, 400, 22]

/** Horizontal bars, readable on light and on dark pages. */
const bars = (
  title: string,
  rows: ReadonlyArray<readonly [label: string, value: number]>,
): string => {
  const most = Math.max(...rows.map(([, each]) => each), 1)
  const height = 40 + rows.length * rowHeight
  const drawn = rows.map(([label, each], index) => {
    const y = 34 + index * rowHeight
    const width = Math.max(1, Math.round((each / most) * barWidth))
    return `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>
<rect x="${labelWidth}" y="${y}" width="${width}" height="16" fill="#4c7dd0"/>
<text x="${labelWidth + width + 6}" y="${y + 13}">${number(each)}</text>`
  })
  const width = labelWidth + barWidth + 80
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#777" role="img" aria-label="${escaped(title)}">
<text x="8" y="18" font-size="14" font-weight="bold">${escaped(title)}</text>
${drawn.join("\n")}
</svg>
`
}

export const renderStored = (): string =>
  bars("Bytes stored for one payment, with indexes", parts("stored in "))

export const renderLogged = (): string =>
  bars("Bytes of write-ahead log for one payment", parts("log of "))

/** Benches that print a report of their own, as it was last. */
const others: ReadonlyArray<readonly [what: string, figure: string, command: string]> = [
  [
    "from the start of `florin serve` to its first response, storage in memory: processor time, compared with bare Node; memory then",
    "321 ms, 9.9 times; 105 MB, bare 48 MB",
    "`pnpm bench start`",
  ],
  ["the same from the sources", "824 ms, 25.3 times; 202 MB", "the same"],
  [
    "simultaneous reads by key, on the connection for reads compared with the pool",
    "16 reads: 1.56 times; 64: 1.91 times; 1: 0.90",
    "`pnpm bench reads`",
  ],
  [
    "from commit in one process to wake-up in another",
    "median 0.6 ms, 99th percentile 1.8 ms",
    "`pnpm bench signals`",
  ],
  ["the same, while 8 writers commit", "median 2.1 ms, 99th percentile 5.3 ms", "the same"],
  [
    "from commit in one process to the response over HTTP to a poll in another",
    "median 2.3 ms, 99th percentile 7.5 ms",
    "the same",
  ],
  [
    "a page of 50 out of 50,000 payments, newest first",
    "median 5 ms, at any depth",
    "`pnpm bench lists`; `--payments 1000000` for a million",
  ],
  [
    "stored statistics, by merchant, status, token or network",
    "median 2 ms, 99th percentile 5 ms",
    "the same",
  ],
  [
    "the overview of a partner's console with a million payments, in Chromium, for 30 and 365 days in three time zones, while other programs wanted the processor: requests; the service's time for the slower one",
    "2; median 72 ms, at most 174 ms",
    "`pnpm bench overview --payments 1000000`",
  ],
  [
    "100,000 payments by one process with its PostgreSQL, local chain and 200 payers on two cores, and one `kill -9` on the way: created and signed; paid out; processor time of ours and of PostgreSQL for each",
    "44 a second; 44 a second; 14.0 ms and 11.4 ms",
    "`pnpm bench million --payments 100000`",
  ],
  [
    "first paint of the checkout on a slow phone; its text; bare text for comparison",
    "0.48 s; 0.73 s; 0.26 s",
    "`pnpm bench paint`",
  ],
  [
    "from confirm to succeeded next to a chain that hangs, compared with no such chain",
    "median 0.52, 99th percentile 0.46",
    "`pnpm bench neighbours`",
  ],
  [
    "options for accounts on both of these chains, same comparison",
    "median 0.63, 99th percentile 0.79",
    "the same",
  ],
  [
    "from event to webhook next to receivers that hang or fail, same comparison",
    "median 1.19, 99th percentile 0.81",
    "the same",
  ],
  [
    "from event to webhook next to 5 endpoints that hang and 5 that fail",
    "median 1.66, 99th percentile 1.54",
    "`pnpm bench webhooks`",
  ],
]

const { load, model, processors } = run.machine

export const render = (): string => `# Performance

This page says what a request and a payment cost, next to peers that are written by hand, and what the limit is. It is for engineers who compare, and who plan capacity. It is generated from [performance.json](performance.json). To measure on your own machine, run:

\`\`\`sh
${run.command} > docs/performance.json && pnpm generate
\`\`\`

Measured on ${run.date}, with Node ${run.node.slice(1)}, on ${processors} processors (${model}). ${
  load > processors
    ? `**The machine was shared**: ${number(load)} processes wanted to run on them at the start.`
    : "Nothing else ran on them."
} **Only counts, bytes, and ratios within the run are meaningful elsewhere.** The peers are processes of their own, and take turns with ours. A figure is the median of ${run.size.turns} turns, with the values between which half of the turns are.

## Requests

Processor time of the server for one request, storage in memory. Each peer returns the same body to the same request.

${compared("http", "confirm")}

Decoders are compiled at their first use, as in \`florin serve\`. If you embed Florin, make \`import "effect/schema/SchemaJITCompiler/enable"\` the first line of your program. If it comes later, or if your platform forbids code generation at run time, everything works the same, but decoding takes longer.

## Parked polls

${run.size.polls.toLocaleString("en-US")} long polls of one payment wait, and then its status changes.

${compared("longpoll")}

## A payment

From its creation until its share is paid out: ${run.size.payments} payments, 16 on their way at a time, one process with its workers, one merchant, PostgreSQL that waits for the disk, and a simulated chain. The time of ours includes the payers' signatures. The log is counted without page images, which depend on how often the server makes a checkpoint.

${costs()}

![Bytes stored for one payment, by table](images/performance-stored.svg)

![Bytes of write-ahead log for one payment, by table and index](images/performance-log.svg)

A test counts statements, commits, rows, log and bytes of a payment in every run, and fails if there are more ([Cost.test.ts](../packages/server/test/database/Cost.test.ts)).

## Other benches

These print reports of their own. The figures are from earlier runs, on a machine that was shared, too.

${table([["what", "figure", "command"], ...others])}

In the rows about neighbours, a ratio below 1 means only that nothing became slower. The rounds with and without a hanging chain alternate, and the figures are medians of 3 rounds of 60; \`ROUNDS=9\` runs more. The last row measures one partner with 20 endpoints, 10 of them healthy, two processes, and events at half the rate that the healthy endpoints sustain alone. The healthy endpoints received every event. \`EVENTS=400 ROUNDS=4\` produced it.
`
