/**
 * Processes with a wrong clock next to one with a right clock: real processes on anvil and PostgreSQL.
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Schema } from "effect"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Serving from "../serving.ts"

const chainId = 8453
const relayer = Wallet.make(81)
const hook = new URL("../clock.ts", import.meta.url).href

const minutes20 = 20 * 60_000
/** Ends between the right time and that of the clock that is ahead. */
const lifeInS = 15 * 60

/** A machine with much else to do takes minutes. */
const timeout = 360_000

const Readiness = Schema.Struct({
  status: Schema.String,
  checks: Schema.Struct({ storage: Schema.String }),
  clock: Schema.optionalKey(Schema.Struct({ driftInMs: Schema.Number, message: Schema.String })),
})

const readyz = async ({ url }: Serving.Served) => {
  const answer = await fetch(`${url}/readyz`)
  return {
    status: answer.status,
    body: Schema.decodeUnknownSync(Readiness)(await answer.json()),
  }
}

const linesOf = ({ said }: Serving.Served, text: string): number =>
  (said.out + said.err).split("\n").filter((line) => line.includes(text)).length

const begun = "the storage's: set both by NTP"
const ended = "the clock of this process is right again"

const besideOneThatIsRight = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
  directory: string,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  await Serving.giveGas(reached, relayer.address)
  const right = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
  }
  const file = (name: string) => join(directory, name)
  const wrong = (name: string, byInMs: number) => {
    writeFileSync(file(name), String(byInMs))
    return { ...right, NODE_OPTIONS: `--import=${hook}`, TEST_CLOCK: file(name) }
  }
  const begin = (variables: { readonly [name: string]: string }, role: "api" | "worker") =>
    Serving.serve(variables, "--role", role, "--port", "0")
  const api = await begin(right, "api")
  const { merchantId, partnerKey, walletKey } = await Serving.register(database, api.url)
  const partnerAt = (baseUrl: string) => makePartner({ baseUrl, apiKey: partnerKey, merchantId })
  const partner = partnerAt(api.url)
  const order = (referenceId: string) =>
    partner.payments.create({
      referenceId,
      amount: { unit: "iso4217/USD", value: "1250" },
      expiresAt: Math.floor(Date.now() / 1000) + lifeInS,
    })
  const open = await order("open")
  const paid = await order("paid")
  const [by = assert.fail("there is no wallet")] = LocalChains.wallets
  const payLink = (link: string) =>
    pay(link, {
      baseUrl: api.url,
      payLinkHost: Serving.payLinkHost,
      apiKey: walletKey,
      accounts: [Eip155.formatAccount(by.account(chainId))],
      signer: Payer.signer(by, [reached]),
      maxPollMs: 1000,
    })
  const statusOf = async ({ paymentId }: { readonly paymentId: string }) =>
    (await partner.payments.get(paymentId)).status
  const reaches = (payment: { readonly paymentId: string }, wanted: string) =>
    Serving.until(async () => {
      const status = await statusOf(payment)
      assert.include(["requires_action", "processing", wanted], status)
      return status === wanted
    })
  const paying = payLink(paid.gatewayUrl)
  await reaches(paid, "processing")

  // Both start, say so by themselves, and do nothing.
  const [ahead, behind] = await Promise.all([
    begin(wrong("ahead", minutes20), "worker"),
    begin(wrong("behind", -minutes20), "api"),
  ])
  for (const [served, sign] of [
    [ahead, 1],
    [behind, -1],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    await Serving.until(async () => (await readyz(served)).body.clock !== undefined)
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    const { body, status } = await readyz(served)
    assert.deepStrictEqual(
      [status, body.status, body.checks.storage],
      [503, "unavailable", "unavailable"],
    )
    assert.strictEqual(Math.round((body.clock?.driftInMs ?? 0) / 10_000), sign * 120)
    assert.include(body.clock?.message ?? "", "set both by NTP")
    assert.strictEqual(linesOf(served, begun), 1, served.said.out + served.said.err)
  }
  const refused = await fetch(`${behind.url}/v1/payments`, {
    headers: { "api-key": partnerKey, "merchant-id": merchantId },
  })
  assert.strictEqual(refused.status, 503)
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/u)
  // Long enough for many rounds of every worker; before, the first of them ended the payment.
  await Serving.pause(3000)
  assert.deepStrictEqual(await Promise.all([open, paid].map(statusOf)), [
    "requires_action",
    "processing",
  ])

  // Another whose clock is right works on beside it.
  const worker = await begin(right, "worker")
  await reaches(paid, "succeeded")
  await paying
  assert.strictEqual(await statusOf(open), "requires_action")
  for (const served of [ahead, behind]) {
    assert.strictEqual(linesOf(served, begun), 1, served.said.out + served.said.err)
    assert.strictEqual(linesOf(served, "a round of work failed"), 0)
    assert.strictEqual(linesOf(served, ended), 0)
  }
  await Serving.end(worker, "SIGKILL")

  // Once its clock is right it works by itself.
  for (const name of ["ahead", "behind"]) writeFileSync(file(name), "0")
  await Serving.until(async () => {
    const all = await Promise.all([ahead, behind].map(readyz))
    return all.every(({ status }) => status === 200)
  })
  const orderAgain = () =>
    partnerAt(behind.url).payments.create(
      { referenceId: "again", amount: { unit: "iso4217/USD", value: "1250" } },
      { idempotencyKey: "again" },
    )
  // A process that was ready may still ask a caller to come again, as this machine is busy.
  await Serving.until(async () =>
    orderAgain().then(
      () => true,
      (error: unknown) => {
        assert.propertyVal(error, "code", "unavailable", behind.said.out + behind.said.err)
        return false
      },
    ),
  )
  const again = await orderAgain()
  const payingAgain = payLink(again.gatewayUrl)
  await reaches(again, "succeeded")
  await payingAgain
  assert.strictEqual(await statusOf(open), "requires_action")
  for (const served of [ahead, behind]) {
    assert.deepStrictEqual([linesOf(served, begun), linesOf(served, ended)], [1, 1])
  }
  await Promise.all([api, ahead, behind].map((each) => Serving.end(each, "SIGTERM")))
}

describe("florin serve with a wrong clock", () => {
  it.live(
    "S8: expires nothing, stops working and reports it, while another process works, until its clock is right",
    () => Serving.on([chainId], besideOneThatIsRight),
    timeout,
  )
})
