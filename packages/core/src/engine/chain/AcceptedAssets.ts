/**
 * The tokens that a service accepts, as a partner sees them: whether each is offered now and, if not, why.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Asset from "../../domain/chain/Asset.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Family from "../../domain/chain/Family.ts"
import type * as Network from "../../domain/chain/Network.ts"
import type * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as Money from "../../domain/ground/Money.ts"
import { Chains, type OfferedAsset } from "../../ports/Chain.ts"
import * as Lanes from "./Lanes.ts"
import * as Relaying from "./Relaying.ts"

export interface Accepted {
  readonly asset: Asset.Asset
  readonly network: Network.Network
  readonly flows: ReadonlyArray<PaymentOption.Flow>
  /** The smallest payment in this token; null if the token is not offered at all. */
  readonly minimum: Money.Quantity | null
  /** Why it is not offered now; null if it is. */
  readonly reason: string | null
}

const outOfGas = "the gas that the service may spend on the network in this hour is spent"

/**
 * The flows of a token that payers can use now: all of them while one of its accounts has gas to spend, otherwise only
 * those that cost us nothing.
 */
export const flowsLeft = (
  catalog: Family.Known,
  { asset: { token }, collectingAccounts, flows }: OfferedAsset,
  spent: ReadonlyArray<Pick<Relaying.GasBudget, "account">>,
): ReadonlyArray<PaymentOption.Flow> => {
  const isSpent = collectingAccounts.every((address) =>
    spent.some(({ account }) => account.chainId === token.chainId && account.address === address),
  )
  if (!isSpent) return flows
  const family = Family.of(catalog, token.chainId)
  const free = family === undefined ? [] : Family.flowsSentBy(family, "payer")
  return flows.filter((flow) => free.includes(flow))
}

/** Every token of the service's chains, in the order of the catalog. */
export const list = Effect.fn("AcceptedAssets.list")(function* (mode: Mode.Mode) {
  const chain = (yield* Chains).of(mode)
  const now = yield* Clock.currentTimeMillis
  const { budgets, faults, halted, offered } = yield* Effect.all(
    {
      offered: chain.offered,
      faults: chain.faults,
      halted: Lanes.listHalted(mode),
      budgets: Relaying.gasBudgets(mode, now),
    },
    { concurrency: "unbounded" },
  )
  const spent = budgets.filter(({ isSpent }) => isSpent)
  const reasonOf = (asset: Asset.Asset): string | null => {
    const { chainId } = asset.token
    if (!chain.chainIds.includes(chainId)) return "the service has no node of this network"
    if (halted.some((each) => each.chainId === chainId)) return "the network is halted"
    const found = faults.filter(({ token }) => Caip.sameToken(token, asset.token))
    return found.length === 0 ? null : found.map(({ message }) => message).join("; ")
  }
  return chain.catalog.assets.flatMap((asset): ReadonlyArray<Accepted> => {
    const network = chain.catalog.network(asset.token.chainId)
    if (network === undefined || chain.catalog.served(asset.token) === undefined) return []
    const offer = offered.find((each) => Caip.sameToken(each.asset.token, asset.token))
    const flows = offer === undefined ? [] : flowsLeft(chain.catalog, offer, spent)
    const reason =
      reasonOf(asset) ??
      (offer === undefined ? "it is being checked" : flows.length === 0 ? outOfGas : null)
    return [
      {
        asset,
        network,
        flows: flows.length === 0 ? (offer?.flows ?? [asset.flow]) : flows,
        minimum: reason === null && offer !== undefined ? offer.minimum : null,
        reason,
      },
    ]
  })
})
