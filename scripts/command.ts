/**
 * Runs commands of other programs, and shows what they printed only if they fail.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { env as ours } from "node:process"

/** npm tells its scripts about the project around them, and an npm inside would believe it. */
const inherited = Object.fromEntries(
  Object.entries(ours).filter(
    ([name]) =>
      !/^(?:INIT_CWD|npm_(?:lifecycle|package|command|config_local_prefix).*)$/u.test(name),
  ),
)

interface How {
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string }
}

/** Resolves with what it printed; rejects with all of that if it fails. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  { cwd = ".", env = {} }: How = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env: { ...inherited, ...env }, maxBuffer: 64 * 1024 * 1024 }
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else reject(new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`, { cause: error }))
    })
  })
