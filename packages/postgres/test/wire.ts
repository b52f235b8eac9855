/**
 * The PostgreSQL protocol without a driver, for messages that no driver would send.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import type { Duplex } from "node:stream"
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

export const parse = (name: string, sql: string) =>
  Result.getOrThrow(PgProtocol.encodeParse({ name, query: sql, parameterTypes: [] }))

export const bind = (statement: string) =>
  Result.getOrThrow(PgProtocol.encodeBind({ portal: "", statement, parameters: [] }))

export const describe = (name: string) => PgProtocol.encodeDescribe({ target: "statement", name })

export const close = (name: string) => PgProtocol.encodeClose({ target: "statement", name })

export const execute = PgProtocol.encodeExecute({ portal: "", maxRows: 0 })
export const sync = PgProtocol.encodeSync()
export const flush = PgProtocol.encodeFlush()
export const terminate = PgProtocol.encodeTerminate()
export const startup = PgProtocol.encodeStartupMessage({ user: "anyone" })

/** A query of the simple kind, which @effect/sql-pg has no use for. */
export const query = (sql: string) => {
  const bytes = Buffer.from(`Q0000${sql}\0`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

/** What came back, as short as a test wants it: the type, and what matters of it. */
const shown = (message: PgProtocol.BackendMessage): string => {
  switch (message._tag) {
    case "DataRow":
      return message.values.map((value) => Buffer.from(value ?? "null").toString()).join(",")
    case "ErrorResponse":
      return `error ${message.fields.code}`
    case "CommandComplete":
      return message.commandTag
    case "ReadyForQuery":
      return message.status
    case "NotificationResponse":
      return `${message.channel}: ${message.payload}`
    default:
      return message._tag
  }
}

/** One end of a connection. */
export interface Wire {
  readonly stream: Duplex
  readonly send: (...frames: ReadonlyArray<Uint8Array>) => Effect.Effect<void>
  /** Sends, and waits for what comes up to a message that shows as one of these. */
  readonly ask: (
    until: ReadonlyArray<string>,
    ...frames: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<ReadonlyArray<string>>
  /** All that has come and was not waited for. */
  readonly pending: () => ReadonlyArray<string>
}

/** What ends a round. */
export const ready = ["I", "T", "E"]

export const open = Effect.fnUntraced(function* (stream: Duplex, start: boolean = true) {
  const parser = PgProtocol.makeParser()
  const received: Array<string> = []
  let onReceived = () => {}
  stream.on("error", () => {})
  stream.on("data", (chunk: Uint8Array) => {
    for (const message of parser.push(chunk)) received.push(shown(message))
    onReceived()
  })
  const send: Wire["send"] = (...frames) =>
    Effect.sync(() => {
      stream.write(Buffer.concat(frames))
    })
  const until = (last: ReadonlyArray<string>) =>
    Effect.callback<ReadonlyArray<string>>((resume) => {
      onReceived = () => {
        const end = received.findIndex((each) => last.includes(each))
        if (end < 0) return
        onReceived = () => {}
        resume(Effect.succeed(received.splice(0, end + 1)))
      }
      onReceived()
    })
  const wire: Wire = {
    stream,
    send,
    ask: (last, ...frames) => Effect.andThen(send(...frames), until(last)),
    pending: () => received.splice(0),
  }
  if (start) yield* wire.ask(ready, startup)
  yield* Effect.addFinalizer(() => Effect.sync(() => stream.destroy()))
  return wire
})
