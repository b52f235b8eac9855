/**
 * Keeps the code that Node compiled from the source, so that the next start is faster.
 *
 * It is kept in the user's home and not in Node's default directory. Anybody who can write to the cache can run code as
 * this user, and the machine's directory for temporary files is shared by all users. If home is not writable, nothing
 * is kept.
 *
 * @module
 */
import * as NodeModule from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { env } from "node:process"

/** The system may not know the user's home. */
const home = (): string | undefined => {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

/** As the XDG base directory specification requires, a path that is not absolute is ignored. */
const directory = (): string | undefined => {
  const named = env["XDG_CACHE_HOME"] ?? ""
  if (isAbsolute(named)) return join(named, "florin")
  const at = home()
  return at === undefined || !isAbsolute(at) ? undefined : join(at, ".cache", "florin")
}

/** Node's own NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE take precedence. */
export const enable = (): void => {
  const at = directory()
  if (at !== undefined) NodeModule.enableCompileCache?.(at)
}
