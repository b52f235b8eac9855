import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as ChainPort from "@florin/core/ports/Chain"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Evm from "../src/Evm.ts"
import { hex } from "../src/read/Queries.ts"
import * as Payers from "../test-support/payers.ts"

const { authorized, call, on, payTo, price, sent, sign, signed } = Payers

/** The port on the same chain, of a service whose catalog has a token no more. */
const withoutToken = Effect.fnUntraced(function* (chain: Payers.Ground, token: Caip.Token) {
  const { assets, families, networks } = BuiltIn.catalog
  const isOther = (each: Caip.Token): boolean => !Caip.sameToken(each, token)
  const catalog = Catalog.make({
    families,
    networks,
    assets: assets.filter((each) => isOther(each.token)),
  })
  const options: Evm.Options = {
    chainId: Eip155.numberOf(chain.chainId),
    rpcUrls: [Redacted.make(chain.proxy.url)],
    accounts: [privateKeyToAccount(hex(payTo.privateKey))],
    finality: 3,
  }
  return yield* Effect.provide(ChainPort.Chain, Evm.layer([options], catalog))
})

/** Signs an order, sends it and mines it; answers our transaction. */
const relayed = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  port: ChainPort.Chain["Service"],
  order: ChainPort.Order,
) {
  yield* chain.local.fundGas(payTo.address, 10n ** 18n)
  const lane = { chainId: chain.chainId, sender: payTo.address }
  const nonce = (yield* port.nonceFloor(lane)) ?? assert.fail("there is no nonce")
  const transaction = yield* port.sign(lane, nonce, order)
  yield* port.broadcast(transaction)
  yield* chain.local.mine(1)
  return transaction
})

const notTaken = "the token is not accepted any more: ask for the payment's options again"

on(1)("a token that was removed from the catalog", (it) => {
  for (const symbol of ["USDC", "USDT"]) {
    it.effect(`such as ${symbol} is refused by verify, while another token is accepted`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option } = yield* signed(chain, symbol)
        const before = yield* withoutToken(chain, chain.assetOf("PYUSD").token)
        yield* before.verify(attempt)
        const port = yield* withoutToken(chain, option.token)
        const error = yield* Effect.flip(port.verify(attempt))
        assert.strictEqual(error._tag, "AttemptRefused")
        assert.strictEqual(error.message, notTaken)
        const other = yield* signed(chain, "EURC")
        yield* port.verify(other.attempt)
      }),
    )

    it.effect(`such as ${symbol}: a payment in progress is rehearsed, sent and found`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option } = yield* signed(chain, symbol)
        const port = yield* withoutToken(chain, option.token)
        const order: ChainPort.Order = { _tag: "Collect", attempt }
        yield* port.rehearse(order)
        const transaction = yield* relayed(chain, port, order)
        const look = port.look({
          movement: Payment.movement(attempt),
          relayed: transaction,
          attempt,
        })
        assert.strictEqual((yield* look)._tag, "Included")
        yield* chain.local.mine(3)
        assert.strictEqual((yield* look)._tag, "Final")
        const spent = yield* Effect.flip(port.rehearse(order))
        assert.deepInclude(spent, { _tag: "TransferRefused", reason: "spent" })
      }),
    )

    it.effect(`such as ${symbol}: an owed share is rehearsed, sent and found`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { token } = chain.assetOf(symbol)
        const port = yield* withoutToken(chain, token)
        yield* chain.local.fund(token.address, payTo.address, price)
        const movement = {
          token,
          from: payTo.address,
          to: chain.unused().address,
          quantity: price,
        }
        const order: ChainPort.Order = { _tag: "Send", movement }
        yield* port.rehearse(order)
        const transaction = yield* relayed(chain, port, order)
        const look = port.look({ movement, relayed: transaction, attempt: null })
        assert.strictEqual((yield* look)._tag, "Included")
        yield* chain.local.mine(3)
        assert.strictEqual((yield* look)._tag, "Final")
        const quantity = Money.Quantity.make(2n ** 255n)
        const short = yield* Effect.flip(
          port.rehearse({ _tag: "Send", movement: { ...movement, quantity } }),
        )
        assert.deepInclude(short, { _tag: "TransferRefused", reason: "short" })
      }),
    )

    it.effect(`such as ${symbol}: rehearse still reports why a transfer would fail`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option, payer } = yield* signed(chain, symbol)
        const port = yield* withoutToken(chain, option.token)
        yield* chain.local.block(option.token.address, payer.address, true)
        const error = yield* Effect.flip(port.rehearse({ _tag: "Collect", attempt }))
        assert.deepInclude(error, { _tag: "TransferRefused", reason: "blocked" })
        assert.isTrue(error.message.startsWith(`${option.token.address} on chain eip155:1: `))
        yield* chain.local.block(option.token.address, payer.address, false)
        yield* port.rehearse({ _tag: "Collect", attempt })
      }),
    )
  }

  it.effect("is refused if the wallet sent it itself, and the transfer is found", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDC", payer.address, { flow: "transfer" })
      const txHash = yield* chain.mined(
        payer.address,
        option.token.address,
        call.transfer(option.payTo, option.quantity),
      )
      const attempt = sent(option, txHash, sign(option, payer))
      const before = yield* withoutToken(chain, chain.assetOf("PYUSD").token)
      yield* before.verify(attempt)
      const port = yield* withoutToken(chain, option.token)
      for (const each of [attempt, authorized(option, Fixtures.hash("signature"))]) {
        assert.strictEqual((yield* Effect.flip(port.verify(each)))._tag, "AttemptRefused")
      }
      assert.strictEqual((yield* Effect.flip(port.verify(attempt))).message, notTaken)
      yield* chain.local.mine(3)
      const movement = Payment.movement(attempt)
      assert.strictEqual((yield* port.look({ movement, relayed: null, attempt }))._tag, "Final")
      assert.strictEqual((yield* port.lookLate({ txHash, option }))._tag, "Final")
    }),
  )
})
