import { assert, describe, it } from "@effect/vitest"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Retry from "@florin/core/engine/books/Retry"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import * as Gateway from "./operations/gateway.ts"
import {
  assets,
  destinationOn,
  entry,
  register,
  registering,
  tokenOf,
} from "./operations/settlements.ts"
import * as Scene from "./scene.ts"

const base = Scene.chains.eip3009
const asset = assets.usdcOnBase

/** The one outflow of a mode that is not done. */
const open = Effect.gen(function* () {
  const [outflow, ...others] = yield* (yield* OutflowStore).openOutflows("test")
  assert.deepStrictEqual(others, [])
  return outflow ?? assert.fail("nothing is on its way out")
})

const heldAs = (outflow: Outflow.Outflow): string =>
  outflow.state._tag === "Held" ? outflow.state.reason : assert.fail(outflow.state._tag)

describe("Screening of outgoing money", () => {
  it.effect(
    "S14: holds a payout to an account that was listed meanwhile, until it is removed from the list",
    Gateway.play(({ denied, own, walletKey }) =>
      Effect.gen(function* () {
        const chain = yield* SimulatedChain
        const held = chain.balanceOf(tokenOf(asset), Scene.treasury.address)
        yield* register(own.key, own.merchantId, [asset])
        const before = yield* held
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.confirm(walletKey, id)
        denied.add(Scene.treasury.address)
        yield* Gateway.finish(base)
        assert.strictEqual(yield* held, before)
        const outflow = yield* open
        assert.include(heldAs(outflow), "screening refuses the receiving account")
        denied.clear()
        yield* Retry.outflow(outflow.id)
        yield* Gateway.finish(base)
        assert.strictEqual(yield* held, before + 12_340_000n)
      }),
    ),
  )

  it.effect(
    "S14: holds a refund to a payer that was listed meanwhile",
    Gateway.play(({ denied, own, walletKey }) =>
      Effect.gen(function* () {
        const chain = yield* SimulatedChain
        const held = chain.balanceOf(tokenOf(asset), Scene.payer.address)
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.confirm(walletKey, id)
        yield* Gateway.finish(base)
        const before = yield* held
        denied.add(Scene.payer.address)
        const asked = yield* Scene.send({
          path: "/v1/refunds",
          key: own.key,
          headers: { "Idempotency-Key": Scene.fresh("refund") },
          body: { paymentId: id },
        })
        assert.strictEqual(asked.status, 200, asked.text)
        yield* Gateway.finish(base)
        assert.strictEqual(yield* held, before)
        assert.include(heldAs(yield* open), "screening refuses the receiving account")
      }),
    ),
  )

  it.effect(
    "S14: refuses a listed account as destination, registered or changed",
    Gateway.play(({ denied, own }) =>
      Effect.gen(function* () {
        const [id = ""] = yield* register(own.key, own.merchantId, [assets.eurcOnBase])
        denied.add(Scene.treasury.address)
        const refused = yield* Scene.send(
          registering(own.key, own.merchantId, [
            { asset: assets.usdcOnPolygon, destination: Scene.accountOf(Scene.stranger, 137) },
            entry(asset),
          ]),
        )
        assert.deepStrictEqual(Scene.fieldsOf(refused), ["settlements[1].destination"])
        const changed = yield* Scene.send({
          method: "PUT",
          path: `/v1/merchants/${own.merchantId}/settlements/crypto/${id}`,
          key: own.key,
          body: { destination: destinationOn(base) },
        })
        assert.deepStrictEqual(Scene.fieldsOf(changed), ["destination"])
        for (const answer of [refused, changed]) {
          assert.strictEqual(answer.status, 400, answer.text)
          assert.include(answer.text, "screening refuses the account")
        }
      }),
    ),
  )
})
