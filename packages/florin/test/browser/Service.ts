/**
 * A service with its pages, on a port of its own: on simulated chains where a wallet's signature is all that a test needs,
 * or on real nodes.
 *
 * @module
 */
import { createServer, type Server } from "node:http"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll } from "@effect/vitest"
import { makePartner, type Partner, pay } from "@florin/client"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Payment from "@florin/core/domain/payment/Payment"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Screening } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import * as Pages from "@florin/pages"
import { createFlorin, type Florin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import type * as Wallet from "@florin/testing/Wallet"
import * as WalletConnect from "@florin/walletconnect"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as LocalChains from "../../src/dev/LocalChains.ts"

const payLinkHost = "pay.florin.test"

export interface Options {
  /** Chains to start a node for; simulated ones where none is named. */
  readonly chainIds?: ReadonlyArray<number>
  readonly merchantName?: string
  /** From how many cents of a dollar on a payer must tell who they are; nobody must where it is not said. */
  readonly collectsFrom?: bigint
  /** The relay through which payers may connect a wallet; none where it is not said. */
  readonly relayUrl?: string
  /** Which live merchants wait for the operator's approval; none where it is not said. */
  readonly approveMerchants?: Merchant.Approval
  /** Origins that may show the pages in a frame. */
  readonly frameAncestors?: ReadonlyArray<string>
}

type CreateRequest = Parameters<Partner["payments"]["create"]>[0]

interface Wanted extends Partial<Omit<CreateRequest, "expiresAt">> {
  /** Counted from when the service is asked, however long that took to come. */
  readonly lifeInS?: number
}

/** A payment, and where its page is. */
export interface Order {
  readonly id: string
  readonly link: string
  readonly url: string
}

export interface Service {
  readonly url: string
  readonly florin: Florin
  readonly partner: Partner
  /** The same partner's key, and who it is. */
  readonly partnerKey: string
  readonly partnerId: string
  /** The nodes; none where chains are simulated. */
  readonly nodes: ReadonlyArray<LocalChains.Reached>
  /** Moves simulated chains; a node is not moved by it. */
  readonly simulated: SimulatedChain["Service"]
  readonly order: (wanted?: Wanted) => Promise<Order>
  /** The address of the form for an account, in a session that nobody was given. */
  readonly formOf: (order: Pick<Order, "id">, account: string) => Promise<string>
  /** Pays as another wallet would, past the page, on Base; resolves when it is known how that ended. */
  readonly payBy: (order: Order, wallet: Wallet.Wallet) => ReturnType<typeof pay>
  /** Resolves once a confirm of the payment was accepted. */
  readonly accepted: (order: Order) => Promise<void>
  /** What the payer of an accepted payment signed for. */
  readonly promised: (order: Order) => Promise<PaymentOption.PaymentOption>
  /** The hashes of what came, or is said to have come, and does not pay. */
  readonly late: (order: Order) => Promise<ReadonlyArray<string>>
  /** From now on screening refuses the wallet. */
  readonly refuse: (wallet: Wallet.Wallet) => void
  readonly close: () => Promise<void>
}

const base = 8453
const pauseInMs = 50

/** As on local chains, a payer's wallet sends BNB Smart Chain's USDC itself. */
const flow = ({ flow: usual, symbol, token }: Asset.Asset): PaymentOption.Flow =>
  token.chainId === Eip155.chainId(56) && symbol === "USDC" ? "transfer" : usual

let orders = 0

/** Listens before the service is made, so that the service knows its own address. */
const listening = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
)

const make = Effect.fnUntraced(function* (options: Options) {
  const nodes = yield* LocalChains.start((options.chainIds ?? []).map(Eip155.chainId), null)
  const server = yield* listening
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  const simulation = yield* Layer.build(
    SimulatedChain.layer({ unseenBalance: 1000, flow, blocks: { everyInMs: 100 } }),
  )
  const refused = new Set<Caip.Address>()
  const pages = yield* Effect.promise(() =>
    Pages.load({
      termsUrl: "https://bluedoor.example/terms",
      privacyUrl: "https://bluedoor.example/privacy",
      allowPrivateLogos: true,
      ...(options.frameAncestors !== undefined && { frameAncestors: options.frameAncestors }),
      ...(options.relayUrl !== undefined && {
        walletConnect: WalletConnect.load({
          projectId: "0123456789abcdef0123456789abcdef",
          name: "Example Pay",
          relayUrl: options.relayUrl,
        }),
      }),
    }),
  )
  const florin = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createFlorin({
        payLinkHost,
        // Not where the pages are: they ask nobody but the host that they came from.
        publicUrl: "https://api.florin.test",
        chains:
          nodes.length > 0
            ? LocalChains.layer(nodes)
            : Layer.provide(Chains.layerShared, Layer.succeedContext(simulation)),
        worker: { idleInMs: 50 },
        pages,
        screening: Layer.succeed(Screening, {
          refused: (accounts) =>
            Effect.succeed(accounts.filter(({ address: payer }) => refused.has(payer))),
        }),
        ...(options.approveMerchants !== undefined && {
          approveMerchants: options.approveMerchants,
        }),
        ...(options.collectsFrom !== undefined && {
          collectData: CollectDataPolicy.layerAbove({ USD: options.collectsFrom }),
        }),
      }),
    ),
    (made) => Effect.promise(() => made.dispose()),
  )
  server.on("request", NodeListener.requestListener(florin))
  const simulated = yield* Effect.provide(SimulatedChain, simulation)
  return { florin, nodes, refused, simulated, url }
})

/** Starts one, with its workers running. */
export const start = async (options: Options): Promise<Service> => {
  const scope = Scope.makeUnsafe()
  const { florin, nodes, refused, simulated, url } = await Effect.runPromise(
    Scope.provide(make(options), scope),
  )
  const { id: partnerId } = await florin.operator.partners.create({
    name: "Corner Payments",
    fees: { percentage: "0.4" },
    payouts: "immediate",
  })
  const common = { mode: "live", name: "a test" } as const
  const scopes = ["read", "pay", "refund", "manage", "webhooks", "keys"] as const
  const partnerKey = await florin.operator.keys.issue({ ...common, partnerId, scopes })
  const walletKey = await florin.operator.keys.issue({ mode: "live", wallet: "a test" })
  const registering = makePartner({ baseUrl: url, apiKey: partnerKey.secret })
  const { merchant } = await registering.merchants.create({
    merchantName: options.merchantName ?? "Blue Door Coffee",
    merchantEmail: "till@bluedoor.example",
  })
  const own = { baseUrl: url, apiKey: partnerKey.secret, merchantId: merchant.id }
  const partner = makePartner(own)
  // Only the preview takes addresses to send the payer back to.
  const ordering = makePartner({ ...own, version: "2026-02-19.preview" })
  const accepted = async (id: string): Promise<void> => {
    if ((await partner.payments.status(id)).status !== "requires_action") return
    await setTimeout(pauseInMs)
    return accepted(id)
  }
  const stored = (id: string) =>
    florin.run(
      Effect.flatMap(PaymentStore, (payments) => payments.payment(PaymentId.PaymentId.make(id))),
    )
  await florin.workers.start()
  return {
    url,
    florin,
    partner,
    partnerKey: partnerKey.secret,
    partnerId,
    nodes,
    simulated,
    order: async ({ lifeInS, ...overrides } = {}) => {
      const { gatewayUrl, paymentId } = await ordering.payments.create({
        referenceId: `order-${++orders}`,
        amount: { unit: "iso4217/USD", value: "1250" },
        ...(lifeInS !== undefined && { expiresAt: Math.floor(Date.now() / 1000) + lifeInS }),
        ...overrides,
      })
      return { id: paymentId, link: gatewayUrl, url: `${url}/?pid=${paymentId}` }
    },
    formOf: ({ id }, account) =>
      florin.run(
        Effect.map(Settings, ({ sealKey }) => {
          const none = PayerSession.ofBytes(new Uint8Array(PayerSession.byteCount))
          const sealed = PayerSession.seal(none, PaymentId.PaymentId.make(id), sealKey)
          return `${url}/collect/?pid=${id}&accounts=${encodeURIComponent(account)}&session=${sealed}`
        }),
      ),
    payBy: ({ link }, wallet) =>
      pay(link, {
        baseUrl: url,
        payLinkHost,
        apiKey: walletKey.secret,
        accounts: [Eip155.formatAccount(wallet.account(base))],
        signer: wallet,
      }),
    accepted: ({ id }) => accepted(id),
    promised: async ({ id }) =>
      Payment.attemptOf(await stored(id))?.option ?? assert.fail("nothing was promised"),
    late: async ({ id }) => {
      const { reports } = await stored(id)
      const inflows = await florin.run(
        Effect.flatMap(InflowStore, (store) =>
          store.inflows({ _tag: "Payment", paymentId: PaymentId.PaymentId.make(id) }),
        ),
      )
      return [...reports, ...inflows.map(({ transfer }) => transfer)].map(({ txHash }) => txHash)
    },
    refuse: ({ address }) => {
      refused.add(address)
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** One service for all tests of a file, with its workers running. */
export const inFile = (options: Options | (() => Options) = {}) => {
  let service: Service | undefined
  beforeAll(async () => {
    service = await start(typeof options === "function" ? options() : options)
  })
  afterAll(() => service?.close())
  return (): Service => service ?? assert.fail("no service was started")
}
