/**
 * A long job of the operator's API: it streams its progress. It runs on if its screen is left, until the page is closed.
 *
 * @module
 */
import type * as Job from "@florin/api/operator/Job"
import * as Connection from "@florin/client/Connection"
import * as EventStream from "@florin/client/EventStream"
import { useEffect, useState } from "preact/hooks"
import type { Signed } from "../shell/Session.ts"

export type State<A> =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly progress: Job.Progress | undefined }
  | { readonly is: "done"; readonly result: A; readonly at: number }
  | { readonly is: "failed"; readonly error: unknown }

export interface Running<A> {
  readonly state: () => State<A>
  readonly start: (signed: Signed, query: { readonly [name: string]: string }) => void
  readonly stop: () => void
  readonly changed: EventTarget
}

/** What the service streams follows its contract. */
const isSaid = <A>(value: unknown): value is Job.Said<A> => Connection.isObject(value)

export const make = <A>(path: string): Running<A> => {
  const changed = new EventTarget()
  let state: State<A> = { is: "idle" }
  let controller = new AbortController()
  const set = (next: State<A>) => {
    state = next
    changed.dispatchEvent(new Event("changed"))
  }
  const follow = async ({ prepare }: Signed, query: { readonly [name: string]: string }) => {
    const { signal } = controller
    const heard = EventStream.listen(prepare({ method: "GET", path, query }), undefined, signal)
    try {
      for await (const { data } of heard) {
        const said = data === undefined ? undefined : Connection.parse(data)
        if (!isSaid<A>(said)) continue
        if ("problem" in said) throw Connection.refusedBy(said.problem)
        if ("result" in said) return set({ is: "done", result: said.result, at: Date.now() })
        set({ is: "running", progress: said.progress })
      }
      throw new Error("the connection ended before the job")
    } catch (error) {
      set(signal.aborted ? { is: "idle" } : { is: "failed", error })
    }
  }
  return {
    state: () => state,
    changed,
    start: (signed, query) => {
      controller = new AbortController()
      set({ is: "running", progress: undefined })
      void follow(signed, query)
    },
    stop: () => controller.abort(),
  }
}

/** The state of a job, as it changes. */
export const useJob = <A>(job: Running<A>): State<A> => {
  const [state, setState] = useState(job.state)
  useEffect(() => {
    const look = () => setState(job.state())
    look()
    job.changed.addEventListener("changed", look)
    return () => job.changed.removeEventListener("changed", look)
  }, [job])
  return state
}
