import { assert, describe, it } from "@effect/vitest"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Issuer from "@florin/core/domain/eip155/Issuer"
import * as Schema from "effect/Schema"

const is = Schema.is(Issuer.Issuer)

describe("Issuer", () => {
  it("allows only functions that the rules of issuers know", () => {
    for (const issuer of [
      Issuer.circle,
      Issuer.paxos,
      Issuer.usdt0,
      Issuer.tether,
      Issuer.binance,
    ]) {
      assert.isTrue(is(issuer))
    }
    for (const other of [
      {},
      { switches: [] },
      { blocklist: null },
      { switches: ["stopped"], blocklist: null },
      { switches: [], blocklist: "isBad" },
      { switches: "paused", blocklist: null },
    ]) {
      assert.isFalse(is(other), JSON.stringify(other))
    }
  })

  it("is known for every built-in token, with the issuer's switches and blocklist", () => {
    const rules = new Map<string, Set<Issuer.Issuer["blocklist"]>>()
    for (const asset of Assets.all) {
      const { blocklist } = Details.of(asset).issuer
      rules.set(asset.symbol, (rules.get(asset.symbol) ?? new Set()).add(blocklist))
    }
    const barring = (symbol: string) => [...(rules.get(symbol) ?? [])]
    assert.deepStrictEqual(barring("EURC"), ["isBlacklisted"])
    assert.deepStrictEqual(barring("PYUSD"), ["isFrozen"])
    assert.deepStrictEqual(barring("USDG"), ["isFrozen"])
    assert.deepStrictEqual(barring("USDT0"), ["isBlocked"])
    assert.sameMembers(barring("USDC"), ["isBlacklisted", null])
    assert.sameMembers(barring("USDT"), ["isBlackListed", "isBlocked", null])
  })
})
