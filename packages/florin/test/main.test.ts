import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

const readReady = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ baseUrl: Schema.String })),
)

const argsOf = (command: string) => command.split(" ")

describe("florin", () => {
  const refused: ReadonlyArray<readonly [args: string, message: string]> = [
    ["dve", "Unknown subcommand"],
    ["dev --twice", "Unrecognized flag: --twice"],
    ["dev --port 65536", "Expected: a number from 0 to 65535"],
    ["dev --chains 8453,5", "Expected: ids of chains that are served"],
    ["dev --chains 8453,8453", "each once"],
    ["refunds retry", "Missing required argument: paymentId"],
  ]
  it("has exit code 2, and says what is wrong, for wrong arguments", async () => {
    const ends = await Program.several(refused.map(([args]) => argsOf(args)))
    for (const [index, { code, err, out }] of ends.entries()) {
      const [args = "", message = ""] = refused[index] ?? []
      assert.strictEqual(code, 2, args)
      assert.strictEqual(out, "", args)
      assert.include(err, message)
      assert.include(err, "--help` shows what this command takes")
    }
  })

  it("has exit code 2 for a value that begins with a dash, of whose letters one is a flag", async () => {
    const commands = ["partners create --name -shop", "payments create --reference -v1 --amount 1"]
    const wrong = ["-shop", "-v1"]
    const ends = await Program.several(commands.map(argsOf))
    for (const [index, { code, err, out }] of ends.entries()) {
      assert.deepStrictEqual([code, out], [2, ""])
      assert.include(err, `is not a flag: give a value with a dash as --flag=${wrong[index]}\n`)
    }
  })

  it("has exit code 2 without the value, which may hold a password, for a wrong node", () =>
    Program.inDirectory(async (directory) => {
      const wrong = [
        ["--explorer", "8453=https://u:secret@h/"],
        ["--rpc", "secret"],
      ] as const
      const ends = await Program.several(
        wrong.map((flags) => ["serve", ...flags, "--directory", directory]),
      )
      for (const [index, { code, err }] of ends.entries()) {
        assert.strictEqual(code, 2)
        assert.include(err, `${wrong[index]?.[0]} must be a chain's id`)
        assert.notInclude(err, "secret")
      }
    }))

  it("has exit code 1, and says what to do, without a service", () =>
    Program.inDirectory(async (directory) => {
      const cases: ReadonlyArray<readonly [args: string, message: string]> = [
        ["reconcile", "start `npx florin dev --directory"],
        ["unclaimed list", "no service runs in "],
        // Some programs print hashes in capitals.
        [`payouts record 0x${"AB".repeat(32)}`, "no service runs in "],
        ["reconcile --storage memory", "in memory has no socket"],
      ]
      const ends = await Program.several(
        cases.map(([args]) => [...argsOf(args), "--directory", directory]),
      )
      for (const [index, { code, err }] of ends.entries()) {
        assert.strictEqual(code, 1)
        assert.include(err, cases[index]?.[1] ?? "")
      }
    }))

  it("says what to do if the path of the socket is too long, and a shorter one cannot be made", () =>
    Program.inDirectory(async (directory) => {
      const none = { TMPDIR: join(directory, "none") }
      const long = join(directory, "x".repeat(120))
      for (const command of ["status", "dev"]) {
        // oxlint-disable-next-line no-await-in-loop -- One process is used for both.
        const { code, err } = await Program.runIn(none, command, "--directory", long)
        assert.strictEqual(code, 1)
        assert.include(err, "TMPDIR")
        assert.notMatch(err, /^ +at /mu)
      }
    }))

  it("has exit code 2 for a wrong storage, and repeats no password of it", async () => {
    const storage = ["--storage", "mysql://u:secret@h/d"]
    const commands = ["dev", "reconcile", "login", "migrate", "serve"]
    for (const { code, err } of await Program.several(
      commands.map((name) => [name].concat(storage)),
    )) {
      assert.strictEqual(code, 2, err)
      assert.match(err, /--storage.* memory, embedded, or postgres:\/\//u)
      assert.notInclude(err, "secret")
    }
  })

  it("has exit code 2 for flags of which one would have no effect", async () => {
    const pairs: ReadonlyArray<readonly [args: string, message: string]> = [
      [
        "merchants statement mrch_1 --from 2026-09-01 --to 2026-09-30 --csv --json",
        "--csv and --json",
      ],
      ["migrate --print --check", "--print and --check"],
      ["migrate --print --json", "--print and --json"],
      ["trigger --list --json", "--list and --json"],
      ["login --url http://127.0.0.1:9 --role viewer --scopes read", "--role and --scopes"],
      ["status --key-file ops.key", "set --url"],
      ["doctor --key-file ops.key", "set --url"],
    ]
    const service = {
      FLORIN_URL: "http://127.0.0.1:9",
      FLORIN_API_KEY: "key",
      FLORIN_OPERATOR_KEY: "key",
    }
    const ends = await Program.several(
      pairs.map(([args]) => argsOf(args)),
      service,
    )
    for (const [index, { code, err, out }] of ends.entries()) {
      assert.deepStrictEqual([code, out], [2, ""], pairs[index]?.[0])
      assert.include(err, pairs[index]?.[1] ?? "")
    }
  })

  it("looks for the storage that florin serve uses if two variables are set", () =>
    Program.inDirectory(async (directory) => {
      const { code, err } = await Program.runIn(
        { DATABASE_URL: "postgres://127.0.0.1:1/none", FLORIN_STORAGE: "memory" },
        "partners",
        "list",
        "--directory",
        directory,
      )
      assert.strictEqual(code, 1)
      assert.include(err, "in memory has no socket")
    }))

  it("names the variables of a storage that it does not know", () =>
    Program.inDirectory(async (directory) => {
      const { code, err } = await Program.runIn(
        { DATABASE_URL: "mysql://u:secret@h/d" },
        "status",
        "--directory",
        directory,
      )
      assert.strictEqual(code, 1)
      assert.include(err, "FLORIN_STORAGE or DATABASE_URL must be memory")
      assert.notInclude(err, "secret")
    }))

  it("counts an empty variable as not set", () =>
    Program.inDirectory(async (directory) => {
      const empty = { FLORIN_STORAGE: "", DATABASE_URL: "", FLORIN_SCHEMA: "", FLORIN_URL: "" }
      const { code, err } = await Program.runIn(empty, "status", "--directory", directory)
      assert.strictEqual(code, 1)
      assert.include(err, `no service runs in ${directory}:`)
    }))

  it("suggests another port if its own is taken, and leaves no chain and no ready file behind", () =>
    Program.inDirectory(async (directory) => {
      // As a run that was killed leaves it.
      const readyFile = join(directory, "ready.json")
      writeFileSync(readyFile, "{}")
      const other = createServer()
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
      const address = other.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const given = argsOf(`dev --storage memory --chains 8453 --port ${port} --ready-file`)
      const { code, err } = await Program.start([...given, readyFile]).ended
      other.close()
      assert.strictEqual(code, 1)
      assert.include(err, `port ${port} is in use: choose another, or 0 for any free port\n`)
      assert.isFalse(existsSync(readyFile))
    }))

  /** A file to which nothing can be written, as on a full disk. */
  const withFullDisk = (work: (file: number, directory: string) => Promise<void>) =>
    Program.inDirectory(async (directory) => {
      writeFileSync(join(directory, "full"), "")
      const file = openSync(join(directory, "full"), "r")
      try {
        await work(file, directory)
      } finally {
        closeSync(file)
      }
    })

  it("has exit code 1 if its output cannot be written", () =>
    withFullDisk(async (file) => {
      const commands = ["--help", "--version", "info --json"]
      const ends = commands.map((args) => Program.start(argsOf(args), {}, file).ended)
      assert.deepStrictEqual(
        (await Promise.all(ends)).map(({ code }) => code),
        [1, 1, 1],
      )
    }))

  it("serves without a log if that cannot be written, and stops when its terminal is closed", () =>
    withFullDisk(async (file, directory) => {
      const readyFile = join(directory, "ready.json")
      const given = argsOf("dev --storage memory --chains 8453 --port 0 --ready-file")
      const { child, ended } = Program.start([...given, readyFile], {}, file)
      await Serving.until(() => existsSync(readyFile) || child.exitCode !== null)
      const { baseUrl } = readReady(readFileSync(readyFile, "utf8"))
      const isServed = async () => (await fetch(`${baseUrl}/healthz`)).ok
      assert.isTrue(await isServed())
      // What it says of that call cannot be written.
      await Serving.pause(100)
      assert.isTrue(await isServed())
      child.kill("SIGHUP")
      assert.strictEqual((await ended).code, 0)
      assert.isFalse(existsSync(readyFile))
    }))
})
