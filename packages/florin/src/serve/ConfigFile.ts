/**
 * The configuration file of `florin serve`: the settings by name. It has the lowest precedence of all sources.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../Failure.ts"
import * as ChainTunings from "./ChainTunings.ts"
import * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"
import * as Signers from "./Signers.ts"

const Value = Schema.Union([Schema.Finite, Schema.Boolean, Schema.String])
const decodeFile = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
)
const decodeTexts = Schema.decodeUnknownOption(Schema.Union([Schema.Array(Value), Value]))

const refuse = (message: string) => Result.fail(new Failure.CommandFailed({ message }))

const listed = (value: unknown): Option.Option<ReadonlyArray<string>> =>
  Option.map(decodeTexts(value), (given) => (Array.isArray(given) ? given : [given]).map(String))

interface Shape {
  readonly texts: (value: unknown) => Option.Option<ReadonlyArray<string>>
  readonly expected: string
}

const plain: Shape = { texts: listed, expected: "is text, a number, or a list of texts" }

const signers: Shape = {
  texts: (value) => (Array.isArray(value) ? Option.some([JSON.stringify(value)]) : Option.none()),
  expected: `is ${Signers.expected}`,
}

/** Settings that are easier to read in another shape than a list of texts. */
const shapes: { readonly [name: string]: Shape } = {
  chains: {
    texts: (value) =>
      Option.filter(ChainTunings.textsOfFile(value), (texts) =>
        Option.isSome(ChainTunings.parse(texts)),
      ),
    expected: `holds an object for each chain id, with ${ChainTunings.names}; gas is in wei, as text`,
  },
  signers,
  testSigners: signers,
}

/** A failure repeats no value, because the file may contain keys. */
const load = (path: string): Result.Result<Setting.Source, Failure.CommandFailed> => {
  const text = PrivateFile.read(path)
  if (text === undefined)
    return refuse(`${path} cannot be read: set --config to the configuration file`)
  const decoded = decodeFile(text)
  if (Option.isNone(decoded)) return refuse(`${path} is not a JSON object: correct the file`)
  const given = new Map<string, ReadonlyArray<string>>()
  for (const [name, value] of Object.entries(decoded.value)) {
    if (!Settings.inConfigFile.some((setting) => setting.name === name)) {
      return refuse(
        `${path}: ${name} is not a setting of a configuration file: \`florin serve --help\` lists the settings`,
      )
    }
    const { expected, texts } = shapes[name] ?? plain
    const read = texts(value)
    if (Option.isNone(read)) return refuse(`${path}: ${name} ${expected}`)
    given.set(name, read.value)
  }
  const source: Setting.Source = ({ name }) => {
    const texts = given.get(name)
    return texts === undefined || texts.length === 0
      ? undefined
      : { as: `${name} in ${path}`, texts }
  }
  const holdsKeys = Settings.inConfigFile.some(
    (setting) => setting.kind === "secret" && source(setting) !== undefined,
  )
  return holdsKeys ? Result.map(PrivateFile.readKeys(path), () => source) : Result.succeed(source)
}

/** All sources of settings, in order of precedence; one of the others names the file. */
export const sources = (
  flags: { readonly [name: string]: ReadonlyArray<string> },
  env: { readonly [name: string]: string | undefined },
): Result.Result<ReadonlyArray<Setting.Source>, Failure.CommandFailed> => {
  const given = [Setting.fromFlags(flags), Setting.fromEnvironment(env, Settings.alsoKnownAs)]
  return Result.flatMap(Settings.configFile(given), (path) =>
    path === null ? Result.succeed(given) : Result.map(load(path), (file) => [...given, file]),
  )
}
