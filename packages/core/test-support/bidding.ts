/**
 * Simulated chains on which gas has a price: what our transactions cost, and how they are signed again with a higher
 * fee.
 *
 * @module
 */
import type * as Lane from "@florin/core/domain/outflow/Lane"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import type { SimulatedKit } from "@florin/testing/Kit"
import * as Transaction from "@florin/testing/simulated/Transaction"
import { Effect } from "effect"

type Port = Chain["Service"]

/** Runs an effect on chains of which some calls are answered in another way. */
export const onChains =
  (instead: (chain: Port) => Partial<Port>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Chains, (chains) =>
      Effect.provideService(effect, Chains, {
        of: (mode) => {
          const chain = chains.of(mode)
          return { ...chain, ...instead(chain) }
        },
      }),
    )

/** The next version of a transaction. */
export const versionOf = (
  last: Lane.Transaction,
  signedAt: number,
  bid = 1,
  kit: SimulatedKit = Eip155Kit.kit,
): Lane.Transaction => Transaction.outbid(kit, last, signedAt, bid)
