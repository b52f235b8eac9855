import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Chain } from "@florin/core/ports/Chain"
import { Effect, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Evm from "../src/Evm.ts"
import * as Queries from "../src/read/Queries.ts"
import * as Signing from "../src/send/Signing.ts"
import * as Link from "../test-support/link.ts"
import { payTo, price } from "../test-support/payers.ts"

describe("signing for an account without a key", () => {
  it.effect("S16: fails before any request to a node, and names the account", () =>
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

  it.effect("S16: is reported to workers for each account", () =>
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
