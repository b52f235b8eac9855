/**
 * What the port says of signatures and orders before anything is sent.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Action from "@florin/core/domain/Action"
import type * as ActionResult from "@florin/core/domain/ActionResult"
import * as Limits from "@florin/core/domain/Limits"
import * as Money from "@florin/core/domain/Money"
import type * as Payment from "@florin/core/domain/Payment"
import * as PaymentId from "@florin/core/domain/PaymentId"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import type * as Wallet from "../Wallet.ts"
import { begin, failsWith, flows, type It, price, type Scene, unusedWallet } from "./Scene.ts"

/** The final signature of an option by any wallet, sent nowhere. */
const signatureBy = (
  { chosen: choose }: Scene,
  wallet: Wallet.Wallet,
  option: PaymentOption.PaymentOption,
): string => {
  const chosen = choose(option)
  const data = Action.typedData(chosen)
  return data === undefined
    ? wallet.signMessage(Action.statement(chosen))
    : wallet.signTypedData(data)
}

const resigned = (attempt: Payment.Attempt, signature: string): Payment.Attempt => ({
  ...attempt,
  outputs: { ...attempt.outputs, signature },
})

/** The same signature with its s on the other side of the curve, which tokens refuse. */
const flipped = (signature: string): string => {
  const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === "1b" ? "1c" : "1b"
  return `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${v}`
}

/** How some wallets write a signature, and mean the same. */
const spellings: Readonly<Record<string, (signature: string) => string>> = {
  "with v from 0 on": (signature) =>
    `${signature.slice(0, 130)}${signature.endsWith("1b") ? "00" : "01"}`,
  "in 64 bytes": (signature) => {
    const s = BigInt(`0x${signature.slice(66, 130)}`) | (signature.endsWith("1b") ? 0n : 1n << 255n)
    return `${signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}`
  },
}

const other = PaymentId.PaymentId.make("pay_anotherPayment")

const wrongSignatures: ReadonlyArray<{
  readonly name: string
  readonly of: (scene: Scene, attempt: Payment.Attempt) => string
}> = [
  {
    name: "another account",
    of: (scene, { option }) => signatureBy(scene, unusedWallet(), option),
  },
  {
    name: "another payment",
    of: (scene, { option }) => signatureBy(scene, scene.payer, { ...option, paymentId: other }),
  },
  {
    name: "another quantity",
    of: (scene, { option }) =>
      signatureBy(scene, scene.payer, { ...option, quantity: Money.Quantity.make(price + 1n) }),
  },
  {
    name: "another recipient",
    of: (scene, { option }) =>
      signatureBy(scene, scene.payer, { ...option, payTo: scene.payer.address }),
  },
  { name: "a high s", of: (_, { outputs }) => flipped(outputs.signature) },
  { name: "trailing bytes", of: (_, { outputs }) => `${outputs.signature}00` },
  { name: "an unknown v", of: (_, { outputs }) => `${outputs.signature.slice(0, 130)}1d` },
  { name: "nothing", of: () => `0x${"00".repeat(65)}` },
]

export const judging = (it: It): void => {
  for (const flow of flows) {
    it.effect(`verify takes what a wallet did for a ${flow} option, again and again`, () =>
      Effect.gen(function* () {
        const { chain, harness, attempted } = yield* begin
        const attempt = yield* attempted(flow)
        yield* chain.verify(attempt)
        yield* harness.mine(1)
        assert.deepStrictEqual(yield* chain.verify(attempt), attempt.outputs)
      }),
    )

    for (const [name, spell] of Object.entries(spellings)) {
      it.effect(`S25: verify takes a ${flow} signature ${name}, and gives its one spelling`, () =>
        Effect.gen(function* () {
          const { chain, attempted } = yield* begin
          const attempt = yield* attempted(flow)
          const spelled = resigned(attempt, spell(attempt.outputs.signature))
          assert.notDeepEqual(spelled.outputs, attempt.outputs)
          assert.deepStrictEqual(yield* chain.verify(spelled), attempt.outputs)
        }),
      )
    }

    for (const { name, of } of wrongSignatures) {
      it.effect(`verify refuses a ${flow} signature of ${name}`, () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const attempt = yield* scene.attempted(flow)
          const wrong = resigned(attempt, of(scene, attempt))
          yield* failsWith(scene.chain.verify(wrong), "AttemptRefused")
          yield* scene.harness.mine(1)
          yield* failsWith(scene.chain.verify(wrong), "AttemptRefused")
        }),
      )
    }
  }

  for (const flow of ["eip3009", "permit2"] as const) {
    it.effect(`verify refuses a ${flow} signature that the token would refuse`, () =>
      Effect.gen(function* () {
        const { chain, harness, attempted, payer, tokenOf } = yield* begin
        const attempt = yield* attempted(flow)
        yield* harness.block(tokenOf(flow), payer.address, true)
        yield* failsWith(chain.verify(attempt), "AttemptRefused")
        yield* harness.block(tokenOf(flow), payer.address, false)
        yield* chain.verify(attempt)
        const most = Money.Quantity.make(10n * price + 1n)
        yield* failsWith(chain.verify(yield* attempted(flow, { quantity: most })), "AttemptRefused")
      }),
    )
  }

  it.effect("verify refuses a permit that Permit2 is not allowed to use", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { chain, optionOf, payer } = scene
      const option = yield* optionOf("permit2")
      const signature = signatureBy(scene, payer, option)
      const attempt = Fixtures.attemptOf(option, { _tag: "Authorized", signature, approvals: [] })
      yield* failsWith(chain.verify(attempt), "AttemptRefused")
    }),
  )

  it.effect("verify lets a transaction be unknown, and refuses one that is something else", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { chain, harness, optionOf, payer, chainId, payTo } = scene
      const token = harness.tokens.eip3009
      const option = yield* optionOf("transfer")
      const signature = signatureBy(scene, payer, option)
      const naming = (txHash: string): ActionResult.Outputs => ({ _tag: "Sent", txHash, signature })
      const by = Effect.fnUntraced(function* (wallet: Wallet.Wallet, data: string) {
        yield* harness.fund(token, wallet.address, price)
        const call = { chainId, from: wallet.address, to: token.address, data }
        return yield* harness.node.send(call, wallet)
      })
      const stranger = unusedWallet()
      const less = Money.Quantity.make(price - 1n)
      const wrong = [
        yield* by(stranger, Action.transferData(payTo, price)),
        yield* by(payer, Action.transferData(payTo, less)),
        yield* by(payer, Action.transferData(stranger.address, price)),
        yield* by(payer, Action.approveData(payTo, price)),
      ]
      yield* harness.mine(1)
      for (const txHash of wrong) {
        const attempt = Fixtures.attemptOf(option, naming(txHash))
        yield* failsWith(chain.verify(attempt), "AttemptRefused")
      }
      yield* chain.verify(Fixtures.attemptOf(option, naming(Fixtures.hash("unknown"))))
    }),
  )

  it.effect("verify refuses a transfer that is older than the option", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { chain, harness, attempted, payer } = scene
      const { option, outputs } = yield* attempted("transfer")
      yield* harness.mine(1)
      const laterBy = Effect.fnUntraced(function* (seconds: number) {
        const issuedAt = (yield* harness.nowInS) + seconds
        const later = { ...option, paymentId: other, issuedAt, expiresAt: issuedAt + 300 }
        return Fixtures.attemptOf(later, {
          ...outputs,
          signature: signatureBy(scene, payer, later),
        })
      })
      const older = yield* laterBy(Limits.chainClockBehindMaxInS + 10)
      yield* failsWith(chain.verify(older), "AttemptRefused")
      // A chain's clock may be behind ours: ten seconds less for a slow machine.
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

  for (const flow of ["eip3009", "permit2"] as const) {
    it.effect(`rehearse tells why a ${flow} authorization would not go through`, () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { harness, payer, tokenOf } = scene
        const attempt = yield* scene.attempted(flow)
        const order = { _tag: "Collect", attempt } as const
        yield* scene.chain.rehearse(order)
        yield* harness.block(tokenOf(flow), payer.address, true)
        assert.strictEqual(yield* reasonOf(scene, order), "blocked")
        yield* harness.block(tokenOf(flow), payer.address, false)
        const quantity = Money.Quantity.make(10n * price + 1n)
        const tooMuch = yield* scene.attempted(flow, { quantity })
        assert.strictEqual(yield* reasonOf(scene, { _tag: "Collect", attempt: tooMuch }), "short")
        yield* scene.chain.rehearse(order)
        yield* scene.sent(order)
        yield* harness.mine(1)
        assert.strictEqual(yield* reasonOf(scene, order), "spent")
      }),
    )

    it.effect(`rehearse calls a ${flow} authorization late that ends within the send margin`, () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const attempt = yield* scene.attempted(flow)
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

  it.effect("rehearse tells why a transfer of ours would not go through", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { harness } = scene
      const movement = yield* scene.payout()
      const order = { _tag: "Send", movement } as const
      yield* scene.chain.rehearse(order)
      yield* harness.block(movement.token, movement.to, true)
      assert.strictEqual(yield* reasonOf(scene, order), "blocked")
      yield* harness.block(movement.token, movement.to, false)
      const quantity = Money.Quantity.make((yield* scene.held(movement.from)) + 1n)
      const tooMuch = { ...movement, quantity }
      assert.strictEqual(yield* reasonOf(scene, { _tag: "Send", movement: tooMuch }), "short")
      yield* scene.chain.rehearse(order)
    }),
  )
}
