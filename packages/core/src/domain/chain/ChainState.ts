/**
 * What is remembered of a chain between two checks: blocks that were final, whether its lanes or some of its tokens are
 * stopped, which transactions of its accounts an operator accepted although the ledger does not know them, and up to
 * which block it was scanned for transfers.
 *
 * If a final block is gone, there was a reorganisation deeper than the chain's policy. The newest checkpoint that still
 * stands shows how deep it went. So a few checkpoints are kept, each a few times as far away as the next.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"

/** A block that its chain's policy called final. */
export interface Checkpoint extends Schema.Schema.Type<typeof Checkpoint> {}
export const Checkpoint = Schema.Struct({ number: Schema.Int, hash: Schema.String })

/** By account, the nonce below which its transactions are meant. */
const Nonces = Schema.Record(Schema.String, Schema.Int)

/** Why nothing new is sent, and since when. */
export interface Halt extends Schema.Schema.Type<typeof Halt> {}
export const Halt = Schema.Struct({
  reason: Schema.String,
  haltedAt: Schema.Int,
  /** The accounts that sent transactions which the ledger does not know. */
  foreign: Schema.optionalKey(Nonces),
})

/** Why nothing more of a token is sent, and since when. */
export interface TokenStop extends Schema.Schema.Type<typeof TokenStop> {}
export const TokenStop = Schema.Struct({ reason: Schema.String, stoppedAt: Schema.Int })

export interface ChainState extends Schema.Schema.Type<typeof ChainState> {}
export const ChainState = Schema.Struct({
  chainId: Caip.ChainId,
  /** The newest first; none before the first look. */
  checkpoints: Schema.Array(Checkpoint),
  /** Only an operator ends it. */
  halt: Schema.NullOr(Halt),
  /** By account, the transactions unknown to the ledger that an operator accepted. */
  accepted: Schema.optionalKey(Nonces),
  /** By address, the tokens that are stopped until an operator resumes them. */
  stopped: Schema.optionalKey(Schema.Record(Schema.String, TokenStop)),
  /** The block up to which it was scanned for transfers; absent before the first scan. */
  scannedTo: Schema.optionalKey(Schema.Int),
  /** How often blocks became due to be scanned again. */
  rescans: Schema.optionalKey(Schema.Int),
  /** The first block in which scans left a transfer to an audit. */
  leftFrom: Schema.optionalKey(Schema.Int),
})

export const initial = (chainId: Caip.ChainId): ChainState => ({
  chainId,
  checkpoints: [],
  halt: null,
})

export const isSame = (left: Checkpoint, right: Checkpoint): boolean =>
  left.number === right.number && left.hash === right.hash

/** Checkpoints at about the same distance from the newest one share a place. */
const placeOf = (newest: Checkpoint, checkpoint: Checkpoint): number =>
  Math.floor(Math.log2(newest.number - checkpoint.number))

/** The newest checkpoint, and of all others at about the same distance the oldest. */
const thinned = (
  newest: Checkpoint,
  older: ReadonlyArray<Checkpoint>,
): ReadonlyArray<Checkpoint> => [
  newest,
  ...older.filter((checkpoint, index) => {
    const next = older[index + 1]
    return next === undefined || placeOf(newest, checkpoint) !== placeOf(newest, next)
  }),
]

/**
 * The block from which on transfers are checked again. Everything below a checkpoint that stands also stands, except
 * what was written since the last check. So each time that there is a newer checkpoint, checking starts at the
 * checkpoint before the last one.
 */
export const checkedFrom = (
  { checkpoints }: ChainState,
  standing: ReadonlyArray<Checkpoint>,
  next: Checkpoint | null,
): number => {
  const [newest, before] = standing
  const all = standing.length === checkpoints.length
  if (all && newest !== undefined && (next === null || next.number <= newest.number)) {
    return newest.number + 1
  }
  return (all ? before : newest)?.number ?? 0
}

/**
 * Adds a newer checkpoint, if the checkpoints are still as they were `seen`: another process may have changed them.
 * `standing` are those of them that still stand. Null if nothing changes, for example because a node is behind.
 */
export const advance = (
  current: ChainState,
  seen: ReadonlyArray<Checkpoint>,
  standing: ReadonlyArray<Checkpoint>,
  next: Checkpoint,
): ChainState | null => {
  const [newest] = seen
  const [known] = current.checkpoints
  const isAsSeen =
    newest === undefined || known === undefined ? newest === known : isSame(newest, known)
  const isNews =
    standing.length < seen.length || newest === undefined || next.number > newest.number
  if (!isAsSeen || !isNews) return null
  const older = standing.filter((checkpoint) => checkpoint.number < next.number)
  return { ...current, checkpoints: thinned(next, older) }
}

/** Where a scan began. */
export type Scanned = Pick<ChainState, "scannedTo" | "rescans">

/**
 * Moves the scan to a block, if it is still where it began, and no blocks became due to be scanned again since: of two
 * processes that scan one chain, neither skips blocks that the other did not scan, or scanned too early. `left` are the
 * blocks in which it left a transfer to an audit.
 */
export const moveScan = (
  current: ChainState,
  from: Scanned,
  to: number,
  left: ReadonlyArray<number> = [],
): ChainState | null => {
  if (current.scannedTo !== from.scannedTo || current.rescans !== from.rescans) return null
  const leftFrom = Math.min(current.leftFrom ?? Infinity, ...left)
  return { ...current, scannedTo: to, ...(leftFrom !== Infinity && { leftFrom }) }
}

/**
 * Makes the blocks from this one on due to be scanned again, also by a scan that goes on. Null before the first scan.
 */
export const scanAgain = (current: ChainState, fromBlock: number): ChainState | null =>
  current.scannedTo === undefined
    ? null
    : {
        ...current,
        scannedTo: Math.min(current.scannedTo, fromBlock - 1),
        rescans: (current.rescans ?? 0) + 1,
      }

/** The same for an audit that is over, and for what scans left to audits, wherever it is. */
export const scanLeft = (
  { leftFrom = Infinity, ...current }: ChainState,
  fromBlock: number,
): ChainState | null => scanAgain(current, Math.min(fromBlock, leftFrom))

/**
 * Stops the chain's lanes, even if they are already stopped for another reason. Null if they are stopped for this one.
 */
export const halt = (current: ChainState, reason: string, now: number): ChainState | null => {
  const { halt: earlier } = current
  if (earlier === null) return { ...current, halt: { reason, haltedAt: now } }
  return earlier.reason.includes(reason)
    ? null
    : { ...current, halt: { ...earlier, reason: `${earlier.reason}; ${reason}` } }
}

/** Transactions that one of our accounts sent and the ledger does not know. */
export interface Foreign {
  readonly sender: Caip.Address
  readonly fromNonce: number
  /** The nonce after the last one that may be one of them. */
  readonly untilNonce: number
}

/** Names the account, the first nonce, and what to do. The operator finds out how many there are. */
export const foreignReason = ({ fromNonce, sender }: Omit<Foreign, "untilNonce">): string =>
  `account ${sender} sent what the ledger does not know, from nonce ${fromNonce} on: compare its transfers with the ledger, so that nothing is paid twice, then resume its lanes`

/**
 * Stops the chain's lanes because of such transactions: what they paid out would be paid again. Null if an operator
 * accepted them, or the halt already names the account.
 */
export const haltForeign = (
  current: ChainState,
  foreign: Foreign,
  now: number,
): ChainState | null => {
  const { sender, untilNonce } = foreign
  const isAccepted = untilNonce <= (current.accepted?.[sender] ?? 0)
  if (isAccepted || current.halt?.foreign?.[sender] !== undefined) return null
  const halted = halt(current, foreignReason(foreign), now)
  return halted === null || halted.halt === null
    ? null
    : {
        ...halted,
        halt: { ...halted.halt, foreign: { ...halted.halt.foreign, [sender]: untilNonce } },
      }
}

/** Resumes the chain's lanes, and accepts what they were stopped for. Null if they are not stopped. */
export const resume = (current: ChainState): ChainState | null => {
  if (current.halt === null) return null
  const { foreign } = current.halt
  return {
    ...current,
    halt: null,
    ...(foreign !== undefined && { accepted: { ...current.accepted, ...foreign } }),
  }
}

/** Stops sending a token. Null if it is already stopped. */
export const stopToken = (
  current: ChainState,
  address: Caip.Address,
  stop: TokenStop,
): ChainState | null =>
  current.stopped?.[address] === undefined
    ? { ...current, stopped: { ...current.stopped, [address]: stop } }
    : null

/** Resumes sending a token. Null if it is not stopped. */
export const resumeToken = (current: ChainState, address: Caip.Address): ChainState | null => {
  const { [address]: stop, ...stopped } = current.stopped ?? {}
  return stop === undefined ? null : { ...current, stopped }
}
