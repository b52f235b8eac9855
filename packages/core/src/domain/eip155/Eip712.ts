/**
 * EIP-712 typed data: building, hashing, and the JSON that a wallet is asked to sign.
 *
 * @module
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Remembered from "../ground/Remembered.ts"

/** The fields a token may sign with; their order and presence decide the separator. */
export interface Domain extends Schema.Schema.Type<typeof Domain> {}
export const Domain = Schema.Struct({
  name: Schema.String,
  version: Schema.optionalKey(Schema.String),
  /** The chain id as a number. */
  chainId: Schema.optionalKey(Schema.Int),
  verifyingContract: Caip.Address,
  /** 32 bytes as hex: Polygon's USDT holds the chain id here. */
  salt: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/u))),
})

export interface Field {
  readonly name: string
  readonly type: string
}

/** Integers are decimal strings, so that a wallet's JSON parser cannot round them. */
export type Value = string | { readonly [name: string]: Value }

export interface TypedData {
  readonly domain: Domain
  readonly types: { readonly [type: string]: ReadonlyArray<Field> }
  readonly primaryType: string
  readonly message: { readonly [name: string]: Value }
}

const domainFields: ReadonlyArray<Field & { readonly name: keyof Domain }> = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
]

/** The `EIP712Domain` type that belongs to a domain: only the fields it has, in the order of the standard. */
export const domainType = (domain: Domain): ReadonlyArray<Field> =>
  domainFields.filter((field) => domain[field.name] !== undefined)

const encodedType = (types: TypedData["types"], name: string): string => {
  const seen = new Set<string>()
  const visit = (type: string): void => {
    const fields = types[type]
    if (fields === undefined || seen.has(type)) return
    seen.add(type)
    for (const field of fields) visit(field.type)
  }
  visit(name)
  seen.delete(name)
  return [name, ...[...seen].toSorted()]
    .map(
      (type) =>
        `${type}(${(types[type] ?? []).map((field) => `${field.type} ${field.name}`).join(",")})`,
    )
    .join("")
}

const hashType = (types: TypedData["types"], name: string): Uint8Array =>
  keccak_256(utf8ToBytes(encodedType(types, name)))

/** The types and domains of tokens never change and are signed with repeatedly: hashing them is most of the work. */
const typeHashes = Remembered.memoize(
  (types: TypedData["types"]): ReadonlyMap<string, Uint8Array> =>
    new Map(Object.keys(types).map((name) => [name, hashType(types, name)])),
)

const text = (value: Value | undefined): string => (typeof value === "string" ? value : "")

const word = (value: bigint): Uint8Array => hexToBytes(value.toString(16).padStart(64, "0"))

const encodeField = (
  types: TypedData["types"],
  type: string,
  value: Value | undefined,
): Uint8Array => {
  if (types[type] !== undefined) {
    return hashStruct(types, type, typeof value === "object" ? value : {})
  }
  switch (type) {
    case "string":
      return keccak_256(utf8ToBytes(text(value)))
    case "address":
    case "bytes32":
      return hexToBytes(text(value).slice(2).padStart(64, "0"))
    default:
      return word(BigInt(text(value)))
  }
}

const hashStruct = (
  types: TypedData["types"],
  name: string,
  message: { readonly [name: string]: Value },
): Uint8Array =>
  keccak_256(
    concatBytes(
      typeHashes(types).get(name) ?? hashType(types, name),
      ...(types[name] ?? []).map((field) => encodeField(types, field.type, message[field.name])),
    ),
  )

const hashDomain = Remembered.memoize((domain: Domain) =>
  hashStruct({ EIP712Domain: domainType(domain) }, "EIP712Domain", {
    name: domain.name,
    verifyingContract: domain.verifyingContract,
    ...(domain.version !== undefined && { version: domain.version }),
    ...(domain.chainId !== undefined && { chainId: domain.chainId.toString() }),
    ...(domain.salt !== undefined && { salt: domain.salt }),
  }),
)

/** The hash of a type's own description, which contracts hold as a constant. */
export const typeHash = (types: TypedData["types"], name: string): string =>
  `0x${bytesToHex(hashType(types, name))}`

/** The value that a token's `DOMAIN_SEPARATOR()` returns for this domain. */
export const separator = (domain: Domain): string => `0x${bytesToHex(hashDomain(domain))}`

/** The 32 bytes that the payer's key signs. */
export const digest = (data: TypedData): Uint8Array =>
  keccak_256(
    concatBytes(
      Uint8Array.of(0x19, 0x01),
      hashDomain(data.domain),
      hashStruct(data.types, data.primaryType, data.message),
    ),
  )

/**
 * The JSON for a wallet: it always lists `EIP712Domain`, which some wallets treat as empty if it is missing, and writes
 * every integer as text.
 */
export const toJson = (data: TypedData): string =>
  JSON.stringify({
    domain: { ...data.domain, chainId: data.domain.chainId?.toString() },
    types: { EIP712Domain: domainType(data.domain), ...data.types },
    primaryType: data.primaryType,
    message: data.message,
  })
