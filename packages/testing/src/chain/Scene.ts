/**
 * The setup of each rule of the chain suite: its own payer on a chain that other rules use, too.
 *
 * @module
 */
import { assert, type Vitest } from "@effect/vitest"
import type * as Action from "@florin/core/domain/chain/Action"
import type * as ActionResult from "@florin/core/domain/chain/ActionResult"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Payment from "@florin/core/domain/payment/Payment"
import { Chain, type Order } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { ChainHarness } from "../ChainHarness.ts"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { type Kit, type Role, roles } from "../Kit.ts"
import type * as Wallet from "../Wallet.ts"

/** The test API that a part of the suite uses. */
export type It = Vitest.MethodsNonLive<Chain | ChainHarness>

/** Long enough for an adapter that talks to a real node. */
export const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** The roles among these that a family has. */
export const had = (kit: Kit, among: ReadonlyArray<Role> = roles): ReadonlyArray<Role> =>
  among.filter((role) => kit.flows[role] !== undefined)

/** The roles that need at most one of our transactions. */
export const plain: ReadonlyArray<Role> = ["direct", "allowed", "sent"]
/** The roles among them that are collected. */
export const collectedRoles: ReadonlyArray<Role> = ["direct", "allowed"]

/** How titles name what has a role. */
export const named: { readonly [R in Role]: string } = {
  direct: "a direct",
  allowed: "an allowance-based",
  sent: "a wallet-sent",
  permitted: "a permit-based",
}

let wallets = 0
let payments = 0
let signings = 0

/** The price of one payment. */
export const price = Money.Quantity.make(5_000_000n)

/** A wallet of a family that was not used on its chains before. */
export const walletOf = (kit: Kit): Wallet.Payer => kit.wallet(2_000_000 + ++wallets)

export const begin = Effect.gen(function* () {
  const chain = yield* Chain
  const harness = yield* ChainHarness
  const { kit, tokens } = harness
  const { allowed = tokens.direct, direct } = tokens
  const { chainId } = direct
  const tokenOf = (role: Role) => (role === "allowed" ? allowed : direct)
  const unusedWallet = () => walletOf(kit)
  // A rule may block our account for a moment: a port that checks its tokens just then offers this one again soon.
  const { offered, payTo } = yield* chain.offered.pipe(
    Effect.flatMap((all) => {
      const offer = all.find(({ asset }) => Caip.sameToken(asset.token, direct))
      return Effect.fromNullishOr(offer?.collectingAccounts[0]).pipe(
        Effect.map((account) => ({ offered: all, payTo: account })),
      )
    }),
    Effect.retry(Schedule.max([Schedule.spaced(100), Schedule.recurs(1200)])),
    Effect.catch(() => Effect.die("the port does not offer the harness's token")),
  )
  const lane: Lane.Lane = { chainId, sender: payTo }
  const payer = unusedWallet()
  for (const token of new Set([direct, allowed]))
    yield* harness.fund(token, payer.address, 10n * price)

  /** An option that the payer can take now. */
  const optionOf = Effect.fnUntraced(function* (
    role: Role,
    overrides: Partial<PaymentOption.PaymentOption> = {},
  ) {
    const nowInS = yield* harness.nowInS
    const account = payer.account(chainId)
    const flow = kit.flows[role] ?? assert.fail(`the kit has no ${role} flow`)
    const option: PaymentOption.PaymentOption = {
      paymentId: PaymentId.PaymentId.make(`pay_chainSuite${++payments}`),
      account,
      accountText: Family.formatAccount(chain.catalog, account),
      token: tokenOf(role),
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

  /** An option with its asset. */
  const chosen = (option: PaymentOption.PaymentOption): Action.Chosen => {
    const asset = chain.catalog.find(option.token)
    return asset === undefined
      ? assert.fail("the port does not know the option's token")
      : { asset, option }
  }

  /** Executes the option's actions as the payer's wallet does; transactions of the wallet wait for a block. */
  const executed = Effect.fnUntraced(function* (option: PaymentOption.PaymentOption) {
    const texts = yield* payer.execute(
      yield* chain.actions(chosen(option), Money.zero),
      harness.node,
    )
    const signature = texts.at(-1) ?? ""
    const outputs: ActionResult.Outputs =
      option.flow === kit.flows.sent
        ? { _tag: "Sent", txHash: texts[0] ?? "", signature }
        : { _tag: "Authorized", signature, approvals: texts.slice(0, -1) }
    return outputs
  })

  /** An attempt whose approvals, if it needs some, are mined. */
  const attempted = Effect.fnUntraced(function* (
    role: Role,
    overrides: Partial<PaymentOption.PaymentOption> = {},
  ) {
    const option = yield* optionOf(role, overrides)
    const outputs = yield* executed(option)
    if (role === "allowed") yield* harness.mine(1)
    return Fixtures.attemptOf(option, outputs)
  })

  /** The next number of the lane: the chain's own, or one that no other rule used. */
  const next = Effect.map(chain.nonceFloor(lane), (floor) => floor ?? ++signings)
  const signed = Effect.fnUntraced(function* (order: Order) {
    return yield* chain.sign(lane, yield* next, order)
  })
  /** Whether the chain has counted this many transactions since a floor, if it counts them. */
  const isCounted = Effect.fnUntraced(function* (floor: number | null, count: number) {
    const now = yield* chain.nonceFloor(lane)
    assert.strictEqual(now, floor === null ? null : floor + count)
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

  /** A transfer from the collecting account, which is funded for it. */
  const payout = Effect.fnUntraced(function* (quantity: Money.Quantity = price) {
    yield* harness.fund(direct, payTo, quantity)
    const movement: Transfer.Movement = {
      token: direct,
      from: payTo,
      to: unusedWallet().address,
      quantity,
    }
    return movement
  })

  return {
    chain,
    harness,
    kit,
    unusedWallet,
    next,
    isCounted,
    /** Sends a wallet's own transaction. */
    submitted: (call: Wallet.Call, wallet: Wallet.Payer) =>
      harness.node?.send(call, wallet) ?? Effect.die("the harness has no node for wallets"),
    signatureOf: (wallet: Wallet.Payer, option: PaymentOption.PaymentOption) =>
      kit.signature(wallet, chosen(option)),
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
    held: (address: Caip.Address, token: Caip.Token = direct) => chain.balance(token, address),
    /** Makes everything that is mined final. */
    settle: harness.mine(1 + harness.finalityDepth),
  }
})

export type Scene = Effect.Success<typeof begin>

export const tag = (observation: Transfer.Observation): Transfer.Observation["_tag"] =>
  observation._tag

/** The evidence of an observation, which must have some. */
export const evidenceOf = (observation: Transfer.Observation): Transfer.Evidence => {
  if (observation._tag !== "Included" && observation._tag !== "Final") {
    return assert.fail(`there is no evidence in ${observation._tag}`)
  }
  return observation.evidence
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
