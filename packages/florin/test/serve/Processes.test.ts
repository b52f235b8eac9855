/**
 * Two processes that answer and one that works, on one database and one chain: whichever is killed, payments go on.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay, type PayResult } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Postgres from "@florin/postgres/Postgres"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted } from "effect"
import * as Databases from "../../../postgres/test/databases.ts"
import * as FirstPartner from "../../src/dev/FirstPartner.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/pay/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453
const payLinkHost = "pay.example.com"

/** It has gas and no token: what the ledger says is all that it may hold. */
const relayer = Wallet.make(77)

const giveGas = (rpcUrl: string) =>
  fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "anvil_setBalance",
      params: [relayer.address, "0xde0b6b3a7640000"],
    }),
  })

/** A partner with keys and a merchant, made beside the processes that run. */
const register = (database: string, baseUrl: string) =>
  FirstPartner.register(baseUrl).pipe(
    Effect.provide(
      Layer.merge(Postgres.layer({ url: Redacted.make(database) }), Identifiers.layer),
    ),
    Effect.map(({ test }) => test),
    Effect.runPromise,
  )

/** A machine with much else to do takes its time to start a process again. */
const patienceInMs = 180_000
const timeout = 2 * patienceInMs

const pause = (waitInMs: number) => new Promise((resolve) => setTimeout(resolve, waitInMs))

type Role = "api" | "worker"

/** Everything, on one chain and one database. */
const payThroughKills = (reached: LocalChains.Reached, database: string) =>
  Program.inDirectory(async () => {
    await giveGas(reached.rpcUrl)
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
    const variables = {
      DATABASE_URL: database,
      FLORIN_CHAINS: `${chainId}.finality=2`,
      FLORIN_PAY_LINK_HOST: payLinkHost,
      FLORIN_SEAL_KEY: key(1),
      FLORIN_VAULT_KEY: key(2),
      FLORIN_TEST_RPC: `${chainId}=${reached.rpcUrl}`,
      FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
    }
    const begin = (role: Role) => Serving.serve(variables, "--role", role, "--port", "0")
    const processes = await Promise.all([begin("api"), begin("api"), begin("worker")])
    const urls = () => processes.slice(0, 2).map(({ url }) => url)
    const [first = ""] = urls()
    const { merchantId, partnerKey, walletKey } = await register(database, first)
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
        await pause(50)
        return atAny(ask, 1 - index, endsAt)
      }
    }

    const payer = (index: number) => LocalChains.wallets[index] ?? assert.fail()
    const payLink = async (link: string, by: Wallet.Wallet): Promise<PayResult> => {
      let resume: PayResult | undefined
      return atAny(async (baseUrl) => {
        const result = await pay(link, {
          baseUrl,
          payLinkHost,
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
    const isUnderWay = async (paymentId: string): Promise<void> => {
      if ((await details(paymentId)).status !== "requires_action") return undefined
      await pause(50)
      return isUnderWay(paymentId)
    }

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

    const isSettled = async (paymentId: string): Promise<void> => {
      const { settlement, status } = await details(paymentId)
      assert.strictEqual(status, "succeeded")
      if (settlement !== null) return undefined
      await pause(200)
      return isSettled(paymentId)
    }
    await Promise.all(paid.map(isSettled))
    const { stats } = await partnerAt(urls()[0] ?? "").payments.list({})
    assert.deepStrictEqual(
      [stats.totalTransactions, stats.totalRevenue],
      [paid.length, [{ amount: paid.length * 12.5, currency: "USD" }]],
    )
    const books = await Program.start(["reconcile"], variables).ended
    assert.strictEqual(books.code, 0, books.out + books.err)

    const [, , worker] = processes
    const mistaken = await fetch(`${worker?.url}/v1/payments`)
    assert.strictEqual(mistaken.status, 404)
    assert.include(await mistaken.text(), "send calls to one with --role api")
    assert.strictEqual((await fetch(`${worker?.url}/healthz`)).status, 200)
    const ends = await Promise.all(processes.map((each) => Serving.end(each, "SIGTERM")))
    assert.deepStrictEqual(
      ends.map(({ code }) => code),
      [0, 0, 0],
    )
  })

describe("florin serve in three processes", () => {
  it.live(
    "takes and settles every payment once, whichever of them is killed and started again",
    () =>
      Effect.gen(function* () {
        const [reached] = yield* LocalChains.start([Eip155.chainId(chainId)], null)
        if (reached === undefined) assert.fail("there is no chain")
        const database = yield* Databases.address("empty")
        yield* Effect.promise(() => payThroughKills(reached, database))
      }).pipe(Effect.scoped),
    timeout,
  )
})
