/**
 * One chain's nodes, asked by JSON-RPC. What is asked at the same time goes out in few requests, every answer is matched
 * to its question by id, and whatever does not read as an answer is none.
 *
 * Providers limit the calls of a request, to 10, 3 or 1. Requests begin with {@link Options.batchMax} calls and shrink
 * for each node that refuses them, down to single calls.
 *
 * What a node's own address or a caller's transaction holds is in no message: addresses carry keys.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
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

/** What is asked of a node, and how its answer reads. */
export interface Query<A> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly read: (answer: unknown) => Option.Option<A>
}

/** A node's own word that it will not do it: a revert, a used nonce, an unknown method. */
export class NodeRefused extends Schema.TaggedError<NodeRefused>()("NodeRefused", {
  method: Schema.String,
  code: Schema.Number,
  message: Schema.String,
  /** What a contract reverted with, as hex. */
  data: Schema.NullOr(Schema.String),
}) {}

/** Asks a node. What is asked while the loop turns once goes out as one request, to one node. */
export interface Ask {
  /** A node that will not do it is one that does not answer. */
  readonly ask: <A>(query: Query<A>) => Effect.Effect<A, ChainUnavailable>
  /** The same, where what a node will not do is an answer. */
  readonly attempt: <A>(
    query: Query<A>,
  ) => Effect.Effect<Result.Result<A, NodeRefused>, ChainUnavailable>
}

/** What was found of the nodes while they were asked. It is lost with the process, and found again. */
export interface Learnt {
  /** Whether calls without a recipient are taken. */
  takesProgram: boolean
  /** Whether the chain is a local one; null until a node said so. */
  isLocal: boolean | null
  /** How many hosts do not answer, or are far behind the others. */
  awayHosts: number
  /** Whether some node keeps the states of old blocks; null until one was asked. */
  keepsStates: boolean | null
  /** How many blocks of logs each node looks through at once: 0 if it has no logs. */
  readonly logBlocks: Map<Ask, { readonly blocks: number; readonly since: number }>
  /** The block in which an account's nonce was used, by both. */
  readonly nonceBlocks: Map<string, number>
  /** A block after which an authorization was spent, or a permit left nothing to take, by its nonce. */
  readonly spentBlocks: Map<string, { readonly number: number; readonly hash: string }>
}

export const nothingLearnt = (): Learnt => ({
  takesProgram: true,
  isLocal: null,
  awayHosts: 0,
  keepsStates: null,
  logBlocks: new Map(),
  nonceBlocks: new Map(),
  spentBlocks: new Map(),
})

/** Keeps what was learnt last. */
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
  /** Every node by itself: whoever has the answer, or takes the transaction, is enough. */
  readonly nodes: ReadonlyArray<Ask>
  /** The nodes of each host by themselves, for what one host alone is not believed. */
  readonly hosts: ReadonlyArray<Rpc>
  /** Whether every node was waited for in vain when it was last asked. */
  readonly isSilent: () => boolean
}

export interface Options {
  readonly chainId: Caip.ChainId
  /** In the order in which they are asked. */
  readonly urls: ReadonlyArray<Redacted.Redacted>
  readonly answerWithinInMs: number
  /** How many calls go into one request at most; fewer where a node refuses as many. */
  readonly batchMax: number
}

const RpcError = Schema.Struct({
  code: Schema.Number,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown),
})

/** One answer. An `error` of null beside a result is what some nodes write for none. */
const Answer = Schema.Struct({
  id: Schema.Number,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.NullOr(RpcError)),
})
const decodeAnswer = Schema.decodeUnknownOption(Answer)
const decodeAnswers = Schema.decodeUnknownOption(Schema.Array(Answer))
/** What a node answers to a whole request that it does not take. */
const decodeRefusal = Schema.decodeUnknownOption(Schema.Struct({ error: RpcError }))
const decodeHexNumber = Schema.decodeUnknownOption(
  Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/u)),
)

/** Codes by which providers say that they were asked too often, and some that they were asked for too much. */
const busyCodes = new Set([429, -32005, -32029])
const isTooMuch = ({ message }: typeof RpcError.Type): boolean =>
  /batch|range|results|too large/iu.test(message)
const isBusy = (error: typeof RpcError.Type): boolean =>
  busyCodes.has(error.code) && !isTooMuch(error)

/** Why a node gave no answer. Some are left alone for a while; others are asked where none does better. */
interface Fault {
  readonly message: string
  readonly isLeftAlone: boolean
  /** It was waited for in vain. */
  readonly isSilent: boolean
  /** The request was refused as a whole: one of fewer calls may be taken. */
  readonly isOfRequest: boolean
}
const fault = (message: string, more: Partial<Fault> = {}): Fault => ({
  message,
  isLeftAlone: false,
  isSilent: false,
  isOfRequest: false,
  ...more,
})
/** A node's own words, where it had some. */
const saying = (message: string, words: string): string =>
  words === "" ? message : `${message}: ${words}`
const busy = (words = ""): Fault =>
  fault(saying("the node limits the request rate", words), { isLeftAlone: true })
const stranger = fault("the node serves another chain", { isLeftAlone: true })
const unreadable = fault("the node's response is not valid")

/** Statuses by which nodes refuse a request for what is in it, not for who asks or how often. */
const requestStatuses = new Set([400, 413, 422])

/** What an HTTP status says where no answer could be read; 0 where none came. */
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

/** What the body of a failed request says: a message of JSON, or a line of text; nothing of a page. */
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
  readonly answered: Deferred.Deferred<Reply, ChainUnavailable>
}

/** The same question by several is asked once. */
const keyOf = ({ method, params }: Call): string => `${method}:${JSON.stringify(params)}`

/** A node that took fewer calls in a request may take more later: to ask costs one request that is refused. */
const growAfterInMs = 10 * 60_000
/** So that a node which takes single calls is not asked for dozens of them in one moment. */
const requestsAtOnce = 10

const restFirstInMs = 500
const restLongestInMs = 30_000

/** What a call came to, or nothing where the answer has neither a result nor an error. */
const replyOf = (
  { method }: Call,
  { error, result }: typeof Answer.Type,
  scrub: (message: string) => string,
): Option.Option<Reply> => {
  if (error !== undefined && error !== null) {
    const data = typeof error.data === "string" ? error.data : null
    const { code, message } = error
    const reason = data === null ? null : Revert.reasonOf(data)
    // Some nodes leave the reason in the data.
    const words = reason === null || message.includes(reason) ? message : `${message}: ${reason}`
    return Option.some(Result.fail(new NodeRefused({ method, code, message: scrub(words), data })))
  }
  return result === undefined ? Option.none() : Option.some(Result.succeed(result))
}

/** Messages of nodes quote what they were sent, and the address and key that it was sent to. */
const scrubber = (url: string) => {
  const secrets = url.split(/[/?&=@:]+/u).filter(({ length }) => length > 5)
  return (message: string): string =>
    secrets
      .reduce((text, secret) => text.replaceAll(secret, "…"), message)
      .replaceAll(/https?:\S+|(?:0x)?[0-9a-fA-F]{32,}/gu, "…")
      .replaceAll(/[\s\p{C}]+/gu, " ")
      .trim()
      .slice(0, 200)
}

const chunksOf = (calls: ReadonlyArray<Call>, size: number) =>
  Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
    calls.slice(index * size, (index + 1) * size),
  )

const chainIdCall: Call = { method: "eth_chainId", params: [] }

/** One node, which is asked for its chain before it is first believed, and again after every fault. */
const makeNode = ({ answerWithinInMs, batchMax, chainId }: Options, url: Redacted.Redacted) => {
  const client = getHttpRpcClient(Redacted.value(url), { timeout: 0 })
  const scrub = scrubber(Redacted.value(url))
  let lastId = 0
  let isChecked = false
  let failures = 0
  let rests = 0
  let restsUntil = 0
  let leftAloneFor: Fault | null = null
  let isSilent = false

  /** How many calls the node takes in one request; 0 where a call must not stand in a list, not even alone. */
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
      // With an error of JSON-RPC in its body, it comes as an answer: to a single call it is one.
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
      Effect.flatMap((answer) => Effect.fromResult(read(calls, firstId, answer, isList))),
    )
  }

  /** What a body says that is no list. */
  const readOne = (
    calls: ReadonlyArray<Call>,
    firstId: number,
    body: unknown,
    isList: boolean,
  ): Result.Result<ReadonlyArray<typeof Answer.Type>, Fault> => {
    const answer = decodeAnswer(body)
    if (calls.length === 1 && Option.isSome(answer) && answer.value.id === firstId) {
      return Result.succeed([answer.value])
    }
    const refusal = decodeRefusal(body)
    if (Option.isNone(refusal)) {
      return Result.fail(Option.isSome(answer) ? { ...unreadable, isOfRequest: true } : unreadable)
    }
    const { error } = refusal.value
    if (isBusy(error)) return Result.fail(busy(scrub(error.message)))
    // Who could not read a question has no id for it.
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
    const list = decodeAnswers(body)
    const answers = Option.isSome(list)
      ? Result.succeed(list.value)
      : readOne(calls, firstId, body, isList)
    if (Result.isFailure(answers)) return Result.fail(answers.failure)
    const byId = new Map(answers.success.map((each) => [each.id, each]))
    // Of two answers to one question, nobody can know which to believe.
    if (byId.size < answers.success.length) return Result.fail(unreadable)
    for (const { error } of answers.success) {
      if (error === undefined || error === null) continue
      if (isBusy(error)) return Result.fail(busy(scrub(error.message)))
      if (calls.length > 1 && /batch|response too large/iu.test(error.message)) {
        return Result.fail(fault(scrub(error.message), { isOfRequest: true }))
      }
    }
    const replies: Array<Reply> = []
    for (const [index, call] of calls.entries()) {
      const answer = byId.get(firstId + index)
      if (answer === undefined) {
        return Result.fail(fault(`${call.method} was left out`, { isOfRequest: true }))
      }
      const reply = replyOf(call, answer, scrub)
      if (Option.isNone(reply)) return Result.fail(fault(`${call.method} was left out`))
      replies.push(reply.value)
    }
    return Result.succeed(replies)
  }

  /** Fails unless the node serves the chain that it is configured for. */
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
   * Keeps to what was taken in place of a request that was refused. Where one of its calls was refused by itself, it may
   * have been refused for that call.
   */
  const shrink = Effect.fnUntraced(function* (to: number, replies: ReadonlyArray<Reply>) {
    if (to >= size || !replies.every((each) => Result.isSuccess(each) || isRevert(each.failure))) {
      return
    }
    size = to
    shrunkAt = yield* Clock.currentTimeMillis
    yield* Effect.logInfo("a node takes fewer calls in a request", { chainId, calls: to })
  })

  type Asking = Effect.Effect<ReadonlyArray<Reply>, Fault>

  /** A call that stands in no list. Nothing else is asked of a node that refuses to name its chain. */
  const askAlone = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const replies = yield* post(calls, false)
    if (calls[0] === chainIdCall) yield* requireOurChain(replies[0])
    yield* shrink(0, replies)
    return replies
  })

  /** One request, or several of fewer calls where the node refuses it. */
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

  /** In as many requests as the node needs. */
  const askEach = (calls: ReadonlyArray<Call>): Asking =>
    Effect.map(
      Effect.forEach(chunksOf(calls, Math.max(1, size)), (chunk) => askTogether(chunk, size > 0), {
        concurrency: requestsAtOnce,
      }),
      (replies) => replies.flat(),
    )

  const rest = Effect.fnUntraced(function* (why: Fault) {
    failures++
    isChecked = false
    leftAloneFor = why.isLeftAlone ? why : null
    isSilent = why.isSilent
    const now = yield* Clock.currentTimeMillis
    // What fails together counts once.
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
    // With as many calls as fit: the others wait until the node has named its chain.
    const early = isFirst ? Math.max(0, size - 1) : 0
    const [chain, ...first] = isFirst ? yield* askEach([chainIdCall, ...calls.slice(0, early)]) : []
    if (isFirst) yield* requireOurChain(chain)
    const replies = [...first, ...(yield* askEach(calls.slice(early)))]
    // What was asked before a failure says nothing of the node after it.
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
    /** Asked last where others do better. */
    isResting: (now: number): boolean => now < restsUntil,
    isSilent: (): boolean => isSilent,
  }
}

type Node = ReturnType<typeof makeNode>

/** Asks one node after another, those that rest last, until one answers. */
const askAny = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Node>,
  calls: ReadonlyArray<Call>,
  chainId: Caip.ChainId,
) {
  const now = yield* Clock.currentTimeMillis
  const inOrder = [
    ...nodes.filter((node) => !node.isResting(now)),
    ...nodes.filter((node) => node.isResting(now)),
  ]
  let last = fault("the chain has no node")
  for (const node of inOrder) {
    const answered = yield* Effect.result(node.ask(calls))
    if (Result.isSuccess(answered)) return answered.success
    last = answered.failure
  }
  return yield* new ChainUnavailable({ chainId, message: `chain ${chainId}: ${last.message}` })
})

/** Gathers what is asked while the loop turns once. Who gave up meanwhile does not hear the answer. */
const gathering = (
  chainId: Caip.ChainId,
  send: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Reply>, ChainUnavailable>,
): Ask => {
  let waiting = new Map<string, Asked>()
  const flush = Effect.gen(function* () {
    yield* Effect.yieldNow
    const asked = [...waiting.values()]
    waiting = new Map()
    const answers = yield* Effect.exit(send(asked.map(({ call }) => call)))
    for (const [index, { answered }] of asked.entries()) {
      yield* Deferred.complete(
        answered,
        Effect.flatMap(answers, (replies) =>
          Effect.fromNullishOr(replies[index]).pipe(Effect.orDie),
        ),
      )
    }
  })
  const notRead = new ChainUnavailable({
    chainId,
    message: `chain ${chainId}: a response is not valid`,
  })

  /** Nobody may turn up, or go away, between the first question and the fiber that sends it. */
  const join = (call: Call): Effect.Effect<Asked> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const key = keyOf(call)
        const same = waiting.get(key)
        if (same !== undefined) return Effect.succeed(same)
        const asked: Asked = { call, answered: Deferred.makeUnsafe() }
        const isFirst = waiting.size === 0
        waiting.set(key, asked)
        return isFirst ? Effect.as(Effect.forkDetach(flush), asked) : Effect.succeed(asked)
      }),
    )

  const attempt = Effect.fnUntraced(function* <A>({ read, ...call }: Query<A>) {
    const { answered } = yield* join(call)
    const reply = yield* Deferred.await(answered)
    if (Result.isFailure(reply)) return Result.fail(reply.failure)
    const answer = read(reply.success)
    return Option.isSome(answer) ? Result.succeed(answer.value) : yield* notRead
  })
  return {
    attempt,
    ask: (query) =>
      Effect.flatMap(attempt(query), (answer) =>
        Effect.fromResult(Result.mapError(answer, unavailable(chainId))),
      ),
  }
}

/** Whether a node is on this machine. */
export const isLoopback = (url: Redacted.Redacted): boolean => {
  const text = Redacted.value(url)
  return URL.canParse(text) && /^(?:localhost|127\.[0-9.]+|\[::1\])$/u.test(new URL(text).hostname)
}

/** What tells one host from another: its name; on this machine, the port. */
const hostOf = (url: Redacted.Redacted): string => {
  const text = Redacted.value(url)
  if (!URL.canParse(text)) return text
  const { hostname, port } = new URL(text)
  return isLoopback(url) ? `loopback:${port}` : hostname.replace(/\.$/u, "")
}

/** How many hosts nodes are on. */
export const countHosts = (urls: ReadonlyArray<Redacted.Redacted>): number =>
  new Set(urls.map(hostOf)).size

/** Makes the way to a chain's nodes. Nothing is asked before somebody asks. */
export const make = (options: Options): Rpc => {
  const { chainId, urls } = options
  const nodes = urls.map((url) => makeNode(options, url))
  const over = (some: ReadonlyArray<Node>) =>
    gathering(chainId, (calls) => askAny(some, calls, chainId))
  const alone = nodes.map((node) => over([node]))
  const learnt = nothingLearnt()
  const names = urls.map(hostOf)
  const areSilent = (some: ReadonlyArray<Node>) => () => some.every((node) => node.isSilent())
  const hostCalled = (name: string): Rpc => {
    const isThere = (_: unknown, index: number): boolean => names[index] === name
    return {
      chainId,
      // What one host says of a state, no other concludes from. What else was learnt is only where to look.
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

/** How nodes say that the contracts that a call ran ended it, by a revert or by failing. */
const endings =
  /revert|evm error|vm execution error|out of gas|invalid opcode|invalid jump|stack (?:under|over)flow/iu

/** Whether a call was refused by the contract that it ran, rather than by the node. */
export const isRevert = ({ code, data, message }: NodeRefused): boolean =>
  code === 3 || data?.startsWith("0x") === true || endings.test(message)

/** What a node will not do, as something that is not known. */
export const unavailable = (chainId: Caip.ChainId) => (refused: NodeRefused) =>
  new ChainUnavailable({
    chainId,
    message: `chain ${chainId}: ${refused.method} was refused: ${refused.message}`,
  })
