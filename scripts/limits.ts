/**
 * Renders every limit for docs/limits.md: names and meanings from the source, values from the module.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import * as Limits from "../packages/core/src/domain/ground/Limits.ts"

const source = readFileSync(
  new URL("../packages/core/src/domain/ground/Limits.ts", import.meta.url),
  "utf8",
)

const declaration =
  /(?:\/\*\*(?<comment>(?:(?!\*\/)[^])*)\*\/\n)?export const (?<name>\w+) =\s*(?<expression>.+)/gu

const meaning = (comment: string): string =>
  comment
    .replaceAll(/^\s*\* ?/gmu, "")
    .replaceAll(/\{@link (\w+)\}/gu, "`$1`")
    .replaceAll(/\s+/gu, " ")
    .trim()

const scales = [
  {
    suffix: "InMs",
    unit: "ms",
    steps: [
      ["d", 86_400_000],
      ["h", 3_600_000],
      ["min", 60_000],
      ["s", 1000],
    ],
  },
  {
    suffix: "InS",
    unit: "s",
    steps: [
      ["d", 86_400],
      ["h", 3600],
      ["min", 60],
    ],
  },
  {
    suffix: "Bytes",
    unit: "bytes",
    steps: [
      ["MiB", 1_048_576],
      ["KiB", 1024],
    ],
  },
] as const

const shown = (name: string, value: unknown, expression: string): string => {
  if (typeof value !== "number") return `\`${expression}\``
  const scale = scales.find(({ suffix }) => name.includes(suffix))
  if (scale === undefined) return String(value)
  const step = scale.steps.find(([, size]) => value % size === 0)
  return `${value} ${scale.unit}${step === undefined ? "" : ` (${value / step[1]} ${step[0]})`}`
}

export const render = (): string => {
  const values = new Map<string, unknown>(Object.entries(Limits))
  const rows = Array.from(source.matchAll(declaration), ({ groups }) => {
    const name = groups?.["name"] ?? ""
    const value = shown(name, values.get(name), groups?.["expression"] ?? "")
    return `| \`${name}\` | ${value} | ${meaning(groups?.["comment"] ?? "")} |`
  })
  if (rows.length !== values.size)
    throw new Error("Limits.ts has an export that this script cannot read")
  return [
    "# Limits",
    "",
    "<!-- Written by `pnpm generate` from packages/core/src/domain/ground/Limits.ts: edit that instead. -->",
    "",
    "| limit | value | meaning, if the name does not say it |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n")
}
