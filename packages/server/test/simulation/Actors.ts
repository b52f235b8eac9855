/**
 * Users of the service: partners that request payments and refunds, and payers with wallets, honest and hostile.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Fees from "@florin/core/domain/money/Fees"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Context, Effect, Result } from "effect"
import type * as Drawing from "../../test-support/drawing.ts"
import type * as World from "./World.ts"

type Json = Evidence.Json

const { at, list, text } = Reading

const tokenOf = (symbol: string, chainId: number): Caip.Token =>
  BuiltIn.catalog.assets.find(
    (each) => each.symbol === symbol && each.token.chainId === Eip155.chainId(chainId),
  )?.token ?? raise(`there is no ${symbol} on ${chainId}`)

export const raise = (message: string): never => {
  throw new Error(message)
}

/** One token of each way to pay. */
export const tokens = [
  tokenOf("USDC", 8453),
  tokenOf("USDT", 1),
  tokenOf("USDC", 10),
  tokenOf("USDT", 137),
]
export const chainIds = [...new Set(tokens.map(({ chainId }) => chainId))]
export const payers = [11, 12, 13, 14].map(Wallet.makeLight)
export const stranger = Wallet.make(15)

export interface Shop {
  readonly id: MerchantId.MerchantId
  /** Of each token, in their order. */
  readonly destinations: ReadonlyArray<string>
}

export interface Partner {
  readonly id: PartnerId.PartnerId
  readonly key: string
  readonly shops: ReadonlyArray<Shop>
  readonly hook: string
}

/** A payment that was asked for, and what a wallet signed for it. */
export interface Known {
  readonly id: string
  readonly partner: Partner
  readonly merchantId: string
  signed: {
    readonly body: Json
    readonly option: Json
    readonly outputs: ReadonlyArray<string>
    readonly by: Wallet.Wallet
  } | null
}

let treasuries: ReadonlyArray<string> | undefined
/** Where merchants are paid. */
export const treasury = (index: number): string => {
  treasuries ??= [101, 102, 103, 104, 105, 106].map((seed) => Wallet.make(seed).address)
  return treasuries[index] ?? raise("there is no such treasury")
}

/** Two partners with two merchants each, whose money goes to an account of its own, and a wallet's key. */
export const begin = (world: World.World) => {
  const issued = Effect.runSyncWith(world.shared)(
    Effect.gen(function* () {
      const partners = yield* Effect.forEach(
        [
          { name: "First", feeTerms: Fees.none },
          {
            name: "Second",
            feeTerms: {
              ...Fees.none,
              percentage: Result.getOrThrow(Fees.parsePercentage("1.25")),
            },
          },
        ],
        Effect.fnUntraced(function* (request) {
          const partner = yield* Keys.createPartner(request)
          const key = yield* Keys.issue({
            mode: "test",
            owner: { _tag: "Partner", partnerId: partner.id },
            name: request.name,
            expiresAt: null,
            scopes: ApiKey.PartnerScope.literals,
          })
          return { id: partner.id, key: key.text }
        }),
      )
      const wallet = yield* Keys.issue({
        mode: "test",
        owner: {
          _tag: "Wallet",
          name: "Wallet",
          iconUrl: "https://wallet.example/i.png",
          versionPin: "2026-02-18",
        },
        name: "Wallet",
        expiresAt: null,
      })
      return { partners, walletKey: wallet.text }
    }),
  )
  const partners: Array<Partner> = []
  world.outside.run(
    Effect.forEach(issued.partners, ({ id: partnerId, key }, index) =>
      Effect.gen(function* () {
        const hook = `https://hooks.example.com/${index}`
        const made = yield* world.call({
          path: "/v1/webhooks",
          key,
          idempotencyKey: "hook",
          body: { url: hook },
        })
        if (made?.status !== 201) raise(`no webhook: ${JSON.stringify(made)}`)
        const shops = yield* Effect.forEach([0, 1], (which) =>
          Effect.gen(function* () {
            const created = yield* world.call({
              path: "/v1/merchants",
              key,
              idempotencyKey: `merchant ${which}`,
              body: { merchantName: `Shop ${index}${which}`, merchantEmail: "shop@example.com" },
            })
            const id = text(created?.body, "merchant", "id")
            const settlements = tokens.map((token) => ({
              asset: Eip155.formatToken(token),
              destination: `${token.chainId}:${treasury(2 * index + which)}`,
            }))
            const registered = yield* world.call({
              path: `/v1/merchants/${id}/settlements/crypto`,
              key,
              idempotencyKey: `destinations ${which}`,
              body: { settlements },
            })
            if (registered?.status !== 201) raise(`no destinations: ${JSON.stringify(registered)}`)
            const shop: Shop = {
              id: MerchantId.MerchantId.make(id),
              destinations: list(registered?.body, "settlements").map((each) => text(each, "id")),
            }
            return shop
          }),
        )
        partners.push({ id: partnerId, key, shops, hook })
      }),
    ),
  )
  world.machine.rest()
  if (partners.length !== 2) raise("the world did not begin")
  return { partners, walletKey: issued.walletKey }
}

const triesMax = 4

/** Sends a request again with the same key until it gets a response, as clients should. */
export const persist = Effect.fnUntraced(function* (world: World.World, request: World.Request) {
  for (let tries = 0; tries < triesMax; tries++) {
    const response = yield* world.call(request)
    if (response !== null && response.status < 500) return response
    yield* Effect.sleep(100 << tries)
  }
  return null
})

/** What a payer says about themselves, where that is asked. */
const person = {
  fields: Object.entries({
    fullName: "Ada Lovelace",
    dob: "1815-12-10",
    pobCountry: "GB",
    pobAddress: "London",
    porCountry: "GB",
    porAddress: "12 St James's Square, London",
    tosConfirmed: "true",
  }).map(([id, value]) => ({ id, value })),
}

/** The body of a confirm. */
export const confirmOf = (option: Json, outputs: ReadonlyArray<string>): Json => ({
  optionId: text(option, "id"),
  results: outputs.map((output) => ({ type: "walletRpc", data: [output] })),
  ...(at(option, "collectData") !== null && { collectedData: person }),
})

/** A payer chooses an option and signs its steps; null if nothing was offered. */
export const sign = Effect.fnUntraced(function* (
  world: World.World,
  walletKey: string,
  id: string,
  wallet: Wallet.Wallet,
  draw: Drawing.Draw,
  accepts: (option: Json) => boolean = () => true,
) {
  const path = `/v1/gateway/payment/${id}`
  const offered = yield* persist(world, {
    path: `${path}/options`,
    key: walletKey,
    body: { accounts: chainIds.map((chainId) => `${chainId}:${wallet.address}`) },
  })
  const options = list(offered?.body, "options").filter(
    (option) =>
      accepts(option) &&
      tokens.some((token) => text(option, "amount", "unit").toLowerCase().endsWith(token.address)),
  )
  if (options.length === 0) return null
  const option = options[draw(options.length)] ?? raise("there is no option")
  const optionId = text(option, "id")
  const fetched = yield* persist(world, {
    path: `${path}/fetch`,
    key: walletKey,
    body: { optionId, data: "" },
  })
  const actions = list(fetched?.body, "actions").map((action) => ({
    _tag: "WalletRpc" as const,
    chainId: Caip.ChainId.make(text(action, "data", "chain_id")),
    method: text(action, "data", "method"),
    params: list(action, "data", "params").map((param) => text(param)),
  }))
  if (actions.length === 0) return null
  const { node } = Context.get(world.shared, SimulatedChain)
  const outputs = yield* Effect.orElseSucceed(wallet.execute(actions, node), () => [])
  if (outputs.length === 0) return null
  return { body: confirmOf(option, outputs), option, outputs, by: wallet }
})
