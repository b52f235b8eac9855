import { assert, describe, it } from "@effect/vitest"
import { api } from "@florin/api/operator/Api"
import * as Endpoint from "@florin/api/operator/Endpoint"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type * as AccessLog from "../src/AccessLog.ts"
import * as Handler from "../src/Handler.ts"
import * as Groups from "../src/operator/Groups.ts"
import * as Webhooks from "./operations/webhooks.ts"
import * as Calls from "./operator/calls.ts"
import * as Money from "./operator/money.ts"
import * as Scene from "./scene.ts"

const all = ApiKey.OperatorScope.literals

/** What each operation is called with, so that it succeeds. An operation without a row fails its tests. */
interface Row {
  /** `{partnerId}` stands for what the path calls `:partnerId`. */
  readonly body?: Scene.Json
  readonly query?: string
  /** What must happen first, so that the operation has something to do. */
  readonly before?: (scene: Scene.Scene) => Effect.Effect<Money.Subject, unknown, Scene.Ports>
}
const rows: { readonly [name: string]: Row } = {
  "operator.partners.create": { body: { name: "Red Door" } },
  "operator.partners.ensure": { body: { name: "Red Door" } },
  "operator.partners.list": {},
  "operator.partners.get": {},
  "operator.partners.resembling": {},
  "operator.partners.change": {
    body: {
      name: "Blue Door",
      fees: { percentage: "0.4", fixed: [{ unit: "iso4217/USD", value: "10" }] },
      payouts: "60m/500",
      credit: { live: "1000.00 USD" },
      limits: { live: { reserve: "10% 30d" } },
    },
  },
  "operator.partners.suspend": {},
  "operator.partners.resume": {},
  "operator.partners.freeze": {},
  "operator.partners.unfreeze": {},
  "operator.keys.issue": { body: { operator: "Bob", scopes: ["read"] } },
  "operator.keys.list": {},
  "operator.keys.change": { body: { wallet: "Pocket Wallet" } },
  "operator.keys.rotate": { body: {} },
  "operator.keys.revoke": {},
  "operator.merchants.waiting": {},
  "operator.merchants.get": {},
  "operator.merchants.approve": { body: { name: "Live Shop" } },
  "operator.merchants.change": {
    body: { name: "Blue Shop", fees: { percentage: "0.4" }, payouts: "15m", status: "inactive" },
  },
  "operator.merchants.suspend": {},
  "operator.merchants.resume": {},
  "operator.merchants.freeze": {},
  "operator.merchants.unfreeze": {},
  "operator.merchants.confirmDestination": {
    body: { destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009) },
  },
  "operator.merchants.destinationHistory": {},
  "operator.merchants.statement": { query: "?from=2026-02-01&to=2026-02-28" },
  "operator.webhooks.create": {
    body: { partnerId: "{partnerId}", mode: "live", url: "https://shop.example/florin" },
  },
  "operator.webhooks.list": {},
  "operator.webhooks.change": { body: { url: "https://shop.example/other" } },
  "operator.webhooks.disable": {},
  "operator.webhooks.rotate": {},
  "operator.webhooks.test": {},
  "operator.webhooks.sealSecrets": {},
  "operator.webhooks.deliveries": {},
  "operator.webhooks.deliveriesOfPayment": {},
  "operator.webhooks.redeliver": {},
  "operator.webhooks.replay": {
    body: {
      from: new Date(Scene.now - 1000).toISOString(),
      to: new Date(Scene.now + 1000).toISOString(),
    },
  },
  "operator.personalData.show": { query: "?of={paymentId}" },
  "operator.personalData.export": { query: "?of={paymentId}" },
  "operator.personalData.erase": { body: { of: "{paymentId}" } },
  "operator.auditLog.list": {},
  "operator.chains.halted": {},
  "operator.chains.resume": { before: Money.halted },
  "operator.chains.tokens": {},
  "operator.chains.stoppedTokens": {},
  "operator.chains.resumeToken": { before: Money.stopped },
  "operator.chains.gasBudgets": {},
  "operator.inflows.list": {},
  "operator.inflows.find": { before: Money.unclaimed },
  "operator.inflows.return": { before: Money.unclaimed },
  "operator.payments.explain": {},
  "operator.outflows.short": {},
  "operator.outflows.list": {},
  "operator.outflows.get": { before: Money.heldPayout },
  "operator.outflows.retry": { before: Money.heldPayout },
  "operator.outflows.retryAll": { before: Money.heldPayout },
  "operator.outflows.record": { before: Money.unknownPayout },
  "operator.outflows.recordForPayment": { before: Money.unknownPayout },
  "operator.outflows.retrySettlement": { before: Money.heldPayout },
  "operator.outflows.retryRefunds": { before: Money.heldRefund },
  "operator.outflows.accept": { before: Money.movedPayout },
  "operator.outflows.release": { before: Money.movedPayout },
  "operator.float.put": { body: Money.putting },
  "operator.float.take": { before: Money.funded, body: { ...Money.putting, key: "taken" } },
  "operator.float.move": { before: Money.funded, body: Money.moving },
  "operator.float.withdraw": { before: Money.funded, body: Money.withdrawing },
  "operator.float.cancel": { before: Money.movingFloat },
  "operator.balances.list": {},
  "operator.reconciliation.run": { query: "?depth=records" },
  "operator.relayers.list": {},
  "operator.screening.get": {},
  "operator.screening.confirm": { before: Money.refusedList },
  "operator.doctor.check": {},
  "operator.status.get": {},
  "operator.status.stuck": {},
}

const operations = Object.values(api.groups).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => {
    const name = `operator.${group.identifier}.${endpoint.identifier}`
    const operation = Groups.operations.find((each) => each.name === name)
    return {
      name,
      method: endpoint.method,
      path: endpoint.path,
      takesBody: endpoint.method !== "GET" && endpoint.method !== "DELETE",
      needsIdempotencyKey: operation?.needsIdempotencyKey ?? assert.fail(`${name} has no handler`),
      row: rows[name] ?? assert.fail(`${name} has no row`),
      access: Endpoint.accessOf(endpoint),
    }
  }),
)
type Operation = (typeof operations)[number]

const parse = (text: string): Scene.Json => JSON.parse(text)

const unused = (record: ApiKey.ApiKey) => {
  const { lastUsedAt: _, ...key } = record
  return key
}

/** What an operation may change. */
const state = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const partners = yield* accounts.partners(null)
  const owners = [...partners.map(({ id }) => id), null]
  const keys = yield* Effect.forEach(owners, (id) => accounts.keys(id, null))
  const merchants = yield* Effect.forEach(
    partners.flatMap(({ id: partnerId }) =>
      Mode.Mode.literals.map((mode) => ({ partnerId, mode })),
    ),
    (tenant) => accounts.merchants(tenant, {}, { after: null, limit: 100 }),
  )
  const ids = merchants.flatMap(({ items }) => items.map(({ id }) => id))
  const destinations = yield* accounts.destinations(ids, null)
  const outbox = yield* Outbox
  const store = yield* PaymentStore
  const webhooks = yield* Effect.forEach(yield* outbox.endpoints(null), (endpoint) =>
    Effect.map(outbox.deliveries(endpoint.id, 100), (deliveries) => ({ endpoint, deliveries })),
  )
  const collected = yield* Effect.forEach(
    yield* store.paymentsWithCollected(Scene.payer.account(Scene.chains.eip3009)),
    (id) => store.collected(id),
  )
  return { partners, keys: keys.flat().map(unused), merchants, destinations, webhooks, collected }
})

const scenesOf = Effect.fnUntraced(function* ({ row: { before } }: Pick<Operation, "row">) {
  const scene = yield* Scene.make
  const subject = before === undefined ? {} : yield* Effect.orDie(before(scene))
  const wallet = yield* Keys.issue({
    mode: "test",
    owner: { _tag: "Wallet", name: "A wallet", iconUrl: null, versionPin: "2026-02-18" },
    name: "A wallet",
    expiresAt: null,
  }).pipe(Effect.orDie)
  const live = yield* Scene.createMerchant(scene.own.liveKey, "Live Shop")
  const subjects: { readonly [param: string]: string } = {
    partnerId: scene.own.partner.id,
    keyId: scene.own.keyId,
    merchantId: scene.own.merchantId,
    // What an operation on money needs is prepared by its row.
    ...(before === undefined && {
      settlementId: yield* Calls.waitingDestination(scene.own),
      ...(yield* Webhooks.hook(scene.own.key)),
      paymentId: yield* Calls.collected(scene.own),
    }),
  }
  /** What single operations are about instead. */
  const others: { readonly [name: string]: typeof subjects } = {
    "operator.keys.change": { keyId: wallet.record.id },
    "operator.merchants.approve": { merchantId: live },
  }
  const filled = (name: string, text: string) =>
    text.replaceAll(
      /\{(\w+)\}/gu,
      (_, param: string) =>
        subject.params?.[param] ?? others[name]?.[param] ?? subjects[param] ?? assert.fail(param),
    )
  const requestOf = ({ method, name, path, row, takesBody }: Operation, key: string | null) => ({
    method,
    path: filled(name, `${path.replaceAll(/:(\w+)/gu, "{$1}")}${row.query ?? ""}`),
    key,
    headers: { "Idempotency-Key": `once ${name}` },
    ...(takesBody && {
      body: parse(filled(name, JSON.stringify(subject.body ?? row.body ?? {}))),
    }),
  })
  return { ...scene, wallet, requestOf }
})

const lines: Array<AccessLog.Line> = []
const layer = Scene.layer({
  chain: { blocks: "manual" },
  edge: { log: (line) => lines.push(line) },
  settings: Calls.settings,
}).pipe(Layer.provideMerge(Money.treasury))

describe("every operation of the operator", () => {
  for (const operation of operations) {
    const { access, name, needsIdempotencyKey } = operation
    const { action, scope } = access

    it.effect(`S39: ${name} refuses every key but an operator's with the scope ${scope}`, () =>
      Effect.gen(function* () {
        const { own, requestOf, wallet } = yield* scenesOf(operation)
        const expired = yield* Calls.operatorKey(all, { expiresAt: Scene.now + 60_000 })
        const revoked = yield* Calls.operatorKey(all)
        yield* Keys.revoke(revoked.record.id)
        const without = yield* Calls.operatorKey(all.filter((each) => each !== scope))
        const elsewhere = yield* Calls.operatorKey(all, { from: ["203.0.113.0/24"] })
        yield* TestClock.adjust(120_000)
        const unknown = Result.getOrThrow(ApiKey.make(null, "operator", new Uint8Array(32).fill(7)))
        const cells = [
          ["no key", null, 401, "missing_api_key", null],
          ["an unknown key", unknown, 401, "invalid_api_key", null],
          ["an expired key", expired.text, 401, "invalid_api_key", null],
          ["a revoked key", revoked.text, 401, "invalid_api_key", null],
          ["another scope", without.text, 403, "forbidden", without.record.id],
          ["another address", elsewhere.text, 403, "forbidden", elsewhere.record.id],
          ["a partner's key", own.key, 403, "forbidden", own.keyId],
          ["a wallet's key", wallet.text, 403, "forbidden", wallet.record.id],
        ] as const
        for (const [what, key, status, code, keyId] of cells) {
          const before = yield* state
          const recorded = (yield* Calls.entries).length
          lines.length = 0
          const reply = yield* Calls.send(requestOf(operation, key))
          Scene.isProblem(reply, status, code)
          assert.deepStrictEqual(yield* state, before, what)
          assert.deepInclude(lines[0], { route: operation.path, status, code, keyId }, what)
          const added = (yield* Calls.entries).slice(0, (yield* Calls.entries).length - recorded)
          assert.deepStrictEqual(
            added.map(({ action: done, changes, requestId, subject }) => ({
              done,
              changes,
              requestId,
              subject,
            })),
            keyId === null
              ? []
              : [
                  {
                    done: "operator.refused",
                    changes: [{ field: "operation", to: name }],
                    requestId: reply.headers.get("request-id"),
                    subject: keyId,
                  },
                ],
            what,
          )
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect(`S39: ${name} names the person in the audit log, and a replay changes nothing`, () =>
      Effect.gen(function* () {
        const { requestOf } = yield* scenesOf(operation)
        const key = yield* Calls.operatorKey([scope])
        // A measure that is taken already changes nothing, so its opposite comes first.
        const [, group, does = ""] = name.split(".")
        const opposite =
          operation.row.before === undefined
            ? { resume: "suspend", unfreeze: "freeze" }[does]
            : undefined
        if (opposite !== undefined) {
          const first = operations.find((each) => each.name === `operator.${group}.${opposite}`)
          const admin = yield* Calls.operatorKey(all)
          yield* Calls.send(requestOf(first ?? assert.fail(opposite), admin.text))
        }
        // An operator's key makes no key that may do more than itself.
        const request = requestOf(operation, key.text)
        const body =
          name === "operator.keys.issue" ? { operator: "Bob", scopes: [scope] } : undefined
        const sent = { ...request, ...(body && { body }) }
        const recorded = (yield* Calls.entries).length
        const reply = yield* Calls.send(sent)
        assert.include([200, 201], reply.status, reply.text)
        const now = yield* Calls.entries
        const added = now.slice(0, now.length - recorded)
        assert.lengthOf(added, action === null ? 0 : 1)
        for (const entry of added) {
          assert.strictEqual(entry.action, action)
          assert.deepStrictEqual(entry.actor, {
            _tag: "Operator",
            name: "Ada",
            processId: null,
            keyId: key.record.id,
          })
          assert.strictEqual(entry.requestId, reply.headers.get("request-id"))
        }
        if (!needsIdempotencyKey) return
        const before = yield* state
        const again = yield* Calls.send(sent)
        assert.strictEqual(again.text, reply.text)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        const other = { ...sent, body: { ...Object(sent.body), name: "Another" } }
        Scene.isProblem(yield* Calls.send(other), 409, "idempotency_conflict")
        const without = { ...sent, headers: {} }
        Scene.isProblem(yield* Calls.send(without), 400, "missing_idempotency_key")
        assert.deepStrictEqual(yield* state, before)
        assert.strictEqual((yield* Calls.entries).length, now.length)
      }).pipe(Effect.provide(layer)),
    )

    it.effect(`S39: ${name} does not exist on the public port`, () =>
      Effect.gen(function* () {
        const { requestOf } = yield* scenesOf(operation)
        const key = yield* Calls.operatorKey(all)
        Scene.isProblem(yield* Scene.send(requestOf(operation, key.text)), 404, "not_found")
      }).pipe(Effect.provide(layer)),
    )
  }
})

describe("an operator's key", () => {
  it.effect("S39: is refused by every operation of the public port", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(all)
      for (const { method, path } of Handler.operations) {
        const reply = yield* Scene.send({
          method,
          path: path.replaceAll(/:\w+/gu, "pay_1"),
          key,
          ...(method !== "GET" && method !== "DELETE" && { body: {} }),
        })
        assert.strictEqual(reply.status, 403, `${method} ${path}: ${reply.text}`)
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("S39: makes and rotates no operator's key that may do more than itself", () =>
    Effect.gen(function* () {
      const { text: key } = yield* Calls.operatorKey(["admin"])
      const stronger = yield* Calls.operatorKey(["treasury"])
      const headers = { "Idempotency-Key": "1" }
      const path = "/operator/v1/keys"
      const body = { operator: "Bob", scopes: ["admin", "treasury"] }
      const before = yield* state
      Scene.isProblem(yield* Calls.send({ path, key, headers, body }), 403, "forbidden")
      const rotate = `${path}/${stronger.record.id}/rotate`
      Scene.isProblem(yield* Calls.send({ path: rotate, key, headers, body: {} }), 403, "forbidden")
      assert.deepStrictEqual(yield* state, before)
    }).pipe(Effect.provide(layer)),
  )
})
