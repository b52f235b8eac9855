/**
 * Errors on the wire: their codes, and the status of each code.
 *
 * Existing clients decode a closed set of codes on payment and gateway endpoints. Merchant, settlement and refund
 * endpoints have a set of their own. The types reject a code outside its set here, so that it never breaks a client.
 *
 * @module
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Statuses from "./wire/Statuses.ts"
import * as Text from "./wire/Text.ts"

/** Every code that may appear, with its status. */
export const statuses = Statuses.ofCode

export type Code = keyof typeof statuses

/** One broken rule of a request: the field, and which value would be accepted. */
export interface Issue extends Schema.Schema.Type<typeof Issue> {}
export const Issue = Schema.Struct({
  field: Schema.String.annotate({ examples: ["settlements[3].asset"] }),
  message: Schema.String,
}).annotate({ identifier: "Issue" })

/** The body of every error. */
export interface Problem {
  readonly code: Code
  /** For the person who must act: what was wrong, in which field, and what to do. */
  readonly message: string
  readonly requestId: string
  /** For validation errors: every rule that was broken. */
  readonly issues?: ReadonlyArray<Issue>
}

export const body = <const Codes extends ReadonlyArray<Code>>(codes: Codes) =>
  Schema.Struct({
    code: Schema.Literals(codes),
    message: Text.plain("For people: the error, where it is, and what to do"),
    requestId: Text.plain("The same as the Request-Id header"),
    issues: Schema.optionalKey(
      Schema.Array(Issue).annotate({ description: "Validation errors only: each violated rule" }),
    ),
  })

/** A signature or a transaction that is well-formed but wrong. */
export const unprocessable = body(["params_validation"]).pipe(HttpApiSchema.status(422))

/** Codes that any endpoint may return before it processes the request. */
export const everywhere = [
  "invalid_params",
  "params_validation",
  "header_not_ascii",
  "invalid_api_version",
  "unknown_api_version",
  "api_version_downgrade",
  "missing_api_key",
  "invalid_api_key",
  "forbidden",
  "step_up_required",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal_error",
  "unavailable",
] as const satisfies ReadonlyArray<Code>

const bodyWith = (status: number, codes: readonly [Code, ...ReadonlyArray<Code>]) =>
  body(codes).pipe(HttpApiSchema.status(status))

const bodies = new Map<string, ReturnType<typeof bodyWith>>()

/** The same schema for the same codes: most endpoints have most errors in common, and each schema costs memory. */
const sharedBody = (...[status, codes]: Parameters<typeof bodyWith>) => {
  const key = codes.join()
  const made = bodies.get(key) ?? bodyWith(status, codes)
  bodies.set(key, made)
  return made
}

/**
 * The errors of an endpoint as schemas, one for each status: the codes that it names, and those of every endpoint.
 */
export const errors = (...own: ReadonlyArray<Code>) => {
  const codes = [...new Set<Code>([...everywhere, ...own])].toSorted()
  return [...new Set(codes.map((code) => statuses[code]))]
    .toSorted((left, right) => left - right)
    .flatMap((status) => {
      const [first, ...rest] = codes.filter((code) => statuses[code] === status)
      return first === undefined ? [] : [sharedBody(status, [first, ...rest])]
    })
}
