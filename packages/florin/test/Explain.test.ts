import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Asked from "../src/Asked.ts"
import * as Payer from "../src/Payer.ts"
import type * as ReadyFile from "../src/ReadyFile.ts"
import * as Program from "./program.ts"

/** Creates a payment, pays it, and waits until the merchant was paid out. */
const paid = async (ready: ReadyFile.Ready): Promise<string> => {
  const { baseUrl, merchantId, partnerKey, payLinkHost, walletKey } = ready
  const partner = makePartner({ baseUrl, apiKey: partnerKey, merchantId })
  const { gatewayUrl, paymentId } = await partner.payments.create({
    referenceId: "order-7",
    amount: { unit: "iso4217/USD", value: "1250" },
  })
  const wallet = Wallet.make(ready.wallets[0]?.privateKey ?? "")
  const result = await pay(gatewayUrl, {
    baseUrl,
    payLinkHost,
    apiKey: walletKey,
    accounts: ready.chains.map(({ chainId }) => Caip.formatAccount(wallet.account(chainId))),
    signer: Payer.signer(wallet, ready.chains),
  })
  assert.strictEqual(result._tag, "Succeeded")
  await Effect.runPromise(
    Asked.until("waiting for a settlement", async () => {
      const { settlement } = await partner.payments.get(paymentId)
      return settlement ?? null
    }),
  )
  return paymentId
}

/** A machine with much else to do still gets there. */
const timeout = 120_000

describe("florin explain", () => {
  it(
    "tells the whole story of a payment, with its calls, to a person and to a program",
    () =>
      Program.inDirectory(async (directory) => {
        const service = await Program.dev(directory, "--chains", "8453")
        const paymentId = await paid(service.ready)
        const explain = (...args: ReadonlyArray<string>) =>
          Program.run("explain", ...args, "--directory", directory)
        const busy = await explain(paymentId)
        assert.strictEqual(busy.code, 1)
        assert.match(busy.err, /is in use by process \d+ \(florin dev/u)
        const { out: log } = await Program.interrupt(service)
        const logFile = join(directory, "access.jsonl")
        writeFileSync(logFile, log)

        const told = await explain(paymentId, "--log", logFile, "--json")
        assert.strictEqual(told.code, 0, told.err)
        const { lines, verdict } = JSON.parse(told.out)
        assert.deepStrictEqual(verdict, { open: [], text: "Paid, settled, nothing open." })
        const steps: ReadonlyArray<string> = lines
          .filter(({ kind }: { readonly kind: string }) => kind !== "request")
          .map(({ text }: { readonly text: string }) => text.replace(/0x\S+|nonce \d+/gu, "…"))
        assert.includeMembers(steps.slice(), [
          "Created by Corner Payments for Blue Door Coffee: 12.50 USD",
          "Confirmed by eip155:8453:… with Pocket Wallet",
          "Signed a transaction of ours: …",
          "The payer's transfer is final: 12.5 USDC on Base",
          "The merchant was paid out, finally: 12.35 USDC on Base",
          "Ledger: collect, which sums to zero",
          "Ledger: settle, which sums to zero",
          "Announced payment.created, payment_state_version 0",
          "Announced payment.settled, payment_state_version 3",
        ])
        // What is collected, and what is paid out.
        assert.strictEqual(steps.filter((text) => text.startsWith("Signed")).length, 2)
        const calls = lines.filter(({ kind }: { readonly kind: string }) => kind === "request")
        assert.isAtLeast(calls.length, 3)

        const shown = await explain(paymentId)
        assert.include(shown.out, "Paid, settled, nothing open.")
        assert.notInclude(shown.out, "/v1/payments")
        assert.notInclude(shown.out, "\u001b")
        const unknown = await explain("pay_00000000000000000000000000000")
        assert.strictEqual(unknown.code, 1)
        const noLog = await explain(paymentId, "--log", join(directory, "none"))
        assert.strictEqual(noLog.code, 1)
        assert.include(noLog.err, "cannot be read")
      }),
    timeout,
  )
})
