import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
/** The Node that the repository brings, whichever runs the tests. */
const node = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))

interface Ended {
  readonly code: number | null
  readonly text: string
}

/** Runs the real process; `seen` is called with all its text so far whenever there is more. */
const run = (
  args: ReadonlyArray<string>,
  seen: (text: string, stop: () => void) => void = () => {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(node, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    const add = (chunk: Buffer) => {
      text += chunk.toString("utf8")
      seen(text, () => child.kill("SIGTERM"))
    }
    child.stdout.on("data", add)
    child.stderr.on("data", add)
    child.on("close", (code) => resolve({ code, text }))
  })

const stepTexts = [
  "A partner is set up, with its first merchant",
  "The merchant says where its money goes",
  "The partner creates a payment",
  "A wallet opens the link and is offered 15 ways to pay",
  "The payer picks 12.5 USDC on Base: one signature, no gas",
  "The wallet confirms, and the service takes over",
  "The collector sends the authorization and waits until it is final",
  "The settler pays the merchant out",
  "The books are held against the chain",
]

describe("npm start -- --once", () => {
  it("walks one payment to its settlement, and ends with 0", async () => {
    const { code, text } = await run(["--once"])
    assert.strictEqual(code, 0, text)
    assert.deepStrictEqual(
      [...text.matchAll(/^ ?(\d+) {2}(.*)$/gmu)].map(([, number, step]) => [number, step]),
      stepTexts.map((step, index) => [`${index + 1}`, step]),
    )
    assert.include(text, "status    requires_action")
    assert.include(text, "succeeded: 12.35 USDC for the merchant, 0.15 USDC fee")
    assert.include(text, "ledger 0.15 USDC, chain 0.15 USDC")
    assert.isTrue(text.endsWith("✓ The payment is settled, and ledger and chain agree.\n"))
  })

  it("writes no colours where nobody looks", async () => {
    assert.notInclude((await run(["--once"])).text, "\u001b")
  })
})

describe("npm start", () => {
  it("stays up, tells the story, and ends with 0 when it is asked to", async () => {
    const answers: Array<readonly [number, string, string | null]> = []
    let asked = false
    const { code, text } = await run(["--port", "0"], (soFar, stop) => {
      const [, url] = /The service stays up: (http:\/\/127\.0\.0\.1:\d+) /u.exec(soFar) ?? []
      if (url === undefined || asked) return
      asked = true
      const ask = async (path: string, method = "GET") => {
        const response = await fetch(url + path, { method })
        answers.push([response.status, await response.text(), response.headers.get("allow")])
      }
      void ask("/")
        .then(() => ask("/healthz"))
        .then(() => ask("/healthz?probe=1"))
        .then(() => ask("/healthz", "HEAD"))
        .then(() => ask("/nothing"))
        .then(() => ask("/nothing", "POST"))
        .then(() => ask("/", "POST"))
        .finally(stop)
    })
    assert.strictEqual(code, 0, text)
    const [story, ...others] = answers
    assert.strictEqual(story?.[0], 200)
    for (const step of stepTexts) assert.include(story?.[1] ?? "", step)
    assert.deepStrictEqual(others, [
      [200, "ok\n", null],
      [200, "ok\n", null],
      [200, "", null],
      [404, "not found\n", null],
      [404, "not found\n", null],
      [405, "method not allowed\n", "GET, HEAD"],
    ])
  })

  const taken: ReadonlyArray<readonly [port: number, next: (port: number) => number]> = [
    [0, (port) => port + 1],
    [65_535, () => 0],
  ]
  for (const [asked, next] of taken) {
    it(`says so when its port is taken (${asked || "any"}), and ends with 1`, async () => {
      const other = createServer()
      // Where a stranger has the port, it is taken as well.
      await new Promise<void>((resolve) => {
        other.once("error", () => resolve()).listen(asked, "127.0.0.1", resolve)
      })
      const address = other.address()
      const port = typeof address === "object" && address !== null ? address.port : asked
      const { code, text } = await run(["--port", `${port}`])
      other.close()
      assert.strictEqual(code, 1)
      assert.include(text, `port ${port} is taken: try --port ${next(port)}\n`)
    })
  }

  it("explains itself", async () => {
    const { code, text } = await run(["--help"])
    assert.strictEqual(code, 0)
    for (const flag of ["--once", "--port"]) assert.include(text, flag)
  })

  const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, message: string]> = [
    [["--twice"], "unknown argument: --help lists what there is"],
    [["stray"], "unknown argument: --help lists what there is"],
    [["--port", "65536"], "--port takes a number from 0 to 65535"],
    [["--port", "http"], "--port takes a number from 0 to 65535"],
    [["--port", ""], "--port takes a number from 0 to 65535"],
  ]
  for (const [args, message] of refused) {
    it(`refuses ${args.join(" ")}`, async () => {
      const { code, text } = await run(args)
      assert.strictEqual(code, 1)
      assert.include(text, message)
    })
  }
})
