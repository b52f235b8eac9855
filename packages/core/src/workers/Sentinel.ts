/**
 * Watches for reorganisations deeper than a chain's policy: blocks that were final, and are gone.
 *
 * If it finds one, it stops the chain's lanes and audits every transfer that was in such a block. The stored checkpoints and
 * transfers alone show what is left to do, so any number of processes may watch, and the next round does what one of
 * them did not finish.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Audit from "../domain/books/Audit.ts"
import * as Incoming from "../domain/books/Incoming.ts"
import * as Outgoing from "../domain/books/Outgoing.ts"
import type * as Caip from "../domain/chain/Caip.ts"
import * as ChainState from "../domain/chain/ChainState.ts"
import * as InflowId from "../domain/chain/InflowId.ts"
import * as Mode from "../domain/ground/Mode.ts"
import * as OutflowId from "../domain/ground/OutflowId.ts"
import * as Lanes from "../engine/chain/Lanes.ts"
import * as Writes from "../engine/record/Writes.ts"
import { Chains } from "../ports/Chain.ts"
import { inflow } from "../ports/InflowStore.ts"
import { chainState, LaneStore } from "../ports/LaneStore.ts"
import { OutflowStore, findOutflow } from "../ports/OutflowStore.ts"
import { PaymentStore, type Resting } from "../ports/PaymentStore.ts"
import * as Worker from "./Worker.ts"

const isOutflowId = Schema.is(OutflowId.OutflowId)
const isInflowId = Schema.is(InflowId.InflowId)

const betweenRoundsInMs = 5000
const pageSize = 200
const concurrency = 16

const reason =
  "blocks that were final are gone: compare its nodes and wait for the audit, then resume its lanes"

/** The checkpoints that still stand. If a checkpoint stands, all older ones stand too. */
const standing = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  { chainId, checkpoints }: ChainState.ChainState,
) {
  const chain = (yield* Chains).of(mode)
  for (const [index, checkpoint] of checkpoints.entries()) {
    if (yield* chain.stands(chainId, checkpoint)) return checkpoints.slice(index)
  }
  return []
})

/** The transfers of a page whose blocks are gone. */
const fallen = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  page: ReadonlyArray<Resting>,
) {
  const chain = (yield* Chains).of(mode)
  const blocks = new Map(page.map(({ checkpoint }) => [checkpoint.hash, checkpoint]))
  const gone = yield* Effect.filter(
    [...blocks.values()],
    (checkpoint) => Effect.map(chain.stands(chainId, checkpoint), (stands) => !stands),
    { concurrency },
  )
  return page.filter(({ checkpoint }) => gone.some((each) => each.hash === checkpoint.hash))
})

/** Since when something has been audited, and the write that requests it. */
const auditOf = Effect.fnUntraced(function* ({ id, checkpoint }: Resting, now: number) {
  if (isOutflowId(id)) {
    const outflow = yield* findOutflow(yield* OutflowStore, id)
    const request = Writes.decideOutflow(
      outflow,
      (current) => Outgoing.recheck(current, checkpoint, now),
      { shown: [] },
    )
    return { auditedSince: outflow.auditedSince, request }
  }
  if (isInflowId(id)) {
    const { missedSince: auditedSince } = yield* inflow(id)
    const request = Writes.writeInflow(id, (current) =>
      Incoming.miss(current, checkpoint.hash, now),
    )
    return { auditedSince, request }
  }
  const { auditedSince } = yield* (yield* PaymentStore).payment(id)
  const request = Writes.decidePayment(id, (current) =>
    Result.succeed(Audit.request(current, checkpoint, now)),
  )
  return { auditedSince, request }
})

/** Audits a payment or an outflow whose transfer's block is gone. */
const audit = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  resting: Resting,
) {
  const now = yield* Clock.currentTimeMillis
  const { auditedSince, request } = yield* auditOf(resting, now)
  // During an audit, an operator may already have looked and resumed the lanes.
  if (auditedSince === undefined) yield* Lanes.stop(mode, chainId, reason)
  yield* request
})

/** Audits every transfer from a block on whose own block is gone. */
const auditFrom = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  fromBlock: number,
) {
  const payments = yield* PaymentStore
  let after: Resting | null = null
  for (;;) {
    const page: ReadonlyArray<Resting> = yield* payments.resting(mode, chainId, {
      fromBlock,
      after,
      limit: pageSize,
    })
    for (const each of yield* fallen(mode, chainId, page)) yield* audit(mode, chainId, each)
    after = page.at(-1) ?? null
    if (page.length < pageSize) return
  }
})

/** Looks at one chain once. The checkpoints are moved last, so that an interrupted round is repeated. */
const look = Effect.fnUntraced(function* (mode: Mode.Mode, state: ChainState.ChainState) {
  const { chainId, checkpoints } = state
  const chain = (yield* Chains).of(mode)
  const lanes = yield* LaneStore
  const [next, stand] = yield* Effect.all([chain.finalCheckpoint(chainId), standing(mode, state)], {
    concurrency: "unbounded",
  })
  if (stand.length < checkpoints.length) {
    yield* Lanes.stop(mode, chainId, reason)
  }
  yield* auditFrom(mode, chainId, ChainState.checkedFrom(state, stand, next))
  // Other blocks have replaced the missing ones.
  const fork = stand[0] ?? checkpoints.at(-1)
  if (stand.length < checkpoints.length && fork !== undefined) {
    yield* lanes.modifyChainState(mode, chainId, (current) =>
      ChainState.scanAgain(current, fork.number),
    )
  }
  if (next === null) return
  yield* lanes.modifyChainState(mode, chainId, (current) =>
    ChainState.advance(current, checkpoints, stand, next),
  )
})

/** Looks at one chain once, in its current state. A chain that does not respond is looked at in the next round. */
const watch = Effect.fnUntraced(function* (mode: Mode.Mode, chainId: Caip.ChainId) {
  const state = yield* chainState(mode, chainId)
  yield* Effect.catchTag(look(mode, state), "ChainUnavailable", () => Effect.void)
})

/** Every chain that is served, in each mode. */
const watched = Effect.map(Chains, (chains) =>
  Mode.Mode.literals.flatMap((mode) =>
    chains.of(mode).chainIds.map((chainId) => ({ mode, chainId })),
  ),
)

/** Looks at every chain once. */
export const round = Effect.flatMap(watched, (all) =>
  Effect.forEach(all, ({ chainId, mode }) => watch(mode, chainId), {
    concurrency: "unbounded",
    discard: true,
  }),
)

export const layer = Worker.layerOfEach(watched, ({ chainId, mode }) =>
  Worker.layerEvery(betweenRoundsInMs, watch(mode, chainId)),
)
