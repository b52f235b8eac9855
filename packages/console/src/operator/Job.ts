/**
 * A long job of the operator's API: it streams its progress. It runs on if its screen is left, until the page is closed.
 *
 * @module
 */
import type * as Job from "@florin/api/operator/Job"
import * as Connection from "@florin/client/Connection"
import * as EventStream from "@florin/client/EventStream"
import type { Signed } from "../shell/Session.ts"
import * as Shared from "../shell/Shared.ts"

export type State<A> =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly progress: Job.Progress | undefined }
  | { readonly is: "done"; readonly result: A; readonly at: number }
  | { readonly is: "failed"; readonly error: unknown }

/** What the service streams follows its contract. */
const isSaid = <A>(value: unknown): value is Job.Said<A> => Connection.isObject(value)

export const make = <A>(path: string) => {
  const state = Shared.make<State<A>>({ is: "idle" })
  let controller = new AbortController()
  const follow = async ({ prepare }: Signed, query: { readonly [name: string]: string }) => {
    const { signal } = controller
    const heard = EventStream.listen(prepare({ method: "GET", path, query }), undefined, signal)
    try {
      for await (const { data } of heard) {
        const said = data === undefined ? undefined : Connection.parse(data)
        if (!isSaid<A>(said)) continue
        if ("problem" in said) throw Connection.refusedBy(said.problem)
        if ("result" in said) return state.set({ is: "done", result: said.result, at: Date.now() })
        state.set({ is: "running", progress: said.progress })
      }
      throw new Error("the connection ended before the job")
    } catch (error) {
      state.set(signal.aborted ? { is: "idle" } : { is: "failed", error })
    }
  }
  return {
    use: state.use,
    start: (...of: Parameters<typeof follow>) => {
      controller = new AbortController()
      state.set({ is: "running", progress: undefined })
      void follow(...of)
    },
    stop: () => controller.abort(),
  }
}
