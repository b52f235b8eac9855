/**
 * Matches what a node sent to the calls of a request, by id. A body that does not have exactly one response to each
 * call is a fault.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Call, isBusy, isRateLimit, NodeRefused, type Reply } from "./Call.ts"
import { busy, type Fault, ofStatus, requestStatuses, saying, unreadable } from "./Fault.ts"
import * as Revert from "./Revert.ts"

/** One HTTP request: its calls, whose ids follow each other. A node may take only calls outside a list. */
export interface Request {
  readonly calls: ReadonlyArray<Call>
  readonly firstId: number
  readonly isList: boolean
}

/** What the node sent back. */
export interface Http {
  readonly status: number
  readonly body: string
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const RpcError = Schema.Struct({
  code: Schema.Number,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown),
})

/** One response. Some nodes write an `error` of null next to a result. */
const RpcResponse = Schema.Struct({
  id: Schema.Number,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.NullOr(RpcError)),
})
const decodeResponse = Schema.decodeUnknownOption(RpcResponse)
const decodeResponses = Schema.decodeUnknownOption(Schema.Array(RpcResponse))
/** A node's response when it refuses a whole request. */
const decodeRefusal = Schema.decodeUnknownOption(Schema.Struct({ error: RpcError }))

type Scrub = (message: string) => string

/** The JSON of a response. A request is also answered by a status for its content, if the body is a JSON-RPC error. */
const jsonOf = ({ isList }: Request, { body, status }: Http): Option.Option<unknown> => {
  const json = decodeJson(body)
  if (status < 300) return json
  const isAnswer = !isList && requestStatuses.has(status)
  return Option.filter(json, (value) => isAnswer && Option.isSome(decodeRefusal(value)))
}

type Responses = ReadonlyArray<typeof RpcResponse.Type>

/** Reads a body that is not a list. */
const readOne = (
  { calls, firstId, isList }: Request,
  body: unknown,
  scrub: Scrub,
): Result.Result<Responses, Fault> => {
  const response = decodeResponse(body)
  if (calls.length === 1 && Option.isSome(response) && response.value.id === firstId) {
    return Result.succeed([response.value])
  }
  const refusal = decodeRefusal(body)
  if (Option.isNone(refusal)) {
    return Result.fail({ ...unreadable, isOfRequest: Option.isSome(response) })
  }
  const { error } = refusal.value
  if (isBusy(error)) return Result.fail(busy(scrub(error.message)))
  // A node that could not read a query has no id for it.
  return isList
    ? Result.fail({
        message: saying("the node refused the request", scrub(error.message)),
        isOfRequest: true,
      })
    : Result.succeed([{ id: firstId, error }])
}

/** The result of a call; none if the response has neither a result nor an error. */
const replyOf = (
  { method }: Call,
  { error, result }: Responses[number],
  scrub: Scrub,
): Option.Option<Reply> => {
  if (error === undefined || error === null) {
    return result === undefined ? Option.none() : Option.some(Result.succeed(result))
  }
  const data = typeof error.data === "string" ? error.data : null
  const { code, message } = error
  const reason = data === null ? null : Revert.reasonOf(data)
  // Some nodes put the reason only into the data.
  const words = reason === null || message.includes(reason) ? message : `${message}: ${reason}`
  return Option.some(Result.fail(new NodeRefused({ method, code, message: scrub(words), data })))
}

/** The reply to each call of a request, in the calls' order. */
export const read = (
  request: Request,
  http: Http,
  scrub: Scrub,
): Result.Result<ReadonlyArray<Reply>, Fault> =>
  Result.gen(function* () {
    const { calls, firstId } = request
    const json = jsonOf(request, http)
    if (Option.isNone(json)) return yield* Result.fail(ofStatus(http.status, http.body, scrub))
    const list = decodeResponses(json.value)
    const responses = Option.isSome(list) ? list.value : yield* readOne(request, json.value, scrub)
    const byId = new Map(responses.map((each) => [each.id, each]))
    // If there are two responses to one query, it is impossible to know which is right.
    if (byId.size < responses.length) return yield* Result.fail(unreadable)
    for (const { error } of responses) {
      if (calls.length > 1 && error && /batch|response too large/iu.test(error.message)) {
        return yield* Result.fail<Fault>({ message: scrub(error.message), isOfRequest: true })
      }
    }
    const replies: Array<Reply> = []
    for (const [index, call] of calls.entries()) {
      const response = byId.get(firstId + index)
      const reply = response === undefined ? Option.none() : replyOf(call, response, scrub)
      if (Option.isNone(reply)) {
        const message = `${call.method} was left out`
        return yield* Result.fail<Fault>({ message, isOfRequest: response === undefined })
      }
      replies.push(reply.value)
    }
    // If the node responds to other calls of the request, it rests for none of them.
    const limits = replies.flatMap((reply) =>
      Result.isFailure(reply) && isRateLimit(reply.failure) ? [reply.failure] : [],
    )
    const [limit] = limits
    return limit !== undefined && limits.length === calls.length
      ? yield* Result.fail(busy(limit.message))
      : replies
  })
