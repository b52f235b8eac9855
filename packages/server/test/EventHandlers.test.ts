/**
 * `onEvent`: a host's own function is called with each event, whatever ends in between.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import type * as Wire from "@florin/api/wire/Event"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Signals } from "@florin/core/ports/Signals"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { Transactions } from "@florin/core/ports/Transactions"
import { Vault } from "@florin/core/ports/Vault"
import { WebhookTransport } from "@florin/core/ports/WebhookTransport"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Context, Effect, Layer } from "effect"
import type { EventSource } from "../src/EventHandlers.ts"
import { createFlorin, InvalidOptions, type Florin, type Options } from "../src/Florin.ts"
import * as Scene from "./scene.ts"

const running: Array<Florin> = []
afterEach(() => Promise.all(running.splice(0).map((florin) => florin.dispose())))

/** A storage and a vault, which outlive a process. */
const lasting = async () => ({
  storage: Layer.succeedContext(
    await Effect.runPromise(Effect.scoped(Layer.build(StorageMemory.layer))),
  ),
  vault: Layer.succeedContext(
    await Effect.runPromise(
      Effect.scoped(Layer.build(Layer.provide(Vault.layerMemory, Identifiers.layer))),
    ),
  ),
  sealKey: new Uint8Array(32).fill(7),
})

/** What a process of the service is made of. What it sends over a network is a mistake. */
const options = {
  pages: false,
  payLinkHost: "pay.example.com",
  chains: SimulatedChain.layerChains({ unseenBalance: 1000 }),
  webhooks: WebhookTransport.layerFunction(({ url }) => assert.fail(`it called ${url}`)),
  worker: { idleInMs: 10 },
} as const satisfies Partial<Options>

const start = (on: Awaited<ReturnType<typeof lasting>>): Florin => {
  const florin = createFlorin({ ...options, ...on })
  running.push(florin)
  return florin
}

/** A partner with a merchant, over HTTP. */
const register = async (florin: Florin, name = "Corner Payments") => {
  const { id: partnerId } = await florin.operator.partners.create({ name })
  const tenant: Tenant = { partnerId: PartnerId.PartnerId.make(partnerId), mode: "test" }
  const { secret: key } = await florin.operator.keys.issue({ ...tenant, name: "tests" })
  const send = async (path: string, body?: Scene.Json, merchantId?: string) => {
    const headers = {
      "Idempotency-Key": `${path}${JSON.stringify(body)}`,
      ...(merchantId !== undefined && { "Merchant-Id": merchantId }),
    }
    const request = Scene.requestOf({ path, key, headers, ...(body !== undefined && { body }) })
    const response = await florin.handler(request)
    const answer: Scene.Json = JSON.parse(await response.text())
    return { status: response.status, answer }
  }
  const made = await send("/v1/merchants", {
    merchantName: "Corner Shop",
    merchantEmail: "shop@example.com",
  })
  const merchantId = Scene.text(made.answer, "merchant", "id")
  const create = async (referenceId: string) => {
    const amount = { unit: "iso4217/USD", value: "1250" }
    const { answer } = await send("/v1/payments", { referenceId, amount }, merchantId)
    return Scene.text(answer, "paymentId")
  }
  const cancel = (id: string) => send(`/v1/payments/${id}/cancel`, {}, merchantId)
  return { tenant, send, create, cancel }
}

/** Looks again and again until it is so. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  if (await isSo()) return undefined
  await new Promise((resolve) => setTimeout(resolve, 20))
  return until(isSo)
}

/** A handler that records its events, and rejects a given number of times. */
const keeping = (rejections = 0) => {
  const seen: Array<Wire.OfType> = []
  let left = rejections
  const handler = async (event: Wire.OfType) => {
    seen.push(event)
    left -= 1
    if (left >= 0) throw new Error("the shop's database is down")
  }
  const count = (wanted: number) => until(() => seen.length >= wanted)
  return { seen, handler, count }
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail("it resolved"),
    (error: unknown) => error,
  )

describe("onEvent", () => {
  it("passes each event of a partner as the list returns it, and no other partner's", async () => {
    const florin = start(await lasting())
    const { cancel, create, send, tenant } = await register(florin)
    const other = await register(florin, "Another")
    const { count, handler, seen } = keeping()
    await florin.onEvent({ ...tenant, name: "orders" }, handler)
    await florin.workers.start()
    await other.create("theirs")
    await cancel(await create("ours"))
    await count(2)
    const { answer } = await send("/v1/events")
    assert.deepStrictEqual<unknown>(seen, Scene.at(answer, "data"))
    assert.deepStrictEqual(
      seen.map(({ type }) => type),
      ["payment.created", "payment.cancelled"],
    )
  })

  it("retries the same event after a rejection, and records the error", async () => {
    const florin = start(await lasting())
    const { create, tenant } = await register(florin)
    const { count, handler, seen } = keeping(1)
    await florin.onEvent({ ...tenant, name: "orders" }, handler)
    await florin.workers.start()
    await create("one")
    await count(2)
    assert.strictEqual(seen[0]?.id, seen[1]?.id)
    const { webhooks } = await florin.operator.webhooks.list(tenant)
    const webhookId = webhooks[0]?.id ?? assert.fail("no webhook")
    const { data } = await florin.operator.webhooks.deliveries({ webhookId })
    assert.strictEqual(data[0]?.attempts[0]?.error, "the handler rejected")
  })

  it("delivers events of the time when no process ran", async () => {
    const on = await lasting()
    const first = start(on)
    const { create, tenant } = await register(first)
    await first.onEvent({ ...tenant, name: "orders" }, () => {})
    const id = await create("meanwhile")
    await first.dispose()

    const again = start(on)
    const { count, handler, seen } = keeping()
    await again.onEvent({ ...tenant, name: "orders" }, handler)
    await again.workers.start()
    await count(1)
    assert.strictEqual(seen[0]?.type === "payment.created" && seen[0].data.paymentId, id)
  })

  it("is one handler in several processes, each event handled by one of them", async () => {
    const on = await lasting()
    const processes = [start(on), start(on), start(on)]
    const [first = assert.fail("no process")] = processes
    const { create, tenant } = await register(first)
    const { count, handler, seen } = keeping()
    await Promise.all(processes.map((each) => each.onEvent({ ...tenant, name: "orders" }, handler)))
    assert.lengthOf((await first.operator.webhooks.list(tenant)).webhooks, 1)
    await Promise.all(processes.map((each) => each.workers.start()))
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`${index}`)))
    await count(ids.length)
    await Promise.all(processes.map((each) => each.workers.stop()))
    assert.sameMembers(
      seen.map(({ data }) => ("paymentId" in data ? data.paymentId : "")),
      ids,
    )
  })

  it("calls two handlers of different names with each event", async () => {
    const florin = start(await lasting())
    const { create, tenant } = await register(florin)
    const [orders, mail] = [keeping(), keeping()]
    await florin.onEvent({ ...tenant, name: "orders" }, orders.handler)
    await florin.onEvent({ ...tenant, name: "mail" }, mail.handler)
    await florin.workers.start()
    await create("one")
    await Promise.all([orders.count(1), mail.count(1)])
    assert.deepStrictEqual(orders.seen, mail.seen)
  })

  it("keeps events for a process with their handler, uses up no attempt without it, and logs that once", async () => {
    const on = await lasting()
    const first = start(on)
    const { create, tenant } = await register(first)
    await first.onEvent({ ...tenant, name: "orders" }, () => {})
    await create("one")
    await create("two")
    const printed = vi.spyOn(console, "log").mockImplementation(() => {})
    const without = start(on)
    await without.workers.start()
    const isWarned = () => printed.mock.calls.some((line) => inspect(line).includes("events wait"))
    await until(isWarned)
    const { count, handler, seen } = keeping()
    const later = start(on)
    await later.onEvent({ ...tenant, name: "orders" }, handler)
    await later.workers.start()
    await count(2)
    const { data } = await later.operator.webhooks.deliveries({
      webhookId: (await later.operator.webhooks.list(tenant)).webhooks[0]?.id ?? assert.fail(),
    })
    const warnings = printed.mock.calls.filter((line) => inspect(line).includes("events wait"))
    printed.mockRestore()
    assert.lengthOf(warnings, 1)
    assert.include(inspect(warnings), "https://on-event.internal/orders")
    assert.lengthOf(seen, 2)
    assert.isTrue(
      data.every(({ attempts }) => attempts.length <= 1),
      "an attempt was used up",
    )
  })

  it("refuses an invalid name, a used name, another mode and an unknown partner", async () => {
    const florin = start(await lasting())
    const { send, tenant } = await register(florin)
    const on = (source: Partial<EventSource>) =>
      florin.onEvent({ ...tenant, name: "orders", ...source }, () => {})
    for (const name of ["", "Orders", "a/b", "x".repeat(65)]) {
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      assert.instanceOf(await rejection(on({ name })), InvalidOptions)
    }
    for (const [partnerId, tag] of [
      ["prtn_1", "NotFound"],
      ["1", "InvalidInput"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      assert.propertyVal(await rejection(on({ partnerId })), "_tag", tag)
    }
    // Untyped code may have neither a name nor a mode, and would wait for events that never come.
    const untyped = (source: object) =>
      florin.onEvent(Object.assign({ ...tenant, name: "untyped" }, source), () => {})
    assert.instanceOf(await rejection(untyped({ name: undefined })), InvalidOptions)
    for (const mode of [undefined, "testing"]) {
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const refused = await rejection(untyped({ mode }))
      assert.propertyVal(refused, "message", "mode: must be live or test")
    }
    const nothing: { readonly handler: never } = JSON.parse('{"handler":null}')
    const source = { ...tenant, name: "orders" }
    assert.match(
      String(await rejection(florin.onEvent(source, nothing.handler))),
      /^InvalidOptions: onEvent: the second argument is the function that gets each event/u,
    )
    await on({})
    assert.instanceOf(await rejection(on({})), InvalidOptions)
    const url = "https://on-event.internal/orders"
    assert.strictEqual((await send("/v1/webhooks", { url })).status, 400)
  })

  it("works as in packages/server/README.md", async () => {
    const page = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    const [, source = ""] = /^```ts\n(await florin\.onEvent\([^]*?)^```$/mu.exec(page) ?? []
    assert.include(source, "florin.onEvent(")
    const florin = start(await lasting())
    const { create, tenant } = await register(florin)
    const shipped: Array<string> = []
    const ship = (referenceId: string) => shipped.push(referenceId)
    // A test payment ships when it is created, so that nobody need pay it.
    const code = source.replace("live", "test").replace("payment.succeeded", "payment.created")
    const run = new Function("florin", "partnerId", "ship", `return (async () => { ${code} })()`)
    await run(florin, tenant.partnerId, ship)
    await create("ORDER-7")
    await until(() => shipped.length > 0)
    assert.deepStrictEqual(shipped, ["ORDER-7"])
  })
})

describe("onEventInTransaction", () => {
  it("stops while its pool has no connection, and gives back the one that comes later", async () => {
    const { sealKey, vault } = await lasting()
    const ports = await Effect.runPromise(
      Effect.scoped(Layer.build(Layer.merge(StorageMemory.layer, Signals.layerMemory))),
    )
    const transactions: Transactions["Service"] = {
      within: () => (work) => Effect.provideContext(work, ports),
    }
    const storage = Layer.succeedContext(Context.add(ports, Transactions, transactions))
    const florin = createFlorin({ ...options, sealKey, storage, vault })
    running.push(florin)
    const { create, tenant } = await register(florin)
    const released: Array<boolean | undefined> = []
    const client = {
      query: async () => ({ rows: [] }),
      release: (destroy?: boolean) => void released.push(destroy),
    }
    const waiting: Array<(of: typeof client) => void> = []
    let isOut = false
    const connect = async () =>
      isOut ? new Promise<typeof client>((resolve) => waiting.push(resolve)) : client
    await florin.onEventInTransaction({ ...tenant, name: "orders", pool: { connect } }, () => {})
    assert.deepStrictEqual(released.splice(0), [false])
    isOut = true
    await florin.workers.start()
    await create("one")
    await until(() => waiting.length > 0)
    await florin.workers.stop()
    for (const take of waiting) take(client)
    await until(() => released.length === waiting.length)
  })
})
