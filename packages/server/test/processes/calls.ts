/**
 * Calls between two processes over Node's own channel. Each side asks, and each side serves.
 *
 * @module
 */
import { Cause, Effect, Exit, Predicate, Schema } from "effect"

/** One end of the channel, with messages as structured clones. */
export interface Channel {
  readonly send: (message: object) => void
  readonly listen: (listener: (message: unknown) => void) => void
}

export type Serve = (name: string, args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** The same call to the other side. One whose answer never comes is never done. */
export type Ask = (name: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

const Message = Schema.Union([
  Schema.TaggedStruct("Asked", {
    id: Schema.Number,
    name: Schema.String,
    args: Schema.Array(Schema.Unknown),
  }),
  Schema.TaggedStruct("Done", { id: Schema.Number, value: Schema.Unknown }),
  Schema.TaggedStruct("Failed", { id: Schema.Number, error: Schema.Unknown }),
])

const decode = Schema.decodeUnknownSync(Message)

/** An error loses its class on the way, and would lose its tag with it. */
const written = (error: unknown): object =>
  Predicate.hasProperty(error, "_tag") && Predicate.hasProperty(error, "message")
    ? { ...error, _tag: error._tag, message: error.message }
    : { message: String(error) }

export const make = ({ listen, send }: Channel, serve: Serve): Ask => {
  const waiting = new Map<number, (answer: Effect.Effect<unknown, unknown>) => void>()
  const answer = (id: number, exit: Exit.Exit<unknown, unknown>) =>
    send(
      Exit.isSuccess(exit)
        ? { _tag: "Done", id, value: exit.value }
        : { _tag: "Failed", id, error: written(Cause.squash(exit.cause)) },
    )
  const resume = (id: number, answered: Effect.Effect<unknown, unknown>) => {
    waiting.get(id)?.(answered)
    waiting.delete(id)
  }
  let asked = 0
  listen((sent) => {
    const message = decode(sent)
    switch (message._tag) {
      case "Asked":
        return void Effect.runFork(serve(message.name, message.args)).addObserver((exit) =>
          answer(message.id, exit),
        )
      case "Done":
        return resume(message.id, Effect.succeed(message.value))
      case "Failed":
        return resume(message.id, Effect.fail(message.error))
    }
  })
  return (name, ...args) =>
    Effect.callback((resumed) => {
      asked += 1
      waiting.set(asked, resumed)
      send({ _tag: "Asked", id: asked, name, args })
    })
}

/** A port as the other side has it: the one at hand only tells which members are effects. */
export const far = <S extends object>(port: S, ask: Ask): S =>
  new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      const there = (result: unknown, ...args: ReadonlyArray<unknown>) =>
        Effect.isEffect(result) ? ask(String(key), ...args) : result
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => there(Reflect.apply(member, target, args), ...args)
        : there(member)
    },
  })

/** Whoever serves provides what its calls need. */
const isCall = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

/** Serves what `far` asks for. */
export const near =
  (port: object): Serve =>
  (name, args) =>
    Effect.suspend(() => {
      const member: unknown = Reflect.get(port, name)
      const result: unknown =
        typeof member === "function" ? Reflect.apply(member, port, args) : member
      return isCall(result) ? result : Effect.succeed(result)
    })
