/**
 * The API calls about one payment in a server's request log.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * The parts of a logged call that an explanation shows. It leaves out the parts that are for the operator of the server
 * alone.
 */
export interface Request extends Schema.Schema.Type<typeof Request> {}
export const Request = Schema.Struct({
  at: Schema.Number,
  requestId: Schema.String,
  method: Schema.String,
  route: Schema.NullOr(Schema.String),
  params: Schema.Record(Schema.String, Schema.String),
  status: Schema.Number,
  code: Schema.NullOr(Schema.String),
  durationInMs: Schema.Number,
  keyId: Schema.NullOr(Schema.String),
})

const decode = Schema.decodeOption(Schema.fromJsonString(Request))

/** The requests in a log; other lines are skipped. */
export const parse = (text: string): ReadonlyArray<Request> =>
  text.split("\n").flatMap((line) => Option.toArray(decode(line)))

interface Shown {
  readonly paymentId: string
  readonly refunds?: ReadonlyArray<{ readonly refundId: string }>
}

/** The requests whose path contains the payment or one of its refunds. */
export const about = (
  { paymentId, refunds = [] }: Shown,
  requests: ReadonlyArray<Request>,
): ReadonlyArray<Request> => {
  const ids = new Set<string>([paymentId, ...refunds.map(({ refundId }) => refundId)])
  return requests.filter(({ params }) => Object.values(params).some((value) => ids.has(value)))
}
