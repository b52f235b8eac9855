/**
 * The log line of a request. Only the members here are ever logged: no key, no signature, no query, no body and no
 * personal data.
 *
 * @module
 */
import type * as ApiShape from "./ApiShape.ts"

/** The SDK that a wallet reports, for support. */
export interface Sdk {
  readonly name?: string
  readonly version?: string
  readonly platform?: string
}

export interface Line {
  /** Epoch milliseconds. */
  readonly at: number
  readonly requestId: string
  /** `other` for an unknown method. */
  readonly method: string
  /** The path of the operation, such as `/v1/payments/:id`; null if no operation matches. */
  readonly route: string | null
  /** The ids in the path. */
  readonly params: Readonly<Record<string, string>>
  readonly status: number
  /** The code of an error. */
  readonly code: string | null
  readonly durationInMs: number
  readonly keyId: string | null
  readonly partnerId: string | null
  readonly apiShape: ApiShape.ApiShape | null
  readonly sdk: Sdk
  /** For a defect: its kind and its stack frames, without its message. */
  readonly defect: ReadonlyArray<string> | null
}

const cap = 64

/** A value as it was sent, without characters that could disturb a log, and cut to a maximum length. */
const plain = (value: string): string => value.replace(/[^\x20-\x7e]/gu, "").slice(0, cap)

export const sdk = (header: (name: string) => string | undefined): Sdk => {
  const [name, version, platform] = [
    header("sdk-name"),
    header("sdk-version"),
    header("sdk-platform"),
  ]
  return {
    ...(name !== undefined && { name: plain(name) }),
    ...(version !== undefined && { version: plain(version) }),
    ...(platform !== undefined && { platform: plain(platform) }),
  }
}

/** The format of our ids. Any other text in a path may be a misplaced secret or a person's name. */
const idPattern = /^(?:crypto|dlv|key|mrch|out|pay|prtn|rfnd|unc|whk)_[0-9A-Za-z]{1,64}$/u

export const params = (values: Readonly<Record<string, string>>): Line["params"] =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => idPattern.test(value)))

const methods = new Set("CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE".split(" "))

/** A caller can send any word as the method. */
export const method = (sent: string): string => (methods.has(sent) ? sent : "other")

const framesMax = 8

/** The kind of a defect and its stack frames. Its message is left out, as it may contain secrets or personal data. */
export const defect = (cause: unknown): ReadonlyArray<string> => {
  if (!(cause instanceof Error)) return [typeof cause]
  // Lines of the message may look like stack frames.
  const trace = (cause.stack ?? "").replace(cause.message, "")
  const frames = trace.split("\n").filter((line) => /^\s+at /u.test(line))
  return [cause.name, ...frames.slice(0, framesMax).map((line) => line.trim())]
}
