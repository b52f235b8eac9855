/**
 * Queries one chain's nodes by JSON-RPC. Queries made at the same time are sent in few requests, every response is
 * matched to its query by id, and a response that cannot be decoded is rejected.
 *
 * Providers limit the calls of a request, to 10, 3 or 1. Requests begin with {@link Options.batchMax} calls and shrink
 * for each node that refuses them, down to single calls.
 *
 * Providers also refuse single methods. Searches of logs and transactions that are sent therefore go in requests of
 * their own, and a node that refuses them rests for them only. What one node refuses, the next one is asked for.
 *
 * No message contains a node's URL, which may carry a key, or a caller's transaction.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { getHttpRpcClient } from "viem/utils"
import * as Revert from "./Revert.ts"

/** A call to a node, and how its response is decoded. */
export interface Query<A> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly read: (response: unknown) => Option.Option<A>
}

/** The node itself refused the call: a revert, a used nonce, an unknown method. */
export class NodeRefused extends Schema.TaggedError<NodeRefused>()("NodeRefused", {
  method: Schema.String,
  code: Schema.Number,
  message: Schema.String,
  /** The data of the contract's revert, as hex. */
  data: Schema.NullOr(Schema.String),
}) {}

/** Queries a node. All queries of one kind and of one turn of the event loop are sent as one request, to one node. */
export interface Ask {
  /** Runs a query. A refusal counts as no response. */
  readonly ask: <A>(query: Query<A>) => Effect.Effect<A, ChainUnavailable>
  /** Runs a query. A refusal by the node is a result. */
  readonly attempt: <A>(
    query: Query<A>,
  ) => Effect.Effect<Result.Result<A, NodeRefused>, ChainUnavailable>
}

/** How many blocks of logs a node searches in one call. */
interface LogBlocks {
  readonly blocks: number
  readonly since: number
  /** Since when no search got a response, while other calls did. */
  readonly silentSince?: number
  /** How many are tried next; by default a few times as many. */
  readonly next?: number
}

/** What was learnt of the nodes from their responses. It is lost when the process ends, and learnt again. */
export interface Learnt {
  /** Whether the nodes take calls without a recipient. */
  takesProgram: boolean
  /** Whether the chain is a local one; null until a node reported it. */
  isLocal: boolean | null
  /** How many hosts do not respond, or are far behind the others. */
  awayHosts: number
  /** Whether at least one node keeps the states of old blocks; null until one was asked. */
  keepsStates: boolean | null
  /** How many blocks of logs each node searches in one call: 0 if it has no logs. */
  readonly logBlocks: Map<Ask, LogBlocks>
  /** The block in which an account's nonce was used, by account and nonce. */
  readonly nonceBlocks: Map<string, number>
  /** A block after which an authorization was spent, or a permit left nothing to take, by its nonce. */
  readonly spentBlocks: Map<string, { readonly number: number; readonly hash: string }>
  /** Our accounts of which nodes take one transaction at a time, because they delegate (EIP-7702). */
  readonly limited: Set<Caip.Address>
}

export const nothingLearnt = (): Learnt => ({
  takesProgram: true,
  isLocal: null,
  awayHosts: 0,
  keepsStates: null,
  logBlocks: new Map(),
  nonceBlocks: new Map(),
  spentBlocks: new Map(),
  limited: new Set(),
})

/** Adds an entry, and keeps only the newest ones. */
export const learn = <A>(map: Map<string, A>, key: string, value: A): void => {
  map.delete(key)
  const [oldest] = map.keys()
  if (map.size >= learntMax && oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}
const learntMax = 1_000

export interface Rpc extends Ask {
  readonly chainId: Caip.ChainId
  readonly learnt: Learnt
  /** Every node on its own: one node that has the result, or takes the transaction, is enough. */
  readonly nodes: ReadonlyArray<Ask>
  /** The nodes of each host on their own, for results that need more than one host. */
  readonly hosts: ReadonlyArray<Rpc>
  /** Whether every node timed out when it was last asked. */
  readonly isSilent: () => boolean
}

export interface Options {
  readonly chainId: Caip.ChainId
  /** In the order in which they are asked. */
  readonly urls: ReadonlyArray<Redacted.Redacted>
  readonly answerWithinInMs: number
  /** How many calls go into one request at most; fewer if a node refuses that many. */
  readonly batchMax: number
}

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
const decodeHexNumber = Schema.decodeUnknownOption(
  Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/u)),
)

/**
 * Kinds of calls. Each has requests of its own, and a node rests for each on its own: a refused search of logs must not
 * stop the reads that payers wait for.
 */
type Kind = "reads" | "logs" | "sends"
const kindOf = (method: string): Kind => {
  if (method === "eth_getLogs") return "logs"
  return method === "eth_sendRawTransaction" ? "sends" : "reads"
}

/** Methods that the service can do without: a node that limits only these is asked for everything else. */
const optionalMethods = new Set(["eth_maxPriorityFeePerGas", "eth_feeHistory"])

/** The error code for a call that exceeds a limit. Some providers use it for too many requests, too. */
const limitExceeded = -32005
/** Error codes of providers for too many requests, and of some for too much work in one. */
const busyCodes = new Set([429, limitExceeded, -32029])
const isTooMuch = ({ message }: Pick<typeof RpcError.Type, "message">): boolean =>
  /batch|range|results|too large/iu.test(message)
const isBusy = (error: Pick<typeof RpcError.Type, "code" | "message">): boolean =>
  busyCodes.has(error.code) && !isTooMuch(error)

/**
 * Whether a refusal means that the node takes no calls now, rather than not this one. If a search of logs exceeds a
 * limit, a smaller one may not.
 */
const isRateLimit = (refused: NodeRefused): boolean =>
  isBusy(refused) &&
  !optionalMethods.has(refused.method) &&
  !(refused.method === "eth_getLogs" && refused.code === limitExceeded)

/**
 * Why a node did not respond. After some faults a node is left alone for a while: it is asked only if no other does
 * better.
 */
interface Fault {
  readonly message: string
  readonly isLeftAlone: boolean
  /** The request timed out. */
  readonly isSilent: boolean
  /** The request was refused as a whole: a smaller one may be accepted. */
  readonly isOfRequest: boolean
}
const fault = (message: string, more: Partial<Fault> = {}): Fault => ({
  message,
  isLeftAlone: false,
  isSilent: false,
  isOfRequest: false,
  ...more,
})
/** A message with the node's own words, if it gave any. */
const saying = (message: string, words: string): string =>
  words === "" ? message : `${message}: ${words}`
const busy = (words = ""): Fault =>
  fault(saying("the node limits the request rate", words), { isLeftAlone: true })
const stranger = fault("the node serves another chain", { isLeftAlone: true })
const unreadable = fault("the node's response is not valid")

/** HTTP statuses with which nodes refuse a request because of its content, not because of its sender or its rate. */
const requestStatuses = new Set([400, 413, 422])

/** The fault for an HTTP status without a readable response; the status is 0 if there was no response. */
const faultOf = (status: number, words: string): Fault => {
  if (status === 0) return fault("the node could not be reached")
  if (status === 429 || status === 503) return busy(words)
  if (status < 400) return unreadable
  return fault(saying(`the node responded with HTTP ${status}`, words), {
    isOfRequest: requestStatuses.has(status) || /batch/iu.test(words),
  })
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeWords = Schema.decodeUnknownOption(
  Schema.Union([
    Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }),
    Schema.Struct({ error: Schema.String }),
    Schema.Struct({ message: Schema.String }),
  ]),
)

/** The text in the body of a failed request: a JSON message or a line of text. The text of an HTML page is ignored. */
const wordsOf = (body: string): string => {
  const json = decodeJson(body)
  if (Option.isNone(json)) return body.trimStart().startsWith("<") ? "" : body
  const words = Option.getOrUndefined(decodeWords(json.value))
  if (words === undefined) return ""
  if ("message" in words) return words.message
  return typeof words.error === "string" ? words.error : words.error.message
}

type Call = Pick<Query<unknown>, "method" | "params">
type Reply = Result.Result<unknown, NodeRefused>

interface Asked {
  readonly call: Call
  readonly response: Deferred.Deferred<Reply, ChainUnavailable>
}

/** The same query from several callers is sent once. */
const keyOf = ({ method, params }: Call): string => `${method}:${JSON.stringify(params)}`

/** A node that took fewer calls in a request may take more later: testing that costs one refused request. */
const growAfterInMs = 10 * 60_000
/** So that a node which takes single calls does not get dozens of them in one moment. */
const requestsAtOnce = 10

const restFirstInMs = 500
const restLongestInMs = 30_000

/** The result of a call; undefined if the response has neither a result nor an error. */
const replyOf = (
  { method }: Call,
  { error, result }: typeof RpcResponse.Type,
  scrub: (message: string) => string,
): Option.Option<Reply> => {
  if (error !== undefined && error !== null) {
    const data = typeof error.data === "string" ? error.data : null
    const { code, message } = error
    const reason = data === null ? null : Revert.reasonOf(data)
    // Some nodes put the reason only into the data.
    const words = reason === null || message.includes(reason) ? message : `${message}: ${reason}`
    return Option.some(Result.fail(new NodeRefused({ method, code, message: scrub(words), data })))
  }
  return result === undefined ? Option.none() : Option.some(Result.succeed(result))
}

/** Removes quoted requests, and the URL and key that they were sent to, from messages of nodes. */
const scrubber = (url: string) => {
  const secrets = url.split(/[/?&=@:]+/u).filter(({ length }) => length > 5)
  return (message: string): string =>
    secrets
      .reduce((text, secret) => text.replaceAll(secret, "…"), message)
      .replaceAll(/https?:\S+|(?:0x)?[0-9a-fA-F]{32,}/gu, "…")
      .replaceAll(/[\s\p{C}]+/gu, " ")
      // In texts of ours they mark commands to paste.
      .replaceAll("`", "'")
      .trim()
      .slice(0, 200)
}

const chunksOf = (calls: ReadonlyArray<Call>, size: number) =>
  Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
    calls.slice(index * size, (index + 1) * size),
  )

const chainIdCall: Call = { method: "eth_chainId", params: [] }

/** One node. For each kind of calls, it must report its chain id before it is first trusted, and after every fault. */
const makeNode = ({ answerWithinInMs, batchMax, chainId }: Options, url: Redacted.Redacted) => {
  const client = getHttpRpcClient(Redacted.value(url), { timeout: 0 })
  const scrub = scrubber(Redacted.value(url))
  let lastId = 0

  /** How many calls the node takes in one request; 0 if it takes no list of calls, not even of one. */
  let size = batchMax
  let shrunkAt = 0

  const post = (calls: ReadonlyArray<Call>, isList: boolean) => {
    const firstId = lastId + 1
    lastId += calls.length
    const list = calls.map((call, index) => ({
      id: firstId + index,
      method: call.method,
      params: call.params,
    }))
    const [only] = list
    const body = isList || only === undefined ? list : only
    let status = 0
    let said = ""
    const onResponse = async (response: Response) => {
      status = response.status
      if (status >= 400) said = await response.clone().text()
    }
    return Effect.tryPromise({
      try: (signal) => client.request({ body, fetchOptions: { signal }, onResponse }),
      catch: () => faultOf(status, scrub(wordsOf(said))),
    }).pipe(
      // If its body has a JSON-RPC error, it counts as a response: for a single call, that error is the result.
      Effect.filterOrElse(
        () => status < 400 || (!isList && requestStatuses.has(status)),
        () => Effect.fail(faultOf(status, scrub(wordsOf(said)))),
      ),
      Effect.timeoutOrElse({
        duration: answerWithinInMs,
        orElse: () =>
          Effect.fail(
            fault(`the node did not respond within ${answerWithinInMs} ms`, { isSilent: true }),
          ),
      }),
      Effect.flatMap((response) => Effect.fromResult(read(calls, firstId, response, isList))),
    )
  }

  /** Reads a body that is not a list. */
  const readOne = (
    calls: ReadonlyArray<Call>,
    firstId: number,
    body: unknown,
    isList: boolean,
  ): Result.Result<ReadonlyArray<typeof RpcResponse.Type>, Fault> => {
    const response = decodeResponse(body)
    if (calls.length === 1 && Option.isSome(response) && response.value.id === firstId) {
      return Result.succeed([response.value])
    }
    const refusal = decodeRefusal(body)
    if (Option.isNone(refusal)) {
      return Result.fail(
        Option.isSome(response) ? { ...unreadable, isOfRequest: true } : unreadable,
      )
    }
    const { error } = refusal.value
    if (isBusy(error)) return Result.fail(busy(scrub(error.message)))
    // A node that could not read a query has no id for it.
    return isList
      ? Result.fail(
          fault(saying("the node refused the request", scrub(error.message)), {
            isOfRequest: true,
          }),
        )
      : Result.succeed([{ id: firstId, error }])
  }

  const read = (
    calls: ReadonlyArray<Call>,
    firstId: number,
    body: unknown,
    isList: boolean,
  ): Result.Result<ReadonlyArray<Reply>, Fault> => {
    const list = decodeResponses(body)
    const responses = Option.isSome(list)
      ? Result.succeed(list.value)
      : readOne(calls, firstId, body, isList)
    if (Result.isFailure(responses)) return Result.fail(responses.failure)
    const byId = new Map(responses.success.map((each) => [each.id, each]))
    // If there are two responses to one query, it is impossible to know which is right.
    if (byId.size < responses.success.length) return Result.fail(unreadable)
    for (const { error } of responses.success) {
      if (calls.length > 1 && error && /batch|response too large/iu.test(error.message)) {
        return Result.fail(fault(scrub(error.message), { isOfRequest: true }))
      }
    }
    const replies: Array<Reply> = []
    for (const [index, call] of calls.entries()) {
      const response = byId.get(firstId + index)
      if (response === undefined) {
        return Result.fail(fault(`${call.method} was left out`, { isOfRequest: true }))
      }
      const reply = replyOf(call, response, scrub)
      if (Option.isNone(reply)) return Result.fail(fault(`${call.method} was left out`))
      replies.push(reply.value)
    }
    // If the node responds to other calls of the request, it rests for none of them.
    const limits = replies.flatMap((reply) =>
      Result.isFailure(reply) && isRateLimit(reply.failure) ? [reply.failure] : [],
    )
    const [limit] = limits
    if (limit !== undefined && limits.length === calls.length) {
      return Result.fail(busy(limit.message))
    }
    return Result.succeed(replies)
  }

  /** Fails unless the node serves the configured chain. */
  const requireOurChain = Effect.fnUntraced(function* (reply: Reply | undefined) {
    if (reply !== undefined && Result.isFailure(reply)) {
      const { message } = reply.failure
      return yield* Effect.fail(fault(saying("the node does not report its chain id", message)))
    }
    const text = decodeHexNumber(reply?.success)
    if (Option.isSome(text) && Number(text.value) === Eip155.numberOf(chainId)) return
    yield* Effect.logError("a node serves another chain: check its address", { chainId })
    return yield* Effect.fail(stranger)
  })

  /**
   * Remembers the smaller size that was accepted in place of a refused request. If one of its calls was refused on its
   * own, the request may have been refused because of that call, so the size stays.
   */
  const shrink = Effect.fnUntraced(function* (to: number, replies: ReadonlyArray<Reply>) {
    if (to >= size || !replies.every((each) => Result.isSuccess(each) || isRevert(each.failure))) {
      return
    }
    size = to
    shrunkAt = yield* Clock.currentTimeMillis
    yield* Effect.logInfo("a node accepts fewer calls in one request", { chainId, calls: to })
  })

  type Asking = Effect.Effect<ReadonlyArray<Reply>, Fault>

  /** Sends a call outside a list. If a node refuses to report its chain id, it is asked nothing else. */
  const askAlone = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const replies = yield* post(calls, false)
    if (calls[0] === chainIdCall) yield* requireOurChain(replies[0])
    yield* shrink(0, replies)
    return replies
  })

  /** Sends one request, or several smaller ones if the node refuses it. */
  const askTogether = (calls: ReadonlyArray<Call>, isList: boolean): Asking =>
    post(calls, isList).pipe(
      Effect.catchIf(
        ({ isOfRequest }) => isOfRequest && isList,
        () => {
          const half = Math.ceil(calls.length / 2)
          // The rest waits: a node that refuses one call refuses all of them.
          return calls.length < 2
            ? askAlone(calls)
            : Effect.gen(function* () {
                const first = yield* askTogether(calls.slice(0, half), isList)
                const replies = [...first, ...(yield* askEach(calls.slice(half)))]
                yield* shrink(half, replies)
                return replies
              })
        },
      ),
    )

  /** Sends as many requests as the node needs. */
  const askEach = (calls: ReadonlyArray<Call>): Asking =>
    Effect.map(
      Effect.forEach(chunksOf(calls, Math.max(1, size)), (chunk) => askTogether(chunk, size > 0), {
        concurrency: requestsAtOnce,
      }),
      (replies) => replies.flat(),
    )

  /** The node for one kind of calls: it rests for them after a fault. */
  const makeServer = () => {
    let isChecked = false
    let failures = 0
    let rests = 0
    let restsUntil = 0
    let leftAloneFor: Fault | null = null
    let isSilent = false

    const rest = Effect.fnUntraced(function* (why: Fault) {
      failures++
      isChecked = false
      leftAloneFor = why.isLeftAlone ? why : null
      isSilent = why.isSilent
      const now = yield* Clock.currentTimeMillis
      // Requests that fail together count once.
      if (now < restsUntil) return
      rests++
      const jitter = yield* Random.nextBetween(0.8, 1.2)
      const restInMs = Math.min(restLongestInMs, restFirstInMs * 2 ** Math.min(rests - 1, 10))
      restsUntil = now + restInMs * jitter
    })

    const askNow = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
      const failuresBefore = failures
      const isFirst = !isChecked
      const now = yield* Clock.currentTimeMillis
      if (size < batchMax && now - shrunkAt >= growAfterInMs) {
        size = Math.min(batchMax, Math.max(1, size * 2))
        shrunkAt = now
      }
      // The first request holds as many calls as fit next to the chain id; the others wait until the node has reported
      // it.
      const early = isFirst ? Math.max(0, size - 1) : 0
      const [chain, ...first] = isFirst
        ? yield* askEach([chainIdCall, ...calls.slice(0, early)])
        : []
      if (isFirst) yield* requireOurChain(chain)
      const replies = [...first, ...(yield* askEach(calls.slice(early)))]
      // A request from before a failure does not show the node's state after it.
      if (failures === failuresBefore) {
        isChecked = true
        leftAloneFor = null
        isSilent = false
        rests = 0
        restsUntil = 0
      }
      return replies
    }, Effect.tapError(rest))

    const ask = (calls: ReadonlyArray<Call>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        leftAloneFor !== null && now < restsUntil ? Effect.fail(leftAloneFor) : askNow(calls),
      )

    return {
      ask,
      /** A resting node is asked only after the others. */
      isResting: (now: number): boolean => now < restsUntil,
      isSilent: (): boolean => isSilent,
    }
  }

  return { reads: makeServer(), logs: makeServer(), sends: makeServer() }
}

type Node = ReturnType<typeof makeNode>

/**
 * Asks one node after another, resting ones last, until each call has a result. A call that no node serves keeps the
 * last refusal.
 */
const askAny = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Node[Kind]>,
  calls: ReadonlyArray<Call>,
  chainId: Caip.ChainId,
) {
  const now = yield* Clock.currentTimeMillis
  const inOrder = [
    ...nodes.filter((node) => !node.isResting(now)),
    ...nodes.filter((node) => node.isResting(now)),
  ]
  let last = fault("the chain has no node")
  let open = calls
  const replies = new Map<Call, Reply>()
  for (const node of inOrder) {
    const response = yield* Effect.result(node.ask(open))
    if (Result.isFailure(response)) {
      last = response.failure
      continue
    }
    for (const [index, reply] of response.success.entries()) {
      const call = open[index]
      if (call !== undefined) replies.set(call, reply)
    }
    open = open.filter((call) => {
      const reply = replies.get(call)
      return reply === undefined || (Result.isFailure(reply) && !isRevert(reply.failure))
    })
    if (open.length === 0) break
  }
  if (replies.size > 0) return calls.flatMap((call) => replies.get(call) ?? [])
  return yield* new ChainUnavailable({ chainId, message: `chain ${chainId}: ${last.message}` })
})

/** Gathers the queries of one turn of the event loop. A caller that gave up meanwhile gets no result. */
const gathering = (
  chainId: Caip.ChainId,
  send: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Reply>, ChainUnavailable>,
): Ask => {
  let waiting = new Map<string, Asked>()
  const flush = Effect.gen(function* () {
    yield* Effect.yieldNow
    const asked = [...waiting.values()]
    waiting = new Map()
    const responses = yield* Effect.exit(send(asked.map(({ call }) => call)))
    for (const [index, { response }] of asked.entries()) {
      yield* Deferred.complete(
        response,
        Effect.flatMap(responses, (replies) =>
          Effect.fromNullishOr(replies[index]).pipe(Effect.orDie),
        ),
      )
    }
  })
  const notRead = new ChainUnavailable({
    chainId,
    message: `chain ${chainId}: a response is not valid`,
  })

  /** No caller may join or leave between the first query and the fiber that sends it. */
  const join = (call: Call): Effect.Effect<Asked> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const key = keyOf(call)
        const same = waiting.get(key)
        if (same !== undefined) return Effect.succeed(same)
        const asked: Asked = { call, response: Deferred.makeUnsafe() }
        const isFirst = waiting.size === 0
        waiting.set(key, asked)
        return isFirst ? Effect.as(Effect.forkDetach(flush), asked) : Effect.succeed(asked)
      }),
    )

  const attempt = Effect.fnUntraced(function* <A>({ read, ...call }: Query<A>) {
    const { response } = yield* join(call)
    const reply = yield* Deferred.await(response)
    if (Result.isFailure(reply)) {
      const { failure } = reply
      // Callers conclude from a refusal what nodes lack: a limit of the moment is none.
      return isRateLimit(failure) ? yield* unavailable(chainId)(failure) : Result.fail(failure)
    }
    const value = read(reply.success)
    return Option.isSome(value) ? Result.succeed(value.value) : yield* notRead
  })
  return {
    attempt,
    ask: (query) =>
      Effect.flatMap(attempt(query), (response) =>
        Effect.fromResult(Result.mapError(response, unavailable(chainId))),
      ),
  }
}

/** Whether a node is on this machine. */
export const isLoopback = (url: Redacted.Redacted): boolean => {
  const text = Redacted.value(url)
  return URL.canParse(text) && /^(?:localhost|127\.[0-9.]+|\[::1\])$/u.test(new URL(text).hostname)
}

/** The identity of a host: its name; on this machine, the port. */
const hostOf = (url: Redacted.Redacted): string => {
  const text = Redacted.value(url)
  if (!URL.canParse(text)) return text
  const { hostname, port } = new URL(text)
  return isLoopback(url) ? `loopback:${port}` : hostname.replace(/\.$/u, "")
}

/** How many hosts the nodes are on. */
export const countHosts = (urls: ReadonlyArray<Redacted.Redacted>): number =>
  new Set(urls.map(hostOf)).size

/** Makes the connection to a chain's nodes. It sends nothing before the first query. */
export const make = (options: Options): Rpc => {
  const { chainId, urls } = options
  const nodes = urls.map((url) => makeNode(options, url))
  const over = (some: ReadonlyArray<Node>): Ask => {
    const of = (kind: Kind) =>
      gathering(chainId, (calls) =>
        askAny(
          some.map((node) => node[kind]),
          calls,
          chainId,
        ),
      )
    const asks = { reads: of("reads"), logs: of("logs"), sends: of("sends") }
    return {
      ask: (query) => asks[kindOf(query.method)].ask(query),
      attempt: (query) => asks[kindOf(query.method)].attempt(query),
    }
  }
  const alone = nodes.map((node) => over([node]))
  const learnt = nothingLearnt()
  const names = urls.map(hostOf)
  const areSilent = (some: ReadonlyArray<Node>) => () => some.every(({ reads }) => reads.isSilent())
  const hostCalled = (name: string): Rpc => {
    const isThere = (_: unknown, index: number): boolean => names[index] === name
    return {
      chainId,
      // What one host reports of a state must not influence conclusions about another. The rest only says where to
      // look.
      learnt: { ...nothingLearnt(), logBlocks: learnt.logBlocks, nonceBlocks: learnt.nonceBlocks },
      ...over(nodes.filter(isThere)),
      nodes: alone.filter(isThere),
      hosts: [],
      isSilent: areSilent(nodes.filter(isThere)),
    }
  }
  const hosts = [...new Set(names)].map(hostCalled)
  const isSilent = areSilent(nodes)
  return { chainId, learnt, ...over(nodes), nodes: alone, hosts, isSilent }
}

/** The messages with which nodes report that a contract ended the call, by a revert or by failing. */
const endings =
  /revert|evm error|vm execution error|out of gas|invalid opcode|invalid jump|stack (?:under|over)flow/iu

/** Whether the contract refused the call, rather than the node. */
export const isRevert = ({ code, data, message }: NodeRefused): boolean =>
  code === 3 || data?.startsWith("0x") === true || endings.test(message)

/** Treats a refusal by a node as missing information. */
export const unavailable = (chainId: Caip.ChainId) => (refused: NodeRefused) =>
  new ChainUnavailable({
    chainId,
    message: `chain ${chainId}: ${refused.method} was refused: ${refused.message}`,
  })
