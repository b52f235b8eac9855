import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import type { RelayerAccount, Unsigned } from "../src/config/ChainConfig.ts"
import { hex } from "../src/read/Queries.ts"
import * as Signer from "../src/send/Signer.ts"

const [ours, other] = [Wallet.make(501), Wallet.make(502)].map(({ privateKey }) =>
  privateKeyToAccount(hex(privateKey)),
)
if (ours === undefined || other === undefined) assert.fail("there is none")

const asked: Unsigned = {
  type: "eip1559",
  chainId: 8453,
  nonce: 0,
  to: `0x${"5".repeat(40)}`,
  value: 0n,
  data: "0xa9059cbb",
  gas: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
}

/** One of our accounts whose signer does something else. */
const by = (
  signTransaction: RelayerAccount["signTransaction"],
  more: Partial<RelayerAccount> = {},
): RelayerAccount => ({ address: ours.address, signTransaction, ...more })

const secret = "0xsecret https://user:secret@signer.example"

describe("Signer.sign", () => {
  it.effect("S16: returns what the account's own key signed, in any form", () =>
    Effect.gen(function* () {
      const raw = yield* Effect.promise(() => ours.signTransaction(asked))
      assert.strictEqual(yield* Signer.sign(ours, asked), raw)
      const upper = by(async () => `0x${raw.slice(2).toUpperCase()}`)
      assert.strictEqual(yield* Signer.sign(upper, asked), raw)
      assert.strictEqual(yield* Signer.sign({ ...ours, address: ours.address }, asked), raw)
    }),
  )

  it.effect(
    "S16: refuses a transaction that was not requested, logs an error, and repeats nothing of it",
    () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.make(({ logLevel, message }) => {
          lines.push(`${logLevel} ${JSON.stringify(message)}`)
        })
        const lies: ReadonlyArray<readonly [RelayerAccount["signTransaction"], string]> = [
          [(transaction) => other.signTransaction(transaction), "the signature of another account"],
          [
            (transaction) => ours.signTransaction({ ...transaction, chainId: 1 }),
            "another chainId than requested",
          ],
          [
            (transaction) => ours.signTransaction({ ...transaction, to: ours.address, value: 1n }),
            "another to, value than requested",
          ],
          [async () => "0x", "data that is not a transaction"],
        ]
        for (const [signTransaction, says] of lies) {
          const failure = yield* Effect.flip(Signer.sign(by(signTransaction), asked)).pipe(
            Effect.provide(Logger.layer([logger])),
          )
          assert.strictEqual(failure.reason, "untrusted")
          assert.strictEqual(failure.chainId, Eip155.chainId(8453))
          assert.include(failure.message, `the signer of ${ours.address} returned ${says}`)
          assert.include(lines.pop() ?? "", "Error")
        }
        assert.isEmpty(lines)
      }),
  )

  it.effect("S16: repeats only the loggable part of a failure", () =>
    Effect.gen(function* () {
      const telling = by(() =>
        Promise.reject(new Signer.SignerUnavailable({ message: "HTTP 500" })),
      )
      const { message, reason } = yield* Effect.flip(Signer.sign(telling, asked))
      assert.strictEqual(reason, "unavailable")
      assert.include(message, "could not sign: HTTP 500")
      const silent = yield* Effect.flip(
        Signer.sign(
          by(() => Promise.reject(new Error(secret))),
          asked,
        ),
      )
      assert.notInclude(silent.message, "secret")
    }),
  )

  it.effect("S16: aborts a signer that is too slow", () =>
    Effect.gen(function* () {
      const aborted: Array<boolean> = []
      const slow = by(
        (_, { signal }) => {
          signal.addEventListener("abort", () => aborted.push(true))
          return new Promise(() => {})
        },
        { signWithinInMs: 700 },
      )
      const signing = yield* Effect.forkChild(Effect.flip(Signer.sign(slow, asked)))
      yield* TestClock.adjust(700)
      const { message, reason } = yield* Fiber.join(signing)
      assert.strictEqual(reason, "unavailable")
      assert.include(message, "did not sign within 700 ms")
      assert.deepStrictEqual(aborted, [true])
    }),
  )

  it.effect("S16: pauses longer after each failure of a signer, until it signs again", () =>
    Effect.gen(function* () {
      let [calls, isDown] = [0, true]
      const account = by((transaction) => {
        calls += 1
        return isDown ? Promise.reject(new Error("down")) : ours.signTransaction(transaction)
      })
      const failing = Effect.flip(Signer.sign(account, asked))
      yield* failing
      const { message } = yield* failing
      assert.include(message, "failed 1 time in a row: it is called again in 2 s")
      assert.strictEqual(calls, 1)
      for (const restInMs of [2000, 4000, 8000, 16_000, 30_000, 30_000]) {
        const before = calls
        yield* TestClock.adjust(restInMs - 1)
        yield* failing
        assert.strictEqual(calls, before)
        yield* TestClock.adjust(1)
        yield* failing
        assert.strictEqual(calls, before + 1)
      }
      isDown = false
      yield* TestClock.adjust(30_000)
      yield* Signer.sign(account, asked)
      yield* Signer.sign(account, asked)
      isDown = true
      yield* failing
      assert.include((yield* failing).message, "called again in 2 s")
    }),
  )
})
