/**
 * Commands of the operator. One is an endpoint of the operator's API with what is printed of its record, or several
 * calls of the API. `--json` prints the record as the API returns it.
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
import * as Asked from "../access/Asked.ts"
import type * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Printable from "../terminal/Printable.ts"
import * as ProgressBar from "../terminal/ProgressBar.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Watch from "../terminal/Watch.ts"
import * as Reach from "./Reach.ts"
import * as Taken from "./Taken.ts"

interface Texts {
  readonly does: string
  readonly description?: string
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description?: string }>
  /** Whether it looks at the chains. */
  readonly seesChains?: Reach.SeesChains
}

interface Repeated<Own> {
  /** After how long the call is repeated; null if it is made once. */
  readonly every?: (own: Own) => number | null
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

/** A command that makes any calls. */
export const calls = <const Path extends string, const C extends Config, A extends object>(
  path: Path,
  about: Texts &
    Repeated<Read<C>> & {
      readonly takes: C
      /** The record in place of a call that would open the storage; null if it can be opened. */
      readonly unopened?: (
        named: Access.Named,
      ) => Effect.Effect<A | null, Failure.CommandFailed | Failure.NotUnderstood>
      readonly call: (
        carry: Contract.Carry,
        own: Read<C>,
        json: boolean,
      ) => Effect.Effect<A, Failure.CommandFailed | Failure.NotUnderstood>
      readonly print: (record: A, own: Read<C>) => void
      /** Why the exit code is 1, although there is a record. */
      readonly fails?: (record: A) => string | undefined
      /** Asks for more, to print it next to the record for people. */
      readonly afterwards?: (operator: Contract.Client, record: A) => Promise<void>
    },
) =>
  Command.make(
    nameOf(path),
    { own: about.takes, reach: Reach.flags },
    Effect.fnUntraced(function* ({ own, reach }) {
      const { afterwards, every, fails, unopened } = about
      const show = (record: A) => (reach.json ? Terminal.json(record) : about.print(record, own))
      const look = Effect.gen(function* () {
        const carry = yield* Reach.open(reach, `florin ${path}`, about.seesChains)
        const asked = about.call(carry, own, reach.json)
        const record = yield* Watch.show(asked, show, every?.(own) ?? null)
        if (afterwards !== undefined && !reach.json) {
          yield* ask(() => afterwards(Contract.make(carry), record))
        }
        return record
      })
      const refused =
        unopened !== undefined && (yield* Reach.opensStorage(reach)) ? yield* unopened(reach) : null
      if (refused !== null) show(refused)
      const record = refused ?? (yield* look)
      const failure = fails?.(record)
      return failure === undefined ? undefined : yield* Failure.make(failure)
    }, Effect.scoped),
  ).pipe(described(about))

const isArgument = (param: unknown): boolean => Param.isParam(param) && param.kind === "argument"

/** Nothing has this id. */
const isUnknown = (error: unknown): error is Refused | NotFound =>
  error instanceof NotFound || (error instanceof Refused && error.status === 404)

/** How a command words a refusal of its call. */
interface Wording {
  /** The flags and arguments that it takes. */
  readonly taken?: object
  /** Adds what helps on the command line. */
  readonly explain?: (why: string) => string
}

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

/** Makes one call, with an error that a person can read. */
export const ask = <A>(
  call: () => Promise<A>,
  wording: Wording = {},
): Effect.Effect<A, Failure.CommandFailed | Failure.NotUnderstood> =>
  Effect.tryPromise({ try: call, catch: (error) => failureOf(error, wording) })

type Endpoint = Taken.Endpoint & Contract.Endpoint

const onProgress: Contract.Options["onProgress"] = ({ done, of }) => ProgressBar.show(done, of)

/**
 * A command that is one endpoint: its flags and arguments follow from the schemas. `takes` has others, and `members` what
 * they add to the request.
 */
export const endpoint = <const Path extends string, E extends Endpoint, const C extends Config>(
  path: Path,
  group: { readonly identifier: string },
  called: E,
  about: Texts &
    Repeated<Read<C>> & {
      readonly unopened?: (
        named: Access.Named,
      ) => Effect.Effect<
        (Contract.Success<E> & object) | null,
        Failure.CommandFailed | Failure.NotUnderstood
      >
      /** Members that have no flag of their own. */
      readonly omits?: ReadonlyArray<string> | "all"
      readonly takes: C
      readonly members?: (
        own: Read<C>,
      ) => Effect.Effect<Schema.JsonObject, Failure.CommandFailed | Failure.NotUnderstood>
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
  const { every, omits, print, takes, ...rest } = about
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
              options: { onProgress },
            }),
          { taken: { ...regularly, ...takes }, explain: (why) => explain(why, asked) },
        )
      }).pipe(Effect.ensuring(Effect.sync(ProgressBar.clear))),
    ...(every !== undefined && { every: ({ others }) => every(others) }),
    print: (record, { others }) => print(record, others),
  })
}
