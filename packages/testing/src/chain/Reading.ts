/**
 * What the port tells of a chain without changing it.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as Effect from "effect/Effect"
import { begin, failsWith, flows, type It, price, unusedWallet } from "./Scene.ts"

export const reading = (it: It): void => {
  it.effect("offers its tokens with collecting accounts in one fixed order", () =>
    Effect.gen(function* () {
      const { chain, harness, offered } = yield* begin
      for (const token of [harness.tokens.eip3009, harness.tokens.permit2]) {
        const offer = offered.find(({ asset }) => Caip.sameToken(asset.token, token))
        assert.isDefined(offer)
        assert.isAbove(offer.collectingAccounts.length, 0)
        assert.strictEqual(new Set(offer.collectingAccounts).size, offer.collectingAccounts.length)
      }
      assert.deepStrictEqual(yield* chain.offered, offered)
    }),
  )

  it.effect("tells what accounts hold of offered tokens, on their own chains only", () =>
    Effect.gen(function* () {
      const { chain, harness, offered, chainId, payer } = yield* begin
      const { eip3009, permit2 } = harness.tokens
      yield* harness.fund(eip3009, payer.address, 7n)
      const elsewhere = Caip.ChainId.make(chainId === 10 ? 1 : 10)
      const accounts = [payer.account(chainId), payer.account(elsewhere)].map((account) => ({
        account,
        accountText: `text of ${account.chainId}`,
      }))
      const here = offered.filter(({ asset }) => asset.token.chainId === chainId)
      const holdings = yield* chain.holdings(accounts, here)
      assert.strictEqual(holdings.length, here.length)
      assert.deepStrictEqual(
        new Set(holdings.map(({ accountText }) => accountText)),
        new Set([`text of ${chainId}`]),
      )
      const of = (token: Caip.Token) =>
        holdings.find((holding) => Caip.sameToken(holding.token, token))
      assert.strictEqual(of(eip3009)?.balance, 10n * price + 7n)
      assert.strictEqual(of(permit2)?.balance, 10n * price)
      assert.strictEqual(of(permit2)?.allowance, 0n)
      assert.deepStrictEqual(yield* chain.holdings([], here), [])
      assert.deepStrictEqual(yield* chain.holdings(accounts, []), [])
    }),
  )

  it.effect("tells the allowance that the payer's approval set", () =>
    Effect.gen(function* () {
      const { chain, harness, optionOf, executed, payer, chainId } = yield* begin
      const { permit2 } = harness.tokens
      const account = payer.account(chainId)
      assert.strictEqual(yield* chain.allowance(account, permit2), 0n)
      yield* executed(yield* optionOf("permit2"))
      yield* harness.mine(1)
      assert.strictEqual(yield* chain.allowance(account, permit2), price)
    }),
  )

  it.effect("an account that was never used holds nothing and has used no nonce", () =>
    Effect.gen(function* () {
      const { chain, held, chainId } = yield* begin
      const { address } = unusedWallet()
      assert.strictEqual(yield* held(address), 0n)
      assert.strictEqual(yield* chain.nonceFloor({ chainId, sender: address }), 0)
    }),
  )

  it.effect("an unanswered call is ChainUnavailable, never an answer", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { chain, harness, offered, lane, payer, payTo, chainId } = scene
      const attempts = yield* Effect.forEach(flows, (flow) => scene.attempted(flow))
      const order = { _tag: "Send", movement: yield* scene.payout() } as const
      const relayed = yield* scene.signed(order)
      const accounts = [{ account: payer.account(chainId), accountText: "" }]
      yield* harness.connect(false)
      yield* failsWith(chain.holdings(accounts, offered), "ChainUnavailable")
      yield* failsWith(
        chain.allowance(payer.account(chainId), harness.tokens.permit2),
        "ChainUnavailable",
      )
      yield* failsWith(chain.balance(harness.tokens.eip3009, payTo), "ChainUnavailable")
      yield* failsWith(chain.nonceFloor(lane), "ChainUnavailable")
      yield* failsWith(chain.rehearse(order), "ChainUnavailable")
      yield* failsWith(chain.broadcast(relayed), "ChainUnavailable")
      yield* failsWith(scene.lookOwn(order.movement, relayed), "ChainUnavailable")
      for (const attempt of attempts) {
        yield* failsWith(scene.look(attempt, null), "ChainUnavailable")
        yield* failsWith(chain.verify(attempt), "ChainUnavailable")
        const late = { txHash: relayed.hash, option: attempt.option }
        yield* failsWith(chain.lookLate(late), "ChainUnavailable")
      }
      yield* harness.connect(true)
      assert.isNumber(yield* chain.nonceFloor(lane))
      yield* harness.mine(1)
    }),
  )
}
