/**
 * EIP-712 typed data: building, hashing, and the JSON that a wallet is asked to sign.
 *
 * @module
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Packing from "../chain/Packing.ts"
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

/** The fields of a type in the words of its standard, such as `address from, uint256 value`. */
export const fieldsOf = (text: string): ReadonlyArray<Field> =>
  text.split(", ").map((each) => {
    const [type = "", name = ""] = each.split(" ")
    return { name, type }
  })

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

const hashStruct = (
  types: TypedData["types"],
  name: string,
  message: { readonly [name: string]: Value },
): Uint8Array => {
  const words = new Packing.Writer().bytes(typeHashes(types).get(name) ?? hashType(types, name))
  for (const field of types[name] ?? []) {
    const value = message[field.name]
    if (types[field.type] !== undefined) {
      words.bytes(hashStruct(types, field.type, typeof value === "object" ? value : {}))
    } else if (field.type === "string") {
      words.bytes(keccak_256(utf8ToBytes(text(value))))
    } else {
      const isHex = field.type === "address" || field.type === "bytes32"
      const digits = isHex ? text(value).slice(2) : BigInt(text(value)).toString(16)
      words.hex(digits.padStart(64, "0"))
    }
  }
  return keccak_256(words.written())
}

const hashDomain = Remembered.memoize((domain: Domain) =>
  hashStruct({ EIP712Domain: domainType(domain) }, "EIP712Domain", {
    name: domain.name,
    verifyingContract: domain.verifyingContract,
    ...(domain.version !== undefined && { version: domain.version }),
    ...(domain.chainId !== undefined && { chainId: domain.chainId.toString() }),
    ...(domain.salt !== undefined && { salt: domain.salt }),
  }),
)

/** The value that a token's `DOMAIN_SEPARATOR()` returns for this domain. */
export const separator = (domain: Domain): string => `0x${bytesToHex(hashDomain(domain))}`

/** The 32 bytes that the payer's key signs. */
export const digest = (data: TypedData): Uint8Array =>
  keccak_256(
    new Packing.Writer()
      .number(0x1901, 2)
      .bytes(hashDomain(data.domain))
      .bytes(hashStruct(data.types, data.primaryType, data.message))
      .written(),
  )

const domainJson = Remembered.memoize((domain: Domain) =>
  JSON.stringify({ ...domain, chainId: domain.chainId?.toString() }),
)
const domainTypeJson = Remembered.memoize((domain: Domain) => JSON.stringify(domainType(domain)))
const typesJson = Remembered.memoize((types: TypedData["types"]) => JSON.stringify(types).slice(1))

/**
 * The JSON for a wallet: it always lists `EIP712Domain`, which some wallets treat as empty if it is missing, and writes
 * every integer as text. Only the message differs from one option of a token to the next.
 */
export const toJson = ({ domain, message, primaryType, types }: TypedData): string =>
  `{"domain":${domainJson(domain)},"types":{"EIP712Domain":${domainTypeJson(domain)},${typesJson(types)},"primaryType":${JSON.stringify(primaryType)},"message":${JSON.stringify(message)}}`
