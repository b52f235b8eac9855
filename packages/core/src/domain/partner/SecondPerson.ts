/**
 * A request that a second person approves: it is kept like a key, passes once, and ends with the key that asks.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as Limits from "../ground/Limits.ts"
import * as ApiKey from "./ApiKey.ts"
import * as Approval from "./Approval.ts"

/** A request that waits for a second person. It ends with the key that asks; null if none was used. */
export const ask = (
  by: ApiKey.ApiKey | null,
  asked: Pick<ApiKey.ApiKey, "id" | "mode" | "owner"> & {
    readonly scope: ApiKey.Scope
    readonly approval: Approval.Approval
  },
  now: number,
): ApiKey.ApiKey => ({
  ...Struct.pick(asked, ["approval", "id", "mode", "owner"]),
  ...ApiKey.unused(now),
  hash: ApiKey.hash(`florin/approval/1\n${asked.id}`),
  hint: "",
  name: asked.approval.operation,
  expiresAt: now + Limits.approvalInMs,
  scopes: [asked.scope],
  use: "approval",
  ...(by !== null && { madeBy: ApiKey.descent(by), person: ApiKey.personOf(by) }),
})

/** Reads a request that was not carried out yet, and changes it. */
const decide = (
  asked: ApiKey.ApiKey,
  now: number,
  then: (approval: Approval.Approval) => Result.Result<ApiKey.ApiKey, Approval.ApprovalRefused>,
): Result.Result<ApiKey.ApiKey, Approval.ApprovalRefused> =>
  asked.approval === undefined ||
  asked.approval.used !== undefined ||
  Result.isFailure(ApiKey.check(asked, now))
    ? Result.fail(Approval.refused.ended)
    : then(asked.approval)

/** Lets a request pass once. Who approved it may say so again, as a client does whose response was lost. */
export const approve = (asked: ApiKey.ApiKey, by: string, now: number) =>
  decide(asked, now, (approval) => {
    if (approval.approved === undefined) {
      return Result.succeed({ ...asked, approval: { ...approval, approved: { by, at: now } } })
    }
    return approval.approved.by === by
      ? Result.succeed(asked)
      : Result.fail(Approval.refused.approved)
  })

/** Ends a request, also one that was approved. One that has ended so stays as it is. */
export const decline = (asked: ApiKey.ApiKey, now: number) =>
  asked.approval?.used === undefined && asked.revokedAt !== null
    ? Result.succeed(asked)
    : decide(asked, now, (approval) =>
        Result.succeed(ApiKey.revoke({ ...asked, approval: { ...approval, body: null } }, now)),
      )

/** Uses an approval: of two calls that use it at once, one passes. */
export const use = (asked: ApiKey.ApiKey, idempotencyKey: string | null, now: number) =>
  decide(asked, now, (approval) =>
    approval.approved === undefined
      ? Result.fail(Approval.refused.ended)
      : Result.succeed({
          ...asked,
          approval: { ...approval, body: null, used: { idempotencyKey } },
        }),
  )
