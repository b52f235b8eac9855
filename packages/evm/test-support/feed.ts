/**
 * Price feeds on a local chain whose values a test sets.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as LocalChain from "@florin/localnet/LocalChain"
import { Effect } from "effect"
import { hexToBigInt, pad, stringToHex, toHex } from "viem/utils"

/** A round as a feed has it, with what else it says. */
export interface Said {
  readonly decimals: bigint
  readonly roundId: bigint
  readonly answer: bigint
  readonly startedAt: bigint
  readonly updatedAt: bigint
  readonly answeredInRound: bigint
  readonly reverts: bigint
  readonly description: string
}

/** As `PriceFeed.sol` numbers them. */
const slots = [
  "decimals",
  "roundId",
  "answer",
  "startedAt",
  "updatedAt",
  "answeredInRound",
  "reverts",
  "description",
] as const

/** A text of less than 32 bytes, as storage has it. */
const textWord = (text: string): bigint =>
  hexToBigInt(pad(stringToHex(text), { dir: "right", size: 32 })) + BigInt(2 * text.length)

const wordOf = (value: bigint | string): bigint =>
  typeof value === "string" ? textWord(value) : BigInt.asUintN(256, value)

/** Puts a feed on a chain. */
export const make = Effect.fnUntraced(function* (local: LocalChain.LocalChain, said: Said) {
  const address: Caip.Address = yield* local.deploy(
    "PriceFeed",
    ...slots.map((slot) => wordOf(said[slot])),
  )
  return {
    address,
    /** From now on it says this. */
    say: (change: Partial<Said>) =>
      Effect.forEach(slots, (name, index) => {
        const value = change[name]
        return value === undefined
          ? Effect.void
          : local.request("anvil_setStorageAt", [
              address,
              toHex(index, { size: 32 }),
              toHex(wordOf(value), { size: 32 }),
            ])
      }),
  }
})
