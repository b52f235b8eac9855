/**
 * Renders every metric for docs/metrics.md, from the table that the code uses.
 *
 * @module
 */
import * as Metrics from "../packages/core/src/engine/record/Metrics.ts"

export const render = (): string => {
  const definitions: ReadonlyArray<readonly [string, Metrics.Definition]> = Object.entries(
    Metrics.table,
  )
  return [
    "# Metrics",
    "",
    "<!-- Written by `pnpm generate` from packages/core/src/engine/record/Metrics.ts: edit that instead. -->",
    "",
    "`/metrics` on the operator's port returns these metrics. [observability.md](observability.md) says how to use them.",
    "",
    "| metric | type | labels | meaning |",
    "| --- | --- | --- | --- |",
    ...definitions.map(
      ([name, { help, labels, type }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(" ")} | ${help} |`,
    ),
    "",
  ].join("\n")
}
