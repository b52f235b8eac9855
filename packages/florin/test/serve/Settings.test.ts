import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as process from "node:process"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Credit from "@florin/core/domain/money/Credit"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { RateSource } from "@florin/core/ports/RateSource"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as Evm from "@florin/evm/Evm"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted, Result } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import * as Configured from "../../src/serve/Configured.ts"
import * as Relayers from "../../src/serve/Relayers.ts"
import * as Setting from "../../src/serve/Setting.ts"
import * as Settings from "../../src/serve/Settings.ts"
import * as Program from "../program.ts"

const treasury = "eip155:8453:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const otherTreasury = "eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const base64 = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const key = (byte: string) => `0x${byte.repeat(32)}`
/** The address of a key, and of somebody without one here. */
const addressOf = (byte: string) => privateKeyToAddress(`0x${byte.repeat(32)}`)
const address = (index: number) => Relayers.formatAddress(Wallet.make(index))

type Texts = ReadonlyArray<string>

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Two different values for a setting that has none by its kind; for a file of keys, what that holds. */
const examples: { readonly [name: string]: readonly [Texts, Texts] } = {
  host: [["0.0.0.0"], ["::1"]],
  operatorHost: [["10.0.0.5"], ["::1"]],
  otlp: [["http://127.0.0.1:4318"], ["https://collector.example/key"]],
  otlpHeaders: [["authorization=Bearer%20secret", "x-tenant=a"], ["authorization=other"]],
  otlpHeadersFile: [["authorization=secret"], ["authorization=other"]],
  operatorUrl: [["https://a.example"], ["http://10.0.0.5:9464"]],
  publicUrl: [["https://a.example"], ["https://b.example:8443"]],
  payLinkHost: [["a.example.com"], ["localhost:3000"]],
  storage: [["memory"], ["postgres://florin:pass@db.example/florin"]],
  schema: [["payments"], ["shop_2"]],
  directory: [["here"], ["there"]],
  rpc: [["8453=https://a.example/k", "137=https://a.example/k"], ["8453=https://b.example/k"]],
  testRpc: [["8453=https://a.example/k"], ["137=https://b.example/k", "1=http://b.example"]],
  chains: [
    ["8453.minimum=0.1", "8453.finality=safe", "137.finality=5"],
    ["8453.minimum=0.2", "8453.finality=7", "137.finality=finalized"],
  ],
  assets: [[beside("assets.json")], [beside("otherAssets.json")]],
  flow: [
    ["eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7=permit2,transfer"],
    ["eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7=transfer"],
  ],
  localChains: [["8453"], ["137,1"]],
  relayers: [[address(1), `8453=draining:${address(2)}`], [address(3)]],
  relayerKeys: [[key("11"), `draining:${key("22")}`, `8453=draining:${key("99")}`], [key("33")]],
  relayerKeysFile: [[key("44")], [`draining:${key("44")}`]],
  signers: [
    [JSON.stringify([{ address: address(7), keyFile: "/run/a key" }])],
    [JSON.stringify([{ address: `8453=draining:${address(8)}`, program: ["/opt/a signer", "x"] }])],
  ],
  testSigners: [
    [JSON.stringify([{ address: address(9), web3signer: "https://signer.example:9000" }])],
    [JSON.stringify([{ address: address(10), web3signer: "http://127.0.0.1", tokenFile: "t" }])],
  ],
  testRelayers: [[address(4)], [address(5), `8453=${address(6)}`]],
  testRelayerKeys: [[key("55")], [key("66"), key("77")]],
  testRelayerKeysFile: [[key("88")], [key("99")]],
  alertUrl: [["https://alerts.example/florin"], ["http://10.0.0.5:8080/"]],
  alertSecret: [[`whsec_${base64(9)}`, `whsec_${base64(10)}`], [`whsec_${base64(10)}`]],
  alertSecretFile: [[`whsec_${base64(9)}`], [`whsec_${base64(10)}`]],
  sealKey: [[base64(1), base64(2)], [base64(2)]],
  sealKeyFile: [[base64(3)], [base64(4)]],
  vaultKey: [[base64(5), base64(6)], [base64(6)]],
  vaultKeyFile: [[base64(7)], [base64(8)]],
  fieldHeader: [["X-Field"], ["X-One", "X-Two"]],
  app: [["live:pocket-wallet"], ["test:pocket-wallet", "live:9f3a_b.c=field"]],
  corsOrigin: [["https://a.example"], ["https://b.example", "https://c.example"]],
  rateLimit: [["0"], ["7"]],
  proxyHeader: [["X-Forwarded-For"], ["cf-connecting-ip"]],
  failureBudgets: [
    ["merchant=20", "key=0"],
    ["merchant=5", "key=1"],
  ],
  collect: [
    ["above:1000.00USD", "above:900EUR", "mrch_one=never"],
    ["always", "mrch_one=above:1GBP"],
  ],
  rate: [
    ["GBP.USDC=1.27", "JPY.USDT0=0.0064@2026-11-20T12:00:00Z"],
    ["GBP.USDC=1.28", "JPY.USDT0=0.0064@2026-11-21T12:00:00+01:00"],
  ],
  rateFile: [["rates.json"], ["https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"]],
  rateFeed: [
    [`EUR.USD=1:0x${"1a".repeat(20)}/25h`, `EUR.USD=8453:0x${"2b".repeat(20)}/90m`],
    [`ETH.USD=1:0x${"1a".repeat(20)}/1h`],
  ],
  rateFeedRpc: [["1=https://a.example/k"], ["1=https://b.example/k", "8453=http://c.example"]],
  sequencerFeed: [[`8453=0x${"1a".repeat(20)}`], [`10=0x${"2b".repeat(20)}`]],
  pegGuard: [["USDC=100", "EURC=200"], ["USDC=50"]],
  payouts: [["immediate"], ["60m/500"]],
  testPayouts: [["15m"], ["immediate"]],
  walletConnectProject: [["0a".repeat(16)], ["1b".repeat(16)]],
  walletConnectRelay: [["wss://a.example"], ["ws://127.0.0.1:8080/relay"]],
  frameAncestor: [["https://a.example"], ["https://b.example", "https://c.example"]],
  explorer: [
    ["8453=https://a.example/tx/", "137=https://a.example/?tx="],
    ["8453=https://b.example/tx/"],
  ],
  treasury: [[treasury], [treasury, otherTreasury]],
  sweep: [[treasury], [treasury, otherTreasury]],
}

/** Two values for a switch, a whole number, one of several words, a file or a page, by what the setting expects. */
const samples = ({ expected, otherwise }: Setting.Setting<unknown>): ReadonlyArray<string> => {
  if (expected === "true or false") return ["true", "false"]
  if (expected === "the name of a file") return ["a.txt", "b.txt"]
  if (expected.startsWith("the address of a page"))
    return ["https://a.example", "https://b.example"]
  const [, least = "0", most] = /(?: from (\d+) to|, at most) (\d+)$/u.exec(expected) ?? []
  const all =
    most === undefined
      ? (/^(?:\w+, )*\w+ or \w+$/u.exec(expected)?.[0].split(/, | or /u) ?? [])
      : [least, `${Number(least) + 1}`, most]
  return all.filter((each) => each !== String(otherwise))
}

const examplesOf = (setting: Setting.Setting<unknown>): readonly [Texts, Texts] => {
  const [one, two] = samples(setting)
  const found = one === undefined || two === undefined ? undefined : ([[one], [two]] as const)
  return examples[setting.name] ?? found ?? assert.fail(`give ${setting.name} an example here`)
}

/** A value with what it hides, to be compared. */
const shown = (value: unknown): string =>
  inspect(value, {
    depth: 8,
    sorted: true,
    // Functions of accounts are others each time.
  }).replaceAll(/\[(?:Async)?Function[^\]]*\]/gu, "")

const revealed = (values: Settings.Values) => ({
  ...values,
  rpc: values.rpc.map(({ chainId, url }) => `${chainId}=${Redacted.value(url)}`),
  testRpc: values.testRpc.map(({ chainId, url }) => `${chainId}=${Redacted.value(url)}`),
  rateFeedRpc: values.rateFeedRpc.map(({ chainId, url }) => `${chainId}=${Redacted.value(url)}`),
  vaultKey: values.vaultKey.map((each) => Redacted.value(each.key)),
  alertUrl: values.alertUrl === null ? null : Redacted.value(values.alertUrl),
  otlp: values.otlp === null ? null : Redacted.value(values.otlp),
  otlpHeaders: values.otlpHeaders.map((each) => Redacted.value(each)),
})

const usdc =
  BuiltIn.catalog.assets.find(({ symbol }) => symbol === "USDC") ?? assert.fail("no USDC")

interface Given {
  readonly flags?: { readonly [name: string]: Texts }
  readonly env?: { readonly [name: string]: string }
  readonly file?: { readonly [name: string]: unknown }
}

/** A directory in which settings can be read, whichever file they are in. */
const inPlace = (
  work: (
    read: (given: Given) => ReturnType<typeof Configured.settle>,
    directory: string,
  ) => Promise<void>,
) =>
  Program.inDirectory((directory) => {
    let files = 0
    return work(({ env = {}, file, flags = {} }) => {
      const path = join(directory, `${(files += 1)}.json`)
      writeFileSync(path, JSON.stringify(file ?? {}), { mode: 0o600 })
      return Configured.read({ config: [path], ...flags }, env)
    }, directory)
  })

/** As the file has it: chains and signers are objects there, and what is one text needs no list. */
const inFile = (name: string, texts: Texts): unknown => {
  if (/signers$/iu.test(name)) return JSON.parse(texts.join(""))
  if (name !== "chains") return texts.length === 1 ? texts[0] : texts
  const chains: { [chainId: string]: { [what: string]: string | number } } = {}
  for (const text of texts) {
    const [, chainId = "", what = "", value = ""] = /^(\d+)\.(\w+)=(.+)$/u.exec(text) ?? []
    chains[chainId] = {
      ...chains[chainId],
      [what]: /^[0-9.]+$/u.test(value) ? Number(value) : value,
    }
  }
  return chains
}

describe("a setting of florin serve", () => {
  const given = Settings.inConfigFile

  it("has an example in this file", () => {
    assert.includeMembers(
      given.map(({ name }) => name),
      Object.keys(examples),
    )
  })

  it.each(given)(
    "$name has the same value as a flag, a variable and in the file, in this order of precedence",
    (setting) =>
      inPlace(async (read, directory) => {
        const { kind, name } = setting
        /** A key that is in a file of its own is given as that file's name. */
        const written = (texts: Texts, file: string): Texts => {
          if (!/(?:Keys?|Headers|Secret)File$/u.test(name)) return texts
          const path = join(directory, file)
          writeFileSync(path, texts.join("\n"), { mode: 0o600 })
          return [path]
        }
        const [one, two] = examplesOf(setting)
        const [strong, weak] = [written(one, "one"), written(two, "two")]
        const meant = async (from: Given) => {
          const { values } = await Effect.runPromise(read(from))
          return shown(revealed(values))
        }
        const asFlag = (texts: Texts) => ({ flags: { [name]: texts } })
        const asVariable = (texts: Texts) => ({
          env: { [Setting.variable(setting)]: texts.join(" ") },
        })
        const asFile = (texts: Texts) => ({ file: { [name]: inFile(name, texts) } })

        const [usual, value, other] = [
          await meant({}),
          await meant(asVariable(strong)),
          await meant(asVariable(weak)),
        ]
        assert.notStrictEqual(value, other)
        if (kind !== "switch") assert.notInclude([value, other], usual)
        assert.strictEqual(await meant(asFile(strong)), value)
        assert.strictEqual(await meant({ ...asVariable(strong), ...asFile(weak) }), value)
        if (kind === "secret") {
          assert.notProperty(Settings.flags, name)
          assert.property(Settings.flags, `${name}File`)
          return
        }
        assert.property(Settings.flags, name)
        assert.strictEqual(await meant(asFlag(strong)), value)
        assert.strictEqual(await meant({ ...asFlag(strong), ...asVariable(weak) }), value)
        assert.strictEqual(await meant({ ...asFlag(strong), ...asFile(weak) }), value)
      }),
  )

  it("is merged with weaker settings for other chains or merchants", () =>
    inPlace(async (read) => {
      const { values } = await Effect.runPromise(
        read({
          flags: {
            chains: ["8453.finality=3"],
            collect: ["mrch_one=never"],
            explorer: ["8453=https://a.example/"],
          },
          env: {
            FLORIN_EXPLORER: "8453=https://b.example/ 1=https://b.example/",
            FLORIN_CHAINS: "8453.finality=4 8453.minimum=1 8453.finalizedFrom=1000",
            FLORIN_COLLECT: "mrch_one=always mrch_two=above:1USD mrch_two=above:2EUR",
          },
          file: {
            chains: { 8453: { minimum: 2, spendPerHour: "7" }, 137: { finality: "safe" } },
            collect: ["always", "mrch_two=above:3GBP"],
          },
        }),
      )
      assert.deepStrictEqual(values.chains, {
        8453: { finality: 3, finalizedFrom: 1000, minimum: 1, spendPerHour: 7n },
        137: { finality: "safe" },
      })
      assert.deepStrictEqual(values.explorer, {
        "eip155:8453": "https://a.example/",
        "eip155:1": "https://b.example/",
      })
      const { ofMerchants, usual } = values.collect
      assert.deepStrictEqual(usual, {})
      assert.deepStrictEqual(Object.fromEntries(ofMerchants), {
        mrch_one: null,
        mrch_two: { USD: 101n, EUR: 201n },
      })
    }))

  it.each([
    ["8453,137", null],
    ["eip155:8453,137", null],
    ["8453,eip155:8453", "ids of chains that are served, each once: eip155:"],
    ["solana:8453", "ids of chains that are served"],
    ["08453", "ids of chains that are served"],
    ["eip155:08453", "ids of chains that are served"],
  ])("accepts local chains by id or by number: %s", (text, refused) =>
    inPlace(async (read) => {
      const settled = await Effect.runPromise(
        Effect.result(read({ env: { FLORIN_LOCAL_CHAINS: text } })),
      )
      if (refused === null) {
        const { localChains } = Result.getOrThrow(settled).values
        assert.sameMembers([...localChains], ["eip155:8453", "eip155:137"])
      } else {
        assert.include(Result.isFailure(settled) && settled.failure.message, refused)
      }
    }),
  )

  it("is ignored if its variable is empty", () =>
    inPlace(async (read) => {
      const { values } = await Effect.runPromise(
        read({ env: { FLORIN_PORT: " ", FLORIN_RPC: "" }, file: { port: 7 } }),
      )
      assert.deepStrictEqual([values.port, values.rpc], [7, []])
    }))

  it("is documented with its flag and its variable", () => {
    const path = fileURLToPath(new URL("../../../../docs/command-line.md", import.meta.url))
    const lines = readFileSync(path, "utf8").split("\n")
    const isUpdating = process.env["FLORIN_UPDATE"] === "1"
    let at = lines.findIndex((line) => line.startsWith("| name in the file")) + 1
    for (const setting of Settings.all) {
      const { help, kind, metavar, name, usually } = setting
      const variable = `\`${Setting.variable(setting)}\``
      const flag = kind === "secret" ? "" : `--${Setting.flagName(setting)}`
      const found = lines.findIndex((line) => line.startsWith("|") && line.includes(variable))
      if (found < 0 && isUpdating) {
        const onLine = flag === "" ? "" : `\`${`${flag} ${metavar}`.trim()}\``
        const meaning = `${help.charAt(0).toLowerCase()}${help.slice(1)} (default: ${usually})`
        lines.splice(at + 1, 0, `| \`${name}\` | ${onLine} | ${variable} | ${meaning} |`)
      }
      at = found < 0 ? at + 1 : found
      assert.include(lines[at], variable, `FLORIN_UPDATE=1 adds the row of ${name}`)
      assert.include(lines[at], `\`${name}\``)
      assert.include(lines[at], flag)
    }
    if (isUpdating) writeFileSync(path, lines.join("\n"))
  })
})

describe("the settings of florin serve", () => {
  const database = "postgres://user:secret@127.0.0.1:1/none"
  const rpc = ["8453=https://secret"]
  const feedAddress = `0x${"1a".repeat(20)}`
  const [relayerKey, sealKey] = [key("11"), base64(1)]
  const shared = {
    DATABASE_URL: database,
    FLORIN_PAY_LINK_HOST: "pay.example.com",
    FLORIN_SEAL_KEY: sealKey,
    FLORIN_VAULT_KEY: sealKey,
  }
  const refusals: ReadonlyArray<Given & { readonly says: string }> = [
    { env: { FLORIN_PORT: "http" }, says: "FLORIN_PORT must be a number from 0 to 65535" },
    { file: { port: "http" }, says: "must be a number from 0 to 65535" },
    {
      flags: { operatorPort: ["9464"], port: ["9464"] },
      says: "operatorPort is port 9464, the public port: choose another one",
    },
    { env: { FLORIN_OPERATOR_PORT: "3000" }, says: "operatorPort is port 3000" },
    { env: { FLORIN_OTLP: "collector:4318" }, says: "must be the address of a collector" },
    ...["secret", "=secret", "name=%secret"].map((given) => ({
      env: { FLORIN_OTLP_HEADERS: given },
      says: "FLORIN_OTLP_HEADERS must be a header's name, =, and its value",
    })),
    {
      file: { prot: 3000 },
      says: "prot is not a setting of a configuration file: `florin serve --help` lists the settings",
    },
    { file: { config: "other.json" }, says: "config is not a setting of a configuration file" },
    { file: { port: { secret: 1 } }, says: "port is text, a number, or a list of texts" },
    { flags: { config: ["nowhere"] }, says: "nowhere cannot be read: set --config to" },
    { file: { chains: { 8453: { minimun: 1 } } }, says: "chains holds an object for" },
    { file: { chains: { 8453: { finality: 0 } } }, says: "chains holds an object for" },
    { file: { chains: { 8453: { spendPerHour: 2 ** 60 } } }, says: "gas is in wei, as text" },
    { file: { chains: { 8453: { finality: 2 } } }, says: "has a chain without a node" },
    { flags: { chains: ["8453.finality=0.5"] }, says: "--chains must be a chain's id and one" },
    { env: { FLORIN_CHAINS: "8453.minimum=-1" }, says: "such as 8453.finality=safe" },
    {
      flags: { chains: ["8453.finality=2"] },
      env: { FLORIN_CHAINS: "8453.minimum=none" },
      says: "FLORIN_CHAINS must be a chain's id",
    },
    ...["", "eip2612", "permit2,", "permit2,permit2", "permit2;transfer"].map((flows) => ({
      flags: { flow: [`eip155:1/erc20:0x${"2".repeat(40)}=${flows}`] },
      says: "--flow must be a token and its flows, each once",
    })),
    {
      env: { FLORIN_FLOW: "eip155:1/erc20:USDT=transfer" },
      says: "FLORIN_FLOW must be a token and its flows",
    },
    { env: { FLORIN_CHAINS: "8453.spendPerHour=1e9" }, says: "gas is in wei" },
    {
      env: { FLORIN_CHAINS: "8453.finality=1 8453.finality=2" },
      says: "of its settings, each once",
    },
    { flags: { rpc: ["8453=ftp://secret"] }, says: "--rpc must be a chain's id and a node's" },
    { flags: { rpc: ["0=https://secret"] }, says: "--rpc must be a chain's id and a node's" },
    { flags: { rpc: ["08453=https://secret"] }, says: "--rpc must be a chain's id and a node's" },
    { flags: { explorer: ["0=https://scan.example/"] }, says: "--explorer must be a chain's id" },
    {
      flags: { explorer: ["Base=https://scan.example/"] },
      says: "--explorer must be a chain's id",
    },
    { env: { FLORIN_EXPLORER: "8453=https://scan.example/tx" }, says: "which ends with / or =" },
    ...[
      "ftp://scan.example/",
      "http://scan.example/tx/",
      "http://localhost:4000/tx/",
      "https://secret@scan.example/tx/",
      "https://:secret@scan.example/tx/",
    ].map((each) => ({
      file: { explorer: [`8453=${each}`] },
      says: "must be a chain's id, once, and an https address",
    })),
    {
      flags: { explorer: ["1=https://a.example/", "1=https://b.example/"] },
      says: "a chain's id, once",
    },
    ...["GBP.USDC", "gbp.USDC=1", "XAU.USDC=1", "GBP.USDC=0.0", "GBP.USDC=1,2"].map((each) => ({
      flags: { rate: [each] },
      says: "--rate must be a currency, a token",
    })),
    {
      flags: { flow: [`eip155:1/erc20:0x${"2".repeat(40)}=transfer`] },
      says: `flow names eip155:1/erc20:0x${"2".repeat(40)}, which is not a token of this service`,
    },
    {
      flags: { rate: ["GBP.DAI=1"] },
      says: "rate names DAI, which is not a token of this service",
    },
    { flags: { assets: ["none.json"] }, says: "none.json cannot be read" },
    {
      flags: { explorer: ["5=https://scan.example/tx/"] },
      says: "explorer names eip155:5, which is not served",
    },
    {
      flags: { rpc: ["84532=https://a.example"] },
      env: { FLORIN_RELAYER_KEYS: key("11") },
      says: "chain eip155:84532 is a test network",
    },
    ...["USD.USDC=0.5", "USD.USDT=1", "EUR.EURC=1"].map((each) => ({
      flags: { rate: [each] },
      says: "a token that is not pegged to it",
    })),
    {
      env: { FLORIN_RATE: "GBP.USDC=1 GBP.USDC=2" },
      says: "each pair once, such as GBP.USDC=1.27",
    },
    ...["@", "@now", "@2026-11-20", "@2026-02-30T12:00:00Z", "@1790000000"].map((time) => ({
      flags: { rate: [`GBP.USDC=1.27${time}`] },
      says: "GBP.USDC=1.27@2026-11-20T12:00:00Z with the time it was set",
    })),
    ...["0", "8761", "1.5", "-1"].map((each) => ({
      flags: { rateFileMaxAgeHours: [each] },
      says: "a whole number of hours from 1 to 8760",
    })),
    ...[
      "ftp://secret/r",
      "HTTPS://secret/r",
      "http://rates.example/secret",
      "https://",
      "file:///secret",
    ].map((each) => ({
      flags: { rateFile: [each] },
      says: "--rate-file must be the name of a file, or an https URL",
    })),
    ...[
      `EUR.USD=1:${feedAddress}`,
      `EUR.USD=1:${feedAddress}/0h`,
      `EUR.USD=1:${feedAddress}/1d`,
      `EUR.USD=1:${feedAddress.slice(0, -1)}/1h`,
      `EUR.EUR=1:${feedAddress}/1h`,
      `eur.usd=1:${feedAddress}/1h`,
      `EUR.USD=0:${feedAddress}/1h`,
      `EUR/USD=1:${feedAddress}/1h`,
    ].map((each) => ({
      flags: { rateFeed: [each] },
      says: "--rate-feed must be a pair, the chain and the address of its feed",
    })),
    {
      flags: { rateFeed: [`EUR.USD=1:${feedAddress}/1h`] },
      says: "a price feed is on chain eip155:1, which has no node: add one to rateFeedRpc",
    },
    {
      flags: { sequencerFeed: [`8453=${feedAddress}`] },
      says: "a price feed is on chain eip155:8453, which has no node",
    },
    ...["USDC", "USDC=0", "USDC=5001", "USDC=1%", "usdc=100"].map((each) => ({
      flags: { pegGuard: [each] },
      says: "--peg-guard must be a token's symbol, once, and how many basis points",
    })),
    { env: { FLORIN_PEG_GUARD: "USDC=1 USDC=2" }, says: "a token's symbol, once" },
    {
      flags: {
        rateFeed: [`EUR.USD=1:${feedAddress}/1h`],
        rateFeedRpc: ["1=https://secret"],
        pegGuard: ["USDC=100"],
      },
      says: "pegGuard names USDC, which no source prices: add a rateFeed for it, or remove it",
    },
    { flags: { storage: ["mysql://u:secret@h/d"] }, says: "--storage must be memory, embedded" },
    { flags: { payouts: ["15"] }, says: "--payouts must be immediate, minutes such as 15m" },
    { env: { FLORIN_TEST_PAYOUTS: "10081m" }, says: "such as 15m/500, at most 10080m" },
    { env: { FLORIN_RELAYER_KEYS: "secret" }, says: "FLORIN_RELAYER_KEYS must be private" },
    { env: { FLORIN_RELAYER_KEYS: key("00") }, says: "must be private keys" },
    { env: { FLORIN_SEAL_KEY: "secret" }, says: "openssl rand -base64 32" },
    {
      env: { FLORIN_SEAL_KEY: sealKey, FLORIN_SEAL_KEY_FILE: "secret" },
      says: "sealKey and sealKeyFile are both set",
    },
    { flags: { sealKeyFile: ["nowhere"] }, says: "what sealKeyFile names cannot be read" },
    { flags: { role: ["api"] }, says: "set DATABASE_URL" },
    { env: { DATABASE_URL: database }, says: "FLORIN_PAY_LINK_HOST, the host of payment" },
    {
      env: { FLORIN_PAY_LINK_HOST: "pay.example.com:8443" },
      says: "without scheme, port or path; on this machine localhost and the port",
    },
    {
      env: { FLORIN_PUBLIC_URL: "https://shop.example/pay" },
      says: "FLORIN_PUBLIC_URL must be scheme and host, such as https://pay.example.com, without a path",
    },
    {
      env: { DATABASE_URL: database },
      flags: { app: ["live:a", "test:a"] },
      says: "describes how\n  FLORIN_VAULT_KEY, which all processes share, is required with PostgreSQL: docs/operations.md describes how\n  an app id is given twice",
    },
    { env: { ...shared, FLORIN_SEAL_KEY: "" }, says: "FLORIN_SEAL_KEY, which all" },
    { env: { ...shared, FLORIN_VAULT_KEY: "" }, says: "FLORIN_VAULT_KEY, which all" },
    {
      env: shared,
      flags: { rpc },
      says: "FLORIN_RELAYER_KEYS is required with rpc (with --role api, FLORIN_RELAYERS is enough)",
    },
    { env: shared, flags: { testRpc: rpc }, says: "FLORIN_TEST_RELAYER_KEYS is required" },
    {
      env: { ...shared, FLORIN_RELAYERS: `137=${address(1)}` },
      flags: { rpc },
      says: "chain eip155:8453 has no account that collects",
    },
    {
      env: { ...shared, FLORIN_RELAYERS: address(1), FLORIN_RELAYER_KEYS: `137=${relayerKey}` },
      flags: { rpc },
      says: "is for chain eip155:137, which is not in rpc",
    },
    ...[
      "secret",
      "{}",
      [{ address: address(1) }],
      [{ address: relayerKey, keyFile: "secret" }],
      [{ address: address(1).toLowerCase(), keyFile: "secret" }],
      [{ address: address(1), keyFile: "secret", program: ["secret"] }],
      [{ address: address(1), program: "secret" }],
      [{ address: address(1), program: [] }],
      [{ address: address(1), program: ["secret"], environment: ["A=secret"] }],
      [{ address: address(1), program: ["secret"], signWithinInMs: 20_001 }],
      [{ address: address(1), web3signer: "signer.example/secret" }],
      [{ address: address(1), web3signer: "https://user:secret@signer.example" }],
    ].map((each) => ({
      env: { FLORIN_SIGNERS: typeof each === "string" ? each : JSON.stringify(each) },
      says: "FLORIN_SIGNERS must be a list in JSON, each with an address",
    })),
    { file: { signers: "secret" }, says: "signers is a list in JSON" },
    {
      env: { ...shared, FLORIN_RELAYER_KEYS: relayerKey },
      file: { signers: [{ address: `137=${addressOf("11")}`, keyFile: "secret" }] },
      says: "is twice in FLORIN_RELAYER_KEYS and FLORIN_SIGNERS: keep one of them",
    },
    {
      env: shared,
      file: { testSigners: [{ address: `137=${address(1)}`, keyFile: "secret" }] },
      says: "is for chain eip155:137, which is not in testRpc",
    },
    {
      env: { FLORIN_RELAYERS: address(1) },
      file: { testSigners: [{ address: address(1), keyFile: "secret" }] },
      says: "use different accounts for each mode",
    },
    ...["secret", "0A".repeat(16), "0a".repeat(15)].map((id) => ({
      flags: { walletConnectProject: [id] },
      says: "--wallet-connect-project must be the id of a project",
    })),
    ...["https://a.example", "ws://a.example", "ws://127.0.0.1.a.example", "wss://"].map((url) => ({
      flags: { walletConnectRelay: [url] },
      says: "--wallet-connect-relay must be the address of a relay",
    })),
    { env: { FLORIN_RELAYERS: relayerKey }, says: "FLORIN_RELAYERS must be addresses" },
    { flags: { relayers: [relayerKey] }, says: "--relayers must be addresses" },
    { flags: { relayers: [address(1).toLowerCase()] }, says: "the capitals of their checksum" },
    { flags: { relayers: [`08453=${address(1)}`] }, says: "such as 8453=draining:0x…" },
    { flags: { relayers: [`draining:8453=${address(1)}`] }, says: "such as 8453=draining:0x…" },
    {
      env: { FLORIN_RELAYERS: address(1), FLORIN_TEST_RELAYERS: address(1) },
      says: "use different accounts for each mode",
    },
    {
      env: { FLORIN_RELAYER_KEYS: `8453=${relayerKey}`, FLORIN_TEST_RELAYERS: addressOf("11") },
      says: "use different accounts for each mode",
    },
    {
      env: { FLORIN_RELAYER_KEYS: relayerKey, FLORIN_TEST_RELAYER_KEYS: relayerKey },
      says: "use different accounts for each mode",
    },
    { flags: { app: ["pocket"] }, says: "--app must be live: or test: and an id" },
    { flags: { app: ["live:a=both"] }, says: "--app must be live: or test: and an id" },
    { flags: { app: ["live:a", "test:a=field"] }, says: "an app id is given twice" },
    {
      env: { FLORIN_COLLECT: "above:1000.00" },
      says: "FLORIN_COLLECT must be never, always, or above:1000.00USD",
    },
    { file: { collect: ["shop=always"] }, says: "mrch_…= before a rule limits it" },
    { flags: { collect: ["always"] }, says: "FLORIN_VAULT_KEY is required if payers' data" },
    { flags: { collect: ["above:9USD"] }, says: "FLORIN_VAULT_KEY is required if payers' data" },
    {
      flags: { collect: ["mrch_one=always"] },
      env: { FLORIN_VAULT_KEY: sealKey },
      says: "FLORIN_TERMS_URL and FLORIN_PRIVACY_URL are required",
    },
  ]

  it.each(refusals)(
    "are refused with a message that says what is wrong: $says",
    ({ says, ...given }) =>
      inPlace(async (read) => {
        const { message } = await Effect.runPromise(
          Effect.flip(Effect.flatMap(read(given), Configured.check)),
        )
        assert.include(message, says)
        assert.notMatch(message, /secret|1111/u)
      }),
  )

  it("refuse a node of a chain that is not served", () =>
    inPlace(async (read) => {
      const configured = await Effect.runPromise(
        read({
          env: { ...shared, FLORIN_RELAYER_KEYS: relayerKey },
          flags: { rpc: ["5=https://secret"] },
        }),
      )
      const { _tag, message } = await Effect.runPromise(
        Effect.flip(Effect.scoped(Layer.build(Configured.chainsLayer(configured)))),
      )
      assert.strictEqual(_tag, "InvalidChain")
      assert.include(message, "chain 5: is not served: choose from 1, 10, 56, ")
      assert.notInclude(message, "secret")
    }))

  it("configure the chains of each mode", () =>
    inPlace(async (read) => {
      const configured = await Effect.runPromise(
        read({
          env: { ...shared, FLORIN_RELAYER_KEYS: `${relayerKey} draining:${key("22")}` },
          file: {
            rpc: ["8453=https://node.example"],
            chains: { 8453: { finality: "safe", spendPerHour: "7" } },
          },
        }),
      )
      assert.deepStrictEqual(configured.test.chains, [])
      const [chain] = configured.live.chains
      assert.deepInclude(chain, { chainId: 8453, finality: "safe", spendPerHour: 7n })
      assert.deepStrictEqual(
        chain?.accounts.map(({ isDraining }) => isDraining),
        [false, true],
      )
    }))

  it("S16: configure each chain's accounts in the given order, with their keys", () =>
    inPlace(async (read) => {
      const nodes = ["8453=https://a.example", "137=https://a.example"]
      const names = `${address(1)} ${addressOf("11")} 137=draining:${addressOf("22")}`
      const keys = `8453=${key("11")} 137=${key("22")} ${key("33")}`
      const configured = await Effect.runPromise(
        read({
          env: { ...shared, FLORIN_RELAYERS: names, FLORIN_RELAYER_KEYS: keys },
          flags: { rpc: nodes },
        }),
      )
      await Effect.runPromise(Configured.check(configured))
      const shownOf = (account: Evm.OwnAccount) =>
        [Relayers.formatAddress(account), Evm.hasKey(account), account.isDraining] as const
      assert.deepStrictEqual(
        configured.live.chains.map(({ accounts }) => accounts.map(shownOf)),
        [
          [
            [address(1), false, false],
            [addressOf("11"), true, false],
            [addressOf("33"), true, false],
          ],
          [
            [address(1), false, false],
            [addressOf("11"), false, false],
            [addressOf("22"), true, true],
            [addressOf("33"), true, false],
          ],
        ],
      )
    }))

  it.each([
    ["all", { FLORIN_RELAYERS: address(1) }],
    ["worker", { FLORIN_RELAYERS: `draining:${address(1)}`, FLORIN_RELAYER_KEYS: relayerKey }],
  ])("S16: refuse to start with --role %s and an account without its key", (role, relayers) =>
    inPlace(async (read) => {
      const configured = await Effect.runPromise(
        read({ env: { ...shared, ...relayers }, flags: { rpc, role: [role] } }),
      )
      await Effect.runPromise(Configured.check(configured))
      const { message } = await Effect.runPromise(
        Effect.flip(Effect.scoped(Configured.start(configured))),
      )
      assert.strictEqual(
        message,
        `account ${address(1)} of FLORIN_RELAYERS has no key for chain eip155:8453, and workers must sign: set its key in FLORIN_RELAYER_KEYS or its signer in FLORIN_SIGNERS, or start this process with --role api`,
      )
    }),
  )

  it("S16: use signers only in processes that work, each on its chains", () =>
    inPlace(async (read) => {
      const signers = [
        {
          address: `8453=${address(1)}`,
          web3signer: "https://signer.example",
          signWithinInMs: 500,
        },
        { address: `draining:${address(2)}`, program: ["/opt/sign"] },
      ]
      const accountsOf = async (role: string) => {
        const configured = await Effect.runPromise(
          read({
            env: { ...shared, FLORIN_RELAYERS: address(2), FLORIN_RELAYER_KEYS: relayerKey },
            file: { signers },
            flags: { rpc: ["8453=https://a.example", "137=https://a.example"], role: [role] },
          }),
        )
        await Effect.runPromise(Configured.check(configured))
        return configured.live.chains.map(({ accounts }) => accounts)
      }
      const shownOf = (account: Evm.OwnAccount) =>
        [Relayers.formatAddress(account), Evm.hasKey(account), account.isDraining] as const
      const [base, polygon] = await accountsOf("worker")
      assert.deepStrictEqual(base?.map(shownOf), [
        [address(2), true, true],
        [addressOf("11"), true, false],
        [address(1), true, false],
      ])
      assert.deepStrictEqual(polygon?.map(shownOf), [
        [address(2), true, true],
        [addressOf("11"), true, false],
      ])
      assert.deepInclude(base?.[2], { signWithinInMs: 500 })
      const [ofApi] = await accountsOf("api")
      assert.deepStrictEqual(ofApi?.map(shownOf), [
        [address(2), false, true],
        [addressOf("11"), true, false],
        [address(1), false, false],
      ])
    }))

  it("S16: refuse to start if a signer's file does not contain its account's key", () =>
    inPlace(async (read, directory) => {
      const keyFile = join(directory, "a key")
      const says = async (text: string, mode = 0o600) => {
        writeFileSync(keyFile, text, { mode })
        chmodSync(keyFile, mode)
        const configured = await Effect.runPromise(
          read({
            env: shared,
            flags: { rpc },
            file: { signers: [{ address: addressOf("11"), keyFile }] },
          }),
        )
        const { message } = await Effect.runPromise(
          Effect.flip(Effect.scoped(Configured.start(configured))),
        )
        return message
      }
      const before = `the signer of ${addressOf("11")}: `
      assert.strictEqual(
        await says(key("22")),
        `${before}${keyFile} holds the key of another account`,
      )
      assert.include(await says(key("11"), 0o644), `${before}others than its owner may use`)
      assert.include(await says("secret"), `${before}${keyFile} holds no private key`)
      // The key is right: what is asked next is the node.
      assert.notInclude(await says(key("11")), "the signer of")
    }))

  it.each([
    "relayerKeysFile",
    "testRelayerKeysFile",
    "sealKeyFile",
    "vaultKeyFile",
    "otlpHeadersFile",
  ])("S16: refuse a %s that others may read", (name) =>
    inPlace(async (read, directory) => {
      const path = join(directory, "keys")
      writeFileSync(path, "secret", { mode: 0o644 })
      const { message } = await Effect.runPromise(Effect.flip(read({ file: { [name]: path } })))
      assert.include(message, `chmod 600 ${path}`)
      assert.notInclude(message, "secret")
    }),
  )

  it("S16: refuse a configuration file with a key that others may read", () =>
    inPlace(async (_, directory) => {
      const path = join(directory, "florin.json")
      const reading = (settings: unknown) => {
        writeFileSync(path, JSON.stringify(settings))
        return Effect.runPromise(Effect.result(Configured.read({ config: [path] }, {})))
      }
      const [keyless, keyed] = [await reading({ port: 1 }), await reading({ sealKey })]
      assert.isTrue(Result.isSuccess(keyless))
      assert.include(Result.isFailure(keyed) && keyed.failure.message, `chmod 600 ${path}`)
    }))

  it("S30: use the first seal key to seal, and all of them to open", () =>
    inPlace(async (read) => {
      const [next, before] = [base64(2), base64(1)]
      const core = async (sealKeys: string) => {
        const { values } = await Effect.runPromise(read({ env: { FLORIN_SEAL_KEY: sealKeys } }))
        const settings = await Effect.runPromise(
          Configured.core(values, {
            payouts: PayoutPolicy.defaults,
            credit: Credit.defaults,
          }),
        )
        return settings.sealKey ?? assert.fail("there is none")
      }
      const text = Seal.seal(await core(before), "option", Uint8Array.of(1))
      const both = await core(`${next} ${before}`)
      assert.isTrue(Result.isSuccess(Seal.open(both, "option", text)))
      assert.isTrue(Result.isFailure(Seal.open(await core(next), "option", text)))
      const sealed = Seal.seal(both, "option", Uint8Array.of(1))
      assert.isTrue(Result.isSuccess(Seal.open(await core(next), "option", sealed)))
    }))

  it("let apps call in the configured mode, without a name for merchants", () =>
    inPlace(async (read) => {
      const { values } = await Effect.runPromise(read({ flags: { app: ["live:one", "test:two"] } }))
      const { apps } = await Effect.runPromise(Configured.edge(values))
      assert.deepStrictEqual(
        [...(apps ?? [])].map(([id, { mode, name }]) => ({ id, mode, name })),
        [
          { id: "one", mode: "live", name: "" },
          { id: "two", mode: "test", name: "" },
        ],
      )
    }))

  it("configure rates for tokens without a peg", () =>
    inPlace(async (read) => {
      const ratesOf = async (rate: Texts) => {
        const { values } = await Effect.runPromise(read({ flags: { rate } }))
        const policies = await Effect.runPromise(Configured.policies(values))
        const { rate: ask } = await Effect.runPromise(
          Effect.provide(
            RateSource,
            Layer.provide(policies, Layer.merge(Identifiers.layer, StorageMemory.layer)),
          ),
        )
        return (["GBP", "USD", "EUR"] as const).map((currency) =>
          Effect.runSync(
            ask(currency, usdc).pipe(
              Effect.map(({ denominator, numerator }) => [numerator, denominator]),
              Effect.orElseSucceed(() => null),
            ),
          ),
        )
      }
      assert.deepStrictEqual(await ratesOf([]), [null, [1n, 1n], null])
      assert.deepStrictEqual(await ratesOf(["GBP.USDC=1.2750", "USD.EURC=0.9", "EUR.USDT=2"]), [
        [12_750n, 10_000n],
        [1n, 1n],
        null,
      ])
    }))

  it("configure the block explorer for payers", () =>
    inPlace(async (read) => {
      const { values } = await Effect.runPromise(
        read({ flags: { explorer: ["8453=https://scan.example/tx/"] } }),
      )
      const { pages } = await Effect.runPromise(Configured.edge(values))
      assert.deepStrictEqual(pages?.explorers, { "eip155:8453": "https://scan.example/tx/" })
    }))

  it.each([
    { what: "cannot be read", content: null, says: "denied cannot be read" },
    {
      what: "holds something else",
      content: `# known\n${key("11").slice(0, 42)}\n0xsecret`,
      says: "denied, line 3: ",
    },
  ])("are refused at the start if a deny list $what", ({ content, says }) =>
    inPlace(async (read, directory) => {
      const denyList = join(directory, "denied")
      if (content !== null) writeFileSync(denyList, content)
      const reading = Effect.flatMap(read({ flags: { denyList: [denyList] } }), ({ values }) =>
        Configured.policies(values),
      )
      const { message } = await Effect.runPromise(Effect.flip(reading))
      assert.include(message, says)
      assert.notInclude(message, "secret")
    }),
  )
})
