/**
 * Commands that call a service's API. One is an endpoint of a contract with what is printed of its record, or several
 * calls. `--json` prints the record as the API returns it.
 *
 * @module
 */
import type * as Call from "@florin/api/operator/Call"
import { Refused } from "@florin/client"
import * as Command from "effect/cli/Command"
import * as Param from "effect/cli/Param"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Asked from "../access/Asked.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as ProgressBar from "../terminal/ProgressBar.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Reach from "./Reach.ts"
import * as RecordSettings from "./RecordSettings.ts"
import * as Taken from "./Taken.ts"

interface Texts extends Described.Texts {
  /** What else its help says: sentences after those of the endpoint. */
  readonly adds?: string
  /** How often it repeats itself with `--watch`; absent if it does not. */
  readonly everyInMs?: number
}

type Config = Command.Command.Config
type Read<C> = Command.Command.Config.InferValue<C>

/** How a command words a refusal of its call. */
export interface Wording {
  /** The flags and arguments that it takes. */
  readonly taken?: object
  /** Adds what helps on the command line. */
  readonly explain?: (why: string) => string
  /** When not to call again, if no response came: a second call may do the same a second time. */
  readonly unanswered?: string | undefined
}

/** Carries calls to a service: those of a partner with a key of one mode. */
interface Reached extends Call.Carry {
  readonly isLive?: boolean
}

/** How commands reach a service, with which flags, and how they word a refusal. */
interface Way<F extends Config, Unreached> {
  readonly flags: F
  readonly open: (given: Read<F>) => Effect.Effect<Reached, Unreached>
  readonly failureOf: (error: unknown, wording: Wording) => Failure.CommandFailed
}

type Endpoint = Taken.Endpoint & Call.Endpoint
export interface Group<Endpoints> {
  readonly identifier: string
  readonly endpoints: Endpoints
}
type Record<E> = Call.Success<E> & object

/** What was sent for a record, and whether it is about live money, if a partner's key said so. */
interface Sent extends Pick<Reached, "isLive"> {
  readonly asked: Schema.JsonObject
}

export interface Shown<A, Own> extends Texts {
  /** What was done, with a mark before it. */
  readonly done?: (record: A, own: Own) => string
  readonly print?: (record: A, own: Own, sent: Sent) => void
  /** What a person may do next. */
  readonly next?: (record: A, own: Own, sent: Sent) => string
  /** Why the exit code is 1, although there is a record. */
  readonly fails?: (record: A) => string | undefined
  /** Asks for more, to print it next to the record for people. */
  readonly afterwards?: (
    carry: Call.Carry,
    record: A,
    asked: Schema.JsonObject,
  ) => Effect.Effect<void, Failure.CommandFailed>
  /** What it changes: it says what each given setting is now, and refuses a call without any. */
  readonly settings?: RecordSettings.Table<A>
}

/** A record, and the members that were sent for it. */
interface Answered<A> {
  readonly record: A
  readonly asked: Schema.JsonObject
}

/** A request before it is sent, with what was read for the contract. */
export interface Asking {
  readonly carry: Call.Carry
  readonly asked: Schema.JsonObject
  readonly json: boolean
}

export interface OfEndpoint<E, C> extends Shown<Record<E>, Read<C>> {
  /** Members of the query or the body that are arguments, in order, after those of the path. */
  readonly args?: ReadonlyArray<string>
  /** Members that have no flag of their own; those that `takes` names have none. */
  readonly omits?: ReadonlyArray<string> | "all"
  /** Flags and arguments that the schemas do not say, by member. */
  readonly takes?: C
  /** What they add to the request, if it is not what was read. */
  readonly members?: (
    own: Read<C>,
    of: Asking,
  ) => Effect.Effect<Schema.JsonObject, Failure.CommandFailed>
  /** The idempotency key, if a person may choose it. */
  readonly once?: (own: Read<C>) => Call.Options
  /** Adds to a refusal what helps on the command line. */
  readonly explain?: (why: string, members: Schema.JsonObject) => string
  /** When not to call again, if no response came. */
  readonly unanswered?: (members: Schema.JsonObject) => string
}

/** What was read of other flags must be made members. */
type Needs<C> =
  Read<C> extends { readonly [name: string]: Taken.Read | Schema.Json }
    ? unknown
    : { readonly members: unknown }

/** The commands that reach a service in one way. */
export const over = <const F extends Config, Unreached>({
  failureOf,
  flags,
  open,
}: Way<F, Unreached>) => {
  /** Calls an endpoint of a group, with an error that a person can read. */
  const send = <
    const Endpoints extends { readonly [N in keyof Endpoints]: Endpoint },
    const N extends keyof Endpoints,
  >(
    carry: Call.Carry,
    { endpoints, identifier: group }: Group<Endpoints>,
    name: N,
    members: Schema.JsonObject,
    { once = {}, ...wording }: Wording & { readonly once?: Call.Options } = {},
  ): Effect.Effect<Record<Endpoints[N]>, Failure.CommandFailed> =>
    Effect.tryPromise({
      try: () =>
        carry({
          group,
          endpoint: endpoints[name],
          members,
          options: { ...once, onProgress: ({ done, of: all }) => ProgressBar.show(done, all) },
        }),
      catch: (error) => failureOf(error, wording),
    }).pipe(Effect.ensuring(Effect.sync(ProgressBar.clear)))

  const carrying = <const Name extends string, const C extends Config, A extends object, Own>(
    name: Name,
    takes: C,
    { everyInMs = 0, ...shown }: Shown<A, Own>,
    ownOf: (read: Read<C>) => Own,
    call: (
      carry: Call.Carry,
      read: Read<C>,
      json: boolean,
    ) => Effect.Effect<Answered<A>, Failure.CommandFailed>,
  ) => {
    const about = `Refresh every ${everyInMs / 1000} s until you stop the command`
    const watch: Readonly<{ [name: string]: ReturnType<typeof Flags.toggle> }> =
      everyInMs === 0 ? {} : { is: Flags.toggle("watch", about) }
    return Command.make(
      name,
      { read: takes, watch, way: flags, json: Flags.json },
      Effect.fnUntraced(function* ({ json, read, watch: { is: isWatched = false }, way }) {
        const { afterwards, done, fails, next, print, settings } = shown
        const own = ownOf(read)
        const carry = yield* open(way)
        const show = ({ asked, record }: Answered<A>) => {
          if (json) return Terminal.json(record)
          if (settings !== undefined) RecordSettings.printChanged(settings, record, asked)
          if (done !== undefined) Terminal.writeSuccess(done(record, own))
          const sent = { asked, isLive: carry.isLive ?? false }
          print?.(record, own, sent)
          if (next !== undefined) Terminal.note(next(record, own, sent))
          if ("nextCursor" in record && typeof record.nextCursor === "string") {
            Terminal.note(`There are more: add --cursor ${record.nextCursor}`)
          }
        }
        const looking = Effect.tap(call(carry, read, json), (found) =>
          Effect.sync(() => {
            if (isWatched) Terminal.clear()
            show(found)
          }),
        )
        const { asked, record } = yield* isWatched
          ? Effect.forever(Effect.andThen(looking, Effect.sleep(everyInMs)))
          : looking
        if (afterwards !== undefined && !json) yield* afterwards(carry, record, asked)
        const failure = fails?.(record)
        return failure === undefined ? undefined : yield* Failure.make(failure)
      }),
    ).pipe(Described.as(shown))
  }

  /** A command that makes any calls. Its texts follow from the endpoint that it is about. */
  const calls = <const Name extends string, const C extends Config, A extends object>(
    name: Name,
    {
      call,
      of: endpoint,
      takes,
      ...about
    }: Shown<A, Read<C>> & {
      readonly of: Endpoint
      readonly takes: C
      readonly call: (
        carry: Call.Carry,
        own: Read<C>,
        json: boolean,
      ) => Effect.Effect<A, Failure.CommandFailed>
    },
  ) =>
    carrying(
      name,
      takes,
      { ...about, ...Taken.textsOf(endpoint, about) },
      (read) => read,
      (carry, read, json) =>
        Effect.map(call(carry, read, json), (record) => ({ record, asked: {} })),
    )

  /**
   * Makes commands that are one endpoint of a group: their texts, flags and arguments follow from the contract.
   *
   * @example
   * const make = OperatorCommand.of(Contract.group)
   * make("list", "list", { print: ({ keys }) => Table.print(columns, keys) })
   */
  const of =
    <const Endpoints extends { readonly [N in keyof Endpoints]: Endpoint }>(
      group: Group<Endpoints>,
    ) =>
    <const Name extends string, const N extends keyof Endpoints, const C extends Config = {}>(
      name: Name,
      endpointName: N,
      about: OfEndpoint<Endpoints[N], C> & Needs<C>,
    ) => {
      const shown: OfEndpoint<Endpoints[N], C> = about
      // Nothing is taken if nothing is named.
      const takes = Object.assign({}, shown.takes)
      const { explain = (why: string) => why, members, omits = Object.keys(takes) } = shown
      const { args = [], once = () => ({}), settings } = shown
      const endpoint = group.endpoints[endpointName]
      const regularly = Taken.of(endpoint, omits, args)
      return carrying(
        name,
        { regular: regularly, others: takes },
        { ...shown, ...Taken.textsOf(endpoint, shown) },
        ({ others }) => others,
        Effect.fnUntraced(function* (carry, { others, regular }, json) {
          const given = Taken.members(regular)
          const added =
            members === undefined
              ? Taken.members(others)
              : yield* members(others, { carry, asked: given, json })
          const asked = { ...given, ...added }
          if (settings !== undefined && !Object.keys(settings).some((each) => each in asked)) {
            return yield* Failure.makeUsage("nothing to change: give at least one flag, see --help")
          }
          const record = yield* send(carry, group, endpointName, asked, {
            once: once(others),
            taken: { ...regularly, ...takes },
            explain: (why) => explain(why, asked),
            unanswered: shown.unanswered?.(asked),
          })
          return { record, asked }
        }),
      )
    }

  return { calls, of, send }
}

const isArgument = (param: unknown): boolean => Param.isParam(param) && param.kind === "argument"

/** Rules that are broken are about members of the request, which are flags and arguments here. */
export const failureOf = (
  error: unknown,
  { explain = (why) => why, taken = {} }: Wording,
): Failure.CommandFailed => {
  if (!(error instanceof Refused)) return Failure.make(explain(Asked.reason(error)))
  if (error.status === 404) {
    return Failure.make(
      Printable.from(`${error.message}: check the id, and --url, --storage or --directory`),
    )
  }
  if (error.issues.length === 0) return Failure.make(explain(Printable.from(error.message)))
  const named = Object.entries(taken).flatMap(([name, of]) => (isArgument(of) ? [name] : []))
  return Failure.makeUsage(Asked.issuesText(error, named))
}

/** Commands of the operator. */
export const { calls, of, send } = over({
  flags: Reach.flags,
  open: Reach.open,
  failureOf,
})
