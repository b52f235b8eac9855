/**
 * The payment-list filters as flags, derived from the domain's table.
 *
 * @module
 */
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import * as Flags from "../terminal/Flags.ts"
import * as Asked from "./Asked.ts"

/** Every command already has `--merchant`; a deprecated filter gets no flag. */
const table = Struct.omit(PaymentFilter.table, ["merchantIds", "tokens"])

/** The placeholder of a value in the help (default: TEXT). */
const valueNames: { readonly [N in keyof PaymentFilter.Raw]?: string } = {
  endTs: "TIME",
  network: "IDS",
  startTs: "TIME",
  token_symbol: "SYMBOL",
}

const examples: { readonly [N in keyof PaymentFilter.Raw]?: string } = {
  network: "eip155:8453,eip155:56",
}

/** An EVM chain may also be named by its number alone. The service refuses text that is not a chain. */
const chainIds = (text: string): string =>
  text
    .split(",")
    .map((each) => Option.getOrElse(Flags.chainIdOf(each), () => each))
    .join()

/** Yields all given values. The help lists the choices of a flag by itself. */
const flagOf = (
  filter: PaymentFilter.Described<keyof PaymentFilter.Raw>,
): Flag.Flag<ReadonlyArray<string>> => {
  const { description, example = examples[filter.name], isRepeatable, item, name } = filter
  const flag = Asked.onCommandLine[name]?.replace(/^--/u, "") ?? name
  const described = Flag.withDescription(
    item.literals === undefined
      ? Flag.String(flag).pipe(
          Flag.withMetavar(valueNames[name] ?? "TEXT"),
          Flag.map((text) => (name === "network" ? chainIds(text) : text)),
        )
      : Flag.Literals(flag, item.literals),
    `${description}${isRepeatable ? "; repeat for several" : ""}${example === undefined || item.literals !== undefined ? "" : `: ${example}`}`,
  )
  return isRepeatable
    ? Flag.atLeast(described, 0)
    : described.pipe(Flag.optional, Flag.map(Option.toArray))
}

export const flags = Record.map(table, flagOf)

export type Given = Readonly<Record<keyof typeof table, ReadonlyArray<string>>>

/** The query for the given flags. */
export const queryOf = (given: Given) =>
  Object.fromEntries(
    Struct.keys(table).flatMap((key) => {
      const { isRepeatable, name } = table[key]
      const [first, ...others] = given[key]
      return first === undefined ? [] : [[name, isRepeatable ? [first, ...others] : first] as const]
    }),
  )
