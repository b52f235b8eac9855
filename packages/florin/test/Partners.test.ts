import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Databases from "../../postgres/test/databases.ts"
import * as Program from "./program.ts"

describe("florin partners", () => {
  it.live("registers a partner in a database that is empty, and lists it with its fees", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      const run = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => Program.run("partners", ...args, "--storage", url))
      const created = yield* run(
        "create",
        "--name=Corner Payments",
        "--version-pin=2026-02-19.preview",
        "--fee-percentage=0.4",
        "--fee-fixed=0.1 USD",
      )
      assert.strictEqual(created.code, 0, created.err)
      assert.match(created.out, /^prtn_[0-9A-Za-z]+\n$/u)
      const free = yield* run("create", "--name", "Free", "--json")
      const listed = yield* run("list", "--json")
      assert.deepStrictEqual(JSON.parse(listed.out), [
        {
          partnerId: created.out.trimEnd(),
          name: "Corner Payments",
          feePercentage: "0.4",
          feeFixed: "0.10 USD",
          versionPin: "2026-02-19.preview",
        },
        JSON.parse(free.out),
      ])
      const table = yield* run("list")
      assert.include(table.out, "0.10 USD + 0.4 %")
      assert.notInclude(table.out, "\u001b")
    }),
  )

  it("refuses fees that are none, and a place where nothing is kept", () =>
    Program.inDirectory(async (directory) => {
      const fees = ["0.10", "0.101 USD", "1 XYZ", "-1 USD"]
      const [nowhere, ...ends] = await Program.several([
        ["partners", "list", "--directory", directory],
        ...fees.map((fixed) => ["partners", "create", "--name", "Corner", `--fee-fixed=${fixed}`]),
      ])
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        fees.map(() => 2),
      )
      for (const { err } of ends) {
        assert.include(err, 'an amount with its currency, such as "0.10 USD"')
      }
      assert.strictEqual(nowhere?.code, 1)
      assert.include(nowhere?.err, "start florin dev there first")
    }))
})
