import { assert, describe, it } from "@effect/vitest"
import * as PayoutPolicy from "@florin/core/domain/PayoutPolicy"
import { AccountStore } from "@florin/core/ports/AccountStore"
import * as Postgres from "@florin/postgres/Postgres"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Redacted, Result } from "effect"
import * as Databases from "../../postgres/test/databases.ts"
import * as Program from "./program.ts"

const unbounded = {
  payoutDelay: null,
  reserve: null,
  payoutsPerDay: null,
  refundsPerDay: null,
  netsMerchants: false,
}

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
        "--payouts=60m/500",
        "--credit=1000 USD, 0.5 EUR",
        "--payout-delay=24h",
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
          payouts: "60m/500",
          credit: { live: "1000.00 USD, 0.50 EUR", test: "default" },
          limits: { live: { ...unbounded, payoutDelay: "1d" }, test: unbounded },
          isSuspended: false,
          isFrozen: false,
          versionPin: "2026-02-19.preview",
        },
        JSON.parse(free.out),
      ])
      const { partnerId, credit } = JSON.parse(free.out)
      assert.deepStrictEqual(credit, { live: "default", test: "default" })
      const lent = yield* run("credit", partnerId, "none", "--mode=test")
      assert.include(lent.out, `The test credit of ${partnerId} is none.`)
      const bounds = ["--reserve=10% 30d", "--refunds-per-day=500 USD", "--net-merchants=yes"]
      yield* run("limits", partnerId, ...bounds)
      const bounded = yield* run("limits", partnerId, "--reserve=none", "--json")
      assert.deepStrictEqual(JSON.parse(bounded.out), {
        partnerId,
        limits: {
          live: { ...unbounded, refundsPerDay: "500.00 USD", netsMerchants: true },
          test: unbounded,
        },
      })
      assert.include((yield* run("limits", partnerId)).out, "500.00 USD")
      assert.strictEqual((yield* run("limits", partnerId, "--refunds-per-day=0 USD")).code, 2)
      const unread = yield* run("credit", partnerId, "0 USD")
      assert.strictEqual(unread.code, 2)
      assert.include(unread.err, "amounts such as 1000 USD")
      const table = yield* run("list")
      assert.match(table.out, /0\.10 USD \+ 0\.4 % +60m\/500 /u)
      assert.notInclude(table.out, "\u001b")
    }),
  )

  it.live("S18: suspends and freezes partners and merchants, and takes that back", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("migrated")
      const database = Postgres.layer({ url: Redacted.make(url) })
      const world = Fixtures.make("measures")
      const merchant = world.merchant({ id: world.merchantId })
      const { partnerId } = world.tenant
      yield* Effect.gen(function* () {
        const accounts = yield* AccountStore
        yield* accounts.putPartner(world.partner())
        yield* accounts.createMerchant(merchant, world.once(), "{}", Fixtures.now)
      }).pipe(Effect.provide(database))
      const run = (command: string) =>
        Effect.promise(() => Program.run(...command.split(" "), "--storage", url))
      const json = (command: string) =>
        Effect.map(run(`${command} --json`), ({ out }) => JSON.parse(out))
      const of = (measure: string) => `merchants ${measure} ${merchant.id}`
      const { id: merchantId } = merchant
      assert.deepStrictEqual(yield* json(of("suspend")), {
        merchantId,
        status: "suspended",
        isFrozen: false,
      })
      assert.deepInclude(yield* json(of("freeze")), { status: "suspended", isFrozen: true })
      assert.deepInclude(yield* json(of("resume")), { status: "active", isFrozen: true })
      assert.deepInclude(yield* json(of("unfreeze")), { status: "active", isFrozen: false })
      const ofPartner = (measure: string) => json(`partners ${measure} ${partnerId}`)
      assert.deepInclude(yield* ofPartner("suspend"), { isSuspended: true, isFrozen: false })
      assert.deepInclude(yield* ofPartner("freeze"), { isSuspended: true, isFrozen: true })
      assert.match((yield* run("partners list")).out, / suspended, frozen /u)
      assert.deepInclude(yield* ofPartner("resume"), { isSuspended: false, isFrozen: true })
      assert.deepInclude(yield* ofPartner("unfreeze"), { isSuspended: false, isFrozen: false })
      const entries = yield* json(`audit --partner ${partnerId}`)
      assert.lengthOf(entries, 8)
      assert.deepInclude(entries[2], {
        action: "partner.changed",
        changes: [{ field: "isFrozen", from: false, to: true }],
      })
      assert.isString(entries[2].actor.name)
    }),
  )

  it.live("sets when a partner and a merchant are paid out, and takes that back", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("migrated")
      const database = Postgres.layer({ url: Redacted.make(url) })
      const world = Fixtures.make("payouts")
      const merchant = world.merchant({ id: world.merchantId })
      yield* Effect.gen(function* () {
        const accounts = yield* AccountStore
        yield* accounts.putPartner(world.partner())
        yield* accounts.createMerchant(merchant, world.once(), "{}", Fixtures.now)
      }).pipe(Effect.provide(database))
      const run = (command: string) =>
        Effect.promise(() => Program.run(...command.split(" "), "--storage", url))
      const policies = Effect.gen(function* () {
        const accounts = yield* AccountStore
        const partner = yield* accounts.partner(world.tenant.partnerId)
        const { payouts } = yield* accounts.merchant(world.tenant, merchant.id)
        return [partner.payouts ?? null, payouts ?? null]
      }).pipe(Effect.provide(database))
      const everyHour = Result.getOrThrow(PayoutPolicy.parse("60m/500"))

      const set = yield* run(`partners payouts ${world.tenant.partnerId} 60m/500`)
      assert.strictEqual(set.code, 0, set.err)
      assert.include(set.out, `The payout policy of ${world.tenant.partnerId} is 60m/500.`)
      const own = yield* run(`merchants payouts ${merchant.id} immediate --json`)
      assert.deepStrictEqual(JSON.parse(own.out), {
        merchantId: merchant.id,
        payouts: "immediate",
      })
      assert.deepStrictEqual(yield* policies, [everyHour, PayoutPolicy.immediate])
      const usual = yield* run(`merchants payouts ${merchant.id} default`)
      assert.include(usual.out, `${merchant.id} is paid out by the policy of its partner.`)
      yield* run(`partners payouts ${world.tenant.partnerId} default`)
      assert.deepStrictEqual(yield* policies, [null, null])

      const unknown = yield* run("merchants payouts mrch_nobody immediate")
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.err, "there is no such merchant in this storage")
      const unread = yield* run(`merchants payouts ${merchant.id} soon`)
      assert.strictEqual(unread.code, 2)
      assert.include(unread.err, "default, immediate, minutes such as 15m")
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
