/**
 * A wallet for tests and demos: it holds one key and executes the actions of an option as a payer's wallet does.
 *
 * @module
 */
import type * as Action from "@florin/core/domain/chain/Action"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Actions from "@florin/core/domain/eip155/Actions"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The wallet was asked for something that a careful wallet refuses. */
export class WalletRefused extends Schema.TaggedError<WalletRefused>()("WalletRefused", {
  message: Schema.String,
}) {}

/** A transaction that the wallet sends itself. */
export interface Call {
  readonly chainId: Caip.ChainId
  readonly from: Caip.Address
  readonly to: Caip.Address
  readonly data: string
}

/** Sends a wallet's own transactions; returns the transaction hash. */
export interface Node {
  readonly send: (call: Call, wallet: Payer) => Effect.Effect<string, WalletRefused>
}

/** A payer's wallet of any family. */
export interface Payer {
  readonly address: Caip.Address
  /** 32 bytes as hex. */
  readonly privateKey: string
  /** Its account on a chain; a number names an EVM chain. */
  readonly account: (chainId: Caip.ChainId | number) => Caip.Account
  /** Executes actions in order and returns the output of each. Without a node it only signs. */
  readonly execute: (
    actions: ReadonlyArray<Action.Action>,
    node?: Node,
  ) => Effect.Effect<ReadonlyArray<string>, WalletRefused>
}

/** A wallet of EVM chains. */
export interface Wallet extends Payer {
  /** Signs a digest of 32 bytes. Returns 65 bytes r, s, v as hex, with v 27 or 28 and a low s. */
  readonly signDigest: (digest: Uint8Array) => string
  readonly signTypedData: (data: Eip712.TypedData) => string
  /** EIP-191, as in `personal_sign`. */
  readonly signMessage: (text: string) => string
  /** Signs one step as a wallet's provider does, so that the wallet is a signer of `@florin/client`. */
  readonly request: (request: Request) => Promise<string>
}

/** A step in the form of a provider request: a transaction is an object, everything else is text. */
export interface Request {
  /** CAIP-2, such as `eip155:8453`. */
  readonly chainId: string
  readonly method: Actions.Method
  readonly params: ReadonlyArray<string | object>
}

/** The address of a public key, as 64 bytes without prefix. */
const addressOf = (publicKey: Uint8Array): Caip.Address =>
  Caip.Address.make(`0x${bytesToHex(keccak_256(publicKey).subarray(12))}`)

/** The 32 bytes that `personal_sign` signs for a message. */
export const messageDigest = (message: Uint8Array): Uint8Array =>
  keccak_256(concatBytes(utf8ToBytes(`\u0019Ethereum Signed Message:\n${message.length}`), message))

const hexPattern = /^0x(?:[0-9a-fA-F]{2})*$/u

/** A signature of 65 bytes r, s, v, or of 64 bytes with v in s (EIP-2098), in the order that noble reads: v first. */
const recoverable = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes.length === 64) {
    const rs = Uint8Array.from(bytes)
    const top = rs[32] ?? 0
    rs[32] = top & 0x7f
    return concatBytes(Uint8Array.of(top >> 7), rs)
  }
  const v = bytes[64]
  if (bytes.length !== 65 || v === undefined) return undefined
  const bit = v >= 27 ? v - 27 : v
  return bit <= 1 ? concatBytes(Uint8Array.of(bit), bytes.subarray(0, 64)) : undefined
}

/** Who signed what, of the wallets in this process: to recover it costs twice as much as to sign. */
let signers = new Map<string, Caip.Address>()
/** Those before them: a world's own signatures must not be forgotten in the middle of it. */
let earlierSigners = signers
/** Far more than one world has. */
const signersMax = 10_000
const signatureKey = (digest: Uint8Array, signature: string) => bytesToHex(digest) + signature

const remember = (digest: Uint8Array, signature: string, signer: Caip.Address): void => {
  if (signers.size >= signersMax) {
    earlierSigners = signers
    signers = new Map()
  }
  signers.set(signatureKey(digest, signature), signer)
}

/**
 * The account that signed a digest; undefined if the signature is invalid. A high s is refused, as tokens do, so that a
 * signature has only one spelling.
 */
export const recover = (digest: Uint8Array, signature: string): Caip.Address | undefined => {
  const key = signatureKey(digest, signature)
  const known = signers.get(key) ?? earlierSigners.get(key)
  if (known !== undefined) return known
  if (!hexPattern.test(signature)) return undefined
  const bytes = recoverable(hexToBytes(signature.slice(2)))
  if (bytes === undefined) return undefined
  const recovered = Result.try(() => {
    const parsed = secp256k1.Signature.fromBytes(bytes, "recovered")
    return parsed.hasHighS() ? undefined : parsed.recoverPublicKey(digest).toBytes(false)
  })
  return Result.isSuccess(recovered) && recovered.success !== undefined
    ? addressOf(recovered.success.subarray(1))
    : undefined
}

const Fields = Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))

const Value: Schema.Codec<Eip712.Value> = Schema.Union([
  Schema.String,
  Schema.Record(
    Schema.String,
    Schema.suspend((): Schema.Codec<Eip712.Value> => Value),
  ),
])

/** Wallets take integers as text and as numbers. */
const ChainId = Schema.Union([
  Schema.Int,
  Schema.FiniteFromString.pipe(Schema.decodeTo(Schema.Int)),
])

const TypedData = Schema.Struct({
  domain: Schema.Struct({
    name: Schema.String,
    version: Schema.optionalKey(Schema.String),
    chainId: Schema.optionalKey(ChainId),
    verifyingContract: Eip155.Address,
    salt: Schema.optionalKey(Schema.String),
  }),
  types: Schema.Record(Schema.String, Fields),
  primaryType: Schema.String,
  message: Schema.Record(Schema.String, Value),
})

const Transaction = Schema.Struct({
  from: Eip155.Address,
  to: Eip155.Address,
  data: Schema.String.check(Schema.isPattern(hexPattern)),
})

const decodeTypedData = Schema.decodeUnknownResult(Schema.fromJsonString(TypedData))
const decodeTransaction = Schema.decodeUnknownResult(Schema.fromJsonString(Transaction))

const refuse = (message: string) => Result.fail(new WalletRefused({ message }))

const sameFields = (
  left: ReadonlyArray<Eip712.Field>,
  right: ReadonlyArray<Eip712.Field>,
): boolean =>
  left.length === right.length &&
  left.every(
    (field, index) => field.name === right[index]?.name && field.type === right[index].type,
  )

/**
 * Reads the JSON of `eth_signTypedData_v4`. A wallet hashes the domain by the given `EIP712Domain` type. If the type
 * does not fit the domain, the wallet would sign something else, so the JSON is refused.
 */
export const parseTypedData = (json: string): Result.Result<Eip712.TypedData, WalletRefused> => {
  const decoded = decodeTypedData(json)
  if (Result.isFailure(decoded)) return refuse("the typed data cannot be read")
  const { EIP712Domain, ...types } = decoded.success.types
  const data: Eip712.TypedData = { ...decoded.success, types }
  if (EIP712Domain === undefined || !sameFields(EIP712Domain, Eip712.domainType(data.domain))) {
    return refuse("the EIP712Domain type does not fit the domain")
  }
  return types[data.primaryType] === undefined
    ? refuse("the primary type is not among the types")
    : Result.succeed(data)
}

/** A chain by its id, or an EVM chain by its number. */
export const chainIdOf = (chain: Caip.ChainId | number): Caip.ChainId =>
  typeof chain === "number" ? Eip155.chainId(chain) : chain

/** The key of a numbered test wallet, the same in every run. */
const numbered = (seed: number): Uint8Array => keccak_256(utf8ToBytes(`florin/wallet/${seed}`))

/** Signs a digest with a key: r, s and v. */
type Sign = (digest: Uint8Array, key: Uint8Array) => Uint8Array

const signOnCurve: Sign = (digest, key) => {
  const signed = secp256k1.sign(digest, key, { prehash: false, format: "recovered" })
  return concatBytes(signed.subarray(1), Uint8Array.of(27 + (signed[0] ?? 0)))
}

/** Has the form of a signature, and is the same for the same digest. */
const signByHash: Sign = (digest, key) => {
  const hash = keccak_256(concatBytes(key, digest))
  // As small as r and s of a signature are.
  hash[0] = 0
  return concatBytes(hash, hash, Uint8Array.of(27))
}

const walletOf = (seed: number | string, sign: Sign): Wallet => {
  const key = typeof seed === "number" ? numbered(seed) : hexToBytes(seed.replace(/^0x/u, ""))
  const address = addressOf(secp256k1.getPublicKey(key, false).subarray(1))

  const signDigest = (digest: Uint8Array): string => {
    const signature = `0x${bytesToHex(sign(digest, key))}`
    remember(digest, signature, address)
    return signature
  }
  const signTypedData = (data: Eip712.TypedData) => signDigest(Eip712.digest(data))
  const isOwn = (text: string | undefined) => text?.toLowerCase() === address

  const respond = (rpc: Action.WalletRpc): Result.Result<string, WalletRefused> => {
    const [first = "", second = ""] = rpc.params
    if (rpc.method === "eth_signTypedData_v4") {
      return isOwn(first)
        ? Result.flatMap(parseTypedData(second), (data) =>
            data.domain.chainId === undefined || Eip155.chainId(data.domain.chainId) === rpc.chainId
              ? Result.succeed(signTypedData(data))
              : refuse("the typed data is for another chain"),
          )
        : refuse("the typed data is for another account")
    }
    if (!isOwn(second)) return refuse("the message is for another account")
    return hexPattern.test(first)
      ? Result.succeed(signDigest(messageDigest(hexToBytes(first.slice(2)))))
      : refuse("the message is not hex")
  }

  const send = (rpc: Action.WalletRpc, node: Node | undefined) => {
    const decoded = decodeTransaction(rpc.params[0])
    if (Result.isFailure(decoded)) {
      return Effect.fail(new WalletRefused({ message: "the transaction cannot be read" }))
    }
    if (!isOwn(decoded.success.from)) {
      return Effect.fail(new WalletRefused({ message: "the transaction is for another account" }))
    }
    return node === undefined
      ? Effect.fail(new WalletRefused({ message: "this wallet has no node to send through" }))
      : node.send({ chainId: rpc.chainId, ...decoded.success }, wallet)
  }

  const wallet: Wallet = {
    address,
    privateKey: `0x${bytesToHex(key)}`,
    account: (chainId) => ({ chainId: chainIdOf(chainId), address }),
    signDigest,
    signTypedData,
    signMessage: (text) => signDigest(messageDigest(utf8ToBytes(text))),
    execute: (actions, node) =>
      Effect.forEach(actions, (action) => {
        if (action._tag === "Build") {
          return Effect.fail(
            new WalletRefused({ message: "fetch a build action before executing it" }),
          )
        }
        return action.method === "eth_sendTransaction"
          ? send(action, node)
          : Effect.fromResult(respond(action))
      }),
    request: ({ chainId, method, params }) =>
      Effect.fromResult(Eip155.parseChain(chainId)).pipe(
        Effect.flatMap((chain) =>
          wallet.execute([
            {
              _tag: "WalletRpc",
              chainId: chain,
              method,
              params: params.map((each) =>
                typeof each === "string" ? each : JSON.stringify(each),
              ),
            },
          ]),
        ),
        Effect.map(([output = ""]) => output),
        Effect.runPromise,
      ),
  }
  return wallet
}

/**
 * @example
 * const payer = Wallet.make(1)
 * const outputs = yield* payer.execute(Action.offered(option), chain.node)
 */
export const make = (seed: number | string): Wallet => walletOf(seed, signOnCurve)

/** A wallet whose signatures only \`recover\` of this process knows, and which cost no arithmetic on the curve. */
export const makeLight = (seed: number): Wallet => walletOf(seed, signByHash)
