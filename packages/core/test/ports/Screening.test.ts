import { assert, describe, it as rule, layer } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Screening from "@florin/core/ports/Screening"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"

const [good, bad, worse] = [
  Fixtures.account("good"),
  Fixtures.account("bad"),
  Fixtures.account("worse"),
]
const elsewhere = { ...bad, chainId: Fixtures.otherChainId }

layer(Screening.Screening.layerAllowAll)("Screening.layerAllowAll", (it) => {
  it.effect("refuses no account", () =>
    Effect.gen(function* () {
      const screening = yield* Screening.Screening
      assert.deepStrictEqual(yield* screening.refused([]), [])
      assert.deepStrictEqual(yield* screening.refused([good, bad, worse]), [])
    }),
  )
})

layer(Screening.Screening.layerDenyList([bad.address, worse.address].values()))(
  "Screening.layerDenyList",
  (it) => {
    it.effect("refuses exactly the listed addresses, on every chain, each time", () =>
      Effect.gen(function* () {
        const screening = yield* Screening.Screening
        for (const _ of [1, 2]) {
          assert.deepStrictEqual(yield* screening.refused([]), [])
          assert.deepStrictEqual(yield* screening.refused([good]), [])
          assert.deepStrictEqual(yield* screening.refused([bad]), [bad])
          assert.deepStrictEqual(yield* screening.refused([worse, good, elsewhere, bad]), [
            worse,
            elsewhere,
            bad,
          ])
        }
      }),
    )
  },
)

describe("Screening.layerDenyList", () => {
  rule.effect("reads addresses in any case, and refuses a line that is not an address", () =>
    Effect.gen(function* () {
      const address = "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01"
      const account = { ...bad, address: Caip.Address.make(address.toLowerCase()) }
      const refusedBy = (addresses: ReadonlyArray<string>) =>
        Effect.flatMap(Screening.Screening, (screening) => screening.refused([account])).pipe(
          Effect.provide(Screening.Screening.layerDenyList(addresses)),
        )
      assert.deepStrictEqual(yield* refusedBy([address]), [account])
      const error = yield* Effect.flip(refusedBy([address, `eip155:1:${address}`]))
      assert.match(error.message, /addresses\[1\]: must be an address alone/u)
    }),
  )
})
