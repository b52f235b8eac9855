import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Counts from "@florin/testing/Counts"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { privateKeyToAccount } from "viem/accounts"
import * as PrivateKey from "../src/PrivateKey.ts"

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const digitsOf = (number: bigint): string => number.toString(16).padStart(64, "0")

const transaction = {
  type: "eip1559",
  chainId: 8453,
  nonce: 7,
  gas: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  to: `0x${"5".repeat(40)}`,
  data: "0xa9059cbb",
  value: 0n,
} as const

describe("PrivateKey", () => {
  it.effect.prop(
    "is the same account as viem's, with the same signatures",
    [Arbitrary.schema(Schema.BigInt)],
    Effect.fnUntraced(function* ([any]) {
      const digits = digitsOf((BigInt.asUintN(256, any) % (order - 1n)) + 1n)
      const account = Option.getOrThrow(PrivateKey.account(digits))
      const expected = privateKeyToAccount(`0x${digits}`)
      assert.strictEqual(
        Eip155.formatAddress(Result.getOrThrow(Eip155.parseAddress(account.address))),
        expected.address,
      )
      const signed = yield* Effect.promise(() =>
        Promise.all([
          account.signTransaction(transaction, { signal: AbortSignal.abort() }),
          expected.signTransaction(transaction),
        ]),
      )
      assert.strictEqual(signed[0], signed[1])
    }),
    { arbitrary: { runs: Counts.of({ usual: 50, full: 2000 }) } },
  )

  it("accepts keys from 1 to the curve's order, in every form", () => {
    for (const key of [1n, order - 1n]) {
      assert.isTrue(Option.isSome(PrivateKey.account(digitsOf(key))))
      assert.deepStrictEqual(
        Option.map(PrivateKey.account(digitsOf(key).toUpperCase()), ({ address }) => address),
        Option.map(PrivateKey.account(digitsOf(key)), ({ address }) => address),
      )
    }
    for (const key of [0n, order, order + 1n, 2n ** 256n - 1n]) {
      assert.isTrue(Option.isNone(PrivateKey.account(digitsOf(key))), `${key}`)
    }
  })
})
