// oxlint-disable-next-line typescript/triple-slash-reference -- The addon has no types of its own.
/// <reference path="../src/token/Secp256k1.d.ts" />
/**
 * The same calls as a good engineer writes them by hand, without any of our code, as a process of its own. The argument
 * names how:
 *
 * - `fastify`: Fastify 5 with its router, validators and compiled serializers; viem checks addresses and signatures.
 * - `raw`: bare `node:http`, with the least work that gives the same response. Its confirm only parses, hashes by hand
 *   and recovers the key: this is a limit, not a service.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import process from "node:process"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { fastify, type FastifyReply, type FastifyRequest } from "fastify"
import secp256k1 from "secp256k1/bindings.js"
import {
  encodeFunctionData,
  hashTypedData,
  hexToBytes,
  isAddress,
  keccak256,
  parseAbi,
  stringToBytes,
  verifyTypedData,
} from "viem/utils"
import * as Child from "./child.ts"
import * as Shop from "./shop.ts"

type Hex = `0x${string}`

/** Refuses a request. */
class Refused extends Error {
  readonly statusCode: number
  readonly code: string
  constructor(statusCode: number, code: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.code = code
  }
}

const display = {
  assetName: "USD Coin",
  assetSymbol: "USDC",
  decimals: 6,
  iconUrl: `${Shop.publicUrl}/icons/usdc.svg`,
  networkName: "Base",
  networkIconUrl: `${Shop.publicUrl}/icons/base.svg`,
}

const domain = {
  name: "USD Coin",
  version: "2",
  chainId: 8453,
  verifyingContract: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
} as const
const chainId = `eip155:${domain.chainId}`
const payTo: Hex = `0x${"2d".repeat(20)}`

const EIP712Domain = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const
const ReceiveWithAuthorization = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const
const primaryType = "ReceiveWithAuthorization"

interface Payment {
  readonly id: string
  readonly partnerId: string
  readonly amount: bigint
  readonly expiresAt: number
  status: "requires_action" | "processing" | "cancelled"
  attempt: { readonly fingerprint: string; readonly signature: string } | null
}

const payments = new Map<string, Payment>()
const events: Array<string> = []
const spent = new Set<string>()
const sealKey = randomBytes(32)
const key = `sk_test_${randomBytes(24).toString("hex")}`
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")
const partners = new Map([[hashOf(key), { partnerId: "prtn_1", pin: "2026-02-18" }]])
const versions = new Set(["2026-02-18", "2026-02-19.preview"])
/** Every account holds this much. */
const balanceOf = new Map<string, bigint>()
const unseenBalance = 1_000_000n

// @effect-diagnostics-next-line globalDate:off -- no Effect runtime here.
const nowInS = (): number => Math.floor(Date.now() / 1000)
const create = (): Payment => {
  const payment: Payment = {
    id: `pay_${randomBytes(12).toString("hex")}`,
    partnerId: "prtn_1",
    amount: BigInt(Shop.price),
    expiresAt: nowInS() + Shop.lifeInS,
    status: "requires_action",
    attempt: null,
  }
  payments.set(payment.id, payment)
  return payment
}

/** The version of a caller, and its payment. */
const admit = (headers: IncomingMessage["headers"], id: string) => {
  const partner = partners.get(hashOf(String(headers["api-key"] ?? "")))
  if (partner === undefined) throw new Refused(401, "invalid_api_key", "the key is not valid")
  const version = String(headers["svc-version"] ?? partner.pin)
  if (!versions.has(version)) throw new Refused(400, "unknown_version", "no such version")
  const payment = payments.get(id)
  if (payment === undefined || payment.partnerId !== partner.partnerId) {
    throw new Refused(404, "payment_not_found", "there is no such payment")
  }
  if (payment.status === "requires_action" && nowInS() >= payment.expiresAt) {
    throw new Refused(410, "payment_expired", "the payment has expired")
  }
  return { payment, version }
}

interface Option {
  readonly paymentId: string
  readonly account: Hex
  readonly quantity: string
  readonly issuedAt: number
  readonly expiresAt: number
}

const nonceOf = ({ account, expiresAt, issuedAt, paymentId, quantity }: Option): Hex =>
  keccak256(
    stringToBytes(
      [
        "shop/authorization/1",
        paymentId,
        chainId,
        account,
        domain.verifyingContract,
        payTo,
        quantity,
        issuedAt,
        expiresAt,
      ].join("\n"),
    ),
  )

const tagOf = (payload: Buffer): Buffer =>
  createHmac("sha256", sealKey).update("shop/option/1\n").update(payload).digest().subarray(0, 16)

const idOf = ({ account, expiresAt, issuedAt, paymentId, quantity }: Option): string => {
  const payload = Buffer.from(JSON.stringify([paymentId, account, quantity, issuedAt, expiresAt]))
  return Buffer.concat([tagOf(payload), payload]).toString("base64url")
}

const readOption = (optionId: string, paymentId: string): Option => {
  const bytes = Buffer.from(optionId, "base64url")
  const payload = bytes.subarray(16)
  if (bytes.length < 17 || !timingSafeEqual(tagOf(payload), bytes.subarray(0, 16))) {
    throw new Refused(404, "option_not_found", "there is no such option")
  }
  const [of, account, quantity, issuedAt, expiresAt] = JSON.parse(payload.toString())
  if (of !== paymentId) throw new Refused(404, "option_not_found", "there is no such option")
  return { paymentId, account, quantity, issuedAt, expiresAt }
}

const messageOf = (option: Option) => ({
  from: option.account,
  to: payTo,
  value: option.quantity,
  validAfter: "0",
  validBefore: String(option.expiresAt + 300),
  nonce: nonceOf(option),
})

const accountPattern = /^eip155:(\d{1,12}):(0x[0-9a-fA-F]{40})$/u

const optionsOf = (payment: Payment, accounts: ReadonlyArray<string>) => {
  const issuedAt = nowInS()
  const expiresAt = Math.min(payment.expiresAt, issuedAt + 300)
  const payers = new Map<Hex, string>()
  for (const text of accounts) {
    const [, chain, address = ""] = accountPattern.exec(text) ?? []
    const isMixed = /[a-f]/u.test(address) && /[A-F]/u.test(address)
    if (chain === undefined || (isMixed && !isAddress(address))) {
      throw new Refused(400, "invalid_params", "an account is not valid")
    }
    const account: Hex = `0x${address.slice(2).toLowerCase()}`
    if (Number(chain) !== domain.chainId) continue
    if ((balanceOf.get(account) ?? unseenBalance) >= payment.amount) payers.set(account, text)
  }
  const quantity = String(payment.amount)
  const unit = `caip19/${chainId}/erc20:${Shop.usdc}`
  const options = [...payers.keys()].toSorted().map((account) => {
    const option = { paymentId: payment.id, account, quantity, issuedAt, expiresAt }
    const typed = JSON.stringify({
      domain: { ...domain, chainId: String(domain.chainId) },
      types: { EIP712Domain, ReceiveWithAuthorization },
      primaryType,
      message: messageOf(option),
    })
    const data = { chain_id: chainId, method: "eth_signTypedData_v4", params: [account, typed] }
    return {
      id: idOf(option),
      account: payers.get(account),
      actions: [{ type: "walletRpc", data }],
      amount: { unit, value: quantity, display },
      collectData: null,
      etaS: 30,
      expiresAt,
    }
  })
  return { options }
}

const statusOf = ({ status }: Payment) =>
  status === "cancelled"
    ? { status, isFinal: true, info: null }
    : { status, isFinal: false, pollInMs: 1000, info: null }

const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function authorizationState(address, bytes32) view returns (bool)",
  "function receiveWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)",
])
const unused = `0x${"0".repeat(64)}`
const plenty = `0x${"f".repeat(16).padStart(64, "0")}`

/** A node that responds in the process. */
const ask = async (method: string, data: Hex = "0x"): Promise<string> => {
  if (method === "eth_call") return data.startsWith("0xe94a0102") ? unused : plenty
  return method === "eth_blockNumber" ? "0x1" : "0x"
}

/** Asks the node for all that the token will check. */
const requireFunds = async (option: Option, signature: Hex): Promise<void> => {
  const { nonce, validBefore } = messageOf(option)
  const value = BigInt(option.quantity)
  const [code, balance, state, refusal] = await Promise.all([
    ask("eth_getCode"),
    ask("eth_call", encodeFunctionData({ abi, functionName: "balanceOf", args: [option.account] })),
    ask(
      "eth_call",
      encodeFunctionData({
        abi,
        functionName: "authorizationState",
        args: [option.account, nonce],
      }),
    ),
    ask(
      "eth_call",
      encodeFunctionData({
        abi,
        functionName: "receiveWithAuthorization",
        args: [option.account, payTo, value, 0n, BigInt(validBefore), nonce, signature],
      }),
    ),
    ask("eth_blockNumber"),
  ])
  if (code !== "0x" || BigInt(state) !== 0n || BigInt(balance) < value || refusal === "0x") {
    throw new Refused(400, "invalid_signature", "the authorization cannot be used")
  }
}

interface Confirm {
  readonly optionId: string
  readonly results: ReadonlyArray<{ readonly data: ReadonlyArray<string> }>
}

const signaturePattern = /^0x[0-9a-f]{130}$/u

/** Checks a confirm, and accepts it once. */
const confirm = async (
  payment: Payment,
  { optionId, results }: Confirm,
  verify: (option: Option, signature: Hex) => Promise<boolean> | boolean,
  isWhole: boolean,
) => {
  const given = results[0]?.data[0]?.toLowerCase() ?? ""
  if (results.length !== 1 || !signaturePattern.test(given)) {
    throw new Refused(400, "invalid_params", "one signature is needed")
  }
  const fingerprint = hashOf(`${optionId}\n${given}`)
  if (payment.attempt?.fingerprint === fingerprint) return statusOf(payment)
  if (payment.status !== "requires_action") throw new Refused(409, "conflict", "paid already")
  const option = readOption(optionId, payment.id)
  if (nowInS() >= option.expiresAt) throw new Refused(409, "option_expired", "it has expired")
  const signature: Hex = `0x${given.slice(2)}`
  if (!(await verify(option, signature))) {
    throw new Refused(400, "invalid_signature", "the signature is not by the option's account")
  }
  if (isWhole) {
    await requireFunds(option, signature)
    const claim = nonceOf(option)
    if (spent.has(claim)) throw new Refused(409, "conflict", "used for another payment")
    spent.add(claim)
    events.push(JSON.stringify({ type: "payment.processing", paymentId: payment.id, option }))
  }
  payment.attempt = { fingerprint, signature }
  payment.status = "processing"
  return statusOf(payment)
}

const verifyByViem = (option: Option, signature: Hex): Promise<boolean> => {
  const message = messageOf(option)
  return verifyTypedData({
    address: option.account,
    signature,
    domain,
    types: { ReceiveWithAuthorization },
    primaryType,
    message: {
      ...message,
      value: BigInt(message.value),
      validAfter: 0n,
      validBefore: BigInt(message.validBefore),
    },
  })
}

const typeHash = keccak_256(
  stringToBytes(
    `${primaryType}(${ReceiveWithAuthorization.map(({ name, type }) => `${type} ${name}`).join(",")})`,
  ),
)
const word = (hex: string): string => hex.padStart(64, "0")
const domainHash = Buffer.from(
  keccak_256(
    hexToBytes(
      `0x${[
        keccak256(
          stringToBytes(
            `EIP712Domain(${EIP712Domain.map(({ name, type }) => `${type} ${name}`).join(",")})`,
          ),
        ).slice(2),
        keccak256(stringToBytes(domain.name)).slice(2),
        keccak256(stringToBytes(domain.version)).slice(2),
        word(domain.chainId.toString(16)),
        word(domain.verifyingContract.slice(2)),
      ].join("")}`,
    ),
  ),
)

/** The digest of the one type that is ever signed, in one buffer. */
const digestOf = (option: Option): Uint8Array => {
  const { from, nonce, to, validBefore, value } = messageOf(option)
  const struct = Buffer.from(
    `${Buffer.from(typeHash).toString("hex")}${[
      from.slice(2),
      to.slice(2),
      BigInt(value).toString(16),
      "0",
      Number(validBefore).toString(16),
      nonce.slice(2),
    ]
      .map(word)
      .join("")}`,
    "hex",
  )
  return keccak_256(Buffer.concat([Buffer.of(0x19, 0x01), domainHash, keccak_256(struct)]))
}

const recovers = (option: Option, signature: Hex): boolean => {
  const bytes = Buffer.from(signature.slice(2), "hex")
  const point = secp256k1.ecdsaRecover(
    bytes.subarray(0, 64),
    bytes[64] === 27 ? 0 : 1,
    digestOf(option),
    false,
  )
  const address = Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString("hex")
  return `0x${address}` === option.account
}

/** Polls that wait for a payment, by its id. */
const parked = new Map<string, Set<() => void>>()
const wake = (id: string): void => {
  for (const respond of parked.get(id) ?? []) respond()
}
const park = (payment: Payment, maxPollMs: number, respond: () => void): void => {
  const here = parked.get(payment.id) ?? new Set()
  parked.set(payment.id, here)
  const done = () => {
    clearTimeout(timer)
    here.delete(done)
    respond()
  }
  const timer = setTimeout(done, maxPollMs)
  here.add(done)
}

const prefix = `req_${randomBytes(9).toString("base64url")}`
let count = 0
const headersOf = (version: string) => {
  count += 1
  return {
    "request-id": `${prefix}${count.toString(36)}`,
    "svc-version": version,
    "content-type": "application/json",
    "cache-control": "no-store",
    vary: "Api-Key, App-Id, Client-Id, Cookie, Page-Token, Passkey-Response, X-Api-Key",
  }
}

const text = { type: "string" } as const
const integer = { type: "integer" } as const
const object = (properties: Readonly<Record<string, object>>, required = Object.keys(properties)) =>
  ({ type: "object", required, properties }) as const
const list = (items: object) => ({ type: "array", items }) as const

const amount = object({
  unit: text,
  value: text,
  display: object({
    assetName: text,
    assetSymbol: text,
    decimals: integer,
    iconUrl: text,
    networkName: text,
    networkIconUrl: text,
  }),
})
const statusResponse = object(
  {
    status: text,
    isFinal: { type: "boolean" },
    pollInMs: integer,
    info: { ...object({ optionAmount: amount, txId: text }), nullable: true },
  },
  ["status", "isFinal", "info"],
)
const rpc = object({ chain_id: text, method: text, params: list(text) })
const optionsResponse = object({
  options: list(
    object({
      id: text,
      account: text,
      actions: list(object({ type: text, data: rpc })),
      amount,
      collectData: { type: "object", nullable: true, additionalProperties: true },
      etaS: integer,
      expiresAt: integer,
    }),
  ),
})
const params = object({ id: { type: "string", pattern: "^pay_[0-9A-Za-z]{1,64}$" } })
const querystring = object({ maxPollMs: { type: "integer", minimum: 0, default: 0 } }, [])

interface Params {
  readonly id: string
}

const listenFastify = async (): Promise<number> => {
  const app = fastify({ bodyLimit: 256 * 1024 })
  const enter = (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => {
    const { payment, version } = admit(request.headers, request.params.id)
    reply.headers(headersOf(version))
    return payment
  }
  app.get<{ Params: Params }>(
    "/v1/gateway/payment/:id/status",
    { schema: { params, querystring, response: { 200: statusResponse } } },
    async (request, reply) => statusOf(enter(request, reply)),
  )
  app.post<{ Params: Params; Body: { readonly accounts: ReadonlyArray<string> } }>(
    "/v1/gateway/payment/:id/options",
    {
      schema: {
        params,
        querystring: object({ includePaymentInfo: { type: "boolean", default: false } }, []),
        body: object({ accounts: { ...list(text), maxItems: 1000 } }),
        response: { 200: optionsResponse },
      },
    },
    async (request, reply) => optionsOf(enter(request, reply), request.body.accounts),
  )
  const result = object({
    type: { type: "string", const: "walletRpc" },
    data: list(text),
  })
  app.post<{ Params: Params; Body: Confirm }>(
    "/v1/gateway/payment/:id/confirm",
    {
      schema: {
        params,
        querystring,
        body: object({ optionId: text, results: { ...list(result), minItems: 1, maxItems: 16 } }),
        response: { 200: statusResponse },
      },
    },
    (request, reply) => confirm(enter(request, reply), request.body, verifyByViem, true),
  )
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  return Number(new URL(url).port)
}

const pathPattern = /^\/v1\/gateway\/payment\/(pay_\w{1,64})\/(status|options|confirm)(?:\?(.*))?$/u

const listenRaw = async (): Promise<number> => {
  const send = (response: ServerResponse, version: string, body: object) => {
    const json = JSON.stringify(body)
    response.writeHead(200, { ...headersOf(version), "content-length": Buffer.byteLength(json) })
    response.end(json)
  }
  const respond = async (request: IncomingMessage, response: ServerResponse, body: string) => {
    const [, id = "", name, query = ""] = pathPattern.exec(request.url ?? "") ?? []
    const { payment, version } = admit(request.headers, id)
    const maxPollMs = Number(new URLSearchParams(query).get("maxPollMs") ?? 0)
    if (name === "options")
      return send(response, version, optionsOf(payment, JSON.parse(body).accounts))
    if (name === "confirm") {
      return send(response, version, await confirm(payment, JSON.parse(body), recovers, false))
    }
    const reply = () => send(response, version, statusOf(payment))
    return maxPollMs > 0 ? park(payment, maxPollMs, reply) : reply()
  }
  const server = createServer((request, response) => {
    const run = (body: string) => {
      respond(request, response, body).catch((error: unknown) => {
        response.statusCode = error instanceof Refused ? error.statusCode : 500
        response.end(JSON.stringify({ code: error instanceof Refused ? error.code : "bug" }))
      })
    }
    if (request.method === "GET") return run("")
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    return request.on("end", () => run(Buffer.concat(chunks).toString()))
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const prepareOne = (isForged: boolean): Child.Prepared => {
  const { amount: quantity, expiresAt, id } = create()
  const issuedAt = nowInS()
  const payer = Shop.nextPayer()
  const option: Option = {
    paymentId: id,
    account: payer.address,
    quantity: String(quantity),
    issuedAt,
    expiresAt: Math.min(expiresAt, issuedAt + 300),
  }
  const digest = isForged ? new Uint8Array(32).fill(1) : digestOf(option)
  return { paymentId: id, optionId: idOf(option), signature: Shop.sign(digest, payer) }
}

// The digest by hand is viem's.
const sample: Option = {
  paymentId: "pay_1",
  account: payTo,
  quantity: "1",
  issuedAt: 1,
  expiresAt: 2,
}
const { validBefore, value, ...rest } = messageOf(sample)
const expected = hashTypedData({
  domain,
  types: { ReceiveWithAuthorization },
  primaryType,
  message: { ...rest, value: BigInt(value), validAfter: 0n, validBefore: BigInt(validBefore) },
})
if (expected !== `0x${Buffer.from(digestOf(sample)).toString("hex")}`) {
  throw new Error("the digest by hand is another than viem's")
}

const port = process.argv.includes("raw") ? await listenRaw() : await listenFastify()
const payment = create()
Child.serve(
  { port, key, paymentId: payment.id },
  {
    prepare: async (many, isForged) => Array.from({ length: many }, () => prepareOne(isForged)),
    change: async () => {
      payment.status = "cancelled"
      wake(payment.id)
    },
    reads: () => 0,
  },
)
