/**
 * One setting of `florin serve`. It is declared once, and can be given on the command line, in the environment or in
 * the configuration file, in this order of precedence.
 *
 * @module
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Failure from "../Failure.ts"

export interface Setting<out A> {
  /** The name in the configuration file; the names of the flag and the variable are derived from it. */
  readonly name: string
  /** A secret has no flag, because every user of the machine can read a command line. */
  readonly kind: "one" | "many" | "switch" | "secret"
  readonly metavar: string
  readonly help: string
  /** The default, in words for a person. */
  readonly usually: string
  /** A description of valid values. */
  readonly expected: string
  readonly read: (texts: ReadonlyArray<string>) => Option.Option<A>
  readonly otherwise: A
  /**
   * A value that may contain a password is validated by us, because the command-line parser would repeat it in its
   * error.
   */
  readonly mayHoldPassword?: true
  /** The subject of a value, if sources are combined: a source with precedence then replaces only its own subjects. */
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

/**
 * A setting with any number of values: repeated flags, a list in the file, or a variable with values separated by
 * spaces.
 */
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

/** A setting with several subjects, each with its own values. */
export const table = <A>(
  name: string,
  about: About,
  otherwise: A,
  subject: (text: string) => string,
  read: (texts: ReadonlyArray<string>) => Option.Option<A>,
): Setting<A> => ({ ...about, name, kind: "many", otherwise, subject, read })

/** The same, but only from a variable or a file. */
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

/** The setting as a flag; empty if it is not given. */
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

/** The given values of a setting, and their source. */
interface Given {
  readonly as: string
  readonly texts: ReadonlyArray<string>
}

/** A source of settings. */
export type Source = (setting: Setting<unknown>) => Given | undefined

export const fromFlags =
  (flags: { readonly [name: string]: ReadonlyArray<string> }): Source =>
  (setting) => {
    const texts = flags[setting.name] ?? []
    return texts.length === 0 ? undefined : { as: `--${flagName(setting)}`, texts }
  }

/** An empty variable counts as unset, because compose files leave values out that way. */
const inVariable = (text: string, { kind }: Setting<unknown>): ReadonlyArray<string> =>
  kind === "many" || kind === "secret"
    ? text.split(/\s+/u).filter((each) => each !== "")
    : [text.trim()].filter((each) => each !== "")

/** Some variables have a second name; our own name takes precedence. */
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

/** The combined values of the sources, in order of precedence. */
const joined = (
  given: ReadonlyArray<Given>,
  subject: (text: string) => string,
): ReadonlyArray<string> =>
  given.flatMap(({ texts }, index) => {
    const stronger = new Set(given.slice(0, index).flatMap((each) => each.texts.map(subject)))
    return texts.filter((text) => !stronger.has(subject(text)))
  })

/** The value from the sources, or else the default. The failure repeats no value, because it may be a key. */
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
