/**
 * Other encodings of a signature, valid and invalid.
 *
 * @module
 */
import { hex } from "../src/read/Queries.ts"

const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

const parts = (signature: string) => ({
  r: signature.slice(2, 66),
  s: signature.slice(66, 130),
  v: signature.slice(130),
})

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

interface Spelling {
  readonly name: string
  readonly of: (signature: string) => string
}

/** How some wallets write it, and mean the same. */
export const taken: ReadonlyArray<Spelling> = [
  {
    name: "with v from 0 on",
    of: (signature) => `${signature.slice(0, 130)}${signature.endsWith("1b") ? "00" : "01"}`,
  },
  {
    name: "in 64 bytes (EIP-2098)",
    of: (signature) => {
      const { r, s, v } = parts(signature)
      const top = v === "1c" ? 1n << 255n : 0n
      return hex(`0x${r}${word(BigInt(`0x${s}`) | top)}`)
    },
  },
]

/** The same signature as every curve library reads it, or nearly. */
export const mutated: ReadonlyArray<Spelling> = [
  {
    name: "with a high s",
    of: (signature) => {
      const { r, s, v } = parts(signature)
      return `0x${r}${word(order - BigInt(`0x${s}`))}${v === "1b" ? "1c" : "1b"}`
    },
  },
  {
    name: "with the other v",
    of: (signature) => `${signature.slice(0, 130)}${signature.endsWith("1b") ? "1c" : "1b"}`,
  },
  { name: "with an unknown v", of: (signature) => `${signature.slice(0, 130)}1d` },
  {
    name: "in 64 bytes with the other v",
    of: (signature) => {
      const { r, s, v } = parts(signature)
      const top = v === "1b" ? 1n << 255n : 0n
      return `0x${r}${word(BigInt(`0x${s}`) | top)}`
    },
  },
  {
    name: "with the other v, from 0 on",
    of: (signature) => `${signature.slice(0, 130)}${signature.endsWith("1b") ? "01" : "00"}`,
  },
  {
    name: "with a high s and v from 0 on",
    of: (signature) => {
      const { r, s, v } = parts(signature)
      return `0x${r}${word(order - BigInt(`0x${s}`))}${v === "1b" ? "01" : "00"}`
    },
  },
  { name: "with trailing bytes", of: (signature) => `${signature}${signature.slice(130)}` },
  { name: "with leading bytes", of: (signature) => `0x00${signature.slice(2)}` },
  { name: "of nothing", of: () => `0x${"00".repeat(65)}` },
]
