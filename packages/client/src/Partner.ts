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
import type * as Balance from "@florin/api/wire/Balance"
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
type PageQuery = Schema.Struct.Type<typeof Queries.page>
type BalanceQuery = Schema.Struct.Type<typeof Queries.balances>
type PayoutQuery = Schema.Struct.Type<typeof Queries.payouts>
/** The first and the last day, in UTC: `2026-09-01`. */
type StatementQuery = Omit<Schema.Struct.Type<typeof Queries.statement>, "format">
type MerchantQuery = Schema.Struct.Type<typeof Queries.merchants>

/** Options of calls about a merchant. By default it is the client's own merchant. */
interface Of extends Connection.Stop {
  readonly merchantId?: string
}

interface Polling extends Of, Connection.Polling {}

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
async function* items<
  Query extends { readonly cursor?: string | undefined },
  Page extends { readonly nextCursor: string | null },
  Item,
>(
  query: Query,
  list: (query: Query) => Promise<Page>,
  itemsOf: (page: Page) => ReadonlyArray<Item>,
): AsyncGenerator<Item, void> {
  let { cursor } = query
  do {
    // oxlint-disable-next-line no-await-in-loop -- A page names the next.
    const page = await list(cursor === undefined ? query : { ...query, cursor })
    yield* itemsOf(page)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** The items of most pages. */
const dataOf = <Item>({ data }: { readonly data: ReadonlyArray<Item> }): ReadonlyArray<Item> => data

const make = (options: PartnerOptions) => {
  const call = Connection.make(options)
  const get = Connection.via(call, "GET")
  const post = Connection.via(call, "POST")
  const put = Connection.via(call, "PUT")
  const patch = Connection.via(call, "PATCH")
  const remove = Connection.via(call, "DELETE")
  const prepare = Connection.makePrepare(options)
  const at = (...parts: ReadonlyArray<string>) =>
    `/v1/${parts.map((part) => encodeURIComponent(part)).join("/")}`
  const of = ({ merchantId = options.merchantId, signal }: Of) => ({
    signal,
    headers: { "Merchant-Id": merchantId },
  })
  const once = ({ idempotencyKey = IdempotencyKey.make(), signal }: Once) => ({
    signal,
    headers: { "Idempotency-Key": idempotencyKey },
  })
  const ofOnce = (how: Of & Once) => ({
    signal: how.signal,
    headers: { ...of(how).headers, ...once(how).headers },
  })

  const listPayments = (path: string, query: PaymentQuery, how: Of) =>
    get<Payment.Page>(path, ["data", "nextCursor", "stats"], { query, ...of(how) })
  const allPayments = (
    path: string,
    query: PaymentQuery,
    how: Of,
  ): AsyncGenerator<Payment.Item, void> =>
    items(query, (page) => listPayments(path, page, how), dataOf)
  const listMerchants = (query: MerchantQuery = {}, how: Connection.Stop = {}) =>
    get<Merchant.Page>(at("merchants"), ["merchants", "nextCursor"], { ...how, query })
  const listEvents = (query: PageQuery = {}, how: Connection.Stop = {}) =>
    get<Event.EventPage>(at("events"), ["data", "nextCursor", "hasMore"], { ...how, query })
  const listPayouts = (query: PayoutQuery = {}, how: Connection.Stop = {}) =>
    get<Payout.Page>(at("payouts"), ["data", "nextCursor"], { ...how, query })
  const listBalances = (query: BalanceQuery = {}, how: Connection.Stop = {}) =>
    get<Balance.MerchantPage>(at("balances"), ["data", "nextCursor"], { ...how, query })
  const listAuditLog = (query: PageQuery = {}, how: Connection.Stop = {}) =>
    get<AuditEntry.Page>(at("audit-log"), ["data", "nextCursor"], { ...how, query })
  const listDeliveries = (webhookId: string, query: PageQuery = {}, how: Connection.Stop = {}) =>
    get<Webhook.DeliveryPage>(at("webhooks", webhookId, "deliveries"), ["data", "nextCursor"], {
      ...how,
      query,
    })

  return {
    payments: {
      /** Creates a payment. The payer opens its `gatewayUrl`. */
      create: (body: Payment.CreateRequest, how: Of & Once = {}) =>
        post<Payment.Created>(at("payments"), ["paymentId", "gatewayUrl"], {
          body,
          ...(body.merchantId === undefined ? ofOnce(how) : once(how)),
        }),
      /** Everything about a payment: amounts, proof, settlement and refunds. */
      get: (paymentId: string, how: Of = {}) =>
        get<Payment.Details>(at("payments", paymentId), ["referenceId", "status"], of(how)),
      /** The status, or the next one if `maxPollMs` lets the call wait for it. */
      status: (paymentId: string, how: Polling = {}) =>
        get<Payment.StatusResponse>(at("payments", paymentId, "status"), ["status", "isFinal"], {
          query: { maxPollMs: how.maxPollMs },
          ...of(how),
        }),
      /** Cancels the payment for the merchant. A repeated call on a cancelled payment returns the same response. */
      cancel: (paymentId: string, how: Of = {}) =>
        post<Payment.Cancelled>(at("payments", paymentId, "cancel"), ["status"], {
          body: {},
          ...of(how),
        }),
      /** One page. */
      list: (query: PaymentQuery = {}, how: Of = {}) => listPayments(at("payments"), query, how),
      /** Counts by day, week or month of a time zone, by status and by token. */
      statistics: (query: StatisticsQuery = {}, how: Of = {}) =>
        get<Payment.Statistics>(at("payments", "statistics"), ["buckets", "statuses", "tokens"], {
          query,
          ...of(how),
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
        post<Refund.Refund>(at("refunds"), ["refundId", "status"], { body, ...ofOnce(how) }),
      /**
       * The text that the account that paid has to sign before a refund goes to another account. Pass it to `create`,
       * with the signature as `proof`.
       */
      destination: (body: Refund.DestinationRequest, how: Of = {}) =>
        post<Refund.Statement>(at("refunds", "destination"), ["statement", "expiresAt"], {
          body,
          ...of(how),
        }),
      /** All refunds of a payment, newest first. */
      list: (paymentId: string, how: Of = {}) =>
        get<Refund.List>(at("refunds"), ["data"], { query: { paymentId }, ...of(how) }),
      get: (refundId: string, how: Of = {}) =>
        get<Refund.Refund>(at("refunds", refundId), ["refundId", "status"], of(how)),
    },
    payouts: {
      /** One page of the transfers to merchants, newest first. */
      list: listPayouts,
      /** The payouts of every page. */
      all: (query: PayoutQuery = {}, how: Connection.Stop = {}) =>
        items(query, (page) => listPayouts(page, how), dataOf),
      /** One payout, with the payments that it pays. */
      get: (payoutId: string, stop: Connection.Stop = {}) =>
        get<Payout.Details>(at("payouts", payoutId), ["id", "payments"], stop),
    },
    balances: {
      /**
       * One page of what merchants are owed, by merchant and token.
       *
       * @example
       * const { data } = await florin.balances.list({ merchantId })
       * data.map(({ available, display }) => `${available.value} of the smallest unit of ${display.assetSymbol}`)
       */
      list: listBalances,
      /** The balances of every page. */
      all: (query: BalanceQuery = {}, how: Connection.Stop = {}) =>
        items(query, (page) => listBalances(page, how), dataOf),
    },
    merchants: {
      /** Creates a merchant. Payments can be created for it right away. */
      create: (body: Merchant.CreateRequest, how: Once = {}) =>
        post<Merchant.Response>(at("merchants"), ["merchant"], { body, ...once(how) }),
      get: (merchantId: string, stop: Connection.Stop = {}) =>
        get<Merchant.ProfileResponse>(at("merchants", merchantId), ["merchant"], stop),
      update: (merchantId: string, body: Merchant.UpdateRequest, stop: Connection.Stop = {}) =>
        patch<Merchant.Response>(at("merchants", merchantId), ["merchant"], { ...stop, body }),
      /** What a merchant was owed, received and was paid out in a period, per token. */
      statement: (merchantId: string, { from, to }: StatementQuery, stop: Connection.Stop = {}) =>
        get<Statement.Statement>(
          at("merchants", merchantId, "statement"),
          ["merchantId", "tokens"],
          { ...stop, query: { from, to } },
        ),
      /** Removes a merchant: it takes no new payments. Existing payments stay, and still settle. */
      remove: (merchantId: string, stop: Connection.Stop = {}) =>
        remove<Settlement.Deleted>(at("merchants", merchantId), ["deleted"], stop),
      /** One page. */
      list: listMerchants,
      /** The merchants of every page. */
      all: (query: MerchantQuery = {}, how: Connection.Stop = {}) =>
        items(
          query,
          (page) => listMerchants(page, how),
          ({ merchants }) => merchants,
        ),
    },
    events: {
      /** One page, oldest first. It always has a cursor: keep it, and use it later to get new events. */
      list: listEvents,
      /** Every event until now. */
      all: (query: PageQuery = {}, how: Connection.Stop = {}) =>
        items(
          query,
          async (next) => {
            const page = await listEvents(next, how)
            return { ...page, nextCursor: page.hasMore ? page.nextCursor : null }
          },
          dataOf,
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
        post<Webhook.WithSecret>(at("webhooks"), ["webhook", "secret"], { body, ...once(how) }),
      /** All active webhooks. */
      list: (stop: Connection.Stop = {}) => get<Webhook.List>(at("webhooks"), ["webhooks"], stop),
      get: (webhookId: string, stop: Connection.Stop = {}) =>
        get<Webhook.Response>(at("webhooks", webhookId), ["webhook"], stop),
      change: (webhookId: string, body: Webhook.ChangeRequest, stop: Connection.Stop = {}) =>
        patch<Webhook.Response>(at("webhooks", webhookId), ["webhook"], { ...stop, body }),
      /** Stops all deliveries to a webhook; past deliveries can still be read. */
      remove: (webhookId: string, stop: Connection.Stop = {}) =>
        remove<Settlement.Deleted>(at("webhooks", webhookId), ["deleted"], stop),
      /** Creates a new secret. For 24 hours the previous one signs, too. */
      rotate: (webhookId: string, how: Once = {}) =>
        post<Webhook.WithSecret>(
          at("webhooks", webhookId, "rotate"),
          ["webhook", "secret"],
          once(how),
        ),
      /** Sends a test event without data to this webhook only. */
      test: (webhookId: string, stop: Connection.Stop = {}) =>
        post<Webhook.Test>(at("webhooks", webhookId, "test"), ["eventId", "deliveryId"], stop),
      /** One page of the webhook's deliveries and their states, newest first. */
      deliveries: listDeliveries,
      /** The deliveries of every page. */
      allDeliveries: (webhookId: string, query: PageQuery = {}, how: Connection.Stop = {}) =>
        items(query, (page) => listDeliveries(webhookId, page, how), dataOf),
      /** Sends a delivery again, whatever its state. */
      redeliver: (webhookId: string, deliveryId: string, stop: Connection.Stop = {}) =>
        post<Webhook.Delivery>(
          at("webhooks", webhookId, "deliveries", deliveryId, "redeliver"),
          ["id", "state"],
          stop,
        ),
      /** Sends the events of a period again. */
      replay: (webhookId: string, body: Webhook.ReplayRequest, stop: Connection.Stop = {}) =>
        post<Webhook.Replayed>(at("webhooks", webhookId, "replay"), ["deliveries"], {
          ...stop,
          body,
        }),
    },
    keys: {
      /**
       * Creates a key with no more permissions than the key of this client. Only this response, and that to a retry of
       * the same call, contains the text of the key.
       */
      create: (body: Key.CreateRequest, how: Once = {}) =>
        post<Key.WithSecret>(at("keys"), ["key", "secret"], { body, ...once(how) }),
      /** All valid keys. */
      list: (stop: Connection.Stop = {}) => get<Key.List>(at("keys"), ["keys"], stop),
      /** Replaces a key. Both are valid for 24 hours. */
      rotate: (keyId: string, body: Key.RotateRequest = {}, how: Once = {}) =>
        post<Key.WithSecret>(at("keys", keyId, "rotate"), ["key", "secret"], {
          body,
          ...once(how),
        }),
      /** Revokes a key immediately, and the keys that were created with it. */
      revoke: (keyId: string, stop: Connection.Stop = {}) =>
        remove<Key.Revoked>(at("keys", keyId), ["revoked"], stop),
    },
    approvals: {
      /**
       * What waits for a second person, if the operator set that for the partner. A call that needs one is refused with
       * `approval_required`; once it is approved, repeat it.
       */
      list: (stop: Connection.Stop = {}) =>
        get<Approval.List>(at("approvals"), ["approvals"], stop),
      /** Lets the request of another person pass, once. If you approve again, you get the same response. */
      approve: (id: string, stop: Connection.Stop = {}) =>
        post<Approval.Decided>(at("approvals", id, "approve"), ["id"], stop),
      /** Ends a request, of another person or your own. */
      decline: (id: string, stop: Connection.Stop = {}) =>
        post<Approval.Decided>(at("approvals", id, "decline"), ["id"], stop),
    },
    auditLog: {
      /** One page of what the partner's keys wrote, and what the operator wrote for the partner, newest first. */
      list: listAuditLog,
      /** The entries of every page. */
      all: (query: PageQuery = {}, how: Connection.Stop = {}) =>
        items(query, (page) => listAuditLog(page, how), dataOf),
    },
    assets: {
      /** The tokens that the service accepts, and whether each is offered now. */
      list: (stop: Connection.Stop = {}) => get<Asset.List>(at("assets"), ["assets"], stop),
    },
    settlements: {
      list: (merchantId: string, stop: Connection.Stop = {}) =>
        get<Settlement.Settlements>(at("merchants", merchantId, "settlements"), ["crypto"], stop),
      /** Registers all of the destinations, or none. */
      create: (merchantId: string, body: Settlement.CreateRequest, how: Once = {}) =>
        post<Settlement.Created>(
          at("merchants", merchantId, "settlements", "crypto"),
          ["settlements"],
          { body, ...once(how) },
        ),
      change: (
        merchantId: string,
        settlementId: string,
        body: Settlement.ChangeRequest,
        stop: Connection.Stop = {},
      ) =>
        put<Settlement.CryptoSettlement>(
          at("merchants", merchantId, "settlements", "crypto", settlementId),
          ["id", "destination"],
          { ...stop, body },
        ),
      /** Removes a destination. Later payments in that asset stay owed. */
      remove: (merchantId: string, settlementId: string, stop: Connection.Stop = {}) =>
        remove<Settlement.Deleted>(
          at("merchants", merchantId, "settlements", "crypto", settlementId),
          ["deleted"],
          stop,
        ),
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
