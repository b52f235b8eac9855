/**
 * The tokens that a service accepts, as a partner sees them: what is offered now and, if something is not, why.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Asset from "../domain/Asset.ts"
import * as Caip from "../domain/Caip.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Money from "../domain/Money.ts"
import type * as Network from "../domain/Network.ts"
import type * as PaymentOption from "../domain/PaymentOption.ts"
import { Chains } from "../ports/Chain.ts"
import * as Lanes from "./Lanes.ts"

export interface Accepted {
  readonly asset: Asset.Asset
  readonly network: Network.Network
  readonly flows: PaymentOption.Flows
  /** Below this it is not offered; null if it is not offered at all. */
  readonly minimum: Money.Quantity | null
  /** Why it is not offered now; null if it is. */
  readonly reason: string | null
}

/** Every token of the service's chains, in their order. */
export const list = Effect.fn("AcceptedAssets.list")(function* (mode: Mode.Mode) {
  const chain = (yield* Chains).of(mode)
  const { offered, faults, halted } = yield* Effect.all(
    { offered: chain.offered, faults: chain.faults, halted: Lanes.halted(mode) },
    { concurrency: "unbounded" },
  )
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
    const reason = reasonOf(asset) ?? (offer === undefined ? "it is being checked" : null)
    return [
      {
        asset,
        network,
        flows: offer?.flows ?? [asset.flow],
        minimum: reason === null && offer !== undefined ? offer.minimum : null,
        reason,
      },
    ]
  })
})
