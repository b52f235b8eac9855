/**
 * The process that serves a place. Its socket shows that it runs; its file names it, from its start on.
 *
 * @module
 */
import { rmdirSync, statSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import * as PrivateSocket from "@florin/core/node/PrivateSocket"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Failure from "../terminal/Failure.ts"
import * as Place from "./Place.ts"
import * as PrivateFile from "./PrivateFile.ts"

const HolderJson = Schema.fromJsonString(
  Schema.Struct({
    pid: Schema.Int,
    /** Distinguishes the place from a copy of it. */
    inode: Schema.Number,
    /** It answers the operator's commands, and nobody else. */
    isOperatorOnly: Schema.Boolean,
    /** The operator can sign in to it with a browser. */
    hasConsole: Schema.Boolean,
  }),
)
const encode = Schema.encodeSync(HolderJson)
const decode = Schema.decodeUnknownOption(HolderJson)

const file = ({ home }: Place.Lasting): string => join(home, "service.json")

/**
 * In a container each start has the same process id, so a file with our own id was left by a process that was killed.
 */
const isAlive = (pid: number): boolean =>
  pid !== process.pid && Result.isSuccess(Result.try(() => process.kill(pid, 0)))

const read = (place: Place.Lasting) => decode(PrivateFile.read(file(place)))

/** The process that starts or runs in a place, if there is one. */
export const find = (place: Place.Lasting) =>
  Option.filter(read(place), ({ inode, pid }) => isAlive(pid) && inode === statSync(place.home).ino)

export const look = (place: Place.Lasting) =>
  Effect.tryPromise({
    try: () => PrivateSocket.look(Place.operatorSocket(place)),
    catch: () =>
      Failure.make(
        `the path ${place.home} is too long for a socket: set TMPDIR to a directory that you can write, or --directory to a shorter path`,
      ),
  })

/**
 * Only one service at a time uses a place: two would start two chains for one ledger, or hide each other from commands.
 */
export const requireNone = Effect.fnUntraced(function* (place: Place.Place) {
  if (place._tag === "Memory") return undefined
  yield* Place.requireAccess(place)
  const held = find(place)
  const isHeld =
    (yield* look(place)) === "there" || (place._tag === "Embedded" && held._tag === "Some")
  if (!isHeld) return undefined
  const named = Option.match(held, { onNone: () => "", onSome: ({ pid }) => `, as process ${pid}` })
  return yield* Failure.make(
    `a service runs in this directory already${named}: stop it, or give this one another --directory`,
  )
})

/**
 * Names this process in a place until the scope ends, unless another one is named. The service works without the file:
 * a container may have no place for it.
 */
export const hold = Effect.fnUntraced(function* (
  place: Place.Place,
  serves: { readonly isOperatorOnly: boolean; readonly hasConsole: boolean },
) {
  if (place._tag === "Memory" || Option.isSome(find(place))) return
  const { pid } = process
  yield* Effect.acquireRelease(
    Effect.gen(function* () {
      yield* PrivateFile.makeDirectory(place.home)
      const { ino: inode } = statSync(place.home)
      yield* PrivateFile.write(file(place), encode({ pid, inode, ...serves }))
    }).pipe(Effect.ignore),
    () =>
      Effect.gen(function* () {
        if (!Option.exists(read(place), (last) => last.pid === pid)) return
        yield* PrivateFile.remove(file(place))
        // A start that failed leaves nothing.
        yield* Effect.try(() => rmdirSync(place.home))
      }).pipe(Effect.ignore),
  )
})
