/**
 * The service in memory under a test clock, two partners with merchants and keys, and raw requests. Nothing here uses
 * the schemas of the contract: tests write and read JSON as a client would.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as Version from "@florin/core/domain/ground/Version"
import * as Fees from "@florin/core/domain/money/Fees"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Screening } from "@florin/core/ports/Screening"
import type { Storage } from "@florin/core/ports/Storage"
import * as Florin from "@florin/server/Florin"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Predicate, Result, type Schema } from "effect"
import { TestClock } from "effect/testing"
import type { EdgeSettings } from "../src/edge/EdgeSettings.ts"
import * as Drains from "./drains.ts"
import * as TestStorage from "./storage.ts"
import { drain, World } from "./world.ts"

export interface Options extends Service.Options {
  readonly edge?: Partial<EdgeSettings["Service"]>
  /** Replace a port of the service. */
  readonly screening?: Layer.Layer<Screening>
  readonly collectData?: Layer.Layer<CollectDataPolicy>
  /** Replaces stores of the service, and may use those that it replaces. */
  readonly beforeStorage?: Layer.Layer<never, never, Storage>
}

/** The service and its server. Blocks are made immediately; every account starts with a large balance. */
export const layer = ({ beforeStorage, collectData, edge, screening, ...service }: Options = {}) =>
  Florin.layer({ publicUrl: "https://pay.example.com", ...edge }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        screening ?? Screening.layerAllowAll,
        collectData ?? CollectDataPolicy.layerNever,
      ).pipe(
        Layer.provideMerge(beforeStorage ?? Layer.empty),
        Layer.provideMerge(TestStorage.layer),
        Layer.provideMerge(
          Service.layer({
            ...service,
            chain: { blocks: "instant", unseenBalance: 1_000_000, ...service.chain },
          }),
        ),
      ),
    ),
  )

/** The ports of the service, for tests. */
export type Ports = Layer.Success<ReturnType<typeof layer>>

export type Json = Schema.Json

/** The members of a merchant without settings of its pages. */
export const faceless = {
  brandColor: null,
  supportEmail: null,
  supportUrl: null,
  checkoutOrigins: [],
}

/** A request as a client writes it. */
export interface Sent {
  readonly method?: string
  readonly path: string
  /** The `Api-Key`; null sends none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: Json
  /** Sent as it is, without a `Content-Type` unless the headers have one. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Null if the text is not JSON. */
  readonly body: Json
}

const isObject = (value: Json | undefined): value is Schema.JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value)

/** A member of a JSON value, by names and indexes: `at(body, "options", 0, "id")`. */
export const at = (
  value: Json | undefined,
  ...path: ReadonlyArray<string | number>
): Json | undefined =>
  path.reduce<Json | undefined>((from, step) => {
    if (typeof step === "number") return Array.isArray(from) ? from[step] : undefined
    return isObject(from) && Object.hasOwn(from, step) ? from[step] : undefined
  }, value)

/** The same, if it must be text. */
export const text = (value: Json | undefined, ...path: ReadonlyArray<string | number>): string => {
  const found = at(value, ...path)
  return typeof found === "string"
    ? found
    : assert.fail(`no text at ${path.join(".")}: ${JSON.stringify(value)}`)
}

/** The same, if it must be a list. */
export const list = (
  value: Json | undefined,
  ...path: ReadonlyArray<string | number>
): ReadonlyArray<Json> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : assert.fail(`no list at ${path.join(".")}`)
}

const parse = (body: string): Json => {
  try {
    const parsed: Json = JSON.parse(body)
    return parsed
  } catch {
    return null
  }
}

export const requestOf = ({ body, headers, key, method, path, raw, signal }: Sent): Request => {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const all = new Headers(headers)
  if (key !== undefined && key !== null) all.set("Api-Key", key)
  if (body !== undefined) all.set("Content-Type", "application/json")
  const request = new Request(`https://api.example.com${path}`, {
    method: method ?? (sent === undefined ? "GET" : "POST"),
    headers: all,
    ...(sent !== undefined && { body: sent }),
    ...(signal !== undefined && { signal }),
  })
  // The web gives a type to text that has none, and a stranger may send none.
  if (raw !== undefined && !all.has("content-type")) request.headers.delete("content-type")
  return request
}

/** The whole text, or the first chunk of a stream. */
const textOf = async (response: Response): Promise<string> => {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text()
  if (response.body === null) return ""
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

/** The headers that identify the caller. */
const credentials = ["Api-Key", "App-Id", "Client-Id", "Page-Token", "X-Api-Key"]

/** Fails unless the response forbids caches to store it or to reuse it for another caller. */
export const isKeptByNobody = (headers: Headers): void => {
  assert.match(headers.get("cache-control") ?? "", /^no-store(?:, no-transform)?$/u)
  assert.includeMembers(headers.get("vary")?.split(", ") ?? [], credentials)
}

/** Sends a request and reads the response, which no cache may store if it is the interface's. */
export const send = Effect.fnUntraced(function* (sent: Sent) {
  const response = yield* (yield* World).respond(requestOf(sent))
  if (/^(?:\/pages)?\/v1(?:[/?]|$)/u.test(sent.path)) isKeptByNobody(response.headers)
  const body = yield* Effect.promise(() => textOf(response))
  const answer: Reply = {
    status: response.status,
    headers: response.headers,
    text: body,
    body: parse(body),
  }
  return answer
})

/** Fails unless the response is this problem; returns its body. */
export const isProblem = (answer: Reply, status: number, code: string): Json => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(at(answer.body, "code"), code, answer.text)
  assert.strictEqual(at(answer.body, "requestId"), answer.headers.get("request-id"))
  assert.isAbove(text(answer.body, "message").length, 0)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  return answer.body
}

/** The fields that a validation error names. */
export const fieldsOf = (answer: Reply): ReadonlyArray<string> =>
  list(isProblem(answer, 400, "params_validation"), "issues").map((issue) => text(issue, "field"))

/** Runs every worker of payments until nothing is due. */
export const work = Effect.gen(function* () {
  for (const worker of Drains.workers) yield* drain(worker)
})

export { pass } from "./world.ts"

export const now = Fixtures.now
export const payer = Wallet.make(1)
export const stranger = Wallet.make(3)
export const treasury = Wallet.make(2)

/** Chains whose USDC is paid by each flow: EIP-3009 on Base, Permit2 on BNB Smart Chain. */
export const chains = { eip3009: 8453, permit2: 56 } as const

export const accountOf = (wallet: Wallet.Wallet, chainId: Caip.ChainId | number): string =>
  Eip155.formatAccount(wallet.account(chainId))

const partnerWithKeys = Effect.fnUntraced(function* (name: string, versionPin?: Version.Version) {
  const partner = yield* Keys.createPartner({
    name,
    feeTerms: Fees.none,
    ...(versionPin !== undefined && { versionPin }),
  })
  const issue = (mode: "test" | "live") =>
    Effect.map(
      Keys.issue({
        mode,
        owner: { _tag: "Partner", partnerId: partner.id },
        name: `${name}, ${mode}`,
        expiresAt: null,
        scopes: ApiKey.PartnerScope.literals,
      }),
      (issued) => issued,
    )
  const test = yield* issue("test")
  const live = yield* issue("live")
  return { partner, key: test.text, keyId: test.record.id, liveKey: live.text }
})

/** Pins a partner to a preview, as an earlier release could. */
export const pinPartner = (id: PartnerId.PartnerId, versionPin: Version.Version) =>
  Effect.flatMap(AccountStore, (accounts) =>
    accounts.modifyPartner(id, (current) => ({ ...current, versionPin })),
  ).pipe(Effect.orDie)

/** A wallet's key pinned to a preview, as an earlier release could. */
export const walletKeyPinned = Effect.fnUntraced(function* (versionPin: Version.Version) {
  const { record, text: key } = yield* walletKey("test")
  const owner: ApiKey.Owner =
    record.owner._tag === "Wallet" ? { ...record.owner, versionPin } : record.owner
  const accounts = yield* AccountStore
  yield* accounts.modifyKey(record.id, (current) =>
    Result.succeed({ result: undefined, keys: [{ ...current, owner }] }),
  )
  return key
}, Effect.orDie)

const walletKey = (mode: "test" | "live", versionPin: Version.Version = "2026-02-18") =>
  Keys.issue({
    mode,
    owner: {
      _tag: "Wallet",
      name: "A wallet",
      iconUrl: "https://wallet.example/icon.png",
      versionPin,
    },
    name: "A wallet's key",
    expiresAt: null,
  })

let count = 0
/** A text that is unique in this run. */
export const fresh = (prefix: string): string => `${prefix}-${++count}`

/** Creates a merchant over HTTP; returns its id. */
export const createMerchant = Effect.fnUntraced(function* (key: string, name = "Corner Shop") {
  const answer = yield* send({
    path: "/v1/merchants",
    key,
    headers: { "Idempotency-Key": fresh("merchant") },
    body: { merchantName: name, merchantEmail: "shop@example.com" },
  })
  assert.strictEqual(answer.status, 201, answer.text)
  return text(answer.body, "merchant", "id")
})

/** Creates a payment over HTTP; returns its id. */
export const createPayment = Effect.fnUntraced(function* (
  key: string,
  merchantId: string,
  overrides: { readonly [member: string]: Json } = {},
) {
  const answer = yield* send({
    path: "/v1/payments",
    key,
    headers: { "Merchant-Id": merchantId },
    body: {
      referenceId: fresh("ORDER"),
      amount: { unit: "iso4217/USD", value: "1234" },
      ...overrides,
    },
  })
  assert.strictEqual(answer.status, 201, answer.text)
  return text(answer.body, "paymentId")
})

/** The first option of a payment for an account. */
export const firstOption = Effect.fnUntraced(function* (
  key: string,
  paymentId: string,
  account = accountOf(payer, chains.eip3009),
) {
  const answer = yield* send({
    path: `/v1/gateway/payment/${paymentId}/options`,
    key,
    body: { accounts: [account] },
  })
  return at(answer.body, "options", 0) ?? assert.fail(`no option: ${answer.text}`)
})

/** Executes the steps of an option as a wallet does; returns the body of its confirm. */
export const confirmBody = Effect.fnUntraced(function* (
  key: string,
  paymentId: string,
  option: Json,
  wallet: Wallet.Payer = payer,
) {
  const chain = yield* SimulatedChain
  const optionId = text(option, "id")
  const fetched = yield* send({
    path: `/v1/gateway/payment/${paymentId}/fetch`,
    key,
    body: { optionId, data: "" },
  })
  const actions = list(fetched.body, "actions").map((action) => ({
    _tag: "WalletRpc" as const,
    chainId: Caip.ChainId.make(text(action, "data", "chain_id")),
    method: text(action, "data", "method"),
    params: list(action, "data", "params").map((param) => text(param)),
  }))
  const outputs = yield* wallet.execute(actions, chain.node)
  return {
    optionId,
    results: outputs.map((output) => ({ type: "walletRpc", data: [output] })),
  }
})

/** Pays a payment up to its accepted confirm. */
export const confirm = Effect.fnUntraced(function* (
  key: string,
  paymentId: string,
  chainId: number = chains.eip3009,
) {
  const option = yield* firstOption(key, paymentId, accountOf(payer, chainId))
  const body = yield* confirmBody(key, paymentId, option)
  const answer = yield* send({ path: `/v1/gateway/payment/${paymentId}/confirm`, key, body })
  assert.strictEqual(answer.status, 200, answer.text)
  return { option, body, answer }
})

/** Pays a payment until it succeeded, and is settled if its merchant has a destination. */
export const pay = Effect.fnUntraced(function* (
  key: string,
  paymentId: string,
  chainId: number = chains.eip3009,
) {
  const confirmed = yield* confirm(key, paymentId, chainId)
  const chain = yield* SimulatedChain
  for (let round = 0; round < 4; round += 1) {
    yield* work
    yield* chain.settle(chainId)
    yield* TestClock.adjust("30 seconds")
  }
  yield* work
  return confirmed
})

/** Two partners with a merchant each, and wallets. */
export const make = Effect.gen(function* () {
  yield* (yield* World).begin
  const own = yield* partnerWithKeys("Own")
  const other = yield* partnerWithKeys("Other")
  const wallet = yield* walletKey("test")
  const liveWallet = yield* walletKey("live")
  return {
    own: { ...own, merchantId: yield* createMerchant(own.key) },
    other: { ...other, merchantId: yield* createMerchant(other.key, "Other Shop") },
    walletKey: wallet.text,
    liveWalletKey: liveWallet.text,
    /** Well formed, but of no partner. */
    strangersKey: "flr_test_pk_00000000000000000000000000000000000000",
  }
})

export type Scene = Effect.Success<typeof make>
