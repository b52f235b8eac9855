import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Balances from "@florin/core/engine/Balances"
import * as Wallet from "@florin/testing/Wallet"

const [one, other] = [Wallet.make(1).address, Wallet.make(2).address]
const tokenOf = (chain: number): Caip.Token => ({ chainId: Eip155.chainId(chain), address: one })

const has = (chain: number, address: Caip.Address, onChain: bigint | null): Balances.OfAccount => ({
  token: tokenOf(chain),
  address,
  onChain,
  holds: 10n,
  owed: 4n,
  kept: 3n,
  suspense: 2n,
  float: 1n,
})

describe("Balances.totals", () => {
  it("adds up each token over all accounts; a token has no on-chain sum if one chain did not respond", () => {
    assert.deepStrictEqual(
      Balances.totals([
        has(1, one, 10n),
        has(56, one, 7n),
        has(1, other, 5n),
        has(56, other, null),
      ]),
      [
        {
          token: tokenOf(1),
          onChain: 15n,
          holds: 20n,
          owed: 8n,
          kept: 6n,
          suspense: 4n,
          float: 2n,
        },
        {
          token: tokenOf(56),
          onChain: null,
          holds: 20n,
          owed: 8n,
          kept: 6n,
          suspense: 4n,
          float: 2n,
        },
      ],
    )
    assert.deepStrictEqual(Balances.totals([]), [])
  })
})
