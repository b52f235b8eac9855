/**
 * Follows a payment through a route of the shop's own server, which decides who may see it. A browser has no key for
 * the service itself.
 *
 * @module
 */
import * as Protocol from "./Protocol.ts"

/** What the shop's server reported last. */
export interface Followed {
  readonly status: Protocol.Status
  readonly isFinal: boolean
}

/** The shop's server will not report more: it refused, or its response is not the status of a payment. */
export class NotFollowed extends Error {
  override readonly name = "NotFollowed"
  /** The status of its response over HTTP. */
  readonly httpStatus: number

  constructor(message: string, httpStatus: number) {
    super(message)
    this.httpStatus = httpStatus
  }
}

export interface Listener {
  readonly signal: AbortSignal
  readonly onReport: (report: Followed) => void
}

/** Two requests begin at least this far apart, if the response asks for no other time. */
const pollInMs = { min: 250, usual: 1000, max: 30_000 }

/** These refusals pass: the server timed out, is not ready for it, or has too much to do. */
const passing = new Set([408, 425, 429])

const sleep = (inMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, inMs)
    signal.addEventListener("abort", done)
  })

type Read = Followed & { readonly pollInMs: number }

/** The response of the service's API, and any other with the same fields. */
const parse = (text: string): Read | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    const { isFinal, pollInMs: nextInMs, status } = Object(body)
    const known = Protocol.readStatus(status)
    if (known === undefined || typeof isFinal !== "boolean") return undefined
    return {
      status: known,
      isFinal,
      pollInMs: typeof nextInMs === "number" ? nextInMs : pollInMs.usual,
    }
  } catch {
    return undefined
  }
}

/** The next report; undefined if there was none this time. */
const read = async (url: string, signal: AbortSignal): Promise<Read | undefined> => {
  const response = await fetch(url, { cache: "no-store", signal })
  if (response.status >= 500 || passing.has(response.status)) return undefined
  if (!response.ok) {
    throw new NotFollowed(`usePayment: ${url} refused with ${response.status}`, response.status)
  }
  const report = parse(await response.text())
  if (report === undefined) {
    throw new NotFollowed(
      `usePayment: ${url} must respond with the status of a payment, such as {"status":"processing","isFinal":false}`,
      response.status,
    )
  }
  return report
}

/**
 * Asks again and again, until the payment has ended or the signal aborts. The server may hold each request until the
 * status changes. If it cannot be reached, the pauses grow up to 30 s. Rejects with `NotFollowed`.
 */
export const follow = async (url: string, { onReport, signal }: Listener): Promise<void> => {
  let pauseInMs = pollInMs.usual
  while (!signal.aborted) {
    const startedAt = performance.now()
    // oxlint-disable-next-line no-await-in-loop -- One request comes after the other.
    const report = await read(url, signal).catch((error: unknown) => {
      if (error instanceof NotFollowed) throw error
      return undefined
    })
    if (signal.aborted) return
    if (report === undefined) {
      // oxlint-disable-next-line no-await-in-loop -- It is the pause between two requests.
      await sleep(pauseInMs, signal)
      pauseInMs = Math.min(pauseInMs * 2, pollInMs.max)
      continue
    }
    pauseInMs = pollInMs.usual
    const { isFinal, status } = report
    onReport({ status, isFinal })
    if (isFinal) return
    const nextInMs = Math.min(Math.max(report.pollInMs, pollInMs.min), pollInMs.max)
    // oxlint-disable-next-line no-await-in-loop -- It is the pause between two requests.
    await sleep(Math.max(0, nextInMs - (performance.now() - startedAt)), signal)
  }
}
