/**
 * How the in-memory stores look up and write rows.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Tenant } from "../AccountStore.ts"
import { NotFound } from "../StorageError.ts"

/** Whether an object belongs to a tenant. */
export const isTenants = (tenant: Tenant, owned: Tenant): boolean =>
  owned.partnerId === tenant.partnerId && owned.mode === tenant.mode

/** A value that was looked up, or `NotFound` if it does not exist. */
export const requireFound = <A>(
  what: NotFound["what"],
  value: A | undefined,
): Result.Result<A, NotFound> =>
  value === undefined ? Result.fail(NotFound.of(what)) : Result.succeed(value)

/** One step of the event loop: nothing else runs between its reads and its writes. */
export const atomic = <A, E>(run: () => Result.Result<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => Effect.fromResult(run()))

interface Aged {
  readonly id: string
  readonly createdAt: number
}

export const oldestFirst = (left: Aged, right: Aged): number =>
  left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1)
