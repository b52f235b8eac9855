/**
 * The built-in assets that are off by default, together with those that are on.
 *
 * A network is switched on by configuring a node for it, and its tokens come with it. A further token of a network that
 * is on by default is switched on by name, in an asset file.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as ExtraAssets from "./ExtraAssets.ts"
import * as ExtraNetworks from "./ExtraNetworks.ts"

/** All networks and tokens that are off by default, to look up a name. */
export const all: Catalog.Catalog = Catalog.make({
  families: [Eip155.family],
  networks: ExtraNetworks.all,
  assets: ExtraAssets.all,
})

/** All networks and tokens, including those that are on by default. */
export const every: Catalog.Catalog = Catalog.make(all, BuiltIn.catalog)

/** The assets that are on by default, and those of the chains that a service has nodes for. */
export const catalogFor = (chainIds: ReadonlyArray<number>): Catalog.Catalog => {
  const networks = all.networks.filter(({ chainId }) => chainIds.includes(Eip155.numberOf(chainId)))
  return Catalog.make({
    families: all.families,
    ...Catalog.join(BuiltIn.catalog, {
      networks,
      assets: networks.flatMap(({ chainId }) => Catalog.assetsOf(all, chainId)),
    }),
  })
}
