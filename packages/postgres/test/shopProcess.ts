/**
 * A process of a shop that writes orders with their payments, and the effects of their events, until it is killed.
 *
 * @module
 */
import process from "node:process"
import * as Shop from "../test-support/shop.ts"

const [, , url = "", partnerId = "", merchantId = "", name = ""] = process.argv
const pool = Shop.poolOf(url)
const florin = Shop.florinOn({ pool }, 3000)
const whose = { partnerId, mode: "test" } as const
await Shop.followEvents(florin, whose, pool)
await florin.workers.start()
process.stdout.write("open\n")

const writeOrder = async (id: string, isCancelled: boolean) => {
  const client = await pool.connect()
  await client.query("BEGIN")
  const paymentId = await Shop.order(florin, { ...whose, merchantId }, client, id)
  if (isCancelled) await florin.in(client).payments.cancel({ ...whose, paymentId })
  await client.query("COMMIT")
  client.release()
}

const writeOrders = async (place: string, number = 1): Promise<void> => {
  await writeOrder(`${name}-${place}-${number}`, number % 3 === 0)
  return writeOrders(place, number + 1)
}
await Promise.all([writeOrders("a"), writeOrders("b"), writeOrders("c")])
