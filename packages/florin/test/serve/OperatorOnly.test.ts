/**
 * `florin serve --operator-only`: what answers commands after a restore, while nothing may move. Real processes on anvil.
 *
 * @module
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453
const relayer = Wallet.make(81)

/** A machine with much else to do takes minutes. */
const timeout = 360_000

const serveOperatorOnly = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
  directory: string,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  await Serving.giveGas(reached, relayer.address)
  const keyed = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
  }
  const keyless = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYERS: Eip155.formatAddress(relayer.address),
  }
  const begin = (variables: { readonly [name: string]: string }, role: string) =>
    Serving.serve(variables, "--role", role, "--port", "0", "--directory", join(directory, role))
  const api = await begin(keyless, "api")
  const { merchantId, partnerKey, walletKey } = await Serving.register(database, api.url)
  const partner = makePartner({ baseUrl: api.url, apiKey: partnerKey, merchantId })
  const { gatewayUrl, paymentId } = await partner.payments.create({
    referenceId: "after a restore",
    amount: { unit: "iso4217/USD", value: "1250" },
  })
  const [payer = assert.fail("there is nobody")] = LocalChains.wallets
  const paying = pay(gatewayUrl, {
    baseUrl: api.url,
    payLinkHost: Serving.payLinkHost,
    apiKey: walletKey,
    accounts: [Eip155.formatAccount(payer.account(chainId))],
    signer: Payer.signer(payer, [reached]),
    maxPollMs: 1000,
  })
  const statusOf = async () => (await partner.payments.get(paymentId)).status
  await Serving.until(async () => (await statusOf()) === "processing")

  // It has the keys, as a worker has, and collects nothing.
  const args = ["--operator-only", "--directory", directory, "--operator-port", "0"]
  const service = await Serving.serve(keyed, ...args)
  const [, operator = ""] = /operator's port is open: (\S+)/u.exec(service.said.err) ?? []
  assert.strictEqual((await fetch(`${operator}/healthz`)).status, 200)
  assert.strictEqual((await fetch(`${operator}/console`)).status, 200)
  assert.deepStrictEqual(service.said.err.match(/http:\S+/gu) ?? [], [operator])
  assert.notInclude(service.said.err, "level=INFO")

  const login = ["--directory", directory, "--storage", database]
  assert.match((await Program.run("login", ...login)).out, /^flr_op_/u)
  const asked = await Program.run("payments", "list", "--directory", directory)
  assert.include(asked.err, "answers only the operator's commands: stop it, and start")

  // Its socket stays its own, and no second service begins.
  const dev = ["dev", "--storage", database, "--directory", directory]
  for (const words of [["serve", ...args], dev]) {
    // oxlint-disable-next-line no-await-in-loop -- Each is a process of its own.
    const { code, err } = await Program.runIn(keyed, ...words)
    assert.strictEqual(code, 1)
    assert.include(err, `runs in this directory already, as process ${service.child.pid}: stop it`)
    assert.notInclude(err, "Starting")
  }

  // The commands know no node and no key: only the service can answer those that look at chains.
  const place = { DATABASE_URL: database }
  const run = async (...words: ReadonlyArray<string>) => {
    const { code, err, out } = await Program.runIn(place, ...words, "--directory", directory)
    assert.strictEqual(code, 0, `${words.join(" ")}: ${err}${out}`)
    return out
  }
  assert.include(await run("reconcile", "--deep"), "The records of 1 payment agree.")
  const doctor = await Program.runIn(keyed, "doctor", "--json", "--directory", directory)
  const { checks } = JSON.parse(doctor.out)
  const items = checks.map(({ item, verdict }: Record<string, string>) => `${item} ${verdict}`)
  assert.includeMembers(items, ["halted ok", "books ok", "stuck ok", "schema ok", "database ok"])
  assert.include(await run("explain", paymentId), "waits for its money to be collected")
  assert.strictEqual(await statusOf(), "processing")

  const worker = await begin(keyed, "worker")
  assert.strictEqual((await paying)._tag, "Succeeded")
  assert.include(await run("explain", paymentId), "The payer's transfer is final: 12.50 USDC")
  await Promise.all([api, service, worker].map((each) => Serving.end(each, "SIGTERM")))
}

describe("florin serve --operator-only", () => {
  it.live(
    "S16: answers the operator's commands, while no worker runs and no public port is open",
    () => Serving.on([chainId], serveOperatorOnly),
    timeout,
  )

  it("refuses to start where no service stored anything", () =>
    Program.inDirectory(async (directory) => {
      const only = ["serve", "--operator-only", "--directory", directory]
      const [embedded, memory] = await Program.several([only, [...only, "--storage", "memory"]])
      assert.strictEqual(embedded?.code, 1)
      assert.include(embedded?.err, `there is no storage in ${directory} yet: set DATABASE_URL or`)
      assert.include(memory?.err, "there is no storage in memory yet")
    }))
})
