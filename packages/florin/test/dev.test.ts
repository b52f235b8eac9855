import { existsSync, rmSync, statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import * as Wallet from "@florin/testing/Wallet"
import { Result } from "effect"
import * as Payer from "../src/Payer.ts"
import * as Place from "../src/Place.ts"
import type * as ReadyFile from "../src/ReadyFile.ts"
import * as Late from "./late.ts"
import * as Program from "./program.ts"

const payment = (referenceId: string) => ({
  referenceId,
  amount: { unit: "iso4217/USD", value: "1250" },
})

/** Pays a link with the first wallet that the ready file names. */
const payLink = (ready: ReadyFile.Ready, walletKey: string, link: string) => {
  const wallet = Wallet.make(ready.wallets[0]?.privateKey ?? "")
  return pay(link, {
    baseUrl: ready.baseUrl,
    payLinkHost: ready.payLinkHost,
    apiKey: walletKey,
    accounts: ready.chains.map(({ chainId }) => Caip.formatAccount(wallet.account(chainId))),
    signer: Payer.signer(wallet, ready.chains),
  })
}

const partnerOf = (
  { baseUrl }: ReadyFile.Ready,
  { merchantId, partnerKey }: ReadyFile.Ready["live"],
) => makePartner({ baseUrl, apiKey: partnerKey, merchantId })

const isThere = (url: string): Promise<boolean> =>
  fetch(url, { method: "POST", body: "{}" }).then(
    () => true,
    () => false,
  )

describe("florin dev --once", () => {
  it("pays in every way, settles, gives back, reconciles, and ends with 0", async () => {
    const { code, err, out } = await Program.run("dev", "--once", "--chains", "8453,56")
    assert.strictEqual(code, 0, out + err)
    assert.deepStrictEqual(
      [...out.matchAll(/^ ?(\d+) {2}(.*)$/gmu)].map(([, , step]) => step),
      [
        "A merchant says where its money goes",
        "A payer pays 12.50 USD for order-1042 with one signature",
        "A payer pays 12.50 USD for order-1043 with one transaction and one signature",
        "A payer pays 12.50 USD for order-1044 with one transaction and one signed message",
        "The merchant is paid out, less the fee",
        "The first payment is given back to the payer, from the operator's float",
        "The books are held against the chains",
      ],
    )
    assert.include(out, "order-1042: 12.35 USDC in 0x")
    assert.include(out, "order-1043: 12.35 USD")
    assert.notInclude(out, "\u001b")
  })
})

/** A machine with much else to do still gets there. */
const timeout = 120_000

const kept = (directory: string): Place.Lasting => {
  const place = Result.getOrThrow(Place.parse("embedded", directory))
  return place._tag === "Memory" ? assert.fail("it is not kept") : place
}

describe("florin dev", () => {
  it(
    "takes payments of both modes, ends with Ctrl-C, and goes on with its data and its chain",
    () =>
      Program.inDirectory(async (directory) => {
        const first = await Program.dev(directory, "--chains", "8453")
        const { ready } = first
        const partner = partnerOf(ready, ready)
        const [paid, live] = await Promise.all([
          partner.payments.create(payment("paid")),
          partnerOf(ready, ready.live).payments.create(payment("live")),
        ])
        const results = await Promise.all([
          payLink(ready, ready.walletKey, paid.gatewayUrl),
          payLink(ready, ready.live.walletKey, live.gatewayUrl),
        ])
        assert.deepStrictEqual(
          results.map(({ _tag }) => _tag),
          ["Succeeded", "Succeeded"],
          JSON.stringify(results),
        )
        assert.strictEqual(statSync(first.readyFile).mode & 0o777, 0o600)
        const busy = await Program.run("reconcile", "--directory", directory)
        assert.strictEqual(busy.code, 1)
        assert.match(busy.err, /is in use by process \d+ \(florin dev/u)

        const ended = await Program.interrupt(first)
        assert.strictEqual(ended.code, 0, ended.out + ended.err)
        assert.isFalse(existsSync(first.readyFile))
        const there = await Promise.all(ready.chains.map(({ rpcUrl }) => isThere(rpcUrl)))
        assert.deepStrictEqual(there, [false])
        const lines = ended.out.split("\n").filter((line) => line.startsWith("{"))
        assert.isAtLeast(lines.length, 3)
        for (const line of lines) assert.notInclude(line, "flr_")

        const second = await Program.dev(directory, "--chains", "8453")
        assert.strictEqual(second.ready.partnerKey, ready.partnerKey)
        assert.deepStrictEqual(second.ready.wallets, ready.wallets)
        const { status } = await partnerOf(second.ready, ready).payments.get(paid.paymentId)
        assert.strictEqual(status, "succeeded")
        assert.strictEqual((await Program.interrupt(second)).code, 0)

        rmSync(Place.chainsDirectory(kept(directory)), { recursive: true })
        const anew = await Program.run(
          "dev",
          "--once",
          "--storage",
          "embedded",
          "--chains",
          "8453",
          "--directory",
          directory,
        )
        assert.strictEqual(anew.code, 1)
        assert.include(anew.err, "a chain 8453 that is no more")
      }),
    timeout,
  )
})

describe("florin refunds and florin reconcile", () => {
  it(
    "list late money, give it back once, and say whether ledger and chain agree",
    () =>
      Program.inDirectory(async (directory) => {
        const service = await Program.dev(directory, "--chains", "8453")
        const partner = partnerOf(service.ready, service.ready)
        const { paymentId } = await partner.payments.create(payment("called off"))
        await partner.payments.cancel(paymentId)
        await Program.interrupt(service)
        await Late.come(kept(directory), paymentId, Date.now())
        const command = (...args: ReadonlyArray<string>) =>
          Program.run(...args, "--directory", directory)

        const listed = await command("refunds", "late", "--json")
        assert.strictEqual(listed.code, 0, listed.err)
        const [entry, ...others] = JSON.parse(listed.out)
        assert.strictEqual(others.length, 0)
        const from = { chainId: Caip.ChainId.make(8453), address: Late.sender }
        assert.deepInclude(entry, {
          mode: "test",
          paymentId,
          txHash: Late.txHash,
          from: Caip.formatAccount(from),
        })
        assert.strictEqual(entry.amount.value, `${Late.quantity}`)
        const returned = await command("refunds", "return", paymentId, Late.txHash)
        assert.strictEqual(returned.code, 0, returned.err)
        assert.match(returned.out, /Given back, in 0x[0-9a-f]{64}\./u)
        const again = await command("refunds", "return", paymentId, Late.txHash)
        assert.strictEqual(again.code, 1)
        assert.include(again.err, "no such transfer in suspense")
        const agreed = await command("reconcile")
        assert.strictEqual(agreed.code, 0, agreed.out + agreed.err)

        await Late.lose(kept(directory))
        const differing = await command("reconcile", "--json")
        assert.strictEqual(differing.code, 1)
        assert.include(differing.err, "differ on 1 lines")
        const differences = JSON.parse(differing.out).filter(
          (line: { readonly differs: boolean }) => line.differs,
        )
        assert.strictEqual(differences.length, 1)
      }),
    timeout,
  )
})
