import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Events from "@florin/core/engine/notify/Events"
import * as Metrics from "@florin/core/engine/record/Metrics"
import { Chain, Chains } from "@florin/core/ports/Chain"
import { Outbox } from "@florin/core/ports/Outbox"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Handler } from "../src/Handler.ts"
import * as OperatorHandler from "../src/OperatorHandler.ts"
import * as Scrape from "../src/Scrape.ts"
import * as WebHandler from "../src/WebHandler.ts"
import * as Drains from "./drains.ts"
import * as Scene from "./scene.ts"

const definitions = new Map<string, Metrics.Definition>(Object.entries(Metrics.table))

interface Series {
  readonly name: string
  readonly labels: { readonly [name: string]: string }
  readonly value: number
}

/** Every line of a text that is a figure. */
const seriesOf = (text: string): ReadonlyArray<Series> =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] =
        /^([a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+)$/u.exec(line) ?? assert.fail(`unreadable: ${line}`)
      const pairs = Array.from(labels.matchAll(/(\w+)="([^"]*)"/gu), ([, key, of]) => [key, of])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })

/** The sum of the figures of this name whose labels have these values: accounts of ours are several. */
const valueOf = (text: string, name: string, labels: Series["labels"] = {}): number => {
  const found = seriesOf(text).filter(
    (each) =>
      each.name === name && Object.entries(labels).every(([key, of]) => each.labels[key] === of),
  )
  return found.length > 0
    ? found.reduce((sum, { value }) => sum + value, 0)
    : assert.fail(`no figures ${name} ${JSON.stringify(labels)}`)
}

const hasNone = (text: string, name: string, labels: Series["labels"] = {}): void =>
  assert.throws(() => valueOf(text, name, labels), /^no figures/u)

/** Reads all metrics, once what was read before is too old to be shown again. */
const scrape = Effect.gen(function* () {
  yield* TestClock.adjust("6 seconds")
  return yield* yield* Scrape.text
})

const over = (options: Scene.Options = {}) =>
  Scene.layer(options).pipe(Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())))

const scraping = <E>(
  rule: string,
  play: (scene: Scene.Scene) => Effect.Effect<void, E, Scene.Ports>,
  options: Scene.Options = {},
): void => {
  it.effect(rule, () => Effect.flatMap(Scene.make, play).pipe(Effect.provide(over(options))))
}

const base = Eip155.chainId(Scene.chains.eip3009)

/** Chains of which one part is another in test mode. */
const changed = (part: Partial<Chain["Service"]>) =>
  Layer.effect(
    Chains,
    Effect.map(Chain, (chain) =>
      Chains.of({ of: (mode: Mode.Mode) => (mode === "test" ? { ...chain, ...part } : chain) }),
    ),
  )

describe("metrics", () => {
  scraping("are all in the table, with the labels that it names", ({ own, walletKey }) =>
    Effect.gen(function* () {
      yield* Scene.pay(walletKey, yield* Scene.createPayment(own.key, own.merchantId))
      yield* Reconciler.check("test")
      for (const { labels, name } of seriesOf(yield* scrape)) {
        const known =
          definitions.get(name) ??
          definitions.get(name.replace(/_(?:bucket|sum|count)$/u, "")) ??
          assert.fail(`${name} is not in the table`)
        const named = Object.keys(labels).filter((label) => label !== "le")
        assert.sameMembers(named, [...known.labels], name)
      }
    }),
  )

  scraping("count requests by operation and status", ({ own }) =>
    Effect.gen(function* () {
      const before = yield* scrape
      yield* Scene.send({ path: `/v1/merchants/${own.merchantId}`, key: own.key })
      yield* Scene.send({ path: `/v1/merchants/${own.merchantId}`, key: own.key })
      yield* Scene.send({ path: "/v1/merchants/mrch_nobody", key: own.key })
      yield* Scene.send({ path: "/nowhere/in/particular" })
      const after = yield* scrape
      const [operation, requests] = ["merchants.get", "florin_http_requests_total"]
      hasNone(before, requests, { operation })
      assert.strictEqual(valueOf(after, requests, { operation, status: "200" }), 2)
      assert.strictEqual(valueOf(after, requests, { operation, status: "404" }), 1)
      assert.strictEqual(valueOf(after, requests, { operation: "none", status: "404" }), 1)
      const durations = "florin_http_request_duration_seconds"
      assert.strictEqual(valueOf(after, `${durations}_count`, { operation }), 3)
    }),
  )

  scraping(
    "count no request if the edge is configured so",
    ({ own }) =>
      Effect.gen(function* () {
        yield* Scene.send({ path: `/v1/merchants/${own.merchantId}`, key: own.key })
        hasNone(yield* scrape, "florin_http_requests_total")
      }),
    { edge: { metrics: false } },
  )

  scraping(
    "have the time that payments spent in each state, and the outcomes of confirms",
    (scene) =>
      Effect.gen(function* () {
        const { own, walletKey } = scene
        const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
        yield* TestClock.adjust("7 seconds")
        const { body } = yield* Scene.pay(walletKey, paymentId)
        const path = `/v1/gateway/payment/${paymentId}/confirm`
        yield* Scene.send({ path, key: walletKey, body })
        const other = yield* Scene.createPayment(own.key, own.merchantId)
        const refused = { ...body, optionId: "opt_of_another" }
        const to = `/v1/gateway/payment/${other}/confirm`
        assert.isAtLeast(
          (yield* Scene.send({ path: to, key: walletKey, body: refused })).status,
          400,
        )
        const text = yield* scrape
        const mode = "test"
        const outcome = (name: string) =>
          valueOf(text, "florin_confirms_total", { mode, outcome: name })
        assert.strictEqual(outcome("accepted"), 1)
        assert.strictEqual(outcome("repeated"), 1)
        assert.strictEqual(outcome("option_not_found"), 1)
        const states = "florin_payment_state_seconds"
        const asked = { mode, state: "requires_action", next: "processing" }
        assert.strictEqual(valueOf(text, `${states}_sum`, asked), 7)
        const paid = { mode, state: "processing", next: "succeeded" }
        assert.strictEqual(valueOf(text, `${states}_count`, paid), 1)
        assert.isAbove(valueOf(text, `${states}_sum`, paid), 0)
      }),
  )

  scraping(
    "have the amounts owed, the float, and differences from the chain",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        yield* Scene.pay(walletKey, yield* Scene.createPayment(own.key, own.merchantId))
        yield* Reconciler.check("test")
        const text = yield* scrape
        const labels = { mode: "test", chain: base, symbol: "USDC" }
        // No destination: the merchant's share waits on our account.
        assert.strictEqual(valueOf(text, "florin_owed", labels), 12.34)
        assert.strictEqual(valueOf(text, "florin_float", labels), 0)
        assert.strictEqual(valueOf(text, "florin_reconcile_difference", labels), 0)
        assert.isAbove(valueOf(text, "florin_reconcile_timestamp_seconds", { mode: "test" }), 0)
      }),
  )

  scraping("have the amount and age of due work, until a worker does it", ({ own }) =>
    Effect.gen(function* () {
      yield* Scene.createPayment(own.key, own.merchantId, {
        expiresAt: Math.floor(Scene.now / 1000) + 60,
      })
      const expiring = { kind: "expire", chain: "-" }
      hasNone(yield* scrape, "florin_due_work", expiring)
      yield* TestClock.adjust("10 minutes")
      const text = yield* scrape
      assert.strictEqual(valueOf(text, "florin_due_work", expiring), 1)
      assert.isAbove(valueOf(text, "florin_due_work_oldest_seconds", expiring), 500)
      yield* Drains.all.expirer
      const after = yield* scrape
      hasNone(after, "florin_due_work", expiring)
      const expired = { state: "requires_action", next: "expired" }
      assert.strictEqual(valueOf(after, "florin_payment_state_seconds_count", expired), 1)
    }),
  )

  scraping("have the backlog of an endpoint", ({ own }) =>
    Effect.gen(function* () {
      const tenant = { partnerId: own.partner.id, mode: "test" } as const
      const { endpoint } = yield* Events.createEndpoint(tenant, {
        url: "https://hooks.example.com/secret-path?token=secret",
      })
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* (yield* Outbox).fanOut(10, Webhook.deliveryOf)
      yield* TestClock.adjust("2 minutes")
      const text = yield* scrape
      const labels = { endpoint: endpoint.id }
      assert.strictEqual(valueOf(text, "florin_webhook_pending", labels), 1)
      assert.isAtLeast(valueOf(text, "florin_webhook_lag_seconds", labels), 120)
      assert.notInclude(text, "secret")
    }),
  )

  scraping("have every chain, halted or not", () =>
    Effect.gen(function* () {
      const labels = { mode: "test", chain: base }
      assert.strictEqual(valueOf(yield* scrape, "florin_chain_halted", labels), 0)
      yield* Lanes.stop("test", base, "an account sent what is not in its lane")
      const text = yield* scrape
      assert.strictEqual(valueOf(text, "florin_chain_halted", labels), 1)
      assert.strictEqual(valueOf(text, "florin_chain_halted", { ...labels, mode: "live" }), 0)
    }),
  )

  scraping("have the nodes that are down, without values that only they provide", () =>
    Effect.gen(function* () {
      const labels = { mode: "test", chain: base }
      assert.strictEqual(valueOf(yield* scrape, "florin_node_up", labels), 1)
      const chain = yield* SimulatedChain
      yield* chain.fail({ kinds: ["nodes"], chainId: base, calls: 2 })
      const text = yield* scrape
      assert.strictEqual(valueOf(text, "florin_node_up", labels), 0)
      hasNone(text, "florin_node_behind_seconds", labels)
      hasNone(text, "florin_chain_head_age_seconds", labels)
    }),
  )

  it.effect("leave out a part that hangs, report that, and return the rest in time", () => {
    let hangs = false
    const coins: Chain["Service"]["coins"] = (account) =>
      hangs && account.chainId === base ? Effect.never : Effect.succeed(2n * 10n ** 18n)
    return Effect.gen(function* () {
      yield* Scene.make
      const text = yield* Scrape.text
      const [labels, name] = [{ mode: "test", chain: base }, "florin_relayer_coin"]
      assert.strictEqual(valueOf(yield* text, name, labels), 4)
      hangs = true
      yield* TestClock.adjust("6 seconds")
      const scraped = yield* Effect.forkChild(text)
      yield* TestClock.adjust("5 seconds")
      const after = yield* Fiber.join(scraped)
      hasNone(after, name, labels)
      assert.strictEqual(valueOf(after, name, { mode: "test", chain: Eip155.chainId(56) }), 4)
      const errors = valueOf(after, "florin_collect_errors_total", { part: "gas" })
      assert.strictEqual(errors, 1)
    }).pipe(
      Effect.provide(
        Layer.sync(Metric.MetricRegistry, () => new Map()).pipe(
          Layer.provideMerge(Layer.provideMerge(changed({ coins }), Scene.layer())),
        ),
      ),
    )
  })

  scraping("contain no secret and no value of requests or payers", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const planted = "CANARY"
      const email = `${planted}@example.com`
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId, {
        referenceId: `${planted}-1`,
        metadata: { name: planted, email },
      })
      const confirmed = yield* Scene.pay(walletKey, paymentId)
      const headers = {
        "X-Request-Id": planted,
        "User-Agent": planted,
        "Sdk-Name": planted,
        "Client-Id": planted,
        Authorization: `Bearer ${planted}`,
        "Idempotency-Key": planted,
      }
      for (const path of [
        `/${planted}`,
        `/v1/payments/${planted}?email=${email}`,
        `/v1/merchants/pay_${planted}`,
        `/v1/gateway/payment/${planted}/status?maxPollMs=${planted}`,
      ]) {
        for (const key of [planted, own.key, walletKey, null]) {
          yield* Scene.send({ path, key, headers })
          yield* Scene.send({ path, key, headers, method: planted })
          yield* Scene.send({ path, key, headers, body: { [planted]: email } })
          yield* Scene.send({ path, key, headers, raw: planted })
        }
      }
      const text = yield* scrape
      const payer = Scene.accountOf(Scene.payer, Scene.chains.eip3009).split(":").at(-1) ?? ""
      const secrets = [
        planted,
        own.key,
        walletKey,
        own.merchantId,
        paymentId,
        payer,
        Scene.text(confirmed.option, "id"),
        ...Scene.list(confirmed.body.results).map((each) => Scene.text(each, "data", 0)),
      ]
      assert.isAbove(text.length, 1000)
      for (const secret of secrets) {
        assert.isAbove(secret.length, 5)
        assert.notInclude(text.toLowerCase(), secret.toLowerCase())
      }
    }),
  )
})

describe("the operator's port", () => {
  const ask = (sent: Scene.Sent) =>
    Effect.gen(function* () {
      const handler = yield* Layer.build(OperatorHandler.layer)
      return yield* Effect.provide(WebHandler.respond(Scene.requestOf(sent)), handler)
    }).pipe(Effect.scoped)

  scraping("serves only metrics and health", ({ own }) =>
    Effect.gen(function* () {
      const metrics = yield* ask({ path: "/metrics" })
      assert.strictEqual(metrics.status, 200)
      assert.strictEqual(
        metrics.headers.get("content-type"),
        "text/plain; version=0.0.4; charset=utf-8",
      )
      const text = yield* Effect.promise(() => metrics.text())
      assert.strictEqual(valueOf(text, "florin_storage_up"), 1)
      assert.strictEqual(valueOf(text, "florin_clock_offset_seconds"), 0)
      assert.strictEqual((yield* ask({ path: "/healthz" })).status, 200)
      assert.strictEqual((yield* ask({ path: "/readyz" })).status, 200)
      assert.strictEqual((yield* ask({ path: "/metrics", raw: "x" })).status, 405)
      const merchant = `/v1/merchants/${own.merchantId}`
      assert.strictEqual((yield* ask({ path: merchant, key: own.key })).status, 404)
    }),
  )

  scraping("is the only one that serves metrics", ({ own }) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send({ path: "/metrics", key: own.key })
      assert.strictEqual(answer.status, 404)
      assert.notInclude(answer.text, "florin_")
    }),
  )

  scraping("stays open while the public port closes", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const handler = yield* Layer.build(OperatorHandler.layer)
          yield* Effect.provide(
            Effect.flatMap(Handler, ({ close }) => close),
            handler,
          )
        }),
      )
      assert.strictEqual((yield* Scene.send({ path: "/readyz" })).status, 200)
    }),
  )
})
