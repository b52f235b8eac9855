/**
 * Runs `florin serve`, as a service manager does.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process"
import * as Program from "./program.ts"

export interface Served extends Program.Started {
  readonly url: string
}

const listening: ReadonlyArray<RegExp> = [
  /message=ready .*url=http:/u,
  /This is no place for real money/u,
]

/** Resolves once it says that it is ready; rejects where it ends before. */
const ready = ({ child, said }: Program.Started): Promise<void> =>
  new Promise((resolve, reject) => {
    const looking = setInterval(() => {
      if (!listening.some((form) => form.test(said.out + said.err))) return
      clearInterval(looking)
      resolve()
    }, 50)
    child.once("close", () => {
      clearInterval(looking)
      reject(new Error(`it ended before it was ready: ${said.out}${said.err}`))
    })
  })

/** Runs it until it is ready, with nothing in its environment but what is given. */
export const serve = async (
  variables: { readonly [name: string]: string },
  ...args: ReadonlyArray<string>
): Promise<Served> => {
  const started = Program.start(["serve", ...args], variables)
  await ready(started)
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/u.exec(started.said.out + started.said.err) ?? []
  return { ...started, url }
}

/** Ends it, politely or not. */
export const end = (
  { child, ended }: { readonly child: ChildProcess; readonly ended: Promise<Program.Ended> },
  signal: "SIGTERM" | "SIGKILL",
): Promise<Program.Ended> => {
  child.kill(signal)
  return ended
}
