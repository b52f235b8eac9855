import { assert, describe, it } from "@effect/vitest"
import * as Likeness from "@florin/core/domain/partner/Likeness"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { AccountStore, findMerchant, findPartner } from "@florin/core/ports/AccountStore"
import * as Postgres from "@florin/postgres/Postgres"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Stores from "@florin/testing/Stores"
import { Effect, Redacted, Result } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Commands from "./commands.ts"
import * as Program from "./program.ts"

/** A database with a partner and a merchant, and the program on it. */
const registered = Effect.fnUntraced(function* (name: string) {
  const url = yield* Databases.address("migrated")
  const database = Postgres.layer({ url: Redacted.make(url) })
  const world = Fixtures.make(name)
  const merchant = world.merchant({ id: world.merchantId })
  yield* Effect.gen(function* () {
    const accounts = yield* AccountStore
    yield* Stores.putPartner(accounts, world.partner())
    yield* accounts.addMerchant(merchant)
  }).pipe(Effect.provide(database))
  yield* Commands.serve(url)
  const run = (command: string) => Effect.promise(() => Commands.run(url, ...command.split(" ")))
  return { database, merchant, run, world }
})
const usd = (value: string) => ({ unit: "iso4217/USD", value })
const unbounded = {
  payoutDelay: null,
  reserve: null,
  payoutsPerDay: null,
  refundsPerDay: null,
  netsMerchants: false,
}

describe("florin partners", () => {
  it.live("registers a partner in an empty database, and lists it with its fees", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      yield* Commands.serve(url)
      const run = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => Commands.run(url, "partners", ...args))
      const created = yield* run(
        "create",
        "--name=Corner Payments",
        "--version-pin=2026-02-18",
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
      assert.deepStrictEqual(JSON.parse(listed.out).partners, [
        {
          id: created.out.trimEnd(),
          name: "Corner Payments",
          fees: { percentage: "0.4", fixed: [usd("10")], returned: "never" },
          payouts: "60m/500",
          credit: { live: "1000.00 USD, 0.50 EUR", test: null },
          limits: { live: { ...unbounded, payoutDelay: "1d" }, test: unbounded },
          secondPerson: false,
          suspendedAt: null,
          frozenAt: null,
          versionPin: "2026-02-18",
        },
        JSON.parse(free.out),
      ])
      const { id: partnerId, credit } = JSON.parse(free.out)
      assert.deepStrictEqual(credit, { live: null, test: null })
      const change = (...flags: ReadonlyArray<string>) => run("change", partnerId, ...flags)
      const lent = yield* change("--credit=none", "--mode=test")
      assert.include(lent.out, `${partnerId} is changed: credit live: default, test: none.`)
      const fees = yield* change("--fee-fixed=0.10 USD, 0.09 EUR", "--payouts=15m")
      assert.include(
        fees.out,
        `${partnerId} is changed: fees 0.10 USD, 0.09 EUR + 0 %; payouts 15m.`,
      )
      const dearer = yield* change("--fee-percentage=1", "--json")
      assert.deepStrictEqual(JSON.parse(dearer.out).fees, {
        fixed: [usd("10"), { unit: "iso4217/EUR", value: "9" }],
        percentage: "1",
        returned: "never",
      })
      const returned = yield* change("--fee-returned=withRefund")
      assert.include(returned.out, "0.10 USD, 0.09 EUR + 1 %, returned with refunds.")
      const bounds = ["--reserve=10% 30d", "--refunds-per-day=500 USD", "--nets-merchants"]
      yield* change(...bounds)
      const bounded = yield* change("--reserve=none", "--json")
      assert.deepStrictEqual(JSON.parse(bounded.out).limits, {
        live: { ...unbounded, refundsPerDay: "500.00 USD", netsMerchants: true },
        test: unbounded,
      })
      const shown = yield* run("show", partnerId)
      assert.match(
        shown.out,
        /limits +live: refunds per day 500\.00 USD, nets merchants; test: none\n/u,
      )
      assert.match(shown.out, /credit +live: default, test: none\n/u)
      assert.strictEqual((yield* change("--refunds-per-day=0 USD")).code, 2)
      const nothing = yield* change("--mode=test")
      assert.deepStrictEqual([nothing.code, nothing.err.includes("nothing to change")], [2, true])
      const reset = yield* change("--credit=default", "--mode=test", "--json")
      assert.deepStrictEqual(JSON.parse(reset.out).credit, { live: null, test: null })
      const percents = yield* change("--fee-percentage=200")
      assert.deepStrictEqual([percents.code, percents.out], [2, ""])
      assert.include(
        percents.err,
        "--fee-percentage: a percentage is a decimal number from 0 to 100",
      )
      const unread = yield* change("--credit=0 USD")
      assert.strictEqual(unread.code, 2)
      assert.include(unread.err, 'credit: must be "unlimited"')
      const previewed = yield* run("create", "--name=P", "--version-pin=2026-02-19.preview")
      assert.strictEqual(previewed.code, 2)
      const table = yield* run("list")
      assert.match(table.out, /0\.10 USD \+ 0\.4 % +60m\/500 /u)
      assert.notInclude(table.out, "\u001b")
    }),
  )

  it.live("S18: suspends and freezes partners and merchants, and reverses that", () =>
    Effect.gen(function* () {
      const { merchant, run, world } = yield* registered("measures")
      const { partnerId } = world.tenant
      const json = (command: string) =>
        Effect.map(run(`${command} --json`), ({ out }) => JSON.parse(out))
      const of = (measure: string) =>
        Effect.map(
          json(`merchants ${measure} ${merchant.id}`),
          ({ frozenAt, id, status }): ReadonlyArray<unknown> => [id, status, frozenAt !== null],
        )
      assert.deepStrictEqual(yield* of("suspend"), [merchant.id, "suspended", false])
      assert.deepStrictEqual(yield* of("freeze"), [merchant.id, "suspended", true])
      assert.deepStrictEqual(yield* of("resume"), [merchant.id, "active", true])
      assert.deepStrictEqual(yield* of("unfreeze"), [merchant.id, "active", false])
      const ofPartner = (measure: string) =>
        Effect.map(json(`partners ${measure} ${partnerId}`), ({ frozenAt, suspendedAt }) => ({
          isSuspended: suspendedAt !== null,
          isFrozen: frozenAt !== null,
        }))
      assert.deepInclude(yield* ofPartner("suspend"), { isSuspended: true, isFrozen: false })
      assert.deepInclude(yield* ofPartner("freeze"), { isSuspended: true, isFrozen: true })
      assert.match((yield* run("partners list")).out, / suspended, frozen /u)
      assert.deepInclude(yield* ofPartner("resume"), { isSuspended: false, isFrozen: true })
      assert.deepInclude(yield* ofPartner("unfreeze"), { isSuspended: false, isFrozen: false })
      const { data: entries } = yield* json(`audit --partner ${partnerId}`)
      assert.lengthOf(entries, 8)
      assert.deepInclude(entries[2], {
        action: "partner.changed",
        changes: [{ field: "isFrozen", from: false, to: true }],
      })
      assert.isString(entries[2].actor.name)
    }),
  )

  it.live(
    "S21: lists merchants that wait for approval, with similar names, and approves them",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const database = Postgres.layer({ url: Redacted.make(url) })
        const world = Fixtures.make("approvals")
        const waiting = { since: Fixtures.now, isAlike: true, approved: null }
        const named = (name: string) => ({
          name,
          likenesses: Likeness.of(name, Fixtures.confusables),
        })
        const paypal = world.merchant({ ...world.live, ...named("PayPal") })
        const fake = world.merchant({
          ...world.otherLive,
          ...named("РауPаl"),
          supportEmail: "help@fake.example",
          waiting,
        })
        yield* Effect.gen(function* () {
          const accounts = yield* AccountStore
          yield* Stores.putPartner(accounts, world.partner())
          const { partnerId: id } = world.other
          yield* Stores.putPartner(accounts, world.partner({ id, name: "Thief" }))
          for (const each of [paypal, fake]) {
            yield* accounts.addMerchant(each)
          }
        }).pipe(Effect.provide(database))
        yield* Commands.serve(url)
        const run = (...args: ReadonlyArray<string>) =>
          Effect.promise(() => Commands.run(url, ...args))
        const { code, err, out } = yield* run("merchants", "waiting")
        assert.strictEqual(code, 0, err)
        assert.include(out, "was never approved")
        assert.include(
          out,
          `resembles "PayPal", merchant ${paypal.id} of partner ${paypal.partnerId}`,
        )
        assert.include(out, "accepts no live payments")
        assert.match(out, /support +help@fake\.example\n/u)
        const listed = yield* run("merchants", "waiting", "--json")
        const page = JSON.parse(listed.out)
        assert.deepStrictEqual([page.merchants.length, page.nextCursor], [1, null])
        assert.deepInclude(page.merchants[0], {
          id: fake.id,
          partnerId: fake.partnerId,
          name: fake.name,
          iconUrl: null,
          supportEmail: "help@fake.example",
          supportUrl: null,
          resembles: [{ partnerId: paypal.partnerId, merchantId: paypal.id, name: paypal.name }],
        })
        assert.deepInclude(page.merchants[0].waiting, { approved: null, takesPayments: false })
        for (const unseen of [[], ["--json"]]) {
          const unasked = yield* run("merchants", "approve", fake.id, ...unseen)
          assert.strictEqual(unasked.code, 2)
          assert.include(unasked.err, "--yes")
        }
        const another = yield* run("merchants", "approve", fake.id, "--name=Another", "--yes")
        assert.strictEqual(another.code, 1)
        assert.include(another.err, "look at it again")
        assert.include((yield* run("merchants", "waiting")).out, "Waiting: 1")
        const approved = yield* run("merchants", "approve", fake.id, `--name=${fake.name}`, "--yes")
        assert.match(
          approved.out,
          /Payers will see:\n\n +name +\S+\n +icon +none\n +support +help@fake\.example\n\n✓ mrch_\w+ is approved\.\n/u,
        )
        assert.include((yield* run("merchants", "waiting")).out, "No merchant waits")
        const imitating = yield* run("partners", "create", "--name=paypaI")
        assert.include(imitating.err, `Its name resembles "PayPal", ${paypal.id}`)
        const entries = yield* run("audit", "--json")
        assert.deepStrictEqual(
          JSON.parse(entries.out).data.map(({ action }: { readonly action: string }) => action),
          ["partner.created", "name.flagged", "merchant.approved"],
        )
      }),
  )

  it.live("sets and removes the payout policies of a partner and a merchant", () =>
    Effect.gen(function* () {
      const { database, merchant, run, world } = yield* registered("payouts")
      const policies = Effect.gen(function* () {
        const accounts = yield* AccountStore
        const partner = yield* findPartner(accounts, world.tenant.partnerId)
        const { payouts } = yield* findMerchant(accounts, world.tenant, merchant.id)
        return [partner.payouts ?? null, payouts ?? null]
      }).pipe(Effect.provide(database))
      const everyHour = Result.getOrThrow(PayoutPolicy.parse("60m/500"))

      const set = yield* run(`partners change ${world.tenant.partnerId} --payouts=60m/500`)
      assert.strictEqual(set.code, 0, set.err)
      assert.include(set.out, `${world.tenant.partnerId} is changed: payouts 60m/500.`)
      const own = yield* run(`merchants change ${merchant.id} --payouts=immediate --json`)
      assert.deepInclude(JSON.parse(own.out), { id: merchant.id, payouts: "immediate" })
      assert.deepStrictEqual(yield* policies, [everyHour, PayoutPolicy.immediate])
      const usual = yield* run(`merchants change ${merchant.id} --payouts=default`)
      assert.include(usual.out, `${merchant.id} is changed: payouts as those of its partner.`)
      yield* run(`partners change ${world.tenant.partnerId} --payouts=default`)
      assert.deepStrictEqual(yield* policies, [null, null])

      const unknown = yield* run("merchants change mrch_nobody --payouts=immediate")
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.err, "there is no such merchant: check the id, and --url,")
      const unread = yield* run(`merchants change ${merchant.id} --payouts=soon`)
      assert.strictEqual(unread.code, 2)
      assert.include(unread.err, 'must be "immediate", minutes such as "15m"')
    }),
  )

  it.live("renames partners and merchants, and sets a merchant's own fees", () =>
    Effect.gen(function* () {
      const { merchant, run, world } = yield* registered("names")
      const { partnerId } = world.tenant
      const json = (command: string) =>
        Effect.map(run(`${command} --json`), ({ code, err, out }) => {
          assert.strictEqual(code, 0, err)
          return JSON.parse(out)
        })
      assert.deepInclude(yield* json(`partners change ${partnerId} --name=Renamed`), {
        name: "Renamed",
      })
      assert.deepInclude(yield* json(`merchants change ${merchant.id} --name=Bar`), {
        id: merchant.id,
        name: "Bar",
      })
      assert.deepInclude(yield* json(`partners change ${partnerId} --version-pin=2026-02-18`), {
        versionPin: "2026-02-18",
      })
      const preview = `partners change ${partnerId} --version-pin=2026-02-19.preview`
      assert.strictEqual((yield* run(preview)).code, 2)
      const fees = `merchants change ${merchant.id}`
      const own = yield* json(`${fees} --fee-percentage=0.2`)
      assert.strictEqual(own.id, merchant.id)
      assert.strictEqual(own.fees.percentage, "0.2")
      assert.include((yield* run(`${fees} --fees=default`)).out, "fees those of its partner")
      assert.strictEqual((yield* run(fees)).code, 2)
      assert.strictEqual((yield* run(`${fees} --fees=default --fee-percentage=1`)).code, 2)
      const entries: ReadonlyArray<{ readonly action: string }> = (yield* json(
        `audit --partner ${partnerId}`,
      )).data
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        ["merchant.changed", "merchant.changed", "merchant.changed", "partner.changed"],
      )
    }),
  )

  it("refuses invalid fees, and a directory without a service", () =>
    Program.inDirectory(async (directory) => {
      const fees = ["0.10", "0.101 USD", "1 XYZ", "-1 USD", "1 EUR, 2 EUR"]
      const [nowhere, ...ends] = await Program.several([
        ["partners", "list", "--directory", directory],
        ...fees.map((fixed) => ["partners", "create", "--name", "Corner", `--fee-fixed=${fixed}`]),
      ])
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        fees.map(() => 2),
      )
      for (const { err } of ends) {
        assert.include(err, 'such as "0.10 USD" or "0.10 USD, 0.09 EUR"')
      }
      assert.strictEqual(nowhere?.code, 1)
      assert.include(nowhere?.err, "start `npx florin dev --directory")
    }))
})
