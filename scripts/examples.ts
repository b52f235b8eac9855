/**
 * Records the examples of the documents: a story of a few payments, run on the real server with the simulated chain.
 * Ids, keys and times are seeded, so that the same code gives the same text.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type * as Examples from "../packages/api/src/Examples.ts"
import * as Caip from "../packages/core/src/domain/chain/Caip.ts"
import * as Eip155 from "../packages/core/src/domain/eip155/Eip155.ts"
import type * as Mode from "../packages/core/src/domain/ground/Mode.ts"
import * as Money from "../packages/core/src/domain/ground/Money.ts"
import * as Fees from "../packages/core/src/domain/money/Fees.ts"
import * as ApiKey from "../packages/core/src/domain/partner/ApiKey.ts"
import * as Keys from "../packages/core/src/engine/partner/Keys.ts"
import * as Merchants from "../packages/core/src/engine/partner/Merchants.ts"
import { Assets } from "../packages/core/src/ports/Assets.ts"
import { CollectDataPolicy } from "../packages/core/src/ports/CollectDataPolicy.ts"
import { Screening } from "../packages/core/src/ports/Screening.ts"
import { WebhookTransport } from "../packages/core/src/ports/WebhookTransport.ts"
import * as Collector from "../packages/core/src/workers/Collector.ts"
import * as Payer from "../packages/core/src/workers/Payer.ts"
import * as Sender from "../packages/core/src/workers/Sender.ts"
import * as WebhookSender from "../packages/core/src/workers/WebhookSender.ts"
import * as Florin from "../packages/server/src/Florin.ts"
import * as WebHandler from "../packages/server/src/WebHandler.ts"
import * as WebhookBody from "../packages/server/src/WebhookBody.ts"
import * as Callers from "../packages/testing/src/Callers.ts"
import * as Fixtures from "../packages/testing/src/Fixtures.ts"
import * as Service from "../packages/testing/src/Service.ts"
import { SimulatedChain } from "../packages/testing/src/SimulatedChain.ts"
import * as Wallet from "../packages/testing/src/Wallet.ts"

type Json = Schema.Json

const payer = Wallet.make(1)
const treasury = Wallet.make(2)
const refused = Wallet.make(3)

const base = 8453
const bsc = 56
const usdcOnBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const usdtOnEthereum = "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7"
const accountOf = (wallet: Wallet.Wallet, chainId: number): string =>
  Eip155.formatAccount(wallet.account(chainId))

/** From 1,000 USD on, the payer must say who they are. */
const service = Florin.layer({
  publicUrl: "https://pay.example.com",
  console: { document: "", files: new Map(), version: "" },
}).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Screening.layerDenyList([refused.address]),
      CollectDataPolicy.layerAbove({ USD: 100_000n }),
    ),
  ),
  Layer.provideMerge(Service.layer({ chain: { blocks: "instant", unseenBalance: 10_000 } })),
)

const limited = Florin.layer({
  publicUrl: "https://pay.example.com",
  rateLimit: { burst: 1, perSecond: 0.5 },
}).pipe(Layer.provideMerge(Service.layer()))

const work = Effect.gen(function* () {
  yield* Collector.drain
  yield* Payer.drain
  yield* Sender.drain
})

interface Sent {
  readonly path: string
  readonly method?: string
  readonly key?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Json
  readonly raw?: string
}

interface ExampleResponse {
  readonly status: number
  readonly body: Json
  /** The cookie that it sets, if it does. */
  readonly cookie: string | undefined
}

const send = Effect.fnUntraced(function* ({ body, headers, key, method, path, raw }: Sent) {
  const text = raw ?? (body === undefined ? null : JSON.stringify(body))
  const response = yield* WebHandler.respond(
    new Request(`https://pay.example.com${path}`, {
      method: method ?? (text === null ? "GET" : "POST"),
      headers: {
        ...(key !== undefined && { "Api-Key": key }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: text,
    }),
  )
  const answer: ExampleResponse = {
    status: response.status,
    body: JSON.parse(yield* Effect.promise(() => response.text())),
    cookie: response.headers.get("set-cookie")?.split(";")[0],
  }
  return answer
})

/** A member of a response, by names and indexes; the story cannot continue without it. */
const at = (value: Json | undefined, ...path: ReadonlyArray<string | number>): Json => {
  const found = path.reduce<Json | undefined>(
    (from, step) =>
      typeof from === "object" && from !== null ? Reflect.get(from, step) : undefined,
    value,
  )
  if (found === undefined) throw new Error(`no ${path.join(".")} in ${JSON.stringify(value)}`)
  return found
}

const text = (value: Json | undefined, ...path: ReadonlyArray<string | number>): string =>
  String(at(value, ...path))

/** What a browser sends of a new passkey. The key is the first example of RFC 8032. */
const exampleOfPasskey = (challenge: string) => {
  const id = Buffer.from("an example of an id")
  const origin = "https://pay.example.com"
  const clientData = { type: "webauthn.create", challenge, origin, crossOrigin: false }
  const authenticatorData = Buffer.concat([
    createHash("sha256").update("pay.example.com").digest(),
    Buffer.from([69, 0, 0, 0, 0, ...Buffer.alloc(16), 0, id.length]),
    id,
  ])
  const key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
  return {
    name: "Laptop",
    credentialId: id.toString("base64url"),
    clientData: Buffer.from(JSON.stringify(clientData)).toString("base64url"),
    authenticatorData: authenticatorData.toString("base64url"),
    publicKey: Buffer.from(`302a300506032b6570032100${key}`, "hex").toString("base64url"),
    algorithm: -8,
  }
}

const partnerWithKey = Effect.fnUntraced(function* (mode: Mode.Mode) {
  const partner = yield* Keys.createPartner({
    name: "Corner Payments",
    feeTerms: {
      fixed: [{ currency: "USD", quantity: Money.Quantity.make(10n) }],
      percentage: yield* Effect.fromResult(Fees.parsePercentage("0.4")),
    },
  })
  const key = yield* Keys.issue({
    mode,
    owner: { _tag: "Partner", partnerId: partner.id },
    name: "shop",
    expiresAt: null,
    scopes: ApiKey.PartnerScope.literals,
  })
  return key.text
})

const walletKey = Keys.issue({
  mode: "test",
  owner: {
    _tag: "Wallet",
    name: "Pocket Wallet",
    iconUrl: "https://wallet.example/icon.png",
    versionPin: "2026-02-18",
  },
  name: "wallet",
  expiresAt: null,
}).pipe(Effect.map((key) => key.text))

/** The wallet's results for the steps of an option. */
const execute = Effect.fnUntraced(function* (actions: ReadonlyArray<Json>) {
  const chain = yield* SimulatedChain
  const methods = ["eth_signTypedData_v4", "eth_sendTransaction", "personal_sign"] as const
  const outputs = yield* payer.execute(
    actions.map((action) => ({
      _tag: "WalletRpc",
      chainId: Caip.ChainId.make(text(action, "data", "chain_id")),
      method: methods.find((each) => each === text(action, "data", "method")) ?? "personal_sign",
      params: list(at(action, "data", "params")).map(String),
    })),
    chain.node,
  )
  return outputs.map((output) => ({ type: "walletRpc", data: [output] }))
})

const list = (value: Json): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const story = Effect.gen(function* () {
  const told: Array<Examples.Example> = []

  /** Sends a request and stores it with its response, which must have the expected status. */
  let cookie = ""
  const tell = Effect.fnUntraced(function* (
    operation: string,
    [name, summary]: readonly [string, string],
    expected: number,
    request: Sent,
  ) {
    const { body, cookie: set, status } = yield* send(request)
    cookie = set ?? cookie
    if (status !== expected) {
      throw new Error(`${operation} ${name}: ${status} ${JSON.stringify(body)}`)
    }
    told.push({
      operation,
      name,
      summary,
      ...(request.body !== undefined && { request: request.body }),
      status,
      // Secret scanners report everything in a repository that looks like a key.
      response: JSON.parse(JSON.stringify(body).replaceAll(/flr_test_pk_\w+/gu, "flr_…")),
    })
    return body
  })

  const partner = yield* partnerWithKey("test")
  const stranger = yield* partnerWithKey("test")
  const wallet = yield* walletKey

  // Callers

  const anywhere = "*"
  const lists = { path: "/v1/payments", key: partner }
  yield* tell(anywhere, ["missing_api_key", "Without a key"], 401, { path: "/v1/payments" })
  yield* tell(anywhere, ["invalid_api_key", "With an invalid key"], 401, {
    ...lists,
    key: "flr_test_pk_unknown",
  })
  yield* tell(anywhere, ["forbidden", "With a wallet key"], 403, { ...lists, key: wallet })
  yield* tell(anywhere, ["invalid_api_version", "A version that is not a date"], 400, {
    ...lists,
    headers: { "Svc-Version": "v1" },
  })
  yield* tell(anywhere, ["unknown_api_version", "An unknown version"], 400, {
    ...lists,
    headers: { "Svc-Version": "2020-01-01" },
  })

  // A merchant and where its money goes

  const merchants = { path: "/v1/merchants", key: partner }
  const once = (key: string) => ({ "Idempotency-Key": key })
  const shop = { merchantName: "Blue Door Coffee", merchantEmail: "till@bluedoor.example" }
  const created = yield* tell("merchants.create", ["created", "A merchant"], 201, {
    ...merchants,
    headers: once("merchant-1"),
    body: { ...shop, iconUrl: "https://bluedoor.example/icon.png" },
  })
  const merchantId = text(created, "merchant", "id")
  const merchant = { "Merchant-Id": merchantId }
  const aMerchant = { path: `/v1/merchants/${merchantId}`, key: partner }
  yield* tell("merchants.create", ["missing_idempotency_key", "Without an Idempotency-Key"], 400, {
    ...merchants,
    body: shop,
  })
  yield* tell("merchants.create", ["params_validation", "Invalid fields"], 400, {
    ...merchants,
    headers: once("merchant-2"),
    body: { merchantName: "", merchantEmail: "till", iconUrl: "http://bluedoor.example/icon.png" },
  })
  yield* tell(
    "merchants.create",
    ["idempotency_conflict", "A different body with the same key"],
    409,
    {
      ...merchants,
      headers: once("merchant-1"),
      body: { ...shop, merchantName: "Red Door Coffee" },
    },
  )
  yield* tell(anywhere, ["unsupported_media_type", "A body that is not JSON"], 415, {
    ...merchants,
    headers: { ...once("merchant-3"), "Content-Type": "text/plain" },
    raw: "merchantName=Blue Door Coffee",
  })
  yield* tell(anywhere, ["payload_too_large", "A body that is too large"], 413, {
    ...merchants,
    headers: once("merchant-4"),
    raw: " ".repeat(300_000),
  })
  yield* tell("merchants.update", ["updated", "A new email address, and no icon"], 200, {
    ...aMerchant,
    method: "PATCH",
    body: { merchantEmail: "hello@bluedoor.example", iconUrl: null },
  })
  yield* tell("merchants.update", ["params_validation", "No changes"], 400, {
    ...aMerchant,
    method: "PATCH",
    body: {},
  })
  yield* tell("merchants.get", ["not_found", "A merchant of another partner"], 404, {
    ...aMerchant,
    key: stranger,
  })

  const settlements = { path: `${aMerchant.path}/settlements/crypto`, key: partner }
  const toBase = { asset: usdcOnBase, destination: accountOf(treasury, base) }
  const toEthereum = { asset: usdtOnEthereum, destination: accountOf(treasury, 1) }
  const registered = yield* tell("settlements.create", ["created", "Two destinations"], 201, {
    ...settlements,
    headers: once("settlements-1"),
    body: { settlements: [toBase, toEthereum] },
  })
  yield* tell("settlements.create", ["params_validation", "A destination on another chain"], 400, {
    ...settlements,
    headers: once("settlements-2"),
    body: { settlements: [{ ...toBase, destination: accountOf(treasury, 1) }] },
  })
  yield* tell(
    "settlements.create",
    ["settlement_asset_conflict", "An asset that already has a destination"],
    409,
    { ...settlements, headers: once("settlements-3"), body: { settlements: [toBase] } },
  )
  const aSettlement = {
    path: `${settlements.path}/${text(registered, "settlements", 1, "id")}`,
    key: partner,
  }
  yield* tell("settlements.change", ["changed", "A new destination"], 200, {
    ...aSettlement,
    method: "PUT",
    body: { destination: accountOf(payer, 1) },
  })
  yield* tell("settlements.remove", ["removed", "A deleted destination"], 200, {
    ...aSettlement,
    method: "DELETE",
  })
  yield* tell("settlements.list", ["listed", "All destinations"], 200, {
    path: `${aMerchant.path}/settlements`,
    key: partner,
  })
  yield* tell("merchants.list", ["listed", "Merchants with `door` in their names"], 200, {
    path: "/v1/merchants?search=door",
    key: partner,
  })
  yield* tell(
    "merchants.get",
    ["found", "A merchant and its settlement destinations"],
    200,
    aMerchant,
  )

  // A paid payment

  const payments = { path: "/v1/payments", key: partner }
  const order = {
    referenceId: "ORDER-7",
    amount: { unit: "iso4217/USD", value: "1234" },
    metadata: { cart: "6735" },
  }
  const payment = yield* tell("payments.create", ["created", "12.34 USD for an order"], 201, {
    ...payments,
    headers: merchant,
    body: order,
  })
  yield* tell(
    "payments.create",
    ["checkout", "With the pages to which the payer's browser returns"],
    201,
    {
      ...payments,
      headers: merchant,
      body: {
        ...order,
        referenceId: "ORDER-8",
        checkout: {
          successUrl: "https://bluedoor.example/thanks",
          errorUrl: "https://bluedoor.example/sorry",
        },
      },
    },
  )
  yield* tell("payments.createAlias", ["created", "With the old path"], 201, {
    path: "/v1/merchant/payment",
    key: partner,
    headers: merchant,
    body: { ...order, referenceId: "ORDER-8b" },
  })
  yield* tell("payments.create", ["params_validation", "An amount of 0"], 400, {
    ...payments,
    headers: merchant,
    body: { ...order, amount: { unit: "iso4217/USD", value: "0" } },
  })
  yield* tell("payments.create", ["merchant_not_found", "An unknown merchant"], 404, {
    ...payments,
    headers: { "Merchant-Id": "mrch_unknown" },
    body: order,
  })
  const paymentId = text(payment, "paymentId")
  const ours = { path: `/v1/payments/${paymentId}`, key: partner, headers: merchant }
  const gateway = (id: string, call = "") => ({
    path: `/v1/gateway/payment/${id}${call}`,
    key: wallet,
  })

  yield* tell("gateway.get", ["found", "A payment that is not paid yet"], 200, gateway(paymentId))
  yield* tell("gateway.get", ["payment_not_found", "An unknown payment"], 404, {
    ...gateway("pay_unknown"),
  })
  const accounts = [accountOf(payer, base), accountOf(payer, bsc)]
  const offered = yield* tell("gateway.options", ["offered", "Two accounts that can pay"], 200, {
    ...gateway(paymentId, "/options?includePaymentInfo=true"),
    body: { accounts },
  })
  yield* tell("gateway.options", ["params_validation", "An invalid account"], 400, {
    ...gateway(paymentId, "/options"),
    body: { accounts: ["0x1111111111111111111111111111111111111111"] },
  })
  yield* tell("gateway.options", ["sanctioned_user", "None of the accounts may pay"], 451, {
    ...gateway(paymentId, "/options"),
    body: { accounts: [accountOf(refused, base)] },
  })
  const chain = yield* SimulatedChain
  yield* chain.fail({ calls: accounts.length, kinds: ["holdings"] })
  yield* tell("gateway.options", ["bad_gateway", "No chain responds"], 502, {
    ...gateway(paymentId, "/options"),
    body: { accounts },
  })
  const options = list(at(offered, "options"))
  const signed = options.find((option) => text(option, "actions", 0, "type") === "walletRpc")
  const built = options.find((option) => text(option, "actions", 0, "type") === "build")
  yield* tell("gateway.fetch", ["resolved", "An approval first, then the signature"], 200, {
    ...gateway(paymentId, "/fetch"),
    body: { optionId: at(built, "id"), data: at(built, "actions", 0, "data") },
  })
  yield* tell("gateway.fetch", ["params_validation", "An unknown option"], 400, {
    ...gateway(paymentId, "/fetch"),
    body: { optionId: "unknown", data: "" },
  })
  yield* tell("gateway.status", ["requires_action", "Waiting for the payer"], 200, {
    ...gateway(paymentId, "/status"),
  })
  const results = yield* execute(list(at(signed, "actions")))
  const optionId = at(signed, "id")
  yield* tell("gateway.confirm", ["wrong_signature", "Signed by another account"], 422, {
    ...gateway(paymentId, "/confirm"),
    body: {
      optionId,
      results: [{ type: "walletRpc", data: [refused.signDigest(new Uint8Array(32))] }],
    },
  })
  yield* tell("gateway.confirm", ["accepted", "Signed by the payer"], 200, {
    ...gateway(paymentId, "/confirm"),
    body: { optionId, results },
  })
  const early = { path: "/v1/refunds", key: partner, body: { paymentId } }
  yield* tell(
    "refunds.create",
    ["payment_not_succeeded", "A payment that is not paid yet"],
    400,
    early,
  )
  yield* work
  yield* TestClock.adjust("3 seconds")
  yield* work
  yield* tell("gateway.status", ["succeeded", "Paid"], 200, gateway(paymentId, "/status"))
  yield* tell("gateway.confirm", ["succeeded", "The same confirm again, after the payment"], 200, {
    ...gateway(paymentId, "/confirm"),
    body: { optionId, results },
  })
  yield* tell("gateway.cancel", ["invalid_state", "Already paid"], 400, {
    ...gateway(paymentId, "/cancel"),
    body: {},
  })
  yield* tell("payments.status", ["succeeded", "Paid"], 200, {
    ...ours,
    path: `${ours.path}/status`,
  })
  yield* tell("payments.statusAlias", ["succeeded", "With the old path"], 200, {
    ...ours,
    path: `/v1/merchant/payment/${paymentId}/status`,
  })
  yield* tell("payments.get", ["settled", "Paid, and the merchant was paid out"], 200, ours)
  yield* tell("payments.get", ["missing_merchant_id", "Without a Merchant-Id"], 401, {
    path: ours.path,
    key: partner,
  })

  // Refunds

  const elsewhere = {
    ...payments,
    path: "/v1/refunds/destination",
    body: { paymentId, destination: "eip155:8453:0x2222222222222222222222222222222222222222" },
  }
  yield* tell("refunds.destination", ["statement", "The text that the payer signs"], 200, elsewhere)
  yield* tell("refunds.destination", ["params_validation", "The zero address"], 400, {
    ...elsewhere,
    body: { paymentId, destination: `eip155:8453:0x${"0".repeat(40)}` },
  })
  const refund = yield* tell("refunds.create", ["requested", "A refund of a part"], 200, {
    ...payments,
    path: "/v1/refunds",
    headers: once("refund-1"),
    body: {
      paymentId,
      amount: { unit: "iso4217/USD", value: "250" },
      reason: "One of two bags was returned",
    },
  })
  yield* tell("refunds.create", ["rest", "The rest"], 200, {
    ...payments,
    path: "/v1/refunds",
    headers: once("refund-2"),
    body: { paymentId, amount: { unit: "iso4217/USD", value: "984" } },
  })
  yield* tell("refunds.create", ["already_refunded", "More than is left"], 409, {
    ...payments,
    path: "/v1/refunds",
    headers: once("refund-3"),
    body: { paymentId, amount: { unit: "iso4217/USD", value: "1" } },
  })
  yield* tell("refunds.list", ["refunds", "The refunds of a payment"], 200, {
    path: `/v1/refunds?paymentId=${paymentId}`,
    key: partner,
  })
  const aRefund = { path: `/v1/refunds/${text(refund, "refundId")}`, key: partner }
  yield* work
  yield* TestClock.adjust("3 seconds")
  yield* work
  yield* tell("refunds.get", ["succeeded", "Refunded"], 200, aRefund)
  yield* tell("refunds.get", ["not_found", "A refund of another partner"], 404, {
    ...aRefund,
    key: stranger,
  })

  // Payments that are not paid

  const pay = Effect.fnUntraced(function* (body: { readonly [member: string]: Json }) {
    const answer = yield* send({ ...payments, headers: merchant, body: { ...order, ...body } })
    return text(answer.body, "paymentId")
  })
  const large = yield* pay({
    referenceId: "ORDER-9",
    amount: { unit: "iso4217/USD", value: "250000" },
  })
  const asked = yield* tell(
    "gateway.options",
    ["collectData", "An amount that requires data about the payer"],
    200,
    { ...gateway(large, "/options"), body: { accounts: [accountOf(payer, base)] } },
  )
  const largeOption = at(asked, "options", 0)
  const largeConfirm = {
    optionId: at(largeOption, "id"),
    results: yield* execute(list(at(largeOption, "actions"))),
  }
  yield* tell("gateway.confirm", ["data_required", "Without required data"], 400, {
    ...gateway(large, "/confirm"),
    body: largeConfirm,
  })
  yield* tell("gateway.confirm", ["collectedData", "With data about the payer"], 200, {
    ...gateway(large, "/confirm"),
    body: {
      ...largeConfirm,
      collectedData: {
        fields: [
          { id: "fullName", value: "Ada Lovelace" },
          { id: "dob", value: "1990-12-10" },
          { id: "porCountry", value: "GB" },
          { id: "porAddress", value: "12 St James's Square, London" },
          { id: "tosConfirmed", value: "true" },
        ],
      },
    },
  })
  const unwanted = yield* pay({ referenceId: "ORDER-12" })
  yield* tell("gateway.cancel", ["cancelled", "Cancelled by the payer"], 200, {
    ...gateway(unwanted, "/cancel"),
    body: {},
  })
  yield* tell("gateway.options", ["closed", "A payment that accepts no options any more"], 200, {
    ...gateway(unwanted, "/options"),
    body: { accounts },
  })
  const called = yield* pay({ referenceId: "ORDER-10" })
  yield* tell("payments.cancel", ["cancelled", "Cancelled by the merchant"], 200, {
    path: `/v1/payments/${called}/cancel`,
    key: partner,
    headers: merchant,
    body: {},
  })
  const now = yield* Clock.currentTimeMillis
  const inAnHour = Math.floor(now / 1000) + 60 * 60
  const waiting = yield* pay({ referenceId: "ORDER-11", expiresAt: inAnHour })
  const held = yield* send({ ...gateway(waiting, "/options"), body: { accounts } })
  yield* TestClock.adjust("6 minutes")
  yield* tell("gateway.confirm", ["quote_expired", "An expired option"], 409, {
    ...gateway(waiting, "/confirm"),
    body: { optionId: at(held.body, "options", 0, "id"), results },
  })
  yield* TestClock.adjust("1 hour")
  yield* tell("gateway.options", ["payment_expired", "An expired payment"], 410, {
    ...gateway(waiting, "/options"),
    body: { accounts },
  })

  const listed = ["listed", "Succeeded payments, newest first"] as const
  const filtered = "status=succeeded&limit=1"
  yield* tell("payments.list", listed, 200, { ...lists, path: `/v1/payments?${filtered}` })
  yield* tell("payments.listOfMerchant", listed, 200, {
    path: `/v1/merchants/payments?${filtered}`,
    key: partner,
    headers: merchant,
  })
  yield* tell("payments.listOfMerchantByPath", ["listed", "With the old path"], 200, {
    path: `/v1/merchants/${merchantId}/payments?status=succeeded&sort_dir=desc&limit=1`,
    key: partner,
  })
  yield* tell("payments.list", ["params_validation", "An invalid filter"], 400, {
    ...lists,
    path: "/v1/payments?limit=1000",
  })
  yield* tell("payments.statistics", ["month", "The payments of a month"], 200, {
    ...lists,
    path: "/v1/payments/statistics?by=month&timeZone=Europe/Berlin&startTs=2026-09-01T00:00:00%2B02:00",
  })
  yield* tell("merchants.statement", ["month", "The statement of a month"], 200, {
    ...aMerchant,
    path: `/v1/merchants/${merchantId}/statement?from=2026-09-01&to=2026-09-30`,
  })
  yield* tell("balances.list", ["listed", "What each merchant is owed"], 200, {
    path: "/v1/balances",
    key: partner,
  })
  const payouts = yield* tell("payouts.list", ["listed", "The newest payout"], 200, {
    path: "/v1/payouts?limit=1",
    key: partner,
  })
  yield* tell("payouts.get", ["paid", "A payout with its payments"], 200, {
    path: `/v1/payouts/${String(at(payouts, "data", 0, "id"))}`,
    key: partner,
  })
  yield* tell("events.list", ["listed", "The first events"], 200, {
    path: "/v1/events?limit=6",
    key: partner,
  })
  yield* tell("events.list", ["params_validation", "An invalid cursor"], 400, {
    path: "/v1/events?cursor=unknown",
    key: partner,
  })
  const newWebhook = {
    url: "https://bluedoor.example/florin",
    types: ["payment.succeeded", "refund.succeeded"],
  }
  const webhooks = { path: "/v1/webhooks", key: partner }
  const hooked = yield* tell("webhooks.create", ["created", "With two types of events"], 201, {
    ...webhooks,
    headers: { "Idempotency-Key": "webhook-1" },
    body: newWebhook,
  })
  yield* tell("webhooks.create", ["params_validation", "A private address"], 400, {
    ...webhooks,
    headers: { "Idempotency-Key": "webhook-2" },
    body: { url: "https://localhost/florin" },
  })
  yield* tell("webhooks.list", ["listed", "All active webhooks"], 200, webhooks)
  const webhook = `/v1/webhooks/${text(hooked, "webhook", "id")}`
  const aWebhook = { path: webhook, key: partner }
  yield* tell("webhooks.get", ["found", "A webhook"], 200, aWebhook)
  yield* tell("webhooks.get", ["not_found", "An unknown id"], 404, {
    path: "/v1/webhooks/whk_0",
    key: partner,
  })
  yield* tell("webhooks.change", ["changed", "A change to all types"], 200, {
    ...aWebhook,
    method: "PATCH",
    body: { types: null },
  })
  yield* tell(
    "webhooks.rotate",
    ["rotated", "A new secret; the old one also signs for 24 hours"],
    201,
    {
      path: `${webhook}/rotate`,
      method: "POST",
      key: partner,
      headers: { "Idempotency-Key": "rotate-1" },
    },
  )
  const tried = yield* tell("webhooks.test", ["sent", "A test event"], 201, {
    path: `${webhook}/test`,
    method: "POST",
    key: partner,
  })
  yield* WebhookSender.drain(WebhookBody.render(yield* Assets)).pipe(
    Effect.provide(WebhookTransport.layerFunction(() => 500)),
  )
  yield* tell("webhooks.deliveries", ["listed", "A delivery that is retried"], 200, {
    path: `${webhook}/deliveries?limit=1`,
    key: partner,
  })
  yield* tell("webhooks.redeliver", ["due", "A delivery that is sent again"], 200, {
    path: `${webhook}/deliveries/${text(tried, "deliveryId")}/redeliver`,
    method: "POST",
    key: partner,
  })
  const today = { from: "2026-09-21T00:00:00Z", to: "2026-09-22T00:00:00Z" }
  yield* tell("webhooks.replay", ["replayed", "The events of a day"], 200, {
    path: `${webhook}/replay`,
    key: partner,
    body: today,
  })
  yield* tell("webhooks.remove", ["removed", "A deleted webhook"], 200, {
    ...aWebhook,
    method: "DELETE",
  })
  yield* tell("webhooks.replay", ["invalid_state", "A deleted webhook"], 400, {
    path: `${webhook}/replay`,
    key: partner,
    body: today,
  })
  const keys = { path: "/v1/keys", key: partner }
  const made = yield* tell("keys.create", ["created", "A key for a till"], 201, {
    ...keys,
    headers: { "Idempotency-Key": "key-1" },
    body: { name: "till 4", scopes: ["read", "pay"], validUntil: "2027-09-21T00:00:00Z" },
  })
  yield* tell("keys.create", ["params_validation", "Invalid address blocks"], 400, {
    ...keys,
    headers: { "Idempotency-Key": "key-2" },
    body: { name: "till 5", from: ["everywhere"] },
  })
  yield* tell("keys.list", ["listed", "All valid keys"], 200, keys)
  const aKey = `/v1/keys/${text(made, "key", "id")}`
  yield* tell("keys.rotate", ["rotated", "Both keys are valid for 24 hours"], 201, {
    path: `${aKey}/rotate`,
    key: partner,
    headers: { "Idempotency-Key": "key-3" },
    body: {},
  })
  yield* tell("keys.revoke", ["revoked", "A revoked key"], 200, {
    path: aKey,
    method: "DELETE",
    key: partner,
  })
  yield* tell("keys.revoke", ["not_found", "An unknown id"], 404, {
    path: "/v1/keys/key_0",
    method: "DELETE",
    key: partner,
  })
  const { caller } = yield* Callers.authenticate(partner)
  const partnerId = caller._tag === "Partner" ? caller.partner.id : yield* Effect.die("no partner")
  yield* Merchants.changePartner(partnerId, { secondPerson: true })
  const { text: bobsKey } = yield* Keys.issue({
    mode: "test",
    owner: { _tag: "Partner", partnerId },
    name: "Bob",
    scopes: ["read", "manage"],
    expiresAt: null,
  })
  const change = {
    path: `/v1/merchants/${merchantId}/settlements/crypto`,
    key: bobsKey,
    headers: { "Idempotency-Key": "second-person-1" },
    body: {
      settlements: [{ asset: usdtOnEthereum, destination: accountOf(treasury, 1) }],
    },
  }
  yield* tell(
    "settlements.create",
    ["approval_required", "A second person must agree"],
    403,
    change,
  )
  const approvals = { path: "/v1/approvals", key: partner }
  const waitingForAnother = yield* tell(
    "approvals.list",
    ["listed", "A request of another person"],
    200,
    approvals,
  )
  const waitingPath = `/v1/approvals/${text(waitingForAnother, "approvals", 0, "id")}`
  const decide = { method: "POST", key: partner }
  yield* tell("approvals.approve", ["approved", "The request may be repeated once"], 200, {
    ...decide,
    path: `${waitingPath}/approve`,
  })
  yield* tell("approvals.decline", ["declined", "An approval that is taken back"], 200, {
    ...decide,
    path: `${waitingPath}/decline`,
  })
  yield* tell("approvals.approve", ["invalid_state", "It was declined"], 400, {
    ...decide,
    path: `${waitingPath}/approve`,
  })
  yield* Merchants.changePartner(partnerId, { secondPerson: false })
  const link = yield* tell("keys.create", ["invited", "A link for a person, for 15 minutes"], 201, {
    ...keys,
    headers: { "Idempotency-Key": "key-4" },
    body: { name: "Ada", use: "sign_in", role: "viewer" },
  })
  const session = { path: "/v1/session" }
  const signedIn = yield* tell("session.signIn", ["signed_in", "A viewer in test mode"], 201, {
    ...session,
    method: "POST",
    key: text(link, "secret"),
  })
  const ofPage = {
    Cookie: cookie,
    "Csrf-Token": text(signedIn, "csrfToken"),
  }
  yield* tell("session.get", ["read", "A viewer in test mode"], 200, {
    ...session,
    headers: ofPage,
  })
  const passkeys = { path: `${session.path}/passkeys`, headers: ofPage }
  const mine = yield* tell("session.passkeys", ["listed", "No passkey yet"], 200, passkeys)
  const added = yield* tell("session.addPasskey", ["added", "A passkey of a laptop"], 201, {
    ...passkeys,
    body: exampleOfPasskey(text(mine, "next", "challenge")),
  })
  yield* tell("session.removePasskey", ["removed", "A passkey that its person removed"], 200, {
    ...passkeys,
    path: `${passkeys.path}/${text(added, "id")}`,
    method: "DELETE",
  })
  yield* tell("session.signOut", ["signed_out", "The session is over"], 200, {
    ...session,
    method: "DELETE",
    headers: ofPage,
  })
  yield* tell("assets.list", ["listed", "The currencies and tokens of payments"], 200, {
    path: "/v1/assets",
    key: partner,
  })
  yield* tell("auditLog.list", ["listed", "The newest changes"], 200, {
    path: "/v1/audit-log?limit=2",
    key: partner,
  })
  yield* tell("merchants.remove", ["removed", "A deleted merchant"], 200, {
    ...aMerchant,
    method: "DELETE",
  })
  return told
})

/** A caller that calls too often. */
const hurry = Effect.gen(function* () {
  const request = { path: "/v1/payments", key: yield* partnerWithKey("test") }
  yield* send(request)
  const { body, status } = yield* send(request)
  const told: Examples.Example = {
    operation: "*",
    name: "rate_limited",
    summary: "Too many calls",
    status,
    response: body,
  }
  return told
})

const seeded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(Fixtures.now), effect)

/** Every example, in the order of the story. */
export const record: Effect.Effect<ReadonlyArray<Examples.Example>, unknown> = Effect.gen(
  function* () {
    const told = yield* seeded(story).pipe(Effect.provide(service))
    const limit = yield* seeded(hurry).pipe(Effect.provide(limited))
    return [...told, limit]
  },
).pipe(Effect.provide(TestClock.layer()))

const path = "packages/api/src/Examples.ts"

/** The module from which the documents take their examples. */
export const render = (examples: ReadonlyArray<Examples.Example>): string =>
  execFileSync("oxfmt", ["--stdin-filepath", path], {
    encoding: "utf8",
    input: `/**
 * What the real server returned for the requests of a story. Written by \`pnpm generate\` from scripts/examples.ts: edit
 * that instead.
 *
 * @module
 */
import type * as Schema from "effect/Schema"

export interface Example {
  /** The operation's id in the document, or \`*\` where it may be any. */
  readonly operation: string
  readonly name: string
  readonly summary: string
  /** The body that was sent, if there was one. */
  readonly request?: Schema.Json
  readonly status: number
  readonly response: Schema.Json
}

export const all: ReadonlyArray<Example> = ${JSON.stringify(examples)}
`,
  })
