/**
 * Flags and arguments that several commands share.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Failure from "./Failure.ts"

/** A flag with a text. */
export const string = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const optionalString = (name: string, metavar: string, description: string) =>
  Flag.optional(string(name, metavar, description))

/** Plain http is accepted, because the server is usually on the same machine. */
export const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:\/\/[^/?#@]+(?:[/?#]|$)/u.test(text)

export const output = optionalString(
  "output",
  "FILE",
  "File to write, completely or not at all (default: standard output)",
)

/** A flag with one of several words. */
export const choice = <const Words extends ReadonlyArray<string>>(
  name: string,
  words: Words,
  description: string,
) => Flag.Literals(name, words).pipe(Flag.withDescription(description))

export const optionalChoice = <const Words extends ReadonlyArray<string>>(
  name: string,
  words: Words,
  description: string,
) => Flag.optional(choice(name, words, description))

export const argument = <const Name extends string>(name: Name, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

export const directory = string(
  "directory",
  "DIR",
  "Directory of data, chains and keys (default: .florin) [FLORIN_DIRECTORY]",
).pipe(
  Flag.withFallbackConfig(Config.NonEmptyString("FLORIN_DIRECTORY")),
  Flag.withDefault(".florin"),
)

export const storageFormat = "memory, embedded, or postgres://user:password@host:port/database"

export const isStorage = (text: string): boolean =>
  text === "memory" ||
  text === "embedded" ||
  (/^postgres(?:ql)?:\/\/./u.test(text) && URL.canParse(text))

/** A flag with a storage. The parser would repeat a wrong one in its error, with a password. */
export const storageOf = (metavar: string, description: string) =>
  string("storage", metavar, description).pipe(
    Flag.mapEffect((text) =>
      isStorage(text)
        ? Effect.succeed(text)
        : new CliError.InvalidValue({
            option: "storage",
            value: "…",
            expected: storageFormat,
            kind: "flag",
          }),
    ),
  )

/** A URL may contain a password, and fewer people can see the environment than a command line. */
const storageOfEnvironment = Config.NonEmptyString("FLORIN_STORAGE").pipe(
  Config.orElse(() => Config.NonEmptyString("DATABASE_URL")),
)

/** The storage of a service that ran before. */
const storage = storageOf(
  "embedded|URL",
  "Storage of the service: embedded, or postgres://… (default: embedded) [FLORIN_STORAGE, DATABASE_URL]",
).pipe(Flag.withFallbackConfig(storageOfEnvironment), Flag.withDefault("embedded"))

/** The schema of a service's tables, in a storage that is a PostgreSQL database. */
export const schema = string(
  "schema",
  "NAME",
  "Schema of the tables in a PostgreSQL database (default: florin) [FLORIN_SCHEMA]",
).pipe(Flag.withFallbackConfig(Config.NonEmptyString("FLORIN_SCHEMA")), Flag.withDefault("florin"))

/** The flags that name the place of a service. */
export const place = { storage, schema, directory }

/** A flag that is off by default, and has no form that turns it off. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withoutNegation,
    Flag.withDescription(description),
    Flag.withDefault(false),
  )

export const json = toggle("json", "Print JSON")

/** Fails if more than one of these flags is given, as the others would have no effect. */
export const refuseTogether = (given: Readonly<Record<string, boolean>>) => {
  const [first, second] = Object.keys(given).filter((name) => given[name] === true)
  return second === undefined
    ? Effect.void
    : Effect.fail(Failure.makeUsage(`--${first} and --${second} exclude each other: give one`))
}

/** `key=value`: the text after the first `=` is the value, which may be empty. A repeated key is ambiguous. */
const readPairs = (
  pairs: ReadonlyArray<string>,
): Option.Option<Readonly<Record<string, string>>> => {
  const entries = pairs.map((pair) => {
    const at = pair.indexOf("=")
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  const keys = new Set(entries.map(([key]) => key))
  return pairs.every((pair) => pair.includes("=")) && keys.size === pairs.length
    ? Option.some(Object.fromEntries(entries))
    : Option.none()
}

/** A flag that is repeated, each time with a key and its value. */
export const pairs = (name: string, metavar: string, description: string) =>
  string(name, metavar, description).pipe(
    Flag.atLeast(0),
    Flag.filterMap(readPairs, () => "key=value, each key once"),
  )

/** The same command with the same key is done once. */
export const idempotencyKey = (what: string) =>
  optionalString(
    "idempotency-key",
    "KEY",
    `Idempotency key: the same command with the same key creates no second ${what}`,
  )

export const onceOf = ({
  idempotencyKey: key,
}: {
  readonly idempotencyKey: Option.Option<string>
}) => (Option.isSome(key) ? { idempotencyKey: key.value } : {})

/** The payment that a command is about. */
export const paymentId = (description: string) =>
  argument("paymentId", description).pipe(
    Argument.filterMap(
      Schema.decodeOption(PaymentId.PaymentId),
      () => "pay_ and 1 to 64 letters or digits",
    ),
  )

/** The same transaction hash, whether its letters are uppercase or lowercase. */
export const hashOf = (text: string): Option.Option<string> =>
  /^0x[0-9a-fA-F]{64}$/u.test(text) ? Option.some(text.toLowerCase()) : Option.none()

/** A transaction that a command is about. */
export const txHash = (description: string) =>
  argument("txHash", description).pipe(
    Argument.filterMap(hashOf, () => "0x and 64 hexadecimal digits"),
  )

export const lastPort = 65_535

export const port = Flag.Int("port").pipe(
  Flag.withMetavar("PORT"),
  Flag.withDescription("Port of the server (default: 3000; any free port with --once)"),
  Flag.filter(
    (value) => value >= 0 && value <= lastPort,
    () => `a number from 0 to ${lastPort}`,
  ),
  Flag.optional,
)

const served = BuiltIn.catalog.networks.map(({ chainId }) => chainId)

/** A chain by its CAIP-2 id, or an EVM chain by its number alone: `eip155:8453` or `8453`. */
const chainIdOf = (text: string): Option.Option<Caip.ChainId> =>
  Schema.decodeOption(Caip.ChainId)(/^[1-9][0-9]*$/u.test(text) ? `eip155:${text}` : text)

/** Ids of chains, separated by commas. */
export const chainIdsOf = (text: string): Option.Option<ReadonlyArray<Caip.ChainId>> =>
  Option.flatMap(Option.all(text.split(",").map((each) => chainIdOf(each.trim()))), (named) => {
    const chainIds = served.filter((chainId) => named.includes(chainId))
    return chainIds.length === named.length ? Option.some(chainIds) : Option.none()
  })

export const usualChains = [8453, 137, 1, 56].map(Eip155.chainId)

/** The default chains, as a person writes them. */
export const usualChainsText = usualChains.map(Caip.referenceOf).join()

export const chainsFormat = `ids of chains that are served, each once: ${served.join()}`

export const chains = string(
  "chains",
  "IDS",
  `Local chains to run (default: ${usualChainsText})`,
).pipe(
  Flag.filterMap(chainIdsOf, () => chainsFormat),
  Flag.withDefault(usualChains),
)
