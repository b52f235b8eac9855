/**
 * The ground that each rule of the chain suite stands on: a payer of its own on a chain that others use too.
 *
 * @module
 */
import { assert, type Vitest } from "@effect/vitest"
import * as Action from "@florin/core/domain/Action"
import type * as ActionResult from "@florin/core/domain/ActionResult"
import * as Caip from "@florin/core/domain/Caip"
import type * as Lane from "@florin/core/domain/Lane"
import * as Money from "@florin/core/domain/Money"
import * as Payment from "@florin/core/domain/Payment"
import * as PaymentId from "@florin/core/domain/PaymentId"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import type * as Transfer from "@florin/core/domain/Transfer"
import { Chain, type Order } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import { ChainHarness } from "../ChainHarness.ts"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Wallet from "../Wallet.ts"

/** What a part of the suite is written with. */
export type It = Vitest.MethodsNonLive<Chain | ChainHarness>

/** Long enough for an adapter that talks to a real node. */
export const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

export const flows = ["eip3009", "permit2", "transfer"] as const

let wallets = 0
let payments = 0

/** What one payment is asked for here. */
export const price = Money.Quantity.make(5_000_000n)

/** A wallet that nobody used on this chain. */
export const unusedWallet = (): Wallet.Wallet => Wallet.make(2_000_000 + ++wallets)

export const begin = Effect.gen(function* () {
  const chain = yield* Chain
  const harness = yield* ChainHarness
  const { eip3009, permit2 } = harness.tokens
  const { chainId } = eip3009
  const tokenOf = (flow: PaymentOption.Flow) => (flow === "permit2" ? permit2 : eip3009)
  const offered = yield* chain.offered
  const offer = offered.find(({ asset }) => Caip.sameToken(asset.token, eip3009))
  const payTo = offer?.collectingAccounts[0]
  if (payTo === undefined) return yield* Effect.die("the port does not offer the harness's token")
  const lane: Lane.Lane = { chainId, sender: payTo }
  const payer = unusedWallet()
  for (const token of [eip3009, permit2]) yield* harness.fund(token, payer.address, 10n * price)

  /** An option that the payer can take now. */
  const optionOf = Effect.fnUntraced(function* (
    flow: PaymentOption.Flow,
    overrides: Partial<PaymentOption.PaymentOption> = {},
  ) {
    const nowInS = yield* harness.nowInS
    const account = payer.account(chainId)
    const option: PaymentOption.PaymentOption = {
      paymentId: PaymentId.PaymentId.make(`pay_chainSuite${++payments}`),
      account,
      accountText: Caip.formatAccount(account),
      token: tokenOf(flow),
      flow,
      quantity: price,
      fixedFee: Money.zero,
      payTo,
      issuedAt: nowInS,
      expiresAt: nowInS + 300,
      ...overrides,
    }
    return option
  })

  /** An option with the asset that it pays in. */
  const chosen = (option: PaymentOption.PaymentOption): Action.Chosen => {
    const asset = chain.catalog.find(option.token)
    return asset === undefined
      ? assert.fail("the port does not know the option's token")
      : { asset, option }
  }

  /** Executes the option's actions as the payer's wallet; what the wallet sends waits for a block. */
  const executed = Effect.fnUntraced(function* (option: PaymentOption.PaymentOption) {
    const allowance = yield* chain.allowance(option.account, option.token)
    const texts = yield* payer.execute(Action.executable(chosen(option), allowance), harness.node)
    const signature = texts.at(-1) ?? ""
    const outputs: ActionResult.Outputs =
      option.flow === "transfer"
        ? { _tag: "Sent", txHash: texts[0] ?? "", signature }
        : { _tag: "Authorized", signature, approvals: texts.slice(0, -1) }
    return outputs
  })

  /** An attempt whose approvals, if it needs some, are mined. */
  const attempted = Effect.fnUntraced(function* (
    flow: PaymentOption.Flow,
    overrides: Partial<PaymentOption.PaymentOption> = {},
  ) {
    const option = yield* optionOf(flow, overrides)
    const outputs = yield* executed(option)
    if (flow === "permit2") yield* harness.mine(1)
    return Fixtures.attemptOf(option, outputs)
  })

  const signed = Effect.fnUntraced(function* (order: Order) {
    return yield* chain.sign(lane, yield* chain.nonceFloor(lane), order)
  })
  /** Signs an order and broadcasts it; no block is made. */
  const sent = Effect.fnUntraced(function* (order: Order) {
    const relayed = yield* signed(order)
    yield* chain.broadcast(relayed)
    return relayed
  })

  const look = (attempt: Payment.Attempt, relayed: Lane.Transaction | null) =>
    chain.look({ movement: Payment.movement(attempt), relayed, attempt })
  const lookOwn = (movement: Transfer.Movement, relayed: Lane.Transaction) =>
    chain.look({ movement, relayed, attempt: null })

  /** A transfer from the collecting account, which is given the money for it. */
  const payout = Effect.fnUntraced(function* (quantity: Money.Quantity = price) {
    yield* harness.fund(eip3009, payTo, quantity)
    const movement: Transfer.Movement = {
      token: eip3009,
      from: payTo,
      to: unusedWallet().address,
      quantity,
    }
    return movement
  })

  return {
    chain,
    harness,
    chainId,
    lane,
    payTo,
    payer,
    tokenOf,
    offered,
    optionOf,
    chosen,
    executed,
    attempted,
    signed,
    sent,
    look,
    lookOwn,
    payout,
    held: (address: Caip.Address, token: Caip.Token = eip3009) => chain.balance(token, address),
    /** Makes whatever is mined final. */
    settle: harness.mine(1 + harness.finalityDepth),
  }
})

export type Scene = Effect.Success<typeof begin>

export const tag = (sighting: Transfer.Sighting): Transfer.Sighting["_tag"] => sighting._tag

/** The evidence of a sighting that has some. */
export const evidenceOf = (sighting: Transfer.Sighting): Transfer.Evidence => {
  if (sighting._tag !== "Included" && sighting._tag !== "Final") {
    return assert.fail(`there is no evidence in ${sighting._tag}`)
  }
  return sighting.evidence
}

/** Fails unless the effect fails with this error. */
export const failsWith = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>,
  expected: E["_tag"],
) {
  const error = yield* Effect.flip(effect).pipe(
    Effect.catch(() => Effect.sync(() => assert.fail(`expected ${expected}, and it succeeded`))),
  )
  assert.strictEqual(error._tag, expected)
  return error
})
