/**
 * The operator's API over HTTP, as the same functions that `florin.operator` has in a process. It needs `effect`.
 *
 * @example
 * const operator = makeOperator({ baseUrl: "http://127.0.0.1:9464", apiKey, reason: "ticket 4711" })
 * for (const { id, name } of (await operator.partners.list()).partners) console.log(id, name)
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Client"
import type * as Job from "@florin/api/operator/Job"
import * as Connection from "./Connection.ts"
import * as EventStream from "./EventStream.ts"
import { Unreachable } from "./Failure.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"

export type { Client as Operator } from "@florin/api/operator/Client"

export interface CarrierOptions extends OperatorOptions {
  /** The merchant that a partner's calls are about. */
  readonly merchantId?: string
}

export interface OperatorOptions extends Connection.Options {
  /** Why you act: the audit log keeps it with each write. */
  readonly reason?: string
  /** Who acts, where no key says it: on the socket of a service. */
  readonly name?: string
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const encoded = (text: string | undefined) =>
  text === undefined ? undefined : encodeURIComponent(text)

/** Carries calls over HTTP, of the operator's contract or of the partner's. */
export const carrier = ({
  merchantId,
  name,
  reason,
  ...options
}: CarrierOptions): Contract.Carry => {
  const call = Connection.make(options)
  const prepare = Connection.makePrepare(options)
  return <E extends Contract.Endpoint>({ endpoint, members, options: how }: Contract.Call<E>) => {
    const { path } = endpoint
    const method = methods.find((each) => each === endpoint.method) ?? "GET"
    const { idempotencyKey = Contract.isOnce(endpoint) ? IdempotencyKey.make() : undefined } = how
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
    return Contract.isJob(endpoint)
      ? resultOf<Contract.Success<E> & object>(
          EventStream.listen(prepare(request), options.timeoutInMs, undefined),
          how.onProgress,
        )
      : call<Contract.Success<E> & object>({ ...request, responseMembers: [] })
  }
}

export const makeOperator = (options: OperatorOptions): Contract.Client =>
  Contract.make(carrier(options))

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
  onProgress: Contract.Options["onProgress"] = () => {},
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
