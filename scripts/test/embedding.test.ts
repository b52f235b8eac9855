/**
 * Starts the examples that embed the server as their pages say, pays, and stops them.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { env, execPath } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { pay } from "../../packages/client/src/Client.ts"
import * as Wallet from "../../packages/testing/src/Wallet.ts"

const examples = ["embed-in-express", "embed-in-fastify", "embed-in-hono", "embed-in-next"]
const payer = Wallet.make(1)

const found = (pattern: RegExp, text: string): string =>
  pattern.exec(text)?.[0] ?? assert.fail(`no ${pattern.source} in: ${text}`)

/** A port that is free now. The examples print links before they listen, so they cannot take any. */
const freePort = async (): Promise<string> => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return address === null || typeof address === "string" ? assert.fail() : `${address.port}`
}

/** Runs an example on a port of its own; answers what it printed, down to how to pay. */
const run = async (example: string) => {
  const server = spawn(execPath, ["server.ts"], {
    cwd: `examples/${example}`,
    env: { ...env, PORT: await freePort() },
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
    it(`${example} prints a link, which is paid over HTTP, and stops on a signal`, async () => {
      await using server = await run(example)
      const baseUrl = found(/http:\/\/\S+(?=\/v1\/payments)/u, server.printed)
      const link = found(/http:\/\/\S+pid=\w+/u, server.printed)
      const result = await pay(link, {
        baseUrl,
        apiKey: found(/flr_test_wk_\w+/u, server.printed),
        payLinkHost: new URL(link).host,
        accounts: [`eip155:8453:${payer.address}`],
        signer: payer,
      })
      assert.strictEqual(result._tag, "Succeeded", server.printed)
      assert.strictEqual((await fetch(`${baseUrl}/healthz`)).status, 200)
      assert.strictEqual(await server.end(), 0)
    })
  }
})
