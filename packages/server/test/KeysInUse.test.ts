import { assert, describe, it } from "@effect/vitest"
import * as VaultAes from "@florin/core/node/VaultAes"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { StateStore } from "@florin/core/ports/StateStore"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { createFlorin, type Options } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer, Redacted } from "effect"

const bytes = (fill: number) => new Uint8Array(32).fill(fill)
const vaultKey = (fill: number) => ({ id: `key-${fill}`, key: Redacted.make(bytes(fill)) })
const vaultOf = (current: number, ...previous: ReadonlyArray<number>) =>
  VaultAes.layer({ current: vaultKey(current), previous: previous.map(vaultKey) })

/** A storage that outlives the services on it, as a database does. */
const database = async () => {
  const stores = await Effect.runPromise(
    Effect.scoped(Layer.build(Layer.provide(StorageMemory.layer, Identifiers.layer))),
  )
  return { stores, storage: Layer.succeedContext(stores) }
}
type Database = Awaited<ReturnType<typeof database>>

/** Why a service does not start; empty if it does. */
const refusalOf = async ({ storage }: Database, more: Partial<Options> = {}): Promise<string> => {
  const florin = createFlorin({
    payLinkHost: "pay.example.com",
    pages: false,
    chains: SimulatedChain.layerChains(),
    storage,
    sealKey: bytes(1),
    vault: vaultOf(2),
    ...more,
  })
  try {
    await florin.ready()
    return ""
  } catch (error) {
    return String(error)
  } finally {
    await florin.dispose()
  }
}

describe("A service on a storage that was used before", () => {
  it("starts with the same keys", async () => {
    const used = await database()
    assert.strictEqual(await refusalOf(used), "")
    assert.strictEqual(await refusalOf(used), "")
  })

  it("refuses to start with another key, and names it and what it cannot read", async () => {
    const used = await database()
    await refusalOf(used)
    const seal = await refusalOf(used, { sealKey: bytes(3) })
    assert.match(seal, /sealKey is not the key .* checkout pages and sessions would be refused/u)
    assert.notInclude(seal, "vault key is")
    const vault = await refusalOf(used, { vault: vaultOf(3) })
    assert.match(vault, /vault key is not the key .* payers' data could not be decrypted/u)
    assert.notInclude(vault, "sealKey is")
    const both = await refusalOf(used, { sealKey: bytes(3), vault: vaultOf(3) })
    assert.match(both, /sealKey is not[\s\S]*vault key is not[\s\S]*newKeys/u)
    assert.strictEqual(await refusalOf(used), "")
  })

  it("refuses a vault key that has only the id of the one before it", async () => {
    const used = await database()
    await refusalOf(used)
    const vault = VaultAes.layer({ current: { ...vaultKey(3), id: "key-2" } })
    assert.include(await refusalOf(used, { vault }), "vault key is not")
  })

  it("starts with the same vault key under another id, as florin serve next to an app names it", async () => {
    const used = await database()
    await refusalOf(used)
    const vault = VaultAes.layer({ current: { ...vaultKey(2), id: "another" } })
    assert.strictEqual(await refusalOf(used, { vault }), "")
    assert.strictEqual(await refusalOf(used), "")
  })

  it("lets keys be rotated, and the old ones be taken out at the end", async () => {
    const used = await database()
    for (const [sealKey, vault] of [
      [[1], vaultOf(2)],
      [[1, 3], vaultOf(2, 4)],
      [[3, 1], vaultOf(4, 2)],
      [[3], vaultOf(4)],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- Each is a restart.
      assert.strictEqual(await refusalOf(used, { sealKey: sealKey.map(bytes), vault }), "")
    }
    assert.match(await refusalOf(used), /sealKey is not[\s\S]*vault key is not/u)
  })

  it("accepts new keys for one start, and from then on no others", async () => {
    const used = await database()
    await refusalOf(used)
    const fresh = { sealKey: bytes(3), vault: vaultOf(4) }
    assert.strictEqual(await refusalOf(used, { ...fresh, newKeys: true }), "")
    assert.strictEqual(await refusalOf(used, fresh), "")
    assert.match(await refusalOf(used), /sealKey is not/u)
  })

  it("has one pair of keys if several processes with different ones start at the same time", async () => {
    const used = await database()
    const refused = await Promise.all(
      [5, 6, 5, 6, 5, 6].map((fill) => refusalOf(used, { sealKey: bytes(fill) })),
    )
    const started = [5, 6].map(
      (_, kind) => refused.filter((each, index) => index % 2 === kind && each === "").length,
    )
    assert.deepStrictEqual(started.toSorted(), [0, 3])
  })

  it("S30: stores nothing that two services with one key have in common but the proof of the seal key", async () => {
    const kept = async () => {
      const used = await database()
      await refusalOf(used)
      return Effect.runPromise(
        Effect.provideContext(
          Effect.flatMap(StateStore, (states) =>
            states.modify("keys", (keys) => ({ result: keys, next: null })),
          ),
          used.stores,
        ),
      )
    }
    const [one, other] = [await kept(), await kept()]
    // 16 bytes of an HMAC, and its fixed text.
    assert.lengthOf(Buffer.from(one.seal ?? "", "base64url"), 16 + "florin".length)
    assert.notStrictEqual(one.vault, other.vault)
    for (const text of [one.seal, one.vault])
      assert.notInclude(Buffer.from(text ?? "", "base64url").toString("hex"), "0101010101010101")
  })
})
