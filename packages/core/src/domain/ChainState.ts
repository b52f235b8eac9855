/**
 * What is remembered of a chain from one look to the next: blocks that were final, whether its lanes or some of its tokens
 * are stopped, and which transactions of its accounts an operator knows of that the ledger does not.
 *
 * A final block that is gone tells of a reorganisation deeper than the chain's policy. The newest mark that still stands
 * tells how deep it went, so marks are kept from near and far: few, and each a few times as far away as the next.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"

/** A block that its chain's policy called final. */
export interface Mark extends Schema.Schema.Type<typeof Mark> {}
export const Mark = Schema.Struct({ number: Schema.Int, hash: Schema.String })

/** By account, the nonce below which its transactions are meant. */
const Nonces = Schema.Record(Schema.String, Schema.Int)

/** Why nothing new is sent, and since when. */
export interface Halt extends Schema.Schema.Type<typeof Halt> {}
export const Halt = Schema.Struct({
  reason: Schema.String,
  haltedAt: Schema.Int,
  /** The accounts that sent what the ledger does not know. */
  foreign: Schema.optionalKey(Nonces),
})

/** Why nothing more of a token is sent, and since when. */
export interface TokenStop extends Schema.Schema.Type<typeof TokenStop> {}
export const TokenStop = Schema.Struct({ reason: Schema.String, stoppedAt: Schema.Int })

export interface ChainState extends Schema.Schema.Type<typeof ChainState> {}
export const ChainState = Schema.Struct({
  chainId: Caip.ChainId,
  /** The newest first; none before the first look. */
  marks: Schema.Array(Mark),
  /** Only an operator ends it. */
  halt: Schema.NullOr(Halt),
  /** What accounts sent that the ledger does not know, and an operator let pass. */
  accepted: Schema.optionalKey(Nonces),
  /** By address, the tokens that only an operator has sent again. */
  stopped: Schema.optionalKey(Schema.Record(Schema.String, TokenStop)),
})

export const unknown = (chainId: Caip.ChainId): ChainState => ({ chainId, marks: [], halt: null })

export const isSame = (left: Mark, right: Mark): boolean =>
  left.number === right.number && left.hash === right.hash

/** Marks at about the same distance from the newest one share a place. */
const placeOf = (newest: Mark, mark: Mark): number =>
  Math.floor(Math.log2(newest.number - mark.number))

/** The newest mark, and of all others at about the same distance the oldest. */
const thinned = (newest: Mark, older: ReadonlyArray<Mark>): ReadonlyArray<Mark> => [
  newest,
  ...older.filter((mark, index) => {
    const next = older[index + 1]
    return next === undefined || placeOf(newest, mark) !== placeOf(newest, next)
  }),
]

/**
 * From which block on transfers are looked at again. What lies below a mark that stands stands, too, but for what was
 * written since the last look. So each time that there is a newer mark, it is from the mark before the last one on.
 */
export const checkedFrom = (
  { marks }: ChainState,
  standing: ReadonlyArray<Mark>,
  next: Mark | null,
): number => {
  const [newest, before] = standing
  const all = standing.length === marks.length
  if (all && newest !== undefined && (next === null || next.number <= newest.number)) {
    return newest.number + 1
  }
  return (all ? before : newest)?.number ?? 0
}

/**
 * Takes a newer mark, where the marks are as they were `seen`: somebody else may have been here. `standing` are those of
 * them that still stand. Null where nothing changes, such as for a node that is behind.
 */
export const advance = (
  current: ChainState,
  seen: ReadonlyArray<Mark>,
  standing: ReadonlyArray<Mark>,
  next: Mark,
): ChainState | null => {
  const [newest] = seen
  const [known] = current.marks
  const isAsSeen =
    newest === undefined || known === undefined ? newest === known : isSame(newest, known)
  const isNews =
    standing.length < seen.length || newest === undefined || next.number > newest.number
  if (!isAsSeen || !isNews) return null
  const older = standing.filter((mark) => mark.number < next.number)
  return { ...current, marks: thinned(next, older) }
}

/** Stops the chain's lanes, also where they are stopped for another reason. Null where they are for this one. */
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
  /** The nonce behind the last that may be one of them. */
  readonly untilNonce: number
}

/** Which account, since which nonce, and what to do. How many they are is for the operator to find out. */
export const foreignReason = ({ fromNonce, sender }: Omit<Foreign, "untilNonce">): string =>
  `account ${sender} sent what the ledger does not know, from nonce ${fromNonce} on: compare its transfers with the ledger, so that nothing is paid twice, then resume its lanes`

/**
 * Stops the chain's lanes because of such transactions: what they paid out would be paid again. Null where an operator
 * let them pass, or is told of the account already.
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

/** Lets the chain's lanes go on, and what they were stopped for pass. Null where they go on. */
export const resume = (current: ChainState): ChainState | null => {
  if (current.halt === null) return null
  const { foreign } = current.halt
  return {
    ...current,
    halt: null,
    ...(foreign !== undefined && { accepted: { ...current.accepted, ...foreign } }),
  }
}

/** Stops a token, of which nothing more is sent. Null if it is stopped. */
export const stopToken = (
  current: ChainState,
  address: Caip.Address,
  stop: TokenStop,
): ChainState | null =>
  current.stopped?.[address] === undefined
    ? { ...current, stopped: { ...current.stopped, [address]: stop } }
    : null

/** Has a token sent again. Null if it is not stopped. */
export const resumeToken = (current: ChainState, address: Caip.Address): ChainState | null => {
  const { [address]: stop, ...stopped } = current.stopped ?? {}
  return stop === undefined ? null : { ...current, stopped }
}
