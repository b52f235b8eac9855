/**
 * Many connections over one embedded PostgreSQL. PGlite has one session, so connections take turns: one has it from the
 * first message of its transaction to the last, and the others wait. Each turn is one round of messages, and the event
 * loop runs between two turns.
 *
 * The state of the session is shared: `SET`, temporary tables and session-level advisory locks. Prepared statements are
 * kept separate, and transactions end with their connection. The bridge does not support two things: a transaction that
 * waits for another connection (as `PgClient.notify` within one does) waits for ever, and `COPY … FROM STDIN` breaks
 * PGlite.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The part of PGlite that the bridge needs. The stream passes raw responses on; other calls parse and keep them. */
export interface Backend {
  readonly execProtocolRawStream: (
    message: Uint8Array,
    options: { readonly onRawData: (data: Uint8Array) => void; readonly syncToFs?: boolean },
  ) => Promise<void>
}

export interface Bridge {
  /** Opens a new connection, as the `stream` option of @effect/sql-pg expects it. */
  readonly connect: () => Duplex
}

/** A message's type is its first byte. */
const type = {
  bind: 0x42,
  close: 0x43,
  commandComplete: 0x43,
  describe: 0x44,
  flush: 0x48,
  notification: 0x41,
  parse: 0x50,
  query: 0x51,
  readyForQuery: 0x5a,
  statement: 0x53,
  sync: 0x53,
  terminate: 0x58,
} as const

/** Codes of messages before the first typed one: they have no type, only a code. */
const code = { cancel: 80_877_102, ssl: 80_877_103, gss: 80_877_104 } as const

const none = Buffer.alloc(0)
const sync = PgProtocol.encodeSync()

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const message = (letter: string, ...content: ReadonlyArray<Buffer | string>) => {
  const bytes = Buffer.concat(
    content.map((part) => (typeof part === "string" ? Buffer.from(part) : part)),
  )
  return Buffer.concat([Buffer.from(letter), int32(bytes.length + 4), bytes])
}

const query = (sql: string) => message("Q", `${sql}\0`)

const ready = message("Z", "I")

const greeting = (pid: number) =>
  Buffer.concat([
    message("R", int32(0)),
    message("S", "client_encoding\0UTF8\0"),
    message("S", "DateStyle\0ISO, MDY\0"),
    message("S", "integer_datetimes\0on\0"),
    message("S", "standard_conforming_strings\0on\0"),
    message("S", "TimeZone\0UTC\0"),
    message("K", int32(pid), int32(0)),
    ready,
  ])

const canceled = Buffer.concat([
  message("E", "SERROR\0VERROR\0C57014\0Mcanceling statement due to user request\0\0"),
  ready,
])

/** The offset of a prepared statement's name in a message, if it has one. */
const nameIn = (frame: Buffer): number | undefined => {
  switch (frame[0]) {
    case type.parse:
      return 5
    case type.bind:
      return frame.indexOf(0, 5) + 1
    case type.describe:
    case type.close:
      // Portals need no separate names: they end with the transaction, and so within the turns of one connection.
      return frame[5] === type.statement ? 6 : undefined
    default:
      return undefined
  }
}

const withName = (frame: Buffer, at: number, prefix: string) =>
  Buffer.concat([
    frame.subarray(0, 1),
    int32(frame.readInt32BE(1) + prefix.length),
    frame.subarray(5, at),
    Buffer.from(prefix),
    frame.subarray(at),
  ])

interface BackendResponse {
  /** Everything but the notifications. */
  readonly own: Buffer
  readonly notifications: Buffer
  /** `I` if no transaction is open, undefined before the end of a round. */
  readonly status: string | undefined
  readonly listened: boolean
}

const readResponse = (bytes: Buffer): BackendResponse => {
  const own: Array<Buffer> = []
  const notifications: Array<Buffer> = []
  let status: string | undefined
  let listened = false
  let from = 0
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (bytes[at] === type.notification) {
      own.push(bytes.subarray(from, at))
      notifications.push(bytes.subarray(at, end))
      from = end
    } else if (bytes[at] === type.commandComplete) {
      listened ||= /^(?:UN)?LISTEN$/u.test(bytes.toString("latin1", at + 5, end - 1))
    } else if (bytes[at] === type.readyForQuery) {
      status = bytes.toString("latin1", at + 5, end)
    }
    at = end
  }
  own.push(bytes.subarray(from))
  return {
    own: Buffer.concat(own),
    notifications: Buffer.concat(notifications),
    status,
    listened,
  }
}

/** The values of the first column. */
const firstColumn = (response: Buffer): ReadonlyArray<string> =>
  PgProtocol.makeParser()
    .push(response)
    .flatMap((found) =>
      found._tag === "DataRow" ? [Buffer.from(found.values[0] ?? none).toString()] : [],
    )

/** The messages of one round: up to the one that requests the response. */
type Round = ReadonlyArray<Buffer>

const endsRound = (frame: Buffer) =>
  frame[0] === type.sync || frame[0] === type.query || frame[0] === type.flush

/** After a flush the backend waits for more. */
const isComplete = (round: Round) => round.at(-1)?.[0] !== type.flush

interface Turns {
  readonly cancel: (pid: number) => void
  readonly leave: (connection: Connection) => void
  readonly wake: () => void
}

/** The driver uses one end; the turns feed and read the other. */
class Connection extends Duplex {
  readonly pid: number
  readonly prefix: string
  /** Statements that are prepared and not closed, with the prefix. */
  readonly statements = new Set<string>()
  /** Whether it ever listened. Its driver knows the channels. */
  listens = false

  readonly #turns: Turns
  readonly #rounds: Array<Round> = []
  #started = false
  #input: Buffer = none
  #frames: Array<Buffer> = []
  #output: Buffer = none
  #wantsOutput = false
  #takeMore: (() => void) | undefined

  constructor(pid: number, turns: Turns) {
    super()
    this.pid = pid
    this.prefix = `${pid}:`
    this.#turns = turns
  }

  /** Whether a round waits, and earlier responses have been read. */
  get isReady() {
    return this.#rounds.length > 0 && this.#wantsOutput
  }

  takeRound(): Round {
    const round = this.#rounds.shift() ?? []
    if (this.#rounds.length === 0) {
      const takeMore = this.#takeMore
      this.#takeMore = undefined
      takeMore?.()
    }
    return round
  }

  /** Works only before its turn: a turn that began is over before a cancel can arrive. */
  cancel() {
    const [round] = this.#rounds
    if (round === undefined || !isComplete(round)) return
    this.takeRound()
    this.deliver(canceled)
  }

  deliver(bytes: Buffer) {
    if (bytes.length === 0 || this.destroyed) return
    this.#output = this.#output.length === 0 ? bytes : Buffer.concat([this.#output, bytes])
    if (this.#wantsOutput) this.#send()
  }

  override _read() {
    this.#send()
  }

  #send() {
    this.#wantsOutput = this.#output.length === 0
    if (this.#wantsOutput) {
      if (this.isReady) this.#turns.wake()
      return
    }
    const piece = this.#output.subarray(0, 65_536)
    this.#output = this.#output.subarray(piece.length)
    this.push(piece)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void) {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame()) {
      if (this.#started) this.#receive(frame)
      else this.#open(frame)
    }
    if (this.#rounds.length === 0) done()
    else this.#takeMore = done
    if (this.isReady) this.#turns.wake()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    this.#turns.leave(this)
    done(error)
  }

  #nextFrame(): Buffer | undefined {
    const head = this.#started ? 1 : 0
    if (this.destroyed || this.#input.length < head + 4) return undefined
    const length = this.#input.readInt32BE(head)
    if (length < 4) {
      this.destroy(new Error("The driver sent something that is not the PostgreSQL protocol"))
      return undefined
    }
    if (this.#input.length < head + length) return undefined
    const frame = this.#input.subarray(0, head + length)
    this.#input = this.#input.subarray(frame.length)
    return frame
  }

  #open(frame: Buffer) {
    const first = frame.readInt32BE(4)
    if (first === code.cancel) {
      this.#turns.cancel(frame.readInt32BE(8))
      this.destroy()
    } else if (first === code.ssl || first === code.gss) {
      this.deliver(Buffer.from("N"))
    } else {
      this.#started = true
      this.deliver(greeting(this.pid))
    }
  }

  #receive(frame: Buffer) {
    if (frame[0] === type.terminate) this.destroy()
    else this.#frames.push(frame)
    if (!endsRound(frame)) return
    this.#rounds.push(this.#frames)
    this.#frames = []
  }
}

/**
 * Connects drivers to the backend until the scope closes. Nothing else may use the backend. If the backend breaks, all
 * connections close.
 *
 * @example
 * const bridge = yield* Bridge.make(pglite)
 * PgClient.layer({ stream: bridge.connect, ssl: false, username: "postgres", maxConnections: 4 })
 */
export const make = (backend: Backend): Effect.Effect<Bridge, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => start(backend)),
      ({ stop }) => Effect.promise(stop),
    ),
    ({ connect }) => ({ connect }),
  )

const start = (backend: Backend) => {
  /** In the order of their next turns. */
  const connections = new Set<Connection>()
  const gone: Array<Connection> = []
  const channels = new Set<string>()
  let lastPid = 0
  let owner: Connection | undefined
  /** The connection whose unnamed statement the backend holds. */
  let unnamedOf: Connection | undefined
  let channelsChanged = false
  let broken: Error | undefined
  let turning: Promise<void> | undefined

  const run = async (frames: ReadonlyArray<Uint8Array>): Promise<Buffer> => {
    const responses: Array<Buffer> = []
    await backend.execProtocolRawStream(Buffer.concat(frames), {
      syncToFs: false,
      // The bytes are a view of memory that the next response overwrites.
      onRawData: (bytes) => responses.push(Buffer.from(bytes)),
    })
    return Buffer.concat(responses)
  }

  const named = (connection: Connection, frame: Buffer): Buffer => {
    const at = nameIn(frame)
    if (at === undefined) return frame
    if (frame[at] === 0) {
      if (frame[0] === type.parse) unnamedOf = connection
      // Another connection's statement has replaced it: with an unused name, the backend reports that it is missing.
      return unnamedOf === connection ? frame : withName(frame, at, connection.prefix)
    }
    const prefixed = withName(frame, at, connection.prefix)
    const name = prefixed.toString("latin1", at, prefixed.indexOf(0, at))
    if (frame[0] === type.parse) connection.statements.add(name)
    if (frame[0] === type.close) connection.statements.delete(name)
    return prefixed
  }

  /**
   * One connection's UNLISTEN must not silence the others, so the session listens to every channel that any connection
   * used.
   */
  const listenToAll = async () => {
    channelsChanged = false
    const present = new Set(firstColumn(await run([query("SELECT pg_listening_channels()")])))
    const lost = [...channels].filter((channel) => !present.has(channel))
    const listens = lost.map((channel) => `LISTEN "${channel.replaceAll('"', '""')}"`)
    if (lost.length > 0) await run([query(listens.join(";"))])
    for (const channel of present) channels.add(channel)
  }

  const clearAfter = async (connection: Connection) => {
    if (owner === connection) {
      // After a flush and an error, the backend would skip everything up to a sync.
      await run([sync])
      await run([query("ROLLBACK")])
      owner = undefined
    }
    const closes = [...connection.statements].map((name) =>
      PgProtocol.encodeClose({ target: "statement", name }),
    )
    if (closes.length > 0) await run([...closes, sync])
  }

  const serve = async (connection: Connection) => {
    const round = connection.takeRound()
    owner = connection
    const response = readResponse(await run(round.map((frame) => named(connection, frame))))
    if (isComplete(round) && response.status === undefined) {
      throw new Error("no response")
    }
    if (response.listened) {
      connection.listens = true
      channelsChanged = true
    }
    if (response.status === "I") {
      owner = undefined
      if (connections.delete(connection)) connections.add(connection)
      if (channelsChanged) await listenToAll()
    }
    for (const each of connections) if (each.listens) each.deliver(response.notifications)
    connection.deliver(response.own)
  }

  const next = (): Connection | undefined =>
    owner === undefined
      ? [...connections].find(({ isReady }) => isReady)
      : owner.isReady
        ? owner
        : undefined

  const turn = async () => {
    const left = gone.shift()
    const connection = left === undefined ? next() : undefined
    if (left !== undefined) await clearAfter(left)
    if (connection !== undefined) await serve(connection)
  }

  const breakDown = (why: string, cause?: unknown) => {
    broken ??= new Error(why, { cause })
    for (const connection of connections) connection.destroy(broken)
  }

  const wake = () => {
    if (turning !== undefined || broken !== undefined) return
    turning = new Promise((resolve) => setImmediate(resolve))
      .then(() => (broken === undefined ? turn() : undefined))
      .catch((cause) =>
        breakDown("The embedded database has broken down: restart the process", cause),
      )
      .finally(() => {
        turning = undefined
        if (gone.length > 0 || next() !== undefined) wake()
      })
  }

  const turns: Turns = {
    wake,
    cancel: (pid) => {
      for (const each of connections) if (each.pid === pid && each !== owner) each.cancel()
    },
    leave: (connection) => {
      connections.delete(connection)
      gone.push(connection)
      wake()
    },
  }

  return {
    connect: (): Duplex => {
      const connection = new Connection(++lastPid, turns)
      connections.add(connection)
      if (broken !== undefined) connection.destroy(broken)
      return connection
    },
    stop: async () => {
      breakDown("The embedded database is closed")
      await turning
    },
  }
}
