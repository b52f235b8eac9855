/**
 * Generated requests: each is made from the published document, most are then broken, and the document must describe
 * every response.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Version from "@florin/core/domain/ground/Version"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Screening } from "@florin/core/ports/Screening"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Drawing from "../../test-support/drawing.ts"
import * as Judge from "../../test-support/judge.ts"
import * as Webhooks from "../operations/webhooks.ts"
import * as Scene from "../scene.ts"
import * as Subjects from "../subjects.ts"
import * as Requests from "./Requests.ts"

export const documents = Version.all.map((version) => {
  const document = OpenApiDocument.make(version)
  return {
    document,
    judge: Judge.make(document),
    calls: Judge.calls(document, OpenApiDocument.methods),
  }
})

/** Screening refuses this one. */
const refusedPayer = Wallet.make(66)

export const layer = Scene.layer({
  screening: Layer.orDie(Screening.layerDenyList([refusedPayer.address])),
  collectData: CollectDataPolicy.layerAbove({ USD: 100_000n, EUR: 100_000n }),
})

const collectedData: Scene.Json = {
  fields: Object.entries({
    fullName: "Ada Example",
    dob: "1990-02-03",
    pobCountry: "GB",
    pobAddress: "1 Example Street",
    tosConfirmed: "true",
  }).map(([id, value]) => ({ id, value })),
}

/** A well-formed signature of no account. */
const strangeResult = { type: "walletRpc", data: [`0x${"11".repeat(64)}1b`] }

const tokens = BuiltIn.catalog.assets.map(({ token }) => token)

/** The stage of a payment that an operation does something with. */
const stages: ReadonlyMap<string, Subjects.Stage> = new Map([
  ["refunds.create", "paid"],
  ["refunds.destination", "paid"],
  ["refunds.list", "refunded"],
  ["refunds.get", "refunded"],
  ["payouts.get", "paid"],
  ...["get", "change", "remove", "rotate", "test", "deliveries", "redeliver", "replay"].map(
    (each) => [`webhooks.${each}`, "hooked"] as const,
  ),
  ["keys.rotate", "keyed"],
  ["keys.revoke", "keyed"],
  ["approvals.approve", "asked"],
  ["approvals.decline", "asked"],
])

/** Makes room for another webhook, as there may be so many only. */
const unhook = Effect.fnUntraced(function* (key: string) {
  const { body } = yield* Scene.send({ path: "/v1/webhooks", key })
  for (const each of Scene.list(body, "webhooks")) {
    yield* Scene.send({ method: "DELETE", path: Webhooks.at(Scene.text(each, "id")), key })
  }
})

/** Most requests are about open payments; one webhook at a time is called, so there is often another. */
const drawnStages = [
  "open",
  "open",
  "open",
  "open",
  "paid",
  "refunded",
  "hooked",
  "hooked",
  "keyed",
  "asked",
] as const

/** The object that the path calls only `id`. */
const idOf = (path: string, subject: Subjects.Subject): string => {
  if (path.includes("/settlements/")) return subject.destinationId
  if (path.includes("/webhooks/")) return subject.webhookId
  if (path.includes("/keys/")) return subject.keyId
  if (path.includes("/approvals/")) return subject.approvalId
  if (path.includes("/payouts/")) return subject.payoutId
  return path.includes("/refunds/") ? subject.refundId : subject.paymentId
}

/** `from` and `to` are times of events, days of a statement, or the addresses of a key. */
const timesOf = (
  path: string,
  now: number,
): ReadonlyArray<readonly [string, readonly [Scene.Json]]> => {
  if (path.includes("/keys")) return [["from", [["0.0.0.0/0"]]]]
  const [from, to] = path.includes("/replay")
    ? [new Date(now - 1000).toISOString(), new Date(now).toISOString()]
    : ["2026-09-01", "2026-09-30"]
  return [
    ["from", [from]],
    ["to", [to]],
  ]
}

const knownOf = (
  draw: Drawing.Draw,
  path: string,
  subject: Subjects.Subject,
  now: number,
  cursors: ReadonlyArray<string>,
): Requests.Known => {
  const token = tokens[draw(tokens.length)] ?? assert.fail("there are no tokens")
  const accounts = [Scene.payer, Scene.stranger, refusedPayer].map((wallet) =>
    Scene.accountOf(wallet, token.chainId),
  )
  const [cursor, ...moreCursors] = cursors
  const nowInS = Math.floor(now / 1000)
  return new Map<string, readonly [Scene.Json, ...ReadonlyArray<Scene.Json>]>([
    ["id", [idOf(path, subject)]],
    ["merchantId", [subject.merchantId]],
    ["deliveryId", [subject.deliveryId]],
    ["url", ["https://hooks.example.com/", "https://other.example.com/", "https://10.0.0.1/"]],
    ["types", [null, ["payment.created"]]],
    ["version", [null, "2026-02-18"]],
    ...timesOf(path, now),
    ["name", ["A key"]],
    ["scopes", [["read"], ["keys"]]],
    ["validUntil", [null]],
    ["Merchant-Id", [subject.merchantId]],
    ["paymentId", [subject.paymentId]],
    ["optionId", [subject.confirm.optionId]],
    ["results", [[...subject.confirm.results], [...subject.confirm.results], [strangeResult]]],
    ["data", ["", Scene.at(subject.option, "actions", 0, "data") ?? ""]],
    ["accounts", [accounts.slice(0, 1), accounts.slice(0, 1), accounts, accounts.slice(2), []]],
    ["refresh", [null, [], [subject.confirm.optionId]]],
    ["collectedData", [collectedData, null]],
    ["excludeFromRelayer", [null, false, false, true]],
    [
      "settlements",
      [
        [
          {
            asset: Eip155.formatToken(token),
            destination: Scene.accountOf(Scene.treasury, token.chainId),
          },
        ],
      ],
    ],
    ["destination", [Scene.accountOf(Scene.stranger, 8453)]],
    ["unit", ["iso4217/USD", "iso4217/EUR", `caip19/${Eip155.formatToken(token)}`]],
    ["value", ["1", "1234", "99999", "100000", "1000000000000000000"]],
    ["expiresAt", [nowInS + 60, nowInS + 3600, nowInS + 518_400]],
    ["asset", [Eip155.formatToken(token), `caip19/${Eip155.formatToken(token)}`]],
    ["network", ["eip155:8453", "eip155:1,eip155:56"]],
    ["token_symbol", ["USDC", "EURC"]],
    ["currency", ["USD", "eur"]],
    ["referenceId", ["ORDER", "ORDER-1"]],
    ["search", ["shop", "mrch_"]],
    ["maxPollMs", [0, 1, 1000, "9223372036854775807"]],
    ["Idempotency-Key", [Scene.fresh("fuzz"), Scene.fresh("fuzz"), "the same"]],
    ...(cursor === undefined ? [] : [["cursor", [cursor, ...moreCursors]] as const]),
  ])
}

const keyOf = (draw: Drawing.Draw, scene: Scene.Scene, isGateway: boolean): string | null => {
  const chance = draw(100)
  if (chance < (isGateway ? 45 : 85)) return scene.own.key
  if (isGateway && chance < 85) return scene.walletKey
  return Drawing.oneOf(draw, [
    scene.other.key,
    scene.own.liveKey,
    scene.walletKey,
    scene.liveWalletKey,
    scene.strangersKey,
    "nonsense",
    "k\u00e9y",
    "",
    null,
  ])
}

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
const passing = Effect.forever(Effect.andThen(turn, TestClock.adjust("5 seconds")))

/** Sends a request; time passes while it is held. */
const send = (sent: Scene.Sent) =>
  sent.path.includes("maxPollMs") ? Effect.raceFirst(Scene.send(sent), passing) : Scene.send(sent)

/** One request in so many. */
const every = { subject: 8, work: 10, leap: 20, disturbance: 40, mixture: 10 } as const
const leapMaxInMs = 60_000
const recent = 3

/**
 * Nothing of ours and nothing that a database or a browser would choke on: keys, NUL, halves of a character. The audit log
 * names a key by its first letters.
 */
const unspeakable = /flr_(?:test|live)_[pw]k_\w{5}|\\u0000|\\ud[89a-f]/iu

/** Bodies close to a response's that break the document's schema. */
const ruined = (text: string): ReadonlyArray<Scene.Json> => {
  const body: Readonly<Record<string, Scene.Json>> = JSON.parse(text)
  const unexpected = { unexpected: [{}] }
  return [
    null,
    [],
    "text",
    {},
    { ...body, ...unexpected },
    ...Object.keys(body).map((name) => Object.assign({}, body, { [name]: unexpected })),
  ]
}

/** Each request of a run has chance of its own, so that it stays the same if others are left out. */
const drawFor = (seed: number, count: number): Drawing.Draw =>
  Drawing.make((seed ^ Math.imul(count + 1, 0x9e3779b1)) >>> 0)

export interface Plan {
  readonly seed: number
  readonly requests: number
  /** Leaves out all other requests: it makes a run that fails shorter. */
  readonly only?: ReadonlySet<number>
  /** Hears the number of each request. */
  readonly onRequest?: (count: number) => void
}

/** Sends requests that follow from a seed; returns the statuses by operation. */
export const play = Effect.fnUntraced(function* ({ only, onRequest, requests, seed }: Plan) {
  let draw = drawFor(seed, -1)
  const scene = yield* Scene.make
  const chain = yield* SimulatedChain
  const subjects: Array<Subjects.Subject> = []
  const cursors: Array<string> = []
  const answered = new Map<string, Map<number, number>>()

  const add = Effect.gen(function* () {
    const { key } = draw(every.mixture) === 0 ? scene.other : scene.own
    const stage: Subjects.Stage = Drawing.oneOf(draw, drawnStages)
    if (stage === "hooked") yield* unhook(key)
    const chainId = Drawing.oneOf(draw, [Scene.chains.eip3009, Scene.chains.permit2] as const)
    const wallet = Wallet.make(1000 + subjects.length)
    subjects.unshift(yield* Subjects.make(key, stage, { chainId, wallet }))
  })
  const choose = (wanted: Subjects.Stage): Subjects.Subject => {
    const fitting = subjects.filter(({ stage }) => stage === wanted)
    const from = draw(4) === 0 || fitting.length === 0 ? subjects : fitting.slice(0, recent)
    return from[draw(from.length)] ?? assert.fail("there is no subject")
  }

  const isSuccess = (status: number): boolean => status < 400
  // The rarest operations get more requests, until one succeeds: refusals at the door would prove little.
  const unsuccessful = () =>
    (documents[0]?.calls ?? []).filter(
      // No key of a program signs in, and nothing here is a browser: session.test.ts.
      ({ operation: { operationId } }) =>
        !operationId.startsWith("session.") &&
        ![...(answered.get(operationId)?.keys() ?? [])].some(isSuccess),
    )
  const rareAt = (count: number) =>
    count >= requests && count < 2 * requests ? unsuccessful() : []

  for (let count = 0; count < requests || rareAt(count).length > 0; count++) {
    if (only !== undefined && !only.has(count)) continue
    onRequest?.(count)
    draw = drawFor(seed, count)
    if (count % every.subject === 0) yield* add
    if (draw(every.leap) === 0) yield* TestClock.adjust(draw(leapMaxInMs))
    if (draw(every.work) === 0) yield* Scene.work
    const drawn = documents[draw(documents.length)] ?? assert.fail()
    const rare = rareAt(count)
    const { calls, document, judge } = rare.length === 0 ? drawn : (documents[0] ?? drawn)
    const among = rare.length === 0 ? calls : rare
    const call = among[draw(among.length)] ?? assert.fail()
    const { operationId } = call.operation
    const wanted = stages.get(operationId) ?? "open"
    if (subjects.length === 0) continue
    const chosen = choose(wanted)
    const subject =
      draw(every.mixture) === 0
        ? { ...chosen, ...choose(wanted), merchantId: chosen.merchantId }
        : chosen
    const now = yield* Clock.currentTimeMillis
    const known = knownOf(draw, call.path, subject, now, cursors.slice(-2))
    const sent = {
      ...Requests.request({ document, draw, known }, call),
      key: keyOf(draw, scene, call.path.startsWith("/v1/gateway/")),
    }
    const isDisturbed = draw(every.disturbance) === 0
    if (isDisturbed) yield* chain.disturb({ seed: draw(1000), perMille: 500 })
    const answer = yield* send(sent)
    yield* chain.disturb(null)

    const told = () =>
      `${operationId}: ${JSON.stringify(sent).slice(0, 3000)} -> ${answer.status} ${answer.text}`
    assert.isNull(judge(call.operation, answer), told())
    assert.isTrue(answer.status < 500 || (answer.status === 502 && isDisturbed), told())
    // A key that was just made is shown, and nowhere else.
    const isNewKey = operationId.startsWith("keys.") && answer.status === 201
    if (!isNewKey) assert.notMatch(answer.text, unspeakable, told())
    if (answer.status >= 400) {
      Scene.isProblem(answer, answer.status, Scene.text(answer.body, "code"))
    }
    const cursor = Scene.at(answer.body, "nextCursor")
    if (typeof cursor === "string") cursors.push(cursor)
    const statuses = answered.get(operationId) ?? new Map<number, number>()
    if (!statuses.has(answer.status) && answer.headers.get("content-type") === "application/json") {
      for (const body of ruined(answer.text)) {
        assert.isNotNull(
          judge(call.operation, { ...answer, body }),
          `${operationId} lets ${JSON.stringify(body)} pass`,
        )
      }
    }
    answered.set(operationId, statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1))
  }
  yield* Scene.work
  const { unsound } = yield* Reconciler.check("test")
  assert.deepStrictEqual(unsound, [], "the ledger is unsound")
  if (only !== undefined) return answered
  assert.deepStrictEqual(
    unsuccessful().map(({ operation }) => operation.operationId),
    [],
  )
  return answered
})
