/**
 * Long work of the operator's API: it streams its progress, and ends when its reader goes away.
 *
 * @module
 */
import type * as Contract from "@florin/api/operator/Job"
import * as Limits from "@florin/core/domain/ground/Limits"
import { Acting } from "@florin/core/ports/AuditStore"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as JobPlaces from "../edge/JobPlaces.ts"
import * as Problems from "../edge/Problems.ts"
import { ServerSentEvents } from "../edge/ServerSentEvents.ts"
import type * as Operation from "./Operation.ts"

type Report = (progress: Contract.Progress) => void
type Work<A> = (report: Report) => Effect.Effect<A, Problems.Refusal>

/** The response of a job. In this process, the work runs without the stream. */
export class Running<A extends object = object> extends ServerSentEvents<Contract.Said<A>> {
  readonly work: Work<A>

  constructor(events: Running<A>["events"], work: Work<A>) {
    super(events, Limits.operatorJobMaxInMs)
    this.work = work
  }
}

/** Streams what the work reports, and at last its result. `group` is the group of the operation. */
export const run = Effect.fnUntraced(function* <A extends object>(
  group: string,
  work: (report: Report) => Effect.Effect<A, Problems.Refusal, Operation.Ports>,
) {
  yield* Effect.scoped(JobPlaces.take)
  const context = yield* Effect.context<Operation.Ports>()
  const { requestId } = yield* Acting
  const placed: Work<A> = (report) =>
    Effect.scoped(Effect.andThen(JobPlaces.take, work(report))).pipe(Effect.provideContext(context))
  const said = Stream.callback<{ readonly data: Contract.Said<A> }>(
    (queue) =>
      placed((progress) => void Queue.offerUnsafe(queue, { data: { progress } })).pipe(
        Effect.map((result): Contract.Said<A> => ({ result })),
        Effect.catch((refusal) =>
          Effect.succeed({ problem: Problems.streamed(refusal, group, requestId ?? "") }),
        ),
        Effect.flatMap((data) => Queue.offer(queue, { data })),
        Effect.andThen(Queue.end(queue)),
      ),
    // A slow reader misses some progress, and never the end.
    { bufferSize: 16, strategy: "sliding" },
  )
  return new Running(said, placed)
})
