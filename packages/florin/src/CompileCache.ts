/**
 * Keeps what Node made of the source, so that the next start is faster.
 *
 * It is kept at home and not where Node would keep it: whoever can write to it can run code as this user, and the
 * machine's directory for temporary files is everybody's. Where home cannot be written to, nothing is kept.
 *
 * @module
 */
import * as NodeModule from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { env } from "node:process"

/** A system may know no home of its user. */
const home = (): string | undefined => {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

/** As the XDG base directories have it: what is not absolute is not meant. */
const directory = (): string | undefined => {
  const named = env["XDG_CACHE_HOME"] ?? ""
  if (isAbsolute(named)) return join(named, "florin")
  const at = home()
  return at === undefined || !isAbsolute(at) ? undefined : join(at, ".cache", "florin")
}

/** Node's own NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE are stronger. */
export const enable = (): void => {
  const at = directory()
  if (at !== undefined) NodeModule.enableCompileCache?.(at)
}
