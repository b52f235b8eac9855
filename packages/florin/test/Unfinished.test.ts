import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import { Effect, Exit } from "effect"
import * as Unfinished from "../src/pay/Unfinished.ts"
import * as Directory from "./directory.ts"

const paymentId = PaymentId.PaymentId.make("pay_1")

const kept: Unfinished.Unfinished = {
  begun: {
    paymentId,
    optionId: "opt_1",
    account: `eip155:56:0x${"11".repeat(20)}`,
    actions: [
      {
        type: "walletRpc",
        data: { chain_id: "eip155:56", method: "eth_sendTransaction", params: ["{}"] },
      },
    ],
    outputs: [],
  },
  expiresAt: 1_800_000_000,
  needed: CollectData.make({ payLinkHost: "pay.example.com" }, paymentId, [], "sealed"),
  signed: "0x02",
}

describe("Unfinished", () => {
  it("is read back as it was written, only by the user, without the payer's data", () =>
    Directory.within((directory) => {
      const file = Unfinished.file(directory, paymentId)
      assert.isUndefined(Effect.runSync(file.read()))
      const collectedData = { fields: [{ id: "fullName", value: "Ada Lovelace" }] }
      const begun = { ...kept.begun, collectedData }
      file.write({ ...kept, begun })
      assert.deepStrictEqual(Effect.runSync(file.read()), kept)
      const path = join(directory, "pay_1.json")
      assert.notInclude(readFileSync(path, "utf8"), "Ada")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      file.remove()
      assert.isUndefined(Effect.runSync(file.read()))
    }))

  it("is not treated as missing if it cannot be read", () =>
    Directory.within((directory) => {
      for (const text of ["", "{}", JSON.stringify({ ...kept, expiresAt: "soon" })]) {
        writeFileSync(join(directory, "pay_1.json"), text)
        const read = Effect.runSyncExit(Unfinished.file(directory, paymentId).read())
        assert.isTrue(Exit.isFailure(read), text)
      }
    }))
})
