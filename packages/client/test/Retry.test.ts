import { assert, describe, it } from "@effect/vitest"
import * as Retry from "../src/Retry.ts"

const run = (
  outcomes: ReadonlyArray<number | Error>,
  signal?: AbortSignal,
  onSleep: () => void = () => {},
) => {
  const slept: Array<number> = []
  let attempts = 0
  const attempt = async () => {
    const outcome = outcomes[attempts]
    attempts += 1
    if (outcome instanceof Error) throw outcome
    return { status: outcome ?? 0 }
  }
  const sleep = async (forMs: number) => {
    slept.push(forMs)
    onSleep()
  }
  const end = Retry.run(attempt, { sleep, random: () => 0.25 }, signal).then(
    ({ status }) => status,
    (error: Error) => error.message,
  )
  return end.then((ended) => ({ ended, attempts, slept }))
}
const lost = new Error("lost")

describe("Retry.run", () => {
  it("retries three times, after 100 ms that double, with jitter", async () => {
    assert.deepStrictEqual(await run([500, 503, 599, 502, 200]), {
      ended: 502,
      attempts: 4,
      slept: [125, 250, 500],
    })
    assert.deepStrictEqual(await run([lost, lost, lost, new Error("the last"), 200]), {
      ended: "the last",
      attempts: 4,
      slept: [125, 250, 500],
    })
  })

  it("stops at the first final response", async () => {
    assert.deepStrictEqual(await run([lost, 500, 201]), {
      ended: 201,
      attempts: 3,
      slept: [125, 250],
    })
  })

  it.each([200, 302, 400, 401, 404, 408, 409, 410, 422, 425, 429, 451, 499])(
    "treats %i as final",
    async (status) => {
      assert.deepStrictEqual(await run([status, 200]), { ended: status, attempts: 1, slept: [] })
    },
  )

  it("does not start if the signal is aborted already", async () => {
    const { ended, attempts } = await run([200], AbortSignal.abort())
    assert.deepStrictEqual([ended, attempts], ["stopped by the caller's signal", 0])
  })

  it("stops if the signal aborts during a pause", async () => {
    const controller = new AbortController()
    const { ended, attempts } = await run([500, 200], controller.signal, () => controller.abort())
    assert.deepStrictEqual([ended, attempts], ["stopped by the caller's signal", 1])
  })

  it("reports the abort, whatever error the attempt had", async () => {
    const controller = new AbortController()
    const attempt = () => {
      controller.abort()
      return Promise.reject(lost)
    }
    const error = await Retry.run(attempt, Retry.timing, controller.signal).catch(
      (caught: unknown) => caught,
    )
    assert.propertyVal(error, "_tag", "Aborted")
  })
})

describe("Retry.delayInMs", () => {
  it("adds a random part, up to the delay itself", () => {
    assert.deepStrictEqual(
      [0, 1, 2].map((retry) => [Retry.delayInMs(retry, 0), Retry.delayInMs(retry, 1)]),
      [
        [100, 200],
        [200, 400],
        [400, 800],
      ],
    )
  })
})

describe("Retry.timing", () => {
  it("ends a pause by itself", async () => {
    await Retry.timing.sleep(1, undefined)
  })

  it("ends a pause immediately when the signal aborts, also before it starts", async () => {
    const controller = new AbortController()
    const sleeping = Retry.timing.sleep(2 ** 30, controller.signal)
    controller.abort()
    await sleeping
    await Retry.timing.sleep(2 ** 30, controller.signal)
  })

  it("draws random numbers from 0 to 1", () => {
    const drawn = Array.from({ length: 100 }, () => Retry.timing.random())
    assert.isTrue(drawn.every((value) => value >= 0 && value < 1))
    assert.isAbove(new Set(drawn).size, 1)
  })
})
