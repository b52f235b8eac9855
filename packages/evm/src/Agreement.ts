/**
 * What ends a payment or lets money leave is not believed to one host: two must show the same, each by its own answers
 * alone. What is asked for quotes and statuses needs one answer, so that a payer waits for no second node.
 *
 * A node that is behind shows less for a while, which only delays. One host alone is believed where the operator says so,
 * on test networks, and on local chains, where nobody's money is.
 *
 * @module
 */
import type * as Transfer from "@florin/core/domain/Transfer"
import { ChainUnavailable, type Order, type TransferRefused } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type ChainConfig, InvalidChain } from "./ChainConfig.ts"
import type { Link } from "./Link.ts"
import * as Rehearsal from "./Rehearsal.ts"
import * as Rpc from "./Rpc.ts"
import * as StartupCheck from "./StartupCheck.ts"

/** How many hosts must show the same. */
export const needed = 2

/** Whether enough hosts are asked, or one alone is trusted by what is configured. */
const isSettled = ({ network, rpcUrls, trustOneNode }: ChainConfig): boolean =>
  Rpc.countHosts(rpcUrls) >= needed || trustOneNode || network.isTest === true

const whatToDo =
  "two nodes of different hosts must show the same before a payment is final and before money leaves: add a node of another host, or trust this one with trustOneNode (`florin serve --chains CHAIN.trustOneNode=true`)"

/** Whether the chain is a local one. Nodes do not change what they are, so it is asked until one says. */
const isLocal = Effect.fnUntraced(function* (link: Link) {
  const { learnt } = link.rpc
  learnt.isLocal ??= yield* StartupCheck.isLocal(link)
  return learnt.isLocal
})

/** How long a start waits for a node of this machine to say what it is. */
const saysWithin = "3 seconds"

/**
 * Refuses a chain with one host that nobody said to trust. A node of this machine that does not answer now is asked again
 * before anything is decided.
 */
export const check = Effect.fnUntraced(function* (link: Link, chainId: number) {
  if (isSettled(link.config)) return
  const answer = yield* isLocal(link).pipe(Effect.timeoutOption(saysWithin), Effect.option)
  if (Option.getOrElse(Option.flatten(answer), () => link.config.rpcUrls.every(Rpc.isLoopback))) {
    return
  }
  return yield* new InvalidChain({
    chainId,
    message: `chain ${chainId} has nodes of one host only, and ${whatToDo.replace("CHAIN", String(chainId))}`,
  })
})

/** Fails while one host is all there is, and it is not known that it may be believed alone. */
const requireSettled = Effect.fnUntraced(function* (link: Link) {
  if (isSettled(link.config) || (yield* isLocal(link))) return
  const { chainId } = link.config
  return yield* new ChainUnavailable({ chainId, message: `chain ${chainId}: ${whatToDo}` })
})

const differ = ({ config: { chainId } }: Link) =>
  new ChainUnavailable({
    chainId,
    message: `chain ${chainId}: two nodes must show the same, but they differ, or one does not respond`,
  })

/** What every host shows, each by itself. */
const shownBy = <A, E>(link: Link, ask: (link: Link) => Effect.Effect<A, E>) =>
  Effect.map(
    Effect.forEach(link.rpc.hosts, (rpc) => Effect.result(ask({ ...link, rpc })), {
      concurrency: "unbounded",
    }),
    (answers) => answers.flatMap((each) => (Result.isSuccess(each) ? [each.success] : [])),
  )

/** Whether two hosts show what was concluded from any of them. */
const isAgreed = Effect.fnUntraced(function* <A, E>(
  link: Link,
  ask: (link: Link) => Effect.Effect<A, E>,
  isSame: (shown: A) => boolean,
) {
  if (link.rpc.hosts.length < needed) {
    yield* requireSettled(link)
    return true
  }
  return (yield* shownBy(link, ask)).filter(isSame).length >= needed
})

/** What each host answers, if there are as many as are needed to be believed. */
export const answeredBy = Effect.fnUntraced(function* <A, E>(
  link: Link,
  ask: (link: Link) => Effect.Effect<A, E>,
) {
  if (link.rpc.hosts.length < needed) {
    yield* requireSettled(link)
    return [yield* ask(link)]
  }
  const answers = yield* shownBy(link, ask)
  return answers.length < needed ? yield* differ(link) : answers
})

/** Whether as many hosts as are needed say yes. */
export const isShown = <E>(link: Link, ask: (link: Link) => Effect.Effect<boolean, E>) =>
  Effect.map(
    answeredBy(link, ask),
    (answers) =>
      answers.filter(Boolean).length >= Math.min(needed, Math.max(1, link.rpc.hosts.length)),
  )

type Sighting = Transfer.Sighting

/** Whether two sightings have the same consequence. Why a transfer is impossible, nodes may find out in different ways. */
const isSameSighting =
  (left: Sighting) =>
  (right: Sighting): boolean =>
    left._tag === "Impossible" && right._tag === "Impossible"
      ? left.txHash === right.txHash &&
        left.movedOtherwise === right.movedOtherwise &&
        // A node that dropped old states may not be able to tell.
        (left.moved === undefined ||
          right.moved === undefined ||
          Equal.equals(left.moved, right.moved))
      : Equal.equals(left, right)

/**
 * Where a movement stands. One node is enough for what is asked again anyway; what ends it, or has something sent for it,
 * is shown by two. Where nothing else is waited for (`isLast`), so is silence.
 */
export const look = Effect.fnUntraced(function* (
  link: Link,
  isLast: boolean,
  see: (link: Link) => Effect.Effect<Sighting, ChainUnavailable>,
) {
  const sighting = yield* see(link)
  if (sighting._tag === "Included" || (sighting._tag === "Unseen" && !isLast)) return sighting
  if (yield* isAgreed(link, see, isSameSighting(sighting))) return sighting
  if (sighting._tag === "Unseen") return yield* differ(link)
  const open: Sighting =
    sighting._tag === "Final"
      ? { _tag: "Included", evidence: sighting.evidence }
      : { _tag: "Unseen" }
  return open
})

/** Refusals that hold money back until an operator looks, or end a payment. */
const lasting = new Set<TransferRefused["reason"]>(["blocked", "barred"])

/** Rehearses an order. A refusal with lasting consequences is shown by two hosts. */
export const rehearse = Effect.fnUntraced(function* (link: Link, order: Order) {
  const rehearsal = yield* Effect.result(Rehearsal.rehearse(link, order))
  if (Result.isSuccess(rehearsal)) return
  const { failure } = rehearsal
  if (failure._tag !== "TransferRefused" || !lasting.has(failure.reason)) {
    return yield* failure
  }
  const agreed = yield* isAgreed(
    link,
    (one) => Effect.flip(Rehearsal.rehearse(one, order)),
    (each) => each._tag === "TransferRefused" && each.reason === failure.reason,
  )
  return yield* agreed ? failure : differ(link)
})

/** The largest figure that two hosts reach: what one alone says beyond it is not believed. */
export const figure = Effect.fnUntraced(function* <A extends bigint | number>(
  link: Link,
  ask: (link: Link) => Effect.Effect<A, ChainUnavailable>,
) {
  if (link.rpc.hosts.length < needed) {
    yield* requireSettled(link)
    return yield* ask(link)
  }
  const shown = (yield* shownBy(link, ask)).toSorted((left, right) => (left < right ? 1 : -1))
  return shown[needed - 1] ?? (yield* differ(link))
})
