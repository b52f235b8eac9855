/**
 * A good call of every operation of the operator, and what these operations can change.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import { api } from "@florin/api/operator/Api"
import * as Endpoint from "@florin/api/operator/Endpoint"
import * as Mode from "@florin/core/domain/ground/Mode"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Effect } from "effect"
import * as Groups from "../../src/operations/Groups.ts"
import * as Asking from "../asking.ts"
import * as Webhooks from "../operations/webhooks.ts"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

/** What each operation is called with, so that it succeeds. An operation without a row fails its tests. */
interface Row {
  /** `{partnerId}` stands for what the path calls `:partnerId`. */
  readonly body?: Scene.Json
  readonly query?: string
  /** What must happen first, so that the operation has something to do. */
  readonly before?: (scene: Scene.Scene) => Effect.Effect<Money.Subject, unknown, Scene.Ports>
}
const waitingApproval = Effect.map(Asking.waiting(null, "read", "float"), (approvalId) => ({
  params: { approvalId },
}))

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
  "operator.merchants.list": {},
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
  "operator.merchants.balances": {},
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
  "operator.chains.list": {},
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
  "operator.relayers.list": {},
  "operator.screening.get": {},
  "operator.screening.confirm": { before: Money.refusedList },
  "operator.reconciliation.run": { query: "?depth=records" },
  "operator.doctor.check": {},
  "operator.status.get": {},
  "operator.status.stuck": {},
  "operator.approvals.list": {},
  "operator.approvals.approve": { before: () => waitingApproval },
  "operator.approvals.decline": { before: () => waitingApproval },
}

/** The operations that programs call. People sign in and out by theirs. */
export const operations = Object.values(api.groups)
  .filter(({ identifier }) => identifier !== "session")
  .flatMap((group) =>
    Object.values(group.endpoints).map((endpoint) => {
      const name = `operator.${group.identifier}.${endpoint.identifier}`
      const operation = Groups.operator.find((each) => each.name === name)
      return {
        name,
        method: endpoint.method,
        path: endpoint.path,
        takesBody: endpoint.method !== "GET" && endpoint.method !== "DELETE",
        needsStepUp: operation?.needsStepUp ?? false,
        needsIdempotencyKey:
          operation?.needsIdempotencyKey ?? assert.fail(`${name} has no handler`),
        row: rows[name] ?? assert.fail(`${name} has no row`),
        access: Endpoint.accessOf(endpoint),
      }
    }),
  )
export type Operation = (typeof operations)[number]

const parse = (text: string): Scene.Json => JSON.parse(text)

const unused = (record: ApiKey.ApiKey) => {
  const { lastUsedAt: _, ...key } = record
  return key
}

/** What an operation may change. */
export const state = Effect.gen(function* () {
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

export const scenesOf = Effect.fnUntraced(function* ({ row: { before } }: Pick<Operation, "row">) {
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
