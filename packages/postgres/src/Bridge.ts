/**
 * The driver's connection to PostgreSQL in this process. PGlite speaks the protocol, and has one session, so there is one
 * connection at a time. The event loop runs between two rounds of messages.
 *
 * `COPY … FROM STDIN` breaks PGlite.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The part of PGlite that the bridge needs: the response to whole messages. */
export interface Backend {
  readonly execProtocolRawSync: (messages: Uint8Array) => Uint8Array
}

const terminate = 0x58
const cancel = 80_877_102

const query = (sql: string): Buffer => {
  const bytes = Buffer.from(`Q0000${sql}\0`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

/** What the connection before may have left in the session. */
const clearing = [query("ROLLBACK"), query("DEALLOCATE ALL")]

/** The messages before the first typed one begin with their length, and have a code. */
const isFirst = (messages: Buffer): boolean => messages[0] === 0

/** Whether there is nothing to respond. A statement that runs cannot be cancelled: it keeps the event loop. */
const isLast = (messages: Buffer): boolean =>
  messages[0] === terminate || (isFirst(messages) && messages.readInt32BE(4) === cancel)

/**
 * Opens the connections of a driver to the backend, until the scope closes. Nothing else may use the backend. Once it
 * has broken, it is not used again, because its memory may be wrong.
 *
 * @example
 * const stream = yield* Bridge.make(pglite)
 * PgClient.layer({ stream, ssl: false, username: "postgres", maxConnections: 1 })
 */
export const make = Effect.fnUntraced(function* (
  backend: Backend,
): Effect.fn.Return<() => Duplex, never, Scope.Scope> {
  let unusable: Error | undefined

  const respond = (messages: Buffer): Uint8Array => {
    if (unusable !== undefined) throw unusable
    try {
      if (isFirst(messages)) for (const each of clearing) backend.execProtocolRawSync(each)
      const response = backend.execProtocolRawSync(messages)
      if (response.length === 0) throw new Error("no response")
      return response
    } catch (cause) {
      unusable = new Error("The embedded database has broken down: restart the process", { cause })
      throw unusable
    }
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      unusable ??= new Error("The embedded database is closed")
    }),
  )
  return () => {
    const connection = new Duplex({
      read: () => {},
      write: (messages: Buffer, _encoding, done) => {
        if (isLast(messages)) return void connection.destroy()
        setImmediate(() => {
          if (connection.destroyed) return
          try {
            connection.push(respond(messages))
            done()
          } catch {
            done(unusable)
          }
        })
      },
    })
    return connection
  }
})
