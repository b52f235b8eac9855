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

/** Answers that came while the process ended. */
const waits: Array<Promise<unknown>> = []

const stepTexts = [
  "A partner is set up, with its first merchant",
  "The merchant says where its money goes",
  "The partner creates a payment",
  "A wallet opens the link and is offered 15 ways to pay",
  "The payer signs in the wallet",
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
    assert.include(text, "status    succeeded: 0.15 USDC of it is the fee")
    assert.include(text, "12.35 USDC → 0x")
    assert.include(text, "ledger 0.15 USDC, chain 0.15 USDC")
    assert.isTrue(text.endsWith("✓ The payment is settled, and ledger and chain agree.\n"))
  })

  it("writes no colours where nobody looks", async () => {
    assert.notInclude((await run(["--once"])).text, "\u001b")
  })
})

/** The process up to its end, with what is done once it stays up. */
const staying = async (
  act: (url: string, text: string) => Promise<void>,
): Promise<Ended & { readonly failure: unknown }> => {
  let acting: Promise<unknown> | undefined
  const ended = await run(["--port", "0"], (soFar, stop) => {
    const [, url] = /The service stays up on (http:\/\/127\.0\.0\.1:\d+): /u.exec(soFar) ?? []
    if (url === undefined || acting !== undefined || !soFar.includes("Nothing is kept")) return
    acting = act(url, soFar).then(
      () => undefined,
      (error: unknown) => error,
    )
    void acting.finally(stop)
  })
  return { ...ended, failure: await acting }
}

describe("npm start", () => {
  it("stays up, serves the interface with the keys that it tells, and ends with 0 when it is asked to", async () => {
    const { code, failure, text } = await staying(async (url, told) => {
      const [, key] = /'Api-Key: (\S+)'/u.exec(told) ?? []
      const ask = async (path: string, headers?: { readonly [name: string]: string }) => {
        const response = await fetch(url + path, { ...(headers && { headers }) })
        return { status: response.status, text: await response.text() }
      }
      const list = await ask("/v1/payments", { "Api-Key": key ?? "" })
      assert.strictEqual(list.status, 200)
      assert.include(list.text, '"totalTransactions":1')
      const others = ["/v1/payments", "/healthz", "/readyz", "/docs", "/openapi.json"]
      const answers = await Promise.all(others.map((path) => ask(path)))
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [401, 200, 200, 200, 200],
      )
    })
    assert.isUndefined(failure)
    assert.strictEqual(code, 0, text)
    for (const step of stepTexts) assert.include(text, step)
    const lines = text.split("\n").filter((line) => line.startsWith("{"))
    assert.strictEqual(lines.length, 6)
    assert.include(lines[0] ?? "", '"route":"/v1/payments"')
    for (const line of lines) assert.notInclude(line, "flr_test_")
  })

  it("answers who waits, and ends with 0, when it is asked to", async () => {
    const { code, failure, text } = await staying(async (url, told) => {
      const [, key] = /'Api-Key: (\S+)'/u.exec(told) ?? []
      const [, merchantId] = /The merchant is (\S+);/u.exec(told) ?? []
      const headers = { "Api-Key": key ?? "", "Merchant-Id": merchantId ?? "" }
      const created = await fetch(`${url}/v1/payments`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify({ referenceId: "R", amount: { unit: "iso4217/USD", value: "100" } }),
      })
      const [id] = /pay_[0-9A-Za-z]+/u.exec(await created.text()) ?? []
      const waiting = fetch(`${url}/v1/payments/${id}/status?maxPollMs=25000`, { headers })
      // The poll is parked once the server has answered what came after it.
      await (await fetch(`${url}/healthz`)).text()
      waits.push(waiting.then((answer) => answer.json()))
    })
    assert.isUndefined(failure)
    assert.strictEqual(code, 0, text)
    assert.deepInclude(await waits[0], { status: "requires_action", isFinal: false })
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
