/**
 * The built-in tokens. An operator adds others by a file.
 *
 * Each row is checked on its chain when the service starts; a test recomputes the pins offline.
 *
 * @module
 */
import type * as Asset from "../chain/Asset.ts"
import * as Caip from "../chain/Caip.ts"
import * as Details from "./Details.ts"
import type * as Eip712 from "./Eip712.ts"
import * as Issuer from "./Issuer.ts"
import * as Names from "./Names.ts"

/** The fields of a token's EIP-712 domain; `salt` puts the chain id in the salt instead, as Polygon's USDT does. */
export interface Signs {
  readonly name: string
  readonly version?: string
  readonly salt?: boolean
}

/** The domain of a token, which names its chain and contract. */
export const domain = (
  { address, chainId }: Caip.Token,
  { name, salt, version }: Signs,
): Eip712.Domain => {
  const number = Names.numberOf(chainId)
  return {
    name,
    ...(version !== undefined && { version }),
    verifyingContract: address,
    ...(salt === true
      ? { salt: `0x${number.toString(16).padStart(64, "0")}` }
      : { chainId: number }),
  }
}

/** A token as a person writes it down. */
export interface Row {
  readonly chainId: number
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals?: number
  readonly peg?: string
  readonly flow: Names.UsualFlow
  readonly issuer: Issuer.Issuer
  readonly signs?: Signs & { readonly version: string }
  readonly pin?: string
  readonly approveResets?: true
}

/** Fills in what a row leaves out. */
export const asset = (row: Row): Asset.Asset => {
  const token: Caip.Token = {
    chainId: Names.chainId(row.chainId),
    address: Caip.Address.make(row.address.toLowerCase()),
  }
  return {
    token,
    symbol: row.symbol,
    name: row.name,
    decimals: row.decimals ?? 6,
    peg: row.peg ?? "USD",
    flow: row.flow,
    details: Details.encode({
      issuer: row.issuer,
      ...(row.signs && { domain: domain(token, row.signs) }),
      ...(row.pin && { separatorPin: row.pin }),
      ...(row.approveResets && { approveResets: row.approveResets }),
    }),
  }
}

/** What tokens have in common on several chains. Some of the newer ones sign with another name. */
export const usdc = {
  symbol: "USDC",
  name: "USD Coin",
  flow: "eip3009",
  issuer: Issuer.circle,
  signs: { name: "USD Coin", version: "2" },
} as const
export const eurc = { ...usdc, symbol: "EURC", name: "Euro Coin", peg: "EUR" } as const
const usdt = { symbol: "USDT", name: "Tether USD", flow: "permit2" } as const
const pegged = { decimals: 18, flow: "permit2", issuer: Issuer.binance } as const

export const all: ReadonlyArray<Asset.Asset> = [
  asset({
    ...usdc,
    chainId: 42161,
    address: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    pin: "0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78",
  }),
  asset({
    ...usdc,
    chainId: 8453,
    address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    pin: "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f",
  }),
  asset({
    ...usdc,
    chainId: 137,
    address: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
    pin: "0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca",
  }),
  asset({
    ...usdc,
    chainId: 1,
    address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    pin: "0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335",
  }),
  asset({
    ...usdc,
    chainId: 10,
    address: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
    pin: "0x26d9c34bb1a1c312f69c53b2d93b8be20faafba63af2438c6811713c9b1f933f",
  }),
  asset({
    ...usdc,
    chainId: 143,
    address: "0x754704Bc059F8C67012fEd69BC8A327a5aafb603",
    signs: { name: "USDC", version: "2" },
    pin: "0xfe22123edc0dd4aeb912eb7948c5f0e531592c2053b3067612f427db342c93c6",
  }),
  asset({
    ...usdc,
    chainId: 42220,
    address: "0xcebA9300f2b948710d2653dD7B07f33A8B32118C",
    signs: { name: "USDC", version: "2" },
    pin: "0xb2ce31d2838445fa765a491f550e7c78ac7280ab0f3bc9d6063a86df9c3fb578",
  }),
  asset({
    ...pegged,
    chainId: 56,
    address: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
    symbol: "USDC",
    name: "USD Coin",
  }),
  asset({
    ...eurc,
    chainId: 1,
    address: "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c",
    signs: { name: "Euro Coin", version: "2" },
    pin: "0x99f188f447f0c6eaf68589359cd2ead8c2faaaaee984ab926fdb734d0040073b",
  }),
  asset({
    ...eurc,
    chainId: 8453,
    address: "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42",
    signs: { name: "EURC", version: "2" },
    pin: "0xec4dcbded0afd42599589b79220899bbe000bb5ea66d6f1bc176e78d094203bb",
  }),
  asset({
    chainId: 42161,
    address: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
    symbol: "USDT0",
    name: "USD₮0",
    flow: "eip3009",
    issuer: Issuer.usdt0,
    signs: { name: "USD₮0", version: "1" },
    pin: "0x566af68fb471b22d6421762f84aa7bd761c670a2e4d5c8a47d4085d5957b127c",
  }),
  asset({
    chainId: 1,
    address: "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
    symbol: "PYUSD",
    name: "PayPal USD",
    flow: "eip3009",
    issuer: Issuer.paxos,
    signs: { name: "PayPal USD", version: "1" },
    pin: "0xf0d0fba61e325ddcdbcc77a9b5287a77e018a2406a520bc665afa678188592de",
  }),
  asset({
    chainId: 42161,
    address: "0x46850aD61C2B7d64d08c9C754F45254596696984",
    symbol: "PYUSD",
    name: "PayPal USD",
    flow: "eip3009",
    issuer: Issuer.paxos,
    signs: { name: "PayPal USD", version: "1" },
    pin: "0x5449794098641aa9d1786cc5721022f86c5fda3895bca2fdac52f92e8fe85de5",
  }),
  asset({
    chainId: 1,
    address: "0xe343167631d89B6Ffc58B88d6b7fB0228795491D",
    symbol: "USDG",
    name: "Global Dollar",
    flow: "eip3009",
    issuer: Issuer.paxos,
    signs: { name: "Global Dollar", version: "1" },
    pin: "0xc27ef8fcee57ed704c1b372ea478ed4fcec9d40984515733be9cf518e8e40862",
  }),
  asset({
    ...usdt,
    chainId: 1,
    address: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    issuer: Issuer.tether,
    approveResets: true,
  }),
  asset({
    ...usdt,
    chainId: 137,
    address: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
    issuer: Issuer.usdt0,
    signs: { name: "USDT0", version: "1", salt: true },
    pin: "0x7b43b7deae87806d0ace67d6c8e9e347fc85db8ad198e756e5c17d126fef9a05",
  }),
  asset({
    ...pegged,
    chainId: 56,
    address: "0x55d398326f99059fF775485246999027B3197955",
    symbol: "USDT",
    name: "Tether USD",
  }),
]
