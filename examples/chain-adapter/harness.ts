/**
 * The harness that lets the chain test suite control the toy chain.
 *
 * @module
 */
import { ChainHarness } from "@florin/testing/ChainHarness"
import { ed25519 } from "@noble/curves/ed25519.js"
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { finalityDepth, pledgeOf, token } from "./family.ts"
import { kit, secretKey } from "./kit.ts"
import type { World } from "./node.ts"
import * as Sdk from "./sdk.ts"

/** An expiry that is later than the end of any test. */
const until = 2 ** 40

export const layer = (world: World): Layer.Layer<ChainHarness> => {
  const send = (memo: number, call: Sdk.Transaction["call"], key: Uint8Array) => {
    const sender = Sdk.addressOf(ed25519.getPublicKey(key))
    const transaction = { _tag: "Transaction", chain: "beach", sender, memo, until, call } as const
    const { hash, raw } = Sdk.encode(transaction, key)
    return Effect.as(
      Effect.promise(() => world.node.submit(raw)),
      hash,
    )
  }
  return Layer.succeed(ChainHarness, {
    kit,
    tokens: { direct: token },
    finalityDepth,
    nowInS: Effect.sync(world.nowInS),
    pass: (seconds) => Effect.sync(() => world.pass(seconds)),
    mine: (count) => Effect.sync(() => world.mine(count)),
    reorg: (depth, orphans) => Effect.sync(() => world.reorg(depth, orphans)),
    connect: (isConnected) => Effect.sync(() => world.connect(isConnected)),
    fund: ({ address: of }, address, quantity) =>
      Effect.sync(() => world.fund(of, address, quantity)),
    block: ({ address: of }, address, isBlocked) =>
      Effect.sync(() => world.block(of, address, isBlocked)),
    submitAuthorization: (option, signature) => {
      const pledge = { text: Sdk.pledgeText(pledgeOf(option)), signature }
      return send(0, { _tag: "Collect", pledge }, secretKey(3_000_001))
    },
    cancelAuthorization: (option, { privateKey }) =>
      Effect.asVoid(
        send(0, { _tag: "Revoke", nonce: pledgeOf(option).nonce }, hexToBytes(privateKey)),
      ),
  })
}
