import { assert } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Transfer from "@florin/core/domain/Transfer"
import type { Order } from "@florin/core/ports/Chain"
import * as Contracts from "@florin/localnet/Contracts"
import * as Effect from "effect/Effect"
import * as Queries from "../src/Queries.ts"
import * as Signing from "../src/Signing.ts"
import * as Payers from "./payers.ts"

const { authorized, on, payTo, price, sign } = Payers

/** Signs an order while its recipient holds something, and mines it when that is gone: what is new costs more gas. */
const whileEmptied = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  order: Order,
  { to, token }: Pick<Transfer.Movement, "to" | "token">,
) {
  const { link, local } = chain
  yield* local.fundGas(payTo.address, 10n ** 18n)
  yield* local.fund(token.address, to, 1n)
  const lane = { chainId: chain.chainId, sender: payTo.address }
  const nonce = yield* link.rpc.ask(Queries.nonce(payTo.address, "latest"))
  const { hash, raw } = yield* Signing.sign(link, lane, nonce, order)
  const { slot, value } = Contracts.balance(to, 0n)
  yield* local.request("anvil_setStorageAt", [token.address, slot, value])
  yield* link.rpc.ask(Queries.send(raw))
  yield* local.mine(1)
  return yield* link.rpc.ask(Queries.receipt(hash))
})

for (const chainId of [1, 137, 42161, 56]) {
  on(chainId)(`Signing.sign on chain ${chainId}`, (it) => {
    for (const { symbol, flow } of BuiltIn.catalog.assets.filter(
      ({ token }) => token.chainId === Eip155.chainId(chainId),
    )) {
      it.effect(`leaves gas enough for ${symbol} whose recipient is emptied meanwhile`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const payer = chain.unused()
          const option = yield* chain.optionFor(symbol, payer.address)
          if (flow === "permit2") yield* chain.approve(option, 2n * price)
          const attempt = authorized(option, sign(option, payer))
          const collected = yield* whileEmptied(
            chain,
            { _tag: "Collect", attempt },
            {
              to: option.payTo,
              token: option.token,
            },
          )
          assert.strictEqual(collected?.status, 1)

          const { token } = option
          const movement = { token, from: payTo.address, to: payer.address, quantity: price }
          const sent = yield* whileEmptied(chain, { _tag: "Send", movement }, movement)
          assert.strictEqual(sent?.status, 1)
        }),
      )
    }
  })
}
