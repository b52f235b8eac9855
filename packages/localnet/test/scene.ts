/**
 * A local chain with accounts that sign, and calls from any account.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Address, Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import {
  encodeFunctionData,
  keccak256,
  parseAbi,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
} from "viem/utils"
import * as Contracts from "../src/Contracts.ts"
import * as LocalChain from "../src/LocalChain.ts"

let accounts = 0
/** Nobody has used it before. */
const unusedAccount = () => privateKeyToAccount(keccak256(stringToHex(`account ${accounts++}`)))

export const addressOf = ({ address }: { readonly address: string }): Caip.Address =>
  Caip.Address.make(address.toLowerCase())

export const hexOf = (address: Caip.Address): Address => `0x${address.slice(2)}`

/** ERC-20, and what some tokens have beside it. */
export const token = parseAbi([
  "function name() view returns (string)",
  "function decimals() view returns (uint8)",
  "function version() view returns (string)",
  "function balanceOf(address owner) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
  "function approve(address spender, uint256 value)",
  "function mint(address to, uint256 value)",
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)",
  "function isBlackListed(address account) view returns (bool)",
  "function isFrozen(address account) view returns (bool)",
  "function isBlocked(address account) view returns (bool)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function getDomainSeperator() view returns (bytes32)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function nonces(address owner) view returns (uint256)",
  "function getNonce(address owner) view returns (uint256)",
  "function updateNameAndSymbol(string name, string symbol)",
  "function setBlocked(address account, bool value)",
  "function setPaused(bool value)",
  "function setParams(uint256 rate, uint256 maximum)",
  "function setTakesGas(bool value)",
])

/** EIP-3009 and EIP-2612 as they were first: a signature in three parts. */
export const inParts = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
])

/** The same with a signature in one piece. */
const inBytes = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)",
])

const authorizationFields = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const

export const types = {
  TransferWithAuthorization: authorizationFields,
  ReceiveWithAuthorization: authorizationFields,
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const

export interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

/** Who pays, who is paid, and somebody else. */
const cast = () => {
  const [payer, payee, stranger] = [unusedAccount(), unusedAccount(), unusedAccount()]
  return {
    payer,
    payee,
    stranger,
    /** Of 5 from the payer to the payee, for ever. */
    authorization: (rest: Partial<Authorization> = {}): Authorization => ({
      from: payer.address,
      to: payee.address,
      value: 5n,
      validAfter: 0n,
      validBefore: 2n ** 40n,
      nonce: keccak256("0x01"),
      ...rest,
    }),
  }
}

export const domainOf = (asset: Asset.Asset) => {
  const { domain } = Details.of(asset)
  return {
    name: domain?.name,
    version: domain?.version,
    chainId: domain?.chainId,
    verifyingContract: domain === undefined ? undefined : hexOf(domain.verifyingContract),
    salt: domain?.salt === undefined ? undefined : (`0x${domain.salt.slice(2)}` as const),
  }
}

type Kind = "Transfer" | "Receive"

export const sign = (
  signer: PrivateKeyAccount,
  asset: Asset.Asset,
  kind: Kind,
  message: Authorization,
) =>
  Effect.promise(() =>
    signer.signTypedData({
      domain: domainOf(asset),
      types,
      primaryType: `${kind}WithAuthorization`,
      message,
    }),
  )

const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

/** The same signature in its other spelling: s in the upper half of the curve. */
export const flipped = (signature: Hex): Hex => {
  const s = order - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === "1b" ? "1c" : "1b"
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, "0")}${v}`
}

/** v, r and s of a signature. */
export const parts = (signature: Hex) =>
  [
    Number(`0x${signature.slice(130)}`),
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
  ] as const

/** The call that hands in an authorization. */
export const handIn = (
  kind: Kind,
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  signature: Hex,
  form: "parts" | "bytes" = "bytes",
): Hex => {
  const signed = [from, to, value, validAfter, validBefore, nonce] as const
  const functionName = `${kind === "Transfer" ? "transfer" : "receive"}WithAuthorization` as const
  return form === "bytes"
    ? encodeFunctionData({ abi: inBytes, functionName, args: [...signed, signature] })
    : encodeFunctionData({ abi: inParts, functionName, args: [...signed, ...parts(signature)] })
}

export const signCancel = (
  signer: PrivateKeyAccount,
  asset: Asset.Asset,
  { nonce }: Authorization,
) =>
  Effect.promise(() =>
    signer.signTypedData({
      domain: domainOf(asset),
      types,
      primaryType: "CancelAuthorization",
      message: { authorizer: signer.address, nonce },
    }),
  )

export const cancel = (
  { address }: PrivateKeyAccount,
  nonce: Hex,
  signature: Hex,
  form: "parts" | "bytes" = "bytes",
): Hex => {
  const functionName = "cancelAuthorization"
  return form === "bytes"
    ? encodeFunctionData({ abi: inBytes, functionName, args: [address, nonce, signature] })
    : encodeFunctionData({
        abi: inParts,
        functionName,
        args: [address, nonce, ...parts(signature)],
      })
}

/** The call that allows a spender 7. */
export const permit = Effect.fnUntraced(function* (
  signer: PrivateKeyAccount,
  asset: Asset.Asset,
  terms: { readonly spender: Address; readonly nonce: bigint; readonly deadline: bigint },
  form: "parts" | "bytes",
) {
  const message = { owner: signer.address, value: 7n, ...terms }
  const signature = yield* Effect.promise(() =>
    signer.signTypedData({ domain: domainOf(asset), types, primaryType: "Permit", message }),
  )
  const functionName = "permit"
  const args = [signer.address, terms.spender, 7n, terms.deadline] as const
  return form === "bytes"
    ? encodeFunctionData({ abi: inBytes, functionName, args: [...args, signature] })
    : encodeFunctionData({ abi: inParts, functionName, args: [...args, ...parts(signature)] })
})

export const smartAccount = parseAbi([
  "function setOwner(address newOwner)",
  "function execute(address to, bytes data) returns (bytes)",
])

const delegate = parseAbi(["function setRefusesPlain(bool value)"])

export const refusePlain = (value: boolean): Hex =>
  encodeFunctionData({ abi: delegate, functionName: "setRefusesPlain", args: [value] })

const Receipt = Schema.Struct({
  status: Schema.String,
  blockHash: Schema.String,
  logs: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      topics: Schema.Array(Schema.String),
      data: Schema.String,
    }),
  ),
})
const decodeReceipt = Schema.decodeUnknownEffect(Schema.NullOr(Receipt))
const decodeHex = Schema.decodeUnknownEffect(Contracts.HexText)

const topics = {
  Transfer: toEventSelector("Transfer(address,address,uint256)"),
  AuthorizationUsed: toEventSelector("AuthorizationUsed(address,bytes32)"),
  AuthorizationCanceled: toEventSelector("AuthorizationCanceled(address,bytes32)"),
  AuthorizationAlreadyUsed: toEventSelector("AuthorizationAlreadyUsed(address,bytes32)"),
  Approval: toEventSelector("Approval(address,address,uint256)"),
}

const nameOf = (topic: string | undefined) =>
  Object.entries(topics).find(([, each]) => each === topic)?.[0] ?? "unknown"

const wordAddress = (word = "") => Caip.Address.make(`0x${word.slice(26)}`)

/** What a contract's own error reads as in a refusal. */
export const custom = (error: string) => `custom error ${toFunctionSelector(error)}`

class Chain extends Context.Service<Chain, LocalChain.LocalChain>()(
  "@florin/localnet/test/Chain",
) {}

/** A chain whose blocks come by hand, and on which anybody may send for anybody. */
const chainOf = (chainId: number) =>
  Layer.effect(
    Chain,
    LocalChain.make({ chainId: Eip155.chainId(chainId), blocks: "byHand" }).pipe(
      Effect.tap((chain) => chain.request("anvil_autoImpersonateAccount", [true])),
    ),
  )

/** Tests that share one chain; each begins with accounts of its own. */
export const onChain = (chainId: number) => layer(chainOf(chainId), { excludeTestServices: true })

export const begin = Effect.gen(function* () {
  const chain = yield* Chain
  const assets = Catalog.assetsOf(BuiltIn.catalog, chain.chainId)

  const call = Effect.fnUntraced(function* (from: string, to: string, data: Hex) {
    return yield* decodeHex(yield* chain.request("eth_call", [{ from, to, data }, "latest"]))
  })
  /** Why a call is refused. */
  const refusal = (from: string, to: string, data: Hex) =>
    call(from, to, data).pipe(
      Effect.flip,
      Effect.map(({ message }) =>
        message
          .replace(/^eth_call: execution reverted(?:: )?/u, "")
          // Its values are printed as text where they can be.
          .replace(/^(custom error 0x[0-9a-f]{8}).*$/su, "$1"),
      ),
    )
  const submit = Effect.fnUntraced(function* (from: string, to: string, data: Hex) {
    yield* chain.fundGas(Caip.Address.make(from.toLowerCase()), 10n ** 18n)
    const transaction = { from, to, data, gas: "0x4c4b40" }
    return yield* decodeHex(yield* chain.request("eth_sendTransaction", [transaction]))
  })
  const receipt = Effect.fnUntraced(function* (hash: Hex) {
    return yield* decodeReceipt(yield* chain.request("eth_getTransactionReceipt", [hash]))
  })
  /** Sends a transaction and mines it: whether it came through, and what it left. */
  const send = Effect.fnUntraced(function* (from: string, to: string, data: Hex) {
    const hash = yield* submit(from, to, data)
    yield* chain.mine(1)
    const mined = yield* receipt(hash)
    const logs = mined?.logs ?? []
    return {
      succeeded: mined?.status === "0x1",
      events: logs.map((log) => nameOf(log.topics[0])),
      transfers: logs.flatMap((log) =>
        log.topics[0] === topics.Transfer
          ? [
              {
                from: wordAddress(log.topics[1]),
                to: wordAddress(log.topics[2]),
                value: BigInt(log.data),
              },
            ]
          : [],
      ),
    }
  })

  return { ...cast(), chain, assets, call, refusal, submit, receipt, send }
})

/** As `begin`, with a payer who holds 100 of one token. */
export const withAsset = Effect.fnUntraced(function* (symbol: string) {
  const scene = yield* begin
  const { payer, payee, stranger, chain } = scene
  const asset = yield* Effect.fromNullishOr(scene.assets.find((each) => each.symbol === symbol))
  const at = asset.token.address
  yield* chain.fund(at, addressOf(payer), 100n)
  const reads = (data: Hex) => scene.call(stranger.address, at, data)
  return {
    ...scene,
    asset,
    at,
    reads,
    balance: (owner: PrivateKeyAccount) =>
      Effect.map(
        reads(encodeFunctionData({ abi: token, functionName: "balanceOf", args: [owner.address] })),
        BigInt,
      ),
    sends: (from: PrivateKeyAccount, data: Hex) => scene.send(from.address, at, data),
    refuses: (from: PrivateKeyAccount, data: Hex) => scene.refusal(from.address, at, data),
    transfer: (value: bigint, to: Address = payee.address) =>
      encodeFunctionData({ abi: token, functionName: "transfer", args: [to, value] }),
    approve: (value: bigint) =>
      encodeFunctionData({ abi: token, functionName: "approve", args: [stranger.address, value] }),
    transferFrom: (value: bigint) =>
      encodeFunctionData({
        abi: token,
        functionName: "transferFrom",
        args: [payer.address, payee.address, value],
      }),
    allowance: Effect.map(
      reads(
        encodeFunctionData({
          abi: token,
          functionName: "allowance",
          args: [payer.address, stranger.address],
        }),
      ),
      BigInt,
    ),
    isUsed: (nonce: Hex) =>
      Effect.map(
        reads(
          encodeFunctionData({
            abi: token,
            functionName: "authorizationState",
            args: [payer.address, nonce],
          }),
        ),
        (answer) => BigInt(answer) === 1n,
      ),
    isBlocked: (functionName: "isBlacklisted" | "isBlackListed" | "isFrozen" | "isBlocked") =>
      Effect.map(
        reads(encodeFunctionData({ abi: token, functionName, args: [payer.address] })),
        (answer) => BigInt(answer) === 1n,
      ),
  }
})
