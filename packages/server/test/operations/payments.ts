/**
 * Scenes, requests and expected statuses for the tests of a partner's payment operations.
 *
 * @module
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Catalogue from "./catalogue.ts"
import * as Gateway from "./gateway.ts"

type Members = Readonly<Record<string, Scene.Json>>

/** A test in a scene of its own, in which screening refuses the denied addresses. */
export const play = <A, E>(
  rule: string,
  body: (world: Gateway.World) => Effect.Effect<A, E, Scene.Ports>,
): void => it.effect(rule, Gateway.play(body))

/** A request about one payment, by the merchant that it pays. */
export const about = (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => ({ path, key, headers: { "Merchant-Id": merchantId, ...headers } })

/** The status of a payment over 12.34 USD on Base, in a state. */
export const statusIn = (state: Gateway.State, body: Scene.Json): Members => {
  const status = Gateway.states[state]
  const isFinal = state !== "open" && state !== "processing"
  const pollInMs = Scene.at(body, "pollInMs")
  const txId = Scene.at(body, "info", "txId")
  if (!isFinal) assert.isTrue(Number(pollInMs) >= 1000 && Number(pollInMs) <= 3000)
  if (state === "succeeded") assert.isTrue(Gateway.isHash(txId))
  return {
    status,
    isFinal,
    ...(!isFinal && { pollInMs: Number(pollInMs) }),
    ...(status === "failed" && { failureCode: state === "declined" ? "declined_user" : null }),
    info:
      state === "succeeded"
        ? { optionAmount: Gateway.usdcOnBase("12340000"), txId: String(txId) }
        : null,
  }
}

// Lists.

export type Query = ReadonlyArray<readonly [string, string]>

export const withQuery = (path: string, query: Query): string =>
  query.length === 0
    ? path
    : `${path}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`

export const all = (key: string, query: Query = []): Scene.Sent => ({
  path: withQuery("/v1/payments", query),
  key,
})

export const get = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.strictEqual(answer.status, 200, `${sent.path}: ${answer.text}`)
  return answer
})

export const idsOf = (body: Scene.Json): ReadonlyArray<string> =>
  Scene.list(body, "data").map((item) => Scene.text(item, "paymentId"))

export const ids = (sent: Scene.Sent) => Effect.map(get(sent), ({ body }) => idsOf(body))

/** Sixty payments each for three merchants of the own partner, for its live mode, and for the other partner. */
export const stocked = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const { other, own } = scene
  const merchantIds = [
    own.merchantId,
    yield* Scene.createMerchant(own.key, "Second"),
    yield* Scene.createMerchant(own.key, "Third"),
  ] as const
  const live = yield* Scene.createMerchant(own.liveKey, "Live")
  const owner = { partnerId: own.partner.id, mode: "test" } as const
  const known = yield* Effect.orDie(Catalogue.populate(owner, merchantIds))
  yield* Effect.orDie(Catalogue.populate({ ...owner, mode: "live" }, [live]))
  yield* Effect.orDie(
    Catalogue.populate({ ...owner, partnerId: other.partner.id }, [other.merchantId]),
  )
  return { merchantIds, known, live }
})

/** The ids that a list must contain. */
export const expected = (known: ReadonlyArray<Catalogue.Known>) => known.map(({ id }) => id)
