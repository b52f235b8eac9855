/**
 * Reads an operator's own tokens and networks from a JSON file and adds them to the built-in ones.
 *
 * @example
 * const { catalog } = Result.getOrThrow(AssetFile.parse(readFileSync("assets.json", "utf8"), [31338]))
 * const chains = Evm.layer([{ chainId: 31338, rpcUrls, accounts }], catalog)
 *
 * @module
 */
import * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Network from "@florin/core/domain/chain/Network"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Issuer from "@florin/core/domain/eip155/Issuer"
import * as Networks from "@florin/core/domain/eip155/Networks"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Struct from "effect/Struct"
import * as Extra from "./Extra.ts"

/** The file cannot be used. Says what is wrong, and in which row. */
export class InvalidAssetFile extends Schema.TaggedError<InvalidAssetFile>()("InvalidAssetFile", {
  message: Schema.String,
}) {}

/** Makes the error that a person reads, without characters that could move a terminal's cursor. */
const invalid = (message: string) =>
  new InvalidAssetFile({ message: message.replaceAll(/\p{Cc}+/gu, " ") })

const refuse = (message: string) => Result.fail(invalid(message))

/** Enough for thousands of rows. */
const lengthMost = 1_000_000

const weiPerGwei = 1_000_000_000

const Gwei = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/** The file names chains by their chain id. */
const ChainNumber = Schema.Int.check(Schema.isGreaterThan(0)).pipe(
  Schema.decodeTo(
    Schema.toType(Caip.ChainId),
    SchemaTransformation.transform({ decode: Eip155.chainId, encode: Eip155.numberOf }),
  ),
)

const NetworkRow = Schema.Struct({
  chainId: ChainNumber,
  ...Struct.pick(Network.Network.fields, ["name", "etaInS", "finality", "minimum"]),
  coin: Schema.optionalKey(Network.Network.fields.coin),
  isTest: Schema.optionalKey(Schema.Boolean),
  explorer: Schema.optionalKey(Network.ExplorerUrl),
  gas: Schema.Struct({
    maxFeeInGwei: Gwei.check(Schema.isGreaterThan(0)),
    minTipInGwei: Schema.optionalKey(Gwei),
    headroomInPercent: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })),
    ),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 100_000, maximum: 100_000_000 })),
    ),
    chargesForData: Schema.optionalKey(Schema.Boolean),
  }),
})

const AssetRow = Schema.Struct({
  ...Struct.pick(Asset.Asset.fields, ["symbol", "name", "decimals", "peg"]),
  flow: Schema.Literals(Eip155.usualFlows),
  chainId: ChainNumber,
  address: Schema.String,
  /** The name and version in the token's EIP-712 domain; `salt` if the chain id is its salt. */
  domain: Schema.optionalKey(
    Schema.Struct({
      name: Schema.NonEmptyString,
      version: Schema.optionalKey(Schema.String),
      salt: Schema.optionalKey(Schema.Boolean),
    }),
  ),
  /** The functions of the token that stop it. */
  switches: Schema.optionalKey(Issuer.Issuer.fields.switches),
  /** The function of the token that says whether it bars an account; null if it has none. */
  blocklist: Issuer.Issuer.fields.blocklist,
  /** Whether the issuer can replace the token's code. */
  upgradeable: Schema.optionalKey(Schema.Boolean),
  approveResets: Schema.optionalKey(Schema.Boolean),
})

const File = Schema.Struct({
  networks: Schema.optionalKey(Schema.Array(NetworkRow)),
  assets: Schema.optionalKey(Schema.Array(AssetRow)),
  /** Built-in tokens that are off by default, as CAIP-19: the service takes them. */
  also: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Built-in tokens that are on by default, as CAIP-19: the service does not take them. */
  without: Schema.optionalKey(Schema.Array(Schema.String)),
})

const decodeFile = Schema.decodeUnknownResult(File, {
  onExcessProperty: "error",
  errors: "all",
})

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is missing"
    return issue._tag === "UnexpectedKey" ? "is not known" : SchemaIssue.defaultLeafHook(issue)
  },
})

/** `assets[0].symbol: Expected …`, one for each member that is wrong. */
const issues = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  format(issue).issues.map(({ message, path = [] }) => {
    const at = path
      .map((part) => (typeof part === "object" ? part.key : part))
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
      .join("")
    return at === "" ? message : `${at.replace(/^\./u, "")}: ${message}`
  })

const wei = (gwei: number): bigint => BigInt(Math.round(gwei * weiPerGwei))

const networkOf = ({
  coin = "ETH",
  explorer,
  gas,
  isTest,
  ...row
}: typeof NetworkRow.Type): Result.Result<Network.Network, InvalidAssetFile> => {
  const { chainId } = row
  const builtIn = Extra.every.network(chainId)
  if (builtIn !== undefined) {
    return refuse(
      `chain ${chainId} is built in (${builtIn.name}): remove its row; --chains changes its settings`,
    )
  }
  const priceMax = wei(gas.maxFeeInGwei)
  const usual = Networks.usualGas
  const usualTipMin = usual.tipMin < priceMax ? usual.tipMin : priceMax
  const tipMin = gas.minTipInGwei === undefined ? usualTipMin : wei(gas.minTipInGwei)
  if (priceMax === 0n || tipMin > priceMax) {
    return refuse(
      `chain ${chainId}: gas.maxFeeInGwei must be at least 1 wei, and no less than gas.minTipInGwei: nothing could be sent`,
    )
  }
  return Result.succeed({
    icon: `chain-${Eip155.numberOf(chainId)}`,
    ...row,
    coin,
    ...(isTest === true && { isTest }),
    explorerUrl: explorer ?? null,
    details: Gas.encode({
      priceMax,
      tipMin,
      headroom: gas.headroomInPercent ?? usual.headroom,
      most: gas.limit === undefined ? usual.most : BigInt(gas.limit),
      isDataExtra: gas.chargesForData ?? usual.isDataExtra,
    }),
  })
}

const assetOf = ({
  address,
  approveResets,
  blocklist,
  chainId,
  domain,
  switches = [],
  ...row
}: typeof AssetRow.Type): Result.Result<Asset.Asset, InvalidAssetFile> => {
  const named = `${row.symbol} on chain ${chainId}`
  const parsed = Eip155.parseAddress(address)
  if (Result.isFailure(parsed)) return refuse(`${named}: ${parsed.failure}`)
  if (row.flow === "eip3009" && domain === undefined) {
    return refuse(`${named}: a token with the flow eip3009 needs its domain, a name and a version`)
  }
  if (Amount.isCurrency(row.symbol)) {
    return refuse(`${named}: ${row.symbol} is a currency: a token needs another symbol`)
  }
  if (row.peg !== null && !Amount.isCurrency(row.peg)) {
    return refuse(
      `${named}: ${row.peg} is not a supported currency: set its peg to one that docs/prices.md lists, or to null`,
    )
  }
  const token: Caip.Token = { chainId, address: parsed.success }
  const own = domain === undefined ? undefined : Assets.domain(token, domain)
  return Result.succeed({
    ...Struct.omit(row, ["upgradeable"]),
    token,
    details: Details.encode({
      issuer: { switches, blocklist },
      ...(own !== undefined && { domain: own, separatorPin: Eip712.separator(own) }),
      ...(approveResets === true && { approveResets }),
    }),
  })
}

/** The content of a file, next to the built-in assets. */
export interface AssetFile {
  readonly catalog: Catalog.Catalog
  /** The tokens that the file adds, and whether their issuer is trusted to replace their code. */
  readonly added: ReadonlyArray<{
    readonly asset: Asset.Asset
    readonly isUpgradeable: boolean
  }>
}

/** The first name that occurs twice. */
const firstTwice = (names: ReadonlyArray<string>): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index)

/** The tokens of a list, each of which must have a row. */
const named = (
  member: "also" | "without",
  names: ReadonlyArray<string>,
  { find }: Pick<Catalog.Catalog, "find">,
): Result.Result<ReadonlyArray<Asset.Asset>, InvalidAssetFile> =>
  Result.all(
    names.map((name) => {
      const token = Result.getOrUndefined(Eip155.parseToken(name, "ignored"))
      const asset = token && find(token)
      if (asset !== undefined) return Result.succeed(asset)
      const isOn = member === "also" && token && BuiltIn.catalog.find(token) !== undefined
      return refuse(
        isOn === true
          ? `${member}: ${name} is enabled already: remove it`
          : `${member}: ${name} is not one of these tokens: docs/assets.md lists them`,
      )
    }),
  )

const parseJson = (text: string): Result.Result<unknown, InvalidAssetFile> =>
  text.length > lengthMost
    ? refuse(`it has more than ${lengthMost} characters`)
    : Result.try({
        try: (): unknown => JSON.parse(text),
        catch: (cause) => invalid(`it is not JSON: ${cause instanceof Error ? cause.message : ""}`),
      })

/** Reads a file. Returns the built-in assets for the chains of a service, with the file's additions and removals. */
export const parse = (
  text: string,
  chainIds: ReadonlyArray<number>,
): Result.Result<AssetFile, InvalidAssetFile> =>
  Result.gen(function* () {
    const file = yield* Result.mapError(decodeFile(yield* parseJson(text)), ({ issue }) =>
      invalid(issues(issue).join("; ")),
    )
    const builtIn = Extra.catalogFor(chainIds)
    const { assets: rows = [], networks: networkRows = [] } = file
    const removed = yield* named("without", file.without ?? [], builtIn)
    const also = yield* named("also", file.also ?? [], Extra.all)
    const added: Array<AssetFile["added"][number]> = also.map((asset) => ({
      asset,
      isUpgradeable: true,
    }))
    for (const row of rows) {
      added.push({ asset: yield* assetOf(row), isUpgradeable: row.upgradeable ?? false })
    }
    const networks = yield* Result.all(networkRows.map(networkOf))
    const twice = firstTwice([
      ...networks.map(({ chainId }) => chainId),
      ...added.map(({ asset }) => Eip155.formatToken(asset.token)),
    ])
    if (twice !== undefined) return yield* refuse(`${twice} has two rows: keep one`)
    const kept = builtIn.assets.filter((asset) => !removed.includes(asset))
    const catalog = Catalog.make({
      families: builtIn.families,
      ...Catalog.join(
        { networks: builtIn.networks, assets: kept },
        { networks, assets: added.map(({ asset }) => asset) },
      ),
    })
    const lost = catalog.assets.find(({ token }) => catalog.network(token.chainId) === undefined)
    if (lost !== undefined) {
      const { symbol, token } = lost
      return yield* refuse(
        Extra.all.network(token.chainId) === undefined
          ? `${symbol}: chain ${token.chainId} is not known: add it to networks`
          : `${symbol}: chain ${token.chainId} is not configured: add a node of it with --rpc or --test-rpc`,
      )
    }
    const alike = firstTwice([
      ...catalog.networks.map(({ name }) => `two networks are called ${name}`),
      ...catalog.assets.map(
        ({ symbol, token }) => `two tokens on chain ${token.chainId} are called ${symbol}`,
      ),
    ])
    if (alike !== undefined) {
      return yield* refuse(`${alike}: payers could confuse them: rename one of them`)
    }
    return { catalog, added }
  })
