import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import { Effect, Schema } from "effect"
import * as LocalChains from "../src/LocalChains.ts"
import * as Payer from "../src/Payer.ts"
import * as ReadyFile from "../src/ReadyFile.ts"
import * as Configured from "../src/serve/Configured.ts"
import * as Setting from "../src/serve/Setting.ts"
import * as Settings from "../src/serve/Settings.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

/** A machine with much else to do still gets there. */
const timeout = 120_000

const apiKeys = /flr_test_[pw]k_[0-9A-Za-z]+/gu
const readReady = Schema.decodeSync(Schema.fromJsonString(ReadyFile.Ready))
const relayerKey = `0x${"11".repeat(32)}`
const sealKey = Buffer.alloc(32, 1).toString("base64")

describe("florin serve without any setting", () => {
  it(
    "says that it is no place for real money, tells keys once, takes a payment, and ends with SIGTERM",
    () =>
      Program.inDirectory(async (directory) => {
        const args = ["--port", "0", "--directory", directory, "--local-chains", "8453"]
        const first = await Serving.serve({}, ...args)
        assert.include(first.said.out, "No real money is touched")
        assert.include(first.said.out, "This is no place for real money")
        const [partnerKey = "", walletKey = "", ...others] = first.said.out.match(apiKeys) ?? []
        assert.deepStrictEqual(others, [])
        const ready = readReady(readFileSync(join(directory, "embedded", "ready.json"), "utf8"))
        const [wallet] = LocalChains.wallets
        if (wallet === undefined) assert.fail("there is no wallet")
        const { gatewayUrl } = await makePartner({
          baseUrl: first.url,
          apiKey: partnerKey,
        }).payments.create({
          referenceId: "order-1",
          amount: { unit: "iso4217/USD", value: "1250" },
        })
        const result = await pay(gatewayUrl, {
          baseUrl: first.url,
          payLinkHost: ready.payLinkHost,
          apiKey: walletKey,
          accounts: [Caip.formatAccount(wallet.account(8453))],
          signer: Payer.signer(wallet, ready.chains),
        })
        assert.strictEqual(result._tag, "Succeeded", JSON.stringify(result))
        const ended = await Serving.end(first, "SIGTERM")
        assert.strictEqual(ended.code, 0, ended.err)

        const second = await Serving.serve({}, ...args)
        assert.deepStrictEqual(second.said.out.match(apiKeys), null)
        assert.include(second.said.out, `are kept in ${join(directory, "embedded", "keys.json")}`)
        const busy = await Program.start(["serve", ...args], {}).ended
        assert.strictEqual(busy.code, 1)
        assert.include(busy.err, "a service runs there already")
        assert.strictEqual((await Serving.end(second, "SIGTERM")).code, 0)
      }),
    timeout,
  )

  it("says which port to try when its own is taken", async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const address = other.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const { code, err } = await Program.start(
      ["serve", "--storage", "memory", "--local-chains", "8453", "--port", `${port}`],
      {},
    ).ended
    other.close()
    assert.strictEqual(code, 1)
    assert.include(err, `port ${port} is taken: try --port ${port + 1}\n`)
  })
})

describe("florin serve", () => {
  const database = "postgres://user:secret@127.0.0.1:1/none"
  const shared = {
    DATABASE_URL: database,
    FLORIN_PAY_LINK_HOST: "pay.example.com",
    FLORIN_SEAL_KEY: sealKey,
    FLORIN_VAULT_KEY: sealKey,
  }
  interface Refusal {
    readonly flags?: { readonly [name: string]: ReadonlyArray<string> }
    readonly env?: { readonly [name: string]: string }
    readonly file?: object
    readonly says: string
  }
  const rpc = ["8453=https://secret"]
  const refusals: ReadonlyArray<Refusal> = [
    { env: { FLORIN_PORT: "http" }, says: "FLORIN_PORT must be a number from 0 to 65535" },
    { file: { port: "http" }, says: "must be a number from 0 to 65535" },
    { file: { prot: 3000 }, says: "prot is no setting: florin serve --help lists them" },
    { file: { chains: { 8453: { minimun: 1 } } }, says: "chains holds an object for" },
    { file: { chains: { 8453: {} } }, says: "tells of a chain that has no rpc" },
    { flags: { rpc: ["8453=ftp://secret"] }, says: "--rpc must be a chain's id and a node's" },
    { flags: { rpc: ["5=https://secret"] }, says: "chains are 1, 10, 56" },
    { flags: { storage: ["mysql://u:secret@h/d"] }, says: "--storage must be memory, embedded" },
    { env: { FLORIN_RELAYER_KEYS: "secret" }, says: "FLORIN_RELAYER_KEYS must be private" },
    { env: { FLORIN_RELAYER_KEYS: `0x${"00".repeat(32)}` }, says: "must be private keys" },
    { env: { FLORIN_SEAL_KEY: "secret" }, says: "openssl rand -base64 32" },
    {
      env: { FLORIN_SEAL_KEY: sealKey, FLORIN_SEAL_KEY_FILE: "secret" },
      says: "sealKey is given, and sealKeyFile, too",
    },
    { flags: { sealKeyFile: ["nowhere"] }, says: "what sealKeyFile names cannot be read" },
    { flags: { role: ["api"] }, says: "set DATABASE_URL" },
    { env: { DATABASE_URL: database }, says: "FLORIN_PAY_LINK_HOST, the host of payment" },
    { env: { ...shared, FLORIN_SEAL_KEY: "" }, says: "FLORIN_SEAL_KEY, which all" },
    { env: { ...shared, FLORIN_VAULT_KEY: "" }, says: "FLORIN_VAULT_KEY, which all" },
    { env: shared, flags: { rpc }, says: "FLORIN_RELAYER_KEYS is needed" },
    { env: shared, flags: { testRpc: rpc }, says: "FLORIN_TEST_RELAYER_KEYS is needed" },
    {
      env: { FLORIN_RELAYER_KEYS: relayerKey, FLORIN_TEST_RELAYER_KEYS: relayerKey },
      says: "each mode has its own accounts",
    },
    { flags: { collect: ["always"] }, says: "FLORIN_VAULT_KEY is needed where payers' data" },
    {
      flags: { collect: ["always"] },
      env: { FLORIN_VAULT_KEY: sealKey },
      says: "FLORIN_TERMS_URL and FLORIN_PRIVACY_URL are needed",
    },
  ]
  it("names the setting that it cannot work with and what to do, and repeats no secret", () =>
    Program.inDirectory(async (directory) => {
      const failures = await Promise.all(
        refusals.map(({ env = {}, file: content = {}, flags = {} }, index) => {
          const file = join(directory, `${index}.json`)
          writeFileSync(file, JSON.stringify(content))
          return Effect.runPromise(
            Effect.flip(Configured.settle({ config: [file], ...flags }, env)),
          )
        }),
      )
      for (const [index, failure] of failures.entries()) {
        const says = refusals[index]?.says ?? "?"
        assert.include(failure.message, says)
        assert.notMatch(failure.message, /secret|1111/u)
      }
    }))

  it("believes the command line before the environment, and both before the file", () =>
    Program.inDirectory(async (directory) => {
      const file = join(directory, "florin.json")
      const content = { port: 1, host: "::1", role: "all", rpc: ["8453=https://node.example"] }
      writeFileSync(file, JSON.stringify({ ...content, chains: { 8453: { spendPerHour: "7" } } }))
      const env = { ...shared, FLORIN_CONFIG: file, FLORIN_PORT: "2", FLORIN_ROLE: "api" }
      const configured = await Effect.runPromise(
        Configured.settle(
          { role: ["worker"] },
          { ...env, FLORIN_RELAYER_KEYS: `${relayerKey} draining:0x${"22".repeat(32)}` },
        ),
      )
      const { host, port, role } = configured.values
      assert.deepStrictEqual({ host, port, role }, { host: "::1", port: 2, role: "worker" })
      const { live, test } = Configured.chainsOf(configured)
      assert.deepStrictEqual(test, [])
      const [chain] = live
      assert.deepInclude(chain, { chainId: 8453, spendPerHour: 7n })
      assert.deepStrictEqual(
        chain?.accounts.map(({ isDraining }) => isDraining),
        [false, true],
      )
    }))

  it("ends with 2 where the command line cannot be understood, and with 1 for what it says", async () => {
    const [flag, secret, variable] = await Promise.all([
      Program.start(["serve", "--port", "65536"], {}).ended,
      Program.start(["serve", "--relayer-keys", relayerKey], {}).ended,
      Program.start(["serve"], shared).ended,
    ])
    assert.strictEqual(flag.code, 2)
    assert.include(flag.err, "Expected: a number from 0 to 65535")
    assert.strictEqual(secret.code, 2)
    assert.include(secret.err, "Unrecognized flag: --relayer-keys")
    assert.strictEqual(variable.code, 1)
    assert.notInclude(variable.err, "secret")
  })

  it("refuses a chain that is not of this machine on a storage that may be lost, unless told", () =>
    Program.inDirectory(async (directory) => {
      const args = ["--port", "0", "--directory", directory, "--rpc", "8453=http://node.invalid/k"]
      const environment = { FLORIN_RELAYER_KEYS: relayerKey }
      const storages = ["memory", "embedded"]
      const refused = await Promise.all(
        storages.map(
          (storage) => Program.start(["serve", ...args, "--storage", storage], environment).ended,
        ),
      )
      for (const { code, err } of refused) {
        assert.strictEqual(code, 1)
        assert.include(err, "chain 8453 is no chain of this machine")
        assert.include(
          err,
          "set DATABASE_URL to a PostgreSQL server, or take the risk with --i-know",
        )
      }
      const told = await Serving.serve(environment, ...args, "--storage", "memory", "--i-know")
      assert.include(told.said.err, "no chain is configured for test payments")
      assert.strictEqual((await fetch(`${told.url}/healthz`)).status, 200)
      assert.strictEqual((await Serving.end(told, "SIGTERM")).code, 0)
    }))

  it("has every setting in the documentation, with its flag and its variable", () => {
    const page = readFileSync(
      fileURLToPath(new URL("../../../docs/command-line.md", import.meta.url)),
      "utf8",
    )
    for (const setting of Settings.all) {
      const flag = setting.kind === "secret" ? "" : `--${Setting.flagName(setting)}`
      const row = page
        .split("\n")
        .find((line) => line.startsWith("|") && line.includes(`\`${Setting.variable(setting)}\``))
      assert.isDefined(row, setting.name)
      assert.include(row, `\`${setting.name}\``)
      assert.include(row, flag)
    }
  })
})
