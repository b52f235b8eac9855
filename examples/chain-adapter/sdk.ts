/**
 * The functions that a chain's own library provides: keys, addresses, pledges and the bytes of transactions.
 *
 * Pebble is a toy. An account is an Ed25519 key. A payer signs a pledge, and anybody may submit it until it expires.
 * The first transaction that carries a pledge uses it up, whether or not it moves the money. Transactions are free and
 * not numbered; each has a time after which it can no longer be mined.
 *
 * @module
 */
import { ed25519 } from "@noble/curves/ed25519.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"

const keyLength = 64
const checkLength = 8

const checkOf = (key: string): string => bytesToHex(sha256(hexToBytes(key))).slice(0, checkLength)

/** A public key in hex, followed by a checksum of eight letters that detects typing errors. */
export const addressOf = (publicKey: Uint8Array): string => {
  const key = bytesToHex(publicKey)
  return `${key}${checkOf(key)}`
}

export const isAddress = (text: string): boolean =>
  /^[0-9a-f]{72}$/u.test(text) && text.endsWith(checkOf(text.slice(0, keyLength)))

export const sign = (text: string, secretKey: Uint8Array): string =>
  bytesToHex(ed25519.sign(utf8ToBytes(text), secretKey))

export const isSigned = (text: string, signature: string, address: string): boolean =>
  /^[0-9a-f]{128}$/u.test(signature) &&
  ed25519.verify(
    hexToBytes(signature),
    utf8ToBytes(text),
    hexToBytes(address.slice(0, keyLength)),
    { zip215: false },
  )

const Pledge = Schema.TaggedStruct("Pledge", {
  chain: Schema.String,
  payer: Schema.String,
  payee: Schema.String,
  token: Schema.String,
  quantity: Schema.BigIntFromString,
  /** Different for each pledge of a payer, so that a pledge pays only once. */
  nonce: Schema.String,
  /** Unix seconds; from then on no block includes it. */
  endsAt: Schema.Int,
})
export interface Pledge extends Schema.Schema.Type<typeof Pledge> {}

const Signed = Schema.Struct({ text: Schema.String, signature: Schema.String })

const Transaction = Schema.TaggedStruct("Transaction", {
  chain: Schema.String,
  sender: Schema.String,
  /** Any number that the sender chooses. */
  memo: Schema.Int,
  /** Unix seconds; from then on no block includes it. */
  until: Schema.Int,
  call: Schema.TaggedUnion({
    Pay: { token: Schema.String, to: Schema.String, quantity: Schema.BigIntFromString },
    Collect: { pledge: Signed },
    Revoke: { nonce: Schema.String },
  }),
})
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/** Both are signed as text that names its kind, so a signature of one is never valid for the other. */
const PledgeText = Schema.fromJsonString(Pledge)
const TransactionText = Schema.fromJsonString(Transaction)
const SignedText = Schema.fromJsonString(Signed)

/** The text that the payer signs. */
export const pledgeText = Schema.encodeSync(PledgeText)

/** A hash identifies the signed text, not the signature: one text may have several signatures. */
const hashOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** A transaction's bytes as hex, and its hash. */
export const encode = (transaction: Transaction, secretKey: Uint8Array) => {
  const text = Schema.encodeSync(TransactionText)(transaction)
  const signed = { text, signature: sign(text, secretKey) }
  return { raw: bytesToHex(utf8ToBytes(Schema.encodeSync(SignedText)(signed))), hash: hashOf(text) }
}

/** Decodes a transaction and the pledge in it. Throws unless each is signed by the account that it names. */
export const decode = (raw: string) => {
  const { signature, text } = Schema.decodeSync(SignedText)(
    new TextDecoder().decode(hexToBytes(raw)),
  )
  const transaction = Schema.decodeSync(TransactionText)(text)
  const { call, sender } = transaction
  const given = call._tag === "Collect" ? call.pledge : null
  const pledge = given === null ? null : Schema.decodeSync(PledgeText)(given.text)
  const isGenuine =
    isSigned(text, signature, sender) &&
    (given === null || pledge === null || isSigned(given.text, given.signature, pledge.payer))
  if (!isGenuine) throw new Error("the signature is not the account's")
  return { hash: hashOf(text), transaction, pledge }
}
export type Decoded = ReturnType<typeof decode>
