import { assert, describe, it } from "@effect/vitest"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as WebhookSecrets from "@florin/core/engine/notify/WebhookSecrets"
import { Outbox } from "@florin/core/ports/Outbox"
import * as Postgres from "@florin/postgres/Postgres"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as VaultKey from "../src/serve/VaultKey.ts"
import * as Commands from "./commands.ts"

/** A machine with much else to do still gets there. */
const timeout = 300_000

const secretLine = /^whsec_[0-9A-Za-z+/]{43}=\n$/u
const address = "https://shop.example/florin?of=us"

const vaultKey = Buffer.alloc(32, 5)
const variables = { FLORIN_VAULT_KEY: vaultKey.toString("base64") }

/** The secrets that an endpoint stores, opened with a key of the vault. */
const opened = ({ id, secrets: { current, previous } }: Webhook.Endpoint, key = vaultKey) =>
  Effect.gen(function* () {
    return {
      current: yield* WebhookSecrets.open(id, current),
      previous: previous && (yield* WebhookSecrets.open(id, previous.secret)),
    }
  }).pipe(Effect.provide(Layer.unwrap(VaultKey.layer([VaultKey.make(key)]))))

/** A database with a partner, and what runs there. */
const begin = Effect.gen(function* () {
  const url = yield* Databases.address("migrated")
  const service = yield* Scope.fork(yield* Effect.scope)
  yield* Commands.serve(url, variables).pipe(Scope.provide(service))
  const run = (...args: ReadonlyArray<string>) => Effect.promise(() => Commands.run(url, ...args))
  const said = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args), ({ code, err, out }) => {
      assert.strictEqual(code, 0, err)
      return out
    })
  const json = (...args: ReadonlyArray<string>) =>
    Effect.map(said(...args, "--json"), (out) => JSON.parse(out))
  /** How each of several ended, where a process for each would take long. */
  const several = (commands: ReadonlyArray<string>) =>
    Effect.promise(() => Commands.several(url, commands))
  const partnerId = (yield* said("partners", "create", "--name", "Corner")).trimEnd()
  const stored = Effect.flatMap(Outbox, (outbox) =>
    outbox.endpoints({ partnerId: PartnerId.PartnerId.make(partnerId), mode: "live" }),
  ).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
  /** Ends the service, so that another one takes its place. */
  const end = Scope.close(service, Exit.void)
  return { url, run, said, json, several, partnerId, stored, end }
})

describe("florin webhooks endpoints", () => {
  it.live(
    "creates, lists and disables endpoints, and shows each secret once",
    () =>
      Effect.gen(function* () {
        const { json, partnerId, run, said, several, stored } = yield* begin
        const create = ["webhooks", "endpoints", "create", address, "--partner", partnerId]
        const made = yield* run(...create, "--mode", "live")
        assert.strictEqual(made.code, 0, made.err)
        assert.match(made.out, secretLine)
        const [first = assert.fail("there is none"), ...none] = yield* stored
        assert.deepStrictEqual(none, [])
        assert.notInclude(JSON.stringify(first), "whsec_")
        assert.strictEqual(`${(yield* opened(first)).current}\n`, made.out)
        assert.include(made.err, `${first.id} gets these events: all. API version: pinned.`)
        assert.strictEqual(first.types, "all")
        const known = {
          id: first.id,
          partnerId,
          mode: "live",
          url: address,
          types: null,
          version: null,
          createdAt: new Date(first.createdAt).toISOString(),
          disabledAt: null,
        }

        const types = ["--type", "refund.succeeded", "--type", "payment.succeeded"]
        const version = ["--api-version", "2026-02-18"]
        const { secret, webhook: second } = yield* json(
          ...create,
          "--mode",
          "test",
          ...types,
          ...version,
        )
        assert.match(`${secret}\n`, secretLine)
        assert.deepInclude(second, {
          mode: "test",
          types: ["payment.succeeded", "refund.succeeded"],
          version: "2026-02-18",
        })

        const list = `webhooks endpoints list --partner ${partnerId}`
        const [told, shown, others] = yield* several([
          `${list} --json`,
          "webhooks endpoints list",
          "webhooks endpoints list --partner prtn_1",
        ])
        assert.sameDeepMembers(JSON.parse(told?.out ?? "").webhooks, [known, second])
        const row = `${first.id} +${partnerId} +live +called +pinned +all +https://shop\\.example`
        assert.match(shown?.out ?? "", new RegExp(row, "u"))
        assert.match(
          shown?.out ?? "",
          / test +called +2026-02-18 +payment\.succeeded, refund\.succeeded /u,
        )
        assert.include(
          others?.out,
          "No endpoints. Create one with: npx florin webhooks endpoints create",
        )
        for (const text of [told?.out, shown?.out]) assert.notInclude(text, "whsec_")

        const disable = ["webhooks", "endpoints", "disable", first.id]
        assert.include(yield* said(...disable), `${first.id} is disabled`)
        const [disabled] = yield* stored
        const disabledAt = new Date(disabled?.disabledAt ?? 0).toISOString()
        assert.deepStrictEqual(yield* json(...disable), { ...known, disabledAt })
        const [after] = yield* several(["webhooks endpoints list"])
        assert.match(after?.out ?? "", new RegExp(`${first.id} .* disabled `, "u"))
      }),
    timeout,
  )

  it.live(
    "changes given fields of an endpoint, tests it, and replays its events",
    () =>
      Effect.gen(function* () {
        const { json, partnerId, run, said, several } = yield* begin
        const create = ["create", address, "--partner", partnerId, "--mode", "live"]
        const { secret, webhook: made } = yield* json("webhooks", "endpoints", ...create)
        assert.match(`${secret}\n`, secretLine)
        const of = (command: string, ...flags: ReadonlyArray<string>) =>
          ["webhooks", "endpoints", command, made.id, ...flags] as const
        const url = "https://new.example/florin"
        const moved = yield* json(...of("change", "--address", url, "--type", "payment.settled"))
        assert.deepStrictEqual(moved, { ...made, url, types: ["payment.settled"] })
        const versioned = yield* json(...of("change", "--api-version", "2026-02-18"))
        assert.deepStrictEqual(versioned, { ...moved, version: "2026-02-18" })
        const plain = yield* json(...of("change", "--type", "all", "--api-version", "pinned"))
        assert.deepStrictEqual(plain, { ...made, url })

        const tried = yield* json(...of("test"))
        assert.match(tried.deliveryId, /^dlv_/u)
        const again = yield* said(...of("test"))
        assert.include(again, "A worker sends it to this endpoint only")
        assert.include(again, `florin ${of("deliveries").join(" ")}`)
        // No worker runs, so nothing was sent.
        assert.deepStrictEqual(yield* json(...of("deliveries")), { data: [], nextCursor: null })
        const range = ["--from", "2026-03-01T00:00:00Z", "--to", "2026-03-02T00:00:00Z"]
        const none = yield* json(...of("replay", ...range, "--state", "given_up"))
        assert.deepStrictEqual(none, { deliveries: 0 })

        const refused: ReadonlyArray<readonly [command: string, code: number, says: string]> = [
          [of("change").join(" "), 2, "nothing to change"],
          [of("change", "--address", "http://127.0.0.1/").join(" "), 2, "the host is private"],
          [of("replay", "--from", "yesterday").join(" "), 2, "--from: must be an RFC 3339"],
          [of("replay", ...range, "--state", "lost").join(" "), 2, "given_up"],
          ["webhooks endpoints test whk_1", 1, "no such webhook"],
        ]
        const ends = yield* several(refused.map(([command]) => command))
        for (const [index, [command, code, says]] of refused.entries()) {
          assert.strictEqual(ends[index]?.code, code, command)
          assert.include(ends[index]?.err, says)
        }
        yield* said(...of("disable"))
        const late = yield* run(...of("change", "--address", url))
        assert.include(late.err, "the endpoint is disabled: create a new one")
      }),
    timeout,
  )

  it.live(
    "rotates a secret, with a day of grace; a disabled endpoint has none",
    () =>
      Effect.gen(function* () {
        const { json, partnerId, run, said, stored } = yield* begin
        const create = ["create", address, "--partner", partnerId, "--mode", "live"]
        const { secret, webhook } = yield* json("webhooks", "endpoints", ...create)
        const rotate = ["webhooks", "endpoints", "rotate", webhook.id]
        const rotated = yield* run(...rotate)
        assert.match(rotated.out, secretLine)
        assert.include(rotated.err, "For 24 hours, calls are also signed with the old secret.")
        const [endpoint = assert.fail("there is none")] = yield* stored
        const { secrets } = endpoint
        const { current, previous } = yield* opened(endpoint)
        assert.deepStrictEqual([`${current}\n`, previous], [rotated.out, secret])
        assert.isAbove(secrets.previous?.endsAt ?? 0, Date.now() + Webhook.secretGraceInMs / 2)

        yield* said("webhooks", "endpoints", "disable", webhook.id)
        const refused = yield* run(...rotate)
        assert.deepStrictEqual([refused.code, refused.out], [1, ""])
        assert.include(refused.err, "the endpoint is disabled: create a new one")
        assert.strictEqual((yield* stored)[0]?.secrets.current, secrets.current)
      }),
    timeout,
  )

  it.live(
    "S30: seals all secrets again with a new vault key",
    () =>
      Effect.gen(function* () {
        const { end, json, partnerId, run, stored, url } = yield* begin
        const create = ["create", address, "--partner", partnerId, "--mode", "live"]
        const { secret } = yield* json("webhooks", "endpoints", ...create)
        const [first = assert.fail("there is none")] = yield* stored
        yield* end
        const next = Buffer.alloc(32, 6)
        /** Another service on the database, with these keys of the vault. */
        const seal = (...keys: ReadonlyArray<Buffer>) =>
          Commands.serve(url, {
            FLORIN_VAULT_KEY: keys.map((key) => key.toString("base64")).join(" "),
            FLORIN_NEW_KEYS: "true",
          }).pipe(Effect.andThen(run("webhooks", "endpoints", "seal")), Effect.scoped)
        const none = yield* Effect.flip(seal())
        assert.include(none.message, "FLORIN_VAULT_KEY, which all processes share, is required")
        const lacking = yield* seal(next)
        assert.strictEqual(lacking.code, 1)
        assert.include(lacking.err, `cannot open the secrets of ${first.id}`)
        const both = yield* seal(next, vaultKey)
        assert.strictEqual(both.code, 0, both.err)
        const after = yield* stored
        assert.notStrictEqual(after[0]?.secrets.current, first.secrets.current)
        assert.deepStrictEqual(
          (yield* Effect.forEach(after, (each) => opened(each, next))).map((each) => each.current),
          [Webhook.Secret.make(secret)],
        )
      }),
    timeout,
  )

  it.live(
    "refuses private addresses unless allowed, and unknown partners and endpoints",
    () =>
      Effect.gen(function* () {
        const { end, partnerId, run, several, stored, url } = yield* begin
        const create = (to: string, partner = partnerId) =>
          `webhooks endpoints create ${to} --partner ${partner} --mode live`
        const home = "http://127.0.0.1:8080/hooks"
        const refused: ReadonlyArray<readonly [command: string, code: number, says: string]> = [
          [create(home), 2, "url: the host is private, local or reserved"],
          [create("http://shop.example/"), 2, "url: a URL must begin with https://"],
          [create(address, "prtn_1"), 1, "no such partner"],
          [create(address, "me"), 2, "--partner: "],
          [`${create(address)} --type payment.paid`, 2, "payment.succeeded"],
          [`${create(address)} --api-version 2026-02-17`, 2, "2026-02-18"],
          [`${create(address)} --api-version 2026-02-19.preview`, 2, "2026-02-18"],
          ["webhooks endpoints rotate whk_1", 1, "no such webhook"],
          ["webhooks endpoints disable whk_1", 1, "no such webhook"],
          ["webhooks endpoints disable 1", 2, "whk_ and 1 to 64 letters or digits"],
        ]
        const ends = yield* several(refused.map(([command]) => command))
        for (const [index, [command, code, says]] of refused.entries()) {
          const ended = ends[index]
          assert.deepStrictEqual([ended?.code, ended?.out], [code, ""], command)
          assert.include(ended?.err, says)
        }
        assert.deepStrictEqual(yield* stored, [])

        yield* end
        const allowing = Commands.serve(url, { ...variables, FLORIN_PRIVATE_WEBHOOKS: "true" })
        const asServed = yield* allowing.pipe(
          Effect.andThen(run(...create(home).split(" "))),
          Effect.scoped,
        )
        assert.match(asServed.out, secretLine, asServed.err)
        assert.deepStrictEqual(
          (yield* stored).map((each) => each.url),
          [home],
        )
      }),
    timeout,
  )
})
