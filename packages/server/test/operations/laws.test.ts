/**
 * Rules that every operation of the interface follows. Each test is generated from the operation's good request and its
 * contract, so that the tests of one operation need not repeat them. matrix.test.ts tests access, nulls.test.ts nulls,
 * Body.test.ts every form of a body, and Authentication.test.ts every form of a key and a version.
 */
import { assert, describe, it } from "@effect/vitest"
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import { Settings } from "@florin/core/ports/Settings"
import { Effect, Predicate } from "effect"
import { TestClock } from "effect/testing"
import type { App } from "../../src/edge/EdgeSettings.ts"
import { operations } from "../../src/Handler.ts"
import * as Judge from "../../test-support/judge.ts"
import * as Requests from "../requests.ts"
import * as Scene from "../scene.ts"
import * as Subjects from "../subjects.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

type Headers = Readonly<Record<string, string>>

const document = OpenApiDocument.make("2026-02-19.preview")
const contracts = new Map(
  Judge.calls(document, OpenApiDocument.methods).map(({ operation }) => [
    operation.operationId,
    operation,
  ]),
)

/** Optional members that the examples of the contract leave out, where they have members of their own. */
const more: { readonly [operation: string]: object } = {
  "gateway.options": { refresh: ["id"] },
  "gateway.confirm": { collectedData: { fields: [{ id: "fullName", value: "Ada" }] } },
  "payments.create": {
    lineItems: [{ name: "Bread", quantity: 1, amount: { unit: "iso4217/USD", value: "1" } }],
  },
  "merchants.create": { checkoutOrigins: ["https://shop.example"] },
  "webhooks.create": { types: ["payment.created"] },
  "keys.create": { from: ["203.0.113.0/24"] },
}

/** People sign in and out by operations that take no request of a program. */
const ofPrograms = operations.filter(({ isFor }) => isFor === undefined)

const all = ofPrograms.map(({ face, name, needsIdempotencyKey, needsMerchantId }) => {
  const row = Requests.rows[name] ?? assert.fail(`${name} has no request`)
  const body = contracts.get(name)?.requestBody
  const media = body?.content["application/json"]
  return {
    name,
    row,
    isPartners: face === "partner",
    needsIdempotencyKey,
    needsMerchantId,
    hasBody: body !== undefined,
    needsBody: body?.required === true,
    schema: media?.schema,
    examples: Object.values(media?.examples ?? {}).map(({ value }): Scene.Json =>
      Object.assign({}, value, more[name]),
    ),
  }
})

/** The good request of an operation, with the caller's key and no Idempotency-Key. */
const requestOf = Effect.fnUntraced(function* (row: Requests.Row, { own }: Scene.Scene) {
  const subject = yield* Subjects.make(own.key, row.payment)
  const bare = (names: object) => {
    const { headers, ...sent } = row.request({ ...subject, ...names })
    const { "Idempotency-Key": _, ...rest } = headers ?? {}
    return { ...sent, key: own.key, headers: rest }
  }
  return { good: bare({}), aboutNothing: bare(Requests.absent) }
})

const withHeaders = (sent: Scene.Sent, headers: Headers): Scene.Sent => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
})

const once = () => ({ "Idempotency-Key": Scene.fresh("law") })

describe("the order in which a request is checked", () => {
  for (const { isPartners, name, needsBody, needsIdempotencyKey, needsMerchantId, row } of all) {
    play(`is key, version, merchant, Idempotency-Key, body, existence: ${name}`, (scene) =>
      Effect.gen(function* () {
        const { aboutNothing, good } = yield* requestOf(row, scene)
        const broken = needsBody ? Laws.withRaw(good, "{") : good
        const { "Merchant-Id": merchantId, ...others } = broken.headers ?? {}
        const nameless = { ...broken, headers: others }
        const long = { "Idempotency-Key": "k".repeat(256) }
        const wrong = withHeaders(nameless, { "Svc-Version": "soon", ...long })
        const isRefused = (sent: Scene.Sent, status: number, code: string) =>
          Laws.refused(scene, sent, status, code)
        yield* isRefused({ ...wrong, key: null }, 401, "missing_api_key")
        yield* isRefused({ ...wrong, key: "" }, 401, "missing_api_key")
        yield* isRefused({ ...wrong, key: scene.strangersKey }, 401, "invalid_api_key")
        yield* isRefused({ ...wrong, key: "flr_test_pk_é" }, 400, "header_not_ascii")
        if (isPartners) {
          yield* isRefused({ ...wrong, key: scene.walletKey }, 403, "forbidden")
          yield* isRefused({ ...wrong, key: scene.liveWalletKey }, 403, "forbidden")
        }
        yield* isRefused(wrong, 400, "invalid_api_version")
        if (needsMerchantId) {
          yield* isRefused(withHeaders(nameless, long), 401, "missing_merchant_id")
          const empty = withHeaders(nameless, { ...long, "Merchant-Id": "" })
          yield* isRefused(empty, 401, "missing_merchant_id")
        }
        const named = merchantId === undefined ? {} : { "Merchant-Id": merchantId }
        const ours = withHeaders(nameless, named)
        const foreign = { ...named, "Idempotency-Key": "clé" }
        yield* isRefused(withHeaders(nameless, foreign), 400, "header_not_ascii")
        for (const key of ["k".repeat(256), "a\tb"]) {
          const keyed = withHeaders(ours, { "Idempotency-Key": key })
          yield* Laws.invalid(scene, keyed, ["Idempotency-Key"])
        }
        if (needsIdempotencyKey) {
          yield* isRefused(ours, 400, "missing_idempotency_key")
          for (const key of ["", "  "]) {
            const keyed = withHeaders(ours, { "Idempotency-Key": key })
            yield* isRefused(keyed, 400, "missing_idempotency_key")
          }
        }
        const keyed = needsIdempotencyKey ? once() : {}
        if (needsBody) {
          yield* isRefused(withHeaders(ours, keyed), 400, "invalid_params")
          const nowhere = withHeaders(Laws.withRaw(aboutNothing, "{"), keyed)
          yield* isRefused(nowhere, 400, "invalid_params")
        }
        if (row.names.length > 0) {
          yield* isRefused(withHeaders(aboutNothing, keyed), 404, row.missing)
        }
      }),
    )
  }
})

describe("a good request", () => {
  for (const { hasBody, name, needsIdempotencyKey, row } of all) {
    play(`may have unknown headers, query names and members: ${name}`, (scene) =>
      Effect.gen(function* () {
        const { good } = yield* requestOf(row, scene)
        const { key, ...sent } = good
        const query = "unknown=1&unknown=2&%F0%9F%98%80=&__proto__=1&%5B%5D="
        const path = `${sent.path}${sent.path.includes("?") ? "&" : "?"}${query}`
        const named = {
          ...sent.headers,
          "Api-Key": key,
          "Svc-Version": "2026-02-18",
          "Idempotency-Key": Scene.fresh("law").padEnd(255, "k"),
          "X-Unknown": "1",
          "Sdk-Name": "a wallet",
        }
        const headers = Object.fromEntries(
          Object.entries(named).map(([header, value]) => [header.toUpperCase(), value]),
        )
        const extra = `{"extra":{"deep":[1,null]},"__proto__":{"a":1},"constructor":1`
        const members = JSON.stringify(sent.body ?? {}).slice(1)
        const raw = members === "}" ? `${extra}}` : `${extra},${members}`
        const shouted = { ...sent, path, key: null, headers }
        const answer = yield* Scene.send(hasBody ? Laws.withRaw(shouted, raw) : shouted)
        assert.strictEqual(answer.status, row.success, answer.text)
        assert.match(
          answer.headers.get("content-type") ?? "",
          /^(?:application\/json|text\/event-stream)$/u,
        )
        assert.match(answer.headers.get("request-id") ?? "", /^req_\w+$/u)
        assert.isNull(answer.headers.get("idempotency-replayed"))
        assert.notInclude(answer.text, "extra")
        if (needsIdempotencyKey) return
        const plain = yield* Scene.send((yield* requestOf(row, scene)).good)
        assert.strictEqual(plain.status, row.success, plain.text)
      }),
    )
  }
})

describe("a body", () => {
  for (const { hasBody, name, needsBody, row } of all) {
    if (!hasBody) continue
    play(`is a JSON object of at most 256 KiB: ${name}`, (scene) =>
      Effect.gen(function* () {
        const sent = withHeaders((yield* requestOf(row, scene)).good, once())
        const isRefused = (raw: string, status: number, code: string, headers: Headers = {}) =>
          Laws.refused(scene, withHeaders(Laws.withRaw(sent, raw), headers), status, code)
        for (const raw of ["{", "{]", "undefined", "{'a':1}", '{"a":1,}', "{} {}"]) {
          yield* isRefused(raw, 400, "invalid_params")
        }
        if (needsBody) yield* isRefused("", 400, "invalid_params")
        for (const raw of ["[]", "null", "true", "1", '"text"', "[{}]"]) {
          if (needsBody) yield* Laws.invalid(scene, Laws.withRaw(sent, raw), ["body"])
          else yield* isRefused(raw, 400, "invalid_params")
        }
        yield* isRefused(`{"a":"${"x".repeat(256 * 1024)}"}`, 413, "payload_too_large")
        const good = JSON.stringify(sent.body ?? {})
        const text = { "Content-Type": "text/plain" }
        yield* isRefused(good, 415, "unsupported_media_type", text)
        if (needsBody) return
        const empty = yield* Scene.send(withHeaders(Laws.withRaw(sent, ""), text))
        assert.strictEqual(empty.status, row.success, empty.text)
      }),
    )
  }
})

// Members of the wrong type.

const resolved = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  schema.$ref === undefined
    ? schema
    : resolved(Judge.named(document.components.schemas, { $ref: schema.$ref }))

/** The JSON types that a schema allows. */
const typesOf = (of: JsonSchema.JsonSchema): ReadonlyArray<string> => {
  const { anyOf, type } = resolved(of)
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  return type === undefined ? [] : [type === "integer" ? "number" : type]
}

const samples: ReadonlyArray<readonly [type: string, value: Scene.Json]> = [
  ["null", null],
  ["number", 1],
  ["boolean", true],
  ["string", ""],
  ["array", []],
  ["array", ["text"]],
  ["object", {}],
]

/** A body with a wrong member, and the member as an issue names it. */
type Wrong = readonly [body: Scene.Json, field: string]

const isList = (value: Scene.Json): value is ReadonlyArray<Scene.Json> => Array.isArray(value)

const within = (wrong: ReadonlyArray<Wrong>, bodyOf: (inner: Scene.Json) => Scene.Json) =>
  wrong.map(([inner, field]) => [bodyOf(inner), field] as const)

/** The same value with one member of a wrong type, or without one that is required. */
const wrongIn = (
  of: JsonSchema.JsonSchema,
  value: Scene.Json,
  at = "",
  isRequired = true,
): ReadonlyArray<Wrong> => {
  const types = typesOf(of)
  const schema = resolved(of)
  const own = samples.flatMap(([type, body]): ReadonlyArray<Wrong> => {
    const isAllowed = types.includes(type) || (type === "null" && !isRequired)
    return types.length === 0 || isAllowed ? [] : [[body, at]]
  })
  if (isList(value)) {
    const [first] = value
    if (first === undefined) return own
    const inside = wrongIn(schema.items ?? {}, first, `${at}[${value.length}]`)
    return own.concat(within(inside, (inner) => [...value, inner]))
  }
  if (!Predicate.isObject(value)) return own
  const members: Readonly<Record<string, Scene.Json>> = JSON.parse(JSON.stringify(value))
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = at === "" ? name : `${at}.${name}`
    const isNeeded = schema.required?.includes(name) === true
    const { [name]: good = null, ...others } = members
    const missing: ReadonlyArray<Wrong> = [
      [others, field],
      [{ ...others, [name.toUpperCase()]: good }, field],
    ]
    const wrong = within(wrongIn(member, good, field, isNeeded), (inner) => ({
      ...members,
      [name]: inner,
    }))
    return isNeeded ? missing.concat(wrong) : wrong
  })
  return at === "" ? inside : own.concat(inside)
}

describe("a member of a body", () => {
  for (const { examples, name, needsBody, row, schema } of all) {
    if (schema === undefined || !needsBody) continue
    play(`that is missing or of another type is named: ${name}`, (scene) =>
      Effect.gen(function* () {
        const sent = withHeaders((yield* requestOf(row, scene)).good, once())
        const before = yield* Laws.world(scene)
        const wrong = examples.flatMap((example) => wrongIn(schema, example))
        assert.isNotEmpty(wrong)
        for (const [body, field] of wrong) {
          const answer = yield* Scene.send({ ...sent, body })
          assert.deepStrictEqual(Scene.fieldsOf(answer), [field], JSON.stringify(body))
          for (const issue of Scene.list(answer.body, "issues")) {
            assert.hasAllKeys(issue, ["field", "message"])
            assert.isNotEmpty(Scene.text(issue, "message"))
          }
        }
        assert.deepStrictEqual(yield* Laws.world(scene), before)
      }),
    )
  }
})

// Calls that are remembered under their Idempotency-Key.

/** The same call with another meaning; null if it has no body that could mean something else. */
const others: { readonly [operation: string]: object | null } = {
  "payments.create": { referenceId: "OTHER" },
  "payments.createAlias": { referenceId: "OTHER" },
  "merchants.create": { merchantName: "Other Shop" },
  "settlements.create": {
    settlements: [
      {
        asset: "eip155:137/erc20:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        destination: Scene.accountOf(Scene.treasury, 137),
      },
    ],
  },
  "refunds.create": { paymentId: Requests.absent.paymentId },
  "webhooks.create": { url: "https://hooks.example.com/other" },
  "webhooks.rotate": null,
  "keys.create": { name: "Another key" },
  "keys.rotate": { validUntil: "2026-12-01T00:00:00Z" },
}

const contentOf = ({ body, status, text }: Scene.Reply) => ({ status, body, text })

const isReplay = ({ headers }: Scene.Reply) => headers.get("idempotency-replayed") === "true"

describe("a call with an Idempotency-Key", () => {
  for (const [name, other] of Object.entries(others)) {
    const row = Requests.rows[name] ?? assert.fail(`${name} has no request`)

    play(`A1: is carried out once, and repeated with the same response: ${name}`, (scene) =>
      Effect.gen(function* () {
        const sent = withHeaders((yield* requestOf(row, scene)).good, once())
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => Scene.send(sent)),
          { concurrency: "unbounded" },
        )
        const [first = assert.fail("nothing was sent")] = answers
        assert.strictEqual(first.status, row.success, first.text)
        assert.lengthOf(
          answers.filter((answer) => !isReplay(answer)),
          1,
        )
        yield* TestClock.adjust(24 * 60 * 60 * 1000 - 1)
        const after = yield* Laws.world(scene)
        const turned = Object.fromEntries(Object.entries(sent.body ?? {}).toReversed())
        const bodies = [turned, { ...turned, unknown: 1 }].map(
          (body) => ` ${JSON.stringify(body, null, "\t")}\r\n`,
        )
        const again = [sent, ...bodies.map((raw) => Laws.withRaw(sent, raw))]
        for (const answer of [...answers, ...(yield* Effect.forEach(again, Scene.send))]) {
          assert.deepStrictEqual(contentOf(answer), contentOf(first))
        }
        const last = yield* Scene.send(sent)
        assert.isTrue(isReplay(last))
        assert.notStrictEqual(last.headers.get("request-id"), first.headers.get("request-id"))
        assert.deepStrictEqual(yield* Laws.world(scene), after)
      }),
    )

    play(`refuses another body under the same key, and forgets refused ones: ${name}`, (scene) =>
      Effect.gen(function* () {
        const { aboutNothing, good } = yield* requestOf(row, scene)
        const key = once()
        const sent = withHeaders(good, key)
        yield* Laws.refused(scene, Laws.withRaw(sent, "{"), 400, "invalid_params")
        if (row.names.length > 0) {
          yield* Laws.refused(scene, withHeaders(aboutNothing, key), 404, row.missing)
        }
        if (other !== null) yield* Laws.invalid(scene, { ...sent, body: [] }, ["body"])
        const first = yield* Scene.send(sent)
        assert.strictEqual(first.status, row.success, first.text)
        assert.isFalse(isReplay(first))
        if (other !== null) {
          const body = { ...Object(sent.body), ...other }
          yield* Laws.refused(scene, { ...sent, body }, 409, "idempotency_conflict")
        }
        assert.deepStrictEqual(contentOf(yield* Scene.send(sent)), contentOf(first))
      }),
    )

    play(`is another call with another partner's key or in another mode: ${name}`, (scene) =>
      Effect.gen(function* () {
        const key = once()
        const texts = new Set<string>()
        const { other: partner, own } = scene
        const callers = [own, partner, { ...own, key: own.liveKey }]
        for (const caller of callers) {
          const { good } = yield* requestOf(row, { ...scene, own: caller })
          const answer = yield* Scene.send(withHeaders(good, key))
          assert.strictEqual(answer.status, row.success, answer.text)
          assert.isFalse(isReplay(answer))
          texts.add(answer.text)
        }
        assert.strictEqual(texts.size, callers.length)
      }),
    )
  }

  play("is another call of another operation, or about another object in the path", (scene) =>
    Effect.gen(function* () {
      const key = once()
      const ofObjects = ["settlements.create", "webhooks.rotate", "keys.rotate"]
      const names = Object.keys(others).filter((name) => name !== "payments.createAlias")
      for (const name of [...names, ...ofObjects]) {
        const row = Requests.rows[name] ?? assert.fail(`${name} has no request`)
        const { good } = yield* requestOf(row, scene)
        const answer = yield* Scene.send(withHeaders(good, key))
        assert.strictEqual(answer.status, row.success, `${name}: ${answer.text}`)
        assert.isFalse(isReplay(answer), name)
      }
    }),
  )

  it("is tried with every operation that needs one", () => {
    const needed = all.flatMap(({ name, needsIdempotencyKey }) =>
      needsIdempotencyKey ? [name] : [],
    )
    assert.includeMembers(Object.keys(others), needed)
  })
})

// Calls about a payment by its payer.

describe("a payment's link in place of its id", () => {
  const pairing = `wc:94caa59c77dae0dd234b5818fb7292540d017b27d41f7f387ee75b22b9738c94@2?relay-protocol=irn&symKey=aa`
  const twice = (text: string) => encodeURIComponent(encodeURIComponent(text))
  const linksOn = (id: string, host: string) => {
    const link = `https://${host}/?pid=${id}`
    return [link, `https://${host}/${id}`, `${pairing}&pay=${encodeURIComponent(link)}`]
  }

  for (const { isPartners, name, row } of all) {
    if (isPartners) continue
    play(`is read if its host is ours, encoded once or twice: ${name}`, (scene) =>
      Effect.gen(function* () {
        const { payLinkHost } = yield* Settings
        const subject = yield* Subjects.make(scene.own.key, row.payment)
        const { paymentId } = subject
        const asked = (id: string) => ({ ...row.request({ ...subject, paymentId: id }) })
        const { path } = asked("")
        const sentTo = (segment: string): Scene.Sent => ({
          ...asked(""),
          path: path.replace("/payment/", `/payment/${segment}`),
          key: scene.walletKey,
        })
        for (const link of [
          ...linksOn(paymentId, "other.example"),
          ...linksOn(paymentId, `${payLinkHost}.evil.example`),
          ...linksOn(paymentId, `x@${payLinkHost}`),
          ...linksOn(Requests.absent.paymentId, payLinkHost),
          `http://${payLinkHost}/?pid=${paymentId}`,
          `https://${payLinkHost}:443/?pid=${paymentId}`,
          `https://${payLinkHost}/?pid=${paymentId}&pid=${paymentId}`,
          `${pairing}&pay=${twice(`https://${payLinkHost}/?pid=${paymentId}`)}`,
          twice(`https://${payLinkHost}/?pid=${paymentId}`),
          pairing,
          "https:%zz",
        ]) {
          for (const encode of [encodeURIComponent, twice]) {
            yield* Laws.refused(scene, sentTo(encode(link)), 404, "payment_not_found")
          }
        }
        // A call that is repeated succeeds again: it finds what it did itself.
        for (const host of [payLinkHost, `shop.${payLinkHost}`]) {
          for (const link of linksOn(paymentId, host)) {
            for (const encode of [encodeURIComponent, twice]) {
              const answer = yield* Scene.send(sentTo(encode(link)))
              assert.strictEqual(answer.status, 200, `${link}: ${answer.text}`)
            }
          }
        }
      }),
    )
  }
})

describe("an app's id in place of a key", () => {
  const app = { mode: "test", name: "An app", iconUrl: null, versionPin: "2026-02-18" } as const
  const edge = {
    apps: new Map<string, App>([
      ["listed", app],
      ["live", { ...app, mode: "live" }],
    ]),
  }
  const as = (id: string) => ({ "App-Id": id, "Client-Id": "a client" })

  for (const { isPartners, name, row } of all) {
    play(
      `opens ${isPartners ? "no call of a partner" : "a payer's call in its mode"}: ${name}`,
      (scene) =>
        Effect.gen(function* () {
          const keyless = { ...(yield* requestOf(row, scene)).good, key: null }
          const sent = withHeaders(keyless, as("listed"))
          if (isPartners) return void (yield* Laws.refused(scene, sent, 401, "missing_api_key"))
          const live = withHeaders(keyless, as("live"))
          yield* Laws.refused(scene, live, 404, "payment_not_found")
          const unlisted = withHeaders(keyless, as("unlisted"))
          yield* Laws.refused(scene, unlisted, 401, "invalid_app_id")
          const answer = yield* Scene.send(sent)
          assert.strictEqual(answer.status, row.success, answer.text)
        }),
      { edge },
    )
  }
})
