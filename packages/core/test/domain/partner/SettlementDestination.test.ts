import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const { catalog } = BuiltIn
const ours = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d35a"
const known = {
  catalog,
  accounts: [{ chainId: Eip155.chainId(137), address: Caip.Address.make(ours) }],
}

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const merchantId = MerchantId.MerchantId.make("mrch_1")
const usdcBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const eurcBase = "eip155:8453/erc20:0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"
const usdcPolygon = "eip155:137/erc20:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const onBase = `eip155:8453:${address}`
const onPolygon = `eip155:137:${address}`

const id = (index: number) => SettlementDestination.SettlementDestinationId.make(`crypto_${index}`)

const create = (
  entries: ReadonlyArray<readonly [asset: string, destination: string]>,
  existing: ReadonlyArray<SettlementDestination.SettlementDestination> = [],
  among = known,
) =>
  Result.flatMap(
    SettlementDestination.read(
      entries.map(([asset, destination], index) => ({ id: id(index), asset, destination })),
      among,
    ),
    (read) => SettlementDestination.create(merchantId, read, existing, 1000),
  )

/** The issues of a refused call; a conflict is told by its tag. */
const issuesOf = (result: ReturnType<typeof create>): ReadonlyArray<unknown> => {
  if (Result.isSuccess(result)) return []
  return result.failure._tag === "InvalidInput" ? [...result.failure.issues] : [result.failure._tag]
}

describe("SettlementDestination.SettlementDestinationId", () => {
  it("is crypto_ and 1 to 64 letters or digits", () => {
    const decode = Schema.decodeUnknownResult(SettlementDestination.SettlementDestinationId)
    for (const good of ["crypto_0", `crypto_${"aZ".repeat(32)}`]) {
      assert.strictEqual(value(decode(good)), good)
    }
    for (const bad of ["crypto_", `crypto_${"a".repeat(65)}`, "xcrypto_a", "crypto_a-", "pay_a"]) {
      assert.isTrue(Result.isFailure(decode(bad)), bad)
    }
  })
})

const many = (count: number) => Array.from({ length: count }, () => [usdcBase, onBase] as const)

describe("SettlementDestination.create", () => {
  it("registers every entry with the texts that were sent", () => {
    const created = value(
      create([
        [usdcBase, onBase],
        [usdcPolygon.toLowerCase(), onPolygon.toLowerCase()],
      ]),
    )
    assert.deepEqual(
      [...created],
      [
        {
          id: id(0),
          merchantId,
          token: value(Eip155.parseToken(usdcBase)),
          destination: value(Eip155.parseAccount(onBase)),
          assetText: usdcBase,
          destinationText: onBase,
          createdAt: 1000,
        },
        {
          id: id(1),
          merchantId,
          token: value(Eip155.parseToken(usdcPolygon)),
          destination: value(Eip155.parseAccount(onPolygon)),
          assetText: usdcPolygon.toLowerCase(),
          destinationText: onPolygon.toLowerCase(),
          createdAt: 1000,
        },
      ],
    )
    const decode = Schema.decodeUnknownResult(SettlementDestination.SettlementDestination)
    assert.deepEqual(value(decode(created[0])), created[0])
  })

  it("accepts every asset of the table, in one call", () => {
    const created = value(
      create(
        catalog.assets.map((asset) => [
          Eip155.formatToken(asset.token),
          Eip155.formatAccount({
            chainId: asset.token.chainId,
            address: value(Eip155.parseAddress(address)),
          }),
        ]),
      ),
    )
    assert.deepEqual(
      created.map((each) => each.token),
      catalog.assets.map((asset) => asset.token),
    )
  })

  it("accepts 1 to 50 entries", () => {
    const counted = [{ field: "settlements", message: "must have 1 to 50 entries" }]
    assert.deepEqual(issuesOf(create([])), counted)
    assert.deepEqual(issuesOf(create(many(51))), counted)
    assert.deepEqual(issuesOf(create(many(50))), ["SettlementAssetConflict"])
    assert.isTrue(Result.isSuccess(create(many(1))))
  })

  const unsupported = "the token is not supported on this chain"
  const assetForm = "an asset is <namespace>:<chain id>/<kind>:<contract>"
  it.each([
    ["", assetForm],
    [`caip19/${usdcBase}`, assetForm],
    [`${usdcBase}/`, "an address is 0x and 40 hex digits"],
    ["iso4217/USD", assetForm],
    ["eip155:8453/slip44:60", "an asset is eip155:<chain id>/erc20:<contract>"],
    [`eip155:8453/erc20:${address}`, unsupported],
    [usdcBase.replace("8453", "1"), unsupported],
    [usdcBase.replace("8453", "5"), unsupported],
  ])("refuses the asset %j", (asset, message) => {
    assert.deepEqual(issuesOf(create([[asset, onBase]])), [
      { field: "settlements[0].asset", message },
    ])
  })

  it("accepts an asset with a wrong checksum: only a destination can lose money", () => {
    assert.isTrue(Result.isSuccess(create([[usdcBase.replace("fCD", "Fcd"), onBase]])))
  })

  const deadEnd = (what: string) => `the destination is ${what}: use an account of the merchant`
  const ofChain = deadEnd("a precompile or system contract")
  const accountForm = "an account is <namespace>:<chain id>:<address>"
  const otherChain = "the destination must be on the asset's chain, eip155:8453"
  it.each([
    ["", accountForm],
    [address, accountForm],
    ["eip155:8453:0x12", "an address is 0x and 40 hex digits"],
    [
      "eip155:8453:0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "the address has a wrong EIP-55 checksum: copy it again",
    ],
    [
      "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:abc",
      "namespace solana is not supported: use eip155",
    ],
    [onPolygon, otherChain],
    [`eip155:84530:${address}`, otherChain],
    [`eip155:8453:0x${"0".repeat(40)}`, deadEnd("the zero address")],
    [`eip155:8453:0x${"0".repeat(36)}dEaD`, deadEnd("an address for burning tokens")],
    [`eip155:8453:0x${"e".repeat(40)}`, deadEnd("what some wallets write for a chain's own coin")],
    [`eip155:8453:0x${"0".repeat(39)}1`, ofChain],
    [`eip155:8453:0x${"0".repeat(38)}ff`, ofChain],
    [`eip155:8453:0x${"0".repeat(36)}ffff`, ofChain],
    [`eip155:8453:0x42${"0".repeat(38)}`, ofChain],
    [`eip155:8453:0x42${"0".repeat(35)}7ff`, ofChain],
    ["eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", deadEnd("the contract of USDC")],
    ["eip155:8453:0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42", deadEnd("the contract of EURC")],
    ["eip155:8453:0x000000000022D473030F116dDEE9F6B43aC78BA3", deadEnd("the Permit2 contract")],
    [`eip155:8453:${ours}`, deadEnd("an account of this payment service")],
  ])("S15: refuses the destination %j", (destination, message) => {
    assert.deepEqual(issuesOf(create([[usdcBase, destination]])), [
      { field: "settlements[0].destination", message },
    ])
    const current = value(create([[usdcBase, onBase]]))[0]
    assert(current !== undefined)
    const error = refusal(SettlementDestination.changeDestination(current, destination, known))
    assert.deepEqual([...error.issues], [{ field: "destination", message }])
  })

  it("S15: accepts addresses next to the reserved ones", () => {
    for (const good of [
      `0x${"0".repeat(35)}10000`,
      `0x42${"0".repeat(34)}1000`,
      ours.replace("35a", "35b"),
      `0x${"e".repeat(39)}f`,
    ]) {
      assert.isTrue(Result.isSuccess(create([[usdcBase, `eip155:8453:${good}`]])), good)
    }
  })

  it("accepts an address that is a token's contract only on another chain", () => {
    const other = "eip155:8453:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
    assert.isTrue(Result.isSuccess(create([[usdcBase, other]])))
  })

  it("names every wrong entry, and registers none of the valid ones", () => {
    const result = create([
      [usdcBase, onBase],
      ["x", "y"],
      [eurcBase, onPolygon],
      ["z", onPolygon],
    ])
    assert.deepEqual(issuesOf(result), [
      { field: "settlements[1].asset", message: assetForm },
      { field: "settlements[1].destination", message: accountForm },
      { field: "settlements[2].destination", message: otherChain },
      { field: "settlements[3].asset", message: assetForm },
    ])
  })

  it("refuses an asset that is given twice", () => {
    const error = refusal(
      create([
        [eurcBase, onBase],
        [usdcBase, onBase],
        [usdcPolygon, onPolygon],
        [usdcBase.toLowerCase(), onBase],
        [eurcBase, onBase],
      ]),
    )
    assert(error._tag === "SettlementAssetConflict")
    assert.strictEqual(error.field, "settlements[3].asset")
    assert.strictEqual(error.message, "the asset is named twice in this call: name it once")
  })

  it("refuses an asset that has a destination already", () => {
    const existing = value(
      create([
        [eurcBase, onBase],
        [usdcBase, onBase],
      ]),
    )
    const error = refusal(
      create(
        [
          [usdcPolygon, onPolygon],
          [usdcBase.toLowerCase(), onBase],
        ],
        existing,
      ),
    )
    assert(error._tag === "SettlementAssetConflict")
    assert.strictEqual(error.field, "settlements[1].asset")
    assert.strictEqual(
      error.message,
      "the merchant already has a destination for this asset: change that one instead",
    )
    assert.isTrue(Result.isSuccess(create([[usdcPolygon, onPolygon]], existing)))
  })

  it("reports wrong entries before conflicts", () => {
    const twice = [usdcBase, onBase] as const
    assert.deepEqual(issuesOf(create([twice, twice, [usdcPolygon, onBase]])), [
      {
        field: "settlements[2].destination",
        message: "the destination must be on the asset's chain, eip155:137",
      },
    ])
  })

  it.prop(
    "accepts or refuses any hostile text",
    [
      HostileText.near([usdcBase, usdcPolygon, "eip155:1/erc20:0x"]),
      HostileText.near([onBase, onPolygon, `eip155:8453:0x${"0".repeat(40)}`]),
    ],
    ([asset, destination]) => {
      const created = create([[asset, destination]])
      if (Result.isFailure(created)) {
        assert.strictEqual(created.failure._tag, "InvalidInput")
        return
      }
      const [only] = created.success
      assert.strictEqual(only?.destinationText, destination)
      assert.strictEqual(only?.token.chainId, only?.destination.chainId)
      assert.isDefined(only && catalog.served(only.token))
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("SettlementDestination.changeDestination", () => {
  it("changes the destination and nothing else", () => {
    const [current] = value(create([[usdcBase, onBase]]))
    assert(current !== undefined)
    const text = "eip155:8453:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
    assert.deepEqual(value(SettlementDestination.changeDestination(current, text, known)), {
      ...current,
      destination: value(Eip155.parseAccount(text)),
      destinationText: text,
    })
  })
})

describe("SettlementDestination of a token that was removed", () => {
  const assets = catalog.assets.filter(({ token }) => Eip155.formatToken(token) !== eurcBase)
  const removed = Catalog.make({ ...catalog, assets }, catalog)

  it("cannot be registered any more", () => {
    const created = create([[eurcBase, onBase]], [], { ...known, catalog: removed })
    assert.deepEqual(issuesOf(created), [
      { field: "settlements[0].asset", message: "the token is not supported on this chain" },
    ])
  })

  it("can still be changed, as its shares are still paid out", () => {
    const [current] = value(create([[eurcBase, onBase]]))
    assert(current !== undefined)
    const text = "eip155:8453:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
    assert.strictEqual(
      value(SettlementDestination.changeDestination(current, text, { ...known, catalog: removed }))
        .destinationText,
      text,
    )
  })

  it("still cannot be the token's contract, where money would be lost", () => {
    const contract = eurcBase.replace("/erc20:", ":")
    for (const each of [catalog, removed]) {
      const checked = SettlementDestination.readDestination(contract, { ...known, catalog: each })
      assert.isTrue(Result.isFailure(checked))
    }
  })
})

describe("SettlementDestination.readDestination", () => {
  it("reports what is wrong with a destination on any chain", () => {
    for (const good of [onBase, "eip155:1:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"]) {
      assert.deepStrictEqual(
        Result.map(SettlementDestination.readDestination(good, known), Eip155.formatAccount),
        Result.succeed(good),
      )
    }
    for (const wrong of ["", "eip155:8453", `eip155:8453:0x${"0".repeat(40)}`]) {
      const checked = SettlementDestination.readDestination(wrong, known)
      assert.deepStrictEqual(
        Result.isFailure(checked) && checked.failure.issues.map(({ field }) => field),
        ["destination"],
      )
    }
  })
})

describe("when a destination is in effect", () => {
  const named = (text: string) => ({
    destination: value(Eip155.parseAccount(text)),
    destinationText: text,
  })
  const [own] = value(create([[usdcBase, onBase]]))
  assert(own !== undefined)
  const second = named("eip155:8453:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")
  const third = named(`eip155:8453:0x${"ab".repeat(20)}`)
  const first = { destination: own.destination, destinationText: own.destinationText }
  const delay = { delayInMs: 60, now: 2000 }
  const waiting = SettlementDestination.change(own, second, delay)
  const { accountAt, asOf, isInEffect, routeOf } = SettlementDestination

  it("S11: is in effect immediately without a delay", () => {
    assert.isTrue(isInEffect(own, 0))
    assert.deepStrictEqual(accountAt(own, 0), own.destination)
    assert.deepStrictEqual(asOf(own, 0), own)
  })

  it("S11: takes effect after the delay; until then no account is paid", () => {
    assert.deepStrictEqual(waiting, {
      ...own,
      ...second,
      takesEffectAt: 2060,
      before: first,
      changes: 1,
    })
    assert.isFalse(isInEffect(waiting, 2059))
    assert.deepStrictEqual(asOf(waiting, 2059), waiting)
    assert.deepStrictEqual(accountAt(waiting, 2059), own.destination)
    assert.deepStrictEqual(routeOf(own.destination, waiting, 2059), { _tag: "Waits", until: 2060 })
    assert.deepStrictEqual(routeOf(null, waiting, 2059), { _tag: "Waits", until: 2060 })
    assert.isTrue(isInEffect(waiting, 2060))
    assert.deepStrictEqual(asOf(waiting, 2060), { ...own, ...second, changes: 1 })
    for (const planned of [own.destination, null]) {
      assert.deepStrictEqual(routeOf(planned, waiting, 2060), {
        _tag: "Pays",
        account: second.destination,
      })
    }
    const decode = Schema.decodeUnknownResult(SettlementDestination.SettlementDestination)
    assert.deepEqual(value(decode(waiting)), waiting)
  })

  it("S11: takes effect immediately with a delay of 0, and replaces one that waits", () => {
    const none = { delayInMs: 0, now: 2010 }
    assert.deepStrictEqual(SettlementDestination.change(own, second, none), {
      ...own,
      ...second,
      changes: 1,
    })
    assert.deepStrictEqual(SettlementDestination.change(waiting, third, none), {
      ...own,
      ...third,
      changes: 2,
    })
  })

  it("S11: waits again for every other account, but not for the previous one", () => {
    const later = { delayInMs: 60, now: 2010 }
    assert.deepStrictEqual(SettlementDestination.change(waiting, third, later), {
      ...waiting,
      ...third,
      takesEffectAt: 2070,
      changes: 2,
    })
    assert.deepStrictEqual(SettlementDestination.change(waiting, first, later), {
      ...own,
      changes: 2,
    })
    assert.deepStrictEqual(SettlementDestination.change(waiting, second, later), waiting)
    // Once it is in effect, the way back is a change.
    const back = SettlementDestination.change(waiting, first, { delayInMs: 60, now: 2060 })
    assert.deepStrictEqual(back, {
      ...own,
      takesEffectAt: 2120,
      before: second,
      changes: 2,
    })
  })

  it("S11: is confirmed once, by its own account", () => {
    const { confirm } = SettlementDestination
    assert.deepStrictEqual(value(confirm(waiting, second.destination, 2010)), {
      ...own,
      ...second,
      changes: 2,
    })
    for (const refused of [
      confirm(own, own.destination, 2010),
      confirm(waiting, own.destination, 2010),
      confirm(waiting, second.destination, 2060),
    ]) {
      assert.strictEqual(refusal(refused)._tag, "Conflict")
    }
  })

  const nothing = { deleted: [], owed: [] }
  const gone = SettlementDestination.remove(own, 2000)
  const { register, remove } = SettlementDestination

  it("S11: a new one takes effect immediately only if the merchant never had one", () => {
    assert.deepStrictEqual(register(own, nothing, delay), own)
    const elsewhere = { ...own.token, chainId: Eip155.chainId(1) }
    const others = { deleted: [{ ...gone, token: elsewhere }], owed: [elsewhere] }
    assert.deepStrictEqual(register(own, others, delay), own)
    for (const past of [
      { deleted: [gone], owed: [] },
      { deleted: [], owed: [own.token] },
    ]) {
      assert.deepStrictEqual(register(own, past, delay), {
        ...own,
        takesEffectAt: 2060,
        changes: 1,
      })
      assert.deepStrictEqual(register(own, past, { delayInMs: 0, now: 2000 }), {
        ...own,
        changes: 1,
      })
    }
  })

  it("S11: a new one that waits has no previous account", () => {
    const fresh = register(own, { deleted: [gone], owed: [] }, delay)
    assert.isNull(accountAt(fresh, 2059))
    const changed = SettlementDestination.change(fresh, second, { delayInMs: 60, now: 2010 })
    assert.deepStrictEqual(changed, { ...own, ...second, takesEffectAt: 2070, changes: 2 })
    const removed = remove(fresh, 2010)
    assert.deepStrictEqual(removed, { ...fresh, deletedAt: 2010, changes: 2 })
    // It never gets what waited, however long ago it was deleted.
    assert.deepStrictEqual(routeOf(second.destination, removed, 9999), {
      _tag: "Pays",
      account: second.destination,
    })
    assert.deepStrictEqual(routeOf(null, removed, 9999), { _tag: "Owed" })
  })

  it("S11: once deleted, it still receives what waited for it", () => {
    assert.deepStrictEqual(gone, { ...own, deletedAt: 2000, changes: 1 })
    assert.deepStrictEqual(routeOf(second.destination, gone, 2000), {
      _tag: "Pays",
      account: own.destination,
    })
    assert.deepStrictEqual(routeOf(null, gone, 2000), { _tag: "Owed" })
    assert.deepStrictEqual(remove(waiting, 2010), { ...own, deletedAt: 2010, changes: 2 })
    assert.deepStrictEqual(remove(waiting, 2060), {
      ...own,
      ...second,
      deletedAt: 2060,
      changes: 2,
    })
  })

  it("S11: nothing is paid if the merchant has no destination", () => {
    assert.deepStrictEqual(routeOf(null, undefined, 0), { _tag: "Owed" })
    assert.deepStrictEqual(routeOf(own.destination, undefined, 0), {
      _tag: "Pays",
      account: own.destination,
    })
  })
})
