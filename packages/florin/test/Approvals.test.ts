/**
 * `florin approvals` of a service in which the operator's calls need a second person.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Commands from "./commands.ts"

describe("florin approvals", () => {
  it.live(
    "S41: shows each member of what waits, with amounts as people read them, also before it approves",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        yield* Commands.serve(url, { FLORIN_SECOND_PERSON: "true" })
        const run = (...words: ReadonlyArray<string>) =>
          Effect.promise(() => Commands.run(url, ...words))
        const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
        const account = "eip155:8453:0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
        const hash = `0x${"ab".repeat(32)}`
        const moved = ["--mode", "test", "--transaction", hash]
        const asked = yield* run("float", "put", asset, account, "250.5", ...moved)
        assert.strictEqual(asked.code, 1)
        const [id = ""] = /key_\w+/u.exec(asked.err) ?? []
        assert.include(asked.err, "restart the service without secondPerson")

        const listed = yield* run("approvals", "list")
        const approved = yield* run("approvals", "approve", id)
        assert.include(approved.err, "this call comes without a key")
        for (const { out } of [listed, approved]) {
          assert.match(out, /^ {2}amount +250\.50 USDC on Base$/mu)
          assert.match(out, new RegExp(`^ {2}account +${account}$`, "mu"))
          assert.include(out, hash)
          assert.notInclude(out, "250500000")
        }
      }),
    300_000,
  )
})
