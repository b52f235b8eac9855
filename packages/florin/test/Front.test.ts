/**
 * Which pages and hosts may read what `florin dev` serves in front of the service, which has every key.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Fees from "@florin/core/domain/money/Fees"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as Confusables from "@florin/server/Confusables"
import * as Exchange from "@florin/server/Exchange"
import { Handler } from "@florin/server/Handler"
import * as LocalHost from "@florin/server/LocalHost"
import { Effect, Layer } from "effect"
import type * as ReadyFile from "../src/access/ReadyFile.ts"
import * as Front from "../src/dev/Front.ts"

const keys = { merchantId: "mrch_1", partnerKey: "flr_test_pk_1", walletKey: "flr_test_wk_1" }
const ready: ReadyFile.Ready = {
  ...keys,
  pid: 0,
  baseUrl: "http://localhost:3000",
  payLinkHost: "localhost:3000",
  live: { ...keys, partnerKey: "flr_live_pk_1" },
  chains: [{ chainId: 8453, rpcUrl: "http://127.0.0.1:28453" }],
  wallets: [],
  relayers: [],
}

const operatorUrl = "http://127.0.0.1:9464"
const ports = Layer.mergeAll(StorageMemory.layer, Identifiers.layer, Confusables.layer)

const service = Layer.succeed(Handler, {
  respond: () => Effect.succeed(Exchange.json(404, { from: "the service" })),
  close: Effect.void,
})

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const respond = (
  { body = "", headers = { host: "localhost:3000" }, method = "GET", path = "/", query = "" }: Sent,
  now: ReadyFile.Ready | null = ready,
  hasConsole = true,
) =>
  Handler.pipe(
    Effect.flatMap((handler) =>
      handler.respond({
        method,
        path,
        query,
        header: (name) => headers[name],
        body: Effect.succeed(new TextEncoder().encode(body)),
      }),
    ),
    Effect.provide(
      Layer.provide(
        Front.layer({
          ready: () => now,
          currencies: ["USD", "EUR"],
          consoleUrl: (open) => (hasConsole ? (open === "operator" ? operatorUrl : "") : null),
        }),
        service,
      ),
    ),
    Effect.map((outgoing) => ({ ...outgoing, body: String(outgoing.body) })),
  )

const json = { host: "localhost:3000", "content-type": "application/json" }
const accounts = JSON.stringify({ account: "rich", chainId: "eip155:1", method: "eth_accounts" })
const local = { path: "/local/console" }
const wallet = { method: "POST", path: "/local/wallets", headers: json, body: accounts }

describe("the host of a request for what florin dev serves", () => {
  for (const host of ["localhost", "localhost:3000", "LOCALHOST:3000", "127.0.0.1:1", "[::1]:80"]) {
    it(`may be ${host}`, () => assert.isTrue(LocalHost.isLocal(host)))
  }

  const others = [
    undefined,
    "",
    "evil.example",
    "evil.example:3000",
    "localhost.evil.example",
    "evil.localhost",
    "localhost:3000.evil.example",
    "localhost@evil.example",
    "127.0.0.1.evil.example:3000",
    "127.0.0.10",
    "0.0.0.0:3000",
    "::1",
    "localhost, evil.example",
    " localhost",
    "localhost\n",
  ]
  for (const host of others) {
    it(`may not be ${JSON.stringify(host)}`, () => assert.isFalse(LocalHost.isLocal(host)))
  }
})

describe("what florin dev serves next to the service", () => {
  it.effect("redirects the bare address to the console", () =>
    Effect.gen(function* () {
      for (const method of ["GET", "HEAD"]) {
        const { body, headers, status } = yield* respond({ method })
        assert.strictEqual(status, 302)
        assert.strictEqual(headers["location"], "/console/try")
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.notInclude(body, "flr_")
      }
      assert.include((yield* respond({}, ready, false)).body, "the service")
    }).pipe(Effect.provide(ports)),
  )

  it.effect("is every key, which no other page may read or keep", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* respond({ path: "/local/console", headers: json })
      assert.strictEqual(status, 200)
      assert.include(body, "flr_test_pk_1")
      assert.include(body, "flr_live_pk_1")
      assert.match(headers["content-type"] ?? "", /^application\/json/u)
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["cross-origin-resource-policy"], "same-origin")
      assert.strictEqual(headers["cache-control"], "no-store")
    }).pipe(Effect.provide(ports)),
  )

  it.effect("allows no origin to read it", () =>
    Effect.gen(function* () {
      const headers = { ...json, origin: "https://evil.example" }
      for (const sent of [
        { ...local, headers },
        { ...wallet, headers },
      ]) {
        const answer = yield* respond(sent)
        assert.strictEqual(answer.status, 200)
        const names = Object.keys(answer.headers).filter((name) => name.startsWith("access-"))
        assert.deepStrictEqual(names, [])
        assert.strictEqual(answer.headers["cross-origin-resource-policy"], "same-origin")
      }
    }).pipe(Effect.provide(ports)),
  )

  it.effect("is refused under another host name, without keys", () =>
    Effect.gen(function* () {
      const headers = { ...json, host: "evil.example:3000" }
      for (const sent of [
        { headers },
        { ...local, headers },
        { ...wallet, headers },
        { headers: {} },
      ]) {
        const { body, status } = yield* respond(sent)
        assert.strictEqual(status, 403)
        assert.include(body, "Open it as http://localhost")
        assert.notInclude(body, "flr_")
      }
    }).pipe(Effect.provide(ports)),
  )

  it.effect("S35: is refused through a proxy or tunnel that rewrites the host", () =>
    Effect.gen(function* () {
      // As cloudflared, ngrok, Tailscale, nginx, Caddy, an Azure dev tunnel and Cloudflare's network send them.
      const added: ReadonlyArray<Readonly<Record<string, string>>> = [
        { "cf-connecting-ip": "192.0.2.1" },
        { "cf-ray": "8f1-FRA" },
        { "x-forwarded-for": "192.0.2.1" },
        { "x-forwarded-host": "abc.ngrok.app" },
        { "x-forwarded-proto": "https" },
        { "x-forwarded-for": "" },
        { "tailscale-user-login": "a@example.com" },
        { "x-real-ip": "192.0.2.1" },
        { "x-original-host": "abc.devtunnels.ms" },
        { via: "1.1 proxy" },
        { forwarded: "for=192.0.2.1" },
        { "true-client-ip": "192.0.2.1" },
      ]
      for (const each of added) {
        const headers = { ...json, ...each }
        for (const sent of [{ headers }, { ...local, headers }, { ...wallet, headers }]) {
          const { body, status } = yield* respond(sent)
          assert.strictEqual(status, 403, JSON.stringify(each))
          assert.include(body, "without a proxy or tunnel")
          assert.notInclude(body, "flr_")
        }
      }
    }).pipe(Effect.provide(ports)),
  )

  it.effect("passes checkouts, the API and preflights to the service", () =>
    Effect.gen(function* () {
      const passed: ReadonlyArray<Sent> = [
        { query: "pid=pay_1" },
        { query: "a=1&pid=" },
        { path: "/pay_1" },
        { path: "/v1/payments" },
        { path: "/local" },
        { method: "POST" },
        { path: "/local/wallets" },
        { ...wallet, method: "OPTIONS" },
        { ...wallet, path: "/local/wallets/" },
      ]
      for (const sent of passed) {
        assert.include((yield* respond(sent)).body, "the service", JSON.stringify(sent))
      }
    }).pipe(Effect.provide(ports)),
  )

  it.effect("has the test wallets sign only requests from the same origin", () =>
    Effect.gen(function* () {
      const answer = yield* respond(wallet)
      assert.match(answer.body, /^\{"result":\["0x[0-9a-f]{40}"\]\}$/u)
      for (const type of ["text/plain", "application/x-www-form-urlencoded", undefined]) {
        const { host } = json
        const headers = { host, ...(type !== undefined && { "content-type": type }) }
        assert.strictEqual((yield* respond({ ...wallet, headers })).status, 415)
      }
    }).pipe(Effect.provide(ports)),
  )

  it.effect("refuses requests that the test wallets do not know", () =>
    Effect.gen(function* () {
      const bodies = ["", "{", "[]", accounts.replace("rich", "other"), '{"method":"eth_sign"}']
      for (const body of bodies) {
        const refused = yield* respond({ ...wallet, body })
        assert.strictEqual(refused.status, 400, body)
      }
      const elsewhere = JSON.stringify({
        account: "rich",
        chainId: "eip155:99",
        method: "eth_sendTransaction",
        params: [{ from: "0x", to: "0x", data: "0x" }],
      })
      const { body } = yield* respond({ ...wallet, body: elsewhere })
      assert.include(body, "the wallet has no node of eip155:99")
    }).pipe(Effect.provide(ports)),
  )

  it.effect("opens the console signed in, only for its own page", () =>
    Effect.gen(function* () {
      const partner = yield* Keys.createPartner({ name: "First", feeTerms: Fees.none })
      const { text: partnerKey } = yield* Keys.issue({
        mode: "test",
        owner: { _tag: "Partner", partnerId: partner.id },
        name: "First",
        expiresAt: null,
      })
      const now = { ...ready, partnerKey }
      const asking = (open: string, headers: Readonly<Record<string, string>> = json) =>
        respond(
          { method: "POST", path: "/local/console", headers, body: JSON.stringify({ open }) },
          now,
        )
      const starts = [
        ["test", "/console#sign-in=flr_test_pk_"],
        ["live", "/console#sign-in=flr_live_pk_"],
        ["operator", `${operatorUrl}/console#sign-in=flr_op_`],
      ] as const
      for (const [open, start] of starts) {
        const { body, headers, status } = yield* asking(open)
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.match(body, /^\{"link":"[^"]+"\}$/u)
        assert.include(body, start)
        const [, key = ""] = /#sign-in=(\w+)/u.exec(body) ?? []
        const made = yield* (yield* AccountStore).keyByHash(ApiKey.hash(key))
        assert.strictEqual(made.key.use, "sign_in")
        assert.strictEqual(made.partner?.id ?? null, open === "operator" ? null : partner.id)
      }
      const form = { ...json, "content-type": "text/plain" }
      assert.strictEqual((yield* asking("test", form)).status, 415)
      assert.strictEqual((yield* asking("test", { ...json, host: "evil.example" })).status, 403)
      assert.strictEqual((yield* asking("everything")).status, 404)
      const none = {
        method: "POST",
        ...local,
        headers: json,
        body: JSON.stringify({ open: "test" }),
      }
      assert.strictEqual((yield* respond(none, now, false)).status, 404)
    }).pipe(Effect.provide(ports)),
  )

  it.effect("reports that it is not ready yet", () =>
    Effect.gen(function* () {
      for (const sent of [{}, local]) {
        assert.strictEqual((yield* respond(sent, null)).status, 503)
      }
    }).pipe(Effect.provide(ports)),
  )
})
