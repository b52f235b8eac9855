/**
 * The reconciliation, a long job that streams its progress. It runs on if its screen is left, until the page is closed.
 *
 * @module
 */
import type * as Job from "@florin/api/operator/Job"
import type * as Reconciliation from "@florin/api/wire/Reconciliation"
import * as Connection from "@florin/client/Connection"
import * as EventStream from "@florin/client/EventStream"
import type { Signed } from "../shell/Session.ts"
import * as Shared from "../shell/Shared.ts"

type Result = Reconciliation.Reconciliation

type State =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly progress: Job.Progress | undefined }
  | { readonly is: "done"; readonly result: Result; readonly at: number }
  | { readonly is: "failed"; readonly error: unknown }

/** What the service streams follows its contract. */
const isSaid = (value: unknown): value is Job.Said<Result> => Connection.isObject(value)

const state = Shared.make<State>({ is: "idle" })
let controller = new AbortController()

const follow = async ({ prepare }: Signed, depth: string) => {
  const { signal } = controller
  const path = "/operator/v1/reconciliation"
  const request = prepare({ method: "GET", path, query: { depth } })
  try {
    for await (const { data } of EventStream.listen(request, undefined, signal)) {
      const said = data === undefined ? undefined : Connection.parse(data)
      if (!isSaid(said)) continue
      if ("problem" in said) throw Connection.refusedBy(said.problem)
      if ("result" in said) return state.set({ is: "done", result: said.result, at: Date.now() })
      state.set({ is: "running", progress: said.progress })
    }
    throw new Error("the connection ended before the job")
  } catch (error) {
    state.set(signal.aborted ? { is: "idle" } : { is: "failed", error })
  }
}

export const use = state.use

export const start = (...of: Parameters<typeof follow>): void => {
  controller = new AbortController()
  state.set({ is: "running", progress: undefined })
  void follow(...of)
}

export const stop = () => controller.abort()
