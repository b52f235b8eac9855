import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import type { Order } from "@florin/core/ports/Chain"
import * as Contracts from "@florin/localnet/Contracts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { pad, toHex } from "viem/utils"
import * as Rehearsal from "../src/Rehearsal.ts"
import * as Payers from "../test-support/payers.ts"

const { authorized, call, on, payTo, price, sign, stranger } = Payers

const rehearse = (chain: Payers.Ground, order: Order) => Rehearsal.rehearse(chain.link, order)

/** Why an order is refused; the words are for the operator. */
const reasonOf = Effect.fnUntraced(function* (chain: Payers.Ground, order: Order, words: RegExp) {
  const error = yield* Effect.flip(rehearse(chain, order))
  assert.match(error.message, words)
  assert.match(error.message, new RegExp(`on chain ${chain.chainId}: `, "u"))
  return error._tag === "TransferRefused" ? error.reason : error._tag
})

const spent = /: the authorization was used or revoked$/u
const refused = /: the token refuses the transfer \(/u
const paused = /: the token is paused/u
const barred = {
  payer: /: the payer's account is on the token's blocklist/u,
  ours: /: our account is on the token's blocklist/u,
  payee: /: the destination is on the token's blocklist/u,
  permit2: /: Permit2 is on the token's blocklist/u,
}
const fee = /basisPointsRate\(\) is above 0/u

const collecting = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  symbol: string,
  overrides: Partial<PaymentOption.PaymentOption> = {},
) {
  const { attempt, ...rest } = yield* Payers.signed(chain, symbol, overrides)
  const order: Order = { _tag: "Collect", attempt }
  return { ...rest, order }
})

const sending = (
  token: Caip.Token,
  to: Caip.Address,
  quantity: Money.Quantity = price,
): { readonly _tag: "Send"; readonly movement: Transfer.Movement } => ({
  _tag: "Send",
  movement: { token, from: payTo.address, to, quantity },
})

on(1)("Rehearsal.rehearse while a node behind the load balancer is behind", (it) => {
  it.effect("S26: does not hold a payout", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { token } = chain.assetOf("USDC")
      yield* chain.local.fund(token.address, payTo.address, price)
      let isDone = false
      // There the money did not come yet.
      const link = chain.linkAnswering(({ method, params: [message] }) => {
        if (isDone || method !== "eth_call" || !JSON.stringify(message).includes("a9059cbb")) {
          return undefined
        }
        isDone = true
        return Payers.refusing("execution reverted: ERC20: transfer amount exceeds balance", "0x")
      })
      yield* Rehearsal.rehearse(link, sending(token, chain.unused().address))
      assert.isTrue(isDone)
    }),
  )
})

for (const chainId of [1, 56, 137, 42161]) {
  on(chainId)(`Rehearsal.rehearse on chain ${chainId}`, (it) => {
    for (const { flow, symbol, token } of BuiltIn.catalog.assets.filter(
      (each) => each.token.chainId === Eip155.chainId(chainId),
    )) {
      it.effect(`accepts a collection of ${symbol}, in one request`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { order } = yield* collecting(chain, symbol)
          const { requests, result } = yield* chain.watch(rehearse(chain, order))
          assert.isTrue(Result.isSuccess(result))
          assert.strictEqual(requests, 1)
        }),
      )

      it.effect(`accepts a payout of ${symbol}, in one request`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          yield* chain.local.fund(token.address, payTo.address, price)
          const order = sending(token, chain.unused().address)
          const { requests, result } = yield* chain.watch(rehearse(chain, order))
          assert.isTrue(Result.isSuccess(result))
          assert.strictEqual(requests, 1)
        }),
      )

      it.effect(
        `reports ${symbol} as spent before any other reason, even if the token gives none`,
        () =>
          Effect.gen(function* () {
            const chain = yield* Payers.Chain
            const { option, order, payer, signature } = yield* collecting(chain, symbol)
            yield* chain.collect(option, signature)
            assert.strictEqual(yield* reasonOf(chain, order, spent), "spent")
            const held = Money.Quantity.make(9n * price)
            yield* chain.mined(payer.address, token.address, call.transfer(stranger.address, held))
            const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
            yield* chain.local.pass(left)
            yield* chain.local.mine(1)
            assert.strictEqual(yield* reasonOf(chain, order, spent), "spent")
          }),
      )

      it.effect(
        `reports an authorization of ${symbol} as late, by the chain's time, even if the payer lacks the money, too`,
        () =>
          Effect.gen(function* () {
            const chain = yield* Payers.Chain
            const quantity = Money.Quantity.make(10n * price + 1n)
            const { option, order } = yield* collecting(chain, symbol, { quantity })
            const endsAt = PaymentOption.authorizationEndsAt(option)
            const mineAt = (seconds: number) =>
              Effect.andThen(
                chain.local.request("evm_setNextBlockTimestamp", [seconds]),
                chain.local.mine(1),
              )
            const lastAt = endsAt - Limits.authorizationSendMarginInS - 1
            yield* mineAt(lastAt)
            assert.strictEqual(yield* reasonOf(chain, order, / holds \d+ of \d+ units$/u), "short")
            yield* mineAt(lastAt + 1)
            assert.strictEqual(
              yield* reasonOf(chain, order, /: the authorization ends in 6 s/u),
              "late",
            )
          }),
      )

      it.effect(
        `reports a payer without enough ${symbol} as short, even if the recipient is blocked, too`,
        () =>
          Effect.gen(function* () {
            const chain = yield* Payers.Chain
            const quantity = Money.Quantity.make(10n * price + 1n)
            const { order } = yield* collecting(chain, symbol, { quantity })
            const can = Contracts.can(chain.assetOf(symbol), "blocks")
            if (can) yield* chain.local.block(token.address, payTo.address, true)
            const words = /: the payer holds 50000000 of 50000001 units$/u
            assert.strictEqual(yield* reasonOf(chain, order, words), "short")
            if (can) yield* chain.local.block(token.address, payTo.address, false)

            const most = Money.Quantity.make(2n ** 255n)
            const own = sending(token, stranger.address, most)
            const ours = new RegExp(
              `: ${payTo.address} holds \\d+ of ${most} units: add to it$`,
              "u",
            )
            assert.strictEqual(yield* reasonOf(chain, own, ours), "short")
          }),
      )

      if (flow === "permit2") {
        it.effect(`reports ${symbol} as short if Permit2's allowance is too low`, () =>
          Effect.gen(function* () {
            const chain = yield* Payers.Chain
            const { option, order } = yield* collecting(chain, symbol)
            yield* chain.approve(option, 0n)
            yield* chain.approve(option, price - 1n)
            const words = /: the payer's approval for Permit2 is 4999999 of 5000000 units$/u
            assert.strictEqual(yield* reasonOf(chain, order, words), "short")
          }),
        )
      }
    }
  })
}

on(1)("Rehearsal.rehearse of transfers that a token refuses", (it) => {
  for (const symbol of ["USDC", "PYUSD", "USDT"]) {
    it.effect(
      `S27: reports ${symbol} as blocked if payer, recipient or token is, and names which`,
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { option, order, payer } = yield* collecting(chain, symbol)
          const token = option.token.address
          yield* chain.local.fund(token, payTo.address, price)
          const own = sending(option.token, chain.unused().address)
          const blocked = Effect.fnUntraced(function* (
            each: Order,
            account: Caip.Address,
            words: RegExp,
            reason = "blocked",
          ) {
            yield* chain.local.block(token, account, true)
            assert.strictEqual(yield* reasonOf(chain, each, words), reason)
            yield* chain.local.block(token, account, false)
            yield* rehearse(chain, each)
          })
          yield* blocked(order, payer.address, barred.payer)
          yield* blocked(own, payTo.address, barred.ours)
          // Ethereum's USDT sends to anybody.
          if (symbol !== "USDT") yield* blocked(own, own.movement.to, barred.payee, "payee")
          if (symbol === "USDC") yield* blocked(order, payTo.address, barred.ours)
          yield* chain.local.pause(token, true)
          for (const each of [order, own]) {
            assert.strictEqual(yield* reasonOf(chain, each, paused), "paused")
          }
          yield* chain.local.pause(token, false)
        }),
    )
  }

  it.effect("S27: reports a token as blocked if an upgrade changed its domain or function", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      for (const symbol of ["USDC", "PYUSD"]) {
        const { option, order } = yield* collecting(chain, symbol)
        const token = option.token.address
        const nameSlot = toHex(3, { size: 32 })
        const name = yield* chain.local.request("eth_getStorageAt", [token, nameSlot, "latest"])
        const rename = (value: unknown) =>
          chain.local.request("anvil_setStorageAt", [token, nameSlot, value])
        yield* rename(pad("0x02", { size: 32 }))
        const domain = /: the token's domain is not the one that was signed for/u
        assert.strictEqual(yield* reasonOf(chain, order, domain), "blocked")
        yield* rename(name)
        yield* rehearse(chain, order)
        const reasons = [
          "execution reverted",
          "execution reverted: Diamond: Function does not exist",
        ]
        for (const reason of reasons) {
          const link = chain.linkAnswering(({ method, params: [message] }) =>
            method === "eth_call" && /ef55bec6/u.test(JSON.stringify(message))
              ? Payers.refusing(reason, "0x")
              : undefined,
          )
          const error = yield* Effect.flip(Rehearsal.rehearse(link, order))
          assert.match(error.message, /: the token does not have the function/u)
        }
      }
    }),
  )

  for (const symbol of ["USDC", "PYUSD", "USDT"]) {
    it.effect(`S27: reports a payer of ${symbol} as barred once a final block shows it`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { option, order, payer } = yield* collecting(chain, symbol)
        const token = option.token.address
        yield* chain.local.mine(20)
        yield* chain.local.block(token, payer.address, true)
        const reason = reasonOf(chain, order, barred.payer)
        // The newest block alone shows it.
        assert.strictEqual(yield* reason, "blocked")
        yield* chain.local.mine(20)
        assert.strictEqual(yield* reason, "barred")
        // Our own account is barred as well: the payer is not all that is in the way.
        yield* chain.local.block(token, payTo.address, true)
        if (symbol === "USDC") {
          assert.strictEqual(yield* reasonOf(chain, order, barred.ours), "blocked")
        }
        yield* chain.local.block(token, payTo.address, false)
        yield* chain.local.block(token, payer.address, false)
        yield* rehearse(chain, order)
        yield* chain.local.mine(20)
      }),
    )
  }

  it.effect("S27: reports a payer as blocked if no node keeps the final block's state", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, order, payer } = yield* collecting(chain, "USDC")
      yield* chain.local.block(option.token.address, payer.address, true)
      yield* chain.local.mine(20)
      const { result } = yield* chain.watch(rehearse(chain, order))
      assert.isTrue(
        Result.isFailure(result) &&
          result.failure._tag === "TransferRefused" &&
          result.failure.reason === "barred",
      )
      const newest = `0x${Number(yield* chain.local.request("eth_blockNumber", [])).toString(16)}`
      const link = chain.linkAnswering(({ method, params: [, at] }) =>
        method === "eth_call" && at !== "latest" && at !== newest
          ? Payers.refusing("missing trie node", null)
          : undefined,
      )
      const error = yield* Effect.flip(Rehearsal.rehearse(link, order))
      assert.deepInclude(error, { _tag: "TransferRefused", reason: "blocked" })
      yield* chain.local.block(option.token.address, payer.address, false)
      yield* chain.local.mine(20)
    }),
  )

  it.effect("S7: reports the recipient exactly if the same money would reach another account", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option } = yield* collecting(chain, "USDC")
      yield* chain.local.fund(option.token.address, payTo.address, price)
      const own = sending(option.token, chain.unused().address)
      /** A token that refuses transfers, to one account or to all, for a reason that it makes up. */
      const refusing = (reason: string, to: string) =>
        chain.linkAnswering(({ method, params: [message] }) => {
          const called = JSON.stringify(message)
          return method === "eth_call" && called.includes("a9059cbb") && called.includes(to)
            ? Payers.refusing(reason, "0x")
            : undefined
        })
      for (const reason of ["execution reverted", "execution reverted: account is blacklisted"]) {
        for (const [to, expected] of [
          [own.movement.to.slice(2), "payee"],
          ["", "blocked"],
        ] as const) {
          const error = yield* Effect.flip(Rehearsal.rehearse(refusing(reason, to), own))
          assert.deepInclude(error, { _tag: "TransferRefused", reason: expected }, reason)
          assert.strictEqual(/the destination is at fault/u.test(error.message), to !== "")
        }
      }
    }),
  )

  it.effect("returns the token's own reason", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, order, payer } = yield* collecting(chain, "USDC")
      yield* chain.local.block(option.token.address, payer.address, true)
      assert.strictEqual(
        yield* reasonOf(chain, order, /Blacklistable: account is blacklisted/u),
        "blocked",
      )
    }),
  )

  it.effect("reports USDT as blocked while it keeps a fee of each transfer", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, order } = yield* collecting(chain, "USDT")
      const token = option.token
      yield* chain.local.fund(token.address, payTo.address, price)
      yield* chain.local.setTransferFee(token.address, 1n, 1n)
      for (const each of [order, sending(token, stranger.address)]) {
        assert.strictEqual(yield* reasonOf(chain, each, fee), "blocked")
      }
      yield* chain.local.setTransferFee(token.address, 0n, 0n)
      yield* rehearse(chain, order)
    }),
  )

  it.effect("asks a contract again right before its authorization is sent", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      for (const symbol of ["USDC", "PYUSD"]) {
        const owner = chain.unused()
        const account = yield* chain.local.deploy("SmartAccount", owner.address)
        const option = yield* chain.optionFor(symbol, account)
        const order: Order = { _tag: "Collect", attempt: authorized(option, sign(option, owner)) }
        yield* rehearse(chain, order)
        yield* chain.mined(owner.address, account, call.setOwner(stranger.address))
        assert.strictEqual(yield* reasonOf(chain, order, refused), "blocked")
      }
    }),
  )

  it.effect("checks a signature again if its account delegates meanwhile", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { order, payer } = yield* collecting(chain, "USDC")
      const delegate = yield* chain.local.deploy("Delegate")
      yield* chain.local.setCode(payer.address, Contracts.delegation(delegate))
      assert.strictEqual(yield* reasonOf(chain, order, /has code now/u), "blocked")
      const coded = { ...order, attempt: Payers.withCode(order.attempt) }
      yield* rehearse(chain, coded)
      yield* chain.mined(stranger.address, payer.address, call.setRefusesPlain(true))
      assert.strictEqual(yield* reasonOf(chain, coded, refused), "blocked")
    }),
  )

  it.effect("reports a signature as blocked if no account accepts it any more", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option } = yield* collecting(chain, "USDC")
      for (const signature of [`0x${"ab".repeat(64)}`, `0x${"ab".repeat(200)}`]) {
        const order: Order = { _tag: "Collect", attempt: authorized(option, signature) }
        assert.strictEqual(yield* reasonOf(chain, order, refused), "blocked")
      }
    }),
  )
})

on(1)("Rehearsal.rehearse with Permit2", (it) => {
  it.effect("S27: reports a token as blocked if it blocks Permit2, and names Permit2", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, order } = yield* collecting(chain, "USDC", { flow: "permit2" })
      const token = option.token.address
      yield* chain.approve(option, price)
      yield* rehearse(chain, order)
      yield* chain.local.block(token, Eip155.permit2Address, true)
      assert.strictEqual(yield* reasonOf(chain, order, barred.permit2), "blocked")
      yield* chain.local.block(token, Eip155.permit2Address, false)
    }),
  )
})

on(42161)("Rehearsal.rehearse of USDT0", (it) => {
  it.effect("accepts a blocked account that receives or signs, but not one that calls", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, order, payer } = yield* collecting(chain, "USDT0")
      const token = option.token.address
      yield* chain.local.fund(token, payTo.address, price)
      const own = sending(option.token, stranger.address)
      yield* chain.local.block(token, payer.address, true)
      yield* chain.local.block(token, stranger.address, true)
      for (const each of [order, own]) yield* rehearse(chain, each)
      yield* chain.local.block(token, payTo.address, true)
      for (const each of [order, own]) {
        assert.strictEqual(yield* reasonOf(chain, each, barred.ours), "blocked")
      }
      yield* chain.local.block(token, payTo.address, false)
    }),
  )
})

on(1)("Rehearsal.rehearse with an unreliable node", (it) => {
  it.effect("needs every response of the node", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, order } = yield* collecting(chain, "USDT")
      yield* chain.local.fund(option.token.address, payTo.address, price)
      for (const each of [order, sending(option.token, stranger.address)]) {
        yield* Payers.needsEveryAnswer(chain, (link) => Rehearsal.rehearse(link, each))
      }
    }),
  )
})
