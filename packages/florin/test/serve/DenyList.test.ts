import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as DenyLists from "@florin/core/engine/chain/DenyLists"
import * as Status from "@florin/core/engine/status/Status"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import { Screening } from "@florin/core/ports/Screening"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as DenyList from "../../src/serve/DenyList.ts"

const all = Array.from({ length: 20 }, (_, index) => Wallet.make(index + 1).account(8453))

const file = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "florin-deny-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true })),
).pipe(Effect.map((directory) => join(directory, "deny.txt")))

const text = (accounts: typeof all) => accounts.map(({ address }) => `${address}\n`).join("")

/** The indexes of the accounts that are refused. */
const refusedIn = (screening: Screening["Service"]) =>
  Effect.map(screening.refused(all), (refused) => refused.map((each) => all.indexOf(each)))

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** A process that screens, until it is killed. */
const start = Effect.fnUntraced(function* (path: string) {
  const scope = yield* Scope.make()
  const layer = yield* DenyList.open(path)
  const screening = yield* Effect.provide(Screening, yield* Layer.buildWithScope(layer, scope))
  return { refused: refusedIn(screening), kill: Scope.close(scope, Exit.void) }
})

/** What `florin status` shows of it. */
const findings = Effect.map(Status.look(), ({ findings: found }) =>
  found.flatMap((each) => (each._tag === "DenyListRefused" ? [each] : [])),
)

const confirm = Effect.gen(function* () {
  const [finding] = yield* findings
  return yield* DenyLists.confirm(finding?.digest ?? assert.fail("nothing waits"))
})

/** A storage, as several processes share it. */
const shared = Layer.mergeAll(
  StorageMemory.layer,
  Identifiers.layer,
  Layer.succeed(Assets, BuiltIn.catalog),
  Layer.provide(Chains.layerShared, JoinedChain.layer<never, never>([])),
)

const play = <E>(
  name: string,
  body: Effect.Effect<void, E, Layer.Success<typeof shared> | Scope.Scope>,
) => it.effect(name, () => Effect.provide(body, shared))

const next = TestClock.adjust("5 seconds")

describe("the deny list", () => {
  play(
    "S14: is read again while the service runs, and kept while it cannot be read",
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, `# listed\n${text(all.slice(0, 1))}`)
      const { refused } = yield* start(path)
      assert.deepStrictEqual(yield* refused, [0])
      for (const [content, expected] of [
        [`${text(all.slice(0, 1))}${all[1]?.address} # since today\n`, [0, 1]],
        [`${text(all.slice(1, 2))}no address\n`, [0, 1]],
      ] as const) {
        writeFileSync(path, content)
        yield* next
        assert.deepStrictEqual(yield* refused, [...expected], content)
      }
      rmSync(path)
      yield* next
      yield* next
      assert.deepStrictEqual(yield* refused, [0, 1])
      assert.isEmpty(yield* findings)
    }),
  )

  play(
    "S14: accepts an address again after two reads of the file without it",
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, text(all))
      const { refused } = yield* start(path)
      // As a program leaves it that truncates the file and then writes it.
      for (const [listed, expected] of [
        [
          [0, 0],
          [0, 20],
        ],
        [
          [0, 20],
          [0, 20],
        ],
        [
          [1, 20],
          [0, 20],
        ],
        [
          [1, 20],
          [1, 20],
        ],
        [
          [3, 20],
          [1, 20],
        ],
        [
          [0, 20],
          [0, 20],
        ],
      ] as const) {
        const [from, to] = listed
        writeFileSync(path, text(all.slice(from, to)))
        yield* next
        const [first, end] = expected
        assert.deepStrictEqual(yield* refused, range(first, end), String(listed))
      }
      assert.isEmpty(yield* findings)
    }),
  )

  for (const [what, listed] of [
    ["emptied", []],
    ["cut", all.slice(0, 17)],
    [
      "replaced by as many others",
      [
        ...all.slice(5),
        ...Array.from({ length: 5 }, (_, index) => Wallet.make(100 + index).account(8453)),
      ],
    ],
  ] as const) {
    play(
      `S38: stays in force when it is ${what}, also after a kill and a restart, until the operator confirms that list`,
      Effect.gen(function* () {
        const path = yield* file
        writeFileSync(path, text(all))
        const [one, two] = [yield* start(path), yield* start(path)]
        writeFileSync(path, text([...listed]))
        for (let reads = 0; reads < 4; reads++) {
          yield* next
          assert.lengthOf(yield* one.refused, 20)
          assert.lengthOf(yield* two.refused, 20)
        }
        assert.lengthOf(yield* findings, 1)
        yield* one.kill
        const again = yield* start(path)
        assert.lengthOf(yield* again.refused, 20)
        yield* next
        assert.lengthOf(yield* again.refused, 20)
        const [finding] = yield* findings
        assert.deepInclude(finding, { inForce: 20, listed: listed.length, isRed: true })
        assert.isNull(yield* DenyLists.confirm("0".repeat(16)))
        assert.isNotNull(yield* confirm)
        yield* next
        const left = listed.filter((each) => all.includes(each)).length
        assert.lengthOf(yield* again.refused, left)
        assert.lengthOf(yield* two.refused, left)
        assert.isEmpty(yield* findings)
        yield* two.kill
        const last = yield* start(path)
        assert.lengthOf(yield* last.refused, left)
        assert.isEmpty(yield* findings)
      }),
    )
  }

  play(
    "S38: causes one finding while it is written in pieces, and none once it is complete",
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, text(all))
      const { refused } = yield* start(path)
      for (const size of [0, 0, 5, 5, 12, 12, 17, 17]) {
        writeFileSync(path, text(all.slice(0, size)))
        yield* next
        assert.lengthOf(yield* refused, 20, String(size))
      }
      assert.deepInclude((yield* findings)[0], { listed: 17 })
      writeFileSync(path, text(all))
      yield* next
      assert.lengthOf(yield* refused, 20)
      assert.isEmpty(yield* findings)
    }),
  )

  play(
    "S38: denies addresses that a refused list adds immediately, and refuses lists other than the confirmed one",
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, text(all.slice(0, 10)))
      const { refused } = yield* start(path)
      writeFileSync(path, text(all.slice(5, 15)))
      yield* next
      assert.deepStrictEqual(yield* refused, range(0, 15))
      yield* next
      yield* confirm
      writeFileSync(path, text(all.slice(9, 15)))
      yield* next
      yield* next
      assert.sameMembers(yield* refused, range(5, 15))
      assert.deepInclude((yield* findings)[0], { inForce: 10, listed: 6 })
    }),
  )

  play(
    "S38: logs an error in a process whose setting was lost, and none if there never was a list",
    Effect.gen(function* () {
      const errors: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Error") errors.push(String(message))
      })
      const screens = Effect.gen(function* () {
        const screening = yield* Screening
        return yield* refusedIn(screening)
      }).pipe(Effect.provide(Layer.provide(Layer.fresh(DenyList.unnamed), Logger.layer([logger]))))
      assert.deepStrictEqual(yield* screens, [])
      assert.deepStrictEqual(errors, [])
      const path = yield* file
      writeFileSync(path, text(all))
      yield* Effect.flatMap(start(path), ({ kill }) => kill)
      assert.deepStrictEqual(yield* screens, [])
      assert.lengthOf(errors, 1)
      assert.include(errors[0], "denyList is not set")
    }),
  )

  it.effect("is refused at the start if a line is not an address", () =>
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, `\n${all[0]?.address}0\n`)
      const { message } = yield* Effect.flip(DenyList.open(path))
      assert.strictEqual(message, `denyList ${path}, line 2: an address is 0x and 40 hex digits`)
    }),
  )
})
