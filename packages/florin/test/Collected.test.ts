import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Vault } from "@florin/core/ports/Vault"
import * as Postgres from "@florin/postgres/Postgres"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as VaultKey from "../src/serve/VaultKey.ts"
import * as Commands from "./commands.ts"

const vaultKey = Buffer.alloc(32, 5)
const account = Wallet.make(1).account(Eip155.chainId(8453))
const data = {
  fullName: "Ada Lovelace",
  dob: "1990-12-10",
  porCountry: "GB",
  porAddress: "Lo\u200Bn\u009Bdon\u202E `florin stuck`",
  tosConfirmed: true,
}

/** A database with a payment whose payer told who they are, and the program on it. */
const begin = Effect.gen(function* () {
  const url = yield* Databases.address("migrated")
  const world = Fixtures.make("told")
  const change = world.createPayment()
  const { id } = change.payment
  yield* Effect.gen(function* () {
    const payments = yield* PaymentStore
    yield* payments.createPayment(change, null, "{}", Fixtures.now)
    const place = `${id}/${Caip.accountKey(account)}/collected`
    const vault = yield* Vault
    const bytes = Buffer.from(JSON.stringify(data))
    const sealed = yield* vault.seal(place, bytes)
    // A key of zeros masks nothing.
    const key = yield* vault.seal(`${place}/key`, new Uint8Array(bytes.length))
    yield* payments.putCollected(id, world.collected({ account, sealed, key }))
  }).pipe(
    Effect.provide(
      Layer.merge(
        Postgres.layer({ url: Redacted.make(url) }),
        Layer.unwrap(VaultKey.layer([VaultKey.make(vaultKey)])),
      ),
    ),
  )
  /** A service with this key of the vault, for as long as the work lasts. */
  const servedWith = <A>(key: Buffer, work: Effect.Effect<A>) =>
    Effect.scoped(
      Effect.andThen(
        Commands.serve(url, {
          FLORIN_VAULT_KEY: key.toString("base64"),
          FLORIN_NEW_KEYS: "true",
        }),
        work,
      ),
    )
  const run = (...args: ReadonlyArray<string>) => Effect.promise(() => Commands.run(url, ...args))
  const said = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args), ({ code, err, out }) => {
      assert.strictEqual(code, 0, err)
      return out
    })
  return { id, run, said, servedWith }
})

describe("florin collected", () => {
  it.live(
    "S37: shows, exports and erases a payer's data, which the audit log records",
    () =>
      Effect.gen(function* () {
        const { id, run, said, servedWith } = yield* begin
        yield* servedWith(
          vaultKey,
          Effect.gen(function* () {
            const shown = yield* said("collected", "show", id)
            for (const part of [id, "Full name", "Ada Lovelace", "1990-12-10"]) {
              assert.include(shown, part)
            }
            assert.include(shown, "Lo\uFFFDn\uFFFDdon\uFFFD 'florin stuck'")
            const written = yield* said("collected", "export", Eip155.formatAccount(account))
            assert.include(written, String.raw`Lo\u200bn\u009bdon\u202e `)
            const exported = JSON.parse(written)
            assert.lengthOf(exported.records, 1)
            assert.deepInclude(exported.records[0], { paymentId: id, data })
          }),
        )
        const locked = yield* servedWith(Buffer.alloc(32, 6), said("collected", "show", id))
        assert.include(locked, "add its key to FLORIN_VAULT_KEY")

        yield* servedWith(
          vaultKey,
          Effect.gen(function* () {
            const wrong = yield* run("collected", "show", "Ada")
            assert.strictEqual(wrong.code, 2)
            assert.include(wrong.err, "must be a payment, pay_…, or an account")
            assert.notInclude(wrong.err, "Ada")
            const erased = yield* said("collected", "erase", id, "--json")
            assert.deepStrictEqual(JSON.parse(erased), { erased: 1 })
            assert.include(yield* said("collected", "show", id), "No data is stored")
            const entries: ReadonlyArray<{ readonly action: string; readonly subject: string }> =
              JSON.parse(yield* said("audit", "--json")).data
            assert.deepStrictEqual(
              entries.map(({ action, subject }) => [action, subject]),
              ["collected.erased", "collected.shown", "collected.exported", "collected.shown"].map(
                (action) => [action, id],
              ),
            )
            assert.notInclude(JSON.stringify(entries), "Ada")
          }),
        )
      }),
    300_000,
  )
})
