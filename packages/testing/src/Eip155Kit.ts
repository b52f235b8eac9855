/**
 * EVM chains, for the simulated chain and the chain suite.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Money from "@florin/core/domain/ground/Money"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Fixtures from "./Fixtures.ts"
import type { SimulatedKit } from "./Kit.ts"
import type * as Call from "./simulated/Call.ts"
import * as Wallet from "./Wallet.ts"

const callPattern =
  /^0x(?<selector>[0-9a-f]{8})0{24}(?<address>[0-9a-f]{40})(?<quantity>[0-9a-f]{64})/u

const callOf = (token: Caip.Address, data: string): Call.Call => {
  const groups = callPattern.exec(data.toLowerCase())?.groups
  const address = Caip.Address.make(`0x${groups?.["address"] ?? "0".repeat(40)}`)
  const quantity = Money.Quantity.make(BigInt(`0x${groups?.["quantity"] ?? "0"}`))
  switch (groups?.["selector"]) {
    case "a9059cbb":
      return { _tag: "Transfer", token, to: address, quantity }
    case "095ea7b3":
      return { _tag: "Approve", token, spender: address, quantity }
    default:
      return { _tag: "Other", data }
  }
}

/** The same signature with the other, high s, which tokens refuse. */
const flipped = (signature: string): string => {
  const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === "1b" ? "1c" : "1b"
  return `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${v}`
}

export const kit: SimulatedKit = {
  family: Eip155.family,
  flows: { direct: "eip3009", allowed: "permit2", sent: "transfer", permitted: "permit" },
  isNumbered: true,
  wallet: Wallet.make,
  contract: Eip155.permit2Address,
  approveResets: (asset) => Details.of(asset).approveResets === true,
  executable: Actions.executable,
  signature: ({ privateKey }, chosen) => {
    const wallet = Wallet.make(privateKey)
    const data = Actions.typedData(chosen)
    return data === undefined
      ? wallet.signMessage(Actions.statement(chosen))
      : wallet.signTypedData(data)
  },
  isSigned: (chosen, signature) => {
    const data = Actions.typedData(chosen)
    const digest =
      data === undefined
        ? Wallet.messageDigest(utf8ToBytes(Actions.statement(chosen)))
        : Eip712.digest(data)
    return Wallet.recover(digest, signature) === chosen.option.account.address
  },
  isTextSigned: (address, text, signature) =>
    Wallet.recover(Wallet.messageDigest(utf8ToBytes(text)), signature) === address,
  signText: ({ privateKey }, text) => Wallet.make(privateKey).signMessage(text),
  calls: { transfer: Actions.transferData, approve: Actions.approveData },
  callOf,
  hash: Fixtures.hash,
  hashOf: (bytes) => `0x${bytesToHex(keccak_256(bytes))}`,
  spellings: {
    "with v from 0 on": (signature) =>
      `${signature.slice(0, 130)}${signature.endsWith("1b") ? "00" : "01"}`,
    "in 64 bytes": (signature) => {
      const top = signature.endsWith("1b") ? 0n : 1n << 255n
      const s = BigInt(`0x${signature.slice(66, 130)}`) | top
      return `${signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}`
    },
  },
  forgeries: {
    "a high s": flipped,
    "trailing bytes": (signature) => `${signature}00`,
    "an unknown v": (signature) => `${signature.slice(0, 130)}1d`,
    nothing: () => `0x${"00".repeat(65)}`,
  },
}
