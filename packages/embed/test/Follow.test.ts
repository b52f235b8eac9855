import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { type Followed, follow, NotFollowed } from "../src/Follow.ts"

const url = "/api/payments/pay_1"
const paid = { status: "succeeded", isFinal: true } as const
const waiting = { status: "processing", isFinal: false } as const

/** A server that gives these responses, one after the other; and when it was asked, in ms since the start. */
const server = (...responses: ReadonlyArray<() => Promise<Response> | Response>) => {
  const askedAt: Array<number> = []
  const startedAt = performance.now()
  vi.stubGlobal("fetch", async (asked: string) => {
    assert.strictEqual(asked, url)
    const respond = responses[askedAt.length] ?? (() => Response.json(paid))
    askedAt.push(Math.round(performance.now() - startedAt))
    return respond()
  })
  return askedAt
}

const json = (body: unknown) => () => Response.json(body)

/** Follows to the end, however long the pauses are. */
const followed = async (signal = new AbortController().signal) => {
  const reports: Array<Followed> = []
  const following = follow(url, { signal, onReport: (report) => reports.push(report) }).then(
    () => undefined,
    (error: unknown) => error,
  )
  await vi.runAllTimersAsync()
  return { reports, error: await following }
}

describe("following a payment through the shop's server", () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it("asks every second until the payment has ended", async () => {
    const askedAt = server(json(waiting), json(waiting), json(paid))
    const { error, reports } = await followed()
    assert.deepStrictEqual(reports, [waiting, waiting, paid])
    assert.isUndefined(error)
    assert.deepStrictEqual(askedAt, [0, 1000, 2000])
  })

  it("asks again immediately if the server held the request, and otherwise when the response says", async () => {
    const held = () =>
      new Promise<Response>((resolve) => {
        setTimeout(() => resolve(Response.json(waiting)), 20_000)
      })
    const askedAt = server(held, json({ ...waiting, pollInMs: 3000 }), json(paid))
    await followed()
    assert.deepStrictEqual(askedAt, [0, 20_000, 23_000])
  })

  it("never asks without a pause, whatever the response says", async () => {
    const askedAt = server(json({ ...waiting, pollInMs: -1 }), json(paid))
    await followed()
    assert.deepStrictEqual(askedAt, [0, 250])
  })

  it("tries again, with growing pauses, while the server cannot be reached or has trouble", async () => {
    const unreachable = () => Promise.reject(new TypeError("fetch failed"))
    const status = (code: number) => () => new Response("", { status: code })
    const long = Array.from({ length: 3 }, () => status(503))
    const askedAt = server(unreachable, status(500), status(429), ...long, json(paid))
    const { error, reports } = await followed()
    assert.isUndefined(error)
    assert.deepStrictEqual(reports, [paid])
    assert.deepStrictEqual(askedAt, [0, 1000, 3000, 7000, 15_000, 31_000, 61_000])
  })

  for (const code of [401, 403, 404, 410]) {
    it(`stops if the server refuses with ${code}`, async () => {
      const askedAt = server(() => new Response("no", { status: code }))
      const { error, reports } = await followed()
      assert.instanceOf(error, NotFollowed)
      assert.deepInclude(error, { httpStatus: code })
      assert.isEmpty(reports)
      assert.lengthOf(askedAt, 1)
    })
  }

  const others = ["<html>", "null", "[]", `{"status":"paid","isFinal":true}`, `{"status":"failed"}`]
  for (const body of others) {
    it(`stops, and shows nothing, if the response is not the status of a payment: ${body}`, async () => {
      server(() => new Response(body))
      const { error, reports } = await followed()
      assert.instanceOf(error, NotFollowed)
      assert.match(error.message, /must respond with the status of a payment/u)
      assert.isEmpty(reports)
    })
  }

  it("ends with its signal, also while it waits", async () => {
    const controller = new AbortController()
    const askedAt = server(json(waiting), json(paid))
    setTimeout(() => controller.abort(), 500)
    const { error, reports } = await followed(controller.signal)
    assert.isUndefined(error)
    assert.deepStrictEqual(reports, [waiting])
    assert.lengthOf(askedAt, 1)
  })
})
