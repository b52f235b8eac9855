/**
 * The assets and networks that a service knows: those that it serves, and those that it served earlier.
 *
 * Payments outlive the configuration: a token that was removed is still shown, filtered and counted, but nothing new is
 * requested in it. The rules of the domain take a catalog as an argument; none of them names a token or a network.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Malformed from "../ground/Malformed.ts"
import * as Asset from "./Asset.ts"
import * as Caip from "./Caip.ts"
import * as Family from "./Family.ts"
import * as Network from "./Network.ts"

/** The content of a catalog. */
export interface Rows extends Schema.Schema.Type<typeof Rows> {}
export const Rows = Schema.Struct({
  networks: Schema.Array(Network.Network),
  assets: Schema.Array(Asset.Asset),
})

/** Rows, and their families of chains. */
export interface Brought extends Rows, Family.Known {}

export interface Catalog extends Brought {
  /** The asset of a token contract; undefined if the service never accepted it. */
  readonly find: (token: Caip.Token) => Asset.Asset | undefined
  /** The asset of a token contract; undefined if the service does not accept it now. */
  readonly served: (token: Caip.Token) => Asset.Asset | undefined
  /** The network of a chain id; undefined if the service never served it. */
  readonly network: (chainId: Caip.ChainId) => Network.Network | undefined
}

/** Two rows of one token have different decimals: stored amounts would change their value. */
export class AssetConflict extends Schema.TaggedError<AssetConflict>()("AssetConflict", {
  message: Schema.String,
}) {
  static readonly ofStored = () =>
    new AssetConflict({
      message: "a token has other decimals in stored payments than in its row: correct the row",
    })
}

const none: Rows = { networks: [], assets: [] }

/** The families of all, each once. */
export const familiesOf = (all: ReadonlyArray<Family.Known>): Family.Known["families"] => [
  ...new Set(all.flatMap(({ families }) => families)),
]

/** Rows of both. The later row of a token or a network counts. */
export const join = (earlier: Rows, later: Rows): Rows => {
  const assets = [...earlier.assets, ...later.assets]
  const networks = [...earlier.networks, ...later.networks]
  return {
    assets: [...new Map(assets.map((each) => [Caip.tokenKey(each.token), each])).values()],
    networks: [...new Map(networks.map((each) => [each.chainId, each])).values()],
  }
}

/** A catalog of what is served now, and of what was served earlier. */
export const make = (served: Brought, earlier: Rows = none): Catalog => {
  const keyed = (assets: Rows["assets"]) =>
    new Map(assets.map((asset) => [Caip.tokenKey(asset.token), asset]))
  const { assets, networks } = join(earlier, served)
  const known = keyed(assets)
  const now = keyed(served.assets)
  const byChainId = new Map(networks.map((network) => [network.chainId, network]))
  return {
    families: served.families,
    assets,
    networks,
    find: (token) => known.get(Caip.tokenKey(token)),
    served: (token) => now.get(Caip.tokenKey(token)),
    network: (chainId) => byChainId.get(chainId),
  }
}

export const empty: Catalog = make({ ...none, families: [] })

interface Conflict {
  readonly earlier: Asset.Asset
  readonly asset: Asset.Asset
}

/** A token whose decimals differ from those of earlier rows; undefined if there is none. */
export const conflictIn = (earlierRows: Rows, { assets }: Rows): Conflict | undefined => {
  const known = new Map(earlierRows.assets.map((each) => [Caip.tokenKey(each.token), each]))
  for (const asset of assets) {
    const earlier = known.get(Caip.tokenKey(asset.token))
    if (earlier !== undefined && earlier.decimals !== asset.decimals) return { earlier, asset }
  }
  return undefined
}

/**
 * Refuses rows in which the decimals of a token differ from earlier rows, which are `where`: a token keeps its decimals
 * for ever.
 */
export const checkDecimals = (
  earlierRows: Rows,
  served: Brought,
  where: string,
): Result.Result<void, AssetConflict> => {
  const conflict = conflictIn(earlierRows, served)
  if (conflict === undefined) return Result.void
  const { asset, earlier } = conflict
  return Result.fail(
    new AssetConflict({
      message:
        `${asset.symbol} (${Family.formatToken(served, asset.token)}) has ${asset.decimals} decimals here ` +
        `and ${earlier.decimals} ${where}: correct the row`,
    }),
  )
}

const areRowsSame = Schema.toEquivalence(Rows)

/** Whether two catalogs have the same rows in the same order. */
export const isSame = (left: Rows, right: Rows): boolean =>
  areRowsSame(join(none, left), join(none, right))

export const assetsOf = (catalog: Catalog, chainId: Caip.ChainId): ReadonlyArray<Asset.Asset> =>
  catalog.assets.filter(({ token }) => token.chainId === chainId)

/** The tokens of a chain that are accepted now. */
export const servedOn = (catalog: Catalog, chainId: Caip.ChainId): ReadonlyArray<Asset.Asset> =>
  assetsOf(catalog, chainId).filter(({ token }) => catalog.served(token) !== undefined)

/** Reads the CAIP-19 form of a token that is accepted now. */
export const parseServed = (
  catalog: Catalog,
  text: string,
): Result.Result<Caip.Token, Malformed.Malformed> =>
  Result.flatMap(Family.parseToken(catalog, text, "ignored"), (token) =>
    catalog.served(token) === undefined
      ? Malformed.fail("the token is not supported on this chain")
      : Result.succeed(token),
  )

/** The name of a network, for a person. */
export const networkName = (catalog: Catalog, chainId: Caip.ChainId): string =>
  catalog.network(chainId)?.name ?? `chain ${chainId}`
