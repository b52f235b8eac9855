/**
 * Settings of single chains that differ from the default, as an operator writes them: `8453.finality=safe`.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Setting from "./Setting.ts"

const AtLeast0 = Schema.FiniteFromString.check(Schema.isGreaterThanOrEqualTo(0))
const Blocks = Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThan(0))
const YesOrNo = Schema.fromJsonString(Schema.Boolean)
const wei = (pattern: RegExp) =>
  Schema.optionalKey(
    Schema.String.check(Schema.isPattern(pattern)).pipe(Schema.decodeTo(Schema.BigIntFromString)),
  )
const aboveNone = wei(/^[1-9][0-9]{0,30}$/u)

/** The settings of one chain; amounts of gas are in wei. */
interface Tuning extends Schema.Schema.Type<typeof Tuning> {}
const Tuning = Schema.Struct({
  minimum: Schema.optionalKey(AtLeast0),
  finality: Schema.optionalKey(Schema.Union([Schema.Literals(["finalized", "safe"]), Blocks])),
  finalizedFrom: Schema.optionalKey(AtLeast0),
  trustOneNode: Schema.optionalKey(YesOrNo),
  maxFeePerGas: aboveNone,
  spendPerHour: aboveNone,
  gasAllowance: wei(/^(?:0|[1-9][0-9]{0,30})$/u),
})

export interface ChainTunings {
  readonly [chainId: string]: Tuning
}

const decode = Schema.decodeUnknownOption(Schema.Record(Schema.String, Tuning), {
  onExcessProperty: "error",
})

export const names = Object.keys(Tuning.fields).join(", ")

const expected = `a chain's id and one of its settings, each once, such as 8453.finality=safe or 8453.spendPerHour=20000000000000000: ${names}; gas is in wei`

const row = (text: string) => {
  const [, chainId, name = "", value = ""] = /^([1-9][0-9]*)\.([A-Za-z]+)=(\S+)$/u.exec(text) ?? []
  return chainId === undefined
    ? Option.none()
    : Option.some({ chainId, set: [name, value] as const })
}

const parse = (texts: ReadonlyArray<string>): Option.Option<ChainTunings> =>
  Setting.bySubject(row, (rows) =>
    Record.map(
      Arr.groupBy(rows, ({ chainId }) => chainId),
      (own) => Object.fromEntries(own.map(({ set }) => set)),
    ),
  )(texts).pipe(Option.flatMap(decode))

/** A number that JSON cannot hold exactly must be text. */
const Value = Schema.Union([
  Schema.Finite.check(Schema.isLessThanOrEqualTo(Number.MAX_SAFE_INTEGER)),
  Schema.Boolean,
  Schema.String,
])
const decodeFile = Schema.decodeUnknownOption(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Value)),
)

/** The same in the configuration file: an object for each chain. */
const shape = {
  expected: `holds an object for each chain id, with ${names}; gas is in wei, as text`,
  texts: (chains: unknown): Option.Option<ReadonlyArray<string>> =>
    Option.map(decodeFile(chains), (all) =>
      Object.entries(all).flatMap(([chainId, tuning]) =>
        Object.entries(tuning).map(([name, value]) => `${chainId}.${name}=${value}`),
      ),
    ).pipe(Option.filter((texts) => Option.isSome(parse(texts)))),
}

/** The values of the setting. */
export const kind = { metavar: "CHAIN.NAME=VALUE", expected, parse, shape }
