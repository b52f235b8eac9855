/**
 * `florin listen` next to a service in this process and a developer's server, both on free ports.
 *
 * @module
 */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { makePartner, verifyWebhook } from "@florin/client"
import * as Limits from "@florin/core/domain/ground/Limits"
import { type Call, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Webhook as StandardWebhook } from "standardwebhooks"
import * as Listening from "./listening.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

/** A machine with much else to do still gets there. */
const timeout = 120_000

const ending: Array<() => unknown> = []
afterEach(async () => {
  Program.killAll()
  await Promise.all(ending.splice(0).map((end) => end()))
})

const listen = async (server: Server, port = 0): Promise<number> => {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : assert.fail("no port")
}

/** A service with a partner, and what its own webhooks would send. */
const serve = async () => {
  const sent: Array<Call> = []
  const florin = createFlorin({
    pages: false,
    payLinkHost: "pay.example.com",
    chains: SimulatedChain.layerChains({ unseenBalance: 1000 }),
    webhooks: WebhookTransport.layerFunction((call) => {
      sent.push(call)
      return 200
    }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  const { id: partnerId } = await florin.operator.partners.create({ name: "Corner Payments" })
  const key = await florin.operator.keys.issue({ partnerId, mode: "test", name: "tests" })
  await florin.operator.webhooks.create({
    partnerId,
    mode: "test",
    url: "https://shop.example/florin",
  })
  const server = createServer(NodeListener.requestListener(florin))
  const port = await listen(server)
  const lose = () => {
    server.close()
    server.closeAllConnections()
  }
  ending.push(lose, florin.dispose)
  const fetch = (url: string, init: RequestInit) => florin.handler(new Request(url, init))
  const connection = { baseUrl: `http://127.0.0.1:${port}`, apiKey: key.secret, fetch }
  const { merchant } = await makePartner(connection).merchants.create({
    merchantName: "Corner Shop",
    merchantEmail: "shop@example.com",
  })
  const partner = makePartner({ ...connection, merchantId: merchant.id })
  const create = async (referenceId: string) => {
    const amount = { unit: "iso4217/USD", value: "1250" }
    const metadata = { cart: "10", "9": "nine", note: "Café ☕" }
    return (await partner.payments.create({ referenceId, amount, metadata })).paymentId
  }
  const variables = { FLORIN_URL: connection.baseUrl, FLORIN_API_KEY: key.secret }
  return { create, lose, partner, regain: () => listen(server, port), sent, variables }
}

/** A developer's server, which answers with these statuses in turn, the last one again and again. */
const hook = async (...statuses: ReadonlyArray<number>) => {
  const calls: Array<Listening.Call> = []
  const { close, url } = await Listening.start((call, response) => {
    calls.push(call)
    response.writeHead(statuses[calls.length - 1] ?? statuses.at(-1) ?? 200).end()
  })
  ending.push(close)
  return { calls, close, url: `${url}/hook` }
}

const begin = async (variables: Record<string, string>, ...args: ReadonlyArray<string>) => {
  const listening = Program.start(["listen", ...args], variables)
  const { said } = listening
  // The secret is in a line of its own, which may come later than the rest.
  const begun = args.includes("--forward-to") ? /^ *secret .*\n/mu : /Waiting for events/u
  await Serving.until(() => begun.test(said.out + said.err))
  const stop = async () => {
    listening.child.kill("SIGINT")
    const { code, err, out } = await listening.ended
    assert.strictEqual(code, 0, err)
    return { err, out }
  }
  return { said, stop, secret: /whsec_\S+/u.exec(said.out)?.[0] ?? "" }
}

/** What docs/command-line.md says that it prints. */
const documented =
  /^## `florin listen`\n[^]*?^```text\n([^]*?)^```$/mu.exec(
    readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8"),
  )?.[1] ?? ""

/** What differs from run to run is masked. */
const masked = (out: string): string =>
  out
    .replaceAll(/http:\/\/[^/\s]+/gu, "http://…")
    .replaceAll(/\d\d:\d\d:\d\d/gu, "…")
    .replaceAll(/(whsec_|pay_)\S+/gu, "$1…")

const linesOf = (out: string) => out.split("\n").filter((line) => /\d\d:\d\d:\d\d/u.test(line))

describe("florin listen", () => {
  it("prints events from now on, and forwards them as real webhooks", { timeout }, async () => {
    const service = await serve()
    const { calls, url } = await hook(200, 500)
    await service.create("before")
    const { said, secret, stop } = await begin(service.variables, "--forward-to", url)
    const id = await service.create("after")
    await service.partner.payments.cancel(id)
    await Serving.until(() => linesOf(said.out).length === 2)
    const { out } = await stop()

    assert.strictEqual(masked(out), masked(documented))
    for (const line of linesOf(out)) assert.include(line, id)
    for (const line of out.split("\n")) assert.isAtMost(line.length, 80, line)

    await Serving.until(() => service.sent.length === 3)
    assert.deepStrictEqual(
      calls.map(({ body }) => body),
      service.sent.slice(1).map(({ body }) => body),
    )
    for (const { body, headers } of calls) {
      assert.strictEqual(headers["content-type"], "application/json")
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const event = await verifyWebhook({ body, headers, secret })
      assert.strictEqual(headers["webhook-id"], event.id)
      const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
      new StandardWebhook(secret).verify(body, Object.fromEntries(texts))
    }
  })

  it(
    "signs with the same secret at each start, and with another secret for another key",
    { timeout },
    async () => {
      const { variables } = await serve()
      const { variables: others } = await serve()
      const secrets: Array<string> = []
      for (const each of [variables, variables, others]) {
        // oxlint-disable-next-line no-await-in-loop -- One after the other, as a process is heavy.
        const { secret, stop } = await begin(each, "--forward-to", "http://127.0.0.1:9/")
        secrets.push(secret)
        // oxlint-disable-next-line no-await-in-loop -- The same.
        await stop()
      }
      const [first, again, other] = secrets
      assert.strictEqual(first, again)
      assert.notStrictEqual(first, other)
    },
  )

  it("resumes after a lost connection with every event, once", { timeout }, async () => {
    const service = await serve()
    const { calls, url } = await hook(200)
    const { said, stop } = await begin(service.variables, "--forward-to", url)
    const before = await service.create("before")
    await Serving.until(() => calls.length === 1)
    service.lose()
    const meanwhile = await service.create("meanwhile")
    await Serving.until(() => said.out.includes("Cannot reach the service: trying again."))
    await service.regain()
    await Serving.until(() => said.out.includes("Connected again."))
    const after = await service.create("after")
    await Serving.until(() => calls.length >= 3)
    const { out } = await stop()
    assert.deepStrictEqual(
      linesOf(out).map((line) => /pay_\w+/u.exec(line)?.[0]),
      [before, meanwhile, after],
    )
    assert.include(out, "Stopped after 3 events. All were accepted.")
  })

  it("says what is wrong with the address that it forwards to", { timeout }, async () => {
    const service = await serve()
    const { close, url } = await hook(200)
    close()
    const { said, stop } = await begin(service.variables, "--forward-to", url)
    await service.create("refused")
    await Serving.until(() => linesOf(said.out).length === 1)
    assert.match(linesOf((await stop()).out)[0] ?? "", /^✗ .{78}$/u)
    assert.match(linesOf(said.out)[0] ?? "", / {2}ECONNREFUSED$/u)
  })

  it("prints events of one type, as JSON with --json", { timeout }, async () => {
    const service = await serve()
    const { said, stop } = await begin(service.variables, "--type", "payment.cancelled", "--json")
    const id = await service.create("one")
    await service.partner.payments.cancel(id)
    await Serving.until(() => said.out.includes("\n"))
    const { out } = await stop()
    const { data } = await service.partner.events.list()
    assert.strictEqual(out, `${JSON.stringify(data[1])}\n`)
  })

  it("reads a long feed to its end, within the service's rate limit", { timeout }, async () => {
    const page = (nextCursor: string, hasMore: boolean) => ({ data: [], nextCursor, hasMore })
    const tooMany = { code: "rate_limited", message: "too many requests", requestId: "1" }
    const asked: Array<string> = []
    const { close, url } = await Listening.start(({ headers, path }, response) => {
      asked.push(`${path} ${String(headers["last-event-id"] ?? "")}`.trim())
      if (path.startsWith("/v1/events/stream")) {
        return response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n")
      }
      if (asked.length === 2) {
        return response.writeHead(429, { "retry-after": "1" }).end(JSON.stringify(tooMany))
      }
      return response.end(JSON.stringify(asked.length === 1 ? page("c1", true) : page("c2", false)))
    })
    ending.push(close)
    const { stop } = await begin({ FLORIN_URL: url, FLORIN_API_KEY: "flr_test_pk_1" })
    await Serving.until(() => asked.length === 4)
    assert.include((await stop()).out, "  Skipping earlier events. This may take a moment.\n")
    assert.deepStrictEqual(asked, [
      `/v1/events?limit=${Limits.listPageMax}`,
      `/v1/events?limit=${Limits.listPageMax}&cursor=c1`,
      `/v1/events?limit=${Limits.listPageMax}&cursor=c1`,
      "/v1/events/stream c2",
    ])
  })

  it("prints one sentence if it cannot start", { timeout }, async () => {
    const { variables } = await serve()
    const cases = [
      [
        1,
        "set FLORIN_API_KEY or --key-file to a valid key",
        { ...variables, FLORIN_API_KEY: "flr_test_pk_1" },
        [],
      ],
      [1, "no response from the service", { ...variables, FLORIN_URL: "http://127.0.0.1:9" }, []],
      [
        2,
        "a web address such as http://localhost:4242/hook",
        variables,
        ["--forward-to", "localhost:4242"],
      ],
    ] as const
    for (const [expected, message, given, args] of cases) {
      // oxlint-disable-next-line no-await-in-loop -- One after the other, as a process is heavy.
      const { code, err } = await Program.start(["listen", ...args], given).ended
      assert.strictEqual(code, expected, err)
      assert.include(err, message)
    }
  })
})
