/**
 * The configuration file of `florin serve`: the settings by their names, and what only it can say of single chains.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Failure from "../Failure.ts"
import * as PrivateFile from "../PrivateFile.ts"
import type * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"

const Wei = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,30}$/u))

/** What is unusual about one chain; amounts of gas are in wei, as text. */
export interface Tuning extends Schema.Schema.Type<typeof Tuning> {}
const Tuning = Schema.Struct({
  minimum: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  finality: Schema.optionalKey(Schema.Union([Schema.Literals(["finalized", "safe"]), Schema.Int])),
  quorumFrom: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  maxFeePerGas: Schema.optionalKey(Wei),
  spendPerHour: Schema.optionalKey(Wei),
})

export type Chains = { readonly [chainId: string]: Tuning }

const Value = Schema.Union([Schema.Finite, Schema.Boolean, Schema.String])
const decodeFile = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
)
const decodeTexts = Schema.decodeUnknownOption(Schema.Union([Schema.Array(Value), Value]))
const decodeChains = Schema.decodeUnknownOption(Schema.Record(Schema.String, Tuning), {
  onExcessProperty: "error",
})

export interface ConfigFile {
  readonly source: Setting.Source
  readonly chains: Chains
}

/** Where no file is named. */
export const none: ConfigFile = { source: () => undefined, chains: {} }

const refuse = (message: string) => Result.fail(new Failure.CommandFailed({ message }))

const textsOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Option.match(decodeTexts(value), {
    onNone: () => undefined,
    onSome: (given) => (Array.isArray(given) ? given : [given]).map(String),
  })

/** No value is repeated in a failure: the file may hold keys. */
export const load = (path: string): Result.Result<ConfigFile, Failure.CommandFailed> => {
  const text = PrivateFile.read(path)
  if (text === undefined) return refuse(`${path} cannot be read: name the configuration file`)
  const decoded = decodeFile(text)
  if (Option.isNone(decoded)) return refuse(`${path} is no JSON object: mend it`)
  const { chains = {}, ...rest } = decoded.value
  const tunings = decodeChains(chains)
  if (Option.isNone(tunings)) {
    return refuse(
      `${path}: chains holds an object for each chain id, with minimum, finality, quorumFrom, maxFeePerGas or spendPerHour`,
    )
  }
  const given = new Map<string, ReadonlyArray<string>>()
  for (const [name, value] of Object.entries(rest)) {
    const texts = textsOf(value)
    if (!Settings.all.some((setting) => setting.name === name)) {
      return refuse(`${path}: ${name} is no setting: florin serve --help lists them`)
    }
    if (texts === undefined) return refuse(`${path}: ${name} is text, a number, or a list of texts`)
    given.set(name, texts)
  }
  return Result.succeed({
    chains: tunings.value,
    source: ({ name }) => {
      const texts = given.get(name)
      return texts === undefined ? undefined : { as: `${name} in ${path}`, texts }
    },
  })
}
