import { once } from "node:events"
import { existsSync, rmSync, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makePartner, makeWallet, type Partner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Result } from "effect"
import * as Place from "../src/access/Place.ts"
import type * as ReadyFile from "../src/access/ReadyFile.ts"
import * as Payer from "../src/dev/Payer.ts"
import * as Directory from "./directory.ts"
import * as Late from "./late.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

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
    accounts: ready.chains.map(({ chainId }) => Eip155.formatAccount(wallet.account(chainId))),
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
  it("has exit code 1 if it is stopped before its payment ended", async () => {
    const started = Program.start(["dev", "--once", "--chains", "8453"])
    await new Promise<void>((resolve) => {
      started.child.stderr?.on("data", () => {
        if (started.said.err.includes("Starting chains")) resolve()
      })
    })
    started.child.kill("SIGINT")
    assert.strictEqual((await started.ended).code, 1)
  })
})

/** A machine with much else to do still gets there. */
const timeout = 300_000

const kept = (directory: string): Place.Lasting => {
  const place = Result.getOrThrow(Place.parse({ storage: "embedded", directory }))
  return place._tag === "Memory" ? assert.fail("it is not kept") : place
}

const oldHeader = "X-Old-Version"

/** Cancelled payments can be asked for in the field's preview, and nowhere else. */
const listed = async (ready: ReadyFile.Ready, versionHeader: string): Promise<number> => {
  const { status } = await fetch(`${ready.baseUrl}/v1/merchants/payments?status=cancelled`, {
    headers: {
      "Api-Key": ready.partnerKey,
      "Merchant-Id": ready.merchantId,
      [versionHeader]: "2026-02-19.preview",
    },
  })
  return status
}

/**
 * Asks until the merchants have their money. What is sent and not yet in a block is gone for the ledger alone, so that
 * the ledger and the chain would differ.
 */
const settled = async (
  partner: Partner,
  { paymentId }: { readonly paymentId: string },
): Promise<void> => {
  if ((await partner.payments.get(paymentId)).settlement !== null) return
  await setTimeout(200)
  return settled(partner, { paymentId })
}

/** What it says at its start, in the same words at every start and on every machine. */
const introduced = ({ ready, said }: Program.Running): string => {
  const { directory } = /--directory (?<directory>\S+)/u.exec(said.out)?.groups ?? {}
  return (
    said.out
      .split("\n")
      // Its log follows: requests, and payments that succeeded.
      .filter((line) => !/^(?:\{|✓)/u.test(line))
      .join("\n")
      .replaceAll(ready.baseUrl, "http://localhost:3000")
      .replaceAll(directory ?? "", "DIR")
      .replaceAll(/(?<=_)[0-9A-Za-z]{20,}/gu, "…")
  )
}

const introduction = `
Florin runs on this machine, on local chains. No real money moves.

  open       http://localhost:3000
  pay        http://localhost:3000/?pid=pay_…
             npx florin pay pay_… --directory DIR
  listen     npx florin listen --forward-to http://localhost:4242/hook --directory DIR
  trigger    npx florin trigger payment.failed --directory DIR
  merchant   mrch_…
  keys       flr_test_pk_… for the partner
             flr_test_wk_… for a wallet
  stop       Ctrl-C
`

/** One after the other on the same directory, as starts are slow. */
describe("florin dev", () => {
  let directory = ""
  let calledOff = ""
  beforeAll(() => {
    directory = Directory.make()
  })
  afterAll(() => {
    Program.killAll()
    Directory.remove(directory)
  })
  const command = (...args: ReadonlyArray<string>) => Program.run(...args, "--directory", directory)
  const serveOperatorOnly = () => Serving.serve({}, "--operator-only", "--directory", directory)

  it(
    "accepts payments in both modes, stops with Ctrl-C, and resumes with its data and its chain",
    async () => {
      const first = await Program.dev(directory, "--chains", "8453", "--field-header", oldHeader)
      const { ready } = first
      const partner = partnerOf(ready, ready)
      const livePartner = partnerOf(ready, ready.live)
      const [paid, live] = await Promise.all([
        partner.payments.create(payment("paid")),
        livePartner.payments.create(payment("live")),
      ])
      // The ready file, the printed links and what a wallet trusts name one host.
      assert.strictEqual(new URL(paid.gatewayUrl).host, ready.payLinkHost)
      assert.strictEqual(new URL(ready.baseUrl).host, ready.payLinkHost)
      assert.include(first.said.out, `http://${ready.payLinkHost}/?pid=pay_`)
      const results = await Promise.all([
        payLink(ready, ready.walletKey, paid.gatewayUrl),
        payLink(ready, ready.live.walletKey, live.gatewayUrl),
      ])
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Succeeded", "Succeeded"],
        JSON.stringify(results),
      )
      const inEuros = await command(
        ..."payments create --amount 12.50 --currency EUR --reference euros --json".split(" "),
      )
      assert.strictEqual(inEuros.code, 0, inEuros.err)
      const euros = await payLink(ready, ready.walletKey, JSON.parse(inEuros.out).gatewayUrl)
      assert.strictEqual(euros._tag, "Succeeded", JSON.stringify(euros))
      const [inEurc] = (await partner.payments.list({ referenceId: "euros" })).data
      assert.deepInclude(inEurc?.tokenAmount, { value: "12500000" })
      assert.deepInclude(inEurc?.fees?.fixed, { value: "90000" })
      assert.strictEqual(inEurc?.tokenAmount?.display?.assetSymbol, "EURC")
      assert.strictEqual(statSync(first.readyFile).mode & 0o777, 0o600)
      assert.strictEqual(introduced(first), introduction)
      // The log follows the payment.
      const succeeded = `✓ ${paid.paymentId} succeeded: 12.50 USD, paid with 12.50 USDC on Base`
      while (!first.said.out.includes(succeeded)) {
        // oxlint-disable-next-line no-await-in-loop -- It comes in its own time.
        await once(first.child.stdout ?? assert.fail(), "data")
      }
      const shapes = await Promise.all(
        ["Svc-Version", oldHeader].map((name) => listed(ready, name)),
      )
      assert.deepStrictEqual(shapes, [400, 200])
      const explained = await command("explain", paid.paymentId)
      assert.strictEqual(explained.code, 0, explained.err)

      await Promise.all([
        settled(partner, paid),
        settled(partner, JSON.parse(inEuros.out)),
        settled(livePartner, live),
      ])
      const ended = await Program.interrupt(first)
      assert.strictEqual(ended.code, 0, ended.out + ended.err)
      assert.isFalse(existsSync(first.readyFile))
      const there = await Promise.all(ready.chains.map(({ rpcUrl }) => isThere(rpcUrl)))
      assert.deepStrictEqual(there, [false])
      const lines = ended.out.split("\n").filter((line) => line.startsWith("{"))
      assert.isAtLeast(lines.length, 3)
      for (const line of lines) assert.notInclude(line, "flr_")

      const second = await Program.dev(directory, "--chains", "8453", "--collect")
      assert.strictEqual(second.ready.partnerKey, ready.partnerKey)
      assert.deepStrictEqual(second.ready.wallets, ready.wallets)
      const again = partnerOf(second.ready, ready)
      const { status } = await again.payments.get(paid.paymentId)
      assert.strictEqual(status, "succeeded")
      const { paymentId } = await again.payments.create(payment("called off"))
      const asked = await makeWallet({
        baseUrl: second.ready.baseUrl,
        apiKey: second.ready.walletKey,
      }).options(paymentId, { accounts: [`eip155:8453:${Wallet.make(1).address}`] })
      const form = asked.collectData?.url ?? "none"
      assert.isTrue(form.startsWith(`${second.ready.baseUrl}/collect/?pid=${paymentId}`), form)
      await again.payments.cancel(paymentId)
      calledOff = paymentId
      assert.strictEqual((await Program.interrupt(second)).code, 0)
    },
    timeout,
  )

  it(
    "keeps late money for florin serve --operator-only, which lists it, returns it once, and reconciles it with the kept chains",
    async () => {
      await Late.come(kept(directory), calledOff, Date.now())
      const first = await serveOperatorOnly()
      const late = await command("unclaimed", "list", "--json")
      assert.strictEqual(late.code, 0, late.err)
      const [entry, ...others] = JSON.parse(late.out).inflows
      assert.strictEqual(others.length, 0)
      const from = { chainId: Eip155.chainId(8453), address: Late.sender }
      assert.deepInclude(entry, {
        mode: "test",
        paymentId: calledOff,
        txId: Late.txHash,
        from: Eip155.formatAccount(from),
      })
      assert.strictEqual(entry.amount.value, `${Late.quantity}`)
      const returned = await command("unclaimed", "return", entry.id, "--json")
      assert.strictEqual(returned.code, 0, returned.err)
      const { id: payoutId } = JSON.parse(returned.out)
      const again = await command("unclaimed", "return", entry.id)
      assert.strictEqual(again.code, 1)
      assert.include(again.err.replaceAll(/\s+/gu, " "), `it was returned already, by ${payoutId}`)
      const agreed = await command("reconcile")
      assert.strictEqual(agreed.code, 0, agreed.out + agreed.err)

      const sound = await command("reconcile", "--deep")
      assert.strictEqual(sound.code, 0, sound.out + sound.err)
      assert.match(sound.out, /The records of [1-9]\d* payments? agree\.\n/u)
      for (const line of sound.out.split("\n")) assert.isAtMost(line.length, 80, line)
      await Serving.end(first, "SIGTERM")
      await Late.expireSilently(kept(directory), calledOff)
      const second = await serveOperatorOnly()
      const contradicting = await command("reconcile", "--deep")
      assert.strictEqual(contradicting.code, 1)
      assert.include(
        contradicting.out.replaceAll(/\s+/gu, " "),
        `the status of ${calledOff} is expired, and its last event says cancelled`,
      )
      assert.include(contradicting.out, `florin explain ${calledOff}`)
      assert.include(contradicting.err, "1 contradiction among the records: stop the workers")
      const asJson = await command("reconcile", "--deep", "--json")
      assert.strictEqual(asJson.code, 1)
      const { accounts, records } = JSON.parse(asJson.out)
      assert.isNotEmpty(accounts)
      assert.deepInclude(records.contradictions[0], { mode: "test", subject: calledOff })

      const ended = await Serving.end(second, "SIGTERM")
      assert.strictEqual(ended.code, 0, ended.out + ended.err)
      await Late.lose(kept(directory))
      const third = await serveOperatorOnly()
      const differing = await command("reconcile", "--json")
      assert.strictEqual(differing.code, 1, differing.out + differing.err)
      assert.include(differing.err, "differ on 1 line:")
      const differences = JSON.parse(differing.out).accounts.filter(
        ({ ledger, onChain }: { readonly ledger: string; readonly onChain: string }) =>
          ledger !== onChain,
      )
      assert.strictEqual(differences.length, 1)
      await Serving.end(third, "SIGINT")
    },
    timeout,
  )

  it(
    "refuses a storage whose chains are gone",
    async () => {
      rmSync(Place.chainsDirectory(kept(directory)), { recursive: true })
      const anew = await command("dev", "--once", "--storage", "embedded", "--chains", "8453")
      assert.strictEqual(anew.code, 1)
      assert.include(anew.err, "a local chain eip155:8453 that does not exist any more")
    },
    timeout,
  )
})
