/**
 * Asks the signer of one of our accounts for a signature. A signer may be slow, down, set up for another chain or taken
 * over. So its result counts only if it is exactly the requested transaction, signed by the account's own key.
 *
 * @module
 */
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { SigningFailed } from "@florin/core/ports/Chain"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseTransaction, serializeTransaction } from "viem/utils"
import type { RelayerAccount, Unsigned } from "../config/ChainConfig.ts"
import { hex } from "../read/Queries.ts"
import * as Signature from "../token/Signature.ts"

export type { RelayerAccount, SignOptions, Unsigned } from "../config/ChainConfig.ts"

/** A signer could not sign. The message is logged, so it holds no key, signature or address of a server. */
export class SignerUnavailable extends Schema.TaggedError<SignerUnavailable>()(
  "SignerUnavailable",
  { message: Schema.String },
) {}

const isUnavailable = Schema.is(SignerUnavailable)

/** How long a signature may take by default. The lease of the work that waits for it is 30 s. */
export const signWithinInMs = 10_000

const restFirstInMs = 2_000
const restLongestInMs = 30_000

/**
 * Until when a failed signer is left alone. All work of its account waits in one lane: without a rest, each piece of
 * work would wait for a whole timeout, and block the slots of other accounts' work.
 */
const rests = new WeakMap<RelayerAccount, { readonly failures: number; readonly untilAt: number }>()

const fields = [
  "type",
  "chainId",
  "nonce",
  "to",
  "value",
  "data",
  "gas",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
] as const satisfies ReadonlyArray<keyof Unsigned>

/** The parser leaves out empty fields. */
const empty: { readonly [field: string]: string | number | bigint } = {
  nonce: 0,
  value: 0n,
  data: "0x",
  maxPriorityFeePerGas: 0n,
}

/**
 * A signed transaction has at most this many digits more than the unsigned one, including the lengths that grow with
 * the signature.
 */
const signatureDigitsMax = 150

const shapePattern = /^0x(?:[0-9a-fA-F]{2})+$/u

const parsed = (raw: string) => Result.try(() => parseTransaction(hex(raw)))

/** Why a signer's result differs from the request; undefined if it does not. */
const refusal = Effect.fnUntraced(function* (
  account: RelayerAccount,
  asked: Unsigned,
  raw: string,
) {
  const unsigned = serializeTransaction(asked)
  if (!shapePattern.test(raw) || raw.length > unsigned.length + signatureDigitsMax) {
    return "data that is not a transaction"
  }
  const read = parsed(raw)
  if (Result.isFailure(read)) return "data that is not a transaction"
  const found: { readonly [field: string]: unknown } = read.success
  const others = fields.filter((field) => {
    const value = found[field] ?? empty[field]
    return Predicate.isString(value)
      ? value.toLowerCase() !== String(asked[field]).toLowerCase()
      : value !== asked[field]
  })
  if (others.length > 0) return `another ${others.join(", ")} than requested`
  const { r, s, yParity } = read.success
  if (r === undefined || s === undefined || yParity === undefined) return "no signature"
  // Byte for byte, so that it contains nothing that was not requested, such as an access list.
  if (serializeTransaction(asked, { r, s, yParity }) !== raw.toLowerCase()) {
    return "another transaction than requested"
  }
  const signature = `${r}${s.slice(2)}${yParity === 0 ? "1b" : "1c"}`
  const signer = yield* Signature.recover(keccak_256(hexToBytes(unsigned.slice(2))), signature)
  if (signer === undefined) return "a signature that no key can have made, or one with a high s"
  return signer === account.address.toLowerCase() ? undefined : "the signature of another account"
})

const shownAddress = ({ address }: RelayerAccount): string =>
  Result.match(Eip155.parseAddress(address), {
    onFailure: () => address,
    onSuccess: Eip155.formatAddress,
  })

/** Signs a transaction with an account's signer, and returns only exactly the requested one, in lower case. */
export const sign = Effect.fn("Signer.sign")(function* (account: RelayerAccount, asked: Unsigned) {
  const chainId = Eip155.chainId(asked.chainId)
  const failed = (reason: SigningFailed["reason"], what: string) =>
    new SigningFailed({
      chainId,
      reason,
      message: `chain ${chainId}: the signer of ${shownAddress(account)} ${what}`,
    })
  const { failures = 0, untilAt = 0 } = rests.get(account) ?? {}
  const waitsInMs = untilAt - (yield* Clock.currentTimeMillis)
  if (waitsInMs > 0) {
    return yield* failed(
      "unavailable",
      `failed ${failures} ${failures === 1 ? "time" : "times"} in a row: it is called again in ${Math.ceil(waitsInMs / 1000)} s`,
    )
  }
  const withinInMs = account.signWithinInMs ?? signWithinInMs
  const asking = Effect.gen(function* () {
    const raw = yield* Effect.tryPromise({
      try: (signal) => account.signTransaction(asked, { signal }),
      // Any other message may contain secrets.
      catch: (error) =>
        failed(
          "unavailable",
          isUnavailable(error) ? `could not sign: ${error.message}` : "could not sign",
        ),
    }).pipe(
      Effect.timeoutOrElse({
        duration: withinInMs,
        orElse: () => failed("unavailable", `did not sign within ${withinInMs} ms`),
      }),
    )
    const wrong = yield* refusal(account, asked, raw)
    if (wrong === undefined) return hex(raw.toLowerCase())
    const refused = failed("untrusted", `returned ${wrong}: nothing was stored or sent`)
    yield* Effect.logError("a signer returned something other than requested", {
      message: refused.message,
    })
    return yield* refused
  })
  const signed = yield* Effect.tapError(
    asking,
    Effect.fnUntraced(function* () {
      const restInMs = Math.min(restLongestInMs, restFirstInMs * 2 ** Math.min(failures, 10))
      const now = yield* Clock.currentTimeMillis
      rests.set(account, { failures: failures + 1, untilAt: now + restInMs })
    }),
  )
  rests.delete(account)
  return signed
})
