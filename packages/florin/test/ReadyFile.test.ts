import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as ReadyFile from "../src/access/ReadyFile.ts"

const keys = { merchantId: "m", partnerKey: "p", walletKey: "w" }
const ready: ReadyFile.Ready = {
  ...keys,
  pid: 0,
  baseUrl: "http://127.0.0.1:3000",
  payLinkHost: "localhost:3000",
  live: keys,
  chains: [],
  wallets: [],
  relayers: [],
}

const runs = Effect.fnUntraced(function* (pid: number, apart = 0) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "florin-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true })),
  )
  const place = { _tag: "Embedded", home } as const
  const { ino: inode } = statSync(home)
  const holder = JSON.stringify({
    pid,
    inode: inode + apart,
    isOperatorOnly: false,
    hasConsole: true,
  })
  writeFileSync(join(home, "service.json"), holder)
  yield* ReadyFile.keep(ReadyFile.inPlace(place), { ...ready, pid })
  return Option.isSome(ReadyFile.findRunning(place))
}, Effect.scoped)

describe("ReadyFile.running", () => {
  it.effect("is of a service whose process is running", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* runs(process.ppid))
    }),
  )

  it.effect("is not in a copy of its directory", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* runs(process.ppid, 1))
    }),
  )

  it.effect("is not of this process, if a killed container's service had the same process id", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* runs(process.pid))
    }),
  )
})
