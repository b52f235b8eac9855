import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as DirectoryLock from "../src/DirectoryLock.ts"
import * as Processes from "../test-support/processes.ts"

const starter = (directory: string) =>
  Processes.run(new URL("./lockHolder.ts", import.meta.url), directory)

/** A starter that has the lock. */
const holder = Effect.fnUntraced(function* (directory: string) {
  const started = yield* starter(directory)
  assert.strictEqual(yield* started.line, "ready")
  yield* started.tell("go")
  assert.strictEqual(yield* started.line, "held")
  return started
})

/** Changes what the only lock in a directory says. */
const rewrite = (directory: string, change: (holder: object) => object | string) => {
  const [name = ""] = readdirSync(directory)
  const changed = change(JSON.parse(readFileSync(join(directory, name), "utf8")))
  writeFileSync(
    join(directory, name),
    typeof changed === "string" ? changed : JSON.stringify(changed),
  )
}

/** A lock whose scope ended without a chance to remove it. */
const abandoned = Effect.fnUntraced(function* (directory: string) {
  const scope = yield* Scope.make()
  yield* Scope.provide(DirectoryLock.acquire(directory), scope)
})

describe("DirectoryLock", () => {
  it.effect("is held until the scope closes, and leaves no file", () =>
    Effect.gen(function* () {
      const directory = join(yield* Processes.directory, "made", "for", "it")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* DirectoryLock.acquire(directory, "florin serve")
          const refused = yield* Effect.flip(Effect.scoped(DirectoryLock.acquire(directory)))
          assert.instanceOf(refused, DirectoryLock.DirectoryInUse)
          assert.strictEqual(
            refused.message,
            `The directory ${directory} is in use by process ${process.pid} (florin serve, since 1970-01-01T00:00:00.000Z): stop it, or use another directory`,
          )
          assert.lengthOf(readdirSync(directory), 1)
        }),
      )
      assert.deepStrictEqual(readdirSync(directory), [])
      yield* DirectoryLock.acquire(directory)
    }),
  )

  it.effect("P3: is refused while another process runs", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      const other = yield* holder(directory)
      const refused = yield* Effect.flip(DirectoryLock.acquire(directory))
      assert.instanceOf(refused, DirectoryLock.DirectoryInUse)
      assert.strictEqual(refused.pid, other.pid)
      assert.include(refused.message, `is in use by process ${other.pid} (a starter, since `)
      yield* other.finish
      yield* DirectoryLock.acquire(directory)
    }),
  )

  it.effect("P3: is taken over from a killed process", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      const killed = yield* holder(directory)
      yield* killed.kill
      assert.deepStrictEqual(readdirSync(directory), ["florin.1.lock"])
      yield* DirectoryLock.acquire(directory)
      assert.deepStrictEqual(readdirSync(directory), ["florin.2.lock"])
    }),
  )

  it.effect("is taken over if another program has the process id now", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      yield* abandoned(directory)
      rewrite(directory, (was) => ({ ...was, birth: "before the machine was started" }))
      yield* DirectoryLock.acquire(directory)
    }),
  )

  it.effect("is taken over if its file is incomplete", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      yield* abandoned(directory)
      rewrite(directory, () => "")
      yield* DirectoryLock.acquire(directory)
    }),
  )

  it.effect("of another machine is respected, with what to do in the message", () =>
    Effect.gen(function* () {
      const directory = yield* Processes.directory
      yield* abandoned(directory)
      rewrite(directory, (was) => ({ ...was, host: `not-${hostname()}`, pid: 2 ** 30 }))
      const { message } = yield* Effect.flip(DirectoryLock.acquire(directory))
      assert.include(message, `by process ${2 ** 30} on not-${hostname()} (`)
      assert.include(message, "If that machine is gone, remove florin.1.lock there")
    }),
  )

  it.effect("needs a directory that can be created", () =>
    Effect.gen(function* () {
      const file = join(yield* Processes.directory, "file")
      writeFileSync(file, "")
      const refused = yield* Effect.flip(DirectoryLock.acquire(join(file, "data")))
      assert.instanceOf(refused, DirectoryLock.DirectoryUnusable)
      assert.include(refused.message, "(ENOTDIR): check that it can be written")
    }),
  )

  it.effect(
    "goes to one of many processes that start together after a kill",
    () =>
      Effect.gen(function* () {
        const directory = yield* Processes.directory
        for (let round = 0; round < Counts.of({ usual: 2, full: 25 }); round++) {
          const killed = yield* holder(directory)
          yield* killed.kill
          const starters = yield* Effect.all(Array.from({ length: 6 }, () => starter(directory)))
          for (const each of starters) assert.strictEqual(yield* each.line, "ready")
          for (const each of starters) yield* each.tell("go")
          const said = yield* Effect.forEach(starters, ({ line }) => line)
          assert.lengthOf(
            said.filter((line) => line === "held"),
            1,
          )
          // While several come at once, one may be told of another who gives way in the end.
          const isTold = (line: string) =>
            starters.some(({ pid }) => line.includes(`in use by process ${pid} `))
          assert.lengthOf(said.filter(isTold), 5)
          yield* Effect.forEach(starters, ({ finish }) => finish, { discard: true })
          assert.deepStrictEqual(readdirSync(directory), [])
        }
      }),
    600_000,
  )
})
