/**
 * Shares a query for balances that is in flight, and caches a result about many accounts for a second: repeated or
 * concurrent identical calls cost the node one request a second. A wallet names few accounts, and a payer who has just
 * topped up one of them must see it, so a short result is not cached.
 *
 * @module
 */
import type { OfferedAsset } from "@florin/core/ports/Chain"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import type { Link } from "../read/Link.ts"
import * as Holdings from "./Holdings.ts"

const keptInMs = 1000
const keptFromPayers = 11
/** A result may be about a thousand accounts, so few are kept. */
const keptMax = 64

type Payers = Parameters<typeof Holdings.of>[1]

/** Two queries about the same accounts and tokens are equal. */
class Question implements Equal.Equal {
  readonly #text: string
  readonly payers: Payers
  readonly assets: ReadonlyArray<OfferedAsset>

  constructor(payers: Payers, assets: ReadonlyArray<OfferedAsset>) {
    const asked = assets.map(({ asset, flows }) => [asset.token.address, ...flows])
    this.#text = JSON.stringify([payers.map(({ accountText }) => accountText), asked])
    this.payers = payers
    this.assets = assets
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Question && that.#text === this.#text
  }

  [Hash.symbol](): number {
    return Hash.string(this.#text)
  }
}

/** As {@link Holdings.of}, for one chain. */
export const make = (link: Link) =>
  Effect.map(
    Cache.makeWith(({ assets, payers }: Question) => Holdings.of(link, payers, assets), {
      capacity: keptMax,
      timeToLive: (exit, { payers }) =>
        Exit.isSuccess(exit) && payers.length >= keptFromPayers ? keptInMs : 0,
    }),
    (kept) => (payers: Payers, assets: ReadonlyArray<OfferedAsset>) =>
      Cache.get(kept, new Question(payers, assets)),
  )
