/**
 * Refuses environment variables that nothing reads: a misspelt one would leave a safeguard off without a word.
 *
 * @module
 */
import * as Nearest from "@florin/core/domain/ground/Nearest"
import * as Result from "effect/Result"
import * as Variables from "../access/Variables.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"

const prefix = "FLORIN_"

const known: ReadonlySet<string> = new Set([
  ...Settings.all.map(Setting.variable),
  ...Variables.names,
])

/**
 * Kubernetes and Docker give these to every container next to a service whose name begins with `florin`, such as
 * `FLORIN_API_PORT=tcp://10.0.0.7:80`. Each is matched with its value, because a misspelt setting may end with PORT, too.
 */
const ofPlatform =
  /^FLORIN_(?:\w+_)?(?:SERVICE_HOST=|SERVICE_PORT(?:_\w+)?=|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?=|PORT=(?:tcp|udp|sctp):)/u

/** What all names have in common makes none of them nearer. */
const bare = (name: string): string => name.slice(prefix.length)

const sentence = (name: string): string => {
  const nearest = Nearest.to(bare(name), [...known].map(bare))
  const meant = nearest === undefined ? "" : `: did you mean ${prefix}${nearest}?`
  return `${name} is no variable of florin${meant}`
}

/** Fails with all of them. An empty one counts as unset. */
export const refuse = (env: {
  readonly [name: string]: string | undefined
}): Result.Result<void, Failure.CommandFailed> => {
  const unknown = Object.keys(env)
    .filter(
      (name) =>
        name.startsWith(prefix) &&
        env[name]?.trim() !== "" &&
        !known.has(name) &&
        !ofPlatform.test(`${name}=${env[name]}`),
    )
    .toSorted()
  const [first] = unknown
  return first === undefined
    ? Result.void
    : Result.fail(
        Failure.make(
          `${unknown.map(sentence).join("\n  ")}\n  Correct or remove it. If it is for another program, leave it out here: \`env -u ${first} florin …\``,
        ),
      )
}
