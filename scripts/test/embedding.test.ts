/**
 * The examples that embed the server are started as their pages say, paid, and ended.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { env, execPath } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { pay } from "../../packages/client/src/Client.ts"
import * as Wallet from "../../packages/testing/src/Wallet.ts"

const examples = ["embed-in-express", "embed-in-fastify", "embed-in-hono", "embed-in-next"]
const payer = Wallet.make(1)

const found = (pattern: RegExp, text: string): string =>
  pattern.exec(text)?.[0] ?? assert.fail(`no ${pattern.source} in: ${text}`)

/** Runs an example on a port of its own; answers what it printed, down to how to pay. */
const run = async (example: string) => {
  const server = spawn(execPath, ["server.ts"], {
    cwd: `examples/${example}`,
    env: { ...env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
    if (printed.includes("example-wallet")) tell()
  })
  const ended = once(server, "exit")
  await Promise.race([told, ended])
  const end = async () => {
    server.kill("SIGTERM")
    const [code] = await ended
    return code
  }
  return { printed, end, [Symbol.asyncDispose]: end }
}

describe("an example that embeds the server", () => {
  for (const example of examples) {
    it(`${example} prints a link, which is paid over HTTP, and ends when it is asked to`, async () => {
      await using server = await run(example)
      const baseUrl = found(/http:\/\/127\.0\.0\.1:\d+/u, server.printed)
      const result = await pay(found(/https:\/\/\S+pid=\w+/u, server.printed), {
        baseUrl,
        apiKey: found(/flr_test_wk_\w+/u, server.printed),
        payLinkHost: "pay.localhost",
        accounts: [`eip155:8453:${payer.address}`],
        signer: payer,
      })
      assert.strictEqual(result._tag, "Succeeded", server.printed)
      assert.strictEqual((await fetch(`${baseUrl}/healthz`)).status, 200)
      assert.strictEqual(await server.end(), 0)
    })
  }
})
