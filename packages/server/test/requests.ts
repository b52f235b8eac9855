/**
 * One good request for every operation of the interface, and the properties that generated tests need: the ids in it,
 * and the problem if they do not exist.
 *
 * @module
 */
import * as Scene from "./scene.ts"
import * as Subjects from "./subjects.ts"

/** Ids that are well formed and name nothing. */
export const absent = {
  merchantId: "mrch_00000000000000000000000000",
  paymentId: "pay_00000000000000000000000000",
  destinationId: "crypto_00000000000000000000000000",
  payoutId: Subjects.noPayoutId,
  refundId: Subjects.noRefundId,
  ...Subjects.noWebhook,
  keyId: Subjects.noKeyId,
  approvalId: Subjects.noKeyId,
} as const

export type Name = keyof typeof absent

export interface Row {
  /** How far the payment must be for the request to succeed. */
  readonly payment: Subjects.Stage
  readonly request: (subject: Subjects.Subject) => Omit<Scene.Sent, "key">
  readonly success: 200 | 201
  /** The ids in the request: each may be another partner's, absent or malformed. */
  readonly names: ReadonlyArray<Name>
  /** The code of the 404 if one of them does not exist. */
  readonly missing: string
  /** Whether a deleted merchant is treated as absent. */
  readonly forgetsDeleted: boolean
  /**
   * Effect of a `Merchant-Id` header with another merchant of the same partner: none, the payment is not found, or the
   * request is about that other merchant.
   */
  readonly header: "ignored" | "hides" | "leads"
  /** The id that a list shows to its owner only. */
  readonly shows?: Name
}

const inPath = encodeURIComponent

const gateway = (request: Row["request"]): Row => ({
  payment: "open",
  request,
  success: 200,
  names: ["paymentId"],
  missing: "payment_not_found",
  forgetsDeleted: false,
  header: "ignored",
})

const reading = (path: (id: string) => string): Row => ({
  payment: "open",
  request: ({ merchantId, paymentId }) => ({
    path: path(inPath(paymentId)),
    headers: { "Merchant-Id": merchantId },
  }),
  success: 200,
  names: ["paymentId", "merchantId"],
  missing: "payment_not_found",
  forgetsDeleted: false,
  header: "hides",
})

const creating = (path: string): Row => ({
  payment: "open",
  request: ({ merchantId }) => ({
    path,
    headers: { "Merchant-Id": merchantId },
    body: { referenceId: "ORDER", amount: { unit: "iso4217/USD", value: "1234" } },
  }),
  success: 201,
  names: ["merchantId"],
  missing: "merchant_not_found",
  forgetsDeleted: true,
  header: "leads",
})

const listing = (path: string): Row => ({
  ...creating(path),
  request: ({ merchantId }) => ({ path, headers: { "Merchant-Id": merchantId } }),
  success: 200,
  forgetsDeleted: false,
  shows: "paymentId",
})

const ofMerchant = (request: Row["request"], more: Partial<Row> = {}): Row => ({
  payment: "open",
  request,
  success: 200,
  names: ["merchantId"],
  missing: "not_found",
  forgetsDeleted: true,
  header: "ignored",
  ...more,
})

const ofDestination = (request: Row["request"]): Row =>
  ofMerchant(request, { names: ["merchantId", "destinationId"] })

const ofWebhook = (request: Row["request"], more: Partial<Row> = {}): Row => ({
  ...ofMerchant(request),
  payment: "hooked",
  names: ["webhookId"],
  forgetsDeleted: false,
  ...more,
})

const ofKey = (request: Row["request"], more: Partial<Row> = {}): Row => ({
  ...ofMerchant(request),
  payment: "keyed",
  names: ["keyId"],
  forgetsDeleted: false,
  ...more,
})

const ofApproval = (request: Row["request"], more: Partial<Row> = {}): Row => ({
  ...ofMerchant(request),
  payment: "asked",
  names: ["approvalId"],
  forgetsDeleted: false,
  ...more,
})

const usdcOnOptimism = "eip155:10/erc20:0x0b2c639c533813f4aa9d7837caf62653d097ff85"

export const rows: { readonly [operation: string]: Row } = {
  "gateway.get": gateway(({ paymentId }) => ({ path: `/v1/gateway/payment/${inPath(paymentId)}` })),
  "gateway.options": gateway(({ paymentId }) => ({
    path: `/v1/gateway/payment/${inPath(paymentId)}/options`,
    body: { accounts: [Scene.accountOf(Scene.payer, Scene.chains.eip3009)] },
  })),
  "gateway.fetch": gateway(({ confirm, paymentId }) => ({
    path: `/v1/gateway/payment/${inPath(paymentId)}/fetch`,
    body: { optionId: confirm.optionId, data: "" },
  })),
  "gateway.confirm": gateway(({ confirm, paymentId }) => ({
    path: `/v1/gateway/payment/${inPath(paymentId)}/confirm`,
    body: confirm,
  })),
  "gateway.status": gateway(({ paymentId }) => ({
    path: `/v1/gateway/payment/${inPath(paymentId)}/status`,
  })),
  "gateway.cancel": gateway(({ paymentId }) => ({
    path: `/v1/gateway/payment/${inPath(paymentId)}/cancel`,
    body: {},
  })),
  "payments.create": creating("/v1/payments"),
  "payments.createAlias": creating("/v1/merchant/payment"),
  "payments.list": listing("/v1/payments"),
  "payments.listOfMerchant": listing("/v1/merchants/payments"),
  "payments.listOfMerchantByPath": ofMerchant(
    ({ merchantId }) => ({ path: `/v1/merchants/${inPath(merchantId)}/payments` }),
    { missing: "merchant_not_found", forgetsDeleted: false, shows: "paymentId" },
  ),
  "payments.statistics": {
    ...ofMerchant(({ merchantId }) => ({
      path: "/v1/payments/statistics",
      headers: { "Merchant-Id": merchantId },
    })),
    missing: "merchant_not_found",
    forgetsDeleted: false,
    header: "leads",
  },
  "payments.get": reading((id) => `/v1/payments/${id}`),
  "payments.status": reading((id) => `/v1/payments/${id}/status`),
  "payments.statusAlias": reading((id) => `/v1/merchant/payment/${id}/status`),
  "payments.cancel": {
    ...reading((id) => `/v1/payments/${id}/cancel`),
    request: ({ merchantId, paymentId }) => ({
      path: `/v1/payments/${inPath(paymentId)}/cancel`,
      headers: { "Merchant-Id": merchantId },
      body: {},
    }),
  },
  "merchants.create": ofMerchant(
    () => ({
      path: "/v1/merchants",
      headers: { "Idempotency-Key": Scene.fresh("matrix") },
      body: { merchantName: "New Shop", merchantEmail: "new@example.com" },
    }),
    { names: [], success: 201 },
  ),
  "merchants.list": ofMerchant(() => ({ path: "/v1/merchants?limit=200" }), {
    names: [],
    shows: "merchantId",
  }),
  "merchants.get": ofMerchant(({ merchantId }) => ({
    path: `/v1/merchants/${inPath(merchantId)}`,
  })),
  "merchants.update": ofMerchant(({ merchantId }) => ({
    method: "PATCH",
    path: `/v1/merchants/${inPath(merchantId)}`,
    body: { merchantName: "Renamed" },
  })),
  "merchants.remove": ofMerchant(
    ({ merchantId }) => ({ method: "DELETE", path: `/v1/merchants/${inPath(merchantId)}` }),
    { forgetsDeleted: false },
  ),
  "merchants.statement": ofMerchant(
    ({ merchantId }) => ({
      path: `/v1/merchants/${inPath(merchantId)}/statement?from=2026-09-01&to=2026-09-30`,
    }),
    { forgetsDeleted: false },
  ),
  "settlements.list": ofMerchant(({ merchantId }) => ({
    path: `/v1/merchants/${inPath(merchantId)}/settlements`,
  })),
  "settlements.create": ofMerchant(
    ({ merchantId }) => ({
      path: `/v1/merchants/${inPath(merchantId)}/settlements/crypto`,
      headers: { "Idempotency-Key": Scene.fresh("matrix") },
      body: {
        settlements: [{ asset: usdcOnOptimism, destination: Scene.accountOf(Scene.treasury, 10) }],
      },
    }),
    { success: 201 },
  ),
  "settlements.change": ofDestination(({ destinationId, merchantId }) => ({
    method: "PUT",
    path: `/v1/merchants/${inPath(merchantId)}/settlements/crypto/${inPath(destinationId)}`,
    body: { destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009) },
  })),
  "settlements.remove": ofDestination(({ destinationId, merchantId }) => ({
    method: "DELETE",
    path: `/v1/merchants/${inPath(merchantId)}/settlements/crypto/${inPath(destinationId)}`,
  })),
  "refunds.create": {
    payment: "paid",
    request: ({ merchantId, paymentId }) => ({
      path: "/v1/refunds",
      headers: { "Merchant-Id": merchantId },
      body: { paymentId },
    }),
    success: 200,
    names: ["paymentId", "merchantId"],
    missing: "not_found",
    forgetsDeleted: false,
    header: "hides",
  },
  "refunds.destination": {
    payment: "paid",
    request: ({ merchantId, paymentId }) => ({
      path: "/v1/refunds/destination",
      headers: { "Merchant-Id": merchantId },
      body: {
        paymentId,
        destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009),
      },
    }),
    success: 200,
    names: ["paymentId", "merchantId"],
    missing: "not_found",
    forgetsDeleted: false,
    header: "hides",
  },
  "events.list": ofMerchant(() => ({ path: "/v1/events?limit=200" }), {
    names: [],
    forgetsDeleted: false,
    shows: "paymentId",
  }),
  "events.stream": ofMerchant(() => ({ path: "/v1/events/stream" }), {
    names: [],
    forgetsDeleted: false,
  }),
  "webhooks.create": ofWebhook(
    () => ({
      path: "/v1/webhooks",
      headers: { "Idempotency-Key": Scene.fresh("matrix") },
      body: { url: "https://hooks.example.com/" },
    }),
    { names: [], success: 201 },
  ),
  "webhooks.list": ofWebhook(() => ({ path: "/v1/webhooks" }), { names: [], shows: "webhookId" }),
  "webhooks.get": ofWebhook(({ webhookId }) => ({ path: `/v1/webhooks/${inPath(webhookId)}` })),
  "webhooks.change": ofWebhook(({ webhookId }) => ({
    method: "PATCH",
    path: `/v1/webhooks/${inPath(webhookId)}`,
    body: { url: "https://other.example.com/" },
  })),
  "webhooks.remove": ofWebhook(({ webhookId }) => ({
    method: "DELETE",
    path: `/v1/webhooks/${inPath(webhookId)}`,
  })),
  "webhooks.rotate": ofWebhook(
    ({ webhookId }) => ({
      method: "POST",
      path: `/v1/webhooks/${inPath(webhookId)}/rotate`,
      headers: { "Idempotency-Key": Scene.fresh("matrix") },
    }),
    { success: 201 },
  ),
  "webhooks.test": ofWebhook(
    ({ webhookId }) => ({ method: "POST", path: `/v1/webhooks/${inPath(webhookId)}/test` }),
    { success: 201 },
  ),
  "webhooks.deliveries": ofWebhook(({ webhookId }) => ({
    path: `/v1/webhooks/${inPath(webhookId)}/deliveries`,
  })),
  "webhooks.redeliver": ofWebhook(
    ({ deliveryId, webhookId }) => ({
      method: "POST",
      path: `/v1/webhooks/${inPath(webhookId)}/deliveries/${inPath(deliveryId)}/redeliver`,
    }),
    { names: ["webhookId", "deliveryId"] },
  ),
  "webhooks.replay": ofWebhook(({ webhookId }) => ({
    path: `/v1/webhooks/${inPath(webhookId)}/replay`,
    body: { from: "2026-09-21T00:00:00Z", to: "2026-09-22T00:00:00Z" },
  })),
  "keys.create": ofKey(
    () => ({
      path: "/v1/keys",
      headers: { "Idempotency-Key": Scene.fresh("matrix") },
      body: { name: "A key", scopes: ["keys"] },
    }),
    { names: [], success: 201 },
  ),
  "keys.list": ofKey(() => ({ path: "/v1/keys" }), { names: [], shows: "keyId" }),
  "keys.rotate": ofKey(
    ({ keyId }) => ({
      path: `/v1/keys/${inPath(keyId)}/rotate`,
      headers: { "Idempotency-Key": Scene.fresh("matrix") },
      body: {},
    }),
    { success: 201 },
  ),
  "keys.revoke": ofKey(({ keyId }) => ({
    method: "DELETE",
    path: `/v1/keys/${inPath(keyId)}`,
  })),
  "approvals.list": ofApproval(() => ({ path: "/v1/approvals" }), {
    names: [],
    shows: "approvalId",
  }),
  "approvals.approve": ofApproval(({ approvalId }) => ({
    method: "POST",
    path: `/v1/approvals/${inPath(approvalId)}/approve`,
  })),
  "approvals.decline": ofApproval(({ approvalId }) => ({
    method: "POST",
    path: `/v1/approvals/${inPath(approvalId)}/decline`,
  })),
  "auditLog.list": ofMerchant(() => ({ path: "/v1/audit-log?limit=200" }), {
    names: [],
    forgetsDeleted: false,
    shows: "paymentId",
  }),
  "assets.list": ofMerchant(() => ({ path: "/v1/assets" }), { names: [], forgetsDeleted: false }),
  "balances.list": ofMerchant(
    ({ merchantId }) => ({ path: `/v1/balances?merchantId=${inPath(merchantId)}` }),
    { names: [], forgetsDeleted: false },
  ),
  "payouts.list": ofMerchant(
    ({ merchantId }) => ({ path: `/v1/payouts?merchantId=${inPath(merchantId)}` }),
    { names: [], forgetsDeleted: false },
  ),
  "payouts.get": ofMerchant(({ payoutId }) => ({ path: `/v1/payouts/${inPath(payoutId)}` }), {
    payment: "paid",
    names: ["payoutId"],
    forgetsDeleted: false,
  }),
  "refunds.list": {
    payment: "refunded",
    request: ({ merchantId, paymentId }) => ({
      path: `/v1/refunds?paymentId=${inPath(paymentId)}`,
      headers: { "Merchant-Id": merchantId },
    }),
    success: 200,
    names: ["paymentId", "merchantId"],
    missing: "not_found",
    forgetsDeleted: false,
    header: "hides",
  },
  "refunds.get": {
    payment: "refunded",
    request: ({ merchantId, refundId }) => ({
      path: `/v1/refunds/${inPath(refundId)}`,
      headers: { "Merchant-Id": merchantId },
    }),
    success: 200,
    names: ["refundId", "merchantId"],
    missing: "not_found",
    forgetsDeleted: false,
    header: "hides",
  },
}
