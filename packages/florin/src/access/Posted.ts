/**
 * A webhook, sent as the service does: signed, in at most ten seconds, without following a redirect.
 *
 * @module
 */

/** The response: its status, or why there is none. */
export interface Outcome {
  readonly status: number | null
  readonly isAccepted: boolean
  readonly text: string
}

export const limitInS = 10

/** Such as ECONNREFUSED. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "no response"
  if (error.name === "TimeoutError") return `none in ${limitInS} s`
  const { cause } = error
  return cause instanceof Error && "code" in cause ? String(cause.code) : "no response"
}

export const post = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Outcome> => {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitInS * 1000)]),
    })
    await response.body?.cancel()
    const { status } = response
    return { status, isAccepted: status >= 200 && status < 300, text: String(status) }
  } catch (error) {
    return { status: null, isAccepted: false, text: codeOf(error) }
  }
}
