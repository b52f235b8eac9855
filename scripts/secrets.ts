/**
 * Finds secrets in files that are tracked or published.
 *
 * @module
 */
import { isUtf8 } from "node:buffer"
import { existsSync, readFileSync } from "node:fs"
import * as Result from "effect/Result"
import * as ApiKey from "../packages/core/src/domain/partner/ApiKey.ts"
import { run } from "./command.ts"

interface Kind {
  readonly what: string
  readonly pattern: RegExp
  /** Whether a match is a secret and no look-alike. */
  readonly isOne?: (match: string) => boolean
}

const kinds: ReadonlyArray<Kind> = [
  { what: "a private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}/gu },
  {
    what: "an API key of Florin",
    pattern: /flr_(?:(?:live|test)_(?:pk|wk)|op)_[0-9A-Za-z]{38}/gu,
    isOne: (text) => Result.isSuccess(ApiKey.parse(text)),
  },
  { what: "a token of npm", pattern: /\bnpm_[0-9A-Za-z]{36}\b/gu },
  { what: "a token of GitHub", pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_\w{60,})\b/gu },
  { what: "a key of AWS", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu },
  { what: "a key of Google", pattern: /\bAIza[0-9A-Za-z_-]{35}\b/gu },
  { what: "a token of Slack", pattern: /\bxox[abprs]-[0-9A-Za-z-]{20,}/gu },
  { what: "a key of Stripe", pattern: /\b[rs]k_live_[0-9A-Za-z]{20,}\b/gu },
  {
    what: "an address of a node with its key",
    pattern: /\/\/[\w.-]+\.(?:alchemy|infura)\.(?:com|io)\/v[23]\/[0-9A-Za-z_-]{32}/gu,
  },
  { what: "a token of a registry", pattern: /_authToken\s*=\s*[^$\s]{8,}/gu },
]

/** Keys that only a service in a test's memory ever knew: it makes the same ones each time. */
const ofTests = new Set([
  "packages/server/test/fixtures/keys.create.json",
  "packages/server/test/fixtures/keys.rotate.json",
  "packages/server/test/fuzzing/corpus/api-keys.json",
])

/** All files that git tracks, without the keys of tests. */
export const tracked = async (): Promise<ReadonlyArray<string>> => {
  const { stdout } = await run("git", ["ls-files", "-z"])
  return stdout.split("\0").filter((file) => existsSync(file) && !ofTests.has(file))
}

/** The secrets in these files, each with its file and line, and never the secret itself. */
export const find = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const bytes = readFileSync(file)
    if (!isUtf8(bytes)) return []
    const text = bytes.toString("utf8")
    return kinds.flatMap(({ isOne = () => true, pattern, what }) =>
      [...text.matchAll(pattern)]
        .filter(([match]) => isOne(match))
        .map(({ index }) => `${file}:${text.slice(0, index).split("\n").length}: ${what}`),
    )
  })
