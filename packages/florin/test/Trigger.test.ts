/**
 * `florin trigger`: each event on simulated chains. Next to `florin dev`: Pay.test.ts.
 *
 * @module
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Event from "@florin/core/domain/payment/Event"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as Counts from "@florin/testing/Counts"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Program from "./program.ts"

/** A machine with much else to do still gets there. */
const timeout = 300_000

const usdcOnBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

/** A service on simulated chains, and a merchant who is paid in USDC on Base; accounts that nobody touched hold so much. */
const open = async (unseenBalance: number) => {
  const florin = createFlorin({
    payLinkHost: "pay.example.com",
    pages: false,
    chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  const listening = await NodeListener.listen(florin, { port: 0 })
  const { url } = listening
  const { id: partnerId } = await florin.operator.partners.create({ name: "Corner" })
  const keyOf = async (mode: "live" | "test") =>
    (await florin.operator.keys.issue({ mode, partnerId, name: "a test" })).secret
  const apiKey = await keyOf("test")
  const client = makePartner({ baseUrl: url, apiKey })
  const openShop = async (merchantName: string): Promise<string> => {
    const body = { merchantName, merchantEmail: "till@door.example" }
    return (await client.merchants.create(body)).merchant.id
  }
  const merchantId = await openShop("Door")
  const destination = Eip155.formatAccount(LocalChains.treasury.account(8453))
  await client.settlements.create(merchantId, {
    settlements: [{ asset: usdcOnBase, destination }],
  })
  return {
    openShop,
    environment: { FLORIN_URL: url, FLORIN_API_KEY: apiKey, FLORIN_MERCHANT_ID: merchantId },
    liveKey: await keyOf("live"),
    close: async () => {
      await listening.close()
      await florin.dispose()
    },
  }
}

const typesIn = (out: string): ReadonlyArray<string> =>
  Array.from(out.matchAll(/^ {2}\d\d:\d\d:\d\d {3}(\S+) +evt_\w+$/gmu), ([, type = ""]) => type)

describe("florin trigger on simulated chains", () => {
  let service: Awaited<ReturnType<typeof open>> | undefined
  const opened = () => service ?? assert.fail("it did not start")
  beforeAll(async () => {
    service = await open(10_000)
  })
  afterAll(() => service?.close())

  /** Several processes, as some events take their time. */
  const trigger = async (words: ReadonlyArray<ReadonlyArray<string>>) => {
    const { environment } = opened()
    const halves = [0, 1].map((half) => words.filter((_, index) => index % 2 === half))
    const ends = await Promise.all(
      halves.map((half) =>
        Program.several(
          half.map((each) => ["trigger", ...each]),
          environment,
        ),
      ),
    )
    return halves.flatMap((half, index) =>
      half.map((each, at) => ({ words: each, ...(ends[index]?.[at] ?? assert.fail()) })),
    )
  }

  it(
    "creates a payment for every payment event, and prints all events until then",
    async () => {
      const {
        FLORIN_API_KEY: apiKey,
        FLORIN_MERCHANT_ID: merchantId,
        FLORIN_URL: baseUrl,
      } = opened().environment
      const client = makePartner({ baseUrl, apiKey })
      let described = ""
      const asJson = ["payment.cancelled", "--json"]
      // A payment expires after 10 s at the earliest.
      const types = Event.paymentEventTypes.filter(
        (type) => Counts.full || type !== "payment.expired",
      )
      const all = [...types.map((type) => [type]), asJson]
      for (const { code, err, out, words } of await trigger(all)) {
        const [wanted = ""] = words
        assert.strictEqual(code, 0, `${wanted}: ${err}${out}`)
        if (words === asJson) {
          const { events, paymentId, reached } = JSON.parse(out)
          assert.isTrue(reached)
          described = paymentId
          const about = { data: { paymentId } }
          assert.containSubset(events, [
            { type: "payment.created", ...about },
            { type: wanted, ...about },
          ])
          continue
        }
        const printed = typesIn(out)
        assert.deepStrictEqual([printed[0], printed.at(-1)], ["payment.created", wanted])
        assert.include(out, `✓ ${wanted} was sent.`)
        assert.match(out, /^ {2}details +npx florin payments show pay_\w+$/mu)
        for (const line of out.split("\n")) assert.isAtMost(line.length, 80, line)
      }
      const payment = await client.payments.get(described, { merchantId })
      assert.strictEqual(payment.description, "A test of payment.cancelled")
    },
    timeout,
  )

  it(
    "stops with exit code 1 as soon as the event cannot happen, and says why",
    async () => {
      const without = await opened().openShop("Without a destination")
      const poor = await open(0)
      const [[unpaid = assert.fail()], [broke = assert.fail()]] = await Promise.all([
        trigger([["payment.settled", "--merchant", without]]),
        Program.several([["trigger", "payment.failed"]], poor.environment),
      ])
      await poor.close()
      assert.deepStrictEqual([unpaid.code, broke.code], [1, 1])
      assert.notInclude(typesIn(unpaid.out), "payment.processing")
      assert.include(unpaid.err, "the merchant has no destination")
      assert.notInclude(typesIn(broke.out), "payment.processing")
      assert.include(broke.err, "it does not hold enough")
    },
    timeout,
  )

  it(
    "lists every event, accepts no other, and does nothing with a live key",
    async () => {
      const { environment, liveKey } = opened()
      const [listed, live, unknown, none] = await Program.several(
        [
          ["trigger", "--list"],
          ["trigger", "payment.succeeded"],
          ["trigger", "payment.paid"],
          ["trigger"],
        ],
        { ...environment, FLORIN_API_KEY: liveKey },
      )
      assert.deepStrictEqual(
        [listed, live, unknown, none].map((ended) => ended?.code),
        [0, 1, 2, 2],
      )
      for (const type of Event.paymentEventTypes) {
        assert.include(listed?.out, `  ${type} `)
        assert.include(unknown?.err, type)
      }
      assert.include(live?.err, "the key is for live payments")
      assert.notInclude(live?.err, liveKey)
      assert.include(none?.err, "trigger --list")
      const client = makePartner({ baseUrl: environment.FLORIN_URL, apiKey: liveKey })
      assert.deepStrictEqual((await client.payments.list()).data, [])
    },
    timeout,
  )
})
