import { assert, describe, it } from "@effect/vitest"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as World from "../world.ts"
import * as Gateway from "./gateway.ts"

type Json = Scene.Json
type Body = Gateway.Body

const { eip3009, permit2 } = Scene.chains

const send = (id: string, key: string, body: Json, query = "") =>
  Scene.send({ path: `${Gateway.pathOf(id, "/confirm")}${query}`, key, body })

const statusOf = (id: string, key: string) =>
  Scene.send({ path: Gateway.pathOf(id, "/status"), key })

/** Results, one per list of outputs. */
const resultsOf = (...split: ReadonlyArray<ReadonlyArray<string>>): Json =>
  split.map((data) => ({ type: "walletRpc", data: [...data] }))

/** A payment whose steps the payer has executed, and functions that confirm it. */
const signed = Effect.fnUntraced(function* (
  world: Gateway.World,
  chainId: number = eip3009,
  overrides: Body = {},
) {
  const { own, walletKey } = world
  const id = yield* Scene.createPayment(own.key, own.merchantId, overrides)
  const option = yield* Scene.firstOption(walletKey, id, Gateway.payerOn(chainId))
  const body = yield* Scene.confirmBody(walletKey, id, option)
  const outputs = body.results.flatMap(({ data }) => data)
  const confirm = (sent: Json, query?: string) => send(id, walletKey, sent, query)
  const refused = (sent: Json, query?: string) => Gateway.writesNothing(id, confirm(sent, query))
  return { id, option, body, outputs, confirm, refused }
})

const processing = { status: "processing", isFinal: false, pollInMs: 1000, info: null }

const flows = [
  ["EIP-3009", eip3009, {}, Gateway.usdcOnBase("12340000"), 1],
  ["Permit2", permit2, {}, Gateway.usdtOnBsc("12340000000000000000"), 2],
  ["a transfer", eip3009, { chain: { flow: () => "transfer" } }, Gateway.usdcOnBase("12340000"), 2],
] as const satisfies ReadonlyArray<readonly [string, number, Scene.Options, Json, number]>

describe("POST /v1/gateway/payment/{id}/confirm, a signature or transaction", () => {
  for (const [flow, chainId, options, paid, outputCount] of flows) {
    it.effect(
      `by ${flow} is accepted, and succeeds with amount and transaction`,
      Gateway.play(
        (world) =>
          Effect.gen(function* () {
            const { body, confirm, id, outputs } = yield* signed(world, chainId)
            assert.lengthOf(outputs, outputCount)
            const accepted = yield* confirm(body)
            assert.strictEqual(accepted.status, 200, accepted.text)
            assert.deepStrictEqual(accepted.body, processing)
            yield* Gateway.finish(chainId)
            const told = yield* Gateway.writesNothing(id, confirm(body))
            const txId = Scene.text(told.body, "info", "txId")
            assert.isTrue(Gateway.isHash(txId))
            assert.deepStrictEqual(told.body, {
              status: "succeeded",
              isFinal: true,
              info: { optionAmount: paid, txId },
            })
            assert.deepStrictEqual((yield* statusOf(id, world.walletKey)).body, told.body)
          }),
        options,
      ),
    )
  }

  it.effect(
    "by Permit2 is one result per step or one with all, and 400 in another split or form",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { body, confirm, outputs, refused } = yield* signed(world, permit2)
        const { optionId } = body
        const [first = "", last = ""] = outputs
        for (const [results, field] of [
          [resultsOf([last, first]), "results"],
          [resultsOf([first]), "results"],
          [resultsOf([first], outputs), "results[1].data"],
          [resultsOf([first, last.slice(0, -1)]), "results"],
          [resultsOf(["0x", last]), "results"],
        ] as const) {
          const answer = yield* refused({ optionId, results })
          assert.deepStrictEqual(Scene.fieldsOf(answer), [field])
        }
        assert.deepStrictEqual((yield* confirm(body)).body, processing)
        const together = yield* signed(world, permit2)
        const results = resultsOf(together.outputs)
        const answer = yield* together.confirm({ ...together.body, results })
        assert.deepStrictEqual(answer.body, processing)
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/confirm, its body", () => {
  const result = { type: "walletRpc", data: ["0x"] }
  const wrong: ReadonlyArray<readonly [body: Json, fields: ReadonlyArray<string>]> = [
    [{ optionId: "x", results: Array.from({ length: 17 }, () => result) }, ["results"]],
    [{ optionId: "x", results: [{ ...result, type: "build" }] }, ["results[0].type"]],
    [{ optionId: "x", results: [result, { ...result, data: [] }] }, ["results[1].data"]],
    // The flat form is read in the field's profile only.
    [
      { optionId: "x", results: [result], collectedData: { fullName: "Ada" } },
      ["collectedData.fields"],
    ],
  ]
  it.effect(
    "is refused by the names of its wrong fields, before and after the payment is confirmed",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { id, own } = yield* Gateway.reach(world, "open")
        const isRefused = Effect.gen(function* () {
          for (const [body, fields] of wrong) {
            const answer = yield* Gateway.writesNothing(id, send(id, world.walletKey, body))
            assert.deepStrictEqual(Scene.fieldsOf(answer), fields, JSON.stringify(body))
          }
        })
        yield* isRefused
        assert.deepStrictEqual((yield* send(id, world.walletKey, own)).body, processing)
        yield* isRefused
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/confirm, excludeFromRelayer", () => {
  for (const [flow, chainId, options] of flows) {
    const isOwn = flow === "a transfer"
    it.effect(
      `is ${isOwn ? "accepted" : "refused"} if the payment is by ${flow}`,
      Gateway.play(
        (world) =>
          Effect.gen(function* () {
            const { body, confirm, refused } = yield* signed(world, chainId)
            if (!isOwn) {
              const answer = yield* refused({ ...body, excludeFromRelayer: true })
              assert.deepStrictEqual(Scene.fieldsOf(answer), ["excludeFromRelayer"])
            }
            for (const excludeFromRelayer of isOwn ? [true] : [false]) {
              const answer = yield* confirm({ ...body, excludeFromRelayer })
              assert.deepStrictEqual(answer.body, processing)
            }
            for (const excludeFromRelayer of [null, false]) {
              const each = yield* signed(world, chainId)
              const answer = yield* each.confirm({ ...each.body, excludeFromRelayer })
              assert.deepStrictEqual(answer.body, processing)
            }
          }),
        options,
      ),
    )
  }
})

describe("POST /v1/gateway/payment/{id}/confirm, the option", () => {
  it.effect(
    "M16: is 409 from the second in which it expires, while a new option is accepted",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const expiresAt = Scene.now / 1000 + 3600
        const { body, confirm, id, refused } = yield* signed(world, eip3009, { expiresAt })
        yield* TestClock.setTime(Scene.now + 300_000)
        for (const more of [{}, { excludeFromRelayer: true }, { results: resultsOf(["0x"]) }]) {
          Scene.isProblem(yield* refused({ ...body, ...more }), 409, "quote_expired")
        }
        const fresh = yield* Scene.firstOption(world.walletKey, id)
        const again = yield* Scene.confirmBody(world.walletKey, id, fresh)
        assert.deepStrictEqual((yield* confirm(again)).body, processing)
        const last = yield* signed(world, eip3009, { expiresAt })
        yield* TestClock.adjust(299_999)
        assert.deepStrictEqual((yield* last.confirm(last.body)).body, processing)
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/confirm, in every state", () => {
  const final = { isFinal: true, info: null }
  /** The response to repeating the confirm that led to the state; undefined if there was none. */
  const repeated: { readonly [State in Gateway.State]?: Body } = {
    processing,
    failed: { status: "failed", ...final },
    declined: { status: "failed", ...final },
  }
  for (const state of Gateway.stateNames.filter((each) => each !== "open")) {
    const isExpired = state.startsWith("expired")
    it.effect(
      `is ${isExpired ? "410" : "400"} for a payment that is ${state}, unless it is a repetition`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id, other, own } = yield* Gateway.reach(world, state)
          const isNew = isExpired || state.startsWith("cancelled")
          const news: ReadonlyArray<Body> = [
            other,
            { ...other, optionId: "forged" },
            { ...other, excludeFromRelayer: true },
            { ...other, results: resultsOf(["0x"]) },
            { ...own, results: Scene.at(other, "results") ?? null },
            ...(isNew ? [own] : []),
          ]
          for (const body of news) {
            const answer = yield* Gateway.writesNothing(id, send(id, world.walletKey, body))
            if (isExpired) Scene.isProblem(answer, 410, "payment_expired")
            else Scene.isProblem(answer, 400, "invalid_state")
          }
          if (isNew) return
          const answer = yield* Gateway.writesNothing(id, send(id, world.walletKey, own))
          assert.strictEqual(answer.status, 200)
          const told = repeated[state]
          if (told !== undefined) assert.deepStrictEqual(answer.body, told)
          assert.strictEqual(Scene.at(answer.body, "status"), Gateway.states[state])
        }),
      ),
    )
  }
})

describe("POST /v1/gateway/payment/{id}/confirm, repeated", () => {
  it.effect(
    "returns the same in every spelling, and with the partner's key",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { body, id, outputs } = yield* signed(world, permit2)
        const { optionId } = body
        yield* send(id, world.walletKey, body)
        const shouted = outputs.map((each) => `0x${each.slice(2).toUpperCase()}`)
        const spellings: ReadonlyArray<Json> = [
          body,
          { results: resultsOf(outputs), optionId },
          { optionId, results: resultsOf(...shouted.map((each) => [each])) },
          { optionId, results: resultsOf(shouted) },
          { ...body, unknown: 1, excludeFromRelayer: null, collectedData: null },
        ]
        for (const key of [world.walletKey, world.own.key]) {
          for (const spelling of spellings) {
            const answer = yield* Gateway.writesNothing(id, send(id, key, spelling))
            assert.strictEqual(answer.status, 200, answer.text)
            assert.deepStrictEqual(answer.body, processing)
          }
        }
        const { events } = yield* Gateway.traces(id)
        assert.lengthOf(events, 2)
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/confirm, held", () => {
  for (const [query, endsInMs] of [
    ["?maxPollMs=1", 1],
    ["?maxPollMs=9223372036854775807", 25_000],
  ] as const) {
    it.effect(
      `with ${query} responds after ${endsInMs} ms if the payment is not final before`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { body, confirm, id } = yield* signed(world)
          const held = yield* Effect.forkChild(confirm(body, query))
          yield* Gateway.parked(id, 1)
          yield* TestClock.adjust(endsInMs - 1)
          yield* Gateway.parked(id, 1)
          yield* TestClock.adjust(1)
          const answer = yield* Fiber.join(held)
          assert.strictEqual(Scene.at(answer.body, "status"), "processing")
          assert.strictEqual(Scene.at(answer.body, "isFinal"), false)
        }),
      ),
    )
  }

  it.effect(
    "returns a failure as soon as it is final, without a failureCode",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { body, confirm, id } = yield* signed(world)
        const held = yield* Effect.forkChild(confirm(body, "?maxPollMs=25000"))
        yield* Gateway.parked(id, 1)
        yield* Gateway.revokeAuthorization(id)
        yield* Gateway.finish(eip3009)
        assert.deepStrictEqual((yield* Fiber.join(held)).body, {
          status: "failed",
          isFinal: true,
          info: null,
        })
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/confirm, screening", () => {
  const declined = { status: "failed", isFinal: true, info: null }

  it.effect(
    "ends the payment if it refuses the payer; only status returns the reason",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { body, confirm, id, refused } = yield* signed(world)
        const chain = yield* SimulatedChain
        world.denied.add(Scene.payer.address)
        const forged = { ...body, results: resultsOf([`0x${"11".repeat(65)}`]) }
        Gateway.isWrongAttempt(yield* refused(forged))
        const answer = yield* confirm(body, "?maxPollMs=25000")
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(answer.body, declined)
        assert.deepStrictEqual((yield* statusOf(id, world.walletKey)).body, {
          ...declined,
          failureCode: "declined_user",
        })
        assert.deepStrictEqual((yield* Gateway.writesNothing(id, confirm(body))).body, declined)
        yield* Gateway.finish(eip3009)
        assert.strictEqual(yield* chain.calls("broadcast"), 0)
      }),
    ),
  )
})

const ada: Readonly<Record<string, string>> = {
  fullName: "Ada Lovelace",
  dob: "1815-12-10",
  porCountry: "GB",
  porAddress: "12 St James's Square",
  tosConfirmed: "true",
}
const listed = (fields: Readonly<Record<string, string>>): Json => ({
  fields: Object.entries(fields).map(([id, value]) => ({ id, value })),
})
const without = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(ada).filter(([name]) => !names.includes(name)))

describe("POST /v1/gateway/payment/{id}/confirm, collected data", () => {
  const always = { collectData: CollectDataPolicy.layerAlways }

  it.effect(
    "is required before anything is accepted, with the words that wallets look for",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { body, confirm, id, refused } = yield* signed(world)
          for (const more of [{}, { collectedData: null }]) {
            const answer = yield* refused({ ...body, ...more })
            Gateway.isDataRequired(answer)
          }
          const accepted = yield* confirm({ ...body, collectedData: listed(ada) })
          assert.deepStrictEqual(accepted.body, processing)
          const { collected } = yield* Gateway.traces(id)
          assert.deepStrictEqual(
            collected.map(({ account }) => account),
            [Scene.payer.account(eip3009)],
          )
          assert.notInclude(JSON.stringify(collected[0]?.sealed), "Ada")
          for (const again of [body, { ...body, collectedData: listed(ada) }]) {
            const answer = yield* Gateway.writesNothing(id, confirm(again))
            assert.deepStrictEqual(answer.body, processing)
          }
        }),
      always,
    ),
  )

  it.effect(
    "S33: is not stored if it was not required",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { body, confirm, id } = yield* signed(world)
        const accepted = yield* confirm({ ...body, collectedData: listed(ada) })
        assert.deepStrictEqual(accepted.body, processing)
        assert.deepStrictEqual((yield* Gateway.traces(id)).collected, [])
      }),
    ),
  )

  const whole = "collectedData"
  const of = (name: string) => `${whole}.${name}`
  const wrong: ReadonlyArray<readonly [data: Json, fields: ReadonlyArray<string>]> = [
    [listed({}), [of("fullName"), of("dob"), of("tosConfirmed")]],
    [listed({ ...ada, fullName: "", dob: "1815-02-30" }), [of("fullName"), of("dob")]],
    [listed(without("porAddress")), [whole]],
    [listed({ ...ada, email: "never" }), [whole]],
  ]
  it.effect(
    "is refused by the names of its wrong fields, and no value is repeated or stored",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { body, refused } = yield* signed(world)
          for (const [collectedData, fields] of wrong) {
            const answer = yield* refused({ ...body, collectedData })
            assert.deepStrictEqual(
              Scene.fieldsOf(answer).toSorted(),
              fields.toSorted(),
              JSON.stringify(collectedData),
            )
            for (const value of ["Ada", "1815", "James", "never"]) {
              assert.notInclude(answer.text, value)
            }
          }
        }),
      always,
    ),
  )

  it.effect(
    "is accepted if it was not required, but checked like any other",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { body, confirm, refused } = yield* signed(world)
        const collectedData = listed(ada)
        const forged = { ...body, collectedData, results: resultsOf([`0x${"11".repeat(65)}`]) }
        Gateway.isWrongAttempt(yield* refused(forged))
        const incomplete = yield* refused({ ...body, collectedData: listed({}) })
        assert.include(Scene.fieldsOf(incomplete), of("dob"))
        assert.deepStrictEqual((yield* confirm({ ...body, collectedData })).body, processing)
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/confirm, the order of checks", () => {
  interface Broken extends Scene.Sent {
    readonly query: string
    readonly id: string
    readonly fields: Body
  }
  /** Payments and options that make a request wrong. */
  interface Ground {
    readonly world: Gateway.World
    readonly expired: { readonly id: string; readonly optionId: string }
    readonly taken: { readonly id: string; readonly optionId: string }
    readonly expiredOptionId: string
    readonly forgedSignature: string
  }
  interface Defect {
    readonly name: string
    /** Defects of the same rank are checked in any order. */
    readonly rank: number
    readonly told: readonly [status: number, code: string, text?: string]
    readonly apply: (sent: Broken, ground: Ground) => Broken
  }
  const header = (name: string, value: string) => (sent: Broken) => ({
    ...sent,
    headers: { ...sent.headers, [name]: value },
  })
  const member = (name: string, value: Json) => (sent: Broken) => ({
    ...sent,
    fields: { ...sent.fields, [name]: value },
  })
  const defects: ReadonlyArray<Defect> = [
    {
      name: "no key",
      rank: 0,
      told: [401, "missing_api_key"],
      apply: (sent) => ({ ...sent, key: null }),
    },
    {
      name: "a version that is none",
      rank: 1,
      told: [400, "invalid_api_version"],
      apply: header("Svc-Version", "newest"),
    },
    {
      name: "an Idempotency-Key that is too long",
      rank: 2,
      told: [400, "params_validation", "Idempotency-Key"],
      apply: header("Idempotency-Key", "k".repeat(256)),
    },
    {
      name: "a wrong query",
      rank: 3,
      told: [400, "params_validation", "maxPollMs"],
      apply: (sent) => ({ ...sent, query: "?maxPollMs=x" }),
    },
    {
      name: "a wrong body",
      rank: 3,
      told: [400, "params_validation", "excludeFromRelayer"],
      apply: member("excludeFromRelayer", "no"),
    },
    {
      name: "another partner's payment",
      rank: 4,
      told: [404, "payment_not_found"],
      apply: (sent, { world }) => ({ ...sent, key: world.other.key }),
    },
    {
      name: "an expired payment",
      rank: 5,
      told: [410, "payment_expired"],
      apply: (sent, { expired: { id, optionId } }) => ({
        ...member("optionId", optionId)(sent),
        id,
      }),
    },
    {
      name: "a payment that somebody else pays",
      rank: 5,
      told: [400, "invalid_state"],
      apply: (sent, { taken: { id, optionId } }) => ({
        ...member("optionId", optionId)(sent),
        id,
      }),
    },
    {
      name: "a forged option",
      rank: 6,
      told: [400, "params_validation", "Option not found"],
      apply: member("optionId", "forged"),
    },
    {
      name: "an expired option",
      rank: 6,
      told: [409, "quote_expired"],
      apply: (sent, { expiredOptionId }) => member("optionId", expiredOptionId)(sent),
    },
    {
      name: "missing data",
      rank: 7,
      told: [400, "params_validation", "IC data required"],
      apply: member("collectedData", null),
    },
    {
      name: "incomplete data",
      rank: 7,
      told: [400, "params_validation", "collectedData.dob"],
      apply: member("collectedData", listed(without("dob"))),
    },
    {
      name: "a forged signature",
      rank: 8,
      told: [422, "params_validation"],
      apply: (sent, { forgedSignature }) => member("results", resultsOf([forgedSignature]))(sent),
    },
  ]

  const ground = Effect.fnUntraced(function* (world: Gateway.World) {
    const { own, walletKey } = world
    const life = { expiresAt: Scene.now / 1000 + 3600 }
    const short = { expiresAt: Scene.now / 1000 + 60 }
    const expiredId = yield* Scene.createPayment(own.key, own.merchantId, short)
    const optionOf = (id: string, account?: string) =>
      Effect.map(Scene.firstOption(walletKey, id, account), (option) => Scene.text(option, "id"))
    const expired = { id: expiredId, optionId: yield* optionOf(expiredId) }
    const id = yield* Scene.createPayment(own.key, own.merchantId, life)
    const expiredOptionId = yield* optionOf(id)
    yield* TestClock.adjust("5 minutes")
    yield* World.drain("expirer")
    const takenId = yield* Scene.createPayment(own.key, own.merchantId, life)
    const taken = { id: takenId, optionId: yield* optionOf(takenId) }
    const strangers = yield* Scene.firstOption(walletKey, takenId, Gateway.strangerOn(eip3009))
    const paid = yield* send(takenId, walletKey, {
      ...(yield* Scene.confirmBody(walletKey, takenId, strangers, Scene.stranger)),
      collectedData: listed(ada),
    })
    assert.deepStrictEqual(paid.body, processing)
    const option = yield* Scene.firstOption(walletKey, id)
    const body = yield* Scene.confirmBody(walletKey, id, option)
    const made: Ground = {
      world,
      expired,
      taken,
      expiredOptionId,
      forgedSignature: `0x${"11".repeat(65)}`,
    }
    const good: Broken = {
      path: "",
      query: "",
      id,
      key: walletKey,
      fields: { ...body, collectedData: listed(ada) },
    }
    return { made, good }
  })

  const sendBroken = ({ fields, id, query, ...sent }: Broken) =>
    Scene.send({ ...sent, path: `${Gateway.pathOf(id, "/confirm")}${query}`, body: fields })

  it.effect(
    "refuses a request with two errors for the one that is checked first",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { good, made } = yield* ground(world)
          const pairs = defects.flatMap((earlier) =>
            defects.flatMap((later) =>
              later === earlier || later.rank > earlier.rank ? [[earlier, later] as const] : [],
            ),
          )
          const before = yield* Gateway.traces(good.id)
          for (const [earlier, later] of pairs) {
            const answer = yield* sendBroken(earlier.apply(later.apply(good, made), made))
            const [status, code, text = ""] = earlier.told
            assert.strictEqual(
              answer.status,
              status,
              `${earlier.name}, ${later.name}: ${answer.text}`,
            )
            Scene.isProblem(answer, status, code)
            assert.include(answer.text, text, `${earlier.name}, ${later.name}`)
          }
          assert.deepStrictEqual(yield* Gateway.traces(good.id), before)
          assert.deepStrictEqual((yield* sendBroken(good)).body, processing)
        }),
      { collectData: CollectDataPolicy.layerAlways },
    ),
  )
})
