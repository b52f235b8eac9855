/**
 * The configuration file of `florin serve`: the settings by name. It has the lowest precedence of all sources.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"

const Value = Schema.Union([Schema.Finite, Schema.Boolean, Schema.String])
const decodeFile = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
)
const decodeTexts = Schema.decodeUnknownOption(Schema.Union([Schema.Array(Value), Value]))

const refuse = (message: string) => Result.fail(Failure.make(message))

const listed = (value: unknown): Option.Option<ReadonlyArray<string>> =>
  Option.map(decodeTexts(value), (given) => (Array.isArray(given) ? given : [given]).map(String))

const plain: Setting.Shape = { texts: listed, expected: "is text, a number, or a list of texts" }

/** A failure repeats no value, because the file may contain keys. */
const load = (path: string): Result.Result<Setting.Source, Failure.CommandFailed> => {
  const text = PrivateFile.read(path)
  if (text === undefined)
    return refuse(`${path} cannot be read: set --config to the configuration file`)
  const decoded = decodeFile(text)
  if (Option.isNone(decoded)) return refuse(`${path} is not a JSON object: correct the file`)
  const given = new Map<string, ReadonlyArray<string>>()
  for (const [name, value] of Object.entries(decoded.value)) {
    const setting = Settings.inConfigFile.find((each) => each.name === name)
    if (setting === undefined) {
      return refuse(
        `${path}: ${name} is not a setting of a configuration file: \`florin serve --help\` lists the settings`,
      )
    }
    const { expected, texts } = setting.shape ?? plain
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
  const given = [Setting.fromFlags(flags), Setting.fromEnvironment(env)]
  return Result.flatMap(Setting.read(Settings.rows.config, given), (path) =>
    path === null ? Result.succeed(given) : Result.map(load(path), (file) => [...given, file]),
  )
}
