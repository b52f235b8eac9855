/**
 * Both clients against the service itself: its handler is their `fetch`, its chain is simulated, its workers run.
 *
 * @module
 */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Chains } from "@florin/core/ports/Chain"
import { createFlorin, type Florin, type Options } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { makePartner, pay, type PayOptions, type Signer } from "../src/Client.ts"
import * as EffectClient from "../src/EffectClient.ts"

const payLinkHost = "pay.example"
const baseUrl = "https://api.example"
const usdcOnBase = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const payer = Wallet.make(1)
const treasury = Wallet.make(2)

const running: Array<Florin> = []
afterEach(() => Promise.all(running.splice(0).map((florin) => florin.dispose())))

/** A service with a partner, a merchant that is paid out on Base, and a payment. */
const scene = async (options: Partial<Options> = {}) => {
  const florin = createFlorin({
    payLinkHost,
    pages: false,
    chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance: 1000 }),
    worker: { idleInMs: 5 },
    ...options,
  })
  running.push(florin)
  await florin.workers.start()
  const { id: partnerId } = await florin.operator.partners.create({ name: "Corner Payments" })
  const partnerKey = await florin.operator.keys.issue({ mode: "test", name: "tests", partnerId })
  const walletKey = await florin.operator.keys.issue({ mode: "test", wallet: "Pocket Wallet" })
  const fetch = (url: string, init: RequestInit) => florin.handler(new Request(url, init))
  const connection = { baseUrl, apiKey: partnerKey.secret, fetch, timing }
  const { merchant } = await makePartner(connection).merchants.create({
    merchantName: "Corner Shop",
    merchantEmail: "shop@example.com",
  })
  const partner = makePartner({ ...connection, merchantId: merchant.id })
  await partner.settlements.create(merchant.id, {
    settlements: [{ asset: usdcOnBase, destination: `eip155:8453:${treasury.address}` }],
  })
  const created = await partner.payments.create({
    referenceId: "ORDER-7",
    amount: { unit: "iso4217/USD", value: "1250" },
  })
  return { created, fetch, merchant, partner, partnerKey, walletKey: walletKey.secret }
}

/** A chain through which the payer's wallet can send transactions of its own. */
const watchedChain = async () => {
  const world = await Effect.runPromise(
    Effect.scoped(Layer.build(SimulatedChain.layer({ blocks: "instant", unseenBalance: 1000 }))),
  )
  const { node } = Context.get(world, SimulatedChain)
  const signer: Signer = {
    request: ({ chainId, method, params }) =>
      Effect.fromResult(Eip155.parseChain(chainId)).pipe(
        Effect.flatMap((chain) => {
          const texts = params.map((param) =>
            typeof param === "string" ? param : JSON.stringify(param),
          )
          return payer.execute([{ _tag: "WalletRpc", chainId: chain, method, params: texts }], node)
        }),
        Effect.map(([output]) => output),
        Effect.runPromise,
      ),
  }
  return { signer, chains: Layer.provide(Chains.layerShared, Layer.succeedContext(world)) }
}

/** Little patience, as everything is near. */
const timing: NonNullable<PayOptions["timing"]> = {
  sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
  random: () => 0,
}

type Scene = Awaited<ReturnType<typeof scene>>

const counted = () => {
  let count = 0
  const signer: Signer = {
    request: (request) => {
      count += 1
      return payer.request(request)
    },
  }
  return { signer, signed: () => count }
}

const payOn = (
  { created, fetch, walletKey }: Scene,
  chainId: number,
  more: Partial<PayOptions> = {},
) =>
  pay(created.gatewayUrl, {
    baseUrl,
    apiKey: walletKey,
    payLinkHost,
    accounts: [`eip155:${chainId}:${payer.address}`],
    signer: payer,
    fetch,
    timing,
    ...more,
  })

describe("a wallet and a partner on one service", () => {
  it("pays with one signature, and the merchant is paid out", async () => {
    const on = await scene()
    const { signer, signed } = counted()
    const result = await payOn(on, 8453, { signer })
    assert.strictEqual(result._tag, "Succeeded")
    if (result._tag !== "Succeeded") return
    assert.isTrue(result.paidHere)
    assert.strictEqual(result.paid?.optionAmount.value, "12500000")
    assert.strictEqual(signed(), 1)

    const { paymentId } = on.created
    const status = await on.partner.payments.status(paymentId)
    assert.deepStrictEqual(status.info, result.paid)
    const listed: Array<string> = []
    for await (const item of on.partner.payments.all({ limit: 1 })) listed.push(item.paymentId)
    assert.deepStrictEqual(listed, [paymentId])

    const again = await payOn(on, 8453, { signer })
    assert.deepStrictEqual(again, { _tag: "AlreadyFinal", status: "succeeded", paymentId })
    assert.strictEqual(signed(), 1)

    // The first answer is lost, so the client asks again.
    let lost = false
    const fetch = async (url: string, init: RequestInit) => {
      const response = await on.fetch(url, init)
      if (lost) return response
      lost = true
      throw new TypeError("the connection broke")
    }
    const { merchant, partnerKey } = on
    const shaky = makePartner({
      baseUrl,
      apiKey: partnerKey.secret,
      merchantId: merchant.id,
      fetch,
      timing,
    })
    const refund = await shaky.refunds.create({ paymentId })
    assert.isTrue(lost)
    assert.strictEqual(refund.amount.value, "12500000")
    assert.strictEqual((await on.partner.refunds.get(refund.refundId)).paymentId, paymentId)
    const twice = await on.partner.refunds.create({ paymentId }).catch((error: unknown) => error)
    assert.deepInclude(twice, { _tag: "Refused", code: "already_refunded", status: 409 })
  })

  it("approves and signs the fetched steps on a chain with Permit2", async () => {
    const { chains, signer } = await watchedChain()
    const methods: Array<string> = []
    const result = await payOn(await scene({ chains }), 56, {
      signer,
      onProgress: (progress) => {
        if (progress._tag === "Executed") methods.push(progress.method)
      },
    })
    assert.strictEqual(result._tag, "Succeeded")
    assert.deepStrictEqual(methods, ["eth_sendTransaction", "eth_signTypedData_v4"])
  })

  it("works with the Effect client too", async () => {
    const { created, fetch, merchant, partnerKey } = await scene()
    const http: typeof globalThis.fetch = (input, init = {}) => fetch(String(input), init)
    const program = Effect.gen(function* () {
      const florin = yield* EffectClient.make({ baseUrl, apiKey: Redacted.make(partnerKey.secret) })
      return yield* florin.payments.get({
        params: { id: created.paymentId },
        headers: { "merchant-id": merchant.id },
      })
    }).pipe(
      Effect.provide(FetchHttpClient.layer),
      Effect.provideService(FetchHttpClient.Fetch, http),
    )
    const details = await Effect.runPromise(program)
    assert.deepInclude(details, { referenceId: "ORDER-7", status: "requires_action" })
  })
})
