/**
 * Commands that call a service's API. One is an endpoint of a contract with what is printed of its record, or several
 * calls. `--json` prints the record as the API returns it.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Client"
import { Refused } from "@florin/client"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Command from "effect/cli/Command"
import * as Param from "effect/cli/Param"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Asked from "../access/Asked.ts"
import type * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as ProgressBar from "../terminal/ProgressBar.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Watch from "../terminal/Watch.ts"
import type * as Here from "./Here.ts"
import * as Reach from "./Reach.ts"
import * as Taken from "./Taken.ts"

export interface Texts {
  readonly does: string
  readonly description?: string
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description?: string }>
  /** How often it repeats itself with `--watch`; absent if it does not. */
  readonly everyInMs?: number
  /** Whether it looks at the chains. */
  readonly seesChains?: Here.Sees
}

type Config = Command.Command.Config
type Read<C> = Command.Command.Config.InferValue<C>

const described =
  ({ description, does, examples = [] }: Texts) =>
  <Name extends string, Input, Context, E, R>(
    command: Command.Command<Name, Input, Context, E, R>,
  ) =>
    command.pipe(
      Command.withDescription(description ?? `${does}.`),
      Command.withShortDescription(does),
      Command.withExamples(examples),
    )

/** The last word of `keys list`. */
type Last<Path extends string> = Path extends `${string} ${infer Rest}` ? Last<Rest> : Path
const isLast = <Path extends string>(path: Path, name: string): name is Last<Path> =>
  path.endsWith(name)
const nameOf = <const Path extends string>(path: Path): Last<Path> => {
  const name = path.slice(path.lastIndexOf(" ") + 1)
  if (isLast(path, name)) return name
  throw new Error(`${path} has no last word`)
}

type Failed = Failure.CommandFailed | Failure.NotUnderstood
/** The record in place of a call that would open the storage; null if it can be opened. */
type Unopened<A> = (named: Access.Named) => Effect.Effect<A | null, Failed>

/** How a command words a refusal of its call. */
export interface Wording {
  /** The flags and arguments that it takes. */
  readonly taken?: object
  /** Adds what helps on the command line. */
  readonly explain?: (why: string) => string
}

/** How commands reach a service, with which flags, and how they word a refusal. */
interface Way<F extends Config, Unreached> {
  readonly flags: F
  readonly open: (
    given: Read<F>,
    command: string,
    seesChains: Here.Sees,
  ) => Effect.Effect<Contract.Carry, Unreached, Scope.Scope>
  readonly failureOf: (error: unknown, wording: Wording) => Failed
  /** The storage that calls would open, because no service takes them; null if one does. */
  readonly storageOf?: (given: Read<F>) => Effect.Effect<Access.Named | null, Unreached>
}

type Endpoint = Taken.Endpoint & Contract.Endpoint

const onProgress: Contract.Options["onProgress"] = ({ done, of }) => ProgressBar.show(done, of)

/** The commands that reach a service in one way. */
export const over = <const F extends Config, Unreached>({
  failureOf,
  flags,
  open,
  storageOf,
}: Way<F, Unreached>) => {
  /** Makes one call, with an error that a person can read. */
  const ask = <A>(call: () => Promise<A>, wording: Wording = {}): Effect.Effect<A, Failed> =>
    Effect.tryPromise({ try: call, catch: (error) => failureOf(error, wording) })

  /** A command that makes any calls. */
  const calls = <const Path extends string, const C extends Config, A extends object>(
    path: Path,
    about: Texts & {
      readonly takes: C
      readonly unopened?: Unopened<A>
      readonly call: (
        carry: Contract.Carry,
        own: Read<C>,
        json: boolean,
      ) => Effect.Effect<A, Failed>
      readonly print: (record: A, own: Read<C>) => void
      /** Why the exit code is 1, although there is a record. */
      readonly fails?: (record: A) => string | undefined
      /** Asks for more, to print it next to the record for people. */
      readonly afterwards?: (operator: Contract.Client, record: A) => Promise<void>
    },
  ) => {
    const { everyInMs = 0 } = about
    const watch: Readonly<Record<string, ReturnType<typeof Watch.flag>>> =
      everyInMs === 0 ? {} : { is: Watch.flag(everyInMs) }
    return Command.make(
      nameOf(path),
      { own: about.takes, watch, way: flags, json: Flags.json },
      Effect.fnUntraced(function* ({ json, own, watch: { is: isWatched = false }, way }) {
        const { afterwards, fails, unopened } = about
        const storage =
          unopened === undefined || storageOf === undefined ? null : yield* storageOf(way)
        const refused = unopened === undefined || storage === null ? null : yield* unopened(storage)
        if (refused !== null) {
          if (json) Terminal.json(refused)
          else about.print(refused, own)
          return yield* Failure.make(fails?.(refused) ?? "the storage cannot be used")
        }
        const carry = yield* open(way, `florin ${path}`, about.seesChains ?? false)
        const record = yield* Watch.show(
          about.call(carry, own, json),
          (seen) => (json ? Terminal.json(seen) : about.print(seen, own)),
          isWatched ? everyInMs : null,
        )
        if (afterwards !== undefined && !json) {
          yield* ask(() => afterwards(Contract.make(carry), record))
        }
        const failure = fails?.(record)
        return failure === undefined ? undefined : yield* Failure.make(failure)
      }, Effect.scoped),
    ).pipe(described(about))
  }

  /**
   * A command that is one endpoint: its flags and arguments follow from the schemas. `takes` has others, and `members`
   * what they add to the request.
   */
  const endpoint = <const Path extends string, E extends Endpoint, const C extends Config>(
    path: Path,
    group: { readonly identifier: string },
    called: E,
    about: Texts & {
      readonly unopened?: Unopened<Contract.Success<E> & object>
      /** Members that have no flag of their own. */
      readonly omits?: ReadonlyArray<string> | "all"
      readonly takes: C
      readonly members?: (own: Read<C>) => Effect.Effect<Schema.JsonObject, Failed>
      /** The idempotency key, if a person may choose it. */
      readonly once?: (own: Read<C>) => Contract.Options
      readonly print: (record: Contract.Success<E> & object, own: Read<C>) => void
      /** Adds to a refusal what helps on the command line. */
      readonly explain?: (why: string, members: Schema.JsonObject) => string
      readonly fails?: (record: Contract.Success<E> & object) => string | undefined
      readonly afterwards?: (
        operator: Contract.Client,
        record: Contract.Success<E> & object,
      ) => Promise<void>
    },
  ) => {
    const { explain = (why: string) => why, members = () => Effect.succeed({}) } = about
    const { omits, once = () => ({}), print, takes, ...rest } = about
    const regularly = Taken.of(called, omits)
    return calls(path, {
      ...rest,
      takes: { regular: regularly, others: takes },
      call: (carry, { others, regular }) =>
        Effect.flatMap(members(others), (added) => {
          const asked = { ...Taken.members(regular), ...added }
          return ask(
            () =>
              carry({
                group: group.identifier,
                endpoint: called,
                members: asked,
                options: { ...once(others), onProgress },
              }),
            { taken: { ...regularly, ...takes }, explain: (why) => explain(why, asked) },
          )
        }).pipe(Effect.ensuring(Effect.sync(ProgressBar.clear))),
      print: (record, { others }) => print(record, others),
    })
  }

  return { ask, calls, endpoint }
}

const isArgument = (param: unknown): boolean => Param.isParam(param) && param.kind === "argument"

/** Nothing has this id. */
const isUnknown = (error: unknown): error is Refused | NotFound =>
  error instanceof NotFound || (error instanceof Refused && error.status === 404)

/** Rules that are broken are about members of the request, which are flags and arguments here. */
const failureOf = (
  error: unknown,
  { explain = (why) => why, taken = {} }: Wording,
): Failure.CommandFailed | Failure.NotUnderstood => {
  if (isUnknown(error)) {
    return Failure.make(
      Printable.from(`${error.message}: check the id, and --url, --storage or --directory`),
    )
  }
  const isRefusal = error instanceof Refused || error instanceof Invalid.InvalidInput
  if (!isRefusal) return Failure.make(explain(Asked.reason(error)))
  if (error.issues.length === 0) return Failure.make(explain(Printable.from(error.message)))
  const said = error.issues.map(({ field, message }) => {
    const [member = ""] = field.split(/[[.]/u)
    if (member === "" || member === "body") return message
    const isNamed = Object.entries(taken).some(([name, of]) => name === member && isArgument(of))
    return `${isNamed ? member : `--${Taken.flagNameOf(member)}`}: ${message}`
  })
  return Failure.makeUsage(Printable.from([...new Set(said)].join("; ")))
}

/** Commands of the operator. */
export const { ask, calls, endpoint } = over({
  flags: Reach.flags,
  open: Reach.open,
  storageOf: Reach.storageOf,
  failureOf,
})
