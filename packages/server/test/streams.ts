/**
 * Reading streams of events as a client does, and counting their readers.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Signals } from "@florin/core/ports/Signals"
import { Effect } from "effect"
import * as Sse from "effect/encoding/Sse"
import * as Scene from "./scene.ts"

/** An event as it came: its id, if it has one, and the text of its body. */
export interface Sent {
  readonly id: string
  readonly data: string
}

export interface Reading {
  readonly response: Response
  /** All events so far, once there are so many, or once the stream ended. */
  readonly events: (count: number) => Effect.Effect<ReadonlyArray<Sent>>
  /** All that came by its end. */
  readonly ended: Effect.Effect<{ readonly events: ReadonlyArray<Sent>; readonly retry: boolean }>
  /** Everything that was read, byte for byte. */
  readonly text: () => string
  readonly leave: Effect.Effect<void>
}

/** Reads a response that is a stream. */
export const read = (response: Response): Reading => {
  assert.strictEqual(response.status, 200)
  assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
  const reader = response.body?.getReader() ?? assert.fail("no body")
  const decoder = new TextDecoder()
  const events: Array<Sent> = []
  let retry = false
  let isEnded = false
  let text = ""
  const parser = Sse.makeParser((each) => {
    if (each._tag === "Retry") retry = true
    else events.push({ id: each.id ?? "", data: each.data })
  })
  const step = async () => {
    const { done, value } = await reader.read()
    if (done) {
      isEnded = true
    } else {
      const piece = decoder.decode(value, { stream: true })
      text += piece
      parser.feed(piece)
    }
  }
  const until = (holds: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() =>
      holds() || isEnded ? Effect.void : Effect.andThen(Effect.promise(step), until(holds)),
    )
  return {
    response,
    events: (count) =>
      Effect.as(
        until(() => events.length >= count),
        events,
      ),
    ended: Effect.map(
      until(() => false),
      () => ({ events, retry }),
    ),
    text: () => text,
    leave: Effect.promise(() => reader.cancel()),
  }
}

/** A little real time, whatever the clock of the test says. */
const pause = Effect.promise(() => setTimeout(2))

/** How many streams the process keeps open. */
export const openCount = Effect.map(Signals, ({ following }) => following("").all)

/** Waits until so many are open. */
export const opened = (count: number): Effect.Effect<void, never, Signals> =>
  Effect.flatMap(openCount, (open) =>
    open === count ? Effect.void : Effect.andThen(pause, opened(count)),
  )

/** The text of each event in the list. */
export const feed = (key: string) =>
  Effect.map(Scene.send({ path: "/v1/events?limit=200", key }), ({ body }) =>
    Scene.list(body, "data").map((each) => JSON.stringify(each)),
  )

/** Waits for an effect, while time passes a second after the other. */
export const whilePassing = <A, R>(
  effect: Effect.Effect<A, never, R>,
  pass: Effect.Effect<void>,
): Effect.Effect<A, never, R> =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(pause, pass)))
