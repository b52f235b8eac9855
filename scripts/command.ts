/**
 * Runs other programs, and shows their output only if they fail.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { env as ours } from "node:process"

/** npm passes data about its project to its scripts, and a nested npm would use it for another project. */
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

/** Resolves with the output; rejects with all of it if the command fails. */
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
