/**
 * Commands of the operator against a service that runs elsewhere: nothing but its operator's port is reached.
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

const timeout = 300_000

describe("florin --url, at the operator's port of a service", () => {
  it(
    "does what the key's scopes allow, else says why not, and records who did it and why",
    () =>
      Program.inDirectory(async (directory) => {
        const admin = join(directory, "admin.key")
        const args = "--storage memory --port 0 --operator-port 0 --local-chains 8453".split(" ")
        const service = await Serving.serve({}, ...args, "--operator-key-file", admin)
        const said = service.said.out + service.said.err
        const [, url = ""] = /operator's port is open.* url=(\S+)/u.exec(said) ?? []
        const by =
          (file: string) =>
          // No service runs in this directory, and none could be found there.
          (...words: ReadonlyArray<string>) =>
            Program.run(...words, "--url", url, "--key-file", file, "--directory", directory)
        const asAdmin = by(admin)
        const named = async (...words: ReadonlyArray<string>) => {
          const { code, err, out } = await asAdmin(...words)
          assert.strictEqual(code, 0, err)
          return out.trim()
        }
        const partnerId = await named("partners", "create", "--name=Corner", "--reason=für Anna")
        const [entry] = JSON.parse(await named("audit", "--json")).data
        assert.deepStrictEqual(
          [entry.action, entry.reason, entry.actor.name],
          ["partner.created", "für Anna", "operator-key-file"],
        )

        // A job over HTTP, and what only the service can check.
        assert.include(await named("reconcile", "--deep"), "Ledger and chains agree.")
        const { checks } = JSON.parse(await named("doctor", "--json"))
        assert.deepInclude(checks, {
          item: "halted",
          verdict: "ok",
          holds: "No live chain is halted.",
          seen: [],
          mend: "Find out what halted it (`florin chains halted`), then resume it (`florin chains resume <chainId>`).",
        })

        // What an account has is shown, and recorded with the amount in units of the token.
        const { relayers } = JSON.parse(await named("relayers", "list", "--json"))
        const [{ account }] = relayers
        const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
        const mode = ["--mode", "test"]
        const transaction = `0x${"a".repeat(64)}`
        const put = ["float", "put", asset, account, "12.5", ...mode, "--transaction", transaction]
        assert.include(await named(...put), `Recorded: 12.50 USDC on Base came to ${account}.`)
        assert.match(await named("balances"), / USDC +Base +[\d.]+ +\d*12\.50 /u)
        assert.include(await named("payouts", "list"), "No payouts.")
        assert.include(await named("float", "short"), "No refund or withdrawal")
        assert.include(await named("screening", "show"), "No deny list is in force.")
        const unknown = ["payouts show out_1", "webhooks list pay_1", "refunds retry pay_1"]
        const ends = await Promise.all(unknown.map((words) => asAdmin(...words.split(" "))))
        for (const { code, err } of ends) {
          assert.deepStrictEqual([code, err.includes("check the id")], [1, true], err)
        }

        const looking = join(directory, "read.key")
        const text = await named("keys", "create", "--operator", "Bob", "--scopes", "read")
        writeFileSync(looking, text, { mode: 0o600 })
        const asBob = by(looking)
        const shown = await asBob("partners", "show", partnerId)
        assert.strictEqual(shown.code, 0, shown.err)
        assert.include(shown.out, "limits     live: none; test: none")
        const bounded = await asBob("partners", "change", partnerId, "--reserve", "10% 30d")
        assert.deepStrictEqual([bounded.code, bounded.out], [1, ""])
        assert.include(bounded.err, "this key does not have the scope admin")
        const [refused] = JSON.parse(await named("audit", "--json")).data
        assert.deepStrictEqual([refused.action, refused.actor.name], ["operator.refused", "Bob"])

        const nobody = await Program.run("partners", "list", "--url", url)
        assert.strictEqual(nobody.code, 1)
        assert.include(nobody.err, "set FLORIN_OPERATOR_KEY or --key-file")
        const wrong = join(directory, "wrong.key")
        writeFileSync(wrong, `${text.slice(0, -1)}x`, { mode: 0o600 })
        assert.strictEqual((await by(wrong)("partners", "list")).code, 1)
        // The same API is not at the port for everybody.
        const elsewhere = ["partners", "list", "--key-file", admin, "--url", service.url]
        assert.include((await Program.run(...elsewhere)).err, "nothing at this path")
        await Serving.end(service, "SIGTERM")
      }),
    timeout,
  )
})
