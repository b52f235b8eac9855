/**
 * The live status of a payment for the pages that show it, with the progress of the transaction that pays.
 *
 * All watchers of a payment in a process share one look: signals wake it, the storage has the status, and while a
 * transaction is awaited the chain is asked at most once a second, or less often if many payments are watched. If nobody
 * watches, nothing is read.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as RcMap from "effect/RcMap"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentState from "../../domain/payment/PaymentState.ts"
import { type Awaited, Chains, type Progress } from "../../ports/Chain.ts"
import { LaneStore } from "../../ports/LaneStore.ts"
import { OutflowStore } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Signals } from "../../ports/Signals.ts"
import type * as Keys from "../partner/Keys.ts"
import * as Expiry from "./Expiry.ts"
import * as PayersPayment from "./PayersPayment.ts"

/** A payment at a time, and the transaction that pays; null while none is known, and once the payment is final. */
export interface Seen {
  readonly payment: Payment.Payment
  readonly at: number
  readonly progress: (Progress & { readonly chainId: Caip.ChainId }) | null
}

/** Without a signal, the storage is read again after this time. It shows a higher bid, for which there is none. */
const rereadInMs = 5000
/** Between two requests to the chain for one payment. */
const betweenAsksInMs = 1000

/**
 * Reserves times for requests to a chain, so that a node's quota stays with the work on money, however many payments
 * are watched. Null if the next free time is not before `until`.
 */
const makeTurns = () => {
  const freeAt = new Map<Caip.ChainId, number>()
  return (chainId: Caip.ChainId, now: number, until: number): number | null => {
    const at = Math.max(now, freeAt.get(chainId) ?? 0)
    if (at >= until) return null
    freeAt.set(chainId, at + Limits.progressPauseOfChainInMs)
    return at
  }
}

/** The transaction that pays a payment in progress, once it is known. */
const awaitedBy = Effect.fnUntraced(function* ({ state }: Payment.Payment) {
  if (state._tag !== "Processing") return null
  const { attempt, slot } = state
  const { option, outputs } = attempt
  const of = (hashes: Awaited["hashes"]): Awaited => ({
    token: option.token,
    quantity: option.quantity,
    hashes,
  })
  if (outputs._tag === "Sent") return of([outputs.txHash])
  if (slot === null) return null
  const { lane, nonce } = slot
  const relayed = yield* (yield* LaneStore).laneTransactions(lane, nonce, nonce)
  const [newest, ...earlier] = relayed.flatMap(Lane.hashes)
  return newest === undefined ? null : of([newest, ...earlier])
})

const read = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
  const payment = yield* Expiry.read(id)
  const awaited = yield* awaitedBy(payment)
  const at = yield* Clock.currentTimeMillis
  return { payment, awaited, at }
})

const isOver = ({ payment }: Seen): boolean => PaymentState.isFinal(Payment.stored(payment))

const seen = (
  { at, awaited, payment }: Effect.Success<ReturnType<typeof read>>,
  last: Seen["progress"],
): Seen => {
  if (awaited === null) return { payment, at, progress: null }
  const { hashes, token } = awaited
  const isSame = last !== null && hashes.includes(last.hash)
  return {
    payment,
    at,
    progress: isSame ? last : { chainId: token.chainId, hash: hashes[0], blocks: null },
  }
}

/** What is shown of it: of two that are equal, the second is not sent. */
const shownOf = ({ payment, progress }: Seen): string =>
  [Payment.stored(payment), progress?.hash, progress?.blocks?.confirmed].join(" ")

/** Reports every change of a payment until it is final. */
const follow = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  takeTurn: ReturnType<typeof makeTurns>,
  report: (seen: Seen) => Effect.Effect<unknown>,
) {
  const chains = yield* Chains
  const changed = yield* (yield* Signals).watch(id)
  let shown = ""
  let progress: Seen["progress"] = null
  let askedAt = -Infinity
  /** Stays reserved if a signal comes first. */
  let turn: number | null = null
  const show = Effect.fnUntraced(function* (next: Seen) {
    progress = next.progress
    const text = shownOf(next)
    if (text === shown) return
    shown = text
    yield* report(next)
  })
  for (;;) {
    const stored = yield* read(id)
    const { at, awaited, payment } = stored
    const first = seen(stored, progress)
    yield* show(first)
    if (isOver(first)) return
    const chain = chains.of(payment.mode)
    // A payment expires by time alone, without a signal.
    const rereadAt = Payment.isOpen(payment)
      ? Math.min(at + rereadInMs, Math.max(at + 1, payment.expiresAt * 1000))
      : at + rereadInMs
    /** Waits for a signal or a time; true if a signal came. */
    const signalled = (until: number, now: number) =>
      Effect.map(Effect.timeoutOption(changed, Math.max(0, until - now)), Option.isSome)
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const askAt = askedAt + betweenAsksInMs
      if (awaited === null || askAt >= rereadAt) {
        yield* signalled(rereadAt, now)
        break
      }
      if (askAt > now && (yield* signalled(askAt, now))) break
      const readyAt = yield* Clock.currentTimeMillis
      turn ??= takeTurn(awaited.token.chainId, readyAt, rereadAt)
      if (turn === null) {
        yield* signalled(rereadAt, readyAt)
        break
      }
      if (turn > readyAt && (yield* signalled(turn, readyAt))) break
      turn = null
      askedAt = yield* Clock.currentTimeMillis
      // A chain that hangs delays no change of the status.
      const response = yield* Effect.raceFirst(
        Effect.map(Effect.result(chain.progress(awaited)), Result.getSuccess),
        Effect.as(signalled(rereadAt, askedAt), null),
      )
      if (response === null) break
      if (Option.isNone(response)) continue
      const { chainId } = awaited.token
      const nowSeen = yield* Clock.currentTimeMillis
      yield* show({ payment, at: nowSeen, progress: { ...response.value, chainId } })
    }
  }
})

/** Counts the streams that are open, by names that each have a limit. */
const places = () => {
  const taken = new Map<string, number>()
  const add = (name: string, change: number) => {
    const count = (taken.get(name) ?? 0) + change
    if (count === 0) taken.delete(name)
    else taken.set(name, count)
  }
  /** Takes a place under every name until the scope closes; false if one of them has none left. */
  return (limits: ReadonlyArray<readonly [name: string, max: number]>) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const hasRoom = limits.every(([name, max]) => (taken.get(name) ?? 0) < max)
        if (hasRoom) for (const [name] of limits) add(name, 1)
        return hasRoom
      }),
      (wasTaken) =>
        Effect.sync(() => {
          if (wasTaken) for (const [name] of limits) add(name, -1)
        }),
    )
}

/** Makes the streams of a process. */
export const make = Effect.gen(function* () {
  const take = places()
  const takeTurn = makeTurns()
  // Only these, because each look has a scope of its own.
  const services = Context.pick(
    Chains,
    LaneStore,
    OutflowStore,
    PaymentStore,
    Signals,
  )(yield* Effect.context<Chains | LaneStore | OutflowStore | PaymentStore | Signals>())
  const looks: RcMap.RcMap<PaymentId.PaymentId, PubSub.PubSub<Watched>> = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
      // A slow reader gets the newest state, not every one.
      const states = yield* PubSub.sliding<Watched>({ capacity: 1, replay: 1 })
      const following = follow(id, takeTurn, (each) => PubSub.publish(states, Exit.succeed(each)))
      yield* following.pipe(
        Effect.catchCause((cause) =>
          // A reader that is slow to hear of the failure must not keep it for those who come later.
          Effect.andThen(
            RcMap.invalidate(looks, id),
            PubSub.publish(states, Exit.failCause(cause)),
          ),
        ),
        // It belongs to the process, and not to the caller that came first.
        Effect.provideContext(services),
        Effect.forkScoped,
      )
      return states
    }),
  })

  return {
    /**
     * Streams the state of a caller's payment: the present one, then every change until it is final or the stream's
     * time is up. If too many streams are open, this one ends after the present state. The place is taken when the
     * stream runs, and released when it ends.
     */
    from: Effect.fn("StatusStream.from")(function* (
      caller: Keys.Caller,
      id: PaymentId.PaymentId,
      address: string | null,
    ) {
      yield* Effect.provideContext(PayersPayment.paymentFor(caller, id), services)
      const limits = [
        ["process", Limits.statusStreamsMax],
        [`payment ${id}`, Limits.statusStreamsPerPaymentMax],
        ...(address === null
          ? []
          : [[`address ${address}`, Limits.statusStreamsPerAddressMax] as const]),
      ] as const
      const states = Effect.gen(function* () {
        if (!(yield* take(limits))) {
          return Stream.fromEffect(Effect.map(read(id), (stored) => seen(stored, null)))
        }
        return Stream.fromPubSub(yield* RcMap.get(looks, id)).pipe(
          Stream.mapEffect((each) => each),
          Stream.takeUntil(isOver),
          Stream.interruptWhen(Effect.sleep(Limits.eventStreamMaxInMs)),
        )
      })
      return Stream.unwrap(states).pipe(
        Stream.provideContext(services),
        Stream.catchTag("NotFound", () => Stream.empty),
      )
    }),
  }
})

type Watched = Exit.Exit<Seen, Effect.Error<ReturnType<typeof read>>>
