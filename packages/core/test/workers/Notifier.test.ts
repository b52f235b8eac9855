import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Alert from "@florin/core/domain/notify/Alert"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import type * as Findings from "@florin/core/engine/status/Findings"
import type * as Status from "@florin/core/engine/status/Status"
import { StateStore } from "@florin/core/ports/StateStore"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import { type Call, CallFailed, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Notifier from "@florin/core/workers/Notifier"
import * as Fixtures from "@florin/testing/Fixtures"
import * as SignedCall from "@florin/testing/SignedCall"
import { Clock, Effect, Layer, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { play } = Scene
const chainId = Eip155.chainId(8453)
const everyInMs = 60_000
const secretOf = (letter: string) => Webhook.Secret.make(`whsec_${letter.repeat(43)}=`)
const [current, next] = [secretOf("A"), secretOf("E")]
const own: Alert.Receiver = { url: "https://10.0.0.5/florin", secrets: [current, next] }

const readBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      type: Schema.String,
      data: Schema.Struct({
        key: Schema.String,
        text: Schema.String,
        commands: Schema.Array(Schema.String),
      }),
    }),
  ),
)

type Answer = number | "fails"

/** The operator's receiver, which answers as told. It notes what it would act on: what is about the chain of a test. */
const receiver = (answer: () => Answer = () => 204) => {
  const calls: Array<Call & { readonly at: number }> = []
  const transport = WebhookTransport.of({
    post: (call) =>
      Effect.gen(function* () {
        if (readBody(call.body).data.key.startsWith("chain_halted")) {
          calls.push({ ...call, at: yield* Clock.currentTimeMillis })
        }
        const answered = answer()
        return answered === "fails"
          ? yield* new CallFailed({ message: "the connection failed" })
          : answered
      }),
  })
  const types = () => calls.map(({ body }) => readBody(body).type.replace("operator.alert.", ""))
  return { calls, types, provide: Effect.provideService(WebhookTransport, transport) }
}

/** So many rounds of a process, as often as it looks. */
const rounds = (holder: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => Effect.andThen(TestClock.adjust(everyInMs), Notifier.round(holder, own, everyInMs)),
    { discard: true },
  )

/** A process that dies at one of its writes of alerts, before or after it: nothing that it began goes on after that. */
const dying = (at: number, when: "before" | "after") => {
  let writes = 0
  let isDead = false
  const run = Scene.tapping((name, call) =>
    Effect.suspend(() => {
      if (isDead) return Effect.interrupt
      if (name !== "modify" || writes++ < at) return call
      isDead = true
      return when === "before" ? Effect.interrupt : Effect.andThen(call, Effect.interrupt)
    }),
  )
  return { run, isDead: () => isDead }
}

const halt = Lanes.stop("live", chainId, "blocks are gone")
const resume = Lanes.resume("live", chainId)

describe("Notifier", () => {
  it.effect(
    "sends one alert that each secret signed, and one when the problem is over",
    play(() =>
      Effect.gen(function* () {
        const { calls, provide, types } = receiver()
        yield* halt
        yield* provide(rounds("one", 9))
        assert.deepStrictEqual(types(), ["raised"])
        const [call] = calls
        assert.isDefined(call)
        for (const secret of own.secrets) {
          assert.isTrue(SignedCall.isValid(secret, call, call.at))
        }
        assert.strictEqual(call.url, own.url)
        const { data } = readBody(call.body)
        assert.strictEqual(data.key, `chain_halted live ${chainId}`)
        assert.match(data.text, /^Sending on Base \(live\) stopped .* ago: blocks are gone/u)
        assert.include(data.commands, `florin chains resume ${chainId}`)
        yield* resume
        yield* provide(rounds("one", 9))
        assert.deepStrictEqual(types(), ["raised", "cleared"])
      }),
    ),
  )

  it.effect(
    "sends an alert again under the same id until the receiver accepts it",
    play(() =>
      Effect.gen(function* () {
        let answer: Answer = "fails"
        const { calls, provide, types } = receiver(() => answer)
        yield* halt
        yield* provide(rounds("one", 3))
        answer = 500
        yield* provide(rounds("one", 3))
        answer = 204
        yield* provide(rounds("one", 6))
        const answered = calls.length
        assert.isAbove(answered, 1)
        assert.lengthOf(new Set(calls.map(({ headers }) => headers["webhook-id"])), 1)
        assert.lengthOf(new Set(types()), 1)
        yield* provide(rounds("one", 6))
        assert.lengthOf(calls, answered)
      }),
    ),
  )

  it.effect(
    "sends from only one of several processes, and from another one once that is gone",
    play(() =>
      Effect.gen(function* () {
        const { provide, types } = receiver()
        yield* halt
        for (let count = 0; count < 5; count++) {
          yield* TestClock.adjust(everyInMs)
          yield* provide(
            Effect.forEach(
              ["one", "two", "three"],
              (holder) => Notifier.round(holder, own, everyInMs),
              { concurrency: "unbounded", discard: true },
            ),
          )
        }
        assert.deepStrictEqual(types(), ["raised"])
        yield* resume
        yield* provide(rounds("two", 9))
        assert.deepStrictEqual(types(), ["raised", "cleared"])
      }),
    ),
  )

  it.effect(
    "loses no alert if a process dies before or after any write, and repeats one only under the same id",
    play(() =>
      Effect.gen(function* () {
        for (const when of ["before", "after"] as const) {
          for (let at = 0; ; at++) {
            const { calls, provide, types } = receiver()
            const process = dying(at, when)
            yield* halt
            yield* provide(Effect.exit(process.run(rounds("one", 2))))
            yield* provide(rounds("two", 3))
            yield* resume
            yield* provide(rounds("two", Alert.looksToClear))
            const ids = new Set(calls.map(({ headers }) => headers["webhook-id"]))
            assert.strictEqual(ids.size, 2, `it died ${when} write ${at}`)
            assert.deepStrictEqual([...new Set(types())], ["raised", "cleared"])
            if (!process.isDead()) break
            assert.isAtMost(calls.length, 3)
          }
        }
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "does not report a problem as over while it cannot be read",
    play(() =>
      Effect.gen(function* () {
        const { provide, types } = receiver()
        yield* halt
        yield* provide(rounds("one", 2))
        yield* resume
        const silent = Scene.tapping((name, call) =>
          name === "chainStates" ? new StorageUnavailable({ message: "down" }) : call,
        )
        yield* provide(silent(rounds("one", 20)))
        assert.deepStrictEqual(types(), ["raised"])
        yield* provide(rounds("one", 5))
        assert.deepStrictEqual(types(), ["raised", "cleared"])
      }),
    ),
  )

  it.effect(
    "runs while its layer is open, and recovers after an outage of the storage",
    play(() =>
      Effect.gen(function* () {
        const { provide, types } = receiver()
        let isDown = true
        const failing = Scene.tapping((_, call) =>
          Effect.suspend(() => (isDown ? new StorageUnavailable({ message: "down" }) : call)),
        )
        yield* halt
        const scope = yield* Scope.make()
        yield* provide(failing(Layer.buildWithScope(Notifier.layer(own), scope)))
        yield* TestClock.adjust(10 * everyInMs)
        assert.deepStrictEqual(types(), [])
        isDown = false
        yield* TestClock.adjust(10 * everyInMs)
        assert.deepStrictEqual(types(), ["raised"])
        yield* Scope.close(scope, yield* Effect.exit(Effect.void))
        yield* resume
        yield* TestClock.adjust(10 * everyInMs)
        assert.deepStrictEqual(types(), ["raised"])
      }),
    ),
  )

  it.effect(
    "sends a test alert, and shows why the receiver did not accept it",
    play(() =>
      Effect.gen(function* () {
        const bodies: Array<string> = []
        const answering = (status: number) =>
          Effect.provide(
            Notifier.test(own),
            WebhookTransport.layerFunction(({ body }) => {
              bodies.push(body)
              return status
            }),
          )
        yield* answering(200)
        const refused = yield* Effect.flip(answering(302))
        assert.strictEqual(refused.message, "it responded with 302")
        assert.isTrue(bodies.every((body) => body.includes('"operator.alert.test"')))
        const board = yield* (yield* StateStore).modify("alerts", (result) => ({
          result,
          next: null,
        }))
        assert.deepStrictEqual(board, Alert.empty)
      }),
    ),
  )
})

describe("Notifier.lookOf", () => {
  const at = Fixtures.now
  const account = Fixtures.account("ours", chainId)
  const token = Fixtures.token("token", chainId)
  const status = (...found: ReadonlyArray<Findings.Found>): Status.Status => ({
    at,
    isRed: true,
    findings: found.map((each): Findings.Finding => Object.assign({ isRed: true }, each)),
    fine: [],
    skipped: [],
  })
  const lookOf = (...found: ReadonlyArray<Findings.Found>) =>
    Notifier.lookOf(status(...found), BuiltIn.catalog)

  it("recognizes the same problem with other numbers, and distinguishes two problems", () => {
    const lags = (id: string, count: number): Findings.Found => ({
      _tag: "WebhookLags",
      endpointId: Webhook.EndpointId.make(`whk_${id}`),
      count,
      ageInMs: count * 1000,
    })
    const waits = (count: number): Findings.Found => ({
      _tag: "MerchantsWait",
      count,
      hasMore: false,
    })
    const down = (node: number): Findings.Found => ({
      _tag: "NodeDown",
      mode: "live",
      chainId,
      node,
      of: 3,
    })
    const keys = (...found: ReadonlyArray<Findings.Found>) =>
      lookOf(...found).found.map(({ key }) => key)
    assert.deepStrictEqual(
      keys(lags("a", 1), waits(1), down(1)),
      keys(lags("a", 7), waits(9), down(1)),
    )
    const all = keys(lags("a", 1), lags("b", 1), waits(1), down(1), down(2))
    assert.strictEqual(new Set(all).size, all.length)
    assert.deepStrictEqual(keys(waits(2)), ["merchants_wait"])
  })

  it("leaves out what needs no action", () => {
    const { found } = Notifier.lookOf(
      {
        ...status(),
        findings: [{ _tag: "Debt", mode: "live", token, quantity: 5n, isRed: false }],
      },
      BuiltIn.catalog,
    )
    assert.deepStrictEqual(found, [])
  })

  it("treats everything that is read from the storage as unread if the storage is down, and nothing else", () => {
    const unread = (part: Findings.Part, of: Caip.ChainId | null) =>
      lookOf({ _tag: "Unread", part, chainId: of }).unread.map((each) => each.part)
    const silent = unread("storage", null)
    assert.includeMembers(silent, ["storage", "work", "money", "halts", "merchants", "gas"])
    assert.notInclude(silent, "nodes")
    assert.notInclude(silent, "tokens")
    assert.deepStrictEqual(unread("nodes", chainId), ["nodes"])
  })

  it("contains no payer's account, and no reason for a refusal of the chain", () => {
    const payer = Fixtures.account("payer", chainId)
    const movement = {
      token,
      from: account.address,
      to: payer.address,
      quantity: Fixtures.quantity(5n),
    }
    const { found } = lookOf({
      _tag: "Stuck",
      mode: "live",
      chainId,
      code: "payee",
      isHeld: true,
      count: 2,
      quantities: [{ token, quantity: 5n }],
      oldest: {
        mode: "live",
        partnerId: null,
        outflow: null,
        paymentIds: [],
        movement,
        isHeld: true,
        code: "payee",
        reason: `the token blocks ${payer.address}`,
        since: at,
        ageInMs: 5,
      },
    })
    assert.lengthOf(found, 1)
    assert.notInclude(JSON.stringify(found), payer.address)
  })
})
