/**
 * Why the storage refuses a call or cannot respond. All stores share these errors.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Ledger from "../domain/money/Ledger.ts"

/** The storage cannot respond now. It is not known whether a write happened: read before deciding again. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()(
  "StorageUnavailable",
  {
    message: Schema.String,
    /**
     * By how much the clock of this process is ahead of the storage's (negative if it is behind), if that is the
     * reason.
     */
    clockDriftInMs: Schema.optionalKey(Schema.Int),
  },
) {}

/** Whether the storage refused because the process's clock is off: nothing was written, and the storage logs it once. */
export const isClockOff = (error: unknown): boolean =>
  error instanceof StorageUnavailable && error.clockDriftInMs !== undefined

/** There is no such object, or it belongs to somebody else. The error does not show which. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  what: Schema.Literals([
    "partner",
    "merchant",
    "payment",
    "destination",
    "key",
    "approval",
    "refund",
    "outflow",
    "payout",
    "inflow",
    "webhook",
    "delivery",
  ]),
  message: Schema.String,
}) {
  static readonly of = (what: NotFound["what"]) =>
    new NotFound({ what, message: `there is no such ${what === "outflow" ? "payout" : what}` })
}

/** Makes a reader of ids. A text that cannot be an id is treated like an unknown id. */
export const idReader = <Id extends string>(
  what: NotFound["what"],
  schema: Schema.Codec<Id, string>,
) => {
  const isId = Schema.is(schema)
  return (text: string): Result.Result<Id, NotFound> =>
    isId(text) ? Result.succeed(text) : Result.fail(NotFound.of(what))
}

/** A transfer or an authorization of the decision was claimed before, by this or another payment. */
export class ClaimTaken extends Schema.TaggedError<ClaimTaken>()("ClaimTaken", {
  claim: Schema.String,
  message: Schema.String,
}) {
  static readonly of = (claim: string) =>
    new ClaimTaken({ claim, message: "it was claimed before" })
}

/** The money or budget that the decision draws on does not cover it together with what other payments use of it. */
export class Uncovered extends Schema.TaggedError<Uncovered>()("Uncovered", {
  what: Schema.Literals(["account", "failures"]),
  message: Schema.String,
}) {
  static readonly of = () =>
    new Uncovered({
      what: "account",
      message: "other payments will use what the account holds or allows",
    })
  static readonly ofFailures = () =>
    new Uncovered({ what: "failures", message: "a budget for failed collects is used up" })
}

/** These replace the account in an error: neither is an account of the ledger. */
const creditAccount = "credit"
const limitAccount = "limit"

/** The decision would take more from a ledger account than it holds. */
export class Overdrawn extends Schema.TaggedError<Overdrawn>()("Overdrawn", {
  account: Schema.String,
  message: Schema.String,
}) {
  static readonly ofAccount = (account: Ledger.Account) =>
    new Overdrawn({
      account: Ledger.accountKey(account),
      message: "the ledger account does not hold this much",
    })
  get isOfCredit(): boolean {
    return this.account === creditAccount
  }
  static readonly ofCredit = () =>
    new Overdrawn({
      account: creditAccount,
      message: "the partner's credit does not cover the refund: grant more of it",
    })
  get isOfLimit(): boolean {
    return this.account === limitAccount
  }
  static readonly ofLimit = () =>
    new Overdrawn({
      account: limitAccount,
      message: "the partner's daily limit is reached: wait, or raise it",
    })
  static readonly ofFloat = () =>
    new Overdrawn({
      account: "float",
      message:
        "the operator's own money on the collecting account is not enough: deposit or move money there",
    })
}

/** The lease on the work expired and another worker has it, or the work is no longer due. Nothing was written. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  message: Schema.String,
}) {
  static readonly of = () =>
    new LeaseLost({ message: "another worker has leased this work: nothing was written" })
}

/** Another process signed on the lane first. Nothing was written: sign again for the current lane. */
export class LaneMoved extends Schema.TaggedError<LaneMoved>()("LaneMoved", {
  message: Schema.String,
}) {
  static readonly of = () => new LaneMoved({ message: "another process signed on the lane first" })
}

/** The key belongs to another request, or to another movement of the operator's own money. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()(
  "IdempotencyConflict",
  { message: Schema.String },
) {
  static readonly ofRequest = () =>
    new IdempotencyConflict({
      message: "this Idempotency-Key was used for another request: use a new one",
    })
  static readonly ofMovement = () =>
    new IdempotencyConflict({
      message: "this transaction or key is recorded with another movement: check both",
    })
}

/** A read of one object, which may not exist. */
export type Found<A> = Effect.Effect<A, NotFound | StorageUnavailable>

/** A read or a write that fails only in an outage. */
export type Read<A> = Effect.Effect<A, StorageUnavailable>

/** The one record that a read by its id finds. */
export const requireOne = <A>(what: NotFound["what"], read: Read<ReadonlyArray<A>>): Found<A> =>
  Effect.flatMap(read, ([found]) =>
    found === undefined ? Effect.fail(NotFound.of(what)) : Effect.succeed(found),
  )
