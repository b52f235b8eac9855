/**
 * Scans each chain for transfers to our accounts, and books those that no payment claims: every transfer that reaches
 * us is seen, whether it was reported or not.
 *
 * The worker that collects a payment claims the transfer that pays it, and has some time to do so. If the scan is
 * faster, that worker takes the money over, so the order does not matter. A scan that was interrupted can be repeated
 * without harm.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Incoming from "../domain/books/Incoming.ts"
import type * as Caip from "../domain/chain/Caip.ts"
import * as ChainState from "../domain/chain/ChainState.ts"
import * as Claim from "../domain/chain/Claim.ts"
import * as InflowId from "../domain/chain/InflowId.ts"
import type * as Transfer from "../domain/chain/Transfer.ts"
import * as Mode from "../domain/ground/Mode.ts"
import type * as Inflow from "../domain/outflow/Inflow.ts"
import * as Float from "../engine/books/Float.ts"
import * as Writes from "../engine/record/Writes.ts"
import { Assets } from "../ports/Assets.ts"
import { Chains, ChainUnavailable } from "../ports/Chain.ts"
import { InflowStore } from "../ports/InflowStore.ts"
import { chainState, LaneStore } from "../ports/LaneStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import * as Worker from "./Worker.ts"

const betweenRoundsInMs = 15_000
/** As many as most nodes search in one call. */
const blocksAtOnce = 2000
/**
 * How many are booked at the same time. Each is first looked up on the chain, and dust must not delay transfers of
 * value for long.
 */
const bookedAtOnce = 8

/** Transfers that another worker claimed or booked in the meantime stay with it: then nothing is written. */
const unlessClaimed = (writing: ReturnType<typeof Writes.writeInflow>) =>
  Effect.catchTag(writing, "ClaimTaken", () => Effect.succeed(false))

/**
 * Whether a payment looks for its own transfer in the same transaction after a reorganisation: this may be it. The blocks
 * are scanned again after that.
 */
const isSought = Effect.fnUntraced(function* ({ movement, txHash }: Transfer.Log) {
  const payments = yield* PaymentStore
  const claims = yield* payments.claimsOf(movement.token.chainId, txHash)
  const owners = yield* Effect.forEach(
    claims.flatMap(({ paymentId }) => paymentId ?? []),
    payments.payment,
  )
  return owners.some(({ auditedSince }) => auditedSince !== undefined)
})

/**
 * Books a transfer that nobody claimed, once the chain shows it with enough certainty. If a payment waits for it, its
 * collector is only slower, so it is not reported. Returns its block if it leaves the transfer to an audit.
 */
const book = Effect.fnUntraced(function* (mode: Mode.Mode, transfer: Transfer.Log) {
  const { from, quantity, token } = transfer.movement
  const { chainId } = token
  if (yield* isSought(transfer)) return transfer.blockNumber
  if (!(yield* (yield* Chains).of(mode).shows(transfer))) {
    return yield* new ChainUnavailable({
      chainId,
      message: `chain ${chainId}: a node shows a transfer to an account of the service that others do not: compare its nodes`,
    })
  }
  const now = yield* Clock.currentTimeMillis
  const isSuspended = yield* Writes.write({}, () =>
    Result.succeed(Incoming.suspend(mode, transfer, now)),
  ).pipe(Effect.as(true), unlessClaimed)
  if (!isSuspended) return null
  const id = InflowId.of(transfer)
  if (yield* Float.isPut(transfer)) {
    yield* unlessClaimed(Writes.writeInflow(id, (current) => Incoming.fund(current, true, now)))
    return null
  }
  const decimals = (yield* Assets).find(token)?.decimals ?? 0
  // Small transfers that anybody may send as a nuisance are listed as a sum.
  const isWorthTelling =
    quantity >= 10n ** BigInt(decimals) &&
    !(yield* (yield* PaymentStore).isAwaited({ chainId, address: from }, transfer.txHash))
  yield* Effect.logWithLevel(isWorthTelling ? "Warn" : "Debug")(
    "a transfer arrived that belongs to no payment: `florin unclaimed list`",
    {
      unclaimedId: id,
      mode,
      chainId,
      token: token.address,
      quantity: quantity.toString(),
      txHash: transfer.txHash,
    },
  )
  return null
})

/** Searches some blocks. Returns those in which it left a transfer to an audit; null if no node could search. */
const scanBlocks = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  range: { readonly fromBlock: number; readonly toBlock: number },
) {
  const store = yield* InflowStore
  const arrivals = yield* (yield* Chains).of(mode).arrivals(chainId, range)
  if (arrivals === null) return null
  const unmade = yield* store.unmade(arrivals.map(Claim.ofTransfer))
  const keys = new Set(unmade.map(Claim.key))
  const free = arrivals.filter((log) => keys.has(Claim.key(Claim.ofTransfer(log))))
  // A log that only a lying node shows must not prevent the others from being booked.
  const booked = yield* Effect.forEach(free, (log) => Effect.result(book(mode, log)), {
    concurrency: bookedAtOnce,
  })
  const failed = booked.find(Result.isFailure)
  if (failed !== undefined) return yield* failed.failure
  return booked.flatMap((each) => Result.getOrElse(each, () => null) ?? [])
})

/**
 * Where a missing transfer is final now: in its old block, which still stands, or in another, maybe at another position
 * in its transaction. Null if it is not there.
 */
const placeOf = Effect.fnUntraced(function* ({ mode, transfer }: Inflow.Inflow) {
  const { blockHash, blockNumber, logIndex, movement, txHash } = transfer
  const { from: address, quantity, to: payTo, token } = movement
  const { chainId } = token
  const chain = (yield* Chains).of(mode)
  if (yield* chain.stands(chainId, { number: blockNumber, hash: blockHash })) return transfer
  const claims = yield* (yield* PaymentStore).claimsOf(chainId, txHash)
  const except = claims.filter((each) => each.logIndex !== logIndex)
  const seen = yield* chain.lookLate({
    txHash,
    option: { account: { chainId, address }, payTo, token, quantity },
    except,
  })
  // If nodes disagree about the block, one of them is behind.
  if (seen._tag !== "Final" || seen.evidence.blockHash === blockHash) return null
  const { txNonce: _, ...place } = seen.evidence
  // Another quantity may be that of a transfer which is looked for, too.
  return except.length === 0 || place.movement.quantity === quantity ? place : null
})

/**
 * Looks for transfers that a deep reorganisation removed, and gives up those that did not return in time. Returns whether
 * it found any.
 */
const judgeMissed = Effect.fnUntraced(function* (mode: Mode.Mode, chainId: Caip.ChainId) {
  const now = yield* Clock.currentTimeMillis
  const store = yield* InflowStore
  let isAnyFound = false
  for (const missed of yield* store.inflows({ _tag: "Missed", mode, chainId })) {
    const { id, state } = missed
    const place = yield* placeOf(missed)
    if (place !== null) {
      const isFound = yield* unlessClaimed(
        Writes.writeInflow(id, (current) => Incoming.find(current, place, now)),
      )
      isAnyFound ||= isFound
    } else if (Incoming.isOverdue(missed, now)) {
      const outflows = state._tag === "Returning" ? [state.outflowId] : []
      yield* Writes.writeInflow(
        id,
        (current, outflow) => Incoming.vanish(current, outflow, now),
        outflows,
      )
        // The money of this transfer was sent on, so its booking waits for float. Other money must not wait for it.
        .pipe(
          unlessClaimed,
          Effect.catchTag("Overdrawn", () =>
            Effect.logWarning(
              "a reorganisation removed float that was spent already: deposit the missing amount with `florin float put <asset> <account> <amount> --mode <mode> --transaction <hash>`",
              { unclaimedId: id, chainId },
            ),
          ),
        )
    }
  }
  return isAnyFound
})

/** Moves the scan, and returns whether it did: it does not if another process moved it meanwhile. */
export const moveScan = (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  from: ChainState.Scanned,
  to: number,
  left: ReadonlyArray<number> = [],
) =>
  Effect.flatMap(LaneStore, (store) =>
    store.modifyChainState(mode, chainId, (current) =>
      ChainState.moveScan(current, from, to, left),
    ),
  )

/**
 * Scans a chain from the end of the last scan up to a block. The first scan of a chain only sets the position from
 * which later scans start.
 */
export const scan = Effect.fn("Scanner.scan")(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  upTo: number,
) {
  // One that is found may have been where another one is now, which would otherwise be booked as new money.
  while (yield* judgeMissed(mode, chainId));
  const { rescans, scannedTo } = yield* chainState(mode, chainId)
  if (scannedTo === undefined) {
    yield* moveScan(mode, chainId, {}, upTo)
    return
  }
  let last = scannedTo
  while (last < upTo) {
    const toBlock = Math.min(upTo, last + blocksAtOnce)
    const left = yield* scanBlocks(mode, chainId, { fromBlock: last + 1, toBlock })
    if (left === null) return
    // Another process scans the chain, or it must be scanned again: the next round continues from there.
    const from = { scannedTo: last, ...(rescans !== undefined && { rescans }) }
    if (!(yield* moveScan(mode, chainId, from, toBlock, left))) return
    last = toBlock
  }
})

/** Every chain that is served. Money on a chain that both modes share, as in development, is test money. */
const scanned = Effect.map(Chains, (chains) =>
  Mode.Mode.literals
    .filter((mode) => mode === "test" || chains.of(mode) !== chains.of("test"))
    .flatMap((mode) => chains.of(mode).chainIds.map((chainId) => ({ mode, chainId }))),
)

/** Scans every chain up to its newest final block. */
export const drain = Effect.gen(function* () {
  for (const { chainId, mode } of yield* scanned) {
    const final = yield* (yield* Chains).of(mode).finalCheckpoint(chainId)
    if (final !== null) yield* scan(mode, chainId, final.number)
  }
})

/**
 * Scans one chain repeatedly, up to the block that was final one round earlier: by now, transfers that pay are claimed.
 */
const rounds = (mode: Mode.Mode, chainId: Caip.ChainId) =>
  Layer.unwrap(
    Effect.sync(() => {
      let settled: number | null = null
      const round = Effect.gen(function* () {
        const final = yield* (yield* Chains).of(mode).finalCheckpoint(chainId)
        const upTo = settled
        settled = final?.number ?? null
        if (upTo !== null) yield* scan(mode, chainId, upTo)
        // From the first look on, nothing is missed.
        else if (settled !== null) yield* moveScan(mode, chainId, {}, settled)
      })
      return Worker.layerEvery(betweenRoundsInMs, round)
    }),
  )

export const layer = Worker.layerOfEach(scanned, ({ chainId, mode }) => rounds(mode, chainId))
