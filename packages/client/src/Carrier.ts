/**
 * Carries calls over HTTP. A program that makes calls of its own choice loads no endpoint that it does not call.
 *
 * @module
 */
import * as Call from "@florin/api/operator/Call"
import type * as Job from "@florin/api/operator/Job"
import * as Connection from "./Connection.ts"
import * as EventStream from "./EventStream.ts"
import { Unreachable } from "./Failure.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"

export interface OperatorOptions extends Connection.Options {
  /** Why you act: the audit log keeps it with each write. */
  readonly reason?: string
  /** Who acts, where no key says it: on the socket of a service. */
  readonly name?: string
}

interface CarrierOptions extends OperatorOptions {
  /** The merchant that a partner's calls are about. */
  readonly merchantId?: string
}

const encoded = (text: string | undefined) =>
  text === undefined ? undefined : encodeURIComponent(text)

/** Carries calls over HTTP, of the operator's contract or of the partner's. */
export const carrier = ({ merchantId, name, reason, ...options }: CarrierOptions): Call.Carry => {
  const call = Connection.make(options)
  const prepare = Connection.makePrepare(options)
  return <E extends Call.Endpoint>({ endpoint, members, options: how }: Call.Call<E>) => {
    const { method, path } = endpoint
    const { idempotencyKey = Call.isOnce(endpoint) ? IdempotencyKey.make() : undefined } = how
    const params = new Set<string>()
    const filled = path.replaceAll(/:(\w+)/gu, (_, param: string) => {
      params.add(param)
      return encodeURIComponent(String(members[param] ?? ""))
    })
    const rest = Object.entries(members).filter(([member]) => !params.has(member))
    const request = {
      method,
      path: filled,
      headers: {
        "Idempotency-Key": idempotencyKey,
        "Merchant-Id": merchantId,
        "Florin-Operator": encoded(name),
        "Florin-Reason": encoded(reason),
      },
      ...(method === "GET" || method === "DELETE"
        ? { query: Object.fromEntries(rest.map(([member, value]) => [member, textOf(value)])) }
        : { body: Object.fromEntries(rest) }),
    }
    return Call.isJob(endpoint)
      ? resultOf<Call.Success<E> & object>(
          EventStream.listen(prepare(request), options.timeoutInMs, undefined),
          how.onProgress,
        )
      : call<Call.Success<E> & object>({ ...request, responseMembers: [] })
  }
}

/** A value of the query. */
const textOf = (value: unknown): string | ReadonlyArray<string> | undefined => {
  if (value === undefined) return undefined
  return Array.isArray(value) ? value.map(String) : String(value)
}

const isProgress = (value: unknown): value is Job.Progress =>
  Connection.isObject(value) && typeof value["done"] === "number"

/** The service follows its own contract: an older client gets no other result from it. */
const isResult = <A>(value: unknown): value is A => Connection.isObject(value)

/** Follows a job to its end. */
const resultOf = async <A extends object>(
  heard: ReturnType<typeof EventStream.listen>,
  onProgress: Call.Options["onProgress"] = () => {},
): Promise<A> => {
  for await (const { data } of heard) {
    const said = data === undefined ? undefined : Connection.parse(data)
    if (!Connection.isObject(said)) continue
    const { problem, progress, result } = said
    if (isProgress(progress)) onProgress(progress)
    if (problem !== undefined) throw Connection.refusedBy(problem)
    if (isResult<A>(result)) return result
  }
  throw new Unreachable("the connection ended before the job: call again, and it starts again")
}
