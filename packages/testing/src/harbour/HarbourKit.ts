/**
 * The family of harbours, for the simulated chain and the chain suite.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Money from "@florin/core/domain/ground/Money"
import { ed25519 } from "@noble/curves/ed25519.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import type { SimulatedKit } from "../Kit.ts"
import type * as Call from "../simulated/Call.ts"
import * as Wallet from "../Wallet.ts"
import * as Base32 from "./Base32.ts"
import * as Harbour from "./Harbour.ts"

const refuse = (message: string) => Effect.fail(new Wallet.WalletRefused({ message }))

/** The wallet of an Ed25519 key. */
const walletOf = (key: Uint8Array): Wallet.Payer => {
  const address = Harbour.addressOf(ed25519.getPublicKey(key))
  const wallet: Wallet.Payer = {
    address,
    privateKey: `0x${bytesToHex(key)}`,
    account: (chainId) => ({ chainId: Wallet.chainIdOf(chainId), address }),
    execute: (actions, node) =>
      Effect.forEach(actions, (action) => {
        if (action._tag === "Build") return refuse("fetch a build action before executing it")
        const [from, first = "", data = ""] = action.params
        if (from !== address) return refuse("the step is for another account")
        if (action.method === "harbour_sign") {
          return Effect.succeed(Base32.encode(ed25519.sign(utf8ToBytes(first), key)))
        }
        return node === undefined
          ? refuse("this wallet has no node to send through")
          : node.send(
              { chainId: action.chainId, from: address, to: Caip.Address.make(first), data },
              wallet,
            )
      }),
  }
  return wallet
}

const callPattern = /^(?<what>move|allow) (?<quantity>\d{1,78}) (?<to>[a-z2-7]+)$/u

const callOf = (token: Caip.Address, data: string): Call.Call => {
  const groups = callPattern.exec(data)?.groups
  if (groups === undefined) return { _tag: "Other", data }
  const to = Caip.Address.make(groups["to"] ?? "")
  const quantity = Money.Quantity.make(BigInt(groups["quantity"] ?? "0"))
  return groups["what"] === "move"
    ? { _tag: "Transfer", token, to, quantity }
    : { _tag: "Approve", token, spender: to, quantity }
}

const otherLast = (text: string): string =>
  `${text.slice(0, -2)}${text.at(-2) === "a" ? "b" : "a"}${text.slice(-1)}`

export const kit: SimulatedKit = {
  family: Harbour.family,
  flows: { direct: "pledge", allowed: "standing", sent: "hand" },
  isNumbered: false,
  wallet: (seed) => walletOf(sha256(utf8ToBytes(`harbour/wallet/${seed}`))),
  contract: Harbour.clerk,
  approveResets: () => false,
  executable: Harbour.executable,
  signature: ({ privateKey }, chosen) => Harbour.sign(chosen, hexToBytes(privateKey.slice(2))),
  isSigned: Harbour.isSigned,
  isTextSigned: Harbour.isTextSigned,
  signText: ({ privateKey }, text) => Harbour.signText(text, hexToBytes(privateKey.slice(2))),
  calls: {
    transfer: (to, quantity) => Harbour.callText("move", to, quantity),
    approve: (spender, quantity) => Harbour.callText("allow", spender, quantity),
  },
  callOf,
  hash: (name) => Base32.encode(sha256(utf8ToBytes(`harbour/hash/${name}`))),
  hashOf: (bytes) => Base32.encode(sha256(bytes)),
  spellings: {},
  forgeries: {
    "one bit changed": otherLast,
    "trailing letters": (signature) => `${signature}a`,
    "capital letters": (signature) => signature.toUpperCase(),
    nothing: () => "",
  },
}
