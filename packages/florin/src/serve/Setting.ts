/**
 * One setting of `florin serve`. It is declared once, and can be given on the command line, in the environment or in
 * the configuration file, in this order of precedence.
 *
 * @module
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../terminal/Failure.ts"

/** Another shape of a value in the configuration file than a list of texts. */
export interface Shape {
  readonly expected: string
  readonly texts: (value: unknown) => Option.Option<ReadonlyArray<string>>
}

/** What a setting accepts. */
interface Accepted {
  /** The placeholder of a value in the help. */
  readonly metavar: string
  /** A description of valid values. */
  readonly expected: string
  /**
   * A value that may contain a password is validated by us, because the command-line parser would repeat it in its
   * error.
   */
  readonly mayHoldPassword?: true
  readonly shape?: Shape
  /** The variable in which most platforms give the value. */
  readonly alsoKnownAs?: string
  /** The subject of a value, if sources are combined: a source with precedence then replaces only its own subjects. */
  readonly subject?: (text: string) => string
}

interface Kind<out A> extends Accepted {
  readonly read: (text: string) => Option.Option<A>
}

interface Table<out A> extends Accepted {
  readonly parse: (texts: ReadonlyArray<string>) => Option.Option<A>
}

export interface Setting<out A> extends Accepted {
  /** The name in the configuration file; the names of the flag and the variable are derived from it. */
  name: string
  /** A secret has no flag, because every user of the machine can read a command line. */
  readonly kind: "one" | "many" | "switch" | "secret"
  readonly help: string
  /** The default, in words for a person. */
  readonly usually: string
  readonly read: (texts: ReadonlyArray<string>) => Option.Option<A>
  readonly otherwise: A
  /** The name of a file with the values of a secret, one in each line. */
  readonly inFile?: Setting<string | null>
}

export type Value<S> = S extends Setting<infer A> ? A : never

/** The subject of a text such as `USDC=100`. */
export const subjectOf = (text: string): string => text.split("=", 1).join()

/** Reads texts, each with a subject of its own. */
export const bySubject =
  <A, B>(read: (text: string) => Option.Option<A>, join: (all: ReadonlyArray<A>) => B) =>
  (texts: ReadonlyArray<string>): Option.Option<B> =>
    new Set(texts.map(subjectOf)).size === texts.length
      ? Option.map(Option.all(texts.map(read)), join)
      : Option.none()

/** A setting with one value. */
export const one = <A>(
  { read: readOne, ...accepted }: Kind<A>,
  help: string,
  otherwise: A,
  usually = String(otherwise),
): Setting<A> => {
  const read = ([text, ...others]: ReadonlyArray<string>) =>
    text === undefined || others.length > 0 ? Option.none() : readOne(text)
  return { ...accepted, name: "", kind: "one", help, otherwise, usually, read }
}

/** A setting with one value or none. */
export const optional = <A>(kind: Kind<A>, help: string, usually = "none") =>
  one<A | null>(kind, help, null, usually)

/** A setting with several subjects, each with its own values. */
export const table = <A>(
  { parse: read, ...accepted }: Table<A>,
  help: string,
  otherwise: A,
  usually = "none",
): Setting<A> => ({
  subject: subjectOf,
  ...accepted,
  name: "",
  kind: "many",
  help,
  otherwise,
  usually,
  read,
})

/**
 * A setting with any number of values: repeated flags, a list in the file, or a variable with values separated by
 * spaces.
 */
export const many = <A>(
  { read: readOne, ...accepted }: Kind<A>,
  help: string,
  usually = "none",
): Setting<ReadonlyArray<A>> => {
  const read = (texts: ReadonlyArray<string>) => Option.all(texts.map(readOne))
  return { ...accepted, name: "", kind: "many", help, otherwise: [], usually, read }
}

/** The same, but only from a variable or a file. */
export const secret = <A>(
  kind: Kind<A>,
  help: string,
  inFile: Setting<string | null>,
  usually?: string,
): Setting<ReadonlyArray<A>> & Required<Pick<Setting<unknown>, "inFile">> => ({
  ...many(kind, help, usually),
  kind: "secret",
  inFile,
})

export const toggle = (help: string): Setting<boolean> => {
  const read = (text: string) =>
    text === "true" || text === "false" ? Option.some(text === "true") : Option.none()
  return {
    ...one({ metavar: "", expected: "true or false", read }, help, false, "no"),
    kind: "switch",
  }
}

/** Names each setting by its row, and the file of a secret by the secret. */
export const named = <Rows extends { readonly [name: string]: Setting<unknown> }>(
  rows: Rows,
): Rows => {
  for (const [name, row] of Object.entries(rows)) {
    row.name = name
    if (row.inFile !== undefined) row.inFile.name = `${name}File`
  }
  return rows
}

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
  (env: { readonly [name: string]: string | undefined }): Source =>
  (setting) => {
    for (const as of [variable(setting), setting.alsoKnownAs]) {
      const texts = inVariable((as === undefined ? undefined : env[as]) ?? "", setting)
      if (as !== undefined && texts.length > 0) return { as, texts }
    }
    return undefined
  }

const refused = ({ as }: Given, { expected }: Setting<unknown>) =>
  (as.startsWith("--") ? Failure.makeUsage : Failure.make)(`${as} must be ${expected}`)

/** The combined values of the sources, in order of precedence. */
const joined = (
  given: ReadonlyArray<Given>,
  subject: (text: string) => string,
): ReadonlyArray<string> =>
  given.flatMap(({ texts }, index) => {
    const stronger = new Set(given.slice(0, index).flatMap((each) => each.texts.map(subject)))
    return texts.filter((text) => !stronger.has(subject(text)))
  })

const readFrom = <A>(
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

/** The values of a secret from its own file. */
const readFile = <A>(
  setting: Setting<A>,
  { name }: Setting<string | null>,
  path: string,
  sources: ReadonlyArray<Source>,
): Result.Result<A, Failure.CommandFailed> => {
  const refuse = (message: string) => Result.fail(Failure.make(message))
  if (sources.some((source) => source(setting) !== undefined)) {
    return refuse(`${setting.name} and ${name} are both set: keep one of them`)
  }
  const as = `what ${name} names`
  return Result.flatMap(PrivateFile.readKeys(path), (content = "") => {
    const texts = content.split(/\s+/u).filter((each) => each !== "")
    return texts.length === 0
      ? refuse(`${as} cannot be read, or is empty: check the file`)
      : readFrom(setting, [() => ({ as, texts })])
  })
}

/** The value from the sources, or else the default. The failure repeats no value, because it may be a key. */
export const read = <A>(
  setting: Setting<A>,
  sources: ReadonlyArray<Source>,
): Result.Result<A, Failure.CommandFailed> => {
  const { inFile } = setting
  return inFile === undefined
    ? readFrom(setting, sources)
    : Result.flatMap(readFrom(inFile, sources), (path) =>
        path === null ? readFrom(setting, sources) : readFile(setting, inFile, path, sources),
      )
}
