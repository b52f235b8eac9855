/**
 * Accounts with code: honest ones as on real chains, and hostile ones, which succeed in simulations and waste all gas
 * in a block.
 *
 * @module
 */
import { createHash, generateKeyPairSync, sign as signWith } from "node:crypto"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Contracts from "@florin/localnet/Contracts"
import type * as LocalChain from "@florin/localnet/LocalChain"
import type * as Wallet from "@florin/testing/Wallet"
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  stringToHex,
  toHex,
} from "viem/utils"
import { type Hex, hex } from "../src/read/Queries.ts"

/** An account, and what its wallet makes of a digest. */
export interface Account {
  readonly address: Caip.Address
  readonly sign: (digest: Hex) => string
}

const hashOf = (types: string, ...values: ReadonlyArray<unknown>): Hex =>
  keccak256(encodeAbiParameters(parseAbiParameters(types), values))

/** A Safe, and what has it note a digest on the chain, so that an empty signature is its own. */
interface Safe extends Account {
  readonly noting: (digest: Hex) => Hex
}

const signMessage = parseAbi(["function signMessage(bytes32 message)"])

/** A Safe of which two of three owners sign. */
export const safe = Effect.fnUntraced(function* (
  local: LocalChain.LocalChain,
  owners: readonly [Wallet.Wallet, Wallet.Wallet, Wallet.Wallet],
) {
  const code = yield* local.deploy("SafeCode")
  const handler = yield* local.deploy("SafeHandler")
  const address = yield* local.deploy(
    "Safe",
    code,
    handler,
    ...owners.map((owner) => owner.address),
  )
  const domain = hashOf(
    "bytes32, uint256, address",
    keccak256(stringToHex("EIP712Domain(uint256 chainId,address verifyingContract)")),
    BigInt(Eip155.numberOf(local.chainId)),
    address,
  )
  const messageOf = (digest: Hex): Hex => {
    const kind = keccak256(stringToHex("SafeMessage(bytes message)"))
    const message = hashOf("bytes32, bytes32", kind, hashOf("bytes32", digest))
    return keccak256(concatHex(["0x1901", domain, message]))
  }
  const account: Safe = {
    address,
    noting: (digest) => encodeFunctionData({ abi: signMessage, args: [messageOf(digest)] }),
    sign: (digest) => {
      const signed = hexToBytes(messageOf(digest).slice(2))
      const signatures = [owners[0], owners[2]]
        .toSorted((left, right) => (left.address < right.address ? -1 : 1))
        .map((owner) => hex(owner.signDigest(signed)))
      return concatHex(signatures)
    },
  }
  return account
})

const wordOf = (base64url: string | undefined): bigint =>
  BigInt(`0x${Buffer.from(base64url ?? "", "base64url").toString("hex")}`)

/** An account that a passkey owns. */
export const passkey = Effect.fnUntraced(function* (local: LocalChain.LocalChain) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x, y } = publicKey.export({ format: "jwk" })
  const account: Account = {
    address: yield* local.deploy("Passkey", wordOf(x), wordOf(y)),
    sign: (digest) => {
      const authenticator = Buffer.from(`${"49".repeat(32)}0500000001`, "hex")
      const challenge = Buffer.from(digest.slice(2), "hex").toString("base64url")
      const before = `{"type":"webauthn.get","challenge":"`
      const client = Buffer.from(
        `${before}${challenge}","origin":"https://wallet.example","crossOrigin":false}`,
      )
      const message = Buffer.concat([authenticator, createHash("sha256").update(client).digest()])
      const signature = signWith("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" })
      return encodeAbiParameters(parseAbiParameters("bytes, bytes, uint256, bytes32, bytes32"), [
        toHex(authenticator),
        toHex(client),
        BigInt(before.length),
        toHex(signature.subarray(0, 32)),
        toHex(signature.subarray(32)),
      ])
    },
  }
  return account
})

/** A key whose account delegates to a simple contract (EIP-7702). */
export const delegating = Effect.fnUntraced(function* (
  local: LocalChain.LocalChain,
  key: Wallet.Wallet,
) {
  yield* local.setCode(key.address, Contracts.delegation(yield* local.deploy("Delegate")))
  const account: Account = {
    address: key.address,
    sign: (digest) => key.signDigest(hexToBytes(digest.slice(2))),
  }
  return account
})

const magic = "631626ba7e60e01b5f5260205ff3"

/** Takes any signature where a condition holds, and else burns all gas. */
const burningUnless = (condition: string): Hex => {
  const good = (condition.length / 2 + 4).toString(16).padStart(2, "0")
  return hex(`0x${condition}60${good}57fe5b${magic}`)
}

/** The code of accounts that look good to `eth_call` at an even block with an even base fee. */
export const hostile = {
  // GASPRICE, ISZERO
  "gas price": burningUnless("3a15"),
  // BASEFEE, PUSH1 1, AND, ISZERO
  "base fee": burningUnless("4860011615"),
  // NUMBER, PUSH1 1, AND, ISZERO
  "block number": burningUnless("4360011615"),
} as const

/**
 * An account that sends whatever it is called with, as batches of contract wallets do: of each call the token in 20 bytes,
 * and the data of a transfer. It goes through the calldata by 88 bytes, and passes over what fails.
 */
export const batching = {
  code: "0x60005b80361115602b5760448160140160003760006000604460006000853560601c5af1506058016002565b00",
  data: (calls: ReadonlyArray<{ readonly to: Caip.Address; readonly data: string }>): Hex =>
    concatHex(calls.flatMap(({ data, to }) => [hex(to), hex(data)])),
} as const
