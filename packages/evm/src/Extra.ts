/**
 * What is built in and off by default, next to what is on.
 *
 * A network is switched on by naming a node of it, and its tokens come with it. A further token of a network that is on
 * by default is switched on by name, in a file of assets.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as ExtraAssets from "./ExtraAssets.ts"
import * as ExtraNetworks from "./ExtraNetworks.ts"

/** All of it, for those who look for a name. */
export const all: Catalog.Catalog = Catalog.make({
  families: [Eip155.family],
  networks: ExtraNetworks.all,
  assets: ExtraAssets.all,
})

/** The same, and what is on by default. */
export const every: Catalog.Catalog = Catalog.make(all, BuiltIn.catalog)

/** What is on by default, and what comes with chains that a service has nodes of. */
export const catalogFor = (chainIds: ReadonlyArray<number>): Catalog.Catalog => {
  const networks = all.networks.filter(({ chainId }) => chainIds.includes(Eip155.numberOf(chainId)))
  return Catalog.make({
    families: all.families,
    ...Catalog.joined(BuiltIn.catalog, {
      networks,
      assets: networks.flatMap(({ chainId }) => Catalog.onChain(all, chainId)),
    }),
  })
}
