/**
 * Services in one process: each on its own, whatever they are made of, from their first request to their last.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as VaultAes from "@florin/core/node/VaultAes"
import { Chains, ChainUnavailable } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { Screening } from "@florin/core/ports/Screening"
import { Signals } from "@florin/core/ports/Signals"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { type Call, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import { createFlorin, type Florin, type Options } from "@florin/server/Florin"
import * as SignedCall from "@florin/testing/SignedCall"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer, Redacted } from "effect"
import type { Line } from "../src/edge/AccessLog.ts"
import * as Scene from "./scene.ts"

/** Every port by a constant, and the same seed of keys and ids: whatever could be shared. */
const options: Options = {
  payLinkHost: "pay.example.com",
  pages: false,
  chains: SimulatedChain.layerChains({ blocks: { everyInMs: 10 }, unseenBalance: 1000 }),
  sealKey: new Uint8Array(32).fill(7),
  storage: StorageMemory.layer,
  signals: Signals.layerMemory,
  vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(new Uint8Array(32).fill(8)) } }),
  identifiers: Identifiers.layer,
  screening: Screening.layerAllowAll,
  worker: { idleInMs: 10 },
  apps: new Map([["app", { mode: "test", name: "App", iconUrl: null, versionPin: "2026-02-18" }]]),
  rateLimit: { burst: 50, perSecond: 0.001 },
}

const send = async (florin: Florin, sent: Scene.Sent) => {
  const response = await florin.handler(Scene.requestOf(sent))
  const text = await response.text()
  const body: Scene.Json = JSON.parse(text)
  return { status: response.status, headers: response.headers, text, body }
}

/** A service with a partner, its merchant, and a wallet's key. */
const open = async (more: Partial<Options> = {}) => {
  const florin = createFlorin({ ...options, ...more })
  const { operator } = florin
  const { id: partnerId } = await operator.partners.create({ name: "Partner" })
  const { secret: key } = await operator.keys.issue({ partnerId, mode: "test", name: "A key" })
  const { secret: walletKey } = await operator.keys.issue({ mode: "test", wallet: "A wallet" })
  const made = await send(florin, {
    path: "/v1/merchants",
    key,
    headers: { "Idempotency-Key": "merchant" },
    body: { merchantName: "Bakery", merchantEmail: "bread@example.com" },
  })
  assert.isNull(made.headers.get("idempotency-replayed"))
  return {
    florin,
    partnerId,
    key,
    walletKey,
    merchantId: Scene.text(made.body, "merchant", "id"),
    [Symbol.asyncDispose]: florin.dispose,
  }
}
type Service = Awaited<ReturnType<typeof open>>

const createPayment = async ({ florin, key }: Service) => {
  const body = { referenceId: "ORDER", amount: { unit: "iso4217/USD", value: "100" } }
  const headers = { "Idempotency-Key": "payment" }
  const answer = await send(florin, { path: "/v1/payments", key, headers, body })
  assert.strictEqual(answer.status, 201, answer.text)
  return Scene.text(answer.body, "paymentId")
}

/** The requests of a wallet that pays with one signature. */
const signed = async ({ florin, walletKey: key }: Service, id: string): Promise<Scene.Sent> => {
  const path = `/v1/gateway/payment/${id}`
  const account = Scene.accountOf(Scene.payer, 8453)
  const body = { accounts: [account] }
  const offered = await send(florin, { path: `${path}/options`, key, body })
  const params = Scene.list(offered.body, "options", 0, "actions", 0, "data", "params")
  const outputs = await Effect.runPromise(
    Scene.payer.execute([
      {
        _tag: "WalletRpc",
        chainId: Eip155.chainId(8453),
        method: "eth_signTypedData_v4",
        params: params.map((param) => Scene.text(param)),
      },
    ]),
  )
  const optionId = Scene.text(offered.body, "options", 0, "id")
  const results = [{ type: "walletRpc", data: [...outputs] }]
  return { path: `${path}/confirm`, key, body: { optionId, results } }
}

const confirm = async (service: Service, id: string) => {
  const answer = await send(service.florin, await signed(service, id))
  assert.strictEqual(answer.status, 200, answer.text)
}

const statusOf = ({ florin, walletKey: key }: Service, id: string, maxPollMs = 0) =>
  send(florin, { path: `/v1/gateway/payment/${id}/status?maxPollMs=${maxPollMs}`, key })

/** Polls until the payment is final. */
const final = async (service: Service, id: string): Promise<string> => {
  const { body, text } = await statusOf(service, id, 25_000)
  return Scene.at(body, "isFinal") === true ? text : final(service, id)
}

/** Asks until it is so. In between, whatever comes over the network has its turn. */
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  if (await isSo()) return
  await setImmediate()
  await until(isSo)
}

const isProcessing = async (service: Service, id: string) =>
  Scene.text((await statusOf(service, id)).body, "status") === "processing"

describe("operator.partners.ensure", () => {
  it("returns the same partner at every start, in every process of a service", async () => {
    // One storage in two services, as two processes share a database.
    const storage = Layer.succeedContext(
      await Effect.runPromise(Effect.scoped(Layer.build(StorageMemory.layer))),
    )
    const services = [createFlorin({ ...options, storage }), createFlorin({ ...options, storage })]
    const shop = { name: "Corner Payments", fees: { percentage: "0.4" } }
    const partners = await Promise.all(
      services.map(({ operator }) => operator.partners.ensure(shop)),
    )
    const [one, other] = services
    if (one === undefined || other === undefined) assert.fail("no services")
    assert.deepStrictEqual(partners[0], partners[1])
    assert.deepStrictEqual((await other.operator.partners.list()).partners, partners.slice(0, 1))

    await one.operator.partners.change({
      partnerId: String(partners[0]?.id),
      fees: { percentage: "0.5" },
    })
    const later = await other.operator.partners.ensure(shop)
    assert.strictEqual(later.fees.percentage, "0.5")

    // A key of one's own stays when the name changes.
    const keyed = await one.operator.partners.ensure({ key: "shop-2", name: "Red Door" })
    const renamed = await other.operator.partners.ensure({ key: "shop-2", name: "Blue Door" })
    assert.deepStrictEqual(renamed, keyed)
    await Promise.all(services.map((service) => service.dispose()))
  })
})

describe("an operator's own text", () => {
  it("is accepted as an id, or refused with the form that it must have", async () => {
    await using service = await open()
    const { operator } = service.florin
    const messageOf = (promise: Promise<unknown>) =>
      promise.then(
        () => assert.fail("it was accepted"),
        (error: unknown) => String(Object(error).message),
      )
    const nobody: string = "prtn_nobody"
    assert.deepStrictEqual(await operator.keys.list({ partnerId: nobody }), { keys: [] })
    assert.deepStrictEqual(await operator.webhooks.list({ partnerId: nobody }), { webhooks: [] })
    const key = { mode: "test", name: "A key" } as const
    const token = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    const float = {
      mode: "test",
      key: "0x1",
      account: "eip155:8453:0x1111111111111111111111111111111111111111",
      amount: { unit: `caip19/${token}`, value: "5" },
    } as const
    await operator.float.put(float)
    const messages = await Promise.all(
      [
        operator.keys.issue({ ...key, partnerId: "Corner" }),
        operator.partners.change({ partnerId: "mrch_1", fees: {} }),
        operator.keys.revoke({ keyId: "flr_test" }),
        operator.outflows.retrySettlement({ paymentId: "1" }),
        operator.outflows.accept({ outflowId: "pay_1" }),
        operator.chains.resume({ chainId: "9999", mode: "test" }),
        operator.float.put({ ...float, account: "eip155:8453:0x1" }),
        operator.float.take({ ...float, amount: { ...float.amount, value: "-1" } }),
        operator.outflows.retryAll({ merchantId: "Corner" }),
      ].map(messageOf),
    )
    assert.deepStrictEqual(
      messages.map((message) => message.split(", ")[0]),
      [
        "partnerId: must be the id of a partner",
        "there is no such partner",
        "there is no such key",
        "there is no such payment",
        "there is no such payout",
        "chainId: must be a chain that the service knows",
        messages[6]?.split(", ")[0],
        "amount.value: an amount is 1 to 78 decimal digits without sign",
        "merchantId: must be the id of a merchant",
      ],
    )
    assert.match(messages[6] ?? "", /^account: /u)
  })
})

describe("a member that is undefined", () => {
  it("is left out in this process as it is over HTTP, at any depth", async () => {
    await using service = await open()
    const { operator } = service.florin
    // The types forbid it only to who has `exactOptionalPropertyTypes`.
    const asked = { search: undefined, partnerId: undefined, cursor: undefined, limit: undefined }
    const listed: unknown = await Reflect.apply(operator.merchants.list, undefined, [asked])
    assert.deepStrictEqual(listed, await operator.merchants.list())
    const body = { name: "Corner", payouts: undefined, fees: { percentage: undefined, fixed: [] } }
    const made: unknown = await Reflect.apply(operator.partners.create, undefined, [body])
    assert.propertyVal(made, "name", "Corner")
  })
})

describe("two services with the same options", () => {
  it("do not share partners, keys, payments or Idempotency-Keys", async () => {
    await using one = await open()
    await using other = await open()
    const isolated = async (mine: Service, theirs: Service) => {
      const path = "/v1/gateway/payment/pay_0"
      const [byPartner, byWallet, list] = await Promise.all([
        send(mine.florin, { path, key: theirs.key }),
        send(mine.florin, { path, key: theirs.walletKey }),
        send(mine.florin, { path: "/v1/merchants", key: mine.key }),
      ])
      Scene.isProblem(byPartner, 401, "invalid_api_key")
      Scene.isProblem(byWallet, 401, "invalid_api_key")
      assert.strictEqual(Scene.at(list.body, "totalCount"), 1)
      assert.deepStrictEqual(
        await mine.florin.operator.keys.list({ partnerId: theirs.partnerId }),
        { keys: [] },
      )
    }
    await isolated(one, other)
    await isolated(other, one)
    const id = await createPayment(one)
    Scene.isProblem(await statusOf(other, id), 404, "payment_not_found")
    assert.notStrictEqual(await createPayment(other), id)
  })

  it("have separate rate limits", async () => {
    await using one = await open()
    await using other = await open()
    const call = ({ florin }: Service) =>
      send(florin, {
        path: "/v1/gateway/payment/pay_0",
        headers: { "App-Id": "app", "Client-Id": "client" },
      })
    await until(async () => (await call(one)).status !== 404)
    Scene.isProblem(await call(one), 429, "rate_limited")
    Scene.isProblem(await call(other), 404, "payment_not_found")
  })

  it("process their own payments, on their own chains", async () => {
    await using one = await open()
    await using other = await open()
    const [id, otherId] = [await createPayment(one), await createPayment(other)]
    await confirm(one, id)
    await confirm(other, otherId)
    await one.florin.workers.start()
    const paid = await final(one, id)
    assert.include(paid, '"succeeded"')
    assert.isTrue(await isProcessing(other, otherId))
    await other.florin.workers.start()
    await one.florin.workers.stop()
    assert.include(await final(other, otherId), '"succeeded"')
  })

  it("stop separately: a held call of the other service stays held and completes", async () => {
    await using other = await open()
    const one = await open()
    const id = await createPayment(one)
    const otherId = await createPayment(other)
    let isAnswered = false
    const parked = statusOf(other, otherId, 25_000).then((answer) => {
      isAnswered = true
      return answer
    })
    const parkedInOne = statusOf(one, id, 25_000)
    await one.florin.dispose()
    assert.strictEqual((await parkedInOne).status, 200)
    assert.strictEqual((await statusOf(other, otherId)).status, 200)
    assert.isFalse(isAnswered)
    await send(other.florin, {
      method: "POST",
      path: `/v1/payments/${otherId}/cancel`,
      key: other.key,
    })
    assert.strictEqual(Scene.text((await parked).body, "status"), "cancelled")
  })

  it("have separate logs", async () => {
    const lines: { readonly [name in "one" | "other"]: Array<Line> } = { one: [], other: [] }
    await using one = await open({ log: (line) => void lines.one.push(line) })
    await using other = await open({ log: (line) => void lines.other.push(line) })
    await createPayment(other)
    assert.lengthOf(lines.one, 1)
    assert.lengthOf(lines.other, 2)
    assert.strictEqual(lines.one[0]?.partnerId, one.partnerId)
    const ids = [...lines.one, ...lines.other].map(({ requestId }) => requestId)
    assert.strictEqual(new Set(ids).size, 3)
  })
})

describe("the workers of a service", () => {
  it("do nothing before they are started, and continue if they are started again", async () => {
    await using service = await open()
    const { workers } = service.florin
    const id = await createPayment(service)
    await workers.stop()
    await Promise.all([workers.start(), workers.start()])
    await workers.stop()
    await workers.stop()
    await confirm(service, id)
    assert.isTrue(await isProcessing(service, id))
    await workers.start()
    assert.include(await final(service, id), '"succeeded"')
  })
})

describe("the webhooks of a service", () => {
  const tenantOf = ({ partnerId }: Service) => ({ partnerId, mode: "test" }) as const

  it("are called through the embedder's transport", async () => {
    const calls: Array<Call> = []
    const webhooks = WebhookTransport.layerFunction((call) => {
      calls.push(call)
      return 200
    })
    await using service = await open({ webhooks })
    const { operator, workers } = service.florin
    const url = "https://hooks.example.com/florin"
    const { webhook } = await operator.webhooks.create({ ...tenantOf(service), url })
    await createPayment(service)
    await workers.start()
    await until(async () => {
      const { data } = await operator.webhooks.deliveries({ webhookId: webhook.id })
      return data[0]?.state === "delivered"
    })
    assert.deepStrictEqual(
      calls.map((call) => call.url),
      [url],
    )
  })

  it("that cannot be reached keep only the workers from starting", async () => {
    let isThere = false
    const webhooks = Layer.effect(
      WebhookTransport,
      Effect.suspend(() =>
        isThere ? Effect.succeed({ post: () => Effect.succeed(200) }) : Effect.fail("no way out"),
      ),
    )
    await using service = await open({ webhooks })
    const { workers } = service.florin
    const starts = [workers.start(), workers.start()]
    const refusals = await Promise.all(starts.map(refusalOf))
    for (const each of refusals) assert.include(each, "no way out")
    const id = await createPayment(service)
    await confirm(service, id)
    assert.isTrue(await isProcessing(service, id))
    isThere = true
    await workers.start()
    assert.include(await final(service, id), '"succeeded"')
  })
})

describe("the end of a service", () => {
  it("completes held calls and confirms, and stops its workers", async () => {
    const service = await open()
    const id = await createPayment(service)
    const held = await signed(service, id)
    const polls = Array.from({ length: 10 }, () => statusOf(service, id, 25_000))
    const confirming = send(service.florin, { ...held, path: `${held.path}?maxPollMs=25000` })
    await until(() => isProcessing(service, id))
    await service.florin.dispose()
    for (const answer of await Promise.all([...polls, confirming])) {
      assert.strictEqual(answer.status, 200, answer.text)
    }
    assert.strictEqual(Scene.text((await confirming).body, "status"), "processing")
  })

  it("waits for a request in progress, and completes its response", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: screened, resolve: screen } = Promise.withResolvers<void>()
    const screening = Layer.succeed(Screening, {
      refused: () =>
        Effect.promise(async () => {
          ask()
          await screened
          return []
        }),
    })
    const service = await open({ screening })
    const { florin, walletKey: key } = service
    const path = `/v1/gateway/payment/${await createPayment(service)}/options`
    const body = { accounts: [Scene.accountOf(Scene.payer, 8453)] }
    const answering = send(florin, { path, key, body })
    await asked
    const ending = florin.dispose()
    const late = await send(florin, { path, key, body })
    assert.strictEqual(late.status, 503)
    screen()
    assert.isAbove(Scene.list((await answering).body, "options").length, 0)
    await ending
  })
})

describe("a request to a service", () => {
  it("ends with its caller, and frees the place of its held call", async () => {
    await using service = await open()
    const id = await createPayment(service)
    const caller = new AbortController()
    const path = `/v1/gateway/payment/${id}/status?maxPollMs=25000`
    const request = Scene.requestOf({ path, key: service.walletKey, signal: caller.signal })
    const poll = service.florin.handler(request).then(
      () => "answered",
      () => "gone",
    )
    const watching = () =>
      service.florin.run(
        Effect.map(Signals, (signals) => signals.watching(PaymentId.PaymentId.make(id)).here),
      )
    await until(async () => (await watching()) === 1)
    caller.abort()
    assert.strictEqual(await poll, "gone")
    await until(async () => (await watching()) === 0)
  })

  it("is 503 if the service cannot start, and disposing of it succeeds", async () => {
    const florin = createFlorin({
      ...options,
      chains: Layer.effect(
        Chains,
        Effect.fail(
          new ChainUnavailable({
            chainId: Eip155.chainId(1),
            message: "CANARY: no chain answers",
          }),
        ),
      ),
    })
    const reason = await florin.ready().then(
      () => assert.fail("it started"),
      (error: unknown) => error,
    )
    assert.include(String(reason), "no chain answers")
    const answer = await send(florin, { path: "/v1/merchants" })
    Scene.isProblem(answer, 503, "unavailable")
    assert.notInclude(answer.text, "CANARY")
    await florin.dispose()
  })
})

const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail("it was accepted"),
    (error: unknown) => String(error),
  )

describe("the operator of a service", () => {
  it("gets an error if there is nothing to retry", async () => {
    await using service = await open()
    const { operator } = service.florin
    const paymentId = await createPayment(service)
    const { outflows } = operator
    assert.deepStrictEqual((await operator.status.stuck({ mode: "test" })).stuck, [])
    const share = await refusalOf(outflows.retrySettlement({ paymentId }))
    assert.include(share, "no held or owed share")
    const refund = await refusalOf(outflows.retryRefunds({ paymentId }))
    assert.include(refund, "no refund that is held")
    const returning = operator.inflows.return({ inflowId: `unc_${"0".repeat(32)}` })
    assert.include(await refusalOf(returning), "there is no such inflow")
  })

  it("gets red states of status through the embedder's own webhook", async () => {
    const calls: Array<Call> = []
    const secret = Webhook.Secret.make(`whsec_${"A".repeat(43)}=`)
    await using service = await open({
      alerts: { url: "https://alerts.example.com/florin", secret, everyInMs: 20 },
      webhooks: WebhookTransport.layerFunction((call) => {
        calls.push(call)
        return 200
      }),
    })
    const { operator, run, workers } = service.florin
    const chainId = Eip155.chainId(8453)
    const halt = Effect.flatMap(LaneStore, (lanes) =>
      lanes.modifyChainState("test", chainId, (current) =>
        ChainState.halt(current, "blocks are gone", 5),
      ),
    )
    await run(halt)
    const about = (type: string) =>
      calls.filter(({ body }) => body.includes(type) && body.includes("chain_halted"))
    assert.deepStrictEqual(calls, [])
    await workers.start()
    await until(async () => about("operator.alert.raised").length > 0)
    const [call = assert.fail("nothing was sent")] = about("operator.alert.raised")
    assert.strictEqual(call.url, "https://alerts.example.com/florin")
    assert.isTrue(SignedCall.isValid(secret, call, Date.now()))
    await operator.chains.resume({ chainId, mode: "test" })
    await until(async () => about("operator.alert.cleared").length > 0)
    assert.lengthOf(about("operator.alert"), 2)
  })

  it("refuses an unusable webhook of the embedder's own", () => {
    const secret = `whsec_${"A".repeat(43)}=`
    const opening = (alerts: Options["alerts"]) => () =>
      createFlorin({ ...options, ...(alerts && { alerts }) })
    assert.throws(
      opening({ url: "http://example.com/", secret }),
      /alerts: a URL must begin with https/u,
    )
    assert.throws(
      opening({ url: "https://example.com/", secret: "secret" }),
      /alerts: a webhook secret is/u,
    )
  })
})

describe("the seal keys of a service", () => {
  it("S30: a key that is listed second still opens what it sealed, a removed key does not", async () => {
    const stores = await Effect.runPromise(Effect.scoped(Layer.build(StorageMemory.layer)))
    const storage = Layer.succeedContext(stores)
    const [before, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    await using service = await open({ storage, sealKey: before })
    const { key } = service
    const page = await send(service.florin, { path: "/v1/events", key })
    const path = `/v1/events?cursor=${Scene.text(page.body, "nextCursor")}`
    await using rotated = await open({ storage, sealKey: [next, before] })
    assert.strictEqual((await send(rotated.florin, { path, key })).status, 200)
    await using alone = await open({ storage, sealKey: [next] })
    assert.strictEqual((await send(alone.florin, { path, key })).status, 400)
  })
})

describe("a live merchant of an embedded service", () => {
  const payment = { referenceId: "ORDER", amount: { unit: "iso4217/USD", value: "100" } }

  /** Makes a live merchant, and pays it. */
  const selling = async (service: Service) => {
    const { florin, partnerId } = service
    const { secret: key } = await florin.operator.keys.issue({
      partnerId,
      mode: "live",
      name: "Live",
    })
    const sent = (path: string, body: Scene.Json, idempotencyKey: string) =>
      send(florin, { path, key, headers: { "Idempotency-Key": idempotencyKey }, body })
    const body = { merchantName: "Bakery", merchantEmail: "bread@example.com" }
    const made = await sent("/v1/merchants", body, "live merchant")
    return { made, pay: () => sent("/v1/payments", payment, "live payment") }
  }

  it("S21: is refused its first payment with 403 until the operator approves it, if that is required", async () => {
    await using service = await open({ approveMerchants: "always" })
    const { operator } = service.florin
    const { made, pay } = await selling(service)
    // A partner is told nothing of what waits, or of whom it resembles.
    assert.notInclude(made.text, "wait")
    assert.notInclude(made.text, "like")
    const refused = await pay()
    assert.strictEqual(refused.status, 403)
    assert.strictEqual(Scene.text(refused.body, "code"), "forbidden")
    assert.include(refused.text, "the operator has to approve this merchant")
    const { merchants } = await operator.merchants.waiting()
    assert.lengthOf(merchants, 1)
    await Promise.all(
      merchants.map(({ id: merchantId, ...seen }) =>
        operator.merchants.approve({ merchantId, ...seen }),
      ),
    )
    const paid = await pay()
    assert.strictEqual(paid.status, 201, paid.text)
    await createPayment(service)
  })
})
