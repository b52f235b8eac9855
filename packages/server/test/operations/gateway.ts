/**
 * What the tests of the gateway's operations share: payments in every state, what is stored of them, and the rules that
 * every call obeys.
 *
 * @module
 */
import { assert, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Keys from "@florin/core/engine/Keys"
import { DueWork } from "@florin/core/ports/DueWork"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Screening } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import { Signals } from "@florin/core/ports/Signals"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"

type Json = Scene.Json
export type Body = Readonly<Record<string, Json>>

/** Whoever is in `denied` is refused by screening from then on. */
export interface World extends Scene.Scene {
  readonly denied: Set<Caip.Address>
}

/** Plays a scene in a service of its own. */
export const play =
  <A, E>(body: (world: World) => Effect.Effect<A, E, Scene.Ports>, options: Scene.Options = {}) =>
  () => {
    const denied = new Set<Caip.Address>()
    const screening = Layer.succeed(Screening, {
      refused: (accounts) =>
        Effect.sync(() => accounts.filter((account) => denied.has(account.address))),
    })
    return Effect.flatMap(Scene.make, (scene) => body({ ...scene, denied })).pipe(
      Effect.provide(Scene.layer({ screening, ...options })),
    )
  }

/** As EIP-55 writes it. */
export const payerOn = (chainId: Caip.ChainId | number) => Scene.accountOf(Scene.payer, chainId)
export const strangerOn = (chainId: number) => Scene.accountOf(Scene.stranger, chainId)

export const pathOf = (id: string, tail = ""): string => `/v1/gateway/payment/${id}${tail}`

export const absent = "pay_0000000000000000000000000000"

/** What every stage of a scene leaves behind, to see that a refusal left nothing. */
export const traces = Effect.fnUntraced(function* (id: string) {
  const payments = yield* PaymentStore
  const work = yield* DueWork
  const ledger = yield* LedgerStore
  const outbox = yield* Outbox
  const paymentId = PaymentId.PaymentId.make(id)
  return {
    payment: yield* payments.payment(paymentId),
    events: yield* outbox.eventsOf(paymentId),
    ledger: yield* ledger.ledgerOf(paymentId),
    collected: yield* payments.collected(paymentId),
    due: yield* Effect.forEach(
      ["expire", "collect", "settle", "send", "watch"] as const,
      work.nextDueAt,
    ),
  }
})

/** Runs, and fails unless it left the payment as it was; one whose time is over is stored as expired, and nothing else. */
export const writesNothing = <A, E, R>(id: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* traces(id)
    const answer = yield* effect
    const after = yield* traces(id)
    if (!Payment.isOverdue(before.payment, yield* Clock.currentTimeMillis)) {
      assert.deepStrictEqual(after, before)
      return answer
    }
    assert.strictEqual(after.payment.state._tag, "Expired")
    const types = [...before.events.map(({ type }) => type), "payment.expired"]
    assert.deepStrictEqual(
      after.events.map(({ type }) => type),
      types,
    )
    const { collected, ledger } = before
    assert.deepStrictEqual(
      { collected: after.collected, ledger: after.ledger },
      { collected, ledger },
    )
    return answer
  })

/** Everything that is due, until nothing is any more. */
export const finish = Effect.fnUntraced(function* (chainId: number) {
  const chain = yield* SimulatedChain
  for (let round = 0; round < 4; round += 1) {
    yield* Scene.work
    yield* chain.settle(chainId)
    yield* TestClock.adjust("5 seconds")
  }
  yield* Scene.work
})

/** The payer revokes what was signed for the accepted confirm of a payment. */
export const revokeAuthorization = Effect.fnUntraced(function* (id: string) {
  const { state } = yield* (yield* PaymentStore).payment(PaymentId.PaymentId.make(id))
  if (state._tag !== "Processing") return assert.fail("nothing was confirmed")
  return yield* (yield* SimulatedChain).cancelAuthorization(state.attempt.option)
})

/** The end of a payment that was created at the beginning of its scene. */
export const paymentEnd = Scene.now + 300_000

/** Every state as a caller can meet it, with the status that is told. */
export const states = {
  open: "requires_action",
  processing: "processing",
  succeeded: "succeeded",
  failed: "failed",
  declined: "failed",
  "expired by time alone": "expired",
  "expired by the worker": "expired",
  "cancelled by the payer": "cancelled",
  "cancelled by the merchant": "cancelled",
} as const
export type State = keyof typeof states
export const stateNames: ReadonlyArray<State> = [
  "open",
  "processing",
  "succeeded",
  "failed",
  "declined",
  "expired by time alone",
  "expired by the worker",
  "cancelled by the payer",
  "cancelled by the merchant",
]

/** What became of a confirm, and of the payment. */
interface Reached {
  readonly id: string
  /** The confirm of the payer that brought it there, or would be accepted by an open payment. */
  readonly own: Body
  /** A good confirm by another account. */
  readonly other: Body
}

const confirmWith = (key: string, id: string, body: Body) =>
  Scene.send({ path: pathOf(id, "/confirm"), key, body })

const answers = Effect.fnUntraced(function* (
  sent: Effect.Effect<Scene.Reply, unknown, Scene.Ports>,
) {
  const answer = yield* sent
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

/** A new payment of the own partner, brought to a state. */
export const reach = Effect.fnUntraced(function* (
  { denied, own: partner, walletKey: key }: World,
  state: State,
  overrides: Body = {},
) {
  const id = yield* Scene.createPayment(partner.key, partner.merchantId, overrides)
  const own = yield* Effect.flatMap(Scene.firstOption(key, id), (option) =>
    Scene.confirmBody(key, id, option),
  )
  const other = yield* Effect.flatMap(
    Scene.firstOption(key, id, strangerOn(Scene.chains.eip3009)),
    (option) => Scene.confirmBody(key, id, option, Scene.stranger),
  )
  const confirm = answers(confirmWith(key, id, own))
  switch (state) {
    case "open":
      break
    case "processing":
      yield* confirm
      break
    case "succeeded":
      yield* confirm
      yield* finish(Scene.chains.eip3009)
      break
    case "failed":
      yield* confirm
      yield* revokeAuthorization(id)
      yield* finish(Scene.chains.eip3009)
      break
    case "declined":
      denied.add(Scene.payer.address)
      yield* confirm
      denied.clear()
      break
    case "expired by time alone":
      yield* TestClock.setTime(paymentEnd)
      break
    case "expired by the worker":
      yield* TestClock.setTime(paymentEnd)
      yield* Scene.work
      break
    case "cancelled by the payer":
      yield* answers(Scene.send({ method: "POST", path: pathOf(id, "/cancel"), key }))
      break
    case "cancelled by the merchant":
      yield* answers(
        Scene.send({ method: "POST", path: `/v1/payments/${id}/cancel`, key: partner.key }),
      )
      break
  }
  const reached: Reached = { id, own, other }
  return reached
})

/** Waits until as many polls are parked on a payment. */
export const parked = Effect.fnUntraced(function* (id: string, count: number) {
  const signals = yield* Signals
  while (signals.watching(PaymentId.PaymentId.make(id)).here !== count) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

/** What an Amount of USDC on Base looks like. */
export const usdcOnBase = (value: string): Json => ({
  unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  value,
  display: {
    assetName: "USD Coin",
    assetSymbol: "USDC",
    decimals: 6,
    iconUrl: "https://pay.example.com/icons/usdc.svg",
    networkName: "Base",
    networkIconUrl: "https://pay.example.com/icons/base.svg",
  },
})

/** What an Amount of USDT on BNB Smart Chain looks like. */
export const usdtOnBsc = (value: string): Json => ({
  unit: "caip19/eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
  value,
  display: {
    assetName: "Tether USD",
    assetSymbol: "USDT",
    decimals: 18,
    iconUrl: "https://pay.example.com/icons/usdt.svg",
    networkName: "BNB Smart Chain",
    networkIconUrl: "https://pay.example.com/icons/bsc.svg",
  },
})

export const usd = (value: string): Json => ({
  unit: "iso4217/USD",
  value,
  display: {
    assetName: "US Dollar",
    assetSymbol: "USD",
    decimals: 2,
    iconUrl: "https://pay.example.com/icons/usd.svg",
  },
})

/** What of a transaction's hash is known before it is made. */
export const isHash = (value: Json | undefined): boolean =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/u.test(value)

const flip = (text: string, index: number): string => {
  const at = index < 0 ? text.length + index : index
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`
}

/** Texts that are the id of no option of a payment, made from one that is and from another payment's. */
export const strangeOptionIds = (own: string, foreign: string): ReadonlyArray<string> => [
  "",
  " ",
  "null",
  "0",
  "opt_1",
  "é",
  "\u0000",
  "\ud800",
  foreign,
  flip(own, 0),
  flip(own, 30),
  flip(own, -1),
  own.slice(1),
  own.slice(0, -1),
  `${own}A`,
  `${own}=`,
  ` ${own}`,
  own.toLowerCase(),
  own.slice(0, 22) + foreign.slice(22),
  "A".repeat(1000),
  "A".repeat(1001),
  "A".repeat(100_000),
]

/** Fails unless an answer says that there is no such option, in the words that wallets look for. */
export const isOptionNotFound = (answer: Scene.Reply): void => {
  assert.deepStrictEqual(Scene.fieldsOf(answer), ["optionId"])
  assert.include(Scene.text(answer.body, "message"), "Option not found")
}

/** Fails unless an answer asks for the payer's data, in the words that wallets look for. */
export const isDataRequired = (answer: Scene.Reply): void => {
  assert.deepStrictEqual(Scene.fieldsOf(answer), ["collectedData"])
  assert.include(Scene.text(answer.body, "message"), "IC data required")
}

/** Fails unless an answer refuses what was signed or sent. */
export const isWrongAttempt = (answer: Scene.Reply): void => {
  const body = Scene.isProblem(answer, 422, "params_validation")
  assert.strictEqual(Scene.text(body, "issues", 0, "field"), "results")
  assert.lengthOf(Scene.list(body, "issues"), 1)
}

/** Values of `maxPollMs`, and whether they are a number of milliseconds. */
export const polls: ReadonlyArray<readonly [text: string, isGood: boolean]> = [
  ["0", true],
  ["1", true],
  ["25000", true],
  ["25001", true],
  ["9223372036854775807", true],
  ["9223372036854775808", false],
  ["99999999999999999999999", false],
  ["-1", false],
  ["-0", false],
  ["1.5", false],
  ["1e3", false],
  ["%2B1", false],
  ["+1", false],
  ["0x10", false],
  ["", false],
  ["%20", false],
  ["abc", false],
  ["null", false],
]

/** A call of the gateway as the rules that all share need it. */
export interface Operation {
  readonly method: "GET" | "POST"
  /** What follows the payment's id. */
  readonly tail: string
  /** A body that an open payment takes; undefined where the call has none. */
  readonly body?: (world: World, id: string) => Effect.Effect<Body, never, Scene.Ports>
  /** A body that is wrong by its form alone. */
  readonly wrongBody?: Body
  /** Methods of the path, as `Allow` lists them. */
  readonly allow: string
}

const app = (id: string, mode: "test" | "live") =>
  [id, { mode, name: "An app", iconUrl: null, versionPin: "2026-02-18" }] as const

/** A refusal without what differs in every answer. */
const without = (body: Json): Json => {
  const { requestId: _, ...rest } = JSON.parse(JSON.stringify(body))
  return rest
}

/** Declares the rules of keys, versions, headers, paths and their order for one call. */
export const obeysTheRulesOfEveryCall = ({
  allow,
  body: bodyOf,
  method,
  tail,
  wrongBody,
}: Operation): void => {
  const requestOf = Effect.fnUntraced(function* (world: World, id: string) {
    const sent: Scene.Sent = { method, path: pathOf(id, tail), key: world.walletKey }
    return bodyOf === undefined ? sent : { ...sent, body: yield* bodyOf(world, id) }
  })
  const opened = Effect.fnUntraced(function* (world: World) {
    const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
    return { id, request: yield* requestOf(world, id) }
  })

  it.effect(
    "takes header names in any case, and ignores headers and query names that it does not know",
    play((world) =>
      Effect.gen(function* () {
        const { id, request } = yield* opened(world)
        const answer = yield* Scene.send({
          ...request,
          key: null,
          path: `${pathOf(id, tail)}?unknown=1&unknown=2&%F0%9F%98%80=&__proto__=1`,
          headers: {
            "aPI-kEY": world.walletKey,
            "SVC-version": "2026-02-18",
            "X-Unknown": "1",
            "Merchant-Id": "mrch_nobody",
            "App-Id": "an app beside a key is not checked",
            "Sdk-Name": "a wallet",
            "Sdk-Version": "1.0",
            "Sdk-Platform": "ios",
            "Idempotency-Key": "k".repeat(255),
          },
        })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.match(answer.headers.get("request-id") ?? "", /^req_[0-9A-Za-z]+$/u)
      }),
    ),
  )

  const keys: ReadonlyArray<
    readonly [name: string, key: (world: World) => string | null, status: number, code: string]
  > = [
    ["none", () => null, 401, "missing_api_key"],
    ["an empty one", () => "", 401, "missing_api_key"],
    ["nobody's", (world) => world.strangersKey, 401, "invalid_api_key"],
    ["a cut one", (world) => world.walletKey.slice(0, -1), 401, "invalid_api_key"],
    ["one in capitals", (world) => world.walletKey.toUpperCase(), 401, "invalid_api_key"],
    ["text", () => "Bearer token", 401, "invalid_api_key"],
    ["one that is not ASCII", () => "flr_test_wk_é", 400, "header_not_ascii"],
  ]
  it.effect(
    "refuses a missing, unknown, revoked, expired or unreadable key, and writes nothing",
    play((world) =>
      Effect.gen(function* () {
        const { id, request } = yield* opened(world)
        for (const [, key, status, code] of keys) {
          const answer = yield* writesNothing(id, Scene.send({ ...request, key: key(world) }))
          Scene.isProblem(answer, status, code)
        }
        const owner = { _tag: "Partner", partnerId: world.own.partner.id } as const
        const short = yield* Keys.issue({
          mode: "test",
          owner,
          name: "short",
          expiresAt: Scene.now + 1000,
        })
        const revoked = yield* Keys.issue({ mode: "test", owner, name: "gone", expiresAt: null })
        yield* Keys.revoke(revoked.record.id)
        yield* TestClock.adjust("1 second")
        for (const key of [short.text, revoked.text]) {
          const answer = yield* writesNothing(id, Scene.send({ ...request, key }))
          Scene.isProblem(answer, 401, "invalid_api_key")
        }
      }),
    ),
  )

  it.effect(
    "answers the pinned version or a newer one, and refuses every other",
    play((world) =>
      Effect.gen(function* () {
        const { id, request } = yield* opened(world)
        const preview = yield* Scene.walletKeyPinned("2026-02-19.preview")
        const refused = [
          [world.walletKey, "2026-02-17", "unknown_api_version"],
          [world.walletKey, "2026-02-19", "unknown_api_version"],
          [world.walletKey, "2026-13-01", "invalid_api_version"],
          [world.walletKey, "latest", "invalid_api_version"],
          [world.walletKey, "", "invalid_api_version"],
          [preview, "2026-02-18", "api_version_downgrade"],
        ] as const
        for (const [key, version, code] of refused) {
          const headers = { "Svc-Version": version }
          const answer = yield* writesNothing(id, Scene.send({ ...request, key, headers }))
          Scene.isProblem(answer, 400, code)
        }
        const notAscii = yield* Scene.send({ ...request, headers: { "Svc-Version": "é" } })
        Scene.isProblem(notAscii, 400, "header_not_ascii")
        for (const [key, version] of [
          [world.walletKey, "2026-02-18"],
          [world.walletKey, "2026-02-19.preview"],
          [preview, "2026-02-19.preview"],
          [preview, undefined],
        ] as const) {
          // A cancelled payment is cancelled again, a confirmed one confirmed again.
          const headers = version === undefined ? {} : { "Svc-Version": version }
          const answer = yield* Scene.send({ ...request, key, headers })
          assert.strictEqual(answer.status, 200, `${version}: ${answer.text}`)
        }
      }),
    ),
  )

  it.effect(
    "knows a payment by the keys of its own mode and partner, and by every wallet's of its mode",
    play((world) =>
      Effect.gen(function* () {
        const { id, request } = yield* opened(world)
        const theirs = yield* Scene.createPayment(world.other.key, world.other.merchantId)
        const about = (of: string): Scene.Sent => ({ ...request, path: pathOf(of, tail) })
        const missing = [
          { ...request, key: world.other.key },
          { ...request, key: world.own.liveKey },
          { ...request, key: world.other.liveKey },
          { ...request, key: world.liveWalletKey },
          { ...request, key: world.own.key, path: pathOf(theirs, tail) },
          ...[absent, "pay_1", `pay_${"9".repeat(64)}`, id.toLowerCase(), `${id}0`].map(about),
          ...["pay_", "x", "PAY_1", `pay_${"9".repeat(65)}`, "pay_%C3%A9", `%20${id}`].map(about),
        ]
        const bodies = yield* writesNothing(
          id,
          Effect.forEach(missing, (each) =>
            Effect.map(Scene.send(each), (answer) =>
              without(Scene.isProblem(answer, 404, "payment_not_found")),
            ),
          ),
        )
        for (const each of bodies) assert.deepStrictEqual(each, bodies[0])
        for (const key of [world.own.key, world.walletKey]) {
          const answer = yield* Scene.send({ ...request, key })
          assert.strictEqual(answer.status, 200, answer.text)
        }
        const live = { ...world, walletKey: world.liveWalletKey }
        const liveMerchantId = yield* Scene.createMerchant(world.own.liveKey)
        const liveId = yield* Scene.createPayment(world.own.liveKey, liveMerchantId)
        const liveRequest = yield* requestOf(live, liveId)
        for (const key of [world.walletKey, world.own.key, world.other.liveKey]) {
          const answer = yield* Scene.send({ ...liveRequest, key })
          assert.deepStrictEqual(
            without(Scene.isProblem(answer, 404, "payment_not_found")),
            bodies[0] ?? null,
          )
        }
        for (const good of [yield* requestOf(world, theirs), liveRequest]) {
          const answer = yield* Scene.send(good)
          assert.strictEqual(answer.status, 200, answer.text)
        }
      }),
    ),
  )

  it.effect(
    "reads a payment link of our host in place of the id, encoded up to twice",
    play((world) =>
      Effect.gen(function* () {
        const { id, request } = yield* opened(world)
        const { payLinkHost } = yield* Settings
        const pairing = `wc:94caa59c77dae0dd234b5818fb7292540d017b27d41f7f387ee75b22b9738c94@2?relay-protocol=irn&symKey=aa`
        const forms = (of: string, host: string) => {
          const link = `https://${host}/?pid=${of}`
          return [link, `https://${host}/${of}`, `${pairing}&pay=${encodeURIComponent(link)}`]
        }
        const once = encodeURIComponent
        const twice = (text: string) => once(once(text))
        const asked = (text: string): Scene.Sent => ({ ...request, path: pathOf(text, tail) })
        const plain = yield* Scene.send(asked(absent))
        const [nobodys = "", ...others] = [
          ...forms(id, "other.example"),
          ...forms(id, `${payLinkHost}.evil.example`),
          ...forms(id, `x@${payLinkHost}`),
          ...forms(absent, payLinkHost),
          `http://${payLinkHost}/?pid=${id}`,
          `https://${payLinkHost}:443/?pid=${id}`,
          `https://${payLinkHost}/?pid=${id}&pid=${id}`,
          `https://${payLinkHost}/?pid=${id}x`,
          `https://${payLinkHost}/${"x".repeat(3000)}?pid=${id}`,
          `${pairing}&pay=${twice(`https://${payLinkHost}/?pid=${id}`)}`,
          pairing,
          twice(`https://${payLinkHost}/?pid=${id}`),
          "https:%zz",
          "%",
        ]
        for (const text of [nobodys, ...others]) {
          for (const encode of [once, twice]) {
            // What is encoded three times is nothing of ours; what is not encoded is no segment of the path.
            const answer = yield* writesNothing(id, Scene.send(asked(encode(text))))
            assert.deepStrictEqual(
              without(Scene.isProblem(answer, 404, "payment_not_found")),
              without(plain.body),
              text,
            )
          }
        }
        // A call repeated on what it did itself is answered again.
        for (const text of [...forms(id, payLinkHost), ...forms(id, `shop.${payLinkHost}`)]) {
          for (const encode of [once, twice]) {
            const answer = yield* Scene.send(asked(encode(text)))
            assert.strictEqual(answer.status, 200, `${text}: ${answer.text}`)
          }
        }
      }),
    ),
  )

  it.effect(
    "takes an app's id instead of a key only where the operator lists it",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, request } = yield* opened(world)
          const client = { "Client-Id": "a client" }
          const refused: ReadonlyArray<
            readonly [sent: Partial<Scene.Sent>, status: number, code: string]
          > = [
            [{ key: null }, 401, "missing_api_key"],
            [{ key: null, headers: client }, 401, "missing_api_key"],
            [{ key: null, headers: { ...client, "App-Id": "" } }, 401, "missing_api_key"],
            [{ key: null, headers: { "App-Id": "listed" } }, 401, "missing_client_id"],
            [
              { key: null, headers: { "App-Id": "listed", "Client-Id": "" } },
              401,
              "missing_client_id",
            ],
            [{ key: null, headers: { ...client, "App-Id": "unlisted" } }, 401, "invalid_app_id"],
            [{ headers: { ...client, "App-Id": "listed" } }, 400, "conflicting_auth_headers"],
            [{ headers: { "App-Id": "unlisted" } }, 400, "conflicting_auth_headers"],
            [{ key: null, headers: { ...client, "App-Id": "é" } }, 400, "header_not_ascii"],
            [{ key: null, headers: { ...client, "App-Id": "live" } }, 404, "payment_not_found"],
          ]
          for (const [sent, status, code] of refused) {
            const answer = yield* writesNothing(id, Scene.send({ ...request, ...sent }))
            Scene.isProblem(answer, status, code)
          }
          const headers = { ...client, "App-Id": "listed" }
          const answer = yield* Scene.send({ ...request, key: null, headers })
          assert.strictEqual(answer.status, 200, answer.text)
        }),
      { edge: { apps: new Map([app("listed", "test"), app("live", "live")]) } },
    ),
  )

  it.effect(
    "takes no app's id where none is listed",
    play((world) =>
      Effect.gen(function* () {
        const { request } = yield* opened(world)
        const headers = { "App-Id": "listed", "Client-Id": "a client" }
        const answer = yield* Scene.send({ ...request, key: null, headers })
        Scene.isProblem(answer, 401, "missing_api_key")
      }),
    ),
  )

  it.effect(
    "judges key, version, Idempotency-Key, form and existence in this order",
    play((world) =>
      Effect.gen(function* () {
        const { id, request } = yield* opened(world)
        const bad = {
          version: { "Svc-Version": "never" },
          repetition: { "Idempotency-Key": "k".repeat(256) },
        }
        const everythingWrong = {
          ...request,
          path: pathOf(absent, tail),
          ...(wrongBody !== undefined && { body: wrongBody }),
        }
        const keyless = yield* Scene.send({
          ...everythingWrong,
          key: null,
          headers: { ...bad.version, ...bad.repetition },
        })
        Scene.isProblem(keyless, 401, "missing_api_key")
        const versioned = yield* Scene.send({
          ...everythingWrong,
          headers: { ...bad.version, ...bad.repetition },
        })
        Scene.isProblem(versioned, 400, "invalid_api_version")
        const repeated = yield* Scene.send({ ...everythingWrong, headers: bad.repetition })
        assert.deepStrictEqual(Scene.fieldsOf(repeated), ["Idempotency-Key"])
        if (wrongBody !== undefined) {
          Scene.isProblem(yield* Scene.send(everythingWrong), 400, "params_validation")
        }
        yield* TestClock.setTime(paymentEnd)
        Scene.isProblem(
          yield* Scene.send({ ...request, path: pathOf(absent, tail) }),
          404,
          "payment_not_found",
        )
        const foreign = yield* Scene.send({ ...request, key: world.other.key })
        Scene.isProblem(foreign, 404, "payment_not_found")
        if (wrongBody !== undefined) {
          const late = yield* Scene.send({ ...request, path: pathOf(id, tail), body: wrongBody })
          Scene.isProblem(late, 400, "params_validation")
        }
      }),
    ),
  )

  it.effect(
    "refuses other methods, and tells those that there are",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        const others = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
          (other) => !allow.includes(other),
        )
        for (const other of others) {
          const answer = yield* writesNothing(
            id,
            Scene.send({ method: other, path: pathOf(id, tail), key: world.walletKey }),
          )
          assert.strictEqual(answer.headers.get("allow"), allow)
          assert.strictEqual(answer.status, 405)
          if (other !== "HEAD") Scene.isProblem(answer, 405, "method_not_allowed")
        }
        if (method === "GET") {
          const answer = yield* Scene.send({
            method: "HEAD",
            path: pathOf(id, tail),
            key: world.walletKey,
          })
          assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        }
        const deeper = { method, path: `${pathOf(id, tail)}/`, key: world.walletKey }
        Scene.isProblem(yield* Scene.send(deeper), 404, "not_found")
      }),
    ),
  )

  it.effect(
    "is refused with a whole number of seconds to wait where a key calls too often",
    play(
      (world) =>
        Effect.gen(function* () {
          const request: Scene.Sent = {
            method,
            path: pathOf(absent, tail),
            key: world.walletKey,
            ...(bodyOf !== undefined && { body: {} }),
          }
          for (let call = 0; call < 9; call += 1) {
            assert.notStrictEqual((yield* Scene.send(request)).status, 429)
          }
          const limited = yield* Scene.send(request)
          Scene.isProblem(limited, 429, "rate_limited")
          assert.match(limited.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/u)
          const other = yield* Scene.send({ ...request, key: world.other.key })
          assert.notStrictEqual(other.status, 429)
        }),
      { edge: { rateLimit: { burst: 9, perSecond: 1 } } },
    ),
  )
}

const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

/** Declares the rules of a call's body that do not depend on what is in it. */
export const readsItsBody = (
  tail: string,
  good: (world: World, id: string) => Effect.Effect<Body, never, Scene.Ports>,
): void => {
  it.effect(
    "needs an object of JSON for a body, whatever its type says, and writes nothing without",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        const to = { path: pathOf(id, tail), key: world.walletKey, method: "POST" } as const
        const send = (sent: Omit<Scene.Sent, "path">) =>
          writesNothing(id, Scene.send({ ...to, ...sent }))
        for (const raw of [undefined, "", "{", "{'a':1}", "undefined", "{}{}", deep(40)]) {
          const answer = yield* send(raw === undefined ? {} : { raw })
          Scene.isProblem(answer, 400, "invalid_params")
        }
        const latin1 = new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d])
        Scene.isProblem(yield* send({ raw: latin1 }), 400, "invalid_params")
        for (const body of [null, true, 1, "text", [], [{}]]) {
          assert.deepStrictEqual(Scene.fieldsOf(yield* send({ body })), ["body"])
        }
        const json = JSON.stringify(yield* good(world, id))
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "multipart/form-data; boundary=x",
          "application/json; charset=latin1",
          "json",
        ]) {
          const answer = yield* send({ raw: json, headers: { "Content-Type": type } })
          Scene.isProblem(answer, 415, "unsupported_media_type")
        }
        const packed = { "Content-Type": "application/json", "Content-Encoding": "gzip" }
        Scene.isProblem(yield* send({ raw: json, headers: packed }), 415, "unsupported_media_type")
        const long = `${json}${" ".repeat(256 * 1024)}`
        Scene.isProblem(yield* send({ raw: long }), 413, "payload_too_large")
        for (const headers of [
          {},
          { "Content-Type": "application/json" },
          { "Content-Type": "APPLICATION/JSON;charset=UTF-8" },
          { "Content-Type": "application/vnd.wallet+json" },
        ]) {
          const answer = yield* Scene.send({ ...to, raw: ` ${json}\n`, headers })
          assert.strictEqual(answer.status, 200, answer.text)
        }
      }),
    ),
  )
}
