import { assert, describe, it } from "@effect/vitest"
import { Refused, Unreachable } from "../src/Failure.ts"
import { makeOperator } from "../src/Operator.ts"

/** An operator's client whose service streams this, in pieces. */
const hearing = (...pieces: ReadonlyArray<string>) => {
  const asked: Array<string> = []
  const operator = makeOperator({
    baseUrl: "http://127.0.0.1:9464",
    apiKey: "flr_op_key",
    fetch: (url) => {
      asked.push(url)
      const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)))
      return Promise.resolve(
        new Response(body, { headers: { "content-type": "text/event-stream" } }),
      )
    },
  })
  return { asked, operator }
}

const progress = { what: "records", done: 1, of: 2 }
const result = { accounts: [], overdrawn: 0, records: null }
const event = (data: object) => `event: message\ndata: ${JSON.stringify(data)}\n\n`

describe("a job over HTTP", () => {
  it("resolves with its result, and reports its progress", async () => {
    const whole = event({ progress }) + event({ result })
    const { asked, operator } = hearing(":\n\n", whole.slice(0, 40), whole.slice(40))
    const heard: Array<object> = []
    const found = await operator.reconciliation.run(
      { depth: "records" },
      { onProgress: (each) => heard.push(each) },
    )
    assert.deepStrictEqual([found, heard], [result, [progress]])
    assert.deepStrictEqual(asked, [
      "http://127.0.0.1:9464/operator/v1/reconciliation?depth=records",
    ])
  })

  it("rejects with the problem that ends its stream", async () => {
    const problem = { code: "bad_gateway", message: "the chain is away", requestId: "req_1" }
    const { operator } = hearing(event({ progress }), event({ problem }))
    const error = await operator.reconciliation.run().catch((refused: unknown) => refused)
    assert.instanceOf(error, Refused)
    assert.deepInclude(error, { status: 502, ...problem })
  })

  it("fails if the connection ends before the result", async () => {
    const { operator } = hearing(event({ progress }))
    const error = await operator.reconciliation.run().catch((refused: unknown) => refused)
    assert.instanceOf(error, Unreachable)
  })
})
