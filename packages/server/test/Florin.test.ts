/**
 * The service as an embedder creates, configures and stops it.
 *
 * @module
 */
import { assert, describe, it, vi } from "@effect/vitest"
import type * as Wire from "@florin/api/wire/Partner"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Identifiers } from "@florin/core/ports/Identifiers"
import type * as ServiceLog from "@florin/core/ports/ServiceLog"
import { Signals } from "@florin/core/ports/Signals"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { Vault } from "@florin/core/ports/Vault"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Service from "@florin/testing/Service"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Cause, Effect, Layer, Redacted } from "effect"
import * as Hosted from "./pages.ts"

const options: Florin.Options = {
  payLinkHost: "pay.example.com",
  pages: false,
  chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance: 100 }),
}

/** A service with a partner and its key. */
const open = async (more: Partial<Florin.Options> = {}) => {
  const florin = Florin.createFlorin({ ...options, ...more })
  const { id: partnerId } = await florin.operator.partners.create({ name: "Partner" })
  const { secret: key } = await florin.operator.keys.issue({
    partnerId,
    mode: "test",
    name: "A key",
  })
  const send = (path: string, init: RequestInit = {}) =>
    florin.handler(
      new Request(`https://api.example.com${path}`, { ...init, headers: { "Api-Key": key } }),
    )
  return { florin, partnerId, key, send, [Symbol.asyncDispose]: florin.dispose }
}

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

const refusalOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it was accepted"),
    (error: unknown) => error,
  )

describe("createFlorin without the keys of its accounts", () => {
  it("S16: serves requests, but starts no workers", async () => {
    const keyless = Layer.effect(
      Chains,
      Effect.map(Chains, (chains) =>
        Chains.of({
          of: (mode) => ({ ...chains.of(mode), keyless: chains.of(mode).accounts.slice(0, 1) }),
        }),
      ),
    )
    await using service = await open({ chains: Layer.provide(keyless, options.chains) })
    assert.strictEqual((await service.send("/v1/assets")).status, 200)
    const refusal = await refusalOf(service.florin.workers.start())
    assert.match(String(refusal), /no key of eip155:\d+:0x[0-9a-f]{40}.* is in this process/u)
    assert.strictEqual((await service.send("/v1/assets")).status, 200)
    await refusalOf(service.florin.workers.start())
  })
})

describe("createFlorin", () => {
  it("refuses options that cannot work", () => {
    for (const payLinkHost of [
      "",
      "https://pay.example.com",
      "pay.example.com/",
      "pay.example.com:443",
      "Pay.example.com",
      "me@pay.example.com",
      "pay example.com",
      "Localhost:3000",
      "localhost:3000/",
    ]) {
      assert.throws(
        () => Florin.createFlorin({ ...options, payLinkHost }),
        Florin.InvalidOptions,
        /payLinkHost/u,
      )
    }
    assert.throws(
      () => Florin.createFlorin({ ...options, storage: StorageMemory.layer }),
      Florin.InvalidOptions,
      /sealKey/u,
    )
    const { site } = Hosted.settings
    for (const pages of [
      { ...Hosted.settings, site: { ...site, checkout: "" } },
      { ...Hosted.settings, site: { ...site, collect: site.collect + site.collect } },
      ...[
        "https://a.example; script-src *",
        "https://a.example https://b.example",
        "a,b",
        "",
        // What would let any page frame the checkout, and what the checkout could not compare with a page's origin.
        "*",
        "https:",
        "https://*",
        "'self'",
        "https://a.example/shop",
      ].map((source) => Object.assign({ frameAncestors: [source] }, Hosted.settings)),
      ...[
        { document: "" },
        { relayUrl: "relay.example" },
        { relayUrl: "https://relay.example" },
        { relayUrl: "ws://relay.example" },
        { relayUrl: "wss://a.example;script-src" },
      ].map((wrong) =>
        Object.assign({ walletConnect: { ...Hosted.walletConnect, ...wrong } }, Hosted.settings),
      ),
    ]) {
      assert.throws(
        () => Florin.createFlorin({ ...options, pages }),
        Florin.InvalidOptions,
        /pages\.(site|frameAncestors|walletConnect)/u,
      )
    }
  })

  it("refuses an option that it does not have, with the nearest name, and a seal key that is no bytes", () => {
    const untyped = (more: object) => () => Florin.createFlorin(Object.assign({ ...options }, more))
    for (const [more, says] of [
      [{ sealkey: new Uint8Array(32) }, /^sealkey is no option: did you mean sealKey\?$/u],
      [{ secondPersn: true }, /did you mean secondPerson\?/u],
      [{ ratelimit: null }, /did you mean rateLimit\?/u],
      [{ retentionDays: 1 }, /^retentionDays is no option$/u],
      [{ sealKey: "abc" }, /sealKey is a Uint8Array of at least 32 random bytes/u],
      [{ sealKey: ["abc"] }, /sealKey is a Uint8Array/u],
      [{ sealKey: null }, /sealKey is a Uint8Array/u],
      [{ payLinkHost: undefined }, /^payLinkHost is a host in lower case/u],
      [{ pages: Promise.resolve(Hosted.settings) }, /give `await Pages\.load/u],
      [{ chains: SimulatedChain.layerChains }, /^chains is missing: give `Chains\.layer/u],
      [{ signals: {} }, /^signals must be a layer, not .*: for storage, `Postgres\.layer/u],
      [{ vault: new Uint8Array(32) }, /^vault must be a layer/u],
      [{ logger: console }, /^logger is a function of one entry/u],
    ] as const) {
      assert.throws(untyped(more), Florin.InvalidOptions, says)
    }
    const without: (...given: ReadonlyArray<never>) => unknown = Florin.createFlorin
    assert.throws(() => without(), Florin.InvalidOptions, /^payLinkHost is a host/u)
  })

  it("requires a choice whether it serves payers' pages", () => {
    const { pages: _, ...rest } = options
    assert.throws(
      // @ts-expect-error -- It is an option that nobody may forget.
      () => Florin.createFlorin(rest),
      Florin.InvalidOptions,
      /pages is missing: give `await Pages\.load/u,
    )
  })

  it.each(["shop.example/pay", "https://shop.example/pay/", "ftp://a.example", "https://", "/pay"])(
    "refuses %s as the address of the service",
    (publicUrl) => {
      assert.throws(
        () => Florin.createFlorin({ ...options, publicUrl }),
        Florin.InvalidOptions,
        /publicUrl is the address at which clients reach the API/u,
      )
    },
  )

  it("says that the chains are missing", () => {
    const { chains: _, ...rest } = options
    assert.throws(
      // @ts-expect-error -- Untyped code may forget it.
      () => Florin.createFlorin(rest),
      Florin.InvalidOptions,
      /chains is missing: give `Chains\.layer/u,
    )
  })

  it("collects data only if its form is served, here or elsewhere", async () => {
    const collecting = { ...options, collectData: CollectDataPolicy.layerAlways }
    assert.throws(
      () => Florin.createFlorin(collecting),
      Florin.InvalidOptions,
      /with `pages: false` nobody serves the form/u,
    )
    await Florin.createFlorin({ ...collecting, pages: Hosted.settings }).dispose()
    await Florin.createFlorin({
      ...collecting,
      publicUrl: "https://pay.example.com",
    }).dispose()
  })

  it("S30: refuses to store secrets that nothing could open after a restart", () => {
    assert.throws(
      () =>
        Florin.createFlorin({
          ...options,
          storage: StorageMemory.layer,
          sealKey: new Uint8Array(32),
        }),
      Florin.InvalidOptions,
      /vault is needed with a storage of your own/u,
    )
  })

  it("serves the given hosted pages", async () => {
    await using service = await open({ pages: Hosted.settings })
    const file = await service.send(Hosted.filePath)
    assert.strictEqual(await file.text(), "plain é")
    const document = await service.florin.handler(
      new Request("https://api.example.com/pay_nobody", { headers: { accept: "text/html" } }),
    )
    assert.strictEqual(document.status, 404)
    assert.include(await document.text(), "<title>Not found</title>")
  })

  it("uses the layer that is given for each port", async () => {
    const asked: Array<string> = []
    const database = Layer.merge(StorageMemory.layer, Signals.layerMemory)
    const wrapped = Layer.effect(
      AccountStore,
      Effect.map(AccountStore, (accounts) => ({
        ...accounts,
        merchants: (...args: Parameters<typeof accounts.merchants>) => {
          asked.push("merchants")
          return accounts.merchants(...args)
        },
      })),
    )
    await using service = await open({
      sealKey: new Uint8Array(32),
      vault: Layer.provide(Vault.layerMemory, Identifiers.layer),
      storage: Layer.provideMerge(wrapped, database),
      signals: database,
    })
    assert.strictEqual((await service.send("/v1/merchants")).status, 200)
    assert.deepStrictEqual(asked, ["merchants"])
  })

  it("is not ready if a key is too short, and logs it", async () => {
    const florin = Florin.createFlorin({ ...options, sealKey: new Uint8Array(31) })
    assert.match(String(await refusalOf(florin.ready())), /at least 32 random bytes/u)
  })
})

describe("Florin.layer", () => {
  it.live("serves over an application's own ports and workers", () =>
    Effect.gen(function* () {
      const { url } = yield* NodeListener.NodeListener
      assert.strictEqual(yield* Effect.promise(() => statusOf(`${url}/readyz`)), 200)
    }).pipe(
      Effect.provide(
        NodeListener.layer({ port: 0 }).pipe(
          Layer.provide(Florin.layer({ publicUrl: "https://pay.example.com" })),
          Layer.merge(Layer.provide(Florin.workers(), WebhookHttp.layer)),
          Layer.provide(Service.layer()),
        ),
      ),
    ),
  )
})

describe("a logger of the application", () => {
  const said = Effect.logWarning("a node is behind", {
    chainId: 8453,
    behind: 12n,
    token: Redacted.make("secret"),
    cause: new TypeError("lost"),
  }).pipe(
    Effect.andThen(Effect.logDebug("unheard")),
    Effect.andThen(Effect.logError("it broke", Cause.die(new Error("why")))),
    Effect.annotateLogs({ mode: "live" }),
  )

  it("gets what the service says, as values that JSON holds, and errors as they are", async () => {
    const entries: Array<ServiceLog.Entry> = []
    const logger = (entry: ServiceLog.Entry) => void entries.push(entry)
    await using service = await open({ logger })
    await service.florin.run(said)
    const [first, second, ...others] = entries
    assert.deepStrictEqual(first, {
      level: "warn",
      message: "a node is behind",
      details: {
        chainId: 8453,
        behind: "12",
        token: "<redacted>",
        cause: new TypeError("lost"),
        mode: "live",
      },
    })
    assert.deepInclude(second, { level: "error", message: "it broke" })
    assert.match(`${second?.details["cause"]}`, /^Error: why/u)
    assert.deepStrictEqual(others, [])
  })

  it("loses nothing when it throws", async () => {
    const logger = () => assert.fail("the disk is full")
    await using service = await open({ logger })
    const written = vi.spyOn(console, "log").mockReturnValue()
    await service.florin.run(said)
    const lines = written.mock.calls.map((texts) => texts.join(" "))
    written.mockRestore()
    assert.lengthOf(lines, 2)
    assert.include(lines[0], "a node is behind")
    assert.include(lines[1], "it broke")
    assert.strictEqual((await service.send("/v1/assets")).status, 200)
  })
})

describe("Florin.dispose", () => {
  it("stops once, however often it is called, used or not", async () => {
    const { florin } = await open()
    await florin.workers.start()
    await Promise.all([florin.dispose(), florin.dispose()])
    await florin.dispose()
    await Florin.createFlorin(options).dispose()
  })

  it("lets every later call reject with an error that says so", async () => {
    const { florin } = await open()
    await florin.dispose()
    const calls = [
      florin.ready,
      florin.metrics,
      florin.workers.start,
      florin.operator.partners.list,
    ]
    for (const call of calls) {
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const reason: unknown = await call().catch((error: unknown) => error)
      assert.instanceOf(reason, Error)
      assert.include(reason.message, "the service is disposed of")
    }
  })

  it("lets workers not start any more while it ends", async () => {
    const { florin } = await open()
    const ending = florin.dispose()
    assert.include(String(await refusalOf(florin.workers.start())), "the service is disposed of")
    await ending
  })

  it("makes every later request a 503", async () => {
    const { florin, send } = await open()
    const ending = florin.dispose()
    const answers = await Promise.all([send("/v1/merchants"), ending.then(() => send("/"))])
    for (const { headers, status } of answers) {
      assert.deepStrictEqual([status, headers.get("retry-after")], [503, "1"])
    }
    const problems: ReadonlyArray<unknown> = await Promise.all(
      answers.map((answer) => answer.json()),
    )
    for (const problem of problems) {
      assert.deepInclude(Object(problem), { code: "unavailable", requestId: "req_none" })
    }
  })
})

describe("operator", () => {
  it("creates partners without fees, and keys without an end", async () => {
    await using service = await open()
    const partner = await service.florin.operator.partners.create({ name: "Another" })
    assert.deepStrictEqual(partner.fees, {
      fixed: [{ unit: "iso4217/USD", value: "0" }],
      percentage: "0",
      returned: "never",
    })
    assert.strictEqual(partner.versionPin, "2026-02-18")
    const { keys } = await service.florin.operator.keys.list({ partnerId: service.partnerId })
    assert.deepInclude(keys[0], { mode: "test", name: "A key", validUntil: null })
  })

  it(`reads fees such as "1.5 %", and names wrong ones`, async () => {
    await using service = await open()
    const { change, create } = service.florin.operator.partners
    const inEuros = { unit: "iso4217/EUR", value: "25" }
    const inDollars = { unit: "iso4217/USD", value: "30" }
    const { fees, id: partnerId } = await create({
      name: "Another",
      fees: { fixed: [inEuros], percentage: "0.4" },
    })
    const returned = "never"
    assert.deepStrictEqual(fees, { fixed: [inEuros], percentage: "0.4", returned })
    const feesAfter = async (changed: Wire.FeesRequest) =>
      (await change({ partnerId, fees: changed })).fees
    const both = [inDollars, inEuros]
    assert.deepStrictEqual(await feesAfter({ fixed: both }), {
      fixed: both,
      percentage: "0.4",
      returned,
    })
    assert.deepStrictEqual(await feesAfter({ percentage: "1" }), {
      fixed: both,
      percentage: "1",
      returned,
    })
    assert.deepStrictEqual(await feesAfter({ fixed: [] }), {
      fixed: [{ unit: "iso4217/USD", value: "0" }],
      percentage: "1",
      returned,
    })
    assert.strictEqual((await feesAfter({ returned: "withRefund" })).returned, "withRefund")
    const refused = async (wrong: Wire.FeesRequest) => [
      String(await refusalOf(create({ name: "Another", fees: wrong }))),
      String(await refusalOf(change({ partnerId, fees: wrong }))),
    ]
    const token = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    const wrong: ReadonlyArray<readonly [Wire.FeesRequest, RegExp]> = [
      [{ fixed: [inEuros, inEuros] }, /fees\.fixed: the fixed fee names each currency once/u],
      [{ percentage: "0,4" }, /fees\.percentage: a percentage is/u],
      [{ fixed: [{ unit: "iso4217/USD", value: "-1" }] }, /fees\.value: /u],
      [{ fixed: [{ unit: token, value: "1" }] }, /fees\.fixed: the fixed fee is in a currency/u],
    ]
    const texts = await Promise.all(wrong.map(([each]) => refused(each)))
    for (const [index, [, message]] of wrong.entries()) {
      for (const text of texts[index] ?? []) assert.match(text, message)
    }
  })

  it("names a wallet's key by the wallet", async () => {
    await using service = await open()
    const { key, secret } = await service.florin.operator.keys.issue({
      mode: "live",
      wallet: "A wallet",
      iconUrl: "https://wallet.example/icon.png",
      validUntil: "2096-10-02T07:06:40.000Z",
    })
    assert.match(secret, /^flr_live_wk_/u)
    assert.deepInclude(key, {
      name: "A wallet",
      validUntil: "2096-10-02T07:06:40.000Z",
      owner: {
        partnerId: null,
        wallet: "A wallet",
        operator: null,
        iconUrl: "https://wallet.example/icon.png",
        versionPin: "2026-02-18",
        profile: null,
      },
    })
  })

  it("books the operator's tokens once per key, and withdraws no more than they own", async () => {
    await using service = await open()
    const { put, take } = service.florin.operator.float
    const moved = (mode: "live" | "test", key: string, value: string) => ({
      mode,
      key,
      account: "eip155:8453:0x1111111111111111111111111111111111111111",
      amount: {
        unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        value,
      },
    })
    await put(moved("test", "0xput", "500"))
    await put(moved("test", "0xput", "500"))
    assert.match(String(await refusalOf(put(moved("live", "0xput", "500")))), /Conflict: /u)
    await take(moved("test", "0xtake", "200"))
    await take(moved("test", "0xtake", "200"))
    assert.match(String(await refusalOf(take(moved("test", "0xmore", "301")))), /Overdrawn: /u)
    await take(moved("test", "0xmore", "300"))
  })
})
