/**
 * Two processes that answer and one that works, on one database and one chain: whichever is killed, payments go on.
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay, type PayResult } from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Databases from "../../../postgres/test/databases.ts"
import * as FirstPartner from "../../src/FirstPartner.ts"
import * as LocalChains from "../../src/LocalChains.ts"
import * as Payer from "../../src/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = Caip.ChainId.make(8453)
const timeout = 240_000
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

/** Runs a command that must come out, and answers what it printed. */
const command = async (
  variables: { readonly [name: string]: string },
  ...args: ReadonlyArray<string>
): Promise<string> => {
  const { code, err, out } = await Program.start(args, variables).ended
  assert.strictEqual(code, 0, `${args.join(" ")}: ${out}${err}`)
  return out.trim()
}

type Role = "api" | "worker"

/** Everything, on one chain and one database. */
const payThroughKills = (reached: LocalChains.Reached, database: string) =>
  Program.inDirectory(async (directory) => {
    await giveGas(reached.rpcUrl)
    const config = join(directory, "florin.json")
    writeFileSync(config, JSON.stringify({ chains: { [chainId]: { finality: 2 } } }))
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
    const variables = {
      DATABASE_URL: database,
      FLORIN_CONFIG: config,
      FLORIN_PAY_LINK_HOST: payLinkHost,
      FLORIN_SEAL_KEY: key(1),
      FLORIN_VAULT_KEY: key(2),
      FLORIN_TEST_RPC: `${chainId}=${reached.rpcUrl}`,
      FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
    }
    await command(variables, "migrate")
    const begin = (role: Role) => Serving.serve(variables, "--role", role, "--port", "0")
    const processes = await Promise.all([begin("api"), begin("api"), begin("worker")])
    const partnerId = await command(variables, "partners", "create", "--name", "Shop")
    const keyOf = (...owner: ReadonlyArray<string>) =>
      command(variables, "keys", "create", ...owner, "--mode", "test")
    const [partnerKey, walletKey] = await Promise.all([
      keyOf("--partner", partnerId, "--name", "till"),
      keyOf("--wallet", "Pocket"),
    ])
    const partnerAt = (baseUrl: string) => makePartner({ baseUrl, apiKey: partnerKey })
    const urls = () => processes.slice(0, 2).map(({ url }) => url)
    const [first = ""] = urls()
    const merchantId = await Effect.runPromise(FirstPartner.merchant(partnerAt(first)))

    /** Asks whichever process answers. */
    const atAny = async <A>(ask: (url: string) => Promise<A>, tries = 60): Promise<A> => {
      const [url = ""] = urls().slice(tries % 2)
      try {
        return await ask(url)
      } catch (error) {
        if (tries === 0) throw error
        return atAny(ask, tries - 1)
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
          accounts: [Caip.formatAccount(by.account(chainId))],
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
      await payLink(gatewayUrl, by)
      return paymentId
    }

    /** Kills one while payments are being made, and starts it again: each payment ends well. */
    const killing = async (index: number, role: Role): Promise<ReadonlyArray<string>> => {
      const orders = LocalChains.wallets.map((_, each) =>
        order(`killing ${index}, ${each}`, payer(each)),
      )
      const victim = processes[index]
      if (victim === undefined) assert.fail("there is no such process")
      await Serving.end(victim, "SIGKILL")
      processes[index] = await begin(role)
      return Promise.all(orders)
    }
    const paid = [
      ...(await killing(0, "api")),
      ...(await killing(1, "api")),
      ...(await killing(2, "worker")),
    ]

    const isSettled = async (paymentId: string): Promise<void> => {
      const { settlement, status } = await atAny((url) =>
        makePartner({ baseUrl: url, apiKey: partnerKey, merchantId }).payments.get(paymentId),
      )
      assert.strictEqual(status, "succeeded")
      if (settlement !== null) return undefined
      await new Promise((resolve) => setTimeout(resolve, 500))
      return isSettled(paymentId)
    }
    await Promise.all(paid.map(isSettled))
    const { stats } = await partnerAt(urls()[0] ?? "").payments.list({})
    assert.deepStrictEqual(
      [stats.totalTransactions, stats.totalRevenue],
      [paid.length, [{ amount: paid.length * 12.5, currency: "USD" }]],
    )
    await command(variables, "reconcile")
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
        const [reached] = yield* LocalChains.start([chainId], null)
        if (reached === undefined) assert.fail("there is no chain")
        const database = yield* Databases.address("empty")
        yield* Effect.promise(() => payThroughKills(reached, database))
      }).pipe(Effect.scoped),
    timeout,
  )
})
