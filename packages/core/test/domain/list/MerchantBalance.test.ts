import { assert, describe, it } from "@effect/vitest"
import * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as Fixtures from "@florin/testing/Fixtures"

const { merchantId, token } = Fixtures.make("balance")

const sums = {
  merchantId,
  token,
  left: 100n,
  heldBack: 30n,
  inPayout: 7n,
  reserved: 5n,
  debt: 0n,
}
const parts = { available: 70n, pending: 30n, inPayout: 7n, reserved: 5n, debt: 0n }

describe("the balance of a merchant", () => {
  for (const [rule, changed, isFrozen, expected] of [
    ["has what may be paid out as available, and the rest as pending", {}, false, {}],
    ["has all of it as pending while it is frozen", {}, true, { available: 0n, pending: 100n }],
    ["has no debt that the next payout sets off", { debt: 20n }, false, { available: 50n }],
    ["has the rest of a debt that uses it up", { debt: 90n }, false, { available: 0n, debt: 20n }],
    [
      "has its whole debt while it is frozen",
      { debt: 20n },
      true,
      { available: 0n, pending: 100n, debt: 20n },
    ],
  ] as const) {
    it(rule, () => {
      assert.deepStrictEqual(MerchantBalance.of({ ...sums, ...changed }, isFrozen), {
        ...parts,
        ...expected,
      })
    })
  }
})
