/**
 * Requests that wait for a second person on the wire.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

export interface Approval extends Schema.Schema.Type<typeof Approval> {}
export const Approval = Schema.Struct({
  id: Text.keyId.annotate({ description: "The header `Approval` of the response that refused it" }),
  operation: Schema.String.annotate({
    description: "What it does, as a name",
    examples: ["settlements.change"],
  }),
  does: Text.plain("What it does, in words"),
  method: Schema.String,
  path: Text.plain("With the ids in it"),
  body: Schema.NullOr(Schema.JsonObject).annotate({
    description: "The body, as it is carried out. Null if there is none",
  }),
  scope: ApiKey.Scope.annotate({ description: "The scope that a decision on it needs" }),
  askedBy: Text.plain("The name of the person or the key"),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why, in that person's words" }),
  isOwn: Schema.Boolean.annotate({ description: "Whether you asked for it" }),
  mayApprove: Schema.Boolean.annotate({
    description:
      "Whether it waits, and you may approve it: you did not ask for it, and are of another origin than the person who did",
  }),
  createdAt: Text.dateTime,
  validUntil: Text.dateTime.annotate({
    description: "Until when it can be approved, and repeated",
  }),
  approvedBy: Schema.NullOr(Schema.String).annotate({ description: "Null while it waits" }),
}).annotate({ identifier: "Approval" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ approvals: Schema.Array(Approval) }).annotate({
  identifier: "ApprovalList",
})

/** The request that was decided on. */
export interface Decided extends Schema.Schema.Type<typeof Decided> {}
export const Decided = Schema.Struct({ id: Approval.fields.id }).annotate({
  identifier: "DecidedApproval",
})

const decision = { success: Decided, refusals: ["not_found", "invalid_state"] } as const

/** What each of these calls is for a partner, and for the operator. */
export const calls = {
  list: {
    summary: "List requests that wait for a second person",
    description:
      "The list has waiting and approved requests, newest first: those that you asked for, and those on which your scopes let you decide.",
    success: List,
  },
  approve: {
    ...decision,
    summary: "Approve a request of another person",
    description:
      "The person who asked can then repeat the same call, once. That person cannot approve it, and neither can the person who invited them, people whom they invited, or people whom the same person invited. In a session, approving needs a passkey. If you approve again, you get the same response.",
  },
  decline: {
    ...decision,
    summary: "Decline a request",
    description:
      "Ends the request, also if it was approved and not repeated yet. You may decline your own.",
  },
} as const
