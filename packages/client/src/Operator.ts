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
import type * as Parts from "@florin/api/Parts"
import * as Connection from "./Connection.ts"
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
    return call<Parts.Success<E> & object>({
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
      responseMembers: [],
    })
  }
}

export const makeOperator = (options: OperatorOptions): Contract.Client =>
  Contract.make(carrier(options))

/** A value of the query. */
const textOf = (value: unknown): string | ReadonlyArray<string> | undefined => {
  if (value === undefined) return undefined
  return Array.isArray(value) ? value.map(String) : String(value)
}
