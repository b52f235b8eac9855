/**
 * The test contracts as code and storage words: which contract replaces which asset, and what is written to its
 * storage. The sources, and what they imitate, are in `contracts/`.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Schema from "effect/Schema"
import type { Hex } from "viem"
import { concatHex, hexToBigInt, keccak256, pad, size, stringToHex, toHex } from "viem/utils"

const isHex = (text: string): text is Hex => /^0x[0-9a-f]*$/u.test(text)
export const HexText = Schema.String.pipe(Schema.refine(isHex))

const Contract = Schema.Struct({ code: HexText })
const Compiled = Schema.fromJsonString(
  Schema.Struct({
    Delegate: Contract,
    FakeToken: Contract,
    FeeOracle: Contract,
    FiatToken: Contract,
    PaxosToken: Contract,
    Passkey: Contract,
    Permit2: Contract,
    PlainToken: Contract,
    PolygonUsdt: Contract,
    PriceFeed: Contract,
    Safe: Contract,
    SafeCode: Contract,
    SafeHandler: Contract,
    SmartAccount: Contract,
    SmartAccountFactory: Contract,
    Usdt: Contract,
    Usdt0: Contract,
  }),
)

/** A contract that can be deployed on a chain. */
export type Name = keyof typeof Compiled.Type

const compiled = Schema.decodeSync(Compiled)(
  readFileSync(new URL("../contracts/compiled.json", import.meta.url), "utf8"),
)

/** The code at the contract's address. */
export const code = (name: Name): Hex => compiled[name].code

/** 32 bytes of a contract's storage. */
export interface Word {
  readonly slot: Hex
  readonly value: Hex
}

type Token = "FiatToken" | "PaxosToken" | "PlainToken" | "PolygonUsdt" | "Usdt" | "Usdt0"

/** Behaviour of a token beyond transfers. */
export type Ability = "blocks" | "pauses" | "takes a fee" | "takes gas"

const abilities: Readonly<Record<Token, ReadonlyArray<Ability>>> = {
  FiatToken: ["blocks", "pauses", "takes gas"],
  PaxosToken: ["blocks", "pauses"],
  PlainToken: [],
  PolygonUsdt: ["blocks"],
  Usdt: ["blocks", "pauses", "takes a fee"],
  Usdt0: ["blocks"],
}

/** The contract that replaces an asset. */
export const standIn = (asset: Asset.Asset): Token => {
  if (asset.symbol === "PYUSD" || asset.symbol === "USDG") return "PaxosToken"
  if (asset.symbol === "USDT0") return "Usdt0"
  const { approveResets, domain } = Details.of(asset)
  if (approveResets) return "Usdt"
  if (domain === undefined) return "PlainToken"
  return asset.flow === "eip3009" ? "FiatToken" : "PolygonUsdt"
}

export const can = (asset: Asset.Asset, ability: Ability): boolean =>
  abilities[standIn(asset)].includes(ability)

const word = (value: bigint | Caip.Address): Hex =>
  typeof value === "bigint" ? toHex(value, { size: 32 }) : pad(addressHex(value), { size: 32 })

const addressHex = (address: Caip.Address): Hex => `0x${address.slice(2)}`

const slot = (index: number): Hex => word(BigInt(index))

/** The storage slot in which a mapping keeps the value of an address. */
const slotOf = (owner: Caip.Address, index: number): Hex =>
  keccak256(concatHex([word(owner), slot(index)]))

/** A text of less than 32 bytes: left-aligned in its word, with twice its length in the last byte. */
const textWord = (text: string): Hex => {
  const bytes = stringToHex(text)
  return word(hexToBigInt(pad(bytes, { dir: "right", size: 32 })) + BigInt(2 * size(bytes)))
}

// As `contracts/Token.sol` numbers them.

export const balanceSlot = (owner: Caip.Address): Hex => slotOf(owner, 0)

export const balance = (owner: Caip.Address, quantity: bigint): Word => ({
  slot: balanceSlot(owner),
  value: word(quantity),
})

export const blockedWord = (owner: Caip.Address, value: boolean): Word => ({
  slot: slotOf(owner, 2),
  value: word(BigInt(value)),
})

/** The initial storage of a token. */
export const identity = (asset: Asset.Asset): ReadonlyArray<Word> => {
  const { domain } = Details.of(asset)
  return [
    { slot: slot(3), value: textWord(domain?.name ?? asset.name) },
    { slot: slot(4), value: textWord(asset.symbol) },
    { slot: slot(5), value: textWord(domain?.version ?? "") },
    { slot: slot(6), value: word(BigInt(asset.decimals)) },
  ]
}

export const pausedWord = (value: boolean): Word => ({ slot: slot(7), value: word(BigInt(value)) })

export const transferFee = (basisPoints: bigint, maximum: bigint): ReadonlyArray<Word> => [
  { slot: slot(8), value: word(basisPoints) },
  { slot: slot(9), value: word(maximum) },
]

export const takesGasWord = (value: boolean): Word => ({
  slot: slot(10),
  value: word(BigInt(value)),
})

/** Values from slot 0 on, each in a word of its own. */
export const values = (list: ReadonlyArray<bigint | Caip.Address>): ReadonlyArray<Word> =>
  list.map((value, index) => ({ slot: slot(index), value: word(value) }))

/** A numbered address without a key. */
export const address = (number: number): Caip.Address =>
  Caip.Address.make(`0x${keccak256(stringToHex(`florin/localnet/${number}`)).slice(26)}`)

/** The code of an account that delegates to a contract (EIP-7702). */
export const delegation = (to: Caip.Address): Hex => concatHex(["0xef0100", addressHex(to)])
