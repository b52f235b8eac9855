/**
 * A plugin of Better Auth: signed-in users buy products, and what they paid for is theirs. The users, their purchases and
 * the payments are in one database, so a purchase and its payment commit together, and so do "it is paid" and the event
 * that says so.
 *
 * @module
 */
import type { FlorinInDatabase } from "@florin/server/Florin"
import type { BetterAuthPlugin } from "better-auth"
import { APIError, createAuthEndpoint, sessionMiddleware } from "better-auth/api"
import type { Pool, PoolClient } from "pg"
import * as z from "zod"

export interface Options {
  readonly florin: FlorinInDatabase
  /** The pool that Better Auth has as its `database`, in the database of Florin. */
  readonly pool: Pool
  readonly partnerId: string
  readonly mode: "live" | "test"
  readonly merchantId: string
  /** What can be bought. The server knows the prices; a browser only names the product. */
  readonly products: {
    readonly [name: string]: { readonly unit: string; readonly value: string }
  }
}

interface Opened {
  readonly paymentId: string
  readonly gatewayUrl: string
}

interface Purchase {
  readonly product: string
  readonly paymentId: string
  /** `open`, `paid` or `refunded`: what the user has is what is paid. */
  readonly state: "open" | "paid" | "refunded"
  readonly createdAt: Date
}

interface Status {
  readonly status: string
}

const inTransaction = async <A>(
  pool: Pool,
  work: (client: PoolClient) => Promise<A>,
): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    const result = await work(client)
    await client.query("COMMIT")
    client.release()
    return result
  } catch (error) {
    // A connection on which not even this works is not used again.
    const isBroken = await client.query("ROLLBACK").then(
      () => false,
      () => true,
    )
    client.release(isBroken)
    throw error
  }
}

const id = "florin"

/** `await auth.$context` before `florin.workers.start()`: then the plugin follows the events of payments. */
export const florinPayments = ({ florin, merchantId, pool, products, ...whose }: Options) => {
  /** Two clicks of a user come one after the other, and the second gets the payment of the first. */
  const buy = (userId: string, product: string, amount: Options["products"][string]) =>
    inTransaction(pool, async (client): Promise<Opened> => {
      await client.query(`SELECT FROM "user" WHERE "id" = $1 FOR UPDATE`, [userId])
      const { rows } = await client.query<Opened & Purchase>(
        `SELECT "state", "paymentId", "gatewayUrl" FROM "purchase"
          JOIN florin.payment ON payment.id = "paymentId"
          WHERE "userId" = $1 AND "product" = $2 AND ("state" = 'paid' OR
            "state" = 'open' AND (payment.status IN ('processing', 'succeeded') OR
              payment.status = 'requires_action' AND payment.expires_at > now()))`,
        [userId, product],
      )
      const [present] = rows
      if (present?.state === "paid") {
        throw new APIError("CONFLICT", { message: "You have this already." })
      }
      if (present !== undefined) {
        return { paymentId: present.paymentId, gatewayUrl: present.gatewayUrl }
      }
      const { gatewayUrl, paymentId } = await florin.in(client).payments.create({
        ...whose,
        merchantId,
        referenceId: `${product} for ${userId}`,
        amount,
      })
      await client.query(
        `INSERT INTO "purchase"
          ("id", "userId", "product", "paymentId", "gatewayUrl", "state", "createdAt")
          VALUES ($1, $2, $3, $1, $4, 'open', now())`,
        [paymentId, userId, product, gatewayUrl],
      )
      return { paymentId, gatewayUrl }
    })

  return {
    id,
    /** Better Auth's own migrations create the table. */
    schema: {
      purchase: {
        fields: {
          userId: {
            type: "string",
            required: true,
            references: { model: "user", field: "id", onDelete: "cascade" },
          },
          product: { type: "string", required: true },
          paymentId: { type: "string", required: true, unique: true },
          gatewayUrl: { type: "string", required: true },
          state: { type: "string", required: true },
          createdAt: { type: "date", required: true },
        },
      },
    },

    /** The update and the acknowledgement of the event commit together: it happens once, whatever is killed. */
    init: async () => {
      await florin.onEventInTransaction(
        { ...whose, name: "better-auth", pool },
        async (event, client) => {
          if (event.type === "payment.succeeded") {
            await client.query(`UPDATE "purchase" SET "state" = 'paid' WHERE "paymentId" = $1`, [
              event.data.paymentId,
            ])
          }
          // Both are in the token that was paid. A part of the price may go back without the product.
          if (
            event.type === "refund.succeeded" &&
            event.data.refunded?.value === event.data.info?.optionAmount.value
          ) {
            await client.query(
              `UPDATE "purchase" SET "state" = 'refunded' WHERE "paymentId" = $1`,
              [event.data.paymentId],
            )
          }
        },
      )
    },

    endpoints: {
      /** Returns the payment link of a product. */
      buy: createAuthEndpoint(
        "/florin/buy",
        { method: "POST", use: [sessionMiddleware], body: z.object({ product: z.string() }) },
        async (context) => {
          const { product } = context.body
          const amount = Object.hasOwn(products, product) ? products[product] : undefined
          if (amount === undefined) {
            throw new APIError("NOT_FOUND", { message: "There is no such product." })
          }
          return context.json(await buy(context.context.session.user.id, product, amount))
        },
      ),

      /** What the user has bought, newest first. */
      purchases: createAuthEndpoint(
        "/florin/purchases",
        { method: "GET", use: [sessionMiddleware] },
        async (context) => {
          const { rows } = await pool.query<Purchase>(
            `SELECT "product", "paymentId", "state", "createdAt" FROM "purchase"
              WHERE "userId" = $1 ORDER BY "createdAt" DESC`,
            [context.context.session.user.id],
          )
          return context.json(rows)
        },
      ),

      /** The status of one of the user's payments, as `usePayment` of `@florin/embed/react` reads it. */
      payment: createAuthEndpoint(
        "/florin/payment",
        { method: "GET", use: [sessionMiddleware], query: z.object({ id: z.string() }) },
        async (context) => {
          const { rows } = await pool.query<Status>(
            `SELECT payment.status FROM "purchase" JOIN florin.payment ON payment.id = "paymentId"
              WHERE "userId" = $1 AND "paymentId" = $2`,
            [context.context.session.user.id, context.query.id],
          )
          const [found] = rows
          if (found === undefined) {
            throw new APIError("NOT_FOUND", { message: "You have no such payment." })
          }
          const isFinal = !["requires_action", "processing"].includes(found.status)
          return context.json({ status: found.status, isFinal })
        },
      ),
    },

    // A user who buys again and again makes rows, but nothing is paid.
    rateLimit: [{ window: 60, max: 20, pathMatcher: (path) => path === "/florin/buy" }],
  } satisfies BetterAuthPlugin
}
