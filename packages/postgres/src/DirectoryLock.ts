/**
 * Allows one process at a time in a directory. The lock is a file that names its maker. The file outlives a killed
 * process, so the next process checks whether the maker still runs.
 *
 * Locks are numbered. A process that follows a dead holder creates the next number, which only one process can. It then
 * checks that no other maker lives, and only then removes dead locks. So no process removes a file that another has
 * just created, and if two processes both created one, at least the later sees the earlier.
 *
 * @module
 */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { hostname } from "node:os"
import { basename, join, resolve } from "node:path"
import process from "node:process"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** Another process, or another part of this one, has the directory. */
export class DirectoryInUse extends Schema.TaggedError<DirectoryInUse>()("DirectoryInUse", {
  directory: Schema.String,
  pid: Schema.Int,
  message: Schema.String,
}) {}

/** The directory cannot be made, read or written. */
export class DirectoryUnusable extends Schema.TaggedError<DirectoryUnusable>()(
  "DirectoryUnusable",
  { directory: Schema.String, message: Schema.String },
) {}

const Holder = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  host: Schema.String,
  /** Distinguishes the process from a later one with the same id; null if the system does not report it. */
  birth: Schema.NullOr(Schema.String),
  /** Distinguishes the directory from a copy of it, which is free. */
  inode: Schema.Number,
  usedBy: Schema.String,
  since: Schema.String,
})
type Holder = typeof Holder.Type

const HolderJson = Schema.fromJsonString(Holder)
const encodeHolder = Schema.encodeSync(HolderJson)
const decodeHolder = Schema.decodeUnknownOption(HolderJson)

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : "unknown"

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    if (["ENOENT", "ESRCH"].includes(codeOf(cause))) return undefined
    throw cause
  }
}

/** When a process began, as the system counts it; undefined if it is not reported. */
const birthOf = (pid: number): string | undefined => {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name in parentheses may hold anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const state = fields[0]
  if (state === "Z" || state === "X") return "ended"
  return `${readIfThere("/proc/sys/kernel/random/boot_id")?.trim()} ${fields[19]}`
}

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

/** Nothing is known of a process on another machine, or in another container on the same volume: it may run. */
const mayRun = (holder: Holder, directory: string): boolean => {
  if (holder.inode !== statSync(directory).ino) return false
  if (holder.host !== hostname()) return true
  if (!exists(holder.pid)) return false
  const birth = birthOf(holder.pid)
  return birth === undefined || holder.birth === null || birth === holder.birth
}

interface Lock {
  readonly path: string
  readonly number: number
  readonly heldBy: Holder | undefined
}

/** A lock is complete as soon as it exists; an unreadable one was cut off by a power failure. */
const locksIn = (directory: string): ReadonlyArray<Lock> =>
  readdirSync(directory).flatMap((name) => {
    const number = /^florin\.(\d+)\.lock$/u.exec(name)?.[1]
    if (number === undefined) return []
    const path = join(directory, name)
    const content = readIfThere(path)
    if (content === undefined) return []
    const heldBy = Option.getOrUndefined(
      Option.filter(decodeHolder(content), (holder) => mayRun(holder, directory)),
    )
    return [{ path, number: Number(number), heldBy }]
  })

const holderAmong = (locks: ReadonlyArray<Lock>) => locks.find(({ heldBy }) => heldBy !== undefined)

/** Creates a file atomically with all its content, unless it exists. */
const create = (path: string, content: string, directory: string): boolean => {
  const draft = mkdtempSync(join(directory, ".florin-"))
  try {
    writeFileSync(join(draft, "lock"), content, { flush: true })
    linkSync(join(draft, "lock"), path)
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Creates the lock, or finds the one that is held. */
const take = (directory: string, content: string): Lock => {
  for (;;) {
    const found = locksIn(directory)
    const held = holderAmong(found)
    if (held !== undefined) return held
    const number = 1 + Math.max(0, ...found.map((lock) => lock.number))
    const path = join(directory, `florin.${number}.lock`)
    if (!create(path, content, directory)) continue
    const others = locksIn(directory).filter((lock) => lock.path !== path)
    if (holderAmong(others) === undefined) {
      for (const dead of others) rmSync(dead.path, { force: true })
      return { path, number, heldBy: undefined }
    }
    rmSync(path, { force: true })
  }
}

const inUse = (directory: string, lock: Lock, holder: Holder) => {
  const elsewhere = holder.host !== hostname()
  const where = elsewhere ? ` on ${holder.host}` : ""
  const gone = elsewhere ? `. If that machine is gone, remove ${basename(lock.path)} there` : ""
  return new DirectoryInUse({
    directory,
    pid: holder.pid,
    message: `The directory ${directory} is in use by process ${holder.pid}${where} (${holder.usedBy}, since ${holder.since}): stop it, or use another directory${gone}`,
  })
}

const unusable = (directory: string) => (cause: unknown) =>
  new DirectoryUnusable({
    directory,
    message: `The directory ${directory} cannot be used (${codeOf(cause)}): check that it can be written, or use another directory`,
  })

const program = basename(process.argv[1] ?? process.title)

/**
 * Holds the directory until the scope closes, and creates it if necessary. Other processes see `usedBy` in their error.
 *
 * @example yield* DirectoryLock.acquire("/var/lib/florin", "florin serve")
 */
export const acquire = Effect.fn("DirectoryLock.acquire")(function* (
  at: string,
  usedBy: string = program,
): Effect.fn.Return<void, DirectoryInUse | DirectoryUnusable, Scope.Scope> {
  const directory = resolve(at)
  const since = DateTime.formatIso(yield* DateTime.now)
  const { pid } = process
  const made = { pid, host: hostname(), birth: birthOf(pid) ?? null, usedBy, since }
  const lock = yield* Effect.acquireRelease(
    Effect.try({
      try: () => {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        const { ino: inode } = statSync(directory)
        return take(directory, encodeHolder({ ...made, inode }))
      },
      catch: unusable(directory),
    }),
    ({ heldBy, path }) =>
      Effect.sync(() => {
        if (heldBy === undefined) rmSync(path, { force: true })
      }),
  )
  if (lock.heldBy !== undefined) return yield* inUse(directory, lock, lock.heldBy)
})
