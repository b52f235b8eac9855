/**
 * One setting of `florin serve`: declared once, and given on the command line, in the environment or in the
 * configuration file, the first of them being the strongest.
 *
 * @module
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Failure from "../Failure.ts"

export interface Setting<out A> {
  /** As the configuration file has it; flag and variable follow from it. */
  readonly name: string
  /** A secret is no flag: everybody on the machine can read a command line. */
  readonly kind: "one" | "many" | "switch" | "secret"
  readonly metavar: string
  readonly help: string
  /** What holds where nothing is given, as a person says it. */
  readonly usually: string
  /** What a value must be. */
  readonly expected: string
  readonly read: (texts: ReadonlyArray<string>) => Option.Option<A>
  readonly otherwise: A
  /** A value that may hold a password is judged by us: the command line's parser would repeat it. */
  readonly mayHoldPassword?: true
  /** What a value is about, where sources add up: a stronger one then only replaces what it speaks of itself. */
  readonly subject?: (text: string) => string
}

export type Value<S> = S extends Setting<infer A> ? A : never

type About = Pick<Setting<unknown>, "metavar" | "help" | "usually" | "expected" | "mayHoldPassword">

const allOf = <A>(
  texts: ReadonlyArray<string>,
  read: (text: string) => Option.Option<A>,
): Option.Option<ReadonlyArray<A>> => Option.all(texts.map(read))

/** A setting with one value. */
export const one = <A>(
  name: string,
  about: About,
  otherwise: A,
  read: (text: string) => Option.Option<A>,
): Setting<A> => ({
  ...about,
  name,
  kind: "one",
  otherwise,
  read: ([text, ...others]) =>
    text === undefined || others.length > 0 ? Option.none() : read(text),
})

/** A setting with any number of values: flags one by one, a list in the file, separated by spaces in a variable. */
export const many = <A>(
  name: string,
  about: About,
  read: (text: string) => Option.Option<A>,
): Setting<ReadonlyArray<A>> => ({
  ...about,
  name,
  kind: "many",
  otherwise: [],
  read: (texts) => allOf(texts, read),
})

/** A setting that speaks of several subjects, each with values of its own. */
export const table = <A>(
  name: string,
  about: About,
  otherwise: A,
  subject: (text: string) => string,
  read: (texts: ReadonlyArray<string>) => Option.Option<A>,
): Setting<A> => ({ ...about, name, kind: "many", otherwise, subject, read })

/** The same, but given in a variable or a file only. */
export const secret = <A>(setting: Setting<A>): Setting<A> => ({ ...setting, kind: "secret" })

export const toggle = (name: string, help: string): Setting<boolean> => ({
  name,
  help,
  kind: "switch",
  metavar: "",
  usually: "no",
  expected: "true or false",
  otherwise: false,
  read: ([text]) =>
    text === "true" || text === "false" ? Option.some(text === "true") : Option.none(),
})

const words = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `-${letter}`)

/** `payLinkHost` is `pay-link-host` on the command line. */
export const flagName = ({ name }: Pick<Setting<unknown>, "name">): string =>
  words(name).toLowerCase()

/** `payLinkHost` is `FLORIN_PAY_LINK_HOST` in the environment. */
export const variable = ({ name }: Pick<Setting<unknown>, "name">): string =>
  `FLORIN_${words(name).toUpperCase().replaceAll("-", "_")}`

/** The setting on the command line; nothing where it is not given. */
export const flag = (setting: Setting<unknown>): Flag.Flag<ReadonlyArray<string>> => {
  const { expected, help, mayHoldPassword = false, metavar, usually } = setting
  const otherwise = ["none", "no"].includes(usually) ? "" : ` (default: ${usually})`
  const description = `${help}${otherwise} [${variable(setting)}]`
  if (setting.kind === "switch") {
    return Flag.Boolean(flagName(setting)).pipe(
      Flag.withoutNegation,
      Flag.withDescription(description),
      Flag.optional,
      Flag.map((given) => Option.toArray(given).map(String)),
    )
  }
  const isExpected = (given: string): boolean =>
    mayHoldPassword || Option.isSome(setting.read([given]))
  const text = Flag.filter(
    Flag.String(flagName(setting)).pipe(
      Flag.withMetavar(metavar),
      Flag.withDescription(description),
    ),
    isExpected,
    () => expected,
  )
  return setting.kind === "many"
    ? Flag.atLeast(text, 0)
    : Flag.map(Flag.optional(text), Option.toArray)
}

/** What was given for a setting, and where. */
interface Given {
  readonly as: string
  readonly texts: ReadonlyArray<string>
}

/** A place that settings are given in. */
export type Source = (setting: Setting<unknown>) => Given | undefined

export const fromFlags =
  (flags: { readonly [name: string]: ReadonlyArray<string> }): Source =>
  (setting) => {
    const texts = flags[setting.name] ?? []
    return texts.length === 0 ? undefined : { as: `--${flagName(setting)}`, texts }
  }

/** A variable that is empty is as good as none: so compose files leave things out. */
const inVariable = (text: string, { kind }: Setting<unknown>): ReadonlyArray<string> =>
  kind === "many" || kind === "secret"
    ? text.split(/\s+/u).filter((each) => each !== "")
    : [text.trim()].filter((each) => each !== "")

/** Some variables are known by another name, too: our own comes first. */
export const fromEnvironment =
  (
    env: { readonly [name: string]: string | undefined },
    alsoKnownAs: { readonly [name: string]: string },
  ): Source =>
  (setting) => {
    for (const as of [variable(setting), alsoKnownAs[setting.name]]) {
      const texts = inVariable((as === undefined ? undefined : env[as]) ?? "", setting)
      if (as !== undefined && texts.length > 0) return { as, texts }
    }
    return undefined
  }

const refused = ({ as }: Given, { expected }: Setting<unknown>) =>
  new Failure.CommandFailed({ message: `${as} must be ${expected}` })

/** What the sources say together, the strongest first. */
const joined = (
  given: ReadonlyArray<Given>,
  subject: (text: string) => string,
): ReadonlyArray<string> =>
  given.flatMap(({ texts }, index) => {
    const stronger = new Set(given.slice(0, index).flatMap((each) => each.texts.map(subject)))
    return texts.filter((text) => !stronger.has(subject(text)))
  })

/** What the sources say of it, or else what is usual. The failure repeats no value: it may be a key. */
export const read = <A>(
  setting: Setting<A>,
  sources: ReadonlyArray<Source>,
): Result.Result<A, Failure.CommandFailed> => {
  const { otherwise, subject } = setting
  const given = sources.flatMap((source) => source(setting) ?? [])
  const [strongest] = given
  if (strongest === undefined) return Result.succeed(otherwise)
  const counting = subject === undefined ? [strongest] : given
  const wrong = counting.find(({ texts }) => Option.isNone(setting.read(texts)))
  if (wrong !== undefined) return Result.fail(refused(wrong, setting))
  const texts = subject === undefined ? strongest.texts : joined(given, subject)
  return Result.fromOption(setting.read(texts), () => refused(strongest, setting))
}
