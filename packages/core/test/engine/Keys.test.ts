import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Callers from "@florin/testing/Callers"
import * as Fixtures from "@florin/testing/Fixtures"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, now } = Scene

const walletOwner: ApiKey.Owner = {
  _tag: "Wallet",
  name: "A wallet",
  iconUrl: "https://wallet.example/i.png",
  versionPin: "2026-02-18",
}

const start = Effect.map(begin, (scene) => ({
  ...scene,
  issue: (input: Partial<Parameters<typeof Keys.issue>[0]> = {}) =>
    Keys.issue({
      mode: "test",
      owner: { _tag: "Partner", partnerId: scene.partner.id },
      name: "Backend",
      expiresAt: null,
      ...input,
    }),
}))

/** Why a key was refused. */
const refusal = (text: string) =>
  Effect.map(Effect.flip(Callers.authenticate(text)), (error) => {
    assert.notInclude(error.message, text === "" ? "\0" : text)
    return error._tag === "InvalidApiKey" ? error.reason : error._tag
  })

describe("Keys.authenticate", () => {
  it.effect(
    "reads a key and its partner in one read",
    alone(
      Effect.gen(function* () {
        const { issue, accounts } = yield* start
        for (const owner of [undefined, walletOwner]) {
          const { text } = yield* issue(owner && { owner })
          yield* Callers.authenticate(text)
          const reads: Array<string> = []
          const counting = new Proxy(accounts, {
            get: (target, name, receiver) => {
              reads.push(String(name))
              return Reflect.get(target, name, receiver)
            },
          })
          yield* Effect.provideService(Callers.authenticate(text), AccountStore, counting)
          assert.deepStrictEqual(reads, ["keyByHash"])
        }
      }),
    ),
  )

  it.effect(
    "records when a key was last used, at most once in a while",
    alone(
      Effect.gen(function* () {
        const { issue, accounts } = yield* start
        const { record, text } = yield* issue()
        const lastUsedAt = Effect.map(accounts.keys(record, null), ([key]) => key?.lastUsedAt)
        const useAt = (at: number) =>
          Effect.andThen(
            TestClock.setTime(at),
            Effect.andThen(Callers.authenticate(text), lastUsedAt),
          )
        assert.isNull(yield* lastUsedAt)
        assert.strictEqual(yield* useAt(now + 1), now + 1)
        assert.strictEqual(yield* useAt(now + Limits.keyUseNotedInMs), now + 1)
        const later = now + 1 + Limits.keyUseNotedInMs
        assert.strictEqual(yield* useAt(later), later)
        yield* Keys.revoke(record.id)
        yield* refusal(text)
        assert.strictEqual(yield* lastUsedAt, later)
      }),
    ),
  )

  it.effect(
    "accepts a key although its use cannot be recorded",
    alone(
      Effect.gen(function* () {
        const { issue, accounts } = yield* start
        const { record, text } = yield* issue()
        const failing = {
          ...accounts,
          modifyKey: () => Effect.fail(new StorageUnavailable({ message: "gone" })),
        }
        const { keyId } = yield* Effect.provideService(
          Callers.authenticate(text),
          AccountStore,
          failing,
        )
        assert.strictEqual(keyId, record.id)
      }),
    ),
  )

  it.effect(
    "refuses a key whose partner does not exist",
    alone(
      Effect.gen(function* () {
        const { issue } = yield* start
        const partnerId = PartnerId.PartnerId.make("prtn_nobody")
        const { text } = yield* issue({ owner: { _tag: "Partner", partnerId } })
        assert.strictEqual(yield* refusal(text), "unknown")
      }),
    ),
  )
})

describe("Keys.ensurePartner", () => {
  const { feeTerms } = Fixtures

  it.effect(
    "creates one partner for a key, and records it once, from requests at the same time",
    alone(
      Effect.gen(function* () {
        const { accounts } = yield* start
        const before = (yield* accounts.partners(null)).length
        const asked = yield* Effect.forEach(
          ["New", "New", "Newer"],
          (name) => Keys.ensurePartner("shop", { name, feeTerms }),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(new Set(asked.map(({ id }) => id)).size, 1)
        assert.strictEqual((yield* accounts.partners(null)).length, before + 1)
        const other = yield* Keys.ensurePartner("shop 2", { name: "New", feeTerms })
        assert.notStrictEqual(other.id, asked[0]?.id)
        const log = yield* AuditLog.list({}, undefined, 100)
        const created = log.items.filter(({ action }) => action === "partner.created")
        assert.deepStrictEqual(
          created.map(({ subject }) => subject),
          [other.id, ...new Set(asked.map(({ id }) => id))],
        )
      }),
    ),
  )

  it.effect(
    "does not undo what the operator changed of a partner",
    alone(
      Effect.gen(function* () {
        const { accounts } = yield* start
        const { id } = yield* Keys.ensurePartner("shop", { name: "New", feeTerms })
        const changed = yield* accounts.modifyPartner(id, (partner) => ({
          ...partner,
          frozenAt: 1,
        }))
        assert.deepStrictEqual(
          yield* Keys.ensurePartner("shop", { name: "New", feeTerms }),
          changed,
        )
        yield* failsWith("InvalidInput", Keys.ensurePartner("", { name: "New", feeTerms }))
        yield* failsWith("InvalidInput", Keys.ensurePartner("other", { name: "", feeTerms }))
      }),
    ),
  )
})

describe("Keys.rotate", () => {
  it.effect(
    "gives a key a successor, and accepts both during the grace period",
    alone(
      Effect.gen(function* () {
        const { issue } = yield* start
        const first = yield* issue()
        const second = yield* Keys.rotate(first.record.id, null)
        assert.notStrictEqual(second.text, first.text)
        yield* TestClock.adjust(Limits.keyRotationGraceInMs - 1)
        const { caller } = yield* Callers.authenticate(first.text)
        const successor = { ...caller, key: second.record.id }
        assert.deepStrictEqual((yield* Callers.authenticate(second.text)).caller, successor)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* refusal(first.text), "rotated")
        assert.deepStrictEqual((yield* Callers.authenticate(second.text)).caller, successor)
      }),
    ),
  )
})

describe("Keys.revoke", () => {
  it.effect(
    "S40: also ends what was made in a session that ended since",
    alone(
      Effect.gen(function* () {
        const owner = { _tag: "Operator", name: "Ada" } as const
        const scopes = ["read", "admin"] as const
        const make = (madeBy: ReadonlyArray<ApiKey.ApiKeyId>, use?: "session") =>
          Effect.gen(function* () {
            const expiresAt = use === undefined ? null : (yield* Clock.currentTimeMillis) + 60_000
            const asked = { mode: null, owner, name: "Ada", scopes, madeBy, expiresAt }
            return yield* Keys.issue(use === undefined ? asked : { ...asked, use })
          })
        const origin = yield* make([])
        const session = yield* make([origin.record.id], "session")
        const program = yield* make([session.record.id])
        const other = yield* make([])
        yield* TestClock.adjust(60_000)
        yield* Keys.revoke(origin.record.id)
        const good = yield* (yield* AccountStore).keys(null, yield* Clock.currentTimeMillis)
        assert.deepStrictEqual(
          good.map(({ id }) => id),
          [other.record.id],
        )
        assert.notStrictEqual(program.record.id, other.record.id)
      }),
    ),
  )
})

describe("Keys.list", () => {
  it.effect(
    "lists a partner's keys newest first, and wallets' keys separately",
    alone(
      Effect.gen(function* () {
        const { issue, partner, world } = yield* start
        const first = yield* issue()
        yield* TestClock.adjust(1)
        const second = yield* issue({ mode: "live" })
        const wallet = yield* issue({ owner: walletOwner })
        const { partnerId } = world.other
        const foreign = yield* issue({ owner: { _tag: "Partner", partnerId } })
        assert.deepStrictEqual(yield* Keys.list(partner.id), [second.record, first.record])
        assert.deepStrictEqual(yield* Keys.list(null), [wallet.record])
        assert.deepStrictEqual(yield* Keys.list(partnerId), [foreign.record])
      }),
    ),
  )
})
