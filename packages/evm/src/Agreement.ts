/**
 * Requires two hosts to agree before a payment ends or money leaves. Each host must show the same by its own responses
 * alone. Quotes and statuses need only one response, so that a payer does not wait for a second node.
 *
 * A node that is behind shows less for a while, which only delays. One host alone is trusted on test networks and on
 * local chains, which hold no real money, and when the operator configures it.
 *
 * @module
 */
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import { ChainUnavailable, type Order, type TransferRefused } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type ChainConfig, InvalidChain } from "./config/ChainConfig.ts"
import * as Rpc from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import type { Link } from "./read/Link.ts"
import * as Rehearsal from "./Rehearsal.ts"
import * as StartupCheck from "./StartupCheck.ts"

/** How many hosts must show the same result. */
export const hostsNeeded = 2

/** Whether enough hosts are configured, or the configuration trusts one alone. */
const isSettled = ({ network, rpcUrls, trustOneNode }: ChainConfig): boolean =>
  Rpc.countHosts(rpcUrls) >= hostsNeeded || trustOneNode || network.isTest === true

const whatToDo =
  "two nodes of different hosts must show the same before a payment is final and before money leaves: add a node of another host, or trust this one with trustOneNode (`florin serve --chains CHAIN.trustOneNode=true`)"

/** Whether the chain is a local one. Nodes do not change their kind, so it is asked only until one responds. */
const isLocal = Effect.fnUntraced(function* (link: Link) {
  const { learnt } = link.rpc
  learnt.isLocal ??= yield* StartupCheck.isLocal(link)
  return learnt.isLocal
})

/** How long the start waits for a node on this machine to report its kind. */
const saysWithin = "3 seconds"

/**
 * Refuses a chain with one host that the operator did not mark as trusted. If a node on this machine does not respond
 * now, the check is repeated before anything is decided.
 */
export const check = Effect.fnUntraced(function* (link: Link, chainId: number) {
  if (isSettled(link.config)) return
  const response = yield* isLocal(link).pipe(Effect.timeoutOption(saysWithin), Effect.option)
  if (Option.getOrElse(Option.flatten(response), () => link.config.rpcUrls.every(Rpc.isLoopback))) {
    return
  }
  return yield* new InvalidChain({
    chainId,
    message: `chain ${chainId} has nodes of one host only, and ${whatToDo.replace("CHAIN", String(chainId))}`,
  })
})

/** Fails while there is only one host and it is not known whether it may be trusted alone. */
const requireSettled = Effect.fnUntraced(function* (link: Link) {
  if (isSettled(link.config) || (yield* isLocal(link))) return
  const { chainId } = link.config
  return yield* ChainUnavailable.of(chainId, whatToDo)
})

const differ = ({ config: { chainId } }: Link) =>
  ChainUnavailable.of(
    chainId,
    "two nodes must show the same, but they differ, or one does not respond",
  )

/** What each host shows on its own. */
const shownBy = <A, E>(link: Link, ask: (link: Link) => Effect.Effect<A, E>) =>
  Effect.map(
    Together.each(link.rpc.hosts, (rpc) => Effect.result(ask({ ...link, rpc }))),
    (responses) => responses.flatMap((each) => (Result.isSuccess(each) ? [each.success] : [])),
  )

/** Whether two hosts show the result that was concluded from any of them. */
const isAgreed = Effect.fnUntraced(function* <A, E>(
  link: Link,
  ask: (link: Link) => Effect.Effect<A, E>,
  isSame: (shown: A) => boolean,
) {
  if (link.rpc.hosts.length < hostsNeeded) {
    yield* requireSettled(link)
    return true
  }
  return (yield* shownBy(link, ask)).filter(isSame).length >= hostsNeeded
})

/** The response of each host, if enough hosts respond. */
export const responsesOf = Effect.fnUntraced(function* <A, E>(
  link: Link,
  ask: (link: Link) => Effect.Effect<A, E>,
) {
  if (link.rpc.hosts.length < hostsNeeded) {
    yield* requireSettled(link)
    return [yield* ask(link)]
  }
  const responses = yield* shownBy(link, ask)
  return responses.length < hostsNeeded ? yield* differ(link) : responses
})

/** Whether enough hosts respond with yes. */
export const isShown = <E>(link: Link, ask: (link: Link) => Effect.Effect<boolean, E>) =>
  Effect.map(
    responsesOf(link, ask),
    (responses) => responses.filter(Boolean).length >= Math.min(hostsNeeded, responses.length),
  )

type Observation = Transfer.Observation

/**
 * Whether two observations have the same consequence. Nodes may find different reasons why a transfer is impossible,
 * and one without logs cannot name the transaction that used a payer's authorization.
 */
const isSameObservation =
  (left: Observation) =>
  (right: Observation): boolean =>
    left._tag === "Impossible" && right._tag === "Impossible"
      ? left.txHash === undefined ||
        right.txHash === undefined ||
        (left.txHash === right.txHash &&
          left.movedOtherwise === right.movedOtherwise &&
          // A node that dropped old states may not know what moved.
          (left.moved === undefined ||
            right.moved === undefined ||
            Equal.equals(left.moved, right.moved)))
      : Equal.equals(left, right)

/**
 * Where a movement stands. One node is enough for a result that will be checked again anyway. Two hosts must show a
 * result that ends the movement or causes a transaction to be sent. If nothing else is awaited (`isLast`), two hosts
 * must also agree that nothing is to be seen.
 */
export const look = Effect.fnUntraced(function* (
  link: Link,
  isLast: boolean,
  see: (link: Link) => Effect.Effect<Observation, ChainUnavailable>,
) {
  const observation = yield* see(link)
  if (observation._tag === "Included" || (observation._tag === "Unseen" && !isLast))
    return observation
  if (yield* isAgreed(link, see, isSameObservation(observation))) return observation
  if (observation._tag === "Unseen") return yield* differ(link)
  const open: Observation =
    observation._tag === "Final"
      ? { _tag: "Included", evidence: observation.evidence }
      : { _tag: "Unseen" }
  return open
})

/** Refusals that hold money back until an operator looks, or end a payment. */
const lasting = new Set<TransferRefused["reason"]>(["blocked", "barred"])

/** Rehearses an order. Two hosts must show a refusal with lasting consequences. */
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

/** The largest figure that two hosts reach. A higher figure from one host alone is ignored. */
export const figure = Effect.fnUntraced(function* <A extends bigint | number>(
  link: Link,
  ask: (link: Link) => Effect.Effect<A, ChainUnavailable>,
) {
  const shown = (yield* responsesOf(link, ask)).toSorted((left, right) => (left < right ? 1 : -1))
  return shown[Math.min(hostsNeeded, shown.length) - 1] ?? (yield* differ(link))
})
