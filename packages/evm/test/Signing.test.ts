import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Transfer from "@florin/core/domain/Transfer"
import { Chain, type Order } from "@florin/core/ports/Chain"
import * as Contracts from "@florin/localnet/Contracts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { privateKeyToAccount } from "viem/accounts"
import * as Evm from "../src/Evm.ts"
import * as Queries from "../src/Queries.ts"
import * as Signing from "../src/Signing.ts"
import * as Link from "./link.ts"
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

describe("Signing for an account whose key is not here", () => {
  it.effect("S16: fails, and says which account it is, before anything is asked of a node", () =>
    Effect.gen(function* () {
      const chainId = Eip155.chainId(8453)
      const [{ address } = assert.fail("there is none")] = Link.collecting
      const link = Link.make(chainId, Redacted.make("http://127.0.0.1:1"), {
        accounts: [{ address }],
      })
      const lane = { chainId, sender: address }
      const token = BuiltIn.catalog.assets.find((each) => each.token.chainId === chainId)?.token
      if (token === undefined) return assert.fail("there is no token")
      const movement = { token, from: address, to: payTo.address, quantity: price }
      const signed = { lane, nonce: 0, hash: "0x", raw: "0x", signedAt: 0 }
      for (const signing of [
        Signing.sign(link, lane, 0, { _tag: "Send", movement }),
        Signing.fill(link, lane, 0),
        Signing.outbid(link, signed),
      ]) {
        const { _tag, message } = yield* Effect.flip(signing)
        assert.strictEqual(_tag, "SendingHalted")
        assert.include(message, `${Eip155.formatAddress(address)} has no key in this process`)
      }
    }),
  )

  it.effect("S16: is told to workers, account by account", () =>
    Effect.gen(function* () {
      const [here, there] = Link.collecting
      if (here === undefined || there === undefined) return assert.fail("there are too few")
      const nodes = [Redacted.make("http://127.0.0.1:1")]
      const { accounts, keyless } = yield* Effect.provide(
        Chain,
        Evm.layer([
          {
            chainId: 8453,
            rpcUrls: nodes,
            accounts: [
              privateKeyToAccount(Queries.hex(here.privateKey)),
              { address: there.address, isDraining: true },
            ],
          },
          { chainId: 137, rpcUrls: nodes, accounts: [{ address: here.address }] },
        ]),
      )
      const [base, polygon] = [Eip155.chainId(8453), Eip155.chainId(137)]
      const without = [
        { chainId: base, address: there.address },
        { chainId: polygon, address: here.address },
      ]
      assert.deepStrictEqual(keyless, without)
      assert.deepStrictEqual(accounts, [{ chainId: base, address: here.address }, ...without])
    }),
  )
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
