/**
 * The contract of a signer as tests: it returns exactly the requested transaction, signed by its account, and any other
 * behaviour is detected. Every signer runs the same tests.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { type RelayerAccount, sign, type Unsigned } from "@florin/evm/Signer"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type * as Scope from "effect/Scope"
import { privateKeyToAccount } from "viem/accounts"
import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from "viem/utils"

type Hex = `0x${string}`

/** Wrong results that the other side of a signer may return, given the account's key. */
export const lies = {
  "another account": (asked) => privateKeyToAccount(`0x${"42".repeat(32)}`).signTransaction(asked),
  "another chain": (asked, key) => signed({ ...asked, chainId: asked.chainId + 1 }, key),
  "another recipient": (asked, key) => signed({ ...asked, to: `0x${"66".repeat(20)}` }, key),
  "some value": (asked, key) => signed({ ...asked, value: 1n }, key),
  "other data": (asked, key) => signed({ ...asked, data: `${asked.data}00` }, key),
  "another nonce": (asked, key) => signed({ ...asked, nonce: asked.nonce + 1 }, key),
  "more gas": (asked, key) => signed({ ...asked, gas: asked.gas + 1n }, key),
  "a higher fee": (asked, key) => signed({ ...asked, maxFeePerGas: asked.maxFeePerGas + 1n }, key),
  "a higher tip": (asked, key) =>
    signed({ ...asked, maxPriorityFeePerGas: asked.maxPriorityFeePerGas + 1n }, key),
  "another type": ({ chainId, data, gas, maxFeePerGas, nonce, to }, key) =>
    privateKeyToAccount(key).signTransaction({
      type: "legacy",
      chainId,
      data,
      gas,
      gasPrice: maxFeePerGas,
      nonce,
      to,
    }),
  "an access list": (asked, key) =>
    privateKeyToAccount(key).signTransaction({
      ...asked,
      accessList: [{ address: asked.to, storageKeys: [] }],
    }),
  "a high s": async (asked, key) => highS(asked, await signed(asked, key)),
  "no signature": async (asked) => serializeTransaction(asked),
  "no transaction": async () => "0x1234",
} as const satisfies { readonly [name: string]: (asked: Unsigned, key: Hex) => Promise<string> }

export type Lie = keyof typeof lies

export const allLies: ReadonlyArray<Lie> = Record.keys(lies)

const signed = (asked: Unsigned, key: Hex) => privateKeyToAccount(key).signTransaction(asked)

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature of the same transaction, which nodes refuse. */
const highS = (asked: Unsigned, raw: string): string => {
  const { r = "0x", s = "0x0", yParity } = parseTransaction(`0x02${raw.slice(4)}`)
  const other = (order - BigInt(s)).toString(16).padStart(64, "0")
  return serializeTransaction(asked, { r, s: `0x${other}`, yParity: yParity === 0 ? 1 : 0 })
}

/** A signer and what may happen to it. */
export interface Scene {
  readonly honest: RelayerAccount
  /** The same signer, but its other side returns one of the suite's wrong results. */
  readonly lying: (lie: Lie) => RelayerAccount
  /** The same signer, but its other side does not respond. */
  readonly slow: RelayerAccount
  /** The same signer, but its other side is not there. */
  readonly down: RelayerAccount
  /** Secrets that no message may contain. */
  readonly secrets: ReadonlyArray<string>
}

const asked: Unsigned = {
  type: "eip1559",
  chainId: 8453,
  nonce: 7,
  to: `0x${"5".repeat(40)}`,
  value: 0n,
  data: `0xa9059cbb${"0".repeat(24)}${"7".repeat(40)}${"1".padStart(64, "0")}`,
  gas: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
}

/** Edge cases of each field; our own transactions never carry a value. */
const kinds: ReadonlyArray<Unsigned> = [
  asked,
  { ...asked, nonce: 0 },
  { ...asked, data: "0x" },
  { ...asked, maxPriorityFeePerGas: 0n },
  { ...asked, data: `0x${"ab".repeat(20_000)}` },
]

/** Checks the result with an independent parser. */
const holds = Effect.fnUntraced(function* (raw: Hex, { address }: RelayerAccount, of: Unsigned) {
  const read = parseTransaction(`0x02${raw.slice(4)}`)
  const { r = "0x", s = "0x", yParity = 0 } = read
  const hash = keccak256(serializeTransaction(of))
  const signer = yield* Effect.promise(() => recoverAddress({ hash, signature: { r, s, yParity } }))
  assert.strictEqual(signer.toLowerCase(), address.toLowerCase())
  assert.isTrue(BigInt(s) <= order / 2n)
  assert.strictEqual(read.chainId, of.chainId)
  assert.strictEqual(read.to, of.to)
  assert.strictEqual(read.data ?? "0x", of.data)
  assert.strictEqual(read.nonce ?? 0, of.nonce)
  assert.strictEqual(read.value ?? 0n, of.value)
})

/**
 * Registers the suite for a signer, with the wrong results that its other side can return. Each test opens a scene of
 * its own.
 *
 * @example
 * SignerSuite.suite("our own vault", SignerSuite.allLies, scene)
 */
export const suite = (
  name: string,
  ofThese: ReadonlyArray<Lie>,
  scene: Effect.Effect<Scene, never, Scope.Scope>,
): void => {
  const within = <E>(test: (of: Scene) => Effect.Effect<void, E>) =>
    Effect.scoped(Effect.flatMap(scene, test))

  const isRefused = Effect.fnUntraced(function* (
    { secrets }: Scene,
    account: RelayerAccount,
    reason: "unavailable" | "untrusted",
  ) {
    const failure = yield* Effect.flip(sign(account, asked))
    assert.strictEqual(failure._tag, "SigningFailed")
    assert.strictEqual(failure.reason, reason)
    for (const secret of secrets) assert.notInclude(failure.message, secret)
    return failure.message
  })

  describe(`a signer: ${name}`, () => {
    it.live("S16: signs what it is asked for, as its account, with a low s, for its chain", () =>
      within(({ honest }) =>
        Effect.forEach(
          kinds,
          Effect.fnUntraced(function* (of) {
            yield* holds(yield* sign(honest, of), honest, of)
          }),
          { discard: true },
        ),
      ),
    )

    it.live("S16: signs several at the same time, each what it was asked for", () =>
      within(({ honest }) =>
        Effect.forEach(
          [1, 2, 3, 4],
          Effect.fnUntraced(function* (nonce) {
            const of = { ...asked, nonce }
            yield* holds(yield* sign(honest, of), honest, of)
          }),
          { concurrency: "unbounded", discard: true },
        ),
      ),
    )

    it.live.each(ofThese)("S16: is not believed if it returns %s", (lie) =>
      within((of) => isRefused(of, of.lying(lie), "untrusted")),
    )

    it.live("S16: is given up if it is slow, and asked again later", () =>
      within((of) => isRefused(of, { ...of.slow, signWithinInMs: 300 }, "unavailable")),
    )

    it.live("S16: says that it is down, without secrets", () =>
      within((of) => isRefused(of, of.down, "unavailable")),
    )
  })
}
