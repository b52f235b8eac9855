/**
 * Prisma's interactive transaction as `florin.in` takes it.
 *
 * @example
 * await prisma.$transaction(async (tx) => {
 *   const { paymentId } = await florin.in(transactionOf(tx)).payments.create(payment)
 *   await tx.order.create({ data: { id, paymentId } })
 * })
 *
 * @module
 */
import type { Prisma } from "./generated/client.ts"

/** What `florin.in` takes. */
interface Transaction {
  readonly query: (
    text: string,
    values: Array<unknown>,
  ) => Promise<{ readonly rows: ReadonlyArray<object> }>
}

/** Prisma reads 64-bit integers as `bigint`, where Florin reads text, as from `pg`. */
const asPgReads = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? `${value}` : value,
    ]),
  )

export const transactionOf = (
  tx: Pick<Prisma.TransactionClient, "$queryRawUnsafe">,
): Transaction => ({
  query: async (text, values) => {
    const rows = await tx.$queryRawUnsafe<Array<object>>(text, ...values)
    return { rows: rows.map(asPgReads) }
  },
})
