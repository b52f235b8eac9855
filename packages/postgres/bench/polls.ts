/**
 * Two servers on one database: what is cancelled through one is waited for at the other.
 *
 * @module
 */
import { type ChildProcess, fork } from "node:child_process"
import process from "node:process"
import { Effect, Fiber, Option, Schema } from "effect"

const Started = Schema.Struct({ url: Schema.String, key: Schema.String })
const Waiting = Schema.Struct({ waiting: Schema.String })
const Committed = Schema.Struct({ committedAt: Schema.BigIntFromString })

const MerchantMade = Schema.Struct({ merchant: Schema.Struct({ id: Schema.String }) })
const PaymentMade = Schema.Struct({ paymentId: Schema.String })
const Cancelled = Schema.Struct({ status: Schema.Literal("cancelled") })

/** The next message of one kind. */
const heard = <A, I>(child: ChildProcess, kind: Schema.Codec<A, I>) =>
  Effect.callback<A>((resume) => {
    const read = Schema.decodeUnknownOption(kind)
    const listen = (message: unknown) => {
      const found = read(message)
      if (Option.isNone(found)) return
      child.off("message", listen)
      resume(Effect.succeed(found.value))
    }
    child.on("message", listen)
  })

const call = async (url: string, init: RequestInit): Promise<unknown> => {
  const response = await fetch(url, init)
  return response.json()
}

const start = Effect.fnUntraced(function* (database: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(new URL("server.ts", import.meta.url), [database])),
    (running) => Effect.sync(() => running.kill()),
  )
  return { child, ...(yield* heard(child, Started)) }
})

export const make = Effect.fnUntraced(function* (database: string) {
  const changing = yield* start(database)
  const waiting = yield* start(database)

  const ask = <A, I>(
    answer: Schema.Codec<A, I>,
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ) =>
    Effect.promise(() =>
      call(url, {
        method: body === undefined ? "GET" : "POST",
        headers: { "Api-Key": changing.key, "Content-Type": "application/json", ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    ).pipe(Effect.flatMap(Schema.decodeUnknownEffect(answer)), Effect.orDie)

  const { merchant } = yield* ask(
    MerchantMade,
    `${changing.url}/v1/merchants`,
    { "Idempotency-Key": "bench" },
    { merchantName: "Corner Shop", merchantEmail: "shop@example.com" },
  )
  const headers = { "Merchant-Id": merchant.id }

  /** Milliseconds from the commit of a cancel at one server to the answer of the poll at the other. */
  return Effect.fnUntraced(function* (referenceId: string) {
    const amount = { unit: "iso4217/USD", value: "100" }
    const { paymentId } = yield* ask(PaymentMade, `${changing.url}/v1/payments`, headers, {
      referenceId,
      amount,
    })
    const parked = yield* Effect.forkChild(heard(waiting.child, Waiting), {
      startImmediately: true,
    })
    const poll = yield* Effect.forkChild(
      Effect.map(
        ask(Cancelled, `${waiting.url}/v1/payments/${paymentId}/status?maxPollMs=20000`, headers),
        () => process.hrtime.bigint(),
      ),
    )
    yield* Effect.raceFirst(Fiber.join(parked), Fiber.join(poll))
    // It reads once more before it waits.
    yield* Effect.sleep(10)
    const committed = yield* Effect.forkChild(heard(changing.child, Committed), {
      startImmediately: true,
    })
    yield* ask(Cancelled, `${changing.url}/v1/payments/${paymentId}/cancel`, headers, {})
    const { committedAt } = yield* Fiber.join(committed)
    return Number((yield* Fiber.join(poll)) - committedAt) / 1e6
  })
})
