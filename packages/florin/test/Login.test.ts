import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Commands from "./commands.ts"

/** A machine with much else to do still gets there. */
const timeout = 300_000

describe("florin login", () => {
  it.live(
    "signs in the operator as an admin, and a partner's person as a viewer, unless a role is named",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        yield* Commands.serve(url, { FLORIN_OPERATOR_PORT: "0" })
        yield* Effect.promise(async () => {
          const ended = (...args: ReadonlyArray<string>) => Commands.run(url, ...args)
          const json = async (...args: ReadonlyArray<string>) => {
            const { code, err, out } = await ended(...args, "--json")
            assert.strictEqual(code, 0, err)
            return JSON.parse(out)
          }
          const operator = await json("login", "--name", "Ada")
          assert.match(operator.secret, /^flr_op_/u)
          assert.deepInclude(operator.key, {
            name: "Ada",
            use: "sign_in",
            scopes: ["read", "support", "treasury", "admin"],
          })
          const { key: some } = await json("login", "--scopes", "read, support")
          assert.deepStrictEqual(some.scopes, ["read", "support"])

          const { id } = await json("partners", "create", "--name", "Corner")
          const ofPartner = ["login", "--partner", id, "--mode", "live"]
          const viewer = await json(...ofPartner)
          assert.deepInclude(viewer.key, { mode: "live", scopes: ["read"], use: "sign_in" })
          const { key: finance } = await json(...ofPartner, "--role", "finance")
          assert.deepStrictEqual(finance.scopes, ["read", "refund", "manage"])

          // This service does not know the address of its console.
          const plain = await ended("login")
          assert.match(plain.out, /^flr_op_\w+\n$/u)
          assert.include(plain.err, "--operator-url")
          const { code, err } = await ended("login", "--partner", id)
          assert.strictEqual(code, 2)
          assert.include(err, "--mode: must be live or test")
        })
      }),
    timeout,
  )

  it.live(
    "creates no key for the operator if the service has no console",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        yield* Commands.serve(url)
        yield* Effect.promise(async () => {
          const { code, err, out } = await Commands.run(url, "login")
          assert.deepStrictEqual([code, out], [1, ""])
          assert.include(err, "florin serve --operator-only --operator-port")
          assert.notInclude((await Commands.run(url, "keys", "list")).out, "flr_op_")
        })
      }),
    timeout,
  )
})
