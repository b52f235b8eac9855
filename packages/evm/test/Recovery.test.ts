/**
 * Both ways to recover the signing account, compared with another library: they must return the same account, or none.
 *
 * @module
 */
import { arch, platform } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { onTestFinished, vi } from "vitest"
import * as Recovery from "../src/token/Recovery.ts"
import * as Signature from "../src/token/Signature.ts"
import * as Spellings from "./spellings.ts"

const { n: order, p: prime } = secp256k1.Point.CURVE()

const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const wordOf = (text: string): string => bytesToHex(keccak_256(utf8ToBytes(text)))
const digestOf = (text: string): Uint8Array => hexToBytes(wordOf(text))

const hexOf = (bytes: Uint8Array | undefined) => bytes && bytesToHex(bytes)

/** What noble says, which never read a line of the others. */
const byNoble: Recovery.Recover = (digest, signature, oddness) => {
  const found = Result.try(() =>
    secp256k1.Signature.fromBytes(concatBytes(Uint8Array.of(oddness), signature), "recovered")
      .recoverPublicKey(digest)
      .toBytes(false),
  )
  return Result.getOrUndefined(found)
}

/** Where a number of a signature ends to be one. */
const edges: Readonly<Record<string, bigint>> = {
  "0": 0n,
  "1": 1n,
  "half of n": order / 2n,
  "half of n + 1": order / 2n + 1n,
  "n - 1": order - 1n,
  n: order,
  "n + 1": order + 1n,
  "p - n": prime - order,
  p: prime,
  "p + 1": prime + 1n,
  "2^256 - 1": 2n ** 256n - 1n,
  // 5 is the x of no point.
  "5": 5n,
}

/** A number of a signature: as it was signed, at an edge, or anything, of which half are the x of no point. */
const Number256 = Schema.Union([
  Schema.Literal("signed"),
  Schema.Literals(Object.keys(edges)),
  Schema.Struct({ drawn: Schema.Int }),
])
const Case = Schema.Struct({
  key: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
  signed: Schema.String,
  given: Schema.Union([Schema.Literal("signed"), Schema.String]),
  r: Number256,
  s: Number256,
  isOtherPoint: Schema.Boolean,
})

const numberOf = (choice: typeof Number256.Type, signed: string): string => {
  if (choice === "signed") return signed
  return typeof choice === "string" ? word(edges[choice] ?? 0n) : wordOf(`${choice.drawn}`)
}

const inputOf = ({ given, isOtherPoint, key, r, s, signed }: typeof Case.Type) => {
  const made = Wallet.make(key).signDigest(digestOf(signed))
  const isOdd = made.endsWith("1c") !== isOtherPoint
  return {
    digest: digestOf(given === "signed" ? signed : given),
    signature: hexToBytes(numberOf(r, made.slice(2, 66)) + numberOf(s, made.slice(66, 130))),
    oddness: isOdd ? 1 : 0,
  } as const
}

const platformsWithAddon = ["darwin-arm64", "linux-x64", "win32-x64"]
const hasAddon = platformsWithAddon.includes(`${platform}-${arch}`)

const ways = [
  ...(hasAddon ? [{ name: "addon", recover: await Recovery.loadAddon() }] : []),
  { name: "wasm", recover: await Recovery.loadWasm() },
]

describe.each(ways)("Recovery by $name", ({ recover }) => {
  /** Whether a key was found; a high s has one, too, though it is nobody's signature. */
  const agrees = (digest: Uint8Array, signature: Uint8Array, oddness: 0 | 1) => {
    const found = recover(digest, signature, oddness)
    assert.deepStrictEqual(hexOf(found), hexOf(byNoble(digest, signature, oddness)))
    const text = `0x${bytesToHex(signature)}${oddness === 0 ? "1b" : "1c"}`
    assert.strictEqual(Signature.recoverBy(recover)(digest, text), Wallet.recover(digest, text))
    return found !== undefined
  }

  it("recovers no account if r or s is not a number of the curve, as noble does", () => {
    const made = Wallet.make(1).signDigest(digestOf("a text"))
    const [r, s] = [made.slice(2, 66), made.slice(66, 130)]
    const found = { r: new Array<string>(), s: new Array<string>() }
    for (const [name, edge] of Object.entries(edges)) {
      for (const oddness of [0, 1] as const) {
        const digest = digestOf("a text")
        if (agrees(digest, hexToBytes(word(edge) + s), oddness)) found.r.push(name)
        if (agrees(digest, hexToBytes(r + word(edge)), oddness)) found.s.push(name)
      }
    }
    const some = ["1", "half of n", "half of n + 1", "n - 1", "p - n", "5"]
    for (const name of ["0", "n", "n + 1", "p", "p + 1", "2^256 - 1"]) {
      assert.notInclude(found.r, name)
      assert.notInclude(found.s, name)
    }
    assert.includeMembers(found.s, some)
    assert.notInclude(found.r, "5")
  })

  it("recovers no account if the key would be the point at infinity", () => {
    // With s·R = z·G there is no key left: R = G, so r is the x of G, and s = z.
    const z = 7n
    const signature = hexToBytes(word(secp256k1.Point.BASE.x) + word(z))
    assert.isUndefined(byNoble(hexToBytes(word(z)), signature, 0))
    assert.isFalse(agrees(hexToBytes(word(z)), signature, 0))
    assert.isTrue(agrees(hexToBytes(word(z)), signature, 1))
  })

  it("accepts a digest larger than the curve's order", () => {
    const signature = hexToBytes(Wallet.make(1).signDigest(digestOf("a text")).slice(2, 130))
    for (const digest of [0n, order - 1n, order, order + 1n, 2n ** 256n - 1n]) {
      assert.isTrue(agrees(hexToBytes(word(digest)), signature, 0))
    }
  })

  it.prop(
    "recovers the same account as noble, or none",
    [Case],
    ([choice]) => {
      const { digest, oddness, signature } = inputOf(choice)
      agrees(digest, signature, oddness)
    },
    { arbitrary: { runs: Counts.of({ usual: 300, full: 10_000 }) } },
  )

  it.prop(
    "recovers the payer only from the one form of its own signature",
    [Case],
    ([{ key, signed }]) => {
      const wallet = Wallet.make(key)
      const digest = digestOf(signed)
      const text = wallet.signDigest(digest)
      const recoverText = Signature.recoverBy(recover)
      assert.strictEqual(recoverText(digest, text), wallet.address)
      for (const { name, of } of [...Spellings.taken, ...Spellings.mutated]) {
        assert.notStrictEqual(recoverText(digest, of(text)), wallet.address, name)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 50, full: 2_000 }) } },
  )
})

describe("Recovery", () => {
  it("uses the native addon if there is one for the platform", () => {
    assert.strictEqual(Recovery.means, hasAddon ? "addon" : "wasm")
  })

  it("uses WebAssembly otherwise, and logs that once", async () => {
    onTestFinished(() => {
      vi.doUnmock("secp256k1/bindings.js")
      // Nor does a later file of this process get what was loaded without the addon.
      vi.resetModules()
    })
    vi.resetModules()
    vi.doMock("secp256k1/bindings.js", () => {
      throw new Error("no native build was found")
    })
    const { recover } = await import("../src/token/Signature.ts")
    const { means } = await import("@florin/evm/Recovery")
    assert.strictEqual(means, "wasm")
    const wallet = Wallet.make(1)
    const digest = digestOf("a text")
    const told: Array<unknown> = []
    const found = await Effect.all([
      recover(digest, wallet.signDigest(digest)),
      recover(digest, wallet.signDigest(digest)),
    ]).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => told.push(message))])),
      Effect.runPromise,
    )
    assert.deepStrictEqual(found, [wallet.address, wallet.address])
    assert.lengthOf(told, 1)
    assert.match(String(told), /WebAssembly/u)
  })
})
