import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Samples from "@florin/api/Samples"
import * as Version from "@florin/core/domain/ground/Version"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Result from "effect/Result"
import * as Client from "../src/Client.ts"

const document = OpenApiDocument.make(Version.newestStable)
const url = "https://pay.example.com"
const merchantId = "mrch_1"
const ids = {
  paymentId: "pay_1",
  merchantId,
  settlementId: "crypto_1",
  refundId: "rfnd_1",
  payoutId: "out_1",
  webhookId: "whk_1",
  deliveryId: "dlv_1",
  keyId: "key_1",
  approvalId: "key_2",
}

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: unknown
}

const json = (text: string | undefined): unknown => (text === undefined ? {} : JSON.parse(text))

/** The request that curl would send: bash splits the words and fills in the variables. */
const sentByCurl = (source: string): Sent => {
  const env = {
    FLORIN_URL: url,
    API_KEY: "partner",
    WALLET_KEY: "wallet",
    SIGN_IN_KEY: "link",
    SESSION_COOKIE: "cookie",
    CSRF_TOKEN: "token",
    ...Object.fromEntries(
      Object.entries(ids).map(([name, value]) => [
        name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase(),
        value,
      ]),
    ),
  }
  const script = `set -eu; curl() { printf '%s\\0' "$@"; }\n${source}`
  const { status, stderr, stdout } = spawnSync("bash", ["-c", script], { env, encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
  const words = stdout.split("\0").slice(0, -1)
  const valuesOf = (flag: string) =>
    words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []))
  const [data] = valuesOf("-d")
  const headers = valuesOf("-H").map((text): [string, string] => {
    const [name = "", value = ""] = text.split(": ")
    return [name.toLowerCase(), value]
  })
  return {
    method: valuesOf("-X")[0] ?? (data === undefined ? "GET" : "POST"),
    url: words.find((word) => word.startsWith(url)) ?? "",
    headers: new Map(headers),
    body: json(data),
  }
}

/** The first request of the client in a sample, which gets a 403. */
const sentByClient = async (source: string): Promise<Sent> => {
  const sent: Array<Sent> = []
  const fetch = (to: string, { body, headers, method }: RequestInit) => {
    sent.push({
      method: method ?? "GET",
      url: to,
      headers: new Map(new Headers(headers)),
      body: json(typeof body === "string" ? body : undefined),
    })
    return Promise.resolve(Response.json({ code: "forbidden", message: "no" }, { status: 403 }))
  }
  const florin = Client.makePartner({ baseUrl: url, apiKey: "partner", merchantId, fetch })
  const wallet = Client.makeWallet({ baseUrl: url, apiKey: "wallet", fetch })
  const names = Object.keys(ids)
  const run = new Function("florin", "wallet", ...names, `return (async () => { ${source} })()`)
  await run(florin, wallet, ...Object.values(ids)).catch(() => undefined)
  const [first] = sent
  return first ?? assert.fail(`nothing was sent: ${source}`)
}

describe("examples of calls", () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of OpenApiDocument.methods) {
      const operation = item[method]
      if (operation === undefined) continue
      const [shell, client] = operation["x-codeSamples"]

      it(`${operation.operationId}: curl and the client send the same`, async () => {
        if (shell === undefined) return assert.fail("it has none")
        const curl = sentByCurl(shell.source)
        assert.strictEqual(curl.method, method.toUpperCase())
        const asked = new URL(curl.url)
        const pattern = path.replaceAll(/\{\w+\}/gu, "[^/]+")
        assert.match(asked.pathname, new RegExp(`^${pattern}$`, "u"))
        for (const parameter of operation.parameters) {
          if ("$ref" in parameter || !parameter.required) continue
          if (parameter.in === "header")
            assert.isTrue(curl.headers.has(parameter.name.toLowerCase()))
          if (parameter.in === "query") assert.isTrue(asked.searchParams.has(parameter.name))
        }
        if (client === undefined) {
          // Only a browser has a session.
          return assert.isTrue(operation.deprecated ?? operation.tags.includes("session"))
        }
        const sent = await sentByClient(client.source)
        assert.deepStrictEqual(
          [sent.method, sent.url, sent.body, sent.headers.get("api-key")],
          [curl.method, curl.url, curl.body, curl.headers.get("api-key")],
        )
        for (const name of ["idempotency-key", "merchant-id"]) {
          if (curl.headers.has(name)) assert.isTrue(sent.headers.has(name), name)
        }
      })
    }
  }

  it("create their clients with code that runs", () => {
    const source = Samples.setup.replace(/^import .*$/mu, "").replaceAll("$FLORIN_URL", url)
    new Function("makePartner", "makeWallet", source)(Client.makePartner, Client.makeWallet)
  })

  it("verify the service's signature in the introduction's webhook receiver", async () => {
    const [, source = ""] =
      /^```\n(import \{ verifyWebhook \}[^]*?)^```$/mu.exec(document.info.description) ?? []
    assert.include(source, "await verifyWebhook({")
    const secret = Result.getOrThrow(Webhook.makeSecret(new Uint8Array(32)))
    const body = '{"id":"evt_1","type":"payment.succeeded","data":{"referenceId":"ORDER-7"}}'
    const headers = Result.getOrThrow(Webhook.headers([secret], "evt_1", body, Date.now()))
    const request = new Request(url, { method: "POST", body, headers: { ...headers } })
    const shipped: Array<string> = []
    const run = new Function(
      "verifyWebhook",
      "request",
      "secret",
      "ship",
      `return (async () => { ${source.replace(/^import .*$/mu, "")} })()`,
    )
    await run(Client.verifyWebhook, request, secret, (id: string) => shipped.push(id))
    assert.deepStrictEqual(shipped, ["ORDER-7"])
  })
})
