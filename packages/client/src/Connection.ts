/**
 * Calls over `fetch`: the URL, the key, and how responses are read. It runs in every environment that has `fetch`.
 *
 * @module
 */
import type * as Problem from "@florin/api/Problem"
import * as Statuses from "@florin/api/wire/Statuses"
import type * as Version from "@florin/core/domain/ground/Version"
import { Refused, Unreachable, Unreadable, type Explanation } from "./Failure.ts"
import * as Retry from "./Retry.ts"

/** The token that a hosted page uses in place of a key: it covers one payment, for a short time. */
interface PageToken {
  readonly pageToken: string
}

/**
 * The session of a person in the console. The browser sends its cookie by itself; the token shows that a page of the
 * service itself asked for the call. Undefined before anybody signed in.
 */
interface SessionToken {
  readonly csrfToken: string | undefined
}

/** The service's URL, and the caller's key. */
export interface Options {
  /** The base URL, such as `https://api.florin.example`. */
  readonly baseUrl: string
  readonly apiKey: string | PageToken | SessionToken
  /** A newer version than the one that the key is pinned to. */
  readonly version?: Version.Version
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Timeout of one attempt: by default 30 seconds, which is longer than the service holds a long poll. */
  readonly timeoutInMs?: number
  /** For tests. */
  readonly timing?: Retry.Timing
}

/** Options of every call. */
export interface Stop {
  /** Stops the call immediately. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a call that may wait. */
export interface Polling extends Stop {
  /** Lets the service hold the call until something changes, for 25 seconds at most. */
  readonly maxPollMs?: number
}

type Query = {
  readonly [name: string]: string | number | boolean | ReadonlyArray<string> | undefined
}

export interface Request<A> extends Stop {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: Query | undefined
  readonly headers?: { readonly [name: string]: string | undefined }
  readonly body?: object
  /** Members that the response must have. Otherwise it is not from the service. */
  readonly responseMembers: ReadonlyArray<keyof A & string>
}

/** Sends a request; it may be called repeatedly for retries. */
export type Send = (signal: AbortSignal) => Promise<Response>

export type Call = <A extends object>(request: Request<A>) => Promise<A>

export interface ReadResponse {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
}

export const defaultTimeoutInMs = 30_000

export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

export const parse = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const holds = <A extends object>(
  value: unknown,
  members: ReadonlyArray<keyof A & string>,
): value is A => isObject(value) && members.every((member) => member in value)

const isIssue = (value: unknown): value is Problem.Issue =>
  isObject(value) && typeof value["field"] === "string" && typeof value["message"] === "string"

/** Reads the body of an error; undefined if it is not from the service. */
const problemOf = (value: unknown): Explanation | undefined => {
  if (!isObject(value)) return undefined
  const { code, message, requestId, issues } = value
  if (typeof code !== "string" || typeof message !== "string") return undefined
  return {
    code,
    message,
    requestId: typeof requestId === "string" ? requestId : "",
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
  }
}

export const failureOf = ({ status, text, retryAfter }: ReadResponse): Refused | Unreadable => {
  const problem = problemOf(parse(text))
  if (problem === undefined) return new Unreadable(status)
  const waits = retryAfter !== null && /^[0-9]+$/u.test(retryAfter)
  return new Refused(status, problem, waits ? Number(retryAfter) : undefined)
}

/** A problem that is told in a stream has no status of its own. */
export const refusedBy = (value: unknown): Refused | Unreadable => {
  const problem = problemOf(value)
  if (problem === undefined) return new Unreadable(200)
  const known = Object.entries(Statuses.ofCode).find(([code]) => code === problem.code)
  return new Refused(known?.[1] ?? 500, problem)
}

/** The machine's error code if no response came, such as ECONNREFUSED. Any other text might contain a secret. */
const reasonOf = (error: unknown): string => {
  const reasons = isObject(error) ? [error["cause"], error] : []
  const code = reasons.flatMap((reason) => (isObject(reason) ? [reason["code"]] : []))[0]
  return typeof code === "string" && /^[A-Z_]+$/u.test(code) ? ` (${code})` : ""
}

const searchOf = (query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}`),
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** Checked here, as `fetch` would repeat a bad value in its own error. */
const headersOf = (headers: { readonly [name: string]: string | undefined }) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      if (!/^[!-~](?:[ -~]*[!-~])?$/u.test(value)) {
        throw new TypeError(`the value for the header ${name} must be plain ASCII, and not empty`)
      }
      return [[name, value]]
    }),
  )

const readBaseUrl = (baseUrl: string): string => {
  if (!/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/u.test(baseUrl)) {
    throw new TypeError("baseUrl must be a web address without user, query or fragment")
  }
  return baseUrl.replace(/\/+$/u, "")
}

/** Steps that a timeout or the caller's signal stops. A race, as not every `fetch` respects its signal. */
export const makeSteps = (timeoutInMs: number, signal: AbortSignal | undefined) => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal?.addEventListener("abort", stop)
  return {
    signal: controller.signal,
    stop,
    /** Runs one step, which has the whole time for itself, and may stop while it starts. */
    within: async <A>(step: () => Promise<A>): Promise<A> => {
      let onAbort = () => {}
      const stopped = new Promise<never>((_, reject) => {
        onAbort = () => reject(new Error("stopped"))
        controller.signal.addEventListener("abort", onAbort)
      })
      const timer = setTimeout(stop, timeoutInMs)
      try {
        return await Promise.race([step(), stopped])
      } finally {
        clearTimeout(timer)
        controller.signal.removeEventListener("abort", onAbort)
      }
    },
    /** Forgets the caller's signal. */
    end: () => signal?.removeEventListener("abort", stop),
  }
}

/** One attempt: fetched and read to the end, unless it times out or the caller stops it. */
const exchange = async (
  send: Send,
  timeoutInMs: number,
  signal: AbortSignal | undefined,
): Promise<ReadResponse> => {
  const steps = makeSteps(timeoutInMs, signal)
  const read = async (): Promise<ReadResponse> => {
    const response = await send(steps.signal)
    const retryAfter = response.headers.get("retry-after")
    return { status: response.status, text: await response.text(), retryAfter }
  }
  return steps.within(read).finally(steps.end)
}

const credentialOf = (
  apiKey: Options["apiKey"],
): { readonly [name: string]: string | undefined } => {
  // Untyped code may pass an environment variable that is not set.
  if (typeof apiKey !== "object") return { "Api-Key": apiKey ?? "" }
  return "csrfToken" in apiKey
    ? { "Csrf-Token": apiKey.csrfToken }
    : { "Page-Token": apiKey.pageToken }
}

/** Makes the function that prepares a client's requests. It refuses values that cannot be sent. */
export const makePrepare = (options: Options) => {
  const { apiKey, version } = options
  const baseUrl = readBaseUrl(options.baseUrl)
  const common = headersOf({ ...credentialOf(apiKey), "Svc-Version": version })
  const credentials = typeof apiKey === "object" && "csrfToken" in apiKey ? "same-origin" : "omit"
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init))

  return (request: Omit<Request<never>, "responseMembers" | "signal">): Send => {
    const { method, path, query = {}, body } = request
    const url = `${baseUrl}${path}${searchOf(query)}`
    const init: RequestInit = {
      method,
      headers: {
        ...common,
        ...headersOf(request.headers ?? {}),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A status must not come from a cache, and a redirect would send the key elsewhere.
      cache: "no-store",
      credentials,
      redirect: "error",
    }
    return (signal) => send(url, { ...init, signal })
  }
}

export const make = (options: Options): Call => {
  const { timeoutInMs = defaultTimeoutInMs, timing = Retry.timing } = options
  const prepare = makePrepare(options)
  return async <A extends object>(request: Request<A>): Promise<A> => {
    const { signal } = request
    const send = prepare(request)
    const attempt = () =>
      exchange(send, timeoutInMs, signal).catch((error: unknown) => {
        throw new Unreachable(
          `no response from the service after ${Retry.retries + 1} attempts${reasonOf(error)}: check baseUrl and the connection, then call again`,
        )
      })
    const response = await Retry.run(attempt, timing, signal)
    if (response.status >= 300) throw failureOf(response)
    const value = parse(response.text)
    if (!holds<A>(value, request.responseMembers)) throw new Unreadable(response.status)
    return value
  }
}

/** The calls of one method: a path, the members that its response must have, and what is sent. */
export const via =
  (call: Call, method: Request<never>["method"]) =>
  <A extends object>(
    path: string,
    responseMembers: ReadonlyArray<keyof A & string>,
    sent: Omit<Request<A>, "method" | "path" | "responseMembers">,
  ): Promise<A> =>
    call<A>({ ...sent, method, path, responseMembers })
