/**
 * Payers that use other software: the service's code and the contracts verify what they sign.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Wallet from "@florin/testing/Wallet"
import * as SigUtil from "@metamask/eth-sig-util"
import * as Schema from "effect/Schema"
import * as Ethers from "ethers"
import { privateKeyToAccount } from "viem/accounts"
import { hex } from "../src/read/Queries.ts"
import type { Signer } from "./service.ts"

const TypedData = Schema.fromJsonString(
  Schema.Struct({
    domain: Schema.Record(Schema.String, Schema.String),
    types: Schema.Record(
      Schema.String,
      Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
    ),
    primaryType: Schema.String,
    message: Schema.Record(Schema.String, Schema.Any),
  }),
)
const readTypedData = Schema.decodeUnknownSync(TypedData)

const mutable = (types: (typeof TypedData.Type)["types"]) =>
  Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]))

/** Signs with viem, as most web wallets do. */
export const viem = (seed: number): Signer => {
  const account = privateKeyToAccount(hex(Wallet.make(seed).privateKey))
  return {
    address: account.address,
    signTypedData: (json) => {
      const { domain, message, primaryType, types } = readTypedData(json)
      return account.signTypedData({ domain, types: mutable(types), primaryType, message })
    },
    signMessage: (message) => account.signMessage({ message: { raw: hex(message) } }),
    signTransaction: (transaction) => account.signTransaction(transaction),
  }
}

/** Signs with ethers, which leaves the domain's type to itself. */
export const ethers = (seed: number): Signer => {
  const wallet = new Ethers.Wallet(Wallet.make(seed).privateKey)
  return {
    address: wallet.address,
    signTypedData: (json) => {
      const { domain, message, types } = readTypedData(json)
      const { EIP712Domain: _, ...others } = mutable(types)
      return wallet.signTypedData(domain, others, message)
    },
    signMessage: (message) => wallet.signMessage(Ethers.getBytes(message)),
    signTransaction: ({ gas, ...transaction }) =>
      wallet.signTransaction({ ...transaction, type: 2, gasLimit: gas }),
  }
}

/** Signs typed data with what MetaMask signs with; transactions with viem. */
export const metaMask = (seed: number): Signer => {
  const privateKey = Buffer.from(Wallet.make(seed).privateKey.slice(2), "hex")
  return {
    ...viem(seed),
    signTypedData: async (json) => {
      const { domain, message, primaryType, types } = readTypedData(json)
      const data: SigUtil.TypedMessage<SigUtil.MessageTypes> = {
        domain,
        message,
        primaryType,
        types: { EIP712Domain: [], ...mutable(types) },
      }
      const version = SigUtil.SignTypedDataVersion.V4
      return SigUtil.signTypedData({ privateKey, data, version })
    },
    signMessage: async (data) => SigUtil.personalSign({ privateKey, data }),
  }
}
