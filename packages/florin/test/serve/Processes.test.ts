/**
 * Two processes that serve requests and one that works, on one database and one chain. Payments continue whichever is
 * killed.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay, type PayResult } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453

/** It has gas and no token: what the ledger says is all that it may hold. */
const relayer = Wallet.make(77)

/** A machine with much else to do takes its time to start a process again. */
const patienceInMs = 180_000
const timeout = 2 * patienceInMs

type Role = "api" | "worker"

/** Everything, on one chain and one database. */
const payThroughKills = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  await Serving.giveGas(reached, relayer.address)
  const variables = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
  }
  const begin = (role: Role) => Serving.serve(variables, "--role", role, "--port", "0")
  const processes = await Promise.all([begin("api"), begin("api"), begin("worker")])
  const urls = () => processes.slice(0, 2).map(({ url }) => url)
  const [first = ""] = urls()
  const { merchantId, partnerKey, walletKey } = await Serving.register(database, first)
  const partnerAt = (baseUrl: string) => makePartner({ baseUrl, apiKey: partnerKey, merchantId })

  /** Asks whichever process answers, one after the other. */
  const atAny = async <A>(
    ask: (url: string) => Promise<A>,
    index = 0,
    endsAt = Date.now() + patienceInMs,
  ): Promise<A> => {
    const [url = ""] = urls().slice(index)
    try {
      return await ask(url)
    } catch (error) {
      if (Date.now() > endsAt) throw error
      await Serving.pause(50)
      return atAny(ask, 1 - index, endsAt)
    }
  }

  const payer = (index: number) => LocalChains.wallets[index] ?? assert.fail()
  const payLink = async (link: string, by: Wallet.Wallet): Promise<PayResult> => {
    let resume: PayResult | undefined
    return atAny(async (baseUrl) => {
      const result = await pay(link, {
        baseUrl,
        payLinkHost: Serving.payLinkHost,
        apiKey: walletKey,
        accounts: [Eip155.formatAccount(by.account(chainId))],
        signer: Payer.signer(by, [reached]),
        maxPollMs: 1000,
        ...(resume !== undefined &&
          "resume" in resume &&
          resume.resume !== undefined && { resume: resume.resume }),
      })
      resume = result
      assert.include(["Succeeded", "AlreadyFinal"], result._tag)
      return result
    })
  }
  const order = async (referenceId: string, by: Wallet.Wallet) => {
    const { gatewayUrl, paymentId } = await atAny((url) =>
      partnerAt(url).payments.create(
        { referenceId, merchantId, amount: { unit: "iso4217/USD", value: "1250" } },
        { idempotencyKey: referenceId },
      ),
    )
    return { paymentId, paying: payLink(gatewayUrl, by) }
  }

  const details = (paymentId: string) => atAny((url) => partnerAt(url).payments.get(paymentId))
  const isUnderWay = (paymentId: string) =>
    Serving.until(async () => (await details(paymentId)).status !== "requires_action")

  /** Kills one while a payment is under way, and starts it again; answers all that are being made. */
  const killing = async (index: number, role: Role) => {
    const orders = await Promise.all(
      LocalChains.wallets.map((_, each) => order(`killing ${index}, ${each}`, payer(each))),
    )
    await Promise.race(orders.map(({ paymentId }) => isUnderWay(paymentId)))
    const victim = processes[index]
    if (victim === undefined) assert.fail("there is no such process")
    await Serving.end(victim, "SIGKILL")
    processes[index] = await begin(role)
    return orders
  }
  // One after the other, as somebody must be there to answer; what they began ends meanwhile.
  const made = [
    ...(await killing(2, "worker")),
    ...(await killing(0, "api")),
    ...(await killing(1, "api")),
  ]
  await Promise.all(made.map(({ paying }) => paying))
  const paid = made.map(({ paymentId }) => paymentId)

  const isSettled = (paymentId: string) =>
    Serving.until(async () => {
      const { settlement, status } = await details(paymentId)
      assert.strictEqual(status, "succeeded")
      return settlement !== null
    })
  await Promise.all(paid.map(isSettled))
  const { stats } = await partnerAt(urls()[0] ?? "").payments.list({})
  assert.deepStrictEqual(
    [stats.totalTransactions, stats.totalRevenue],
    [paid.length, [{ amount: paid.length * 12.5, currency: "USD" }]],
  )
  const books = await Program.runIn(variables, "reconcile")
  assert.strictEqual(books.code, 0, books.out + books.err)

  const [, , worker] = processes
  const mistaken = await fetch(`${worker?.url}/v1/payments`)
  assert.strictEqual(mistaken.status, 404)
  assert.include(await mistaken.text(), "send calls to a process with --role api")
  assert.strictEqual((await fetch(`${worker?.url}/healthz`)).status, 200)
  const ends = await Promise.all(processes.map((each) => Serving.end(each, "SIGTERM")))
  assert.deepStrictEqual(
    ends.map(({ code }) => code),
    [0, 0, 0],
  )
}

describe("florin serve in three processes", () => {
  it.live(
    "P1: collects and settles every payment once, whichever process is killed and restarted",
    () => Serving.on([chainId], payThroughKills),
    timeout,
  )
})
