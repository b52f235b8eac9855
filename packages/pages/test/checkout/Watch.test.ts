import { assert, describe, it } from "@effect/vitest"
import type * as Payment from "@florin/api/wire/Payment"
import { Aborted, Refused, Unreachable } from "@florin/client"
import { watch } from "../../src/checkout/Watch.ts"
import { final, open, processing } from "./Fixtures.ts"

/** Watches what the service answers in turn; an error is thrown. */
const watching = async (
  answers: ReadonlyArray<Payment.StatusResponse | Error>,
  onSleep: (abort: () => void) => void = () => undefined,
) => {
  const controller = new AbortController()
  const heard: Array<string> = []
  const slept: Array<number> = []
  let asked = 0
  let isStale = false
  await watch({
    ask: () => {
      const answer = answers[asked] ?? assert.fail("asked too often")
      asked += 1
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
    heard: ({ status }) => heard.push(status),
    stale: () => {
      isStale = true
    },
    sleep: async (forMs) => {
      slept.push(forMs)
      onSleep(() => controller.abort())
    },
    signal: controller.signal,
  })
  return { heard, slept, asked, isStale }
}

describe("watch", () => {
  it("asks until the end, as often as the service says", async () => {
    const { heard, slept } = await watching([
      open,
      { ...processing, pollInMs: 1500 },
      final("failed"),
    ])
    assert.deepStrictEqual(heard, ["requires_action", "processing", "failed"])
    assert.deepStrictEqual(slept, [1000, 1500])
  })

  it("asks on without a connection, less and less often, and at once as usual when it is back", async () => {
    const gone = new Unreachable("gone")
    const { heard, slept } = await watching([
      ...Array.from({ length: 6 }, () => gone),
      open,
      gone,
      final("expired"),
    ])
    assert.deepStrictEqual(heard, ["requires_action", "expired"])
    assert.deepStrictEqual(slept, [2000, 4000, 8000, 16_000, 30_000, 30_000, 1000, 2000])
  })

  it("ends when it is stopped", async () => {
    assert.strictEqual((await watching([open], (abort) => abort())).asked, 1)
    assert.deepStrictEqual(await watching([new Aborted()]), {
      heard: [],
      slept: [],
      asked: 1,
      isStale: false,
    })
  })

  it("says when the page may ask no more", async () => {
    const problem = { code: "invalid_api_key", message: "", requestId: "", issues: [] }
    assert.isTrue((await watching([new Refused(401, problem)])).isStale)
  })
})
