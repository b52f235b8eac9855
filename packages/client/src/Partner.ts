/**
 * A partner's calls for payments, refunds, merchants and settlements, and its events.
 *
 * Every call may be retried. A call that creates something carries an Idempotency-Key, the same in each retry.
 *
 * @module
 */
import type * as Queries from "@florin/api/Query"
import type * as Approval from "@florin/api/wire/Approval"
import type * as Asset from "@florin/api/wire/Asset"
import type * as AuditEntry from "@florin/api/wire/AuditEntry"
import type * as Key from "@florin/api/wire/Key"
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import type * as Payout from "@florin/api/wire/Payout"
import type * as Refund from "@florin/api/wire/Refund"
import type * as Settlement from "@florin/api/wire/Settlement"
import type * as Statement from "@florin/api/wire/Statement"
import type * as Webhook from "@florin/api/wire/Webhook"
import type * as Schema from "effect/Schema"
import * as Connection from "./Connection.ts"
import type * as Event from "./Event.ts"
import * as EventStream from "./EventStream.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"

type PaymentQuery = Schema.Struct.Type<typeof Queries.payments>
type StatisticsQuery = Schema.Struct.Type<typeof Queries.statistics>
type EventQuery = Schema.Struct.Type<typeof Queries.page>
type AuditQuery = Schema.Struct.Type<typeof Queries.page>
type DeliveryQuery = Schema.Struct.Type<typeof Queries.page>
type PayoutQuery = Schema.Struct.Type<typeof Queries.payouts>
/** The first and the last day, in UTC: `2026-09-01`. */
type StatementQuery = Omit<Schema.Struct.Type<typeof Queries.statement>, "format">
type MerchantQuery = Schema.Struct.Type<typeof Queries.merchants>

/** Options of calls about a merchant. By default it is the client's own merchant. */
interface Of extends Connection.Stop {
  readonly merchantId?: string
}

interface Polling extends Of {
  /** Lets the service hold the call until something changes, for 25 seconds at most. */
  readonly maxPollMs?: number
}

interface Once extends Connection.Stop {
  /**
   * Identifies what is created, so that a second call creates no second one. By default a new key is generated for each
   * call.
   */
  readonly idempotencyKey?: string
}

export interface PartnerOptions extends Connection.Options {
  /** The merchant of calls that name none. */
  readonly merchantId?: string
}

/** Yields every item of a list, page by page. A page is fetched when its first item is requested. */
async function* items<Page extends { readonly nextCursor: string | null }, Item>(
  pageAt: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => ReadonlyArray<Item>,
  start: string | undefined,
): AsyncGenerator<Item, void> {
  let cursor = start
  do {
    // oxlint-disable-next-line no-await-in-loop -- A page names the next.
    const page = await pageAt(cursor)
    yield* itemsOf(page)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

const make = (options: PartnerOptions) => {
  const call = Connection.make(options)
  const prepare = Connection.makePrepare(options)
  const at = (...parts: ReadonlyArray<string>) =>
    `/v1/${parts.map((part) => encodeURIComponent(part)).join("/")}`
  const of = ({ merchantId = options.merchantId }: Of) => ({ "Merchant-Id": merchantId })
  const once = ({ idempotencyKey = IdempotencyKey.make() }: Once) => ({
    "Idempotency-Key": idempotencyKey,
  })

  const listPayments = (path: string, query: PaymentQuery, how: Of) =>
    call<Payment.Page>({
      method: "GET",
      path,
      query,
      headers: of(how),
      signal: how.signal,
      responseMembers: ["data", "nextCursor", "stats"],
    })
  const allPayments = (
    path: string,
    query: PaymentQuery,
    how: Of,
  ): AsyncGenerator<Payment.Item, void> =>
    items(
      (cursor) => listPayments(path, cursor === undefined ? query : { ...query, cursor }, how),
      ({ data }) => data,
      query.cursor,
    )
  const listMerchants = (query: MerchantQuery, { signal }: Connection.Stop) =>
    call<Merchant.Page>({
      method: "GET",
      path: at("merchants"),
      query,
      signal,
      responseMembers: ["merchants", "nextCursor"],
    })
  const listEvents = (query: EventQuery, { signal }: Connection.Stop) =>
    call<Event.EventPage>({
      method: "GET",
      path: at("events"),
      query,
      signal,
      responseMembers: ["data", "nextCursor", "hasMore"],
    })

  const listPayouts = (query: PayoutQuery, { signal }: Connection.Stop) =>
    call<Payout.Page>({
      method: "GET",
      path: at("payouts"),
      query,
      signal,
      responseMembers: ["data", "nextCursor"],
    })

  const listAuditLog = (query: AuditQuery, { signal }: Connection.Stop) =>
    call<AuditEntry.Page>({
      method: "GET",
      path: at("audit-log"),
      query,
      signal,
      responseMembers: ["data", "nextCursor"],
    })

  const listDeliveries = (webhookId: string, query: DeliveryQuery, { signal }: Connection.Stop) =>
    call<Webhook.DeliveryPage>({
      method: "GET",
      path: at("webhooks", webhookId, "deliveries"),
      query,
      signal,
      responseMembers: ["data", "nextCursor"],
    })

  return {
    payments: {
      /** Creates a payment. The payer opens its `gatewayUrl`. */
      create: (body: Payment.CreateRequest, how: Of & Once = {}) =>
        call<Payment.Created>({
          method: "POST",
          path: at("payments"),
          body,
          headers: { ...(body.merchantId === undefined ? of(how) : {}), ...once(how) },
          signal: how.signal,
          responseMembers: ["paymentId", "gatewayUrl"],
        }),
      /** Everything about a payment: amounts, proof, settlement and refunds. */
      get: (paymentId: string, how: Of = {}) =>
        call<Payment.Details>({
          method: "GET",
          path: at("payments", paymentId),
          headers: of(how),
          signal: how.signal,
          responseMembers: ["referenceId", "status"],
        }),
      /** The status, or the next one if `maxPollMs` lets the call wait for it. */
      status: (paymentId: string, how: Polling = {}) =>
        call<Payment.StatusResponse>({
          method: "GET",
          path: at("payments", paymentId, "status"),
          query: { maxPollMs: how.maxPollMs },
          headers: of(how),
          signal: how.signal,
          responseMembers: ["status", "isFinal"],
        }),
      /** Cancels the payment for the merchant. A repeated call on a cancelled payment returns the same response. */
      cancel: (paymentId: string, how: Of = {}) =>
        call<Payment.Cancelled>({
          method: "POST",
          path: at("payments", paymentId, "cancel"),
          body: {},
          headers: of(how),
          signal: how.signal,
          responseMembers: ["status"],
        }),
      /** One page. */
      list: (query: PaymentQuery = {}, how: Of = {}) => listPayments(at("payments"), query, how),
      /** Counts by day, week or month of a time zone, by status and by token. */
      statistics: (query: StatisticsQuery = {}, how: Of = {}) =>
        call<Payment.Statistics>({
          method: "GET",
          path: at("payments", "statistics"),
          query,
          headers: of(how),
          signal: how.signal,
          responseMembers: ["buckets", "statuses", "tokens"],
        }),
      /** The payments of every page. */
      all: (query: PaymentQuery = {}, how: Of = {}) => allPayments(at("payments"), query, how),
      /** One page of a merchant's payments. */
      listOfMerchant: (merchantId: string, query: PaymentQuery = {}, how: Connection.Stop = {}) =>
        listPayments(at("merchants", "payments"), query, { ...how, merchantId }),
      /** A merchant's payments, of every page. */
      allOfMerchant: (merchantId: string, query: PaymentQuery = {}, how: Connection.Stop = {}) =>
        allPayments(at("merchants", "payments"), query, { ...how, merchantId }),
    },
    refunds: {
      /**
       * Refunds a payment or, with `amount`, a part of it. If a response was lost, the retry returns the same refund.
       *
       * @example
       * await florin.refunds.create({ paymentId, amount: { unit: "iso4217/USD", value: "250" } })
       */
      create: (body: Refund.RefundRequest, how: Of & Once = {}) =>
        call<Refund.Refund>({
          method: "POST",
          path: at("refunds"),
          body,
          headers: { ...of(how), ...once(how) },
          signal: how.signal,
          responseMembers: ["refundId", "status"],
        }),
      /**
       * The text that the account that paid has to sign before a refund goes to another account. Pass it to `create`,
       * with the signature as `proof`.
       */
      destination: (body: Refund.DestinationRequest, how: Of = {}) =>
        call<Refund.Statement>({
          method: "POST",
          path: at("refunds", "destination"),
          body,
          headers: of(how),
          signal: how.signal,
          responseMembers: ["statement", "expiresAt"],
        }),
      /** All refunds of a payment, newest first. */
      list: (paymentId: string, how: Of = {}) =>
        call<Refund.List>({
          method: "GET",
          path: at("refunds"),
          query: { paymentId },
          headers: of(how),
          signal: how.signal,
          responseMembers: ["data"],
        }),
      get: (refundId: string, how: Of = {}) =>
        call<Refund.Refund>({
          method: "GET",
          path: at("refunds", refundId),
          headers: of(how),
          signal: how.signal,
          responseMembers: ["refundId", "status"],
        }),
    },
    payouts: {
      /** One page of the transfers to merchants, newest first. */
      list: (query: PayoutQuery = {}, how: Connection.Stop = {}) => listPayouts(query, how),
      /** The payouts of every page. */
      all: (query: PayoutQuery = {}, how: Connection.Stop = {}) =>
        items(
          (cursor) => listPayouts(cursor === undefined ? query : { ...query, cursor }, how),
          ({ data }) => data,
          query.cursor,
        ),
      /** One payout, with the payments that it pays. */
      get: (payoutId: string, { signal }: Connection.Stop = {}) =>
        call<Payout.Details>({
          method: "GET",
          path: at("payouts", payoutId),
          signal,
          responseMembers: ["id", "payments"],
        }),
    },
    merchants: {
      /** Creates a merchant. Payments can be created for it right away. */
      create: (body: Merchant.CreateRequest, how: Once = {}) =>
        call<Merchant.Response>({
          method: "POST",
          path: at("merchants"),
          body,
          headers: once(how),
          signal: how.signal,
          responseMembers: ["merchant"],
        }),
      get: (merchantId: string, { signal }: Connection.Stop = {}) =>
        call<Merchant.ProfileResponse>({
          method: "GET",
          path: at("merchants", merchantId),
          signal,
          responseMembers: ["merchant"],
        }),
      update: (
        merchantId: string,
        body: Merchant.UpdateRequest,
        { signal }: Connection.Stop = {},
      ) =>
        call<Merchant.Response>({
          method: "PATCH",
          path: at("merchants", merchantId),
          body,
          signal,
          responseMembers: ["merchant"],
        }),
      /** What a merchant was owed, received and was paid out in a period, per token. */
      statement: (
        merchantId: string,
        { from, to }: StatementQuery,
        { signal }: Connection.Stop = {},
      ) =>
        call<Statement.Statement>({
          method: "GET",
          path: at("merchants", merchantId, "statement"),
          query: { from, to },
          signal,
          responseMembers: ["merchantId", "tokens"],
        }),
      /** Removes a merchant: it takes no new payments. Existing payments stay, and still settle. */
      remove: (merchantId: string, { signal }: Connection.Stop = {}) =>
        call<Settlement.Deleted>({
          method: "DELETE",
          path: at("merchants", merchantId),
          signal,
          responseMembers: ["deleted"],
        }),
      /** One page. */
      list: (query: MerchantQuery = {}, how: Connection.Stop = {}) => listMerchants(query, how),
      /** The merchants of every page. */
      all: (query: MerchantQuery = {}, how: Connection.Stop = {}) =>
        items(
          (cursor) => listMerchants(cursor === undefined ? query : { ...query, cursor }, how),
          ({ merchants }) => merchants,
          query.cursor,
        ),
    },
    events: {
      /** One page, oldest first. It always has a cursor: keep it, and use it later to get new events. */
      list: (query: EventQuery = {}, how: Connection.Stop = {}) => listEvents(query, how),
      /** Every event until now. */
      all: (query: EventQuery = {}, how: Connection.Stop = {}) =>
        items(
          async (cursor) => {
            const page = await listEvents(cursor === undefined ? query : { ...query, cursor }, how)
            return { ...page, nextCursor: page.hasMore ? page.nextCursor : null }
          },
          ({ data }) => data,
          query.cursor,
        ),
      /**
       * Every event after a cursor, and then each new one as it happens. The stream reconnects by itself, and neither
       * loses nor repeats events. Store the cursor of the last event that you handled, to resume from there after a
       * restart. The stream ends only if its signal aborts or you leave the loop. It throws if the service refuses the
       * call.
       *
       * @example
       * for await (const { cursor, event } of florin.events.stream({ cursor: await load() })) {
       *   await handle(event)
       *   await save(cursor)
       * }
       */
      stream: (
        { cursor }: { readonly cursor?: string | undefined } = {},
        how: Connection.Stop = {},
      ) =>
        EventStream.follow(
          (last) =>
            prepare({
              method: "GET",
              path: at("events", "stream"),
              headers: { "Last-Event-ID": last },
            }),
          options,
          cursor,
          how.signal,
        ),
    },
    webhooks: {
      /**
       * Creates a webhook: the service sends later events to its URL. Only this response, and that to a retry of the
       * same call, contains the secret.
       */
      create: (body: Webhook.CreateRequest, how: Once = {}) =>
        call<Webhook.WithSecret>({
          method: "POST",
          path: at("webhooks"),
          body,
          headers: once(how),
          signal: how.signal,
          responseMembers: ["webhook", "secret"],
        }),
      /** All active webhooks. */
      list: ({ signal }: Connection.Stop = {}) =>
        call<Webhook.List>({
          method: "GET",
          path: at("webhooks"),
          signal,
          responseMembers: ["webhooks"],
        }),
      get: (webhookId: string, { signal }: Connection.Stop = {}) =>
        call<Webhook.Response>({
          method: "GET",
          path: at("webhooks", webhookId),
          signal,
          responseMembers: ["webhook"],
        }),
      change: (webhookId: string, body: Webhook.ChangeRequest, { signal }: Connection.Stop = {}) =>
        call<Webhook.Response>({
          method: "PATCH",
          path: at("webhooks", webhookId),
          body,
          signal,
          responseMembers: ["webhook"],
        }),
      /** Stops all deliveries to a webhook; past deliveries can still be read. */
      remove: (webhookId: string, { signal }: Connection.Stop = {}) =>
        call<Settlement.Deleted>({
          method: "DELETE",
          path: at("webhooks", webhookId),
          signal,
          responseMembers: ["deleted"],
        }),
      /** Creates a new secret. For 24 hours the previous one signs, too. */
      rotate: (webhookId: string, how: Once = {}) =>
        call<Webhook.WithSecret>({
          method: "POST",
          path: at("webhooks", webhookId, "rotate"),
          headers: once(how),
          signal: how.signal,
          responseMembers: ["webhook", "secret"],
        }),
      /** Sends a test event without data to this webhook only. */
      test: (webhookId: string, { signal }: Connection.Stop = {}) =>
        call<Webhook.Test>({
          method: "POST",
          path: at("webhooks", webhookId, "test"),
          signal,
          responseMembers: ["eventId", "deliveryId"],
        }),
      /** One page of the webhook's deliveries and their states, newest first. */
      deliveries: (webhookId: string, query: DeliveryQuery = {}, how: Connection.Stop = {}) =>
        listDeliveries(webhookId, query, how),
      /** The deliveries of every page. */
      allDeliveries: (webhookId: string, query: DeliveryQuery = {}, how: Connection.Stop = {}) =>
        items(
          (cursor) =>
            listDeliveries(webhookId, cursor === undefined ? query : { ...query, cursor }, how),
          ({ data }) => data,
          query.cursor,
        ),
      /** Sends a delivery again, whatever its state. */
      redeliver: (webhookId: string, deliveryId: string, { signal }: Connection.Stop = {}) =>
        call<Webhook.Delivery>({
          method: "POST",
          path: at("webhooks", webhookId, "deliveries", deliveryId, "redeliver"),
          signal,
          responseMembers: ["id", "state"],
        }),
      /** Sends the events of a period again. */
      replay: (webhookId: string, body: Webhook.ReplayRequest, { signal }: Connection.Stop = {}) =>
        call<Webhook.Replayed>({
          method: "POST",
          path: at("webhooks", webhookId, "replay"),
          body,
          signal,
          responseMembers: ["deliveries"],
        }),
    },
    keys: {
      /**
       * Creates a key with no more permissions than the key of this client. Only this response, and that to a retry of
       * the same call, contains the text of the key.
       */
      create: (body: Key.CreateRequest, how: Once = {}) =>
        call<Key.WithSecret>({
          method: "POST",
          path: at("keys"),
          body,
          headers: once(how),
          signal: how.signal,
          responseMembers: ["key", "secret"],
        }),
      /** All valid keys. */
      list: ({ signal }: Connection.Stop = {}) =>
        call<Key.List>({ method: "GET", path: at("keys"), signal, responseMembers: ["keys"] }),
      /** Replaces a key. Both are valid for 24 hours. */
      rotate: (keyId: string, body: Key.RotateRequest = {}, how: Once = {}) =>
        call<Key.WithSecret>({
          method: "POST",
          path: at("keys", keyId, "rotate"),
          body,
          headers: once(how),
          signal: how.signal,
          responseMembers: ["key", "secret"],
        }),
      /** Revokes a key immediately, and the keys that were created with it. */
      revoke: (keyId: string, { signal }: Connection.Stop = {}) =>
        call<Key.Revoked>({
          method: "DELETE",
          path: at("keys", keyId),
          signal,
          responseMembers: ["revoked"],
        }),
    },
    approvals: {
      /**
       * What waits for a second person, if the operator set that for the partner. A call that needs one is refused with
       * `approval_required`; once it is approved, repeat it.
       */
      list: ({ signal }: Connection.Stop = {}) =>
        call<Approval.List>({
          method: "GET",
          path: at("approvals"),
          signal,
          responseMembers: ["approvals"],
        }),
      /** Lets the request of another person pass, once. */
      approve: (id: string, { signal }: Connection.Stop = {}) =>
        call<Approval.Decided>({
          method: "POST",
          path: at("approvals", id, "approve"),
          signal,
          responseMembers: ["id"],
        }),
      /** Ends a request, of another person or your own. */
      decline: (id: string, { signal }: Connection.Stop = {}) =>
        call<Approval.Decided>({
          method: "POST",
          path: at("approvals", id, "decline"),
          signal,
          responseMembers: ["id"],
        }),
    },
    auditLog: {
      /** One page of what the partner's keys wrote, and what the operator wrote for the partner, newest first. */
      list: (query: AuditQuery = {}, how: Connection.Stop = {}) => listAuditLog(query, how),
      /** The entries of every page. */
      all: (query: AuditQuery = {}, how: Connection.Stop = {}) =>
        items(
          (cursor) => listAuditLog(cursor === undefined ? query : { ...query, cursor }, how),
          ({ data }) => data,
          query.cursor,
        ),
    },
    assets: {
      /** The tokens that the service accepts, and whether each is offered now. */
      list: ({ signal }: Connection.Stop = {}) =>
        call<Asset.List>({
          method: "GET",
          path: at("assets"),
          signal,
          responseMembers: ["assets"],
        }),
    },
    settlements: {
      list: (merchantId: string, { signal }: Connection.Stop = {}) =>
        call<Settlement.Settlements>({
          method: "GET",
          path: at("merchants", merchantId, "settlements"),
          signal,
          responseMembers: ["crypto"],
        }),
      /** Registers all of the destinations, or none. */
      create: (merchantId: string, body: Settlement.CreateRequest, how: Once = {}) =>
        call<Settlement.Created>({
          method: "POST",
          path: at("merchants", merchantId, "settlements", "crypto"),
          body,
          headers: once(how),
          signal: how.signal,
          responseMembers: ["settlements"],
        }),
      change: (
        merchantId: string,
        settlementId: string,
        body: Settlement.ChangeRequest,
        { signal }: Connection.Stop = {},
      ) =>
        call<Settlement.CryptoSettlement>({
          method: "PUT",
          path: at("merchants", merchantId, "settlements", "crypto", settlementId),
          body,
          signal,
          responseMembers: ["id", "destination"],
        }),
      /** Removes a destination. Later payments in that asset stay owed. */
      remove: (merchantId: string, settlementId: string, { signal }: Connection.Stop = {}) =>
        call<Settlement.Deleted>({
          method: "DELETE",
          path: at("merchants", merchantId, "settlements", "crypto", settlementId),
          signal,
          responseMembers: ["deleted"],
        }),
    },
  }
}

/** A partner's calls. An interface, so that an editor shows its name and not all of its members. */
export interface Partner extends ReturnType<typeof make> {}

/**
 * A client with a partner's key.
 *
 * @example
 * const florin = makePartner({ baseUrl: "https://api.florin.example", apiKey, merchantId })
 * const { gatewayUrl } = await florin.payments.create({
 *   referenceId: "ORDER-7",
 *   amount: { unit: "iso4217/USD", value: "1250" },
 * })
 * for await (const payment of florin.payments.all({ status: ["succeeded"] })) book(payment)
 */
export const makePartner: (options: PartnerOptions) => Partner = make
