import { assert, describe } from "@effect/vitest"
import type { PartnerId } from "@florin/core/domain/ground/PartnerId"
import type * as Version from "@florin/core/domain/ground/Version"
import * as Fees from "@florin/core/domain/money/Fees"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Effect, Result } from "effect"
import type { App } from "../src/edge/EdgeSettings.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const partnerPath = "/v1/merchants"
const gatewayPath = "/v1/gateway/payment/pay_0"

/** The gateway's response to a valid key, for a payment that does not exist. */
const reached = { status: 404, code: "payment_not_found" } as const
const refused = { status: 401, code: "invalid_api_key" } as const

const asksGateway = Effect.fnUntraced(function* (
  key: string | null,
  expected: { readonly status: number; readonly code: string },
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = yield* Scene.send({ path: gatewayPath, key, headers })
  Scene.isProblem(answer, expected.status, expected.code)
  return answer
})

const issue = (partnerId: PartnerId, expiresAt: number | null) =>
  Keys.issue({
    mode: "test",
    owner: { _tag: "Partner", partnerId },
    name: "A key",
    expiresAt,
  }).pipe(Effect.orDie)

describe("a key", () => {
  play("is missing if it is not sent, empty, or in another place", (scene) =>
    Effect.gen(function* () {
      for (const path of [partnerPath, gatewayPath]) {
        for (const headers of [
          {},
          { "Api-Key": "" },
          { "Api-Key": "   " },
          { Authorization: `Bearer ${scene.own.key}` },
          { "X-Api-Key": scene.own.key },
          { Cookie: `Api-Key=${scene.own.key}` },
          { "App-Id": "app", "Client-Id": "client" },
        ]) {
          yield* Laws.refused(scene, { path, headers: { ...headers } }, 401, "missing_api_key")
        }
        const inQuery = `${path}?Api-Key=${scene.own.key}&api_key=${scene.own.key}`
        yield* Laws.refused(scene, { path: inQuery }, 401, "missing_api_key")
      }
    }),
  )

  play("is refused unless it is exactly one that was issued", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      const last = key.at(-1) === "0" ? "1" : "0"
      for (const wrong of [
        scene.strangersKey,
        "x",
        "undefined",
        key.slice(0, -1),
        `${key}0`,
        key.slice(0, -1) + last,
        key.toLowerCase(),
        key.toUpperCase(),
        key.replace("_pk_", "_wk_"),
        key.replace("test", "live"),
        `${key}, ${key}`,
        `${key},`,
        `Bearer ${key}`,
        `"${key}"`,
        key.replace("_", "-"),
        `${key.slice(0, 20)} ${key.slice(20)}`,
        "x".repeat(10_000),
      ]) {
        for (const path of [partnerPath, gatewayPath]) {
          const answer = yield* Laws.refused(scene, { path, key: wrong }, 401, "invalid_api_key")
          assert.notInclude(answer.text, wrong.length > 1 ? wrong : "undefined")
        }
      }
    }),
  )

  play("is refused in the same words with a valid and an invalid checksum", (scene) =>
    Effect.gen(function* () {
      const texts = new Set<string>()
      for (const mode of ["test", "live"] as const) {
        for (const kind of ["partner", "wallet"] as const) {
          const key = Result.getOrThrow(ApiKey.make(mode, kind, new Uint8Array(32).fill(7)))
          for (const path of [partnerPath, gatewayPath]) {
            const answer = yield* Laws.refused(scene, { path, key }, 401, "invalid_api_key")
            texts.add(answer.text.replace(/req_\w+/u, ""))
          }
        }
      }
      const malformed = yield* asksGateway("x", refused)
      assert.deepStrictEqual([...texts], [malformed.text.replace(/req_\w+/u, "")])
    }),
  )

  play("has ASCII characters only, like every header that is checked", (scene) =>
    Effect.gen(function* () {
      const { key } = scene.own
      for (const wrong of ["é", `${key}é`, "\u00a0", "ÿ"]) {
        for (const path of [partnerPath, gatewayPath]) {
          yield* Laws.refused(scene, { path, key: wrong }, 400, "header_not_ascii")
        }
      }
      for (const name of ["Svc-Version", "Merchant-Id", "Idempotency-Key"]) {
        for (const path of [partnerPath, gatewayPath]) {
          const headers = { [name]: "é" }
          const answer = yield* Laws.refused(scene, { path, key, headers }, 400, "header_not_ascii")
          assert.include(Scene.text(answer.body, "message").toLowerCase(), name.toLowerCase())
        }
      }
      const strange = { "Sdk-Name": "é", "X-Other": "é", "User-Agent": "é" }
      assert.strictEqual(
        (yield* Scene.send({ path: partnerPath, key, headers: strange })).status,
        200,
      )
    }),
  )
})

describe("an app id", () => {
  const app: App = {
    mode: "test",
    name: "The App",
    iconUrl: "https://app.example/icon.png",
    versionPin: "2026-02-18",
  }
  const apps: ReadonlyMap<string, App> = new Map([
    ["app", app],
    ["live", { ...app, mode: "live" }],
    ["preview", { ...app, versionPin: "2026-02-19.preview" }],
    ["plain", { ...app, iconUrl: null }],
  ])
  const edge = { apps }
  const client = { "Client-Id": "client" }

  play("is ignored if the operator lists no apps", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      for (const headers of [
        { "App-Id": "app" },
        { "App-Id": "app", ...client },
        { "Client-Id": "client" },
      ]) {
        for (const key of [own.key, walletKey]) yield* asksGateway(key, reached, headers)
        yield* asksGateway(null, { status: 401, code: "missing_api_key" }, headers)
        const list = yield* Scene.send({ path: partnerPath, key: own.key, headers: { ...headers } })
        assert.strictEqual(list.status, 200)
      }
    }),
  )

  const cases: ReadonlyArray<
    readonly [Readonly<Record<string, string>>, status: number, code: string]
  > = [
    [{}, 401, "missing_api_key"],
    [client, 401, "missing_api_key"],
    [{ "App-Id": "", ...client }, 401, "missing_api_key"],
    [{ "App-Id": "app" }, 401, "missing_client_id"],
    [{ "App-Id": "app", "Client-Id": "" }, 401, "missing_client_id"],
    [{ "App-Id": "nobody" }, 401, "missing_client_id"],
    [{ "App-Id": "nobody", ...client }, 401, "invalid_app_id"],
    [{ "App-Id": "App", ...client }, 401, "invalid_app_id"],
    [{ "App-Id": "app, app", ...client }, 401, "invalid_app_id"],
    [{ "App-Id": "__proto__", ...client }, 401, "invalid_app_id"],
    [{ "App-Id": "é", ...client }, 400, "header_not_ascii"],
    [{ "App-Id": "app", "Client-Id": "é" }, 400, "header_not_ascii"],
    [{ "App-Id": "app", ...client }, 404, "payment_not_found"],
    [{ "app-id": "app", "CLIENT-ID": "anything" }, 404, "payment_not_found"],
  ]
  for (const [headers, status, code] of cases) {
    play(
      `in ${JSON.stringify(headers)} without a key results in ${status} ${code}`,
      (scene) => Effect.asVoid(Laws.refused(scene, { path: gatewayPath, headers }, status, code)),
      { edge },
    )
  }

  play(
    "is refused together with a key, valid or not",
    (scene) =>
      Effect.gen(function* () {
        for (const key of [scene.own.key, scene.walletKey, scene.strangersKey]) {
          for (const headers of [
            { "App-Id": "app", ...client },
            { "App-Id": "app" },
            { "App-Id": "nobody", ...client },
          ]) {
            const sent = { path: gatewayPath, key, headers: { ...headers } }
            yield* Laws.refused(scene, sent, 400, "conflicting_auth_headers")
          }
          const code = key === scene.strangersKey ? refused : reached
          yield* asksGateway(key, code, client)
          yield* asksGateway(key, code, { "App-Id": "", ...client })
        }
      }),
    { edge },
  )

  play(
    "opens no call of a partner, and is ignored next to a key there",
    (scene) =>
      Effect.gen(function* () {
        const headers = { "App-Id": "app", ...client }
        yield* Laws.refused(scene, { path: partnerPath, headers }, 401, "missing_api_key")
        const list = yield* Scene.send({ path: partnerPath, key: scene.own.key, headers })
        assert.strictEqual(list.status, 200)
        const wallets = { path: partnerPath, key: scene.walletKey, headers }
        yield* Laws.refused(scene, wallets, 403, "forbidden")
      }),
    { edge },
  )

  play(
    "pays like a wallet's key, in its mode and under its name",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const path = `/v1/gateway/payment/${id}`
        const as = (name: string) => ({ "App-Id": name, ...client })
        Scene.isProblem(yield* Scene.send({ path, headers: as("live") }), 404, "payment_not_found")
        for (const [name, icon] of [
          ["app", "https://app.example/icon.png"],
          ["plain", "https://pay.example.com/icons/wallet.svg"],
        ] as const) {
          const options = yield* Scene.send({
            path: `${path}/options?includePaymentInfo=true`,
            headers: as(name),
            body: { accounts: [Scene.accountOf(Scene.payer, 8453)] },
          })
          assert.deepStrictEqual(Scene.at(options.body, "info", "buyer"), {
            accountCaip10: Scene.accountOf(Scene.payer, 8453),
            accountProviderName: "The App",
            accountProviderIcon: icon,
          })
        }
      }),
    { edge },
  )

  play(
    "has its own pinned version",
    () =>
      Effect.gen(function* () {
        const older = { "Svc-Version": "2026-02-18" }
        yield* asksGateway(null, reached, { "App-Id": "app", ...client, ...older })
        yield* asksGateway(
          null,
          { status: 400, code: "api_version_downgrade" },
          {
            "App-Id": "preview",
            ...client,
            ...older,
          },
        )
      }),
    { edge },
  )
})

/** The version that responds: every response names it in the header that asked for it. */
const versionOf = Effect.fnUntraced(function* (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  headers: Readonly<Record<string, string>>,
) {
  const answer = yield* Scene.send({
    path: "/v1/payments",
    key,
    headers: { "Merchant-Id": merchantId, ...headers },
    body: { referenceId: Scene.fresh("VERSION"), amount: { unit: "iso4217/USD", value: "1" } },
  })
  if (answer.status !== 201) return Scene.text(answer.body, "code")
  return answer.headers.get("svc-version") ?? answer.headers.get("x-old-version")
})

const pinned = Effect.fnUntraced(function* (versionPin?: Version.Version) {
  const partner = yield* Effect.orDie(Keys.createPartner({ name: "Pinned", feeTerms: Fees.none }))
  if (versionPin !== undefined) yield* Scene.pinPartner(partner.id, versionPin)
  const { text: key } = yield* issue(partner.id, null)
  return { key, merchantId: yield* Scene.createMerchant(key) }
})

describe("the version of a request", () => {
  play("is the newest stable one by default", () =>
    Effect.gen(function* () {
      const partner = yield* pinned()
      assert.strictEqual(yield* versionOf(partner, {}), "2026-02-18")
    }),
  )

  const sent: ReadonlyArray<readonly [text: string, answer: string]> = [
    ["2026-02-18", "2026-02-18"],
    ["2026-02-19.preview", "2026-02-19.preview"],
    [" 2026-02-18 ", "2026-02-18"],
    ["", "invalid_api_version"],
    ["latest", "invalid_api_version"],
    ["2026-13-01", "invalid_api_version"],
    ["2026-02-18, 2026-02-18", "invalid_api_version"],
    ["2026-02-18.PREVIEW", "invalid_api_version"],
    ["2026-02-17", "unknown_api_version"],
    ["2026-02-19", "unknown_api_version"],
    ["2026-02-18.preview", "unknown_api_version"],
  ]
  for (const [text, answer] of sent) {
    play(`with "${text.slice(0, 30)}" is ${answer}`, ({ own }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* versionOf(own, { "Svc-Version": text }), answer)
      }),
    )
  }

  for (const path of [partnerPath, gatewayPath]) {
    play(`is refused with the same codes at ${path}, and is not repeated`, (scene) =>
      Effect.gen(function* () {
        for (const [text, code] of [
          ["canary", "invalid_api_version"],
          ["2031-12-31", "unknown_api_version"],
        ] as const) {
          const request = { path, key: scene.own.key, headers: { "Svc-Version": text } }
          const answer = yield* Laws.refused(scene, request, 400, code)
          assert.notInclude(answer.text, text)
        }
      }),
    )
  }

  play("may be newer than the pinned one, never older", () =>
    Effect.gen(function* () {
      const stable = yield* pinned("2026-02-18")
      const preview = yield* pinned("2026-02-19.preview")
      for (const [partner, headers, answer] of [
        [stable, {}, "2026-02-18"],
        [stable, { "Svc-Version": "2026-02-18" }, "2026-02-18"],
        [stable, { "Svc-Version": "2026-02-19.preview" }, "2026-02-19.preview"],
        [preview, { "Svc-Version": "2026-02-18" }, "api_version_downgrade"],
        [preview, { "Svc-Version": "2026-02-19.preview" }, "2026-02-19.preview"],
      ] as const) {
        assert.strictEqual(yield* versionOf(partner, { ...headers }), answer)
      }
    }),
  )

  const edge = { fieldVersionHeaders: ["X-Old-Version"] }
  play(
    "may be in another header that the operator lists",
    ({ own }) =>
      Effect.gen(function* () {
        for (const [headers, answer] of [
          [{ "x-old-version": "2026-02-19.preview" }, "2026-02-19.preview"],
          [{ "X-OLD-VERSION": "soon" }, "invalid_api_version"],
          [{ "X-Old-Version": "2027-01-01" }, "unknown_api_version"],
          // The interface's own name goes first.
          [{ "X-Old-Version": "soon", "Svc-Version": "2026-02-18" }, "2026-02-18"],
        ] as const) {
          assert.strictEqual(yield* versionOf(own, { ...headers }), answer)
        }
      }),
    { edge },
  )

  play("is not read from a header that is not listed", ({ own }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* versionOf(own, { "X-Old-Version": "soon" }), "2026-02-18")
    }),
  )
})
