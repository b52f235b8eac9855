/**
 * The examples in README.md and the guides of docs/ are real: their code compiles, their programs print what is shown,
 * their tests pass, and their links exist.
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { env, execPath, kill } from "node:process"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { vi } from "vitest"
import * as Webhook from "../../packages/core/src/domain/notify/Webhook.ts"
import * as Counts from "../../packages/testing/src/Counts.ts"

const read = (file: string) => readFileSync(file, "utf8")

const pages = [
  "README.md",
  "SECURITY.md",
  // The program does not install the contract by itself, so its page is not seen from there.
  ...readdirSync("packages")
    .filter((name) => name !== "api")
    .map((name) => `packages/${name}/README.md`),
  ...readdirSync("docs").map((name) => `docs/${name}`),
].filter((page) => page.endsWith(".md"))

/** What pages of reference leave to their reader. */
const given = `
declare const chains: import("@florin/server/Florin").Options["chains"]
declare const baseRpcUrl: string
declare const otherBaseRpcUrl: string
declare const rpcUrl: string
declare const otherRpcUrl: string
declare const relayerKey: \`0x\${string}\`
declare const sealKey: Uint8Array
declare const key: import("effect/Redacted").Redacted<Uint8Array>
declare const usdc: Parameters<import("@florin/localnet/LocalChain").LocalChain["fund"]>[0]
declare const payer: Parameters<import("@florin/localnet/LocalChain").LocalChain["fund"]>[1]
interface ShopClient {
  query(text: string, values?: ReadonlyArray<unknown>): Promise<{ readonly rows: Array<object> }>
  query(statement: object): Promise<{ readonly rows: Array<object> }>
  release(destroy?: boolean): void
  on(event: string, listener: (event: unknown) => void): unknown
  off(event: string, listener: (event: unknown) => void): unknown
}
declare const pool: { connect(): Promise<ShopClient>; connect(callback: (client: ShopClient) => void): void }
declare const partnerId: string
declare const merchantId: string
declare const scene: Parameters<typeof import("@florin/signers/SignerSuite").suite>[2]
`

/** Their first module is a program, whose output stands beneath it as text. */
const programs = ["docs/quick-start-developer.md", "docs/wallet-guide.md"]

/** What stands in a page's fences of one language. */
const fences = (page: string, language: string): ReadonlyArray<string> =>
  Array.from(
    read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gmu")),
    ([, text = ""]) => text,
  )

const withoutIndents = (code: string): string => code.replaceAll(/^ +/gmu, "")

/** Code that is copied from an example is checked there. */
const examples = withoutIndents(
  execFileSync("git", ["ls-files", "examples/*.ts"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(read)
    .join("\n"),
)

/**
 * A page's modules: a fence that begins with an import begins one, the others go on with it. Before the first, a page of
 * reference may show fragments.
 */
const modulesOf = (page: string): ReadonlyArray<string> =>
  fences(page, "ts")
    .filter((code) => !examples.includes(withoutIndents(code)))
    .map((code) => (code.startsWith("import ") ? `\0${code}` : code))
    .join("\n")
    .split("\0")
    .slice(1)

const readReferences = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({ references: Schema.Array(Schema.Struct({ path: Schema.String })) }),
  ),
)

/** A place that sees the packages as those see them who install them. */
const open = () => {
  const directory = mkdtempSync(join(tmpdir(), "florin-guides-"))
  symlinkSync(resolve("packages/florin/node_modules"), join(directory, "node_modules"))
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }))
  const files = pages.flatMap((page) =>
    modulesOf(page).map((code, index) => {
      const file = join(directory, `${page.replaceAll("/", "-")}-${index + 1}.ts`)
      writeFileSync(file, code)
      return { page, code, file }
    }),
  )
  const declared = join(directory, "given.d.ts")
  writeFileSync(declared, given)
  const config = join(directory, "tsconfig.json")
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve("tsconfig.base.json"),
      compilerOptions: {
        noEmit: true,
        composite: false,
        declaration: false,
        declarationMap: false,
        lib: ["ES2024", "DOM", "DOM.Iterable"],
        types: ["node"],
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        noUnusedLocals: false,
        // As in our own tests.
        plugins: [
          {
            name: "@effect/language-service",
            diagnosticSeverity: { globalDate: "off", globalDateInEffect: "off" },
          },
        ],
      },
      files: [declared, ...files.map(({ file }) => file)],
      // What `pnpm check` built of the packages is read, rather than checked once more.
      references: readReferences(read("tsconfig.tests.json")).references.map(({ path }) => ({
        path: resolve(path),
      })),
    }),
  )
  return { directory, config, files }
}

/** Two compilers must not write the same files. */
const isChecking = (): boolean => {
  const pid = env["FLORIN_CHECKING"]
  try {
    return pid !== undefined && kill(Number(pid), 0)
  } catch {
    return false
  }
}

const { directory, config, files } = open()
afterAll(() => rmSync(directory, { recursive: true }))

/** Whether a text is what is shown, with anything but the end of a line in place of each `…`. */
const fits = (shown: string, text: string): boolean => {
  const literally = shown.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&")
  return new RegExp(`^${literally.replaceAll("…", ".+")}$`, "u").test(text)
}

describe("the code of the guides", () => {
  it("compiles, as strictly as the product", async () => {
    assert.isAbove(files.length, 10)
    await vi.waitUntil(() => !isChecking(), { timeout: 200_000, interval: 500 })
    const compiler = execFileSync("effect-tsgo", ["get-exe-path"], { encoding: "utf8" }).trim()
    const { status, stdout } = spawnSync(compiler, ["-b", config], { encoding: "utf8" })
    assert.strictEqual(status, 0, stdout)
  })

  for (const page of programs) {
    it(`${page} prints what the page shows`, () => {
      const program = files.find((each) => each.page === page)
      const ran = spawnSync(execPath, [program?.file ?? ""], { encoding: "utf8" })
      assert.strictEqual(ran.status, 0, ran.stderr)
      const shown = fences(page, "text").join("").trim()
      assert.isNotEmpty(shown)
      assert.isTrue(fits(shown, ran.stdout.trim()), `${ran.stdout}\nis not\n${shown}`)
    })
  }
})

/**
 * The page of signers leaves the scene of its suite to the reader. The storage of the guide calls the one in memory,
 * which has its own run of the suite.
 */
const isPlayed = ({ code, file }: (typeof files)[number]): boolean =>
  code.includes(".suite(") &&
  !file.includes("packages-signers") &&
  (Counts.full || !code.includes("StorageMemory.layer"))

for (const each of files) if (isPlayed(each)) await import(each.file)

describe("the receivers of webhooks in the guides", () => {
  const [secret, other] = ["a", "b"].map((letter) =>
    Webhook.Secret.make(`whsec_${letter.repeat(32)}`),
  )
  if (secret === undefined || other === undefined) assert.fail("no secrets")
  const event = { id: "evt_1", type: "payment.settled", timestamp: "", data: {} }
  const body = JSON.stringify(event)
  const sent = (at: number, current = secret) => ({
    ...Result.getOrThrow(Webhook.headers([current], "evt_1", body, at)),
  })

  /** The module of a page that receives webhooks. */
  const moduleOf = (page: string): string =>
    files.find((each) => each.page === page && each.code.includes("verifyWebhook("))?.file ??
    assert.fail(`${page} receives nothing`)

  type Receive = (headers: Record<string, string>, text: string) => Promise<number>

  /** It takes what the service signed, and nothing else. */
  const judge = async (receive: Receive) => {
    const now = Date.now()
    assert.strictEqual(await receive(sent(now), body), 204)
    assert.strictEqual(await receive(sent(now), `${body} `), 400)
    assert.strictEqual(await receive(sent(now, other), body), 400)
    assert.strictEqual(await receive(sent(now - 400_000), body), 400)
    assert.strictEqual(await receive({}, body), 400)
  }

  const requestOf = (headers: Record<string, string>, text: string) =>
    new Request("https://shop.example/florin", { method: "POST", headers, body: text })

  it("accepts only what the service signed, and recently: docs/api.md", async () => {
    const { receive }: { receive: (request: Request, key: string) => Promise<Response> } =
      await import(moduleOf("docs/api.md"))
    await judge(async (headers, text) => (await receive(requestOf(headers, text), secret)).status)
  })

  it("accepts only what the service signed, and recently: packages/client/README.md", async () => {
    vi.stubEnv("FLORIN_WEBHOOK_SECRET", secret)
    const {
      receive,
      receiveInExpress,
    }: {
      receive: (request: Request) => Promise<Response>
      receiveInExpress: (request: IncomingMessage, response: ServerResponse) => Promise<void>
    } = await import(moduleOf("packages/client/README.md"))
    vi.unstubAllEnvs()
    await judge(async (headers, text) => (await receive(requestOf(headers, text))).status)

    const server = createServer((request, response) => void receiveInExpress(request, response))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    if (typeof address === "string" || address === null) assert.fail("no port")
    const url = `http://127.0.0.1:${address.port}/florin`
    const post = async (headers: Record<string, string>, text: string) =>
      (await fetch(url, { method: "POST", headers, body: text })).status
    await judge(post).finally(() => server.close())
  })
})

describe("the links of the guides", () => {
  for (const page of pages) {
    it(`lead to files that exist: ${page}`, () => {
      const links = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/gu), ([, link = ""]) => link)
      const missing = links
        .filter((link) => !/^(?:https?:|#)/u.test(link))
        .filter((link) => !existsSync(join(dirname(page), link.replace(/#.*$/u, ""))))
      assert.deepStrictEqual(missing, [])
    })
  }
})
