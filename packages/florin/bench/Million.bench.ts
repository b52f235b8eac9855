/**
 * A shop's year in one run: payments are created, signed, collected, final, paid out and reconciled, by one process of
 * the program on a PostgreSQL that waits for the disk, and on a local chain. In the middle the process is killed, as with
 * `kill -9`, and started again. Its callers repeat what they were not answered.
 *
 * What was lost or doubled is read from the chain, which the service cannot talk round: what payers have less, and what
 * merchants have more.
 *
 * @example
 * pnpm bench million --payments 100000
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import process, { stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { PaymentOption } from "@florin/api/wire/Option"
import { makePartner, makeWallet } from "@florin/client"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Fees from "@florin/core/domain/money/Fees"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Postgres from "@florin/postgres/Postgres"
import * as Confusables from "@florin/server/Confusables"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Programs from "../../../scripts/vitest-programs.ts"
import * as Connection from "../../postgres/src/Connection.ts"
import * as Server from "../../postgres/test-support/server.ts"
import * as Member from "../test/chaos/Member.ts"
import * as Program from "../test/program.ts"
import * as Serving from "../test/serving.ts"

const payments = Number(process.env["PAYMENTS"] ?? 1000)
const [callersAtOnce, payers, shops, finality] = [32, 200, 20, 2]
const chainId = Eip155.chainId(8453)
const coin = 10n ** 18n
const usdc =
  BuiltIn.catalog.assets.find((each) => each.symbol === "USDC" && each.token.chainId === chainId)
    ?.token ?? raise("there is no USDC")
const price = { unit: "iso4217/USD", value: "125" }
const priceInUnits = 1_250_000n

function raise(message: string): never {
  throw new Error(message)
}

const wallets = Array.from({ length: payers }, (_, index) => Wallet.make(5_100_000 + index))
const treasuries = Array.from({ length: shops }, (_, index) => Wallet.make(5_200_000 + index))
const relayer = Wallet.make(5_300_000)

/** What the service says of a call, and would say again; undefined of one that it did not answer, or only for now. */
const refusalOf = (error: unknown): string | undefined =>
  error instanceof Error &&
  "status" in error &&
  typeof error.status === "number" &&
  error.status < 500 &&
  error.status !== 429
    ? error.message
    : undefined

/** Repeats a call until it is answered: the process may be dead. */
const insist = async <A>(call: () => Promise<A>): Promise<A> => {
  try {
    return await call()
  } catch (error) {
    if (refusalOf(error) !== undefined) throw error
    await sleep(200)
    return insist(call)
  }
}

/** Waits for an option: a payer whose other payments are still to be collected is offered none beyond its budget. */
const offered = async (
  ask: () => ReturnType<ReturnType<typeof makeWallet>["options"]>,
): Promise<PaymentOption> => {
  const [option] = (await ask()).options ?? []
  if (option !== undefined) return option
  await sleep(1000)
  return offered(ask)
}

/** What the kernel says of a process after its name; nothing of one that has ended. */
const statOf = (pid: number | string): ReadonlyArray<string> => {
  const read = Result.try(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  return Result.isSuccess(read)
    ? read.success.slice(read.success.lastIndexOf(")") + 2).split(" ")
    : []
}

/** User and system time in ms, of a process or, with two fields more, of its ended children too. */
const cpuOf = (pid: number | string | null | undefined, fields = 2): number =>
  statOf(pid ?? "")
    .slice(11, 11 + fields)
    .reduce((sum, ticks) => sum + Number(ticks) * 10, 0)

/** Of a server and all that it started, also of what has ended. */
const cpuOfAll = (pid: number | undefined): number =>
  readdirSync("/proc")
    .filter((name) => statOf(name)[1] === String(pid))
    .reduce((sum, child) => sum + cpuOf(child), cpuOf(pid, 4))

const say = (name: string, value: string): void =>
  void stdout.write(`${name.padEnd(34)} ${value}\n`)

const million = (directory: string) =>
  Effect.gen(function* () {
    const server = yield* Server.makeIn(tmpdir(), { fsync: "on", full_page_writes: "on" })
    const chain = yield* LocalChain.make({ chainId, blocks: { everyInMs: 1000 } })
    const held = 10n ** 15n
    yield* Effect.forEach(wallets, ({ address }) => chain.fund(usdc.address, address, held))
    yield* chain.fundGas(relayer.address, 100_000n * coin)
    yield* chain.mine(finality + 1)

    const programs = yield* Effect.promise(Programs.make)
    const program =
      programs[fileURLToPath(new URL("../src/main.ts", import.meta.url))] ?? raise("no program")
    const variables = {
      ...Serving.variables(server.url, [{ chainId: 8453, rpcUrl: chain.rpcUrl }]),
      FLORIN_CHAINS: `8453.finality=${finality} 8453.gasAllowance=${coin}`,
      FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
      FLORIN_RATE_LIMIT: "0",
    }
    const member = yield* Effect.acquireRelease(
      Effect.promise(() =>
        Member.make({ name: "all", role: "all", program, variables, directory, report: raise }),
      ),
      ({ kill }) => Effect.promise(kill),
    )
    yield* Effect.promise(member.start)

    const { partnerKey, walletKey } = yield* Effect.gen(function* () {
      const { id } = yield* Keys.createPartner({ name: "Bench", feeTerms: Fees.none })
      yield* Merchants.changePartner(id, { payouts: { _tag: "Batched", everyInMs: 10_000 } })
      const keyOf = (owner: Parameters<typeof Keys.issue>[0]["owner"]) =>
        Keys.issue({
          mode: "test",
          owner,
          name: "bench",
          expiresAt: null,
          ...(owner._tag === "Partner" && { scopes: ApiKey.PartnerScope.literals }),
        })
      const [partner, wallet] = [
        yield* keyOf({ _tag: "Partner", partnerId: id }),
        yield* keyOf({ _tag: "Wallet", name: "W", iconUrl: null, versionPin: "2026-02-18" }),
      ]
      return { partnerKey: partner.text, walletKey: wallet.text }
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          Postgres.layer({ url: Redacted.make(server.url) }),
          Identifiers.layer,
          Confusables.layer,
        ),
      ),
    )
    const partner = makePartner({ baseUrl: member.url, apiKey: partnerKey })
    const wallet = makeWallet({ baseUrl: member.url, apiKey: walletKey })
    const merchants = yield* Effect.forEach(treasuries, ({ address }, index) =>
      Effect.promise(async () => {
        const { merchant } = await partner.merchants.create({
          merchantName: `Shop ${index}`,
          merchantEmail: "shop@example.com",
        })
        const destination = Eip155.formatAccount({ chainId, address })
        await partner.settlements.create(merchant.id, {
          settlements: [{ asset: Eip155.formatToken(usdc), destination }],
        })
        return merchant.id
      }),
    )

    const payOne = async (nth: number): Promise<void> => {
      const by = wallets[nth % payers] ?? raise("nobody pays")
      const merchantId = merchants[nth % shops] ?? raise("no shop")
      const { paymentId } = await insist(() =>
        partner.payments.create(
          { referenceId: `order ${nth}`, amount: price },
          { merchantId, idempotencyKey: `order ${nth}` },
        ),
      )
      const accounts = [Eip155.formatAccount(by.account(chainId))]
      const pay = async (): Promise<void> => {
        const option = await offered(() => insist(() => wallet.options(paymentId, { accounts })))
        const [action] = option.actions ?? []
        if (action?.type !== "walletRpc") return raise("nothing can be signed")
        const signature = await by.request({
          chainId: Caip.ChainId.make(action.data.chain_id),
          method: "eth_signTypedData_v4",
          params: action.data.params,
        })
        const results = [{ type: "walletRpc" as const, data: [signature] }]
        try {
          await insist(() => wallet.confirm(paymentId, { optionId: option.id, results }))
        } catch (error) {
          // Another payment of this payer took the last of its budget after this one was offered an option.
          if (refusalOf(error)?.includes("are not final yet") !== true) throw error
          await sleep(1000)
          await pay()
        }
      }
      await pay()
    }

    let [begun, usedBefore] = [0, -cpuOf(member.pid())]
    const theirsBefore = cpuOfAll(server.pid())
    const beganAt = performance.now()
    const caller = async (): Promise<void> => {
      const nth = begun++
      if (nth >= payments) return
      if (nth === Math.floor(payments / 2)) {
        usedBefore += cpuOf(member.pid())
        await member.kill()
        await member.start()
        say("killed and started again", `after ${nth} payments`)
      }
      await payOne(nth)
      await caller()
    }
    const secondsSince = () => (performance.now() - beganAt) / 1000
    const rate = (seconds: number) => `${(payments / seconds).toFixed(0)} payments a second`
    yield* Effect.promise(() => Promise.all(Array.from({ length: callersAtOnce }, caller)))
    say("created and signed", rate(secondsSince()))

    const balance = ({ address }: Wallet.Wallet) => {
      const data = `0x70a08231${address.slice(2).padStart(64, "0")}`
      return Effect.map(chain.request("eth_call", [{ to: usdc.address, data }, "latest"]), (word) =>
        BigInt(String(word)),
      )
    }
    const heldBy = (owners: ReadonlyArray<Wallet.Wallet>) =>
      Effect.map(Effect.forEach(owners, balance, { concurrency: 8 }), (balances) =>
        balances.reduce((sum, each) => sum + each, 0n),
      )
    const due = BigInt(payments) * priceInUnits
    const pause = (waitInMs: number) => Effect.promise(() => sleep(waitInMs))
    while ((yield* heldBy(treasuries)) < due) yield* pause(1000)
    const seconds = secondsSince()
    // A payout that is sent twice would be in one of the next blocks.
    yield* pause(15_000)
    const received = yield* heldBy(treasuries)
    const spent = BigInt(payers) * held - (yield* heldBy(wallets))
    const ours = usedBefore + cpuOf(member.pid())
    const theirs = cpuOfAll(server.pid()) - theirsBefore
    const [{ bytes = 0 } = {}] = yield* Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ bytes: number }>`SELECT pg_database_size(current_database())::float8 AS bytes`,
    ).pipe(Effect.provide(Connection.layer({ url: Redacted.make(server.url) })))
    const reconciled = spawnSync(process.execPath, [program, "reconcile", "--deep"], {
      env: { PATH: process.env["PATH"], ...variables },
      encoding: "utf8",
    })

    const isAgreed = reconciled.status === 0
    const each = (ms: number) => `${(ms / payments).toFixed(1)} ms a payment`
    say("payments", String(payments))
    say("paid out", `${rate(seconds)}, in ${seconds.toFixed(0)} s`)
    say("processor time of ours", each(ours))
    say("processor time of PostgreSQL", each(theirs))
    say(
      "database",
      `${(bytes / 1e9).toFixed(3)} GB, ${(bytes / payments / 1000).toFixed(1)} kB a payment`,
    )
    const count = (units: bigint) => String(units / priceInUnits)
    say("lost", `${count(due > received ? due - received : 0n)} payments`)
    say(
      "doubled",
      `${count(received > due ? received - due : 0n)} payouts, ${count(spent > due ? spent - due : 0n)} charges`,
    )
    say("reconcile --deep", isAgreed ? "agrees" : `${reconciled.stdout}${reconciled.stderr}`)
    if (received !== due || spent !== due || !isAgreed) process.exitCode = 1
  })

await Program.inDirectory((directory) => Effect.runPromise(Effect.scoped(million(directory))))
process.exit()
