import { assert, describe, it } from "@effect/vitest"
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Payment from "@florin/api/wire/Payment"
import { Aborted, Refused, Unreachable } from "@florin/client"
import { watch } from "../../src/checkout/Watch.ts"
import { final, open, processing } from "./Fixtures.ts"

/** A stream that sends these pieces and ends, or stays open. */
const streamOf = (pieces: ReadonlyArray<string>, isLeftOpen = false) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        if (!isLeftOpen) controller.close()
      },
    }),
    // A proxy may add the charset.
    { headers: { "content-type": "text/event-stream; charset=utf-8" } },
  )

const event = (
  status: Payment.StatusResponse,
  progress: HostedPage.Progress | null = null,
): string => `event: message\ndata: ${JSON.stringify({ status, progress })}\n\n`

const none = () => new Response("", { status: 404 })

interface Answers {
  /** What opening a stream answers in turn; then there are none. */
  readonly streams?: ReadonlyArray<(() => Response) | Error>
  /** What polls answer in turn. */
  readonly polls?: ReadonlyArray<Payment.StatusResponse | Error>
  readonly onSleep?: (abort: () => void) => void
  readonly onHeard?: (abort: () => void) => void
}

/** Watches what the service answers in turn; an error is thrown. */
const watching = async ({ onHeard, onSleep, polls = [], streams = [] }: Answers) => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const heard: Array<string> = []
  const progress: Array<HostedPage.Progress | null | undefined> = []
  const slept: Array<number> = []
  /** How often a stream was opened before each poll, and in all. */
  const opened: Array<number> = []
  let opens = 0
  let isStale = false
  await watch({
    open: () => {
      const answer = streams[opens] ?? none
      opens += 1
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer())
    },
    ask: () => {
      const answer = polls[opened.length] ?? assert.fail("asked too often")
      opened.push(opens)
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
    heard: ({ status }, of) => {
      heard.push(status)
      progress.push(of)
      onHeard?.(abort)
    },
    stale: () => {
      isStale = true
    },
    sleep: async (forMs, signal) => {
      if (signal === controller.signal) {
        slept.push(forMs)
        onSleep?.(abort)
        return
      }
      // The limit of a step of the stream: it passes once nothing more can come.
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    },
    signal: controller.signal,
  })
  return { heard, progress, slept, asked: opened.length, opened, opens, isStale }
}

const hash = `0x${"ab".repeat(32)}`
const at = (confirmed: number): HostedPage.Progress => ({
  chain: "eip155:8453",
  hash,
  blocks: { confirmed, needed: 10 },
})

describe("watching by a stream", () => {
  it("receives the status and the progress until the end, without polls", async () => {
    const { asked, heard, opens, progress } = await watching({
      streams: [
        () =>
          streamOf([
            ":\n\n",
            event(open),
            event(processing, at(0)) + event(processing, at(1)),
            event(final("failed")),
          ]),
      ],
    })
    assert.deepStrictEqual(heard, ["requires_action", "processing", "processing", "failed"])
    assert.deepStrictEqual(progress, [null, at(0), at(1), null])
    assert.deepStrictEqual([opens, asked], [1, 0])
  })

  it("joins messages that arrive in pieces", async () => {
    const text = `:\n\n${event(processing, at(3))}${event(final("failed"))}`
    const { heard } = await watching({ streams: [() => streamOf(Array.from(text))] })
    assert.deepStrictEqual(heard, ["processing", "failed"])
  })

  it("polls once after a stream ended, and opens the next", async () => {
    const { heard, opened, progress } = await watching({
      streams: [() => streamOf([event(open)]), () => streamOf([event(final("expired"))])],
      polls: [processing],
    })
    assert.deepStrictEqual(heard, ["requires_action", "processing", "expired"])
    assert.deepStrictEqual(progress, [null, undefined, null])
    assert.deepStrictEqual(opened, [1])
  })

  it("polls if no stream works, and tries streams less and less often", async () => {
    const polls = Array.from({ length: 7 }, () => open)
    const silent: ReadonlyArray<(() => Response) | Error> = [
      none,
      // A proxy that holds everything back.
      () => streamOf([":\n\n"], true),
      new TypeError("offline"),
    ]
    const { opened } = await watching({ streams: silent, polls: [...polls, final("expired")] })
    assert.deepStrictEqual(opened, [1, 2, 2, 3, 3, 3, 3, 4])
  })

  it.each(["<html>", "{}", "null"])("polls if the stream sends %s", async (text) => {
    const strange = () => streamOf([`data: ${text}\n\n`])
    const { heard } = await watching({ streams: [strange], polls: [final("expired")] })
    assert.deepStrictEqual(heard, ["expired"])
  })

  it("reports that the page may not open a stream any more", async () => {
    const { asked, isStale } = await watching({
      streams: [() => new Response("{}", { status: 401 })],
    })
    assert.deepStrictEqual([asked, isStale], [0, true])
  })

  it("ends when it is stopped, and receives nothing afterwards", async () => {
    const { asked, heard, opens } = await watching({
      streams: [() => streamOf([event(open) + event(processing)], true)],
      onHeard: (abort) => abort(),
    })
    assert.deepStrictEqual([heard, opens, asked], [["requires_action"], 1, 0])
  })
})

describe("watching by polls", () => {
  it("polls until the end, at the service's interval", async () => {
    const { heard, slept } = await watching({
      polls: [open, { ...processing, pollInMs: 1500 }, final("failed")],
    })
    assert.deepStrictEqual(heard, ["requires_action", "processing", "failed"])
    assert.deepStrictEqual(slept, [1000, 1500])
  })

  it("polls less often without a connection, and immediately when it is back", async () => {
    const gone = new Unreachable("gone")
    const { heard, slept } = await watching({
      polls: [...Array.from({ length: 6 }, () => gone), open, gone, final("expired")],
    })
    assert.deepStrictEqual(heard, ["requires_action", "expired"])
    assert.deepStrictEqual(slept, [2000, 4000, 8000, 16_000, 30_000, 30_000, 1000, 2000])
  })

  it("ends when it is stopped", async () => {
    const stopped = await watching({ polls: [open], onSleep: (abort) => abort() })
    assert.strictEqual(stopped.asked, 1)
    const { asked, heard, slept } = await watching({ polls: [new Aborted()] })
    assert.deepStrictEqual([heard, slept, asked], [[], [], 1])
  })

  it("reports that the page may not poll any more", async () => {
    const problem = { code: "invalid_api_key", message: "", requestId: "", issues: [] }
    assert.isTrue((await watching({ polls: [new Refused(401, problem)] })).isStale)
  })
})
