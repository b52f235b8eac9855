import { execFile } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process, { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Signer from "@florin/evm/Signer"
import { Effect } from "effect"
import { inject } from "vitest"
import * as Program from "../src/Program.ts"
import * as SignerSuite from "../src/SignerSuite.ts"
import { address, key, some as asked } from "../test-support/asked.ts"

const source = fileURLToPath(new URL("../test-support/fakeProgram.ts", import.meta.url))
const fake = inject("programs")?.[source] ?? source

/** A busy machine takes its time to start a process. */
const patient = { address, signWithinInMs: 60_000 }

const running = (...args: ReadonlyArray<string>) =>
  Program.account({ ...patient, command: [execPath, fake, ...args] })

SignerSuite.suite(
  "a program",
  SignerSuite.allLies,
  Effect.succeed({
    honest: running(),
    lying: (lie) => running(lie),
    slow: running("hang"),
    down: Program.account({ ...patient, command: ["/nowhere/at all"] }),
    secrets: [key],
  }),
)

const failure = (account: Signer.RelayerAccount) =>
  Effect.map(Effect.flip(Signer.sign(account, asked)), ({ message }) => message)

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "florin program "))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
)

/** A script of a shell, in a place whose name would be several words to one. */
const script = (place: string, text: string): string => {
  const folder = join(place, "my signers; exit 9 #")
  mkdirSync(folder, { recursive: true })
  const path = join(folder, "sign $(it).sh")
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o700)
  return path
}

describe("Program.account", () => {
  it.live("S16: accepts only a signature, with v in both forms", () =>
    Effect.gen(function* () {
      const whole = yield* Signer.sign(running(), asked)
      for (const v of ["27", "parity"]) {
        assert.strictEqual(yield* Signer.sign(running("signature", v), asked), whole)
      }
    }),
  )

  it.live("S16: signs for two accounts at the same time, without waiting", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* directory
        // Each ends only once the other is there, too.
        yield* Effect.all(
          [1, 2].map((nonce) => Signer.sign(running("meet", place), { ...asked, nonce })),
          { concurrency: "unbounded" },
        )
      }),
    ),
  )

  it.live("S16: starts a program whose path has spaces, without a shell", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* directory
        const seen = join(place, "seen")
        const path = script(place, `cat > "${seen}"; printf '%s\\n' "$@" >> "${seen}"; exit 4`)
        const command = [path, "$(echo shell)", "two words; *"] as const
        assert.include(
          yield* failure(Program.account({ ...patient, command })),
          "the program ended with exit code 4",
        )
        const [request = "", ...args] = readFileSync(seen, "utf8").split("\n")
        assert.deepStrictEqual(args, ["$(echo shell)", "two words; *", ""])
        const read: unknown = JSON.parse(request)
        assert.deepInclude(read, {
          version: 1,
          method: "eth_signTransaction",
          address,
          chainId: 8453,
          unsigned: `0x02e182210580010282520894${address.slice(2).toLowerCase()}8080c0`,
        })
      }),
    ),
  )

  it.live("S16: passes only the configured environment variables", () =>
    Effect.gen(function* () {
      const before = { ...process.env }
      Object.assign(process.env, { FLORIN_SEAL_KEY: "secret", KMS_PROFILE: "florin" })
      try {
        const names = yield* failure(
          Program.account({
            ...patient,
            command: [execPath, fake, "environment"],
            environment: ["KMS_PROFILE", "NOT_THERE"],
          }),
        )
        assert.include(names, "KMS_PROFILE")
        assert.include(names, "PATH")
        assert.notMatch(names, /FLORIN|NOT_THERE|VITEST|DATABASE/u)
      } finally {
        for (const name of ["FLORIN_SEAL_KEY", "KMS_PROFILE"]) delete process.env[name]
        Object.assign(process.env, before)
      }
    }),
  )

  it.live("S16: kills a program that hangs, with its children", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* directory
        const [pids, late] = [join(place, "pids"), join(place, "late")]
        const path = script(
          place,
          `(sleep 300; touch "${late}") & echo $! $$ > "${pids}.new"; mv "${pids}.new" "${pids}"; wait`,
        )
        const aborting = new AbortController()
        const hanging = Program.account({ ...patient, command: [path] }).signTransaction(asked, {
          signal: aborting.signal,
        })
        while (!existsSync(pids)) yield* Effect.sleep(20)
        aborting.abort()
        const error = yield* Effect.flip(Effect.tryPromise(() => hanging))
        assert.include(String(error.cause), "was ended by SIGKILL")
        for (const pid of readFileSync(pids, "utf8").trim().split(" ").map(Number)) {
          while (isAlive(pid)) yield* Effect.sleep(20)
        }
        assert.isFalse(existsSync(late))
      }),
    ),
  )

  it.live("S16: survives if it has no file descriptor left to start a program", () =>
    Effect.gen(function* () {
      const text = `
        import { openSync } from "node:fs"
        import { account } from ${JSON.stringify(new URL("../src/Program.ts", import.meta.url).href)}
        import { some } from ${JSON.stringify(new URL("../test-support/asked.ts", import.meta.url).href)}
        try { for (;;) openSync("/dev/null") } catch {}
        const { signal } = new AbortController()
        const signing = account({ address: some.to, command: ["true"] }).signTransaction(some, { signal })
        await signing.catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
        console.log("alive")`
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)("sh", [
          "-c",
          'ulimit -n 64; exec "$@"',
          "sh",
          execPath,
          "--input-type=module",
          "--eval",
          text,
        ]),
      )
      assert.strictEqual(stdout, "alive\n")
    }),
  )

  it.live("S16: passes on a program's error message, without keys and addresses", () =>
    Effect.gen(function* () {
      const message = yield* failure(running("fail"))
      assert.include(message, "the program ended with exit code 3: no access to … at …")
      assert.notMatch(message, /secret|3131/u)
    }),
  )

  it.live.each([
    ["nothing", "exit 0", "no JSON with a signedTransaction or a signature"],
    ["no JSON", "echo 0x1234", "no JSON with a signedTransaction or a signature"],
    ["another shape", 'echo \'{"raw":"0x12"}\'', "no JSON with a signedTransaction"],
    ["a short signature", 'echo \'{"signature":"0x12"}\'', "not r, s and v in 65 bytes"],
    ["without end", "yes", "was ended by SIGKILL"],
  ] as const)("S16: refuses a program that writes %s", ([, text, says]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = script(yield* directory, text)
        assert.include(yield* failure(Program.account({ ...patient, command: [path] })), says)
      }),
    ),
  )
})

/** Somebody who ended and was not waited for is not alive any more, though the number is still taken. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
