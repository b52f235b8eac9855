/**
 * A service with scripted responses, which records its requests.
 *
 * @module
 */
import type * as Retry from "../src/Retry.ts"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly body: unknown
}

export type ScriptedResponse =
  /** A response of the service. */
  | { readonly status?: number; readonly json: unknown; readonly headers?: Record<string, string> }
  /** A stream: whole, or broken off after this. */
  | { readonly stream: ReadonlyArray<string>; readonly isTorn?: boolean; readonly type?: string }
  /** A response of another server. */
  | { readonly status?: number; readonly text: string }
  /** The service got the call, but its response is lost. */
  | "lost"
  /** No response at all. */
  | "silence"
  /** A response whose body is cut off. */
  | "torn"

/** An error of the service. */
export const refusal = (status: number, code: string, more: object = {}): ScriptedResponse => ({
  status,
  json: { code, message: `${code} happened`, requestId: "req_1", ...more },
})

const respond = (answer: ScriptedResponse): Promise<Response> => {
  if (answer === "lost") return Promise.reject(new TypeError("fetch failed"))
  if (answer === "silence") return new Promise(() => {})
  if (answer === "torn") {
    const torn = new ReadableStream({
      start: (controller) => controller.error(new TypeError("terminated")),
    })
    return Promise.resolve(new Response(torn))
  }
  if ("stream" in answer) {
    const pieces = [...answer.stream]
    const body = new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift()
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece))
        else if (answer.isTorn === true) controller.error(new TypeError("terminated"))
        else controller.close()
      },
    })
    const { type = "text/event-stream" } = answer
    return Promise.resolve(new Response(body, { headers: { "content-type": type } }))
  }
  const status = answer.status ?? 200
  return Promise.resolve(
    "text" in answer
      ? new Response(answer.text, { status })
      : Response.json(answer.json, { status, ...(answer.headers && { headers: answer.headers }) }),
  )
}

export interface Service {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly seen: ReadonlyArray<Seen>
  /** The calls, in order, as `POST /v1/payments`. */
  readonly asked: () => ReadonlyArray<string>
  /** Pauses that were slept. */
  readonly slept: ReadonlyArray<number>
  readonly timing: Retry.Timing
}

/** Responds by the last word of the path, or in order; a call without a response left is a 418. */
export const service = (
  answers: ReadonlyMap<string, ReadonlyArray<ScriptedResponse>> | ReadonlyArray<ScriptedResponse>,
  on: { readonly sleep?: () => void; readonly call?: (seen: Seen) => void } = {},
): Service => {
  const seen: Array<Seen> = []
  const slept: Array<number> = []
  const left = new Map(answers instanceof Map ? answers : [])
  let inOrder = answers instanceof Map ? [] : [...answers]
  const next = (word: string): ScriptedResponse => {
    const [answer = { status: 418, text: `no answer for ${word}` }, ...rest] =
      left.get(word) ?? inOrder
    if (left.has(word)) left.set(word, rest)
    else inOrder = rest
    return answer
  }
  return {
    seen,
    slept,
    asked: () => seen.map(({ method, path }) => `${method} ${path}`),
    timing: {
      sleep: (forMs) => {
        slept.push(forMs)
        on.sleep?.()
        return Promise.resolve()
      },
      random: () => 0.5,
    },
    fetch: (url, init) => {
      const { pathname, search } = new URL(url)
      const call: Seen = {
        method: init.method ?? "",
        path: pathname,
        query: search,
        headers: new Headers(init.headers),
        body: typeof init.body === "string" ? JSON.parse(init.body) : undefined,
      }
      seen.push(call)
      on.call?.(call)
      return respond(next(pathname.split("/").at(-1) ?? ""))
    },
  }
}
