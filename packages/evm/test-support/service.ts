/**
 * A whole service on local chains, called over HTTP like a partner or wallet does.
 *
 * @module
 */
import { makePartner, pay, type PayResult, type Resume, type SignerRequest } from "@florin/client"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as OptionRouting from "@florin/core/domain/payment/OptionRouting"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as VaultAes from "@florin/core/node/VaultAes"
import * as Chains from "@florin/core/ports/Chain"
import * as LocalChain from "@florin/localnet/LocalChain"
import { createFlorin, type Options as FlorinOptions } from "@florin/server/Florin"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { privateKeyToAccount } from "viem/accounts"
import * as Evm from "../src/Evm.ts"
import { hex } from "../src/read/Queries.ts"
import * as Send from "./send.ts"

const coin = 10n ** 18n
export const payLinkHost = "pay.florin.test"
const baseUrl = `https://${payLinkHost}`
const fee = "0.4"

/** The chain is live, and test mode has none: money on a chain that both share would be test money. */
const onlyLive = Layer.effect(
  Chains.Chains,
  Effect.map(Chains.Chain, (chain) => {
    const none = { ...chain, chainIds: [] }
    return Chains.Chains.of({ of: (mode) => (mode === "live" ? chain : none) })
  }),
)

/** What every process of a test's service shares. */
export const sealKey = new Uint8Array(32).fill(7)
/** What a service needs beside a storage of its own. */
export const vault = VaultAes.layer({
  current: { id: "1", key: Redacted.make(new Uint8Array(32).fill(8)) },
})

/** What a test may choose about a service. */
export interface Options {
  readonly chainIds: ReadonlyArray<Caip.ChainId>
  /** Between two blocks; by hand where it is left out. */
  readonly everyInMs?: number
  readonly finality?: Evm.Finality
  readonly hardfork?: LocalChain.Options["hardfork"]
  readonly flow?: Evm.Options["flow"]
  /** What else is said of the chains, once they are started. */
  readonly evm?: () => Partial<Evm.Options>
  /** Where the service reaches a chain: at the node itself, unless something stands between. */
  readonly urlOf?: (chain: LocalChain.LocalChain) => Effect.Effect<string, never, Scope.Scope>
  readonly florin?: Partial<FlorinOptions>
}

export const collecting: ReadonlyArray<Wallet.Wallet> = [
  Wallet.make(1_100_001),
  Wallet.make(1_100_002),
]

/** Signs as a payer's own software does: it is given what a wallet's provider is given. */
export interface Signer {
  readonly address: string
  readonly signTypedData: (json: string) => Promise<string>
  readonly signMessage: (messageHex: string) => Promise<string>
  readonly signTransaction: (transaction: Send.Unsigned) => Promise<string>
}

/** The chains of a service, as every process of it describes them. */
export const chainsOf = (
  chains: ReadonlyArray<{ readonly chainId: Caip.ChainId; readonly rpcUrl: string }>,
  { evm, finality = 2, flow }: Pick<Options, "evm" | "finality" | "flow"> = {},
) =>
  Layer.provide(
    onlyLive,
    Evm.layer(
      chains.map(({ chainId, rpcUrl }) => ({
        chainId: Eip155.numberOf(chainId),
        rpcUrls: [Redacted.make(rpcUrl)],
        accounts: collecting.map(({ privateKey }) => privateKeyToAccount(hex(privateKey))),
        finality,
        minimum: 0,
        // What gas costs here would keep contracts from paying.
        gasAllowance: coin,
        ...(flow !== undefined && { flow }),
        // A machine that is busy with tests answers late.
        answerWithinInMs: 60_000,
        ...evm?.(),
      })),
    ),
  )

/** What a wallet's provider does when it is asked; one that sends waits for a block where none comes by itself. */
const providerOf = (
  signer: Signer,
  local: (chainId: Caip.ChainId) => LocalChain.LocalChain,
  blocks: "byHand" | "byThemselves",
) => ({
  request: async ({ chainId, method, params }: SignerRequest) => {
    if (method === "eth_signTypedData_v4") return signer.signTypedData(params[1])
    if (method === "personal_sign") return signer.signMessage(params[0])
    const [{ data, to }] = params
    const chain = local(Caip.ChainId.make(chainId))
    return Effect.runPromise(
      Send.from(chain, signer, { to, data }).pipe(
        Effect.tap(() => (blocks === "byHand" ? chain.mine(1) : Effect.void)),
      ),
    )
  },
})

export const make = Effect.fnUntraced(function* (options: Options) {
  const locals = yield* Effect.forEach(
    options.chainIds,
    (chainId) =>
      LocalChain.make({
        chainId,
        hardfork: options.hardfork,
        blocks: options.everyInMs === undefined ? "byHand" : { everyInMs: options.everyInMs },
      }),
    { concurrency: "unbounded" },
  )
  const reached = yield* Effect.forEach(locals, (local) =>
    Effect.gen(function* () {
      for (const { address } of collecting) yield* local.fundGas(address, 100n * coin)
      yield* local.mine(3)
      const rpcUrl = yield* options.urlOf?.(local) ?? Effect.succeed(local.rpcUrl)
      return { chainId: local.chainId, rpcUrl }
    }),
  )
  const florin = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createFlorin({
        payLinkHost,
        pages: false,
        chains: chainsOf(reached, options),
        // What a test looks at need not wait for others.
        payouts: { live: PayoutPolicy.immediate },
        credit: { live: Credit.unlimited },
        ...options.florin,
      }),
    ),
    (made) => Effect.promise(() => made.dispose()),
  )
  const local = (chainId: Caip.ChainId): LocalChain.LocalChain => {
    const found = locals.find((each) => each.chainId === chainId)
    if (found === undefined) throw new Error(`chain ${chainId} was not started`)
    return found
  }

  const { partner, partnerKey, walletKey } = yield* Effect.promise(async () => {
    const made = await florin.operator.partners.create({
      name: "Local Payments",
      fees: { percentage: fee },
    })
    const common = { mode: "live", name: "test" } as const
    return {
      partner: made,
      partnerKey: (await florin.operator.keys.issue({ ...common, partnerId: made.id })).secret,
      walletKey: (await florin.operator.keys.issue({ mode: "live", wallet: "test" })).secret,
    }
  })
  const call = {
    baseUrl,
    fetch: (url: string, init?: RequestInit) => florin.handler(new Request(url, init)),
  }
  const client = makePartner({ ...call, apiKey: partnerKey })
  const merchant = yield* Effect.promise(() =>
    client.merchants.create({ merchantName: "Shop", merchantEmail: "till@shop.example" }),
  )
  const merchantId = merchant.merchant.id

  const onChain = <A, E>(
    ask: (chain: Chains.Chain["Service"]) => Effect.Effect<A, E>,
  ): Effect.Effect<A> =>
    Effect.promise(() =>
      florin.run(Effect.flatMap(Chains.Chains, (chains) => Effect.orDie(ask(chains.of("live"))))),
    )

  return {
    florin,
    chains: reached,
    client,
    partner,
    merchantId,
    walletKey,
    call,
    local,
    onChain,
    held: (token: Caip.Token, address: Caip.Address) =>
      onChain((chain) => chain.balance(token, address)),
    /** The account that collects a payment. */
    payTo: (paymentId: string): Caip.Address => {
      const found = OptionRouting.collectingAccount(PaymentId.PaymentId.make(paymentId))(
        collecting.map(({ address }) => address),
      )
      if (found === undefined) throw new Error("there is no collecting account")
      return found
    },
    /** What the merchant is left with of a quantity. */
    netOf: (quantity: bigint): bigint => quantity - (quantity * 4n + 500n) / 1000n,
    /** Pays a link with every account that a signer has on the chains, or goes on where it stopped. */
    pay: (link: string, signer: Signer, resume?: Resume): Promise<PayResult> =>
      pay(link, {
        ...call,
        apiKey: walletKey,
        payLinkHost,
        accounts: options.chainIds.map((chainId) => `${chainId}:${signer.address}`),
        signer: providerOf(
          signer,
          local,
          options.everyInMs === undefined ? "byHand" : "byThemselves",
        ),
        ...(resume !== undefined && { resume }),
      }),
    /** Holds the ledger against the chains: with nothing on its way, they are equal. */
    reconciled: Effect.promise(() => florin.run(Reconciler.check("live"))),
  }
})

export type Service = Effect.Success<ReturnType<typeof make>>
