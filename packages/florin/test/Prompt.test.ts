import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "../src/terminal/Prompt.ts"

const question = "Approve this (y/N)? "

const confirmed = async (text: string) => {
  const streams = { input: new PassThrough(), output: new PassThrough() }
  streams.input.end(text)
  const answer = await Prompt.confirm(streams, question, new AbortController().signal)
  assert.strictEqual(String(streams.output.read()), question)
  return answer
}

describe("a confirmation prompt", () => {
  it.each(["y\n", "Y\n", " yes \n", "y"])("is confirmed by %j", async (text) => {
    assert.isTrue(await confirmed(text))
  })

  it.each(["", "\n", "n\n", "no\ny\n", "yesterday\n", "ok\n"])(
    "is not confirmed by %j",
    async (text) => {
      assert.isFalse(await confirmed(text))
    },
  )

  it("stops immediately when it is aborted", async () => {
    const controller = new AbortController()
    const streams = { input: new PassThrough(), output: new PassThrough() }
    const answer = Prompt.confirm(streams, question, controller.signal)
    controller.abort()
    assert.isFalse(await answer)
  })
})
