/**
 * The credentials of a hosted page, in place of a key: one payment, one use of it, and a short lifetime.
 *
 * A token is never stored. It is sealed text that holds all of this, so any process accepts a token that another
 * issued, and nobody can extend one.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Packing from "../chain/Packing.ts"
import * as Limits from "../ground/Limits.ts"
import * as Mode from "../ground/Mode.ts"
import * as PayerSession from "../ground/PayerSession.ts"
import * as PaymentId from "../ground/PaymentId.ts"
import * as Seal from "../ground/Seal.ts"

/** `checkout` pays the payment, `collect` submits the payer's data; neither may do the other. */
export const uses = ["checkout", "collect"] as const
export type Use = (typeof uses)[number]

/** The rights of a token's holder. */
export interface Pass extends Schema.Schema.Type<typeof Pass> {}
export const Pass = Schema.Struct({
  use: Schema.Literals(uses),
  mode: Mode.Mode,
  paymentId: PaymentId.PaymentId,
  /** The accounts whose data is collected; none on a checkout. */
  accounts: Schema.Array(Caip.Account),
  /** The session whose confirm may use the collected data; none on a checkout. */
  session: Schema.optionalKey(PayerSession.PayerSession),
  /** Epoch milliseconds; from then on the token is refused. */
  endsAt: Schema.Int,
})

/** Missing, forged, or expired. The error does not distinguish the three. */
export class InvalidPageToken extends Schema.TaggedError<InvalidPageToken>()("InvalidPageToken", {
  message: Schema.String,
}) {}

export const invalid = new InvalidPageToken({
  message: "this page has expired: load it again",
})

const version = 3

/** The text of a token. */
export const issue = (pass: Pass, key: Seal.SealKeys): string => {
  const bytes = new Packing.Writer()
    .number(version, 1)
    .number(uses.indexOf(pass.use), 1)
    .number(Mode.Mode.literals.indexOf(pass.mode), 1)
    .text(pass.paymentId)
    .number(pass.endsAt, 6)
    .text(pass.session ?? "")
  for (const account of pass.accounts) bytes.account(account)
  return Seal.seal(key, "page", bytes.written())
}

const decode = Schema.decodeUnknownResult(Schema.toType(Pass))

const fromBytes = (bytes: Uint8Array): Result.Result<Pass, InvalidPageToken> => {
  const read = Packing.reader(bytes)
  const [format, use, mode] = [read.int(1), uses[read.int(1)], Mode.Mode.literals[read.int(1)]]
  const paymentId = read.text()
  const endsAt = read.int(6)
  const session = read.text()
  const accounts: Array<object> = []
  while (read.left() > 0) accounts.push(read.account())
  return format === version && read.ended()
    ? Result.mapError(
        decode({ use, mode, paymentId, accounts, endsAt, ...(session !== "" && { session }) }),
        () => invalid,
      )
    : Result.fail(invalid)
}

/** Reads an authentic token that has not expired. */
export const read = (
  text: string,
  key: Seal.SealKeys,
  now: number,
): Result.Result<Pass, InvalidPageToken> =>
  Seal.open(key, "page", text).pipe(
    Result.mapError(() => invalid),
    Result.flatMap(fromBytes),
    Result.filterOrFail(
      ({ endsAt }) => now < endsAt,
      () => invalid,
    ),
  )

/**
 * When the token of a checkout ends: an hour after its payment expires. A payment that was made in time may take a
 * while, and a payer who opens the page later may still watch it.
 */
export const checkoutEndsAt = (payment: { readonly expiresAt: number }, now: number): number =>
  Math.min(
    Math.max(payment.expiresAt * 1000, now) + Limits.checkoutOutlivesInMs,
    now + Limits.checkoutTokenMaxInMs,
  )

/** When the token of a form ends. */
export const collectEndsAt = (now: number): number => now + Limits.collectTokenInMs
