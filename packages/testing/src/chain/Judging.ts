/**
 * How the port judges signatures and orders before anything is sent.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as ActionResult from "@florin/core/domain/chain/ActionResult"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import type { Kit } from "../Kit.ts"
import type * as Wallet from "../Wallet.ts"
import {
  begin,
  collectedRoles,
  failsWith,
  had,
  type It,
  named,
  plain,
  price,
  type Scene,
} from "./Scene.ts"

const resigned = (attempt: Payment.Attempt, signature: string): Payment.Attempt => ({
  ...attempt,
  outputs: { ...attempt.outputs, signature },
})

const other = PaymentId.PaymentId.make("pay_anotherPayment")

const wrongSignatures: ReadonlyArray<{
  readonly name: string
  readonly of: (scene: Scene, attempt: Payment.Attempt) => string
}> = [
  {
    name: "another account",
    of: (scene, { option }) => scene.signatureOf(scene.unusedWallet(), option),
  },
  {
    name: "another payment",
    of: (scene, { option }) => scene.signatureOf(scene.payer, { ...option, paymentId: other }),
  },
  {
    name: "another quantity",
    of: (scene, { option }) =>
      scene.signatureOf(scene.payer, { ...option, quantity: Money.Quantity.make(price + 1n) }),
  },
  {
    name: "another recipient",
    of: (scene, { option }) =>
      scene.signatureOf(scene.payer, { ...option, payTo: scene.payer.address }),
  },
]

export const testJudging = (it: It, kit: Kit): void => {
  const notTheirs = [
    ...wrongSignatures,
    ...Object.entries(kit.forgeries).map(([name, forge]) => ({
      name,
      of: (_: Scene, { outputs }: Payment.Attempt) => forge(outputs.signature),
    })),
  ]
  for (const role of had(kit, plain)) {
    it.effect(
      `verify accepts the result of a wallet for ${named[role]} option, any number of times`,
      () =>
        Effect.gen(function* () {
          const { chain, harness, attempted } = yield* begin
          const attempt = yield* attempted(role)
          yield* chain.verify(attempt)
          yield* harness.mine(1)
          assert.deepStrictEqual(yield* chain.verify(attempt), attempt.outputs)
        }),
    )

    for (const [name, spell] of Object.entries(kit.spellings)) {
      it.effect(
        `S25: verify accepts ${named[role]} signature ${name}, and returns its canonical form`,
        () =>
          Effect.gen(function* () {
            const { chain, attempted } = yield* begin
            const attempt = yield* attempted(role)
            const spelled = resigned(attempt, spell(attempt.outputs.signature))
            assert.notDeepEqual(spelled.outputs, attempt.outputs)
            assert.deepStrictEqual(yield* chain.verify(spelled), attempt.outputs)
          }),
      )
    }

    for (const { name, of } of notTheirs) {
      it.effect(`verify refuses ${named[role]} signature of ${name}`, () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const attempt = yield* scene.attempted(role)
          const forged = resigned(attempt, of(scene, attempt))
          yield* failsWith(scene.chain.verify(forged), "AttemptRefused")
          yield* scene.harness.mine(1)
          yield* failsWith(scene.chain.verify(forged), "AttemptRefused")
        }),
      )
    }
  }

  for (const role of had(kit, collectedRoles)) {
    it.effect(`verify refuses ${named[role]} signature that the token would refuse`, () =>
      Effect.gen(function* () {
        const { chain, harness, attempted, payer, tokenOf } = yield* begin
        const attempt = yield* attempted(role)
        yield* harness.block(tokenOf(role), payer.address, true)
        yield* failsWith(chain.verify(attempt), "AttemptRefused")
        yield* harness.block(tokenOf(role), payer.address, false)
        yield* chain.verify(attempt)
        const most = Money.Quantity.make(10n * price + 1n)
        yield* failsWith(chain.verify(yield* attempted(role, { quantity: most })), "AttemptRefused")
      }),
    )
  }

  if (kit.flows.allowed !== undefined)
    it.effect("verify refuses a payment if the approval is too low", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { chain, optionOf, payer } = scene
        const option = yield* optionOf("allowed")
        const signature = scene.signatureOf(payer, option)
        const attempt = Fixtures.attemptOf(option, { _tag: "Authorized", signature, approvals: [] })
        yield* failsWith(chain.verify(attempt), "AttemptRefused")
      }),
    )

  it.effect("verify refuses an authorization that was revoked or has expired", () =>
    Effect.gen(function* () {
      const { chain, harness, attempted, payer } = yield* begin
      const revoked = yield* attempted("direct")
      yield* chain.verify(revoked)
      yield* harness.cancelAuthorization(revoked.option, payer)
      yield* harness.mine(1)
      yield* failsWith(chain.verify(revoked), "AttemptRefused")
      const late = yield* attempted("direct")
      yield* chain.verify(late)
      const left = PaymentOption.authorizationEndsAt(late.option) - (yield* harness.nowInS)
      yield* harness.pass(left)
      yield* harness.mine(1)
      yield* failsWith(chain.verify(late), "AttemptRefused")
    }),
  )

  const { calls } = kit
  if (calls !== undefined)
    it.effect(
      "verify accepts an unknown transaction, and refuses one that does something else",
      () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const { chain, harness, optionOf, payer, chainId, payTo, unusedWallet } = scene
          const token = harness.tokens.direct
          const option = yield* optionOf("sent")
          const signature = scene.signatureOf(payer, option)
          const naming = (txHash: string): ActionResult.Outputs => ({
            _tag: "Sent",
            txHash,
            signature,
          })
          const by = Effect.fnUntraced(function* (wallet: Wallet.Payer, data: string) {
            yield* harness.fund(token, wallet.address, price)
            const call = { chainId, from: wallet.address, to: token.address, data }
            return yield* scene.submitted(call, wallet)
          })
          const stranger = unusedWallet()
          const less = Money.Quantity.make(price - 1n)
          const wrong = [
            yield* by(stranger, calls.transfer(payTo, price)),
            yield* by(payer, calls.transfer(payTo, less)),
            yield* by(payer, calls.transfer(stranger.address, price)),
            yield* by(payer, calls.approve(payTo, price)),
          ]
          yield* harness.mine(1)
          for (const txHash of wrong) {
            const attempt = Fixtures.attemptOf(option, naming(txHash))
            yield* failsWith(chain.verify(attempt), "AttemptRefused")
          }
          yield* chain.verify(Fixtures.attemptOf(option, naming(kit.hash("unknown"))))
        }),
    )

  if (kit.flows.sent !== undefined)
    it.effect("verify refuses a transfer that is older than the option", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { chain, harness, attempted, payer } = scene
        const { option, outputs } = yield* attempted("sent")
        yield* harness.mine(1)
        const laterBy = Effect.fnUntraced(function* (seconds: number) {
          const issuedAt = (yield* harness.nowInS) + seconds
          const later = { ...option, paymentId: other, issuedAt, expiresAt: issuedAt + 300 }
          return Fixtures.attemptOf(later, {
            ...outputs,
            signature: scene.signatureOf(payer, later),
          })
        })
        const older = yield* laterBy(Limits.chainClockBehindMaxInS + 10)
        yield* failsWith(chain.verify(older), "AttemptRefused")
        // A chain's clock may be behind ours. Ten seconds are subtracted for a slow machine.
        yield* chain.verify(yield* laterBy(Limits.chainClockBehindMaxInS - 10))
      }),
    )

  const reasonOf = Effect.fnUntraced(function* (
    { chain }: Scene,
    order: Parameters<Scene["chain"]["rehearse"]>[0],
  ) {
    const refused = yield* Effect.flip(chain.rehearse(order))
    return refused._tag === "TransferRefused" ? refused.reason : refused._tag
  })

  for (const role of had(kit, collectedRoles)) {
    it.effect(`rehearse reports why ${named[role]} authorization would fail`, () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { harness, payer, tokenOf } = scene
        const attempt = yield* scene.attempted(role)
        const order = { _tag: "Collect", attempt } as const
        yield* scene.chain.rehearse(order)
        yield* harness.block(tokenOf(role), payer.address, true)
        assert.strictEqual(yield* reasonOf(scene, order), "blocked")
        yield* harness.block(tokenOf(role), payer.address, false)
        const quantity = Money.Quantity.make(10n * price + 1n)
        const tooMuch = yield* scene.attempted(role, { quantity })
        assert.strictEqual(yield* reasonOf(scene, { _tag: "Collect", attempt: tooMuch }), "short")
        yield* scene.chain.rehearse(order)
        yield* scene.sent(order)
        yield* harness.mine(1)
        assert.strictEqual(yield* reasonOf(scene, order), "spent")
      }),
    )

    it.effect(
      `rehearse reports ${named[role]} authorization as late if it expires within the send margin`,
      () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const attempt = yield* scene.attempted(role)
          const order = { _tag: "Collect", attempt } as const
          const endsAt = PaymentOption.authorizationEndsAt(attempt.option)
          const left = endsAt - (yield* scene.harness.nowInS)
          // Ten seconds for a slow machine.
          yield* scene.harness.pass(left - Limits.authorizationSendMarginInS - 10)
          yield* scene.harness.mine(1)
          yield* scene.chain.rehearse(order)
          yield* scene.harness.pass(10)
          yield* scene.harness.mine(1)
          assert.strictEqual(yield* reasonOf(scene, order), "late")
        }),
    )
  }

  it.effect("S7: rehearse reports why one of our transfers would fail", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { harness } = scene
      const movement = yield* scene.payout()
      const order = { _tag: "Send", movement } as const
      yield* scene.chain.rehearse(order)
      yield* harness.block(movement.token, movement.to, true)
      assert.strictEqual(yield* reasonOf(scene, order), "payee")
      yield* harness.block(movement.token, movement.from, true)
      assert.strictEqual(yield* reasonOf(scene, order), "blocked", "our account is in the way, too")
      yield* harness.block(movement.token, movement.to, false)
      assert.strictEqual(yield* reasonOf(scene, order), "blocked")
      yield* harness.block(movement.token, movement.from, false)
      if (harness.pause !== undefined) {
        yield* harness.pause(movement.token, true)
        assert.strictEqual(yield* reasonOf(scene, order), "paused")
        yield* harness.block(movement.token, movement.to, true)
        assert.strictEqual(yield* reasonOf(scene, order), "paused", "nobody can be paid")
        yield* harness.block(movement.token, movement.to, false)
        yield* harness.pause(movement.token, false)
      }
      const quantity = Money.Quantity.make((yield* scene.held(movement.from)) + 1n)
      const tooMuch = { ...movement, quantity }
      assert.strictEqual(yield* reasonOf(scene, { _tag: "Send", movement: tooMuch }), "short")
      yield* scene.chain.rehearse(order)
    }),
  )
}
