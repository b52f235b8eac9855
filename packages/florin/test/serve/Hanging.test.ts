/**
 * A chain whose node hangs next to one that responds: a real process on two anvil chains and PostgreSQL.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Listening from "../listening.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const [hung, well] = [8453, 10]
const payLinkHost = "pay.example.com"
const relayer = Wallet.make(76)

/** Stands before a node, until it takes every call and answers none. */
const before = async (rpcUrl: string) => {
  let hangs = false
  let unanswered = 0
  const listening = await Listening.start(async ({ body }, response) => {
    if (hangs) {
      unanswered += 1
      return
    }
    const headers = { "content-type": "application/json" }
    const answer = await fetch(rpcUrl, { method: "POST", headers, body })
    response.writeHead(200, headers).end(await answer.text())
  })
  return {
    ...listening,
    hang: () => {
      hangs = true
    },
    unanswered: () => unanswered,
  }
}

/** A machine with much else to do takes minutes. */
const timeout = 360_000
const waiting = 80
const paid = 6

const payBeside = (chains: ReadonlyArray<LocalChains.Reached>, database: string) =>
  Program.inDirectory(async () => {
    const [first, second] = chains
    if (first === undefined || second === undefined) assert.fail("there are no chains")
    await Promise.all([first, second].map((each) => Serving.giveGas(each, relayer.address)))
    const node = await before(first.rpcUrl)
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
    const served = await Serving.serve(
      {
        DATABASE_URL: database,
        // What is sent on the one chain waits there for all of the test.
        FLORIN_CHAINS: `${hung}.finality=10000 ${well}.finality=2`,
        FLORIN_PAY_LINK_HOST: payLinkHost,
        FLORIN_SEAL_KEY: key(1),
        FLORIN_VAULT_KEY: key(2),
        FLORIN_TEST_RPC: `${hung}=${node.url} ${well}=${second.rpcUrl}`,
        FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
        // Each of few wallets has many payments on their way.
        FLORIN_FAILURE_BUDGETS: "account=1000",
      },
      "--port",
      "0",
    )
    const { merchantId, partnerKey, walletKey } = await Serving.register(database, served.url)
    const partner = makePartner({ baseUrl: served.url, apiKey: partnerKey, merchantId })
    const statusOf = async (paymentId: string) => (await partner.payments.get(paymentId)).status
    const begin = async (chainId: number, index: number) => {
      const by = LocalChains.wallets[index % LocalChains.wallets.length] ?? assert.fail()
      const { gatewayUrl, paymentId } = await partner.payments.create({
        referenceId: `${chainId} ${index}`,
        amount: { unit: "iso4217/USD", value: "125" },
      })
      const paying = pay(gatewayUrl, {
        baseUrl: served.url,
        payLinkHost,
        apiKey: walletKey,
        accounts: [Eip155.formatAccount(by.account(chainId))],
        signer: Payer.signer(by, [first, second]),
        maxPollMs: 1000,
      })
      return { paymentId, paying }
    }
    const reaches = async (paymentId: string, wanted: string): Promise<void> => {
      const status = await statusOf(paymentId)
      if (status === wanted) return undefined
      assert.include(["requires_action", "processing"], status)
      await Serving.pause(50)
      return reaches(paymentId, wanted)
    }
    /** Pays on the chain that answers, and tells how long all of it took. */
    const payThere = async (from: number) => {
      const startedAt = performance.now()
      const begun = await Promise.all(
        Array.from({ length: paid }, (_, index) => begin(well, from + index)),
      )
      await Promise.all(begun.map(({ paymentId }) => reaches(paymentId, "succeeded")))
      await Promise.all(begun.map(({ paying }) => paying))
      return performance.now() - startedAt
    }
    // The first ones warm up.
    await payThere(0)
    const stuck: Array<string> = []
    for (let index = 0; index < waiting; index++) {
      // oxlint-disable-next-line no-await-in-loop -- Each wallet signs one after the other.
      const { paymentId, paying } = await begin(hung, index)
      void paying.catch(() => undefined)
      stuck.push(paymentId)
    }
    await Promise.all(stuck.map((each) => reaches(each, "processing")))
    const alone = await payThere(100)
    node.hang()
    // Until work hangs there.
    while (node.unanswered() === 0) {
      // oxlint-disable-next-line no-await-in-loop -- It is waited for.
      await Serving.pause(50)
    }
    const beside = await payThere(200)
    const statuses = await Promise.all(stuck.map(statusOf))
    assert.deepStrictEqual(new Set(statuses), new Set(["processing"]))
    // Before, each round waited for all calls that hang: many times as long.
    assert.isBelow(beside, 3 * alone)
    await Serving.end(served, "SIGKILL")
    node.close()
  })

describe("florin serve on a chain that hangs", () => {
  it.live(
    "S9: still processes payments on another chain",
    () =>
      Effect.gen(function* () {
        const chains = yield* LocalChains.start([hung, well].map(Eip155.chainId), null)
        const database = yield* Databases.address("empty")
        yield* Effect.promise(() => payBeside(chains, database))
      }).pipe(Effect.scoped),
    timeout,
  )
})
