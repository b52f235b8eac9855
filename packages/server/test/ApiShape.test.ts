import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { env } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Settings } from "@florin/core/ports/Settings"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as ApiShape from "../src/edge/ApiShape.ts"
import type { App } from "../src/edge/EdgeSettings.ts"
import { operations } from "../src/Handler.ts"
import * as Authenticator from "../test-support/authenticator.ts"
import * as Asking from "./asking.ts"
import * as Webhooks from "./operations/webhooks.ts"
import * as Scene from "./scene.ts"
import * as Sessions from "./sessions.ts"

type Json = Scene.Json
type Body = Readonly<Record<string, Json>>

/** A version in this header selects the field's profile. */
const fieldHeader = "X-Field-Version"
const edge = { fieldVersionHeaders: ["X-Other-Version", fieldHeader] }

const versions = ["2026-02-18", "2026-02-19.preview"] as const
const field = (version: string = versions[0]) => ({ [fieldHeader]: version })
const published = (version: string = versions[0]) => ({ "Svc-Version": version })

const gatewayPath = (id: string, tail = "") => `/v1/gateway/payment/${id}${tail}`
const base = Scene.accountOf(Scene.payer, Scene.chains.eip3009)
const bsc = Scene.accountOf(Scene.payer, Scene.chains.permit2)
const usdcOnBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const usdcOnOptimism = "eip155:10/erc20:0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"
const treasuryOn = (chainId: number) => Scene.accountOf(Scene.treasury, chainId)

const answered = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.isBelow(answer.status, 300, `${sent.path}: ${answer.text}`)
  return answer
})

/** The objects for the calls below: payments of every kind, and a merchant with a destination. */
const stage = Effect.gen(function* () {
  const { own, walletKey } = yield* Scene.make
  const { key, merchantId } = own
  const payment = (referenceId: string) =>
    Scene.createPayment(key, merchantId, { referenceId, expiresAt: Scene.now / 1000 + 3600 })
  const created = yield* answered({
    path: `/v1/merchants/${merchantId}/settlements/crypto`,
    key,
    headers: { "Idempotency-Key": "stage" },
    body: { settlements: [{ asset: usdcOnBase, destination: treasuryOn(8453) }] },
  })
  const paidId = yield* payment("PAID-1")
  yield* Scene.pay(walletKey, paidId)
  const cancelledId = yield* payment("CANCELLED-1")
  yield* answered({ method: "POST", path: gatewayPath(cancelledId, "/cancel"), key: walletKey })
  const openId = yield* payment("OPEN-1")
  const option = yield* Scene.firstOption(walletKey, openId)
  const build = yield* Scene.firstOption(walletKey, openId, bsc)
  const tenant = { partnerId: own.partner.id, mode: "test" } as const
  return {
    key,
    walletKey,
    merchantId,
    destinationId: Scene.text(created.body, "settlements", 0, "id"),
    paidId,
    cancelledId,
    openId,
    option,
    build,
    confirm: yield* Scene.confirmBody(walletKey, openId, option),
    signInKey: (yield* Sessions.ofPartner(own, { use: "sign_in" })).text,
    approvalIds: [
      yield* Asking.waiting(tenant, "manage", "one"),
      yield* Asking.waiting(tenant, "manage", "two"),
    ] as const,
    toCancel: [yield* payment("TO-CANCEL-1"), yield* payment("TO-CANCEL-2")] as const,
  }
})
type Stage = Effect.Success<typeof stage>

/** The responses of one run so far. */
type Told = ReadonlyMap<string, Scene.Reply>

type Calls = ReadonlyArray<
  readonly [operation: string, call: (stage: Stage, told: Told) => Scene.Sent]
>

const ofMerchant = ({ key, merchantId }: Stage) => ({ key, headers: { "Merchant-Id": merchantId } })
const once = (key: string, name: string) => ({ key, headers: { "Idempotency-Key": name } })

const keyOf = (told: Told): string =>
  `/v1/keys/${Scene.text(told.get("keys.create")?.body, "key", "id")}`

/** The cookie and the token of the session. */
const sessionOf = (told: Told) => {
  const signedIn = told.get("session.signIn")
  const [cookie = ""] = signedIn?.headers.get("set-cookie")?.split(";") ?? []
  return { Cookie: cookie, "Csrf-Token": Scene.text(signedIn?.body, "csrfToken") }
}

const passkeysPath = "/v1/session/passkeys"
const passkey = Authenticator.at({ host: "pay.example.com", origin: "https://pay.example.com" })

const webhookOf = (told: Told): string =>
  Webhooks.at(Scene.text(told.get("webhooks.create")?.body, "webhook", "id"))

/** One call of every operation, in an order in which each of them succeeds. */
const calls: Calls = [
  ["gateway.get", ({ openId, walletKey: key }) => ({ path: gatewayPath(openId), key })],
  [
    "gateway.options",
    ({ openId, walletKey: key }) => ({
      path: `${gatewayPath(openId, "/options")}?includePaymentInfo=true`,
      key,
      body: { accounts: [base, bsc] },
    }),
  ],
  [
    "gateway.fetch",
    ({ build, openId, walletKey: key }) => ({
      path: gatewayPath(openId, "/fetch"),
      key,
      body: { optionId: Scene.text(build, "id"), data: "" },
    }),
  ],
  [
    "gateway.status",
    ({ paidId, walletKey: key }) => ({ path: gatewayPath(paidId, "/status"), key }),
  ],
  ["payments.get", (on) => ({ ...ofMerchant(on), path: `/v1/payments/${on.paidId}` })],
  ["payments.status", (on) => ({ ...ofMerchant(on), path: `/v1/payments/${on.paidId}/status` })],
  [
    "payments.statusAlias",
    (on) => ({ ...ofMerchant(on), path: `/v1/merchant/payment/${on.paidId}/status` }),
  ],
  ["payments.list", ({ key }) => ({ path: "/v1/payments", key })],
  ["payments.listOfMerchant", (on) => ({ ...ofMerchant(on), path: "/v1/merchants/payments" })],
  [
    "payments.listOfMerchantByPath",
    ({ key, merchantId }) => ({ path: `/v1/merchants/${merchantId}/payments`, key }),
  ],
  ["payments.statistics", ({ key }) => ({ path: "/v1/payments/statistics?by=month", key })],
  ["events.list", ({ key }) => ({ path: "/v1/events?limit=5", key })],
  ["assets.list", ({ key }) => ({ path: "/v1/assets", key })],
  ["balances.list", ({ key }) => ({ path: "/v1/balances", key })],
  ["payouts.list", ({ key }) => ({ path: "/v1/payouts", key })],
  [
    "payouts.get",
    ({ key }, told) => ({
      path: `/v1/payouts/${Scene.text(told.get("payments.get")?.body, "payout", "id")}`,
      key,
    }),
  ],
  ["auditLog.list", ({ key }) => ({ path: "/v1/audit-log?limit=5", key })],
  [
    "gateway.confirm",
    ({ confirm, openId, walletKey: key }) => ({
      path: gatewayPath(openId, "/confirm"),
      key,
      body: confirm,
    }),
  ],
  [
    "gateway.cancel",
    ({ toCancel: [id], walletKey: key }) => ({ path: gatewayPath(id, "/cancel"), key, body: {} }),
  ],
  [
    "payments.cancel",
    ({ key, toCancel: [, id] }) => ({ path: `/v1/payments/${id}/cancel`, key, body: {} }),
  ],
  ...(["payments.create", "payments.createAlias"] as const).map(
    (name) =>
      [
        name,
        (on: Stage) => ({
          ...ofMerchant(on),
          path: name === "payments.create" ? "/v1/payments" : "/v1/merchant/payment",
          body: {
            referenceId: "NEW-1",
            amount: { unit: "iso4217/EUR", value: "1" },
            checkout: {
              successUrl: "https://shop.example/ok",
              errorUrl: "https://shop.example/no",
            },
          },
        }),
      ] as const,
  ),
  [
    "merchants.create",
    ({ key }) => ({
      ...once(key, "new merchant"),
      path: "/v1/merchants",
      body: { merchantName: "New Shop", merchantEmail: "new@example.com" },
    }),
  ],
  ["merchants.list", ({ key }) => ({ path: "/v1/merchants", key })],
  ["merchants.get", ({ key, merchantId }) => ({ path: `/v1/merchants/${merchantId}`, key })],
  [
    "merchants.statement",
    ({ key, merchantId }) => ({
      path: `/v1/merchants/${merchantId}/statement?from=2026-09-01&to=2026-09-30`,
      key,
    }),
  ],
  [
    "merchants.update",
    ({ key, merchantId }) => ({
      method: "PATCH",
      path: `/v1/merchants/${merchantId}`,
      key,
      body: { iconUrl: "https://shop.example/icon.png" },
    }),
  ],
  [
    "settlements.list",
    ({ key, merchantId }) => ({ path: `/v1/merchants/${merchantId}/settlements`, key }),
  ],
  [
    "settlements.create",
    ({ key, merchantId }) => ({
      ...once(key, "new settlement"),
      path: `/v1/merchants/${merchantId}/settlements/crypto`,
      body: { settlements: [{ asset: usdcOnOptimism, destination: treasuryOn(10) }] },
    }),
  ],
  [
    "settlements.change",
    ({ destinationId, key, merchantId }) => ({
      method: "PUT",
      path: `/v1/merchants/${merchantId}/settlements/crypto/${destinationId}`,
      key,
      body: { destination: Scene.accountOf(Scene.stranger, 8453) },
    }),
  ],
  [
    "settlements.remove",
    ({ destinationId, key, merchantId }) => ({
      method: "DELETE",
      path: `/v1/merchants/${merchantId}/settlements/crypto/${destinationId}`,
      key,
    }),
  ],
  [
    "refunds.destination",
    ({ key, paidId }) => ({
      path: "/v1/refunds/destination",
      key,
      body: {
        paymentId: paidId,
        destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009),
      },
    }),
  ],
  [
    "refunds.create",
    ({ key, paidId }) => ({ path: "/v1/refunds", key, body: { paymentId: paidId } }),
  ],
  ["refunds.list", ({ key, paidId }) => ({ path: `/v1/refunds?paymentId=${paidId}`, key })],
  [
    "refunds.get",
    ({ key }, told) => ({
      path: `/v1/refunds/${Scene.text(told.get("refunds.create")?.body, "refundId")}`,
      key,
    }),
  ],
  [
    "merchants.remove",
    ({ key, merchantId }) => ({ method: "DELETE", path: `/v1/merchants/${merchantId}`, key }),
  ],
  [
    "webhooks.create",
    ({ key }) => ({
      ...once(key, "new webhook"),
      path: "/v1/webhooks",
      body: { url: Webhooks.url, types: ["payment.created", "refund.held"] },
    }),
  ],
  ["webhooks.list", ({ key }) => ({ path: "/v1/webhooks", key })],
  ["webhooks.get", ({ key }, told) => ({ path: webhookOf(told), key })],
  [
    "webhooks.change",
    ({ key }, told) => ({
      method: "PATCH",
      path: webhookOf(told),
      key,
      body: { version: versions[0] },
    }),
  ],
  [
    "webhooks.rotate",
    ({ key }, told) => ({
      ...once(key, "new secret"),
      method: "POST",
      path: `${webhookOf(told)}/rotate`,
    }),
  ],
  ["webhooks.test", ({ key }, told) => ({ method: "POST", path: `${webhookOf(told)}/test`, key })],
  ["webhooks.deliveries", ({ key }, told) => ({ path: `${webhookOf(told)}/deliveries`, key })],
  [
    "webhooks.redeliver",
    ({ key }, told) => ({
      method: "POST",
      path: `${webhookOf(told)}/deliveries/${Scene.text(told.get("webhooks.test")?.body, "deliveryId")}/redeliver`,
      key,
    }),
  ],
  [
    "webhooks.replay",
    ({ key }, told) => ({
      path: `${webhookOf(told)}/replay`,
      key,
      body: { from: "2026-09-21T00:00:00Z", to: "2026-09-22T00:00:00Z" },
    }),
  ],
  ["webhooks.remove", ({ key }, told) => ({ method: "DELETE", path: webhookOf(told), key })],
  [
    "keys.create",
    ({ key }) => ({
      ...once(key, "new key"),
      path: "/v1/keys",
      body: { name: "till", scopes: ["read", "pay"], from: ["203.0.113.0/24"] },
    }),
  ],
  ["keys.list", ({ key }) => ({ path: "/v1/keys", key })],
  [
    "keys.rotate",
    ({ key }, told) => ({
      ...once(key, "next key"),
      path: `${keyOf(told)}/rotate`,
      body: { validUntil: "2027-01-01T00:00:00Z" },
    }),
  ],
  ["keys.revoke", ({ key }, told) => ({ method: "DELETE", path: keyOf(told), key })],
  ["approvals.list", ({ key }) => ({ path: "/v1/approvals", key })],
  [
    "approvals.approve",
    ({ approvalIds, key }) => ({
      method: "POST",
      path: `/v1/approvals/${approvalIds[0]}/approve`,
      key,
    }),
  ],
  [
    "approvals.decline",
    ({ approvalIds, key }) => ({
      method: "POST",
      path: `/v1/approvals/${approvalIds[1]}/decline`,
      key,
    }),
  ],
  ["session.signIn", ({ signInKey: key }) => ({ method: "POST", path: "/v1/session", key })],
  ["session.get", (_, told) => ({ path: "/v1/session", headers: sessionOf(told) })],
  ["session.passkeys", (_, told) => ({ path: passkeysPath, headers: sessionOf(told) })],
  [
    "session.addPasskey",
    (_, told) => ({
      path: passkeysPath,
      headers: sessionOf(told),
      body: passkey.make(Scene.text(told.get("session.passkeys")?.body, "next", "challenge")),
    }),
  ],
  [
    "session.removePasskey",
    (_, told) => ({
      method: "DELETE",
      path: `${passkeysPath}/${Scene.text(told.get("session.addPasskey")?.body, "id")}`,
      headers: sessionOf(told),
    }),
  ],
  [
    "session.signOut",
    (_, told) => ({ method: "DELETE", path: "/v1/session", headers: sessionOf(told) }),
  ],
]

/** The responses to every call, sent with additional headers. */
const play = (headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const on = yield* stage
    const told = new Map<string, Scene.Reply>()
    for (const [operation, call] of calls) {
      const sent = call(on, told)
      told.set(operation, yield* answered({ ...sent, headers: { ...sent.headers, ...headers } }))
      if (operation === "webhooks.test") yield* Webhooks.deliver()
    }
    return told
  }).pipe(Effect.provide(Scene.layer({ edge })))

/** The list of a merchant's payments by its old path, as clients of before ask for it. */
const playLegacy = Effect.gen(function* () {
  const { key, merchantId } = yield* stage
  const path = `/v1/merchants/${merchantId}/payments`
  return yield* answered({ path, headers: { "X-Api-Key": key } })
}).pipe(Effect.provide(Scene.layer({ edge: { ...edge, legacyList: true } })))

const pretty = (text: string): string => `${JSON.stringify(JSON.parse(text), null, 2)}\n`
const compact = (text: string): string => JSON.stringify(JSON.parse(text))

/** The fixtures of one operation: one for all, and one for each profile or version of it that differs. */
const fixturesOf = (
  operation: string,
  texts: Readonly<Record<"published" | "field", readonly [string, string]>>,
): ReadonlyArray<readonly [file: string, text: string]> => {
  const [plain, previewed] = texts.published
  const [old, fresh] = texts.field
  const files = [
    ["", plain],
    ...(previewed === plain ? [] : [[`.${versions[1]}`, previewed] as const]),
    ...(old === fresh && old !== plain ? [[".field", old] as const] : []),
    ...(old !== fresh && old !== plain ? [[`.field.${versions[0]}`, old] as const] : []),
    ...(old !== fresh && fresh !== previewed ? [[`.field.${versions[1]}`, fresh] as const] : []),
  ] as const
  return files.map(([suffix, text]) => [`${operation}${suffix}.json`, text] as const)
}

/** Operations that return the same bytes as another one, whose fixtures are theirs. */
const same: { readonly [operation: string]: string } = {
  "payments.status": "gateway.status",
  "payments.statusAlias": "gateway.status",
  "payments.listOfMerchant": "payments.list",
  "payments.listOfMerchantByPath": "payments.list",
  "refunds.get": "refunds.create",
}

const directory = new URL("fixtures/", import.meta.url)

describe("the response of every operation", () => {
  it.effect("equals the recorded one byte for byte, in every version and profile", () =>
    Effect.gen(function* () {
      const pinned = yield* play({})
      const answers = {
        published: [yield* play(published()), yield* play(published(versions[1]))],
        field: [yield* play(field()), yield* play(field(versions[1]))],
      } as const
      const legacy = yield* playLegacy
      const expected = calls.flatMap(([operation]) => {
        const textOf = (told: Told) => told.get(operation)?.text ?? ""
        const [plain, previewed] = answers.published
        const [old, fresh] = answers.field
        assert.strictEqual(textOf(pinned), textOf(plain), operation)
        const other = same[operation]
        if (other !== undefined) {
          for (const told of [plain, previewed, old, fresh]) {
            assert.strictEqual(textOf(told), told.get(other)?.text, operation)
          }
          return []
        }
        return fixturesOf(operation, {
          published: [textOf(plain), textOf(previewed)],
          field: [textOf(old), textOf(fresh)],
        })
      })
      expected.push(["payments.listOfMerchantByPath.legacy.json", legacy.text])
      // `FLORIN_FIXTURES=write` writes them anew: read what changed before it is kept.
      if (env["FLORIN_FIXTURES"] === "write") {
        for (const [file, text] of expected) writeFileSync(new URL(file, directory), pretty(text))
      }
      assert.deepStrictEqual(
        readdirSync(directory).toSorted(),
        expected.map(([file]) => file).toSorted(),
      )
      for (const [file, text] of expected) {
        assert.strictEqual(text, compact(readFileSync(new URL(file, directory), "utf8")), file)
      }
    }),
  )

  it("is recorded for every operation of the interface", () => {
    assert.deepStrictEqual(
      calls.map(([operation]) => operation).toSorted(),
      operations
        .map(({ name }) => name)
        // It shows the same events as the list does.
        .filter((name) => name !== "events.stream")
        .toSorted(),
    )
  })
})

describe("a version step that changes events", () => {
  const apiShape = { version: versions[0], profile: "interface" } as const
  const events = [
    { id: "evt_1", type: "payment.created" },
    { id: "evt_2", type: "payment.failed" },
  ]
  const renamed: ApiShape.Step = {
    applies: () => true,
    event: (event) => ({ name: Scene.text(event, "type"), was: event }),
  }

  it("applies to lists of events and to webhooks, byte for byte", () => {
    const bodies = [
      '{"name":"payment.created","was":{"id":"evt_1","type":"payment.created"}}',
      '{"name":"payment.failed","was":{"id":"evt_2","type":"payment.failed"}}',
    ]
    assert.deepStrictEqual(
      events.map((event) => ApiShape.writeEvent(apiShape, event, [renamed])),
      bodies,
    )
    assert.strictEqual(
      ApiShape.writeResponse(apiShape, "events.list", { data: events, hasMore: false }, [renamed]),
      `{"data":[${bodies.join(",")}],"hasMore":false}`,
    )
  })

  it("changes no other response", () => {
    const page = { data: events }
    const text = ApiShape.writeResponse(apiShape, "payments.list", page, [renamed])
    assert.strictEqual(text, JSON.stringify(page))
  })
})

const inScene =
  (
    body: (
      scene: Scene.Scene,
    ) => Effect.Effect<void, StorageUnavailable | Wallet.WalletRefused, Scene.Ports>,
    options: Scene.Options = {},
  ) =>
  () =>
    Effect.flatMap(Scene.make, body).pipe(Effect.provide(Scene.layer({ edge, ...options })))

describe("the version of a response", () => {
  it.effect(
    "is in the header that requested it, in problems too, once it is known",
    inScene(({ own, walletKey: key }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const [stable, preview] = versions
        const path = gatewayPath(id)
        const missing = gatewayPath("pay_1")
        const asked: ReadonlyArray<
          readonly [sent: Scene.Sent, status: number, published?: string | null, field?: string]
        > = [
          [{ path, key }, 200, stable],
          [{ path, key, method: "HEAD" }, 200, stable],
          [{ path, key, headers: published(preview) }, 200, preview],
          [{ path, key, headers: field() }, 200, null, stable],
          [{ path, key, headers: field(preview) }, 200, null, preview],
          [{ path, key, headers: { ...field(preview), ...published() } }, 200, stable],
          [{ path: missing, key }, 404, stable],
          [{ path: missing, key, headers: field(preview) }, 404, null, preview],
          [{ path: `${path}/options`, key, raw: "{", headers: field() }, 400, null, stable],
          [{ path: "/v1/merchants", key: own.key }, 200, stable],
          [{ path: "/v1/merchants", key: own.key, body: {} }, 400, stable],
          [{ path: "/v1/payments/pay_1", key: own.key, headers: published(preview) }, 401, preview],
          // Without a key, or with a version that is none, nobody knows it.
          [{ path }, 401],
          [{ path, key, headers: published("never") }, 400],
          [{ path, key, headers: field("2020-01-01") }, 400],
          [{ path: "/v1/merchants", key }, 403],
          [{ path: "/nowhere", key }, 404],
          [{ path: "/healthz" }, 200],
        ]
        for (const [sent, status, expected = null, inField = null] of asked) {
          const answer = yield* Scene.send(sent)
          assert.strictEqual(answer.status, status, answer.text)
          assert.strictEqual(answer.headers.get("svc-version"), expected, answer.text)
          assert.strictEqual(answer.headers.get(fieldHeader), inField, answer.text)
        }
      }),
    ),
  )

  it.effect(
    "can be read by pages of other origins, in every version header",
    inScene(({ own, walletKey: key }) =>
      Effect.gen(function* () {
        const path = gatewayPath(yield* Scene.createPayment(own.key, own.merchantId))
        const headers = { Origin: "https://wallet.example" }
        const answer = yield* Scene.send({ path, key, headers })
        assert.strictEqual(
          answer.headers.get("access-control-expose-headers"),
          `Request-Id, Retry-After, Svc-Version, X-Other-Version, ${fieldHeader}`,
        )
      }),
    ),
  )
})

describe("the profile of a request", () => {
  const isNested = (answer: Scene.Reply) =>
    Scene.at(answer.body, "options", 0, "actions", 0, "data", "data") !== undefined

  const spoken: ReadonlyArray<
    readonly [rule: string, headers: Readonly<Record<string, string>>, isField: boolean]
  > = [
    ["is the interface's without a version header", {}, false],
    ["is the interface's with Svc-Version", published(), false],
    ["is the interface's with Svc-Version for a preview", published(versions[1]), false],
    ["is the field's with a listed header", field(), true],
    ["is the field's with a listed header for a preview", field(versions[1]), true],
    ["is the field's with another listed header", { "x-OTHER-version": versions[0] }, true],
    ["is the interface's with a header that is not listed", { "X-Version": "never" }, false],
    ["is the interface's with both headers", { ...field(), ...published() }, false],
    [
      "is the interface's with both headers, and only Svc-Version is checked",
      { ...field("never"), ...published() },
      false,
    ],
  ]
  for (const [rule, headers, isField] of spoken) {
    it.effect(
      rule,
      inScene(({ own, walletKey: key }) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const path = gatewayPath(id, "/options")
          const answer = yield* answered({ path, key, headers, body: { accounts: [bsc] } })
          assert.strictEqual(isNested(answer), isField)
        }),
      ),
    )
  }

  const pinnedIn = (profile: "interface" | "field") =>
    Keys.issue({
      mode: "test",
      owner: { _tag: "Wallet", name: "W", iconUrl: null, versionPin: versions[0], profile },
      name: "profiled",
      expiresAt: null,
    }).pipe(Effect.orDie)
  const app = { mode: "test", name: "", iconUrl: null, versionPin: versions[0] } as const
  it.effect(
    "is that of the wallet's key or app, whatever header the version is in",
    inScene(
      ({ own, walletKey }) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const path = gatewayPath(id, "/options")
          const first = yield* pinnedIn("field")
          const successor = yield* Keys.rotate(first.record.id, null).pipe(Effect.orDie)
          const byApp = (name: string) => ({ "App-Id": name, "Client-Id": "client" })
          const callers: ReadonlyArray<
            readonly [
              key: string | null,
              headers: Readonly<Record<string, string>>,
              isField: boolean | null,
            ]
          > = [
            [first.text, {}, true],
            [successor.text, {}, true],
            [(yield* pinnedIn("interface")).text, {}, false],
            [walletKey, {}, null],
            [null, byApp("of the field"), true],
            [null, byApp("of the interface"), false],
            [null, byApp("plain"), null],
          ]
          const asked = [
            [{}, false],
            [published(), false],
            [field(), true],
          ] as const
          for (const [key, by, isField] of callers) {
            for (const [headers, isHeadersField] of asked) {
              const body = { accounts: [bsc] }
              const answer = yield* answered({ path, key, headers: { ...by, ...headers }, body })
              assert.strictEqual(isNested(answer), isField ?? isHeadersField)
            }
          }
        }),
      {
        edge: {
          ...edge,
          apps: new Map<string, App>([
            ["of the field", { ...app, profile: "field" }],
            ["of the interface", { ...app, profile: "interface" }],
            ["plain", app],
          ]),
        },
      },
    ),
  )

  it.effect(
    "is the interface's if the operator lists no headers of the field",
    inScene(
      ({ own, walletKey: key }) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const path = gatewayPath(id, "/options")
          const headers = field("never")
          const answer = yield* answered({ path, key, headers, body: { accounts: [bsc] } })
          assert.isFalse(isNested(answer))
        }),
      { edge: {} },
    ),
  )

  it.effect(
    "does not change how a wrong version is refused",
    inScene(({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const pinned = yield* Scene.walletKeyPinned("2026-02-19.preview")
        const refused = [
          [walletKey, "", "invalid_api_version"],
          [walletKey, "2026-02-19", "unknown_api_version"],
          [pinned, "2026-02-18", "api_version_downgrade"],
        ] as const
        for (const [key, version, code] of refused) {
          for (const headers of [
            field(version),
            published(version),
            { ...field(), ...published(version) },
          ]) {
            const answer = yield* Scene.send({ path: gatewayPath(id), key, headers })
            Scene.isProblem(answer, 400, code)
          }
        }
        const headers = field("2026-02-18")
        const keyless = yield* Scene.send({ path: gatewayPath(id), key: null, headers })
        Scene.isProblem(keyless, 401, "missing_api_key")
      }),
    ),
  )
})

const ada = {
  fullName: "Ada Lovelace",
  dob: "1815-12-10",
  porCountry: "GB",
  porAddress: "12 St James's Square",
}
const listed = (data: Readonly<Record<string, string>>): Json => ({
  fields: Object.entries(data).map(([id, value]) => ({ id, value })),
})

describe("the field's profile", () => {
  for (const version of versions) {
    it.effect(
      `shows no buyer before a confirm (${version})`,
      inScene(({ own, walletKey: key }) =>
        Effect.gen(function* () {
          const headers = field(version)
          const create = Scene.createPayment(own.key, own.merchantId)
          const buyers = Effect.fnUntraced(function* (id: string) {
            const asked = yield* answered({
              path: `${gatewayPath(id, "/options")}?includePaymentInfo=true`,
              key,
              headers,
              body: { accounts: [base] },
            })
            const got = yield* answered({ path: gatewayPath(id), key, headers })
            return [
              Scene.at(asked.body, "info", "buyer", "accountCaip10") ??
                Scene.at(asked.body, "info", "buyer"),
              Scene.at(got.body, "buyer", "accountCaip10") ?? Scene.at(got.body, "buyer"),
            ]
          })
          const open = yield* create
          assert.deepStrictEqual(yield* buyers(open), [null, null])
          const cancelled = yield* create
          yield* answered({ method: "POST", path: gatewayPath(cancelled, "/cancel"), key })
          assert.deepStrictEqual(yield* buyers(cancelled), [null, null])
          const paid = yield* create
          yield* Scene.confirm(key, paid)
          assert.deepStrictEqual(yield* buyers(paid), [base, base])
          yield* TestClock.adjust("5 minutes")
          const expired = yield* answered({ path: gatewayPath(open), key, headers })
          assert.isNull(Scene.at(expired.body, "buyer"))
        }),
      ),
    )

    it.effect(
      `nests the data of a build action, and accepts it nested or not (${version})`,
      inScene(({ own, walletKey: key }) =>
        Effect.gen(function* () {
          const headers = field(version)
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const plain = yield* Scene.firstOption(key, id, bsc)
          const data = Scene.text(plain, "actions", 0, "data")
          const offered = yield* answered({
            path: gatewayPath(id, "/options"),
            key,
            headers,
            body: { accounts: [bsc] },
          })
          assert.deepStrictEqual(Scene.at(offered.body, "options", 0, "actions"), [
            { type: "build", data: { data } },
          ])
          const fetch = (sent: Json) =>
            Scene.send({
              path: gatewayPath(id, "/fetch"),
              key,
              headers,
              body: { optionId: Scene.text(plain, "id"), data: sent },
            })
          const texts = new Set<string>()
          for (const good of [{ data }, data, "", { data: "" }, { data, extra: 1 }]) {
            const answer = yield* fetch(good)
            assert.strictEqual(answer.status, 200, answer.text)
            texts.add(answer.text)
          }
          assert.strictEqual(texts.size, 1)
          for (const bad of [null, 1, [data], {}, { data: null }, { data: { data } }, "x"]) {
            assert.deepStrictEqual(Scene.fieldsOf(yield* fetch(bad)), ["data"], JSON.stringify(bad))
          }
        }),
      ),
    )

    it.effect(
      `returns a transaction as an object, and signatures unchanged (${version})`,
      inScene(
        ({ own, walletKey: key }) =>
          Effect.gen(function* () {
            const headers = field(version)
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const plain = yield* Scene.firstOption(key, id)
            const asked = { key, headers, body: { accounts: [base] } }
            const offered = yield* answered({ ...asked, path: gatewayPath(id, "/options") })
            const body = { optionId: Scene.text(plain, "id"), data: "" }
            const path = gatewayPath(id, "/fetch")
            const fetched = yield* answered({ path, key, headers, body })
            const written = Scene.text(plain, "actions", 0, "data", "params", 0)
            const transaction: Json = JSON.parse(written)
            for (const actions of [
              Scene.at(offered.body, "options", 0, "actions"),
              Scene.at(fetched.body, "actions"),
            ]) {
              assert.deepStrictEqual(Scene.at(actions, 0, "data", "params"), [transaction])
              assert.deepStrictEqual(Scene.at(actions, 1), Scene.at(plain, "actions", 1))
            }
            assert.hasAllKeys(transaction, ["from", "to", "data", "value"])
          }),
        { chain: { flow: () => "transfer" } },
      ),
    )

    it.effect(
      `requires the payer's data at fetch (${version})`,
      inScene(
        ({ own, walletKey: key }) =>
          Effect.gen(function* () {
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const option = yield* Scene.firstOption(key, id)
            const fetch = (optionId: string, headers: Readonly<Record<string, string>>) =>
              Scene.send({
                path: gatewayPath(id, "/fetch"),
                key,
                headers,
                body: { optionId, data: "" },
              })
            const optionId = Scene.text(option, "id")
            const refused = yield* fetch(optionId, field(version))
            assert.deepStrictEqual(Scene.fieldsOf(refused), ["collectedData"])
            assert.include(Scene.text(refused.body, "message"), "IC data required")
            assert.strictEqual((yield* fetch(optionId, published(version))).status, 200)
            assert.include((yield* fetch("forged", field(version))).text, "Option not found")
            const paymentId = PaymentId.PaymentId.make(id)
            const { session = assert.fail("there is no session") } = Result.getOrThrow(
              PaymentOption.read(optionId, paymentId, (yield* Settings).sealKey),
            )
            yield* PayerData.collect(
              paymentId,
              Scene.payer.account(8453),
              session,
              Object.entries({ ...ada, tosConfirmed: "true" }).map(([name, value]) => ({
                id: name,
                value,
              })),
            ).pipe(Effect.orDie)
            assert.strictEqual((yield* fetch(optionId, field(version))).status, 200)
          }),
        { collectData: CollectDataPolicy.layerAlways },
      ),
    )

    const data: ReadonlyArray<readonly [data: Json, fields: ReadonlyArray<string> | null]> = [
      [{ ...ada, tosConfirmed: true }, null],
      [{ ...ada, tosConfirmed: "true" }, null],
      [listed({ ...ada, tosConfirmed: "true" }), null],
      [{ ...ada }, ["collectedData.tosConfirmed"]],
      [{ ...ada, tosConfirmed: false }, ["collectedData.tosConfirmed"]],
      [{ ...ada, tosConfirmed: "yes" }, ["collectedData.tosConfirmed"]],
      [{ ...ada, dob: true, tosConfirmed: true }, ["collectedData.dob"]],
      [{ ...ada, email: "x", tosConfirmed: true }, ["collectedData"]],
      [listed({ ...ada, email: "x", tosConfirmed: "true" }), ["collectedData"]],
      [{}, ["collectedData.fullName", "collectedData.dob", "collectedData.tosConfirmed"]],
      [[], ["collectedData"]],
      ["{}", ["collectedData"]],
      [true, ["collectedData"]],
      [{ fields: ada }, ["collectedData.fields"]],
    ]
    it.effect(
      `accepts collected data as one flat object or as a list (${version})`,
      inScene(
        ({ own, walletKey: key }) =>
          Effect.gen(function* () {
            for (const [collectedData, fields] of data) {
              const id = yield* Scene.createPayment(own.key, own.merchantId)
              const option = yield* Scene.firstOption(key, id)
              const body = yield* Scene.confirmBody(key, id, option)
              const answer = yield* Scene.send({
                path: gatewayPath(id, "/confirm"),
                key,
                headers: field(version),
                body: { ...body, collectedData },
              })
              if (fields === null) assert.strictEqual(answer.status, 200, answer.text)
              else assert.deepStrictEqual(Scene.fieldsOf(answer), fields)
              assert.notInclude(answer.text, "Lovelace")
            }
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const option = yield* Scene.firstOption(key, id)
            const body = yield* Scene.confirmBody(key, id, option)
            const to = { path: gatewayPath(id, "/confirm"), key }
            const flat = { ...body, collectedData: { ...ada, tosConfirmed: true } }
            const strict = yield* Scene.send({ ...to, headers: published(version), body: flat })
            assert.deepStrictEqual(Scene.fieldsOf(strict), ["collectedData.fields"])
            for (const missing of [body, { ...body, collectedData: null }]) {
              const refused = yield* Scene.send({ ...to, headers: field(version), body: missing })
              assert.include(refused.text, "IC data required")
            }
            for (const odd of [{ ...ada, dob: 18151210 }, { ...ada, fullName: null }, { a: {} }]) {
              const refused = yield* Scene.send({
                ...to,
                headers: field(version),
                body: { ...body, collectedData: odd },
              })
              Scene.isProblem(refused, 400, "params_validation")
            }
          }),
        { collectData: CollectDataPolicy.layerAlways },
      ),
    )

    it.effect(
      `refuses to cancel an expired payment with 400; other calls are 410 (${version})`,
      inScene(({ own, walletKey: key }) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const option = yield* Scene.firstOption(key, id)
          const body = yield* Scene.confirmBody(key, id, option)
          yield* TestClock.adjust("5 minutes")
          const cancels: ReadonlyArray<Scene.Sent> = [
            { method: "POST", path: gatewayPath(id, "/cancel"), key },
            { method: "POST", path: `/v1/payments/${id}/cancel`, key: own.key },
          ]
          for (const cancel of cancels) {
            const refused = yield* Scene.send({ ...cancel, headers: field(version) })
            Scene.isProblem(refused, 400, "invalid_state")
            const strict = yield* Scene.send({ ...cancel, headers: published(version) })
            Scene.isProblem(strict, 410, "payment_expired")
          }
          const others: ReadonlyArray<readonly [tail: string, body: Body]> = [
            ["/options", { accounts: [base] }],
            ["/fetch", { optionId: Scene.text(option, "id"), data: "" }],
            ["/confirm", body],
          ]
          for (const [tail, sent] of others) {
            const path = gatewayPath(id, tail)
            const answer = yield* Scene.send({ path, key, headers: field(version), body: sent })
            Scene.isProblem(answer, 410, "payment_expired")
          }
          const cancelled = yield* Scene.createPayment(own.key, own.merchantId)
          const path = gatewayPath(cancelled, "/cancel")
          for (let call = 0; call < 2; call += 1) {
            yield* answered({ method: "POST", path, key, headers: field(version) })
          }
        }),
      ),
    )
  }

  const lists = (merchantId: string) => [
    "/v1/payments",
    "/v1/merchants/payments",
    `/v1/merchants/${merchantId}/payments`,
  ]
  it.effect(
    "accepts times without seconds in lists; the interface refuses them",
    inScene(({ own: { key, merchantId } }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(key, merchantId)
        const minute = new Date(Scene.now).toISOString().slice(0, 16)
        const next = new Date(Scene.now + 60_000).toISOString().slice(0, 16)
        const paths = ["/v1/payments", `/v1/merchants/${merchantId}/payments`]
        for (const path of paths) {
          const list = (query: string, headers: Readonly<Record<string, string>>) =>
            Scene.send({ path: `${path}?${query}`, key, headers })
          const wanted: ReadonlyArray<readonly [query: string, ids: ReadonlyArray<string>]> = [
            [`startTs=${minute}Z`, [id]],
            [`startTs=${minute}%2B00:00`, [id]],
            [`startTs=${next}Z`, []],
            [`endTs=${minute}Z`, []],
            [`endTs=${next}Z`, [id]],
            [`startTs=${minute}z&endTs=${next}:00.5-00:00`, [id]],
          ]
          for (const version of versions) {
            for (const [query, ids] of wanted) {
              const { body } = yield* answered({
                path: `${path}?${query}`,
                key,
                headers: field(version),
              })
              const found = Scene.list(body, "data").map((item) => Scene.text(item, "paymentId"))
              assert.deepStrictEqual(found, ids, query)
            }
            const strict = yield* list(`startTs=${minute}Z&endTs=${next}Z`, published(version))
            assert.deepStrictEqual(Scene.fieldsOf(strict), ["startTs", "endTs"])
            for (const wrong of [
              minute,
              `${minute}:Z`,
              `${minute}+01`,
              `${minute.slice(0, 13)}Z`,
            ]) {
              const refused = yield* list(`startTs=${encodeURIComponent(wrong)}`, field(version))
              assert.deepStrictEqual(Scene.fieldsOf(refused), ["startTs"], wrong)
            }
          }
        }
      }),
    ),
  )

  it.effect(
    "filters lists by cancelled in the preview, and hides cancelled payments before it",
    inScene(({ own: { key, merchantId }, walletKey }) =>
      Effect.gen(function* () {
        const open = yield* Scene.createPayment(key, merchantId)
        const cancelled = yield* Scene.createPayment(key, merchantId)
        const calledOff = gatewayPath(cancelled, "/cancel")
        yield* answered({ method: "POST", path: calledOff, key: walletKey })
        for (const path of lists(merchantId)) {
          const list = (query: string, headers: Readonly<Record<string, string>>) =>
            Scene.send({
              path: `${path}${query}`,
              key,
              headers: { "Merchant-Id": merchantId, ...headers },
            })
          const ids = (query: string, headers: Readonly<Record<string, string>>) =>
            Effect.map(list(query, headers), (answer) => {
              const found = Scene.list(answer.body, "data").map((each) =>
                Scene.text(each, "paymentId"),
              )
              const { length } = found
              assert.strictEqual(Scene.at(answer.body, "stats", "totalTransactions"), length)
              return found.toSorted()
            })
          const both = [open, cancelled].toSorted()
          assert.deepStrictEqual(yield* ids("", {}), both)
          for (const version of versions) {
            assert.deepStrictEqual(yield* ids("", published(version)), both)
            const refused = yield* list("?status=cancelled", published(version))
            assert.deepStrictEqual(Scene.fieldsOf(refused), ["status"])
          }
          assert.deepStrictEqual(yield* ids("", field(versions[0])), [open])
          const refused = yield* list("?status=cancelled", field(versions[0]))
          assert.deepStrictEqual(Scene.fieldsOf(refused), ["status"])
          assert.deepStrictEqual(yield* ids("", field(versions[1])), both)
          const filtered = yield* ids("?status=cancelled", field(versions[1]))
          assert.deepStrictEqual(filtered, [cancelled])
          const either = yield* ids("?status=cancelled&status=expired", field(versions[1]))
          assert.deepStrictEqual(either, [cancelled])
          for (const headers of [field(versions[0]), field(versions[1])]) {
            assert.deepStrictEqual(yield* ids("?status=requires_action", headers), [open])
          }
        }
      }),
    ),
  )
})

describe("the legacy list", () => {
  const allowed = { edge: { ...edge, legacyList: true } }
  const pathOf = (merchantId: string) => `/v1/merchants/${merchantId}/payments`

  it.effect(
    "accepts a key in X-Api-Key if the operator allows it; no other call does",
    inScene(
      ({ other, own, strangersKey, walletKey }) =>
        Effect.gen(function* () {
          const legacy = (key: string) => ({ "X-Api-Key": key })
          const path = pathOf(own.merchantId)
          for (const elsewhere of [
            "/v1/payments",
            "/v1/merchants/payments",
            "/v1/merchants",
            `/v1/merchants/${own.merchantId}`,
            gatewayPath("pay_1"),
          ]) {
            const refused = yield* Scene.send({ path: elsewhere, headers: legacy(own.key) })
            Scene.isProblem(refused, 401, "missing_api_key")
          }
          const refused: ReadonlyArray<readonly [key: string, status: number, code: string]> = [
            ["", 401, "missing_api_key"],
            ["é", 400, "invalid_params"],
            [strangersKey, 401, "invalid_api_key"],
            [walletKey, 403, "forbidden"],
            [own.liveKey, 404, "merchant_not_found"],
            [other.key, 404, "merchant_not_found"],
          ]
          for (const [key, status, code] of refused) {
            Scene.isProblem(yield* Scene.send({ path, headers: legacy(key) }), status, code)
          }
          const { body, headers } = yield* answered({ path, headers: legacy(own.key) })
          assert.property(body, "next_cursor")
          assert.isNotNull(headers.get("deprecation"))
          // Api-Key is the interface's, and wins.
          const both = yield* answered({ path, key: own.key, headers: legacy(strangersKey) })
          assert.property(both.body, "nextCursor")
          const wrong = yield* Scene.send({ path, key: strangersKey, headers: legacy(own.key) })
          Scene.isProblem(wrong, 401, "invalid_api_key")
        }),
      allowed,
    ),
  )

  it.effect(
    "refuses X-Api-Key by default",
    inScene(({ own }) =>
      Effect.gen(function* () {
        const headers = { "X-Api-Key": own.key }
        const answer = yield* Scene.send({ path: pathOf(own.merchantId), headers })
        Scene.isProblem(answer, 401, "missing_api_key")
      }),
    ),
  )

  it.effect(
    "returns the payments in snake_case with one revenue, page by page, without cancelled ones",
    inScene(
      ({ own, walletKey }) =>
        Effect.gen(function* () {
          const { key, merchantId } = own
          const headers = { "X-Api-Key": key }
          const path = pathOf(merchantId)
          const empty = yield* answered({ path, headers })
          assert.deepStrictEqual(empty.body, {
            data: [],
            next_cursor: null,
            stats: {
              total_revenue: { amount: 0, currency: "USD" },
              total_refunded: { amount: 0, currency: "USD" },
              net_revenue: { amount: 0, currency: "USD" },
              total_transactions: 0,
              total_customers: 0,
            },
          })
          const metadata = { orderNo: "7", nested_name: "x" }
          const paid = yield* Scene.createPayment(key, merchantId, { metadata })
          yield* Scene.pay(walletKey, paid)
          const open = yield* Scene.createPayment(key, merchantId, { metadata })
          const cancelled = yield* Scene.createPayment(key, merchantId)
          yield* answered({
            path: gatewayPath(cancelled, "/cancel"),
            key: walletKey,
            method: "POST",
          })
          const first = yield* answered({ path: `${path}?limit=1`, headers })
          const cursor = Scene.text(first.body, "next_cursor")
          const second = yield* answered({ path: `${path}?limit=1&cursor=${cursor}`, headers })
          const [item] = Scene.list(second.body, "data")
          assert.strictEqual(Scene.text(first.body, "data", 0, "payment_id"), open)
          assert.strictEqual(Scene.text(item, "payment_id"), paid)
          assert.isNull(Scene.at(second.body, "next_cursor"))
          assert.deepStrictEqual(Scene.at(second.body, "stats"), {
            total_revenue: { amount: 12.34, currency: "USD" },
            total_refunded: { amount: 0, currency: "USD" },
            net_revenue: { amount: 12.34, currency: "USD" },
            total_transactions: 2,
            total_customers: 1,
          })
          assert.deepStrictEqual(Scene.at(item, "metadata"), metadata)
          const plain = yield* answered({ path: `${path}?status=succeeded`, key })
          const shown = Scene.at(plain.body, "data", 0)
          assert.deepStrictEqual(
            [
              Scene.at(item, "reference_id"),
              Scene.at(item, "fiat_amount", "display", "asset_symbol"),
              Scene.at(item, "buyer", "account_caip10"),
              Scene.at(item, "transaction", "network_id"),
              Scene.at(item, "fees", "percentage"),
              Scene.at(item, "last_updated_at"),
            ],
            [
              Scene.at(shown, "referenceId"),
              Scene.at(shown, "fiatAmount", "display", "assetSymbol"),
              Scene.at(shown, "buyer", "accountCaip10"),
              Scene.at(shown, "transaction", "networkId"),
              Scene.at(shown, "fees", "percentage"),
              Scene.at(shown, "lastUpdatedAt"),
            ],
          )
          assert.notMatch(second.text.replaceAll("orderNo", ""), /"[a-z]+[A-Z]\w*":/u)
          // Of several currencies one is told; the list can be filtered to another.
          const euro = { amount: { unit: "iso4217/EUR", value: "500" } }
          yield* Scene.pay(walletKey, yield* Scene.createPayment(key, merchantId, euro))
          for (const [query, currency] of [
            ["", "EUR"],
            ["?currency=USD", "USD"],
          ] as const) {
            const { body } = yield* answered({ path: `${path}${query}`, headers })
            assert.strictEqual(Scene.text(body, "stats", "total_revenue", "currency"), currency)
          }
        }),
      allowed,
    ),
  )
})

describe("every version", () => {
  it.effect(
    "reads checkout at a payment's creation; the field's profile ignores it except in a preview",
    inScene(({ own: { key, merchantId } }) =>
      Effect.gen(function* () {
        const good = { successUrl: "https://shop.example/ok", errorUrl: "https://shop.example/no" }
        const wrong = { successUrl: "http://shop.example", errorUrl: "nowhere" }
        for (const path of ["/v1/payments", "/v1/merchant/payment"]) {
          const create = (checkout: Json, headers: Readonly<Record<string, string>>) =>
            Scene.send({
              path,
              key,
              headers: { "Merchant-Id": merchantId, ...headers },
              body: { referenceId: "R-1", amount: { unit: "iso4217/USD", value: "1" }, checkout },
            })
          const kept = Effect.fnUntraced(function* (answer: Scene.Reply) {
            assert.strictEqual(answer.status, 201, answer.text)
            const payments = yield* PaymentStore
            const id = PaymentId.PaymentId.make(Scene.text(answer.body, "paymentId"))
            return (yield* Effect.orDie(payments.payment(id))).checkout
          })
          const [stable, preview] = versions
          for (const ignored of [good, wrong, 1, null]) {
            assert.isNull(yield* kept(yield* create(ignored, field(stable))))
          }
          for (const headers of [{}, published(stable), published(preview), field(preview)]) {
            assert.deepStrictEqual(yield* kept(yield* create(good, headers)), good)
            assert.deepStrictEqual(Scene.fieldsOf(yield* create(wrong, headers)), [
              "checkout.successUrl",
              "checkout.errorUrl",
            ])
            assert.deepStrictEqual(Scene.fieldsOf(yield* create(1, headers)), ["checkout"])
            assert.isNull(yield* kept(yield* create(null, headers)))
          }
        }
      }),
    ),
  )
})
