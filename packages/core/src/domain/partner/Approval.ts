/**
 * A second person's approval of one request: what somebody asked for, and what came of it.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Idempotency from "./Idempotency.ts"

/** It is part of a key that no text opens, and that fits this request once. */
export interface Approval extends Schema.Schema.Type<typeof Approval> {}
export const Approval = Schema.Struct({
  /** The operation by its name, such as `operator.float.withdraw`, and what it does in words. */
  operation: Schema.String,
  does: Schema.String,
  method: Schema.String,
  /** With the ids in it. */
  path: Schema.String,
  /**
   * The body as it is carried out, as JSON text; null if there is none, and after the end. No body that needs an approval
   * has a secret.
   */
  body: Schema.NullOr(Schema.String),
  /** Of who asks, and of everything that is carried out. */
  digest: Idempotency.Fingerprint,
  /** Who asks, by the name that the audit log records, and why. */
  askedBy: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  approved: Schema.optionalKey(Schema.Struct({ by: Schema.String, at: Schema.Int })),
  /** The Idempotency-Key of the call that used it: a retry of that call is no second use. */
  used: Schema.optionalKey(Schema.Struct({ idempotencyKey: Schema.NullOr(Schema.String) })),
})

/** Why somebody cannot approve or decline a request. */
export class ApprovalRefused extends Schema.TaggedError<ApprovalRefused>()("ApprovalRefused", {
  code: Schema.Literals(["forbidden", "invalid_state"]),
  message: Schema.String,
}) {}

const refuse = (code: ApprovalRefused["code"], message: string) =>
  new ApprovalRefused({ code, message })

export const refused = {
  ended: refuse(
    "invalid_state",
    "this request waits no longer: it was declined or carried out, or nobody approved it in time. Ask for it to be sent again",
  ),
  approved: refuse("invalid_state", "this request is approved already: who asked may repeat it"),
  own: refuse(
    "forbidden",
    "another person must approve this: not the one who asked, nor one who invited that person, was invited by them, or was invited by the same person",
  ),
  scope: refuse(
    "forbidden",
    "your key does not have the scope that this request needs: ask somebody who has it",
  ),
  nobody: refuse(
    "forbidden",
    "only a person with a session or a key of their own can approve: this call comes without a key",
  ),
} as const
