/**
 * How often each operation asks the database, everything included: over HTTP, on PostgreSQL's own engine, with BEGIN and
 * COMMIT counted as the round trips that they are. An operation without a row fails.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Storage from "@florin/core/ports/Storage"
import * as Wallet from "@florin/testing/Wallet"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"
import * as StoragePostgres from "../../postgres/src/StoragePostgres.ts"
import * as StorageTime from "../../postgres/src/StorageTime.ts"
import * as Databases from "../../postgres/test-support/databases.ts"
import { operations } from "../src/Handler.ts"
import * as Scene from "./scene.ts"
import * as Subjects from "./subjects.ts"

/** The text of everything that was sent. */
const Sent = Context.Reference<Array<string>>("@florin/server/test/Sent", {
  defaultValue: () => [],
})

const SentForStats = Context.Reference<Array<string>>("@florin/server/test/SentForStats", {
  defaultValue: () => [],
})

const record = (text: string) => Effect.map(Sent, (sent) => void sent.push(text))

const recordStatement: Statement.Transformer = (statement) =>
  Effect.as(record(statement.compile()[0].replaceAll(/\s+/gu, " ").trim()), statement)

/** A database whose transactions tell where they begin and end. */
const database = Layer.effect(
  SqlClient.SqlClient,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { withTransaction } = sql
    return Object.assign(sql, {
      withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        record("BEGIN").pipe(
          Effect.andThen(withTransaction(effect)),
          Effect.ensuring(record("COMMIT or ROLLBACK")),
        ),
    })
  }),
).pipe(Layer.provide(Databases.embedded), Layer.merge(StorageTime.layerUnchecked))

const runtime = ManagedRuntime.make(Layer.provideMerge(StoragePostgres.layer, database))
afterAll(() => runtime.dispose())

/** Writes that happen after the response. */
const isBehind = (statement: string): boolean => statement.includes("stats_fold")

/** What an effect sends; the statistics of a list apart, as their cost is their own. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const sent: Array<string> = []
    const ofStats: Array<string> = []
    const awaited = (texts: ReadonlyArray<string>) => texts.filter((text) => !isBehind(text))
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, recordStatement),
      Effect.provideService(Sent, sent),
      Effect.provideService(SentForStats, ofStats),
      Effect.map(() => ({ sent: awaited(sent), ofStats: awaited(ofStats) })),
    )
  })

/** The statements of a successful call. */
const statementsOfCall = (request: Scene.Sent) =>
  statementsOf(
    Effect.tap(Scene.send(request), ({ status, text }) =>
      Effect.sync(() => assert.oneOf(status, [200, 201], text)),
    ),
  )

const isWrite = (statement: string): boolean => /\b(INSERT|UPDATE|DELETE)\b/u.test(statement)

const shown = (sent: ReadonlyArray<string>): string => `\n${sent.join("\n")}`

/** The storage of the file, emptied. */
const storage = Layer.effectContext(
  Effect.promise(() => runtime.runPromise(Effect.andThen(Databases.empty, Storage.all))),
)

const tellingStats = (own: PaymentStore["Service"]): PaymentStore["Service"] => ({
  ...own,
  paymentStats: (...args) =>
    Effect.flatMap(SentForStats, (sent) =>
      Effect.provideService(own.paymentStats(...args), Sent, sent),
    ),
})

/** Plays a scene in a service of its own. */
const play =
  <A, E>(body: (scene: Scene.Scene) => Effect.Effect<A, E, Scene.Ports>) =>
  () =>
    Effect.flatMap(Scene.make, body).pipe(
      Effect.provide(
        Scene.layer({
          beforeStorage: Layer.provideMerge(
            Layer.effect(PaymentStore, Effect.map(PaymentStore, tellingStats)),
            storage,
          ),
        }),
      ),
    )

const gatewayPath = (paymentId: string, tail = ""): string =>
  `/v1/gateway/payment/${paymentId}${tail}`

const nobodysPayment = gatewayPath("pay_0000000000000000000000000000", "/status")

/** Calls with every key: the first call of a key notes its use, the second remembers it. */
const becomeKnown = Effect.fnUntraced(function* ({ own, walletKey }: Scene.Scene) {
  for (const key of [own.key, own.key, walletKey, walletKey]) {
    yield* Scene.send({ path: nobodysPayment, key })
  }
})

const amount = { unit: "iso4217/USD", value: "1234" }

/** One account on each of the chains, again and again. */
const accounts = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) =>
    Scene.accountOf(
      Wallet.make(1 + Math.floor(index / 5)),
      [8453, 56, 137, 42161, 10][index % 5] ?? 1,
    ),
  )

/** A call that changes nothing. */
const reads = /\.(get|statement|status\w*|options|fetch|list\w*)$/u

interface Row {
  readonly operation: string
  readonly case?: string
  /** How far the payment is; open, unless something else is said. */
  readonly stage?: Subjects.Stage
  readonly chainId?: number
  /** It writes, though it reads by name. */
  readonly writes?: true
  /** Sent before, and not counted. */
  readonly again?: boolean
  readonly atMost: number
  readonly request: (subject: Subjects.Subject, scene: Scene.Scene) => Scene.Sent
}

const gateway = (
  operation: string,
  atMost: number,
  request: (subject: Subjects.Subject) => Omit<Scene.Sent, "key">,
  more: Partial<Row> = {},
): Row => ({
  operation: `gateway.${operation}`,
  atMost,
  request: (subject, { walletKey }) => ({ ...request(subject), key: walletKey }),
  ...more,
})

const partner = (
  operation: string,
  atMost: number,
  request: (subject: Subjects.Subject) => Omit<Scene.Sent, "key">,
  more: Partial<Row> = {},
): Row => ({
  operation,
  atMost,
  request: (subject, { own }) => ({ ...request(subject), key: own.key }),
  ...more,
})

const named = ({ merchantId }: Subjects.Subject) => ({ "Merchant-Id": merchantId })

const once = () => ({ "Idempotency-Key": Scene.fresh("once") })

const creating = (operation: string, path: string): ReadonlyArray<Row> => {
  const body = () => ({ referenceId: Scene.fresh("ORDER"), amount })
  const sameOnce = once()
  return [
    partner(operation, 2, (subject) => ({ path, headers: named(subject), body: body() })),
    partner(
      operation,
      3,
      (subject) => ({ path, headers: { ...named(subject), ...once() }, body: body() }),
      { case: "with an Idempotency-Key" },
    ),
    partner(
      operation,
      1,
      (subject) => ({
        path,
        headers: { ...named(subject), ...sameOnce },
        body: { referenceId: "ORDER", amount },
      }),
      { case: "again with an Idempotency-Key", again: true },
    ),
  ]
}

/** A page takes two; the statistics beside it are counted on their own. */
const listing = (operation: string, path: (subject: Subjects.Subject) => string): Row =>
  partner(`payments.${operation}`, 2, (subject) => ({
    path: path(subject),
    headers: named(subject),
  }))

const reading = (operation: string, path: (subject: Subjects.Subject) => string): Row => ({
  ...listing(operation, path),
  atMost: 1,
})

const merchantPath = ({ merchantId }: Subjects.Subject, tail = ""): string =>
  `/v1/merchants/${merchantId}${tail}`

const hooked = { stage: "hooked" } as const
const hookPath = ({ webhookId }: Subjects.Subject, tail = ""): string =>
  `/v1/webhooks/${webhookId}${tail}`

const destinationPath = (subject: Subjects.Subject): string =>
  merchantPath(subject, `/settlements/crypto/${subject.destinationId}`)

const confirming = (more: Partial<Row>): Row =>
  gateway(
    "confirm",
    4,
    ({ confirm, paymentId }) => ({ path: gatewayPath(paymentId, "/confirm"), body: confirm }),
    more,
  )

const optionsOf = (
  { paymentId }: Subjects.Subject,
  count: number,
  query = "",
): Omit<Scene.Sent, "key"> => ({
  path: gatewayPath(paymentId, `/options${query}`),
  body: { accounts: accounts(count) },
})

const rows: ReadonlyArray<Row> = [
  gateway("get", 2, ({ paymentId }) => ({ path: gatewayPath(paymentId) })),
  // One is what accepted confirms will use of an allowance: asked only where a token may be taken by one.
  gateway("options", 4, (subject) => optionsOf(subject, 8)),
  gateway("options", 3, (subject) => optionsOf(subject, 1), { case: "without an allowance" }),
  gateway("options", 5, (subject) => optionsOf(subject, 8, "?includePaymentInfo=true"), {
    case: "with payment info",
  }),
  gateway("options", 4, (subject) => optionsOf(subject, 8, "?includeCosts=true"), {
    case: "with costs",
  }),
  gateway(
    "fetch",
    2,
    ({ confirm, paymentId }) => ({
      path: gatewayPath(paymentId, "/fetch"),
      body: { optionId: confirm.optionId, data: "" },
    }),
    { case: "by Permit2", chainId: Scene.chains.permit2 },
  ),
  gateway("fetch", 1, ({ confirm, paymentId }) => ({
    path: gatewayPath(paymentId, "/fetch"),
    body: { optionId: confirm.optionId, data: "" },
  })),
  confirming({ case: "by EIP-3009" }),
  confirming({ case: "by Permit2", chainId: Scene.chains.permit2 }),
  confirming({ case: "again", again: true, atMost: 1 }),
  gateway("status", 1, ({ paymentId }) => ({ path: gatewayPath(paymentId, "/status") })),
  gateway("cancel", 3, ({ paymentId }) => ({ path: gatewayPath(paymentId, "/cancel"), body: {} })),

  ...creating("payments.create", "/v1/payments"),
  ...creating("payments.createAlias", "/v1/merchant/payment"),
  listing("list", () => "/v1/payments"),
  listing("listOfMerchant", () => "/v1/merchants/payments"),
  listing("listOfMerchantByPath", (subject) => merchantPath(subject, "/payments")),
  // The payment, and its merchant.
  partner("payments.get", 2, ({ merchantId, paymentId }) => ({
    path: `/v1/payments/${paymentId}`,
    headers: { "Merchant-Id": merchantId },
  })),
  // What becomes of a share is in the outflow that carries it, or waits by its merchant's policy.
  ...(["paid", "refunded"] as const).flatMap((stage) => [
    {
      ...reading("get", ({ paymentId }) => `/v1/payments/${paymentId}`),
      case: stage,
      stage,
      atMost: 3,
    },
    { ...listing("list", () => "/v1/payments"), case: stage, stage, atMost: 3 },
  ]),
  reading("status", ({ paymentId }) => `/v1/payments/${paymentId}/status`),
  reading("statusAlias", ({ paymentId }) => `/v1/merchant/payment/${paymentId}/status`),
  partner("payments.cancel", 6, ({ paymentId }) => ({
    path: `/v1/payments/${paymentId}/cancel`,
    body: {},
  })),

  partner("merchants.create", 8, () => ({
    path: "/v1/merchants",
    headers: once(),
    body: { merchantName: "Kiosk", merchantEmail: "kiosk@example.com" },
  })),
  partner("merchants.list", 1, () => ({ path: "/v1/merchants" })),
  partner("merchants.get", 2, (subject) => ({ path: merchantPath(subject) })),
  partner(
    "merchants.statement",
    2,
    (subject) => ({ path: merchantPath(subject, "/statement?from=2026-09-01&to=2026-09-30") }),
    { stage: "paid" },
  ),
  partner("merchants.update", 5, (subject) => ({
    method: "PATCH",
    path: merchantPath(subject),
    body: { merchantName: "Renamed" },
  })),
  partner("merchants.remove", 5, (subject) => ({ method: "DELETE", path: merchantPath(subject) })),

  partner("settlements.list", 2, (subject) => ({ path: merchantPath(subject, "/settlements") })),
  // What is in the audit log is written in a transaction with its entry: three statements more.
  // Who adds to a merchant waits for the others in a transaction: two statements begin and end it, one locks.
  // One asks whether the merchant is owed something: its first destination is a change then.
  partner("settlements.create", 15, (subject) => ({
    path: merchantPath(subject, "/settlements/crypto"),
    headers: once(),
    body: {
      settlements: [
        {
          asset: "eip155:10/erc20:0x0b2c639c533813f4aa9d7837caf62653d097ff85",
          destination: Scene.accountOf(Scene.treasury, 10),
        },
      ],
    },
  })),
  partner("settlements.change", 6, (subject) => ({
    method: "PUT",
    path: destinationPath(subject),
    body: { destination: Scene.accountOf(Scene.stranger, 8453) },
  })),
  partner("settlements.remove", 6, (subject) => ({
    method: "DELETE",
    path: destinationPath(subject),
  })),

  partner("refunds.create", 6, ({ paymentId }) => ({ path: "/v1/refunds", body: { paymentId } }), {
    stage: "paid",
  }),
  partner(
    "refunds.destination",
    1,
    ({ paymentId }) => ({
      path: "/v1/refunds/destination",
      body: { paymentId, destination: Scene.accountOf(Scene.stranger, 8453) },
    }),
    { stage: "paid" },
  ),
  partner("refunds.list", 1, ({ paymentId }) => ({ path: `/v1/refunds?paymentId=${paymentId}` }), {
    stage: "refunded",
  }),
  partner("refunds.get", 1, ({ refundId }) => ({ path: `/v1/refunds/${refundId}` }), {
    stage: "refunded",
  }),
  partner("payments.statistics", 1, () => ({ path: "/v1/payments/statistics" }), {
    stage: "paid",
  }),
  partner("balances.list", 3, () => ({ path: "/v1/balances" }), { stage: "paid" }),
  partner("payouts.list", 1, () => ({ path: "/v1/payouts" }), { stage: "paid" }),
  partner(
    "payouts.list",
    1,
    ({ merchantId }) => ({ path: `/v1/payouts?merchantId=${merchantId}&status=held` }),
    { case: "of a merchant and a state", stage: "paid" },
  ),
  partner("payouts.get", 1, ({ payoutId }) => ({ path: `/v1/payouts/${payoutId}` }), {
    stage: "paid",
  }),
  // Who reads new events first numbers them, in a transaction under a lock.
  partner("events.list", 7, () => ({ path: "/v1/events" }), {
    case: "with new ones",
    writes: true,
  }),
  partner("events.list", 2, () => ({ path: "/v1/events" }), { again: true }),
  // It reads as the list does, once it is answered: how much of that is seen here depends on when the reader leaves.
  partner("events.stream", 7, () => ({ path: "/v1/events/stream" }), { writes: true }),
  // A secret is made, and the answer that shows it remembered, in one transaction with the entry; a lock counts webhooks.
  partner("webhooks.create", 12, () => ({
    path: "/v1/webhooks",
    headers: once(),
    body: { url: "https://hooks.example.com/" },
  })),
  partner("webhooks.list", 1, () => ({ path: "/v1/webhooks" })),
  partner("webhooks.get", 1, (subject) => ({ path: hookPath(subject) }), hooked),
  partner(
    "webhooks.change",
    7,
    (subject) => ({
      method: "PATCH",
      path: hookPath(subject),
      body: { url: "https://other.example.com/" },
    }),
    hooked,
  ),
  partner(
    "webhooks.remove",
    7,
    (subject) => ({ method: "DELETE", path: hookPath(subject) }),
    hooked,
  ),
  partner(
    "webhooks.rotate",
    11,
    (subject) => ({ method: "POST", path: hookPath(subject, "/rotate"), headers: once() }),
    hooked,
  ),
  partner(
    "webhooks.test",
    5,
    (subject) => ({ method: "POST", path: hookPath(subject, "/test") }),
    hooked,
  ),
  partner(
    "webhooks.deliveries",
    2,
    (subject) => ({ path: hookPath(subject, "/deliveries") }),
    hooked,
  ),
  partner(
    "webhooks.redeliver",
    8,
    (subject) => ({
      method: "POST",
      path: hookPath(subject, `/deliveries/${subject.deliveryId}/redeliver`),
    }),
    hooked,
  ),
  partner(
    "webhooks.replay",
    9,
    (subject) => ({
      path: hookPath(subject, "/replay"),
      body: { from: "2026-09-21T00:00:00Z", to: "2026-09-22T00:00:00Z" },
    }),
    hooked,
  ),
  partner("keys.create", 10, () => ({
    path: "/v1/keys",
    headers: once(),
    body: { name: "A key" },
  })),
  partner("keys.list", 1, () => ({ path: "/v1/keys" })),
  partner(
    "keys.rotate",
    12,
    ({ keyId }) => ({ path: `/v1/keys/${keyId}/rotate`, headers: once(), body: {} }),
    { stage: "keyed" },
  ),
  partner("keys.revoke", 13, ({ keyId }) => ({ method: "DELETE", path: `/v1/keys/${keyId}` }), {
    stage: "keyed",
  }),
  partner("approvals.list", 3, () => ({ path: "/v1/approvals" }), { stage: "asked" }),
  partner(
    "approvals.approve",
    8,
    ({ approvalId }) => ({ method: "POST", path: `/v1/approvals/${approvalId}/approve` }),
    { stage: "asked" },
  ),
  partner(
    "approvals.decline",
    8,
    ({ approvalId }) => ({ method: "POST", path: `/v1/approvals/${approvalId}/decline` }),
    { stage: "asked" },
  ),
  partner("assets.list", 1, () => ({ path: "/v1/assets" })),
  partner("auditLog.list", 1, () => ({ path: "/v1/audit-log" })),
]

describe("SQL statements", () => {
  it("are counted for every operation", () => {
    const counted = new Set(rows.map(({ operation }) => operation))
    assert.deepStrictEqual(
      // A person signs in and out once a day.
      operations.filter(({ isFor, name }) => isFor === undefined && !counted.has(name)),
      [],
    )
  })

  for (const row of rows) {
    const { again = false, atMost, operation, request, stage = "open" } = row
    it.effect(
      `are at most ${atMost} for a call of ${[operation, row.case].filter(Boolean).join(" ")}`,
      () =>
        play((scene) =>
          Effect.gen(function* () {
            const wallet = { chainId: row.chainId ?? Scene.chains.eip3009, wallet: Scene.payer }
            const subject = yield* Subjects.make(scene.own.key, stage, wallet)
            const call = request(subject, scene)
            if (again) yield* Scene.send(call)
            yield* becomeKnown(scene)
            const { ofStats, sent } = yield* statementsOfCall(call)
            assert.isAtMost(sent.length, atMost, shown(sent))
            assert.isAtMost(ofStats.length, 1, shown(ofStats))
            if (reads.test(operation) && row.writes !== true) {
              assert.deepStrictEqual(sent.filter(isWrite), [])
            }
          }),
        )(),
    )
  }

  it.effect(
    "of a list do not grow with the number of payments or merchants",
    play((scene) =>
      Effect.gen(function* () {
        const { own } = scene
        const list = { path: "/v1/payments", key: own.key }
        yield* Scene.createPayment(own.key, own.merchantId)
        yield* becomeKnown(scene)
        const few = yield* statementsOfCall(list)
        for (const merchantId of [
          own.merchantId,
          yield* Scene.createMerchant(own.key),
          yield* Scene.createMerchant(own.key),
        ]) {
          for (let count = 0; count < 10; count += 1) {
            yield* Scene.createPayment(own.key, merchantId)
          }
        }
        const many = yield* statementsOfCall(list)
        assert.isAtMost(many.sent.length, 2, shown(many.sent))
        assert.deepStrictEqual(many, few)
      }),
    ),
  )

  it.effect(
    "of options do not grow with the number of accounts",
    play((scene) =>
      Effect.gen(function* () {
        const { own, walletKey } = scene
        const subject = yield* Subjects.make(own.key, "open")
        yield* becomeKnown(scene)
        const optionsFor = (count: number) =>
          statementsOfCall({ ...optionsOf(subject, count), key: walletKey })
        assert.deepStrictEqual(yield* optionsFor(100), yield* optionsFor(5))
      }),
    ),
  )

  it.effect(
    "are one more if the key is not cached, and two more if its use is recorded",
    play(({ own }) =>
      Effect.gen(function* () {
        const call = Effect.map(
          statementsOfCall({ path: "/v1/merchants", key: own.key }),
          ({ sent }) => sent.length,
        )
        yield* TestClock.adjust(Limits.keyUseNotedInMs)
        assert.strictEqual(yield* call, 4)
        assert.strictEqual(yield* call, 2)
        assert.strictEqual(yield* call, 1)
        yield* TestClock.adjust(Limits.keyRememberedInMs)
        assert.strictEqual(yield* call, 2)
        assert.strictEqual(yield* call, 1)
      }),
    ),
  )

  it.effect(
    "are one for a call with a wrong key",
    play(({ strangersKey }) =>
      Effect.gen(function* () {
        for (let count = 0; count < 3; count += 1) {
          const refused = Scene.send({ path: "/v1/merchants", key: strangersKey })
          const { sent } = yield* statementsOf(
            Effect.tap(refused, ({ status }) => Effect.sync(() => assert.strictEqual(status, 401))),
          )
          assert.isAtMost(sent.length, 1, shown(sent))
        }
      }),
    ),
  )
})
