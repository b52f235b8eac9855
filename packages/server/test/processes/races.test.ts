/**
 * Two things that happen at the same time in two of three processes, over one PostgreSQL database, each pair many times.
 * Whatever comes of it must be what one after the other would have come to, in an order that contradicts no clock, and
 * in the end the oracle judges everything that was seen.
 *
 * What a round does follows from the run's seed, but for who is faster: `FLORIN_ROUND=17` plays this one again and again.
 */
import { env, stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Counts from "@florin/testing/Counts"
import { Cause, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Drawing from "../../test-support/drawing.ts"
import * as Webhooks from "../operations/webhooks.ts"
import * as Scene from "../scene.ts"
import * as World from "../world.ts"
import * as Servers from "./servers.ts"
import * as Stage from "./stage.ts"

const world = Servers.shared()
const rounds = Counts.of({ usual: 2, full: 300 })
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const seed = Number(env["FLORIN_SEED"]) || 1
const onlyRound = env["FLORIN_ROUND"]

/** Which of both happened first, as far as an outcome shows. */
type Order = "left" | "right" | "either"

type Act<A> = (server: Servers.Server) => Effect.Effect<A, unknown, Stage.Ports>

/** How the acts meet: where, how much later each begins, and which of them is held up in the middle. */
interface Meeting {
  readonly stage: Stage.Stage
  readonly servers: readonly [Servers.Server, Servers.Server, Servers.Server]
  readonly latersInMs: readonly [number, number, number]
  readonly holds: ReadonlyArray<{ readonly after: number; readonly inMs: number }>
}

/** Short times are more likely than long ones. */
const drawTime = (draw: Drawing.Draw) => draw(1 << (1 + draw(6)))

/** One of both begins a little later, and one may be held up before any of its calls of a port. */
const meetingOf = (
  draw: Drawing.Draw,
  stage: Stage.Stage,
  running: ReadonlyArray<Servers.Server>,
): Meeting => {
  const from = draw(3)
  const step = 1 + draw(2)
  const at = (place: number) =>
    running[(from + place * step) % 3] ?? assert.fail("a process is gone")
  const laterInMs = drawTime(draw)
  const [here, there] = draw(2) === 0 ? [0, laterInMs] : [laterInMs, 0]
  const held = draw(4)
  return {
    stage,
    servers: [at(0), at(1), at(2)],
    latersInMs: [here, there, drawTime(draw)],
    holds: [0, 1].map((which) => ({ after: which === held ? draw(25) : -1, inMs: draw(40) })),
  }
}

const wait = (inMs: number) => (inMs === 0 ? Effect.void : TestClock.withLive(Effect.sleep(inMs)))

interface Ended {
  readonly outcome: string
  /** Which of both was over before the other began. */
  readonly order: Order
}

/** Two acts, and what came of them. */
type Race = (meeting: Meeting) => Effect.Effect<Ended, unknown, Stage.Ports>

const race =
  <A, B>(
    left: Act<A>,
    right: Act<B>,
    outcomeOf: (left: A, right: B) => Effect.Effect<string, unknown, Stage.Ports>,
    /** A third process looks at this payment meanwhile. */
    id: string | null = null,
  ): Race =>
  ({ holds, latersInMs, servers, stage }) => {
    const begin = Effect.fnUntraced(function* <X>(which: 0 | 1 | 2, act: Act<X>) {
      const server = servers[which]
      yield* wait(latersInMs[which])
      const startedAt = stage.moment()
      const value = yield* stage.to(server)(act(server))
      return { startedAt, value, endedAt: stage.moment() }
    })
    return Effect.gen(function* () {
      for (const [which, { after, inMs }] of holds.entries()) {
        yield* servers[which]?.ask("hold", after, inMs) ?? Effect.void
      }
      const look: Act<unknown> = () => (id === null ? Effect.void : statusOf(stage, id))
      const [first, second] = yield* Effect.all([begin(0, left), begin(1, right), begin(2, look)], {
        concurrency: "unbounded",
      })
      const isLeft = first.endedAt < second.startedAt
      const isRight = second.endedAt < first.startedAt
      const order: Order = isLeft ? "left" : isRight ? "right" : "either"
      return { outcome: yield* outcomeOf(first.value, second.value), order }
    })
  }

const send =
  (sent: Scene.Sent): Act<Scene.Reply> =>
  () =>
    Scene.send(sent)

/** Sends the same once or a few times, which makes no difference. */
const sendSome = (draw: Drawing.Draw, sent: Scene.Sent): Act<Scene.Reply> => {
  const copies = Array.from({ length: draw(3) === 0 ? 5 : 1 }, () => Scene.send(sent))
  return () =>
    Effect.map(Effect.all(copies, { concurrency: "unbounded" }), (replies) => {
      const isFirst = ({ headers }: Scene.Reply) => !headers.has("idempotency-replayed")
      const chosen = replies.find(isFirst) ?? replies[0] ?? assert.fail("nothing was sent")
      // The later it is, the longer a client should wait.
      const withoutPoll = (name: string, value: unknown) => (name === "pollInMs" ? null : value)
      const shown = (reply: Scene.Reply) =>
        reply.status < 300 ? JSON.stringify(reply.body, withoutPoll) : codeOf(reply)
      for (const reply of replies) assert.strictEqual(shown(reply), shown(chosen))
      return chosen
    })
}

/** The workers of one process do what is due. */
const work =
  (...workers: ReadonlyArray<string>): Act<void> =>
  (server) =>
    Effect.forEach(workers, (worker) => server.ask("drain", worker), { discard: true })

const codeOf = ({ body, status }: Scene.Reply): string =>
  status < 300 ? "done" : Scene.text(body, "code")

const statusOf = ({ walletKey }: Stage.Stage, id: string) =>
  Effect.map(Scene.send({ path: `/v1/gateway/payment/${id}/status`, key: walletKey }), ({ body }) =>
    Scene.text(body, "status"),
  )

/** What was said to each, and how the payment is after it. */
const said =
  (stage: Stage.Stage, id: string) =>
  (...replies: ReadonlyArray<Scene.Reply | void>) =>
    Effect.map(
      statusOf(stage, id),
      (status) =>
        `${replies.flatMap((reply) => (reply === undefined ? [] : [codeOf(reply)])).join(", ")}: ${status}`,
    )

/** What the state table says of two events, one after the other, in both orders. */
const byTable = (
  events: readonly [PaymentState.Event, PaymentState.Event],
  isSilent = false,
): Readonly<Record<string, Order>> => {
  const play = (order: "left" | "right") => {
    const [first, second] = order === "left" ? events : [events[1], events[0]]
    const between = Result.getOrThrow(PaymentState.next("requires_action", first))
    const after = PaymentState.next(between, second)
    const codes = ["done", Result.isFailure(after) ? after.failure.refusal : "done"]
    const inOrder = order === "left" ? codes : codes.toReversed()
    const status = Result.getOrElse(after, () => between)
    return [`${inOrder.slice(0, isSilent ? 1 : 2).join(", ")}: ${status}`, order] as const
  }
  return Object.fromEntries([play("left"), play("right")])
}

/** A payout's status, as far as a refund cares. */
const stateOf = (status: string): string => {
  const known = OutflowState.statuses.find((each) => each === status)
  return known !== undefined && OutflowState.isBooked[known] ? "booked" : status
}

/** A refund comes before its payment's payout, or cancels one that waits, or leaves one that was sent. */
const byOutflowTable: Readonly<Record<string, Order>> = Object.fromEntries([
  ["done, none", "left"],
  ...(["waiting", "sent"] as const).map((status) => {
    const after = OutflowState.next(status, "cancel")
    return [`done, ${stateOf(after ?? status)}`, after === null ? "right" : "either"] as const
  }),
])

interface Row {
  /** Every outcome that may be, and in which order both explain it. All of them come up in a full run. */
  readonly outcomes: Readonly<Record<string, Order>>
  readonly prepare: (
    stage: Stage.Stage,
    draw: Drawing.Draw,
    round: string,
  ) => Effect.Effect<Race, unknown, Stage.Ports>
}

const anyServer = Effect.map(
  Servers.Servers,
  ({ running }) => running()[0] ?? assert.fail("no process is left"),
)

const byPayer = ({ walletKey }: Stage.Stage, id: string): Scene.Sent => ({
  method: "POST",
  path: `/v1/gateway/payment/${id}/cancel`,
  key: walletKey,
})
const byMerchant = ({ own }: Stage.Stage, id: string): Scene.Sent => ({
  method: "POST",
  path: `/v1/payments/${id}/cancel`,
  key: own.key,
})
const refunding = ({ own }: Stage.Stage, paymentId: string): Scene.Sent => ({
  path: "/v1/refunds",
  key: own.key,
  body: { paymentId },
})

/** The payouts of a merchant, and where they go. */
const payoutsOf = ({ own }: Stage.Stage, merchantId: string) =>
  Effect.map(
    Scene.send({ path: `/v1/payouts?merchantId=${merchantId}`, key: own.key }),
    ({ body }) => Scene.list(body, "data"),
  )

const next = Scene.accountOf(Scene.stranger, Scene.chains.eip3009)

/** What makes one thing per Idempotency-Key. */
const makings: ReadonlyArray<(stage: Stage.Stage, merchantId: string, body: string) => Scene.Sent> =
  [
    ({ own }, merchantId, variant) => ({
      path: "/v1/payments",
      key: own.key,
      body: {
        merchantId,
        referenceId: variant,
        amount: { unit: "iso4217/USD", value: "1234" },
      },
    }),
    ({ own }, _, variant) => ({
      path: "/v1/merchants",
      key: own.key,
      body: { merchantName: variant, merchantEmail: "shop@example.com" },
    }),
  ]

const rows: Readonly<Record<string, Row>> = {
  "create × create, the same with one key": {
    outcomes: { "made, replayed": "left", "replayed, made": "right" },
    prepare: (stage, draw, round) => {
      const making = makings[draw(2)] ?? assert.fail("nothing to make")
      const sent = {
        ...making(stage, stage.own.merchantId, round),
        headers: { "Idempotency-Key": round },
      }
      const did = ({ headers, status, text }: Scene.Reply) => {
        assert.strictEqual(status, 201, text)
        return headers.has("idempotency-replayed") ? "replayed" : "made"
      }
      return Effect.succeed(
        race(sendSome(draw, sent), sendSome(draw, sent), (left, right) => {
          assert.deepStrictEqual(left.body, right.body)
          return Effect.succeed(`${did(left)}, ${did(right)}`)
        }),
      )
    },
  },

  "create × create, different with one key": {
    outcomes: { "done, idempotency_conflict": "left", "idempotency_conflict, done": "right" },
    prepare: (stage, draw, round) => {
      const making = makings[draw(2)] ?? assert.fail("nothing to make")
      const sent = (variant: string) =>
        sendSome(draw, {
          ...making(stage, stage.own.merchantId, `${round} ${variant}`),
          headers: { "Idempotency-Key": round },
        })
      return Effect.succeed(
        race(sent("a"), sent("b"), (left, right) =>
          Effect.succeed(`${codeOf(left)}, ${codeOf(right)}`),
        ),
      )
    },
  },

  "confirm × confirm of two payers": {
    outcomes: byTable(["confirm", "confirm"]),
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const [one, other] = [
        yield* Stage.sign(stage, id),
        yield* Stage.sign(stage, id, Scene.stranger),
      ]
      return race(sendSome(draw, one), sendSome(draw, other), said(stage, id), id)
    }),
  },

  "confirm × confirm of one payer": {
    outcomes: { "done, done: processing": "either" },
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const confirm = sendSome(draw, yield* Stage.sign(stage, id))
      return race(confirm, confirm, said(stage, id), id)
    }),
  },

  "confirm × cancel by the payer": {
    outcomes: byTable(["confirm", "cancel_by_user"]),
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const confirm = yield* Stage.sign(stage, id)
      return race(sendSome(draw, confirm), sendSome(draw, byPayer(stage, id)), said(stage, id), id)
    }),
  },

  "confirm × cancel by the merchant": {
    outcomes: byTable(["confirm", "cancel_by_merchant"]),
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const confirm = yield* Stage.sign(stage, id)
      return race(
        sendSome(draw, confirm),
        sendSome(draw, byMerchant(stage, id)),
        said(stage, id),
        id,
      )
    }),
  },

  "cancel × cancel": {
    outcomes: { cancelled_by_user: "left", cancelled_by_merchant: "right" },
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const [payer, merchant] = [byPayer(stage, id), byMerchant(stage, id)]
      return race(
        sendSome(draw, payer),
        sendSome(draw, merchant),
        (left, right) => {
          assert.deepStrictEqual([codeOf(left), codeOf(right)], ["done", "done"])
          assert.deepStrictEqual(left.body, right.body)
          return Effect.succeed(Scene.text(left.body, "cancelledReason"))
        },
        id,
      )
    }),
  },

  "confirm × expire": {
    outcomes: byTable(["confirm", "expire"], true),
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const confirm = yield* Stage.sign(stage, id)
      const expire: Act<void> = (server) =>
        Effect.andThen(World.pass("5 minutes"), work("expirer")(server))
      // Nobody looks meanwhile: a look may see that the time is over a moment before a confirm that was in time is written.
      return race(sendSome(draw, confirm), expire, (reply) =>
        // What was confirmed is collected before its signature ends.
        Effect.tap(said(stage, id)(reply), () => Effect.flatMap(anyServer, Stage.collect)),
      )
    }),
  },

  "confirm × collect": {
    outcomes: { processing: "left", succeeded: "right" },
    prepare: Effect.fnUntraced(function* (stage, draw) {
      const id = yield* Stage.create(stage)
      const confirm = yield* Stage.sign(stage, id)
      yield* Scene.send(confirm)
      // To collect takes longer than to confirm.
      const laterInMs = draw(120)
      return race(
        (server) => Effect.andThen(wait(laterInMs), send(confirm)(server)),
        Stage.collect,
        (reply) => Effect.succeed(Scene.text(reply.body, "status")),
        id,
      )
    }),
  },

  "refund × refund": {
    outcomes: { "done, already_refunded": "left", "already_refunded, done": "right" },
    prepare: Effect.fnUntraced(function* (stage) {
      const id = yield* Stage.paid(stage, yield* anyServer)
      const refund = send(refunding(stage, id))
      return race(refund, refund, (left, right) =>
        Effect.succeed(`${codeOf(left)}, ${codeOf(right)}`),
      )
    }),
  },

  "refund × refund of parts that fit together only once": {
    outcomes: { "done, already_refunded": "left", "already_refunded, done": "right" },
    prepare: Effect.fnUntraced(function* (stage) {
      const id = yield* Stage.paid(stage, yield* anyServer)
      // A cent more than the half: both together are too much.
      const amount = { unit: "iso4217/USD", value: "618" }
      const part = (idempotencyKey: string) =>
        send({
          ...refunding(stage, id),
          headers: { "Idempotency-Key": `${id} ${idempotencyKey}` },
          body: { paymentId: id, amount },
        })
      return race(part("left"), part("right"), (left, right) =>
        Effect.succeed(`${codeOf(left)}, ${codeOf(right)}`),
      )
    }),
  },

  "refund × payout": {
    outcomes: byOutflowTable,
    prepare: Effect.fnUntraced(function* (stage) {
      const { merchantId } = yield* Stage.openShop(stage)
      const id = yield* Stage.paid(stage, yield* anyServer, merchantId)
      return race(send(refunding(stage, id)), work("payer", "sender"), (reply) =>
        Effect.gen(function* () {
          const payouts = yield* payoutsOf(stage, merchantId)
          const states = payouts.map((each) => stateOf(Scene.text(each, "state")))
          return `${codeOf(reply)}, ${states.join(", ") || "none"}`
        }),
      )
    }),
  },

  "destination change × payout": {
    outcomes: { "to the new one": "left", "to the old one": "right" },
    prepare: Effect.fnUntraced(function* (stage) {
      const { destinationId, merchantId } = yield* Stage.openShop(stage)
      yield* Stage.paid(stage, yield* anyServer, merchantId)
      const change: Scene.Sent = {
        method: "PUT",
        path: `/v1/merchants/${merchantId}/settlements/crypto/${destinationId}`,
        key: stage.own.key,
        body: { destination: next },
      }
      /** Once the change is made, a payout that is not there yet goes to the new one. */
      const changeAndLook: Act<boolean> = () =>
        Effect.gen(function* () {
          const reply = yield* Scene.send(change)
          assert.strictEqual(reply.status, 200, reply.text)
          return (yield* payoutsOf(stage, merchantId)).length > 0
        })
      return race(changeAndLook, work("payer", "sender"), (wasPaid) =>
        Effect.map(payoutsOf(stage, merchantId), (payouts) =>
          payouts
            .map((each) => {
              if (Scene.text(each, "destination") === next) return "to the new one"
              return wasPaid ? "to the old one" : "to the old one after the change"
            })
            .join(", "),
        ),
      )
    }),
  },

  "policy change × payout": {
    outcomes: { "paid in an hour": "left", "paid now": "right" },
    prepare: Effect.fnUntraced(function* (stage) {
      const { merchantId } = yield* Stage.openShop(stage)
      yield* Stage.paid(stage, yield* anyServer, merchantId)
      const tenant = { partnerId: stage.own.partner.id, mode: "test" }
      const policy = { _tag: "Batched", everyInMs: 60 * 60_000 }
      const change: Act<unknown> = (server) =>
        server.ask("changeMerchant", tenant, merchantId, { payouts: policy })
      return race(change, work("payer", "sender"), () =>
        Effect.map(payoutsOf(stage, merchantId), (payouts) =>
          payouts.length === 0 ? "paid in an hour" : "paid now",
        ),
      )
    }),
  },

  "merchant delete × confirm": {
    outcomes: { "done, done: processing": "either" },
    prepare: Effect.fnUntraced(function* (stage) {
      const { merchantId } = yield* Stage.openShop(stage)
      const id = yield* Stage.create(stage, merchantId)
      const confirm = yield* Stage.sign(stage, id)
      const path = `/v1/merchants/${merchantId}`
      const remove = send({ method: "DELETE", path, key: stage.own.key })
      return race(remove, send(confirm), said(stage, id), id)
    }),
  },

  "merchant delete × create": {
    outcomes: { "done, merchant_not_found": "left", "done, done": "right" },
    prepare: Effect.fnUntraced(function* (stage, _, round) {
      const { merchantId } = yield* Stage.openShop(stage)
      const path = `/v1/merchants/${merchantId}`
      const remove = send({ method: "DELETE", path, key: stage.own.key })
      const create = send({
        path: "/v1/payments",
        key: stage.own.key,
        headers: { "Merchant-Id": merchantId },
        body: { referenceId: round, amount: { unit: "iso4217/USD", value: "100" } },
      })
      return race(remove, create, (left, right) =>
        Effect.succeed(`${codeOf(left)}, ${codeOf(right)}`),
      )
    }),
  },

  "webhook rotate × send": {
    outcomes: { "signed with both secrets": "left", "signed with the old secret": "right" },
    prepare: Effect.fnUntraced(function* (stage) {
      const { hook, own } = stage
      const id = yield* Stage.create(stage)
      const { received } = yield* Servers.Servers
      const before = received.length
      const rotate: Act<Scene.Reply> = () => Webhooks.post(own.key, hook.id, "/rotate")
      const deliver: Act<unknown> = (server) => server.ask("deliver")
      return race(rotate, deliver, (reply) =>
        Effect.sync(() => {
          assert.strictEqual(reply.status, 201, reply.text)
          const old = hook.secret
          hook.secret = Scene.text(reply.body, "secret")
          const ours = received.slice(before).filter(({ body }) => body.includes(id))
          assert.lengthOf(ours, 1)
          return ours
            .map(({ body, headers }) => {
              const isSignedWith = (secret: string) => {
                const made = Webhook.headers(
                  [Result.getOrThrow(Webhook.parseSecret(secret))],
                  headers["webhook-id"],
                  body,
                  Number(headers["webhook-timestamp"]) * 1000,
                )
                const signature = Result.getOrThrow(made)["webhook-signature"]
                return headers["webhook-signature"].split(" ").includes(signature)
              }
              assert.isTrue(isSignedWith(old), "who knows the old secret can verify it")
              return isSignedWith(hook.secret)
                ? "signed with both secrets"
                : "signed with the old secret"
            })
            .join(", ")
        }),
      )
    }),
  },
}

const played = onlyRound === undefined ? null : Number(onlyRound)

/** Plays the rounds of a pair, and counts how often each outcome came, and how often while both went on. */
const play = Effect.fnUntraced(function* (name: string, { outcomes, prepare }: Row) {
  const { running } = yield* Servers.Servers
  const stage = yield* Stage.begin
  const counts = new Map<string, { all: number; overlapping: number }>()
  const roundOf = new Map<string, number>()
  for (let index = 0; index < rounds; index++) {
    const round = played ?? index
    const draw = Drawing.make(seed + 1009 * round + name.length)
    const again = `${name}: round ${round} (FLORIN_SEED=${seed} FLORIN_ROUND=${round})`
    const { order, outcome } = yield* stage
      .to(null)(prepare(stage, draw, `race ${index}`))
      .pipe(
        Effect.flatMap((meet) => meet(meetingOf(draw, stage, running()))),
        Effect.catchCause((cause) => Effect.die(new Error(`${again}: ${Cause.pretty(cause)}`))),
      )
    for (const id of stage.merchants.keys()) if (!roundOf.has(id)) roundOf.set(id, round)
    const expected = outcomes[outcome] ?? assert.fail(`${again} came to "${outcome}"`)
    if (order !== "either" && expected !== "either" && order !== expected) {
      assert.fail(`${again} came to "${outcome}", though the other was over before`)
    }
    const count = counts.get(outcome) ?? { all: 0, overlapping: 0 }
    counts.set(outcome, {
      all: count.all + 1,
      overlapping: count.overlapping + (order === "either" ? 1 : 0),
    })
  }
  const violations = yield* Stage.judge(stage)
  const named = violations.map(({ rule, what }) => {
    const round = roundOf.get(/pay_\w+/u.exec(what)?.[0] ?? "")
    return `${rule}: ${what}${round === undefined ? "" : ` (FLORIN_SEED=${seed} FLORIN_ROUND=${round})`}`
  })
  return { counts, violations: named }
})

describe("two calls that race in two processes", () => {
  for (const [name, row] of Object.entries(rows)) {
    it.effect(
      `M17, A1: have the result of one after the other: ${name}`,
      () =>
        Effect.gen(function* () {
          // What fails leaves nothing to the pairs after it.
          const { counts, violations } = yield* Effect.onError(play(name, row), () =>
            Effect.ignore(Stage.rest),
          )
          const shown = [...counts].map(
            ([outcome, { all, overlapping }]) => `${outcome} ${all} (${overlapping} overlapping)`,
          )
          stdout.write(
            `${name}: ${rounds} rounds: ${shown.join("; ")}; ${violations.length} violations\n`,
          )
          assert.deepStrictEqual(violations, [])
          if (Counts.full && played === null) {
            const seen = [...counts].flatMap(([outcome, { overlapping }]) =>
              overlapping > 0 ? [outcome] : [],
            )
            assert.sameMembers(seen, Object.keys(row.outcomes), "each comes up while both go on")
          }
        }).pipe(Effect.provide(world)),
      timeout,
    )
  }
})
