/**
 * What the port reads from a chain without changing it.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Money from "@florin/core/domain/ground/Money"
import type { NodeHealth } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fixtures from "../Fixtures.ts"
import type { Kit } from "../Kit.ts"
import {
  collectedRoles,
  begin,
  failsWith,
  had,
  type It,
  named,
  plain,
  price,
  walletOf,
} from "./Scene.ts"

export const testReading = (it: It, kit: Kit): void => {
  it.effect("offers its tokens with collecting accounts in one fixed order", () =>
    Effect.gen(function* () {
      const { chain, harness, offered } = yield* begin
      for (const token of Object.values(harness.tokens)) {
        const offer = offered.find(({ asset }) => Caip.sameToken(asset.token, token))
        assert.isDefined(offer)
        assert.isAbove(offer.collectingAccounts.length, 0)
        assert.strictEqual(new Set(offer.collectingAccounts).size, offer.collectingAccounts.length)
        for (const address of offer.collectingAccounts) {
          assert.deepInclude(chain.accounts, { chainId: token.chainId, address })
        }
      }
      assert.deepStrictEqual(yield* chain.offered, offered)
    }),
  )

  it.effect("returns the balances of accounts in offered tokens, on their own chains only", () =>
    Effect.gen(function* () {
      const { chain, harness, offered, chainId, payer } = yield* begin
      const { allowed, direct } = harness.tokens
      yield* harness.fund(direct, payer.address, 7n)
      const elsewhere = Caip.ChainId.make(`${chainId.slice(0, 30)}0`)
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
      assert.strictEqual(of(direct)?.balance, 10n * price + 7n)
      if (allowed !== undefined) {
        assert.strictEqual(of(allowed)?.balance, 10n * price)
        assert.strictEqual(of(allowed)?.allowance, 0n)
      }
      assert.deepStrictEqual(yield* chain.holdings([], here), [])
      assert.deepStrictEqual(yield* chain.holdings(accounts, []), [])
    }),
  )

  it.effect(
    "reports the cost of a payer's own transactions once it was read, and no cost for a signature",
    () =>
      Effect.gen(function* () {
        const { chain, chosen, harness, offered, optionOf, payer } = yield* begin
        const [role = "direct"] = had(kit, ["direct", "allowed", "sent"])
        const option = yield* optionOf(role)
        const cost = (stepCount: number) =>
          chain.payerCost(chosen(option), stepCount)?.quantity ?? assert.fail("it was not read")
        yield* chain.holdings(
          [{ account: payer.account(option.token.chainId), accountText: option.accountText }],
          offered.filter(({ asset }) => Caip.sameToken(asset.token, harness.tokens.direct)),
        )
        assert.strictEqual(cost(1), 0n)
        assert.isTrue(cost(2) >= 0n)
        assert.strictEqual(cost(3), 2n * cost(2))
      }),
  )

  it.effect("returns the time of the newest block of each node", () =>
    Effect.gen(function* () {
      const { chain, chainId, harness } = yield* begin
      yield* harness.pass(1000)
      yield* harness.mine(1)
      const nodes = yield* chain.nodes(chainId)
      assert.isAbove(nodes.length, 0)
      const now = (yield* harness.nowInS) * 1000
      for (const { newestBlockAt } of nodes) {
        assert.isAtMost(Math.abs(now - (newestBlockAt ?? 0)), 500_000)
      }
    }),
  )

  it.effect("S15: accepts an account's signature of a text, and no other", () =>
    Effect.gen(function* () {
      const { chain, chainId, payer } = yield* begin
      const text = "I control this account.\nNumber: 1"
      const signature = kit.signText(payer, text)
      const other = walletOf(kit)
      assert.isTrue(yield* chain.isSignedBy(payer.account(chainId), text, signature))
      assert.isFalse(yield* chain.isSignedBy(other.account(chainId), text, signature))
      assert.isFalse(yield* chain.isSignedBy(payer.account(chainId), `${text}0`, signature))
      for (const forge of Object.values(kit.forgeries)) {
        assert.isFalse(yield* chain.isSignedBy(payer.account(chainId), text, forge(signature)))
      }
    }),
  )

  it.effect("returns the fee balance of our accounts", () =>
    Effect.gen(function* () {
      const { chain, chainId } = yield* begin
      const account = chain.accounts.find((each) => each.chainId === chainId)
      assert.isTrue((yield* chain.coins(account ?? assert.fail("it has none"))) >= 0n)
    }),
  )

  it.effect("returns the actions that a wallet still has to do: fewer after its approval", () =>
    Effect.gen(function* () {
      const { chain, chosen, harness, optionOf, executed } = yield* begin
      for (const role of had(kit, plain)) {
        const option = yield* optionOf(role)
        const before = yield* chain.actions(chosen(option), Money.zero)
        for (const { chainId } of before) assert.strictEqual(chainId, option.token.chainId)
        if (role === "sent") {
          assert.lengthOf(before, 2)
          continue
        }
        const [last] = before.slice(-1)
        assert.lengthOf(before, role === "allowed" ? 2 : 1)
        yield* executed(option)
        yield* harness.mine(1)
        assert.deepStrictEqual(yield* chain.actions(chosen(option), Money.zero), last && [last])
      }
    }),
  )

  if (kit.flows.allowed !== undefined) {
    it.effect("S29: requests an approval that also covers other open payments", () =>
      Effect.gen(function* () {
        const { chain, chosen, harness, optionOf, payer } = yield* begin
        const option = yield* optionOf("allowed")
        const attempt = Fixtures.attemptOf(option, {
          _tag: "Authorized",
          signature: kit.hash("not looked at"),
          approvals: [],
        })
        assert.strictEqual((yield* chain.funds(attempt, [])).allowance, 0n)
        const steps = yield* chain.actions(chosen(option), price)
        assert.lengthOf(steps, 2)
        yield* payer.execute(steps, harness.node)
        yield* harness.mine(1)
        assert.strictEqual((yield* chain.funds(attempt, [])).allowance, 2n * price)
        assert.lengthOf(yield* chain.actions(chosen(option), price), 1)
        // The action asks for more. It is refused if the token would first remove what the other payments will use.
        const more = yield* Effect.result(chain.actions(chosen(option), Money.largest))
        assert.isTrue(
          Result.isSuccess(more)
            ? more.success.length === 2
            : more.failure._tag === "AttemptRefused",
        )
      }),
    )
  }

  for (const role of had(kit, collectedRoles)) {
    it.effect(`S31: reports ${named[role]} payment as taken as soon as its money has moved`, () =>
      Effect.gen(function* () {
        const { attempted, chain, harness, held, optionOf, payer, sent, tokenOf } = yield* begin
        const attempt = yield* attempted(role)
        const next = Fixtures.attemptOf(yield* optionOf(role), attempt.outputs)
        const before: bigint = yield* held(payer.address, tokenOf(role))
        const open = yield* chain.funds(next, [attempt.option])
        assert.strictEqual(open.balance, before)
        assert.deepStrictEqual(open.taken, [])
        yield* sent({ _tag: "Collect", attempt })
        yield* harness.mine(1)
        const moved = yield* chain.funds(next, [attempt.option])
        assert.strictEqual(moved.balance, before - price)
        assert.deepStrictEqual(moved.taken, [attempt.option.paymentId])
        // Nothing more is taken for a payment whose own money has moved.
        assert.deepInclude(yield* chain.funds(attempt, []), {
          balance: Money.largest,
          allowance: Money.largest,
        })
      }),
    )
  }

  it.effect("an unused account has no balance and has used no nonce", () =>
    Effect.gen(function* () {
      const { chain, held, chainId } = yield* begin
      const { address } = walletOf(kit)
      assert.strictEqual(yield* held(address), 0n)
      const floor = yield* chain.nonceFloor({ chainId, sender: address })
      assert.strictEqual(floor, kit.isNumbered ? 0 : null)
    }),
  )

  it.effect("returns the newest final block, and follows the chain", () =>
    Effect.gen(function* () {
      const { chain, harness, chainId } = yield* begin
      assert.include(chain.chainIds, chainId)
      yield* harness.mine(2 * harness.finalityDepth)
      const checkpoint = yield* chain.finalCheckpoint(chainId)
      assert.isNotNull(checkpoint)
      assert.deepStrictEqual(yield* chain.finalCheckpoint(chainId), checkpoint)
      assert.isTrue(yield* chain.stands(chainId, checkpoint))
      yield* harness.mine(3)
      const next = yield* chain.finalCheckpoint(chainId)
      assert.isNotNull(next)
      assert.strictEqual(next.number, checkpoint.number + 3)
      assert.notStrictEqual(next.hash, checkpoint.hash)
      assert.isTrue(yield* chain.stands(chainId, checkpoint))
      assert.isTrue(yield* chain.stands(chainId, next))
    }),
  )

  it.effect("a final block stays through every reorganisation that the policy allows", () =>
    Effect.gen(function* () {
      const { chain, harness, chainId, sent, payout } = yield* begin
      yield* sent({ _tag: "Send", movement: yield* payout() })
      yield* harness.mine(1 + harness.finalityDepth)
      const checkpoint = yield* chain.finalCheckpoint(chainId)
      assert.isNotNull(checkpoint)
      yield* harness.reorg(harness.finalityDepth, "forgotten")
      assert.isTrue(yield* chain.stands(chainId, checkpoint))
    }),
  )

  it.effect(
    "a block that a deeper reorganisation removed is gone, and the blocks below it stay",
    () =>
      Effect.gen(function* () {
        const { chain, harness, chainId, sent, payout } = yield* begin
        yield* harness.mine(1 + harness.finalityDepth)
        const below = yield* chain.finalCheckpoint(chainId)
        yield* sent({ _tag: "Send", movement: yield* payout() })
        yield* harness.mine(1 + harness.finalityDepth)
        const checkpoint = yield* chain.finalCheckpoint(chainId)
        assert.isNotNull(below)
        assert.isNotNull(checkpoint)
        yield* harness.reorg(1 + harness.finalityDepth, "forgotten")
        assert.isFalse(yield* chain.stands(chainId, checkpoint))
        assert.isTrue(yield* chain.stands(chainId, below))
        yield* harness.mine(1)
        assert.isFalse(yield* chain.stands(chainId, checkpoint))
      }),
  )

  it.effect("a block that the node does not have yet has no result", () =>
    Effect.gen(function* () {
      const { chain, harness, chainId } = yield* begin
      yield* harness.mine(1 + harness.finalityDepth)
      const checkpoint = yield* chain.finalCheckpoint(chainId)
      assert.isNotNull(checkpoint)
      const ahead = { ...checkpoint, number: checkpoint.number + harness.finalityDepth + 1 }
      yield* failsWith(chain.stands(chainId, ahead), "ChainUnavailable")
    }),
  )

  it.effect(
    "a call without a response fails with ChainUnavailable, and never returns a result",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { chain, harness, offered, lane, payer, payTo, chainId } = scene
        const attempts = yield* Effect.forEach(had(kit, plain), (role) => scene.attempted(role))
        const order = { _tag: "Send", movement: yield* scene.payout() } as const
        const relayed = yield* scene.signed(order)
        const accounts = [{ account: payer.account(chainId), accountText: "" }]
        const checkpoint = yield* chain.finalCheckpoint(chainId)
        assert.isNotNull(checkpoint)
        yield* harness.connect(false)
        yield* failsWith(chain.finalCheckpoint(chainId), "ChainUnavailable")
        yield* failsWith(chain.stands(chainId, checkpoint), "ChainUnavailable")
        yield* failsWith(chain.holdings(accounts, offered), "ChainUnavailable")
        yield* failsWith(chain.balance(harness.tokens.direct, payTo), "ChainUnavailable")
        // `nodes` reports nodes that do not respond, instead of failing.
        const isSilent = ({ newestBlockAt }: NodeHealth) => newestBlockAt === null
        assert.isTrue((yield* chain.nodes(chainId)).every(isSilent))
        if (kit.isNumbered) yield* failsWith(chain.nonceFloor(lane), "ChainUnavailable")
        yield* failsWith(chain.rehearse(order), "ChainUnavailable")
        yield* failsWith(chain.broadcast(relayed), "ChainUnavailable")
        yield* failsWith(scene.lookOwn(order.movement, relayed), "ChainUnavailable")
        for (const attempt of attempts) {
          yield* failsWith(scene.look(attempt, null), "ChainUnavailable")
          yield* failsWith(chain.verify(attempt), "ChainUnavailable")
          if (attempt.option.flow === kit.flows.allowed) {
            yield* failsWith(
              chain.actions(scene.chosen(attempt.option), Money.zero),
              "ChainUnavailable",
            )
            yield* failsWith(chain.funds(attempt, []), "ChainUnavailable")
          }
          const late = { txHash: relayed.hash, option: attempt.option }
          yield* failsWith(chain.lookLate(late), "ChainUnavailable")
        }
        yield* harness.connect(true)
        yield* chain.nonceFloor(lane)
        yield* harness.mine(1)
      }),
  )
}
