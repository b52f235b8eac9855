/**
 * The operator's API in this process: its operations without HTTP in between, as promises. Everything follows from the
 * contract.
 *
 * @example
 * const { id } = await florin.operator.partners.create({ name: "Corner Payments" })
 *
 * @module
 */
import type * as Call from "@florin/api/operator/Call"
import * as Contract from "@florin/api/operator/Client"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Doors from "../edge/Doors.ts"
import * as Groups from "../operations/Groups.ts"
import * as Job from "../operations/Job.ts"
import * as Operation from "../operations/Operation.ts"

/** Runs an effect on the ports of a service. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Operation.Ports>) => Promise<A>

export type { Client } from "@florin/api/operator/Client"

const named = new Map(Groups.operator.map((operation) => [operation.name, operation]))

const respond = Effect.fnUntraced(function* (
  { endpoint, group, members: given, options }: Call.Call<Call.Endpoint>,
  edge: Doors.Edge,
) {
  const operation = named.get(`operator.${group}.${endpoint.identifier}`)
  if (operation === undefined) return yield* Effect.die(`nothing carries out ${endpoint.path}`)
  const members = Operation.carried(given)
  const text = (member: string) => String(members[member] ?? "")
  const call: Operation.AnyCall<URLSearchParams> = {
    ...Operation.inProcess,
    caller: { _tag: "Operator", name: null, scopes: ApiKey.OperatorScope.literals },
    doors: Doors.make(edge),
    idempotencyKey: options.idempotencyKey,
    param: text,
    query: new URLSearchParams(
      operation.method === "GET"
        ? Object.entries(members).flatMap(([member, value]) =>
            [value].flat().map((each) => [member, String(each)]),
          )
        : [],
    ),
    display: { publicUrl: edge.publicUrl, catalog: yield* Assets },
  }
  const { body } = Operation.replyOf(
    yield* operation.respond(call, operation.takesBody ? members : undefined),
  )
  if (!(body instanceof Job.Running)) return body
  const running: Job.Running = body
  return yield* running.work((progress) => options.onProgress?.(progress))
})

/** An operation is made of its endpoint, so that its body is of the endpoint's type. */
const isOf = <E>(_endpoint: E, body: object): body is Call.Success<E> & object =>
  typeof body === "object"

/** The client over the ports of a service. */
export const make = (run: Run, edge: Doors.Edge): Contract.Client =>
  Contract.make(async (call) => {
    const body = await run(respond(call, edge))
    if (isOf(call.endpoint, body)) return body
    throw new Error(`${call.endpoint.path} has no body`)
  })
