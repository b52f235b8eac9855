import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "../src/Client.ts"
import { type ScriptedResponse, refusal, service } from "./Script.ts"

const sent = (...numbers: ReadonlyArray<number>) =>
  numbers
    .map((n) => `id: c${n}\ndata: {"id":"evt_${n}","type":"payment.created","data":{}}\n\n`)
    .join("")

const follow = (answers: ReadonlyArray<ScriptedResponse>, timeoutInMs = 30_000) => {
  const script = service(answers)
  const { fetch, timing } = script
  const options = { baseUrl: "https://api.example", apiKey: "flr_test_pk_1" }
  const { events } = makePartner({ ...options, fetch, timing, timeoutInMs })
  return { ...script, events }
}

/** Where each connection began. */
const beginnings = ({ seen }: ReturnType<typeof follow>) =>
  seen.map(({ headers }) => headers.get("last-event-id"))

const read = async (events: AsyncIterable<{ readonly cursor: string }>, count: number) => {
  const cursors: Array<string> = []
  for await (const { cursor } of events) {
    cursors.push(cursor)
    if (cursors.length === count) break
  }
  return cursors
}

const caught = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe("partner.events.stream", () => {
  const text = `:\n\n${sent(1, 2, 3, 4)}retry: 7\n\n`

  it("yields every event once and in order, wherever the stream breaks", () =>
    Promise.all(
      Array.from({ length: text.length + 1 }, async (_, cut) => {
        const script = follow([
          { stream: [text.slice(0, cut)], isTorn: true },
          { stream: ["lost"], isTorn: true },
          { stream: [sent(99)] },
        ])
        const blocks = text.slice(0, cut).split("\n\n").slice(0, -1)
        const whole = ["c1", "c2", "c3", "c4"].slice(
          0,
          blocks.filter((block) => block.startsWith("id")).length,
        )
        const cursors = await read(script.events.stream(), whole.length + 1)
        assert.deepStrictEqual(cursors, [...whole, "c99"])
        const last = whole.at(-1) ?? null
        assert.deepStrictEqual(beginnings(script), [null, last, last])
      }),
    ))

  it("reads a stream whose content type has parameters, as a proxy may add them", async () => {
    const type = "text/event-stream; charset=utf-8"
    const { events } = follow([{ stream: [sent(1)], type }])
    assert.deepStrictEqual(await read(events.stream(), 1), ["c1"])
  })

  it("reads chunks of any size", async () => {
    const { events } = follow([{ stream: [...text] }])
    assert.deepStrictEqual(await read(events.stream(), 4), ["c1", "c2", "c3", "c4"])
  })

  it("starts after a cursor, and waits for the service's retry time", async () => {
    const script = follow([{ stream: [text] }, { stream: [sent(5)] }])
    assert.lengthOf(await read(script.events.stream({ cursor: "c0" }), 5), 5)
    assert.deepStrictEqual(beginnings(script), ["c0", "c4"])
    assert.deepStrictEqual(script.slept, [7])
    assert.strictEqual(script.asked()[0], "GET /v1/events/stream")
  })

  it("waits longer after each failure, and as long as a 429 says", async () => {
    const script = follow([
      "lost",
      refusal(503, "unavailable"),
      refusal(429, "rate_limited", {}),
      { stream: [sent(1)] },
    ])
    assert.deepStrictEqual(await read(script.events.stream(), 1), ["c1"])
    assert.deepStrictEqual(script.slept, [150, 300, 600])
  })

  it("reconnects if a connection is silent", async () => {
    const { events } = follow(["silence", { stream: [sent(1)] }], 10)
    assert.deepStrictEqual(await read(events.stream(), 1), ["c1"])
  })

  it.each([
    ["a refusal", refusal(403, "forbidden"), "Refused"],
    ["a proxy's page", { text: "a proxy's page" }, "Unreadable"],
    ["data that is not an event", { stream: ["id: c1\ndata: {\n\n"] }, "Unreadable"],
  ] as const)("throws on %s, and does not reconnect", async (_, answer, tag) => {
    const script = follow([answer])
    assert.propertyVal(await caught(read(script.events.stream(), 1)), "_tag", tag)
    assert.lengthOf(script.seen, 1)
  })

  it.each(["silence", { stream: [sent(1)] }] as const)(
    "stops when its signal aborts, also while it waits",
    async (answer) => {
      const controller = new AbortController()
      const { events } = follow([answer, "silence"])
      const reading = caught(read(events.stream({}, { signal: controller.signal }), 2))
      setTimeout(() => controller.abort(), 5)
      assert.propertyVal(await reading, "_tag", "Aborted")
    },
  )
})
