/**
 * Partners, keys, merchants and their destinations: access and order.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as Event from "@florin/core/domain/payment/Event"
import { findMerchant, findPartner, type Tenant } from "@florin/core/ports/AccountStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import { unusedChain } from "./Chains.ts"
import {
  atOnce,
  begin,
  failsWith,
  type It,
  lookalikes,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures

const refused = Result.fail({ _tag: "Refused" as const })

const deleting = (current: SettlementDestination.SettlementDestination) =>
  Result.succeed({ destination: { ...current, deletedAt: now }, event: null })

const addMerchants = ({ accounts }: Scene, merchants: ReadonlyArray<Merchant.Merchant>) =>
  Effect.forEach(merchants, accounts.addMerchant, { discard: true })

const nobody = PartnerId.PartnerId.make("prtn_nobody")
const first = { after: null, limit: 1000 }

export const accountRules = (it: It): void => {
  it.effect("returns a partner as it was last written", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const partner = world.partner()
      assert.deepStrictEqual(yield* findPartner(accounts, partner.id), partner)
      const changed = world.partner({
        name: "ünï '\"\\",
        versionPin: "2026-02-19.preview",
        feeTerms: {
          fixed: [{ currency: "EUR", quantity: Fixtures.quantity(10n) }],
          percentage: Fixtures.feeTerms.percentage,
        },
      })
      yield* Stores.putPartner(accounts, changed)
      assert.deepStrictEqual(yield* accounts.partners([partner.id, nobody]), [changed])
      const all = (yield* accounts.partners(null)).filter((each) => each.id === partner.id)
      assert.deepStrictEqual(all, [changed])
    }),
  )

  it.effect("adds a partner once, and does not change an existing one", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const id = PartnerId.PartnerId.make(`${world.tenant.partnerId}Added`)
      const partners = range(3).map((index) => world.partner({ id, name: `Added ${index}` }))
      const added = yield* atOnce(partners, (partner) => accounts.addPartner(partner))
      assert.strictEqual(added.filter((isNew) => isNew).length, 1)
      assert.deepStrictEqual(yield* findPartner(accounts, id), partners[added.indexOf(true)])
      assert.isFalse(yield* accounts.addPartner(world.partner({ id, name: "Later" })))
      assert.deepStrictEqual(yield* findPartner(accounts, id), partners[added.indexOf(true)])
    }),
  )

  it.effect(
    "S18: applies a change to the current partner, so two concurrent changes are both kept",
    () =>
      Effect.gen(function* () {
        const { accounts, world } = yield* begin
        const { partnerId } = world.tenant
        yield* atOnce(range(2), (index) =>
          accounts.modifyPartner(partnerId, (current) =>
            index === 0 ? { ...current, frozenAt: now } : { ...current, suspendedAt: now },
          ),
        )
        assert.deepInclude(yield* findPartner(accounts, partnerId), {
          frozenAt: now,
          suspendedAt: now,
        })
        yield* failsWith(
          "NotFound",
          accounts.modifyPartner(nobody, (current) => current),
        )
      }),
  )

  it.effect("S18: finds a key's partner in its newest state", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const key = world.apiKey()
      yield* accounts.putKeys([key])
      yield* accounts.keyByHash(key.hash)
      yield* accounts.modifyPartner(world.tenant.partnerId, (current) => ({
        ...current,
        suspendedAt: now,
      }))
      assert.strictEqual((yield* accounts.keyByHash(key.hash)).partner?.suspendedAt, now)
    }),
  )

  it.effect("knows no partner and no key that was never written", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      assert.deepStrictEqual(yield* accounts.partners([nobody]), [])
      const key = world.apiKey()
      const failure = yield* failsWith("NotFound", accounts.keyByHash(key.hash))
      assert.strictEqual(failure._tag === "NotFound" && failure.what, "key")
      assert.deepStrictEqual(yield* accounts.keys(key, null), [])
    }),
  )

  it.effect("finds a key by its id and by its hash, as it was last written", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const wallet: ApiKey.Owner = {
        _tag: "Wallet",
        name: "A wallet",
        iconUrl: "https://wallet.example/icon.png",
        versionPin: "2026-02-18",
      }
      const keys = [
        world.apiKey({ mode: "live", expiresAt: now + 1, name: "ünï '\"\\" }),
        world.apiKey({ owner: wallet, revokedAt: now }),
        world.apiKey({ owner: { ...wallet, iconUrl: null } }),
        world.apiKey({ owner: { ...wallet, profile: "field" } }),
      ]
      yield* accounts.putKeys(keys)
      for (const key of keys) {
        assert.deepStrictEqual(yield* accounts.keys(key, null), [key])
        assert.deepStrictEqual((yield* accounts.keyByHash(key.hash)).key, key)
      }
      const [old = world.apiKey()] = keys
      const next = world.apiKey({ createdAt: now + 1 })
      const rotated = {
        ...ApiKey.recordUse(old, now + 5),
        rotation: { to: next.id, graceEndsAt: now + 10 },
      }
      yield* accounts.putKeys([rotated, next])
      assert.deepStrictEqual((yield* accounts.keyByHash(old.hash)).key, rotated)
      assert.deepStrictEqual((yield* accounts.keyByHash(next.hash)).key, next)
    }),
  )

  it.effect("finds a key together with its partner, as it was last written", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const own = world.apiKey()
      const absent = world.apiKey({ owner: { _tag: "Partner", partnerId: nobody } })
      const wallet = world.apiKey({
        owner: { _tag: "Wallet", name: "A wallet", iconUrl: null, versionPin: "2026-02-18" },
      })
      yield* accounts.putKeys([own, absent, wallet])
      const partnerOf = (key: ApiKey.ApiKey) =>
        Effect.map(accounts.keyByHash(key.hash), ({ partner }) => partner)
      assert.deepStrictEqual(yield* partnerOf(own), world.partner())
      const changed = world.partner({ name: "Renamed" })
      yield* Stores.putPartner(accounts, changed)
      assert.deepStrictEqual(yield* partnerOf(own), changed)
      assert.isNull(yield* partnerOf(absent))
      assert.isNull(yield* partnerOf(wallet))
    }),
  )

  it.effect("runs a decision on the current key, and writes the keys that it names", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const [old, next, absent] = [world.apiKey(), world.apiKey(), world.apiKey()]
      yield* accounts.putKeys([old])
      const result = yield* accounts.modifyKey(old.id, (current) =>
        Result.succeed({ result: current.hint, keys: [ApiKey.recordUse(current, now), next] }),
      )
      assert.strictEqual(result, old.hint)
      assert.deepStrictEqual(yield* accounts.keys(old, null), [{ ...old, lastUsedAt: now }])
      assert.deepStrictEqual((yield* accounts.keyByHash(next.hash)).key, next)
      yield* failsWith(
        "Refused",
        accounts.modifyKey(old.id, () => refused),
      )
      assert.deepStrictEqual(yield* accounts.keys(old, null), [{ ...old, lastUsedAt: now }])
      const nothing = { result: undefined, keys: [] }
      yield* failsWith(
        "NotFound",
        accounts.modifyKey(absent.id, () => Result.succeed(nothing)),
      )
    }),
  )

  it.effect("loses none of many decisions on one key", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const key = world.apiKey({ name: "" })
      yield* accounts.putKeys([key])
      yield* atOnce(range(20), () =>
        accounts.modifyKey(key.id, (current) =>
          Result.succeed({ result: undefined, keys: [{ ...current, name: `${current.name}x` }] }),
        ),
      )
      assert.strictEqual((yield* accounts.keys(key, null))[0]?.name, "x".repeat(20))
    }),
  )

  it.effect("finds the keys of a partner that are valid at a time", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const rotation = (graceEndsAt: number) => ({ to: world.apiKey().id, graceEndsAt })
      const all = [
        world.apiKey({ createdAt: now + 1 }),
        world.apiKey({ createdAt: now + 2, revokedAt: now - 1 }),
        world.apiKey({ createdAt: now + 3, expiresAt: now }),
        world.apiKey({ createdAt: now + 4, expiresAt: now + 1 }),
        world.apiKey({ createdAt: now + 5, rotation: rotation(now) }),
        world.apiKey({ createdAt: now + 6, rotation: rotation(now + 1), mode: "live" }),
      ]
      yield* accounts.putKeys(all)
      yield* accounts.putKeys([
        world.apiKey({ owner: { _tag: "Partner", partnerId: world.other.partnerId } }),
      ])
      for (const at of [now - 1, now, now + 1]) {
        assert.deepStrictEqual(
          yield* accounts.keys(world.tenant.partnerId, at),
          all.filter((key) => Result.isSuccess(ApiKey.check(key, at))).toReversed(),
        )
      }
    }),
  )

  it.effect("lists a partner's keys, or every wallet's, newest first", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const own = [2, 5, 1, 4, 3].map((at) =>
        world.apiKey({ createdAt: now + at, mode: at % 2 === 0 ? "test" : "live" }),
      )
      const others = [2, 1].map((at) =>
        world.apiKey({
          createdAt: now + at,
          owner: { _tag: "Partner", partnerId: world.other.partnerId },
        }),
      )
      const wallets = [1, 3, 2].map((at) =>
        world.apiKey({
          createdAt: now + at,
          owner: { _tag: "Wallet", name: "W", iconUrl: null, versionPin: "2026-02-18" },
        }),
      )
      yield* accounts.putKeys([...own, ...others, ...wallets])
      const newestFirst = (keys: ReadonlyArray<ApiKey.ApiKey>) =>
        keys.toSorted((left, right) => right.createdAt - left.createdAt)
      assert.deepStrictEqual(yield* accounts.keys(world.tenant.partnerId, null), newestFirst(own))
      assert.deepStrictEqual(yield* accounts.keys(world.other.partnerId, null), newestFirst(others))
      const ids = new Set(wallets.map((each) => each.id))
      const listed = yield* accounts.keys(null, null)
      assert.deepStrictEqual(
        listed.filter((each) => ids.has(each.id)),
        newestFirst(wallets),
      )
      assert.isTrue(listed.every((each) => each.owner._tag === "Wallet"))
    }),
  )

  it.effect("returns a merchant as it was changed, and never another tenant's", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const merchant = world.merchant({ name: "ünï '\"\\", iconUrl: "https://a.example/i.png" })
      yield* addMerchants(scene, [merchant])
      assert.deepStrictEqual(yield* findMerchant(accounts, world.tenant, merchant.id), merchant)
      for (const tenant of [world.live, world.other, world.otherLive]) {
        yield* failsWith("NotFound", findMerchant(accounts, tenant, merchant.id))
        yield* failsWith(
          "NotFound",
          accounts.modifyMerchant(tenant, merchant.id, (current) =>
            Result.succeed({ ...current, name: "Taken over" }),
          ),
        )
        assert.strictEqual((yield* accounts.merchants(tenant, {}, first)).totalCount, 0)
      }
      yield* failsWith(
        "Refused",
        accounts.modifyMerchant(world.tenant, merchant.id, () => refused),
      )
      yield* accounts.addMerchant({ ...merchant, name: "Added again" })
      assert.deepStrictEqual(yield* findMerchant(accounts, world.tenant, merchant.id), merchant)
      const changed: Merchant.Merchant = { ...merchant, iconUrl: null, status: "suspended" }
      assert.deepStrictEqual(
        yield* accounts.modifyMerchant(world.tenant, merchant.id, () => Result.succeed(changed)),
        changed,
      )
      assert.deepStrictEqual(yield* findMerchant(accounts, world.tenant, merchant.id), changed)
    }),
  )

  it.effect("finds many merchants of a tenant in one read", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const own = range(5).map((index) =>
        world.merchant({ deletedAt: index === 0 ? now : null, createdAt: now + index }),
      )
      const others = [world.merchant(world.other), world.merchant(world.live)]
      yield* addMerchants(scene, [...own, ...others])
      const idsOf = (merchants: ReadonlyArray<Merchant.Merchant>) => merchants.map(({ id }) => id)
      const byId = (merchants: ReadonlyArray<Merchant.Merchant>) =>
        merchants.toSorted((left, right) => (left.id < right.id ? -1 : 1))
      const named = [...idsOf(own.slice(0, 3)), ...idsOf(others), world.merchant().id]
      const find = (tenant: Tenant | null, ids: ReadonlyArray<MerchantId.MerchantId>) =>
        accounts.findMerchants({ _tag: "Ids", tenant, ids })
      const found = yield* find(world.tenant, [...named, ...named])
      assert.deepStrictEqual(byId(found), byId(own.slice(0, 3)))
      assert.deepStrictEqual(yield* find(world.tenant, []), [])
      assert.deepStrictEqual(yield* find(world.otherLive, named), [])
      assert.deepStrictEqual(byId(yield* find(null, named)), byId([...own.slice(0, 3), ...others]))
    }),
  )

  it.effect("loses none of many concurrent changes to one merchant", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const merchant = world.merchant({ name: "" })
      yield* addMerchants(scene, [merchant])
      // Each change may be decided again after every other one, and no call may wait longer than an adapter's patience.
      yield* atOnce(range(20), () =>
        accounts.modifyMerchant(world.tenant, merchant.id, (current) =>
          Result.succeed({ ...current, name: `${current.name}x` }),
        ),
      )
      const { name } = yield* findMerchant(accounts, world.tenant, merchant.id)
      assert.strictEqual(name, "x".repeat(20))
    }),
  )

  it.effect("still finds a deleted merchant, and no longer lists it", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const [kept, gone] = [world.merchant(), world.merchant()]
      yield* addMerchants(scene, [kept, gone])
      const deleted = yield* accounts.modifyMerchant(world.tenant, gone.id, (current) =>
        Result.succeed(Merchant.remove(current, now + 1)),
      )
      assert.strictEqual(deleted.deletedAt, now + 1)
      assert.deepStrictEqual(yield* findMerchant(accounts, world.tenant, gone.id), deleted)
      assert.deepStrictEqual(yield* accounts.merchants(world.tenant, {}, first), {
        items: [kept],
        hasMore: false,
        totalCount: 1,
      })
    }),
  )

  it.effect("lists merchants newest first, page by page", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      // Some are equally old: then the greater id comes first.
      const merchants = range(23).map((index) => world.merchant({ createdAt: now + (index % 7) }))
      yield* addMerchants(scene, merchants)
      const expected = merchants.toSorted(Merchant.newestFirst)
      for (const limit of [1, 5, 22, 23, 24]) {
        const seen: Array<Merchant.Merchant> = []
        for (;;) {
          const last = seen.at(-1)
          const page = yield* accounts.merchants(
            world.tenant,
            {},
            {
              after: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
              limit,
            },
          )
          assert.strictEqual(page.totalCount, 23)
          assert.deepStrictEqual(page.items, expected.slice(seen.length, seen.length + limit))
          seen.push(...page.items)
          assert.strictEqual(page.hasMore, seen.length < 23)
          if (!page.hasMore) break
        }
        assert.strictEqual(seen.length, 23)
      }
    }),
  )

  it.effect("lists the merchants of all partners and modes, or of some", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const name = `Every ${world.next()}`
      const merchants = [world.tenant, world.other, world.live].map((owner, index) =>
        world.merchant({ ...owner, name, createdAt: now + index }),
      )
      yield* addMerchants(scene, merchants)
      const { mode, partnerId } = world.tenant
      for (const scope of [
        { partnerId: null, mode: null },
        { partnerId: null, mode },
        { partnerId, mode: null },
        { partnerId, mode },
      ]) {
        const expected = merchants
          .filter((each) => scope.partnerId === null || each.partnerId === scope.partnerId)
          .filter((each) => scope.mode === null || each.mode === scope.mode)
          .toSorted(Merchant.newestFirst)
        assert.deepStrictEqual(yield* accounts.merchants(scope, { search: name }, first), {
          items: expected,
          hasMore: false,
          totalCount: expected.length,
        })
      }
    }),
  )

  it.effect("A12: searches merchants literally, whatever the case, and filters by status", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const names = [
        "Café 100%",
        "CAFÉ 100 percent",
        "a_b",
        "axb",
        "back\\slash",
        "back/slash",
        'it\'s "quoted"',
        "[a-z]*",
        "Zürich",
        "ПРИВЕТ",
        "50%%",
      ]
      const statuses = ["active", "inactive", "suspended"] as const
      const merchants = names.map((name, index) =>
        world.merchant({
          name,
          createdAt: now + index,
          status: statuses[index % 3] ?? "active",
        }),
      )
      const deleted = world.merchant({ name: "Café 100%", deletedAt: now })
      yield* addMerchants(scene, [...merchants, deleted])
      const [some = deleted] = merchants
      const searches = [
        "%",
        "%%",
        "_",
        "a_b",
        "\\",
        "back\\",
        "\\%",
        "100%",
        "café",
        "ZÜRICH",
        "привет",
        "'",
        '"',
        "[a-z]",
        "*",
        ".",
        "^",
        "mrch_",
        some.id.toUpperCase(),
        "nothing has this",
        "",
      ]
      for (const search of [undefined, ...searches]) {
        for (const status of [undefined, ...statuses]) {
          const filter: Merchant.Filter = {
            ...(search !== undefined && { search }),
            ...(status !== undefined && { status }),
          }
          const expected = merchants
            .filter((each) => Merchant.isListed(each, filter))
            .toSorted(Merchant.newestFirst)
          const listed = yield* accounts.merchants(world.tenant, filter, { after: null, limit: 3 })
          assert.deepStrictEqual(
            listed,
            {
              items: expected.slice(0, 3),
              hasMore: expected.length > 3,
              totalCount: expected.length,
            },
            JSON.stringify(filter),
          )
        }
      }
    }),
  )

  it.effect("lists a merchant's destinations oldest first", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const destinations = [3, 1, 2].map((at) =>
        world.destination({
          createdAt: now + at,
          token: Fixtures.token(world.next()),
          assetText: `EIP155:… as it was sent ${at}`,
        }),
      )
      for (const each of destinations) {
        const decide = () => Result.succeed({ added: [each] })
        yield* accounts.addDestinations(world.merchantId, decide, each.createdAt)
      }
      assert.deepStrictEqual(
        yield* Stores.destinationsOf(accounts, world.merchantId),
        destinations.toSorted((left, right) => left.createdAt - right.createdAt),
      )
      assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, world.merchant().id), [])
    }),
  )

  it.effect(
    "registers one destination for a merchant's asset, even with many concurrent calls",
    () =>
      Effect.gen(function* () {
        const { accounts, world } = yield* begin
        const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
        const merchants = [world.merchant().id, world.merchant().id]
        const outcomes = yield* atOnce(range(100), (index) => {
          const merchantId = merchants[index % 2] ?? world.merchantId
          const { id } = world.destination()
          const to = `eip155:8453:${Fixtures.address(id)}`
          const read = Result.getOrThrow(
            SettlementDestination.read([{ id, asset, destination: to }], {
              catalog: BuiltIn.catalog,
              accounts: [],
            }),
          )
          return Effect.map(
            Effect.result(
              accounts.addDestinations(
                merchantId,
                (existing) =>
                  Result.map(
                    SettlementDestination.create(merchantId, read, existing, now),
                    (added) => ({ added }),
                  ),
                now,
              ),
            ),
            (result) => ({ merchantId, result }),
          )
        })
        for (const merchantId of merchants) {
          const contest = outcomes.filter((each) => each.merchantId === merchantId)
          const winners = contest.flatMap(({ result }) =>
            Result.isSuccess(result) ? result.success.map(({ id }): string => id) : [],
          )
          assert.strictEqual(winners.length, 1, "destinations that were registered")
          for (const { result } of contest) {
            if (Result.isFailure(result)) {
              assert.strictEqual(result.failure._tag, "SettlementAssetConflict")
            }
          }
          const registered = yield* Stores.destinationsOf(accounts, merchantId)
          assert.deepStrictEqual(
            registered.map((each): string => each.id),
            winners,
          )
        }
      }),
    timeout,
  )

  it.effect("changes and deletes a destination of the merchant that has it", () =>
    Effect.gen(function* () {
      const { accounts, world } = yield* begin
      const destination = world.destination()
      const keep = world.destination({
        token: Fixtures.token(world.next()),
        createdAt: now + 1,
      })
      yield* accounts.addDestinations(
        world.merchantId,
        () => Result.succeed({ added: [destination, keep] }),
        now,
      )
      const stranger = world.merchant().id
      for (const [merchantId, id] of [
        [stranger, destination.id],
        [world.merchantId, world.destination().id],
      ] as const) {
        const failure = yield* failsWith(
          "NotFound",
          accounts.modifyDestination(merchantId, id, deleting),
        )
        assert.strictEqual(failure._tag === "NotFound" && failure.what, "destination")
      }
      yield* failsWith(
        "Refused",
        accounts.modifyDestination(world.merchantId, destination.id, () => refused),
      )
      assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, world.merchantId), [
        destination,
        keep,
      ])
      const changed = { ...destination, destination: Fixtures.account("elsewhere") }
      assert.deepStrictEqual(
        yield* accounts.modifyDestination(world.merchantId, destination.id, (current) => {
          assert.deepStrictEqual(current, destination)
          return Result.succeed({ destination: changed, event: null })
        }),
        changed,
      )
      assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, world.merchantId), [
        changed,
        keep,
      ])
      assert.deepStrictEqual(
        yield* accounts.modifyDestination(world.merchantId, destination.id, deleting),
        { ...changed, deletedAt: now },
      )
      assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, world.merchantId), [keep])
      yield* failsWith(
        "NotFound",
        accounts.modifyDestination(world.merchantId, destination.id, deleting),
      )
      // Its asset is free again.
      const again = world.destination({ createdAt: now + 2 })
      yield* accounts.addDestinations(
        world.merchantId,
        () => Result.succeed({ added: [again] }),
        now,
      )
      assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, world.merchantId), [
        keep,
        again,
      ])
    }),
  )

  it.effect(
    "S11: keeps the last destination of a token once it is deleted, until there is another",
    () =>
      Effect.gen(function* () {
        const { accounts, world } = yield* begin
        const shop = world.merchant()
        const { token } = world.destination()
        const other = { ...token, address: Fixtures.address(world.next()) }
        const own = world.destination({ merchantId: shop.id })
        const second = world.destination({ merchantId: shop.id, token: other })
        let seen: SettlementDestination.Past | null = null
        const add = (added: SettlementDestination.SettlementDestination) =>
          accounts.addDestinations(
            shop.id,
            (_, past) => {
              seen = past
              return Result.succeed({ added: [added] })
            },
            now,
          )
        const last = (of: Caip.Token, merchants = [shop.id, world.merchantId]) =>
          accounts.destinations(merchants, of)
        assert.deepStrictEqual(yield* last(token), [])
        yield* add(own)
        yield* add(second)
        assert.deepStrictEqual<unknown>(seen, { deleted: [], owed: [] })
        assert.deepStrictEqual(yield* last(token), [own])
        assert.deepStrictEqual(yield* last(other), [second])
        assert.deepStrictEqual(yield* last(token, [world.merchantId]), [])
        assert.deepStrictEqual(yield* last(token, []), [])
        const gone = yield* accounts.modifyDestination(shop.id, own.id, deleting)
        assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, shop.id), [second])
        assert.deepStrictEqual(yield* last(token), [gone])
        const again = world.destination({ merchantId: shop.id, createdAt: now + 1 })
        yield* add(again)
        assert.deepStrictEqual<unknown>(seen, { deleted: [gone], owed: [] })
        assert.deepStrictEqual(yield* last(token), [again])
        assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, shop.id), [second, again])
        yield* failsWith("NotFound", accounts.modifyDestination(shop.id, own.id, deleting))
      }),
  )

  it.effect("settles the oldest owed share of a merchant first, once it has a destination", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, outflows, reach, world } = scene
      const { merchantId, token } = world
      const [youngest, oldest, younger] = [
        yield* reach("owed", { now: now + 2 }),
        yield* reach("owed", { now }),
        yield* reach("owed", { now: now + 1 }),
      ]
      yield* reach("owed", { now, merchantId: world.merchant().id })
      yield* reach("settlementPending", { now })
      const owed = [oldest.id, younger.id, youngest.id]
      const owedIn = (of: typeof token, limit: number) =>
        Effect.map(
          outflows.waitingShares({ _tag: "Owed", merchantId, token: of }, limit),
          (shares) => shares.map(({ paymentId }) => paymentId),
        )
      assert.deepStrictEqual(yield* owedIn(token, 9), owed)
      assert.deepStrictEqual(yield* owedIn(token, 2), owed.slice(0, 2))
      const another = Fixtures.token(world.next())
      assert.deepStrictEqual(yield* owedIn(another, 9), [])

      const at = now + 60_000
      const dueAfter = (added: SettlementDestination.SettlementDestination) =>
        Effect.gen(function* () {
          yield* scene.clearDue("settle")
          const decide = () => Result.succeed({ added: [added] })
          yield* accounts.addDestinations(merchantId, decide, at)
          const due = yield* scene.work.claimDue("settle", { limit: 9, leaseInMs: 1, now: at })
          return due.map(({ payment }) => payment.id)
        })
      assert.deepStrictEqual(yield* dueAfter(world.destination({ token: another })), [])
      const own = world.destination()
      assert.deepStrictEqual(yield* dueAfter(own), [oldest.id])

      const route = { _tag: "Pays", account: own.destination } as const
      yield* scene.payments.modifyPayment(oldest.id, (payment) =>
        Result.succeed({ result: null, change: Balance.aim(payment, route, now + 5) }),
      )
      assert.deepStrictEqual(yield* owedIn(token, 9), owed.slice(1))
    }),
  )

  it.effect("S11: returns the tokens in which a merchant is owed money", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, reach, world } = scene
      const { state } = yield* reach("owed")
      const token = state._tag === "Succeeded" ? state.attempt.option.token : null
      const owedTo = (merchantId: MerchantId.MerchantId) => {
        let found: ReadonlyArray<Caip.Token> = []
        return Effect.as(
          accounts.addDestinations(
            merchantId,
            (_, { owed }) => {
              found = owed
              return Result.succeed({ added: [] })
            },
            now,
          ),
          Effect.sync(() => found),
        ).pipe(Effect.flatten)
      }
      assert.deepStrictEqual(yield* owedTo(world.merchantId), token === null ? [] : [token])
      assert.deepStrictEqual(yield* owedTo(world.merchant().id), [])
    }),
  )

  it.effect(
    "S11: announces a change in the same write: in the feed, to endpoints and in the history",
    () =>
      Effect.gen(function* () {
        const { accounts, clearDeliveries, outbox, world } = yield* begin
        yield* clearDeliveries
        const endpoint = world.endpoint()
        yield* outbox.putEndpoint(endpoint)
        const shop = world.merchant()
        yield* accounts.addMerchant(shop)
        const own = world.destination({ merchantId: shop.id })
        const acting = {
          actor: { _tag: "Key", keyId: ApiKey.ApiKeyId.make("key_1") },
          requestId: "req_1",
        } as const
        const by = { ...world.tenant, acting, now }
        const eventOf = (
          before: SettlementDestination.SettlementDestination | null,
          after: SettlementDestination.SettlementDestination,
        ) => Event.ofDestination(before, after, by) ?? assert.fail("nothing is announced")
        const registered = { ...own, changes: 1 }
        const firstChange = eventOf(null, registered)
        yield* accounts.addDestinations(
          shop.id,
          () => Result.succeed({ added: [registered], events: [firstChange] }),
          now,
        )
        const destination = SettlementDestination.change(
          registered,
          { destination: Fixtures.account("elsewhere"), destinationText: "elsewhere" },
          { delayInMs: 60, now },
        )
        const nextChange = eventOf(registered, destination)
        yield* accounts.modifyDestination(shop.id, own.id, () =>
          Result.succeed({ destination, event: nextChange }),
        )
        assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, shop.id), [destination])
        yield* failsWith(
          "Refused",
          accounts.modifyDestination(shop.id, own.id, () => refused),
        )
        const feed = yield* outbox.events(world.tenant, 0, 1000)
        assert.deepStrictEqual(
          feed.map(({ event }) => event),
          [firstChange, nextChange],
        )
        assert.deepStrictEqual(yield* outbox.events(world.live, 0, 1000), [])
        assert.deepStrictEqual(yield* accounts.destinationHistory(shop.id), [
          firstChange,
          nextChange,
        ])
        assert.deepStrictEqual(yield* accounts.destinationHistory(world.merchantId), [])
        while ((yield* outbox.fanOut(100, Webhook.deliveryOf)) > 0);
        const claimed = yield* outbox.claimDeliveries({ limit: 1000, leaseInMs: 1000, now })
        assert.sameDeepMembers(
          claimed.flatMap((each) => (each.endpoint.id === endpoint.id ? [each.event] : [])),
          [firstChange, nextChange],
        )
      }),
  )

  it.effect("distinguishes destinations and payees if two families use the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const tokens = lookalikes(scene, yield* unusedChain(scene))
      const places = lookalikes(scene, tokens[0].chainId)
      const [merchant, other] = [world.merchant(), world.merchant()]
      yield* addMerchants(scene, [merchant, other])
      const add = (
        merchantId: MerchantId.MerchantId,
        added: ReadonlyArray<SettlementDestination.SettlementDestination>,
      ) => accounts.addDestinations(merchantId, () => Result.succeed({ added }), now)
      const destinations = tokens.map((token, index) =>
        world.destination({
          merchantId: merchant.id,
          token,
          destination: places[index] ?? assert.fail("no place"),
        }),
      )
      yield* add(merchant.id, destinations)
      assert.deepStrictEqual(yield* Stores.destinationsOf(accounts, merchant.id), destinations)
      const its = world.destination({
        merchantId: other.id,
        token: tokens[1],
        destination: places[1],
      })
      yield* add(other.id, [its])
      const payees = (token: number, place: number) =>
        Effect.map(
          accounts.findMerchants({
            _tag: "Payees",
            mode: "test",
            token: tokens[token] ?? assert.fail("no token"),
            destination: (places[place] ?? assert.fail("no place")).address,
          }),
          (found) => found.map(({ id }) => id),
        )
      // The first two places have one address.
      assert.deepStrictEqual(yield* payees(0, 1), [merchant.id])
      assert.deepStrictEqual(yield* payees(1, 0), [merchant.id, other.id])
      assert.deepStrictEqual(yield* payees(2, 2), [merchant.id])
      assert.deepStrictEqual(yield* payees(0, 2), [])
      assert.deepStrictEqual(yield* payees(1, 2), [])
      assert.deepStrictEqual(yield* payees(2, 1), [])
      const gone = destinations[1] ?? assert.fail("no destination")
      yield* accounts.modifyDestination(merchant.id, gone.id, deleting)
      assert.deepStrictEqual(
        yield* Stores.destinationsOf(accounts, merchant.id),
        destinations.filter((each) => each !== gone),
      )
      assert.deepStrictEqual(yield* payees(0, 0), [merchant.id])
      assert.deepStrictEqual(yield* payees(1, 1), [other.id])
    }),
  )
}
