/**
 * A call of an endpoint, whatever carries it. A program that makes one call loads no other endpoint.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Stream from "effect/Stream"
import type * as Parts from "../Parts.ts"
import type * as Job from "./Job.ts"

export interface Options {
  /** A retry with the same key gets the first response, and changes nothing. */
  readonly idempotencyKey?: string
  /** Hears of the progress of a job. */
  readonly onProgress?: (progress: Job.Progress) => void
}

type ResultOf<Said> = Said extends { readonly result: infer A } ? A : never

/** What a call resolves with: the successful response, or the result of a job. */
export type Success<E> =
  Parts.Success<E> extends Stream.Stream<{ readonly data: infer Said }>
    ? ResultOf<Said>
    : Parts.Success<E>

/** What is known of an endpoint, whatever its types are. */
export interface Endpoint {
  readonly identifier: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly headers: Schema.Top | undefined
  readonly success: ReadonlySet<Schema.Top>
}

/** A call of an endpoint. */
export interface Call<E extends Endpoint> {
  readonly group: string
  readonly endpoint: E
  readonly members: Schema.JsonObject
  readonly options: Options
}

/** Carries a call, and resolves with the body of its response. */
export type Carry = <E extends Endpoint>(call: Call<E>) => Promise<Success<E> & object>

/** The schema of a header in the contract. */
export const headerOf = ({ headers }: Pick<Endpoint, "headers">, header: string) =>
  headers !== undefined && SchemaAST.isObjects(headers.ast)
    ? headers.ast.propertySignatures.find(({ name }) => name === header)
    : undefined

/** Whether an endpoint creates or moves something, so that a call has an idempotency key. */
export const isOnce = (endpoint: Endpoint): boolean =>
  headerOf(endpoint, "idempotency-key") !== undefined

/** Whether the response of an endpoint is the stream of a job. */
export const isJob = ({ success }: Endpoint): boolean =>
  [...success].some((each) => "_tag" in each && each._tag === "StreamSse")
