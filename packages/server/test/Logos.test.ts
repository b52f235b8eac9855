import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Logos from "../src/pages/Logos.ts"
import * as Pictures from "../test-support/pictures.ts"

const url = "https://shop.example/logo.png"
const logo: Logos.Logo = { contentType: "image/png", body: Pictures.png }

/** Logos, and the addresses that were fetched for them, in order. */
const make = Effect.fnUntraced(function* (fetch: Logos.Fetch) {
  const fetched: Array<string> = []
  const logoAt = yield* Logos.make((address) => {
    fetched.push(address)
    return fetch(address)
  })
  return { fetched, logoAt }
})

const always =
  (body: Uint8Array | null): Logos.Fetch =>
  () =>
    Effect.succeed(body)

/** A fetch that lasts until it is told its bytes. */
const pending = Effect.gen(function* () {
  const body = yield* Deferred.make<Uint8Array>()
  const left = yield* Deferred.make<void>()
  const fetch: Logos.Fetch = () =>
    Effect.onInterrupt(Deferred.await(body), () => Deferred.succeed(left, undefined))
  return { body, fetch, left }
})

describe("a logo", () => {
  for (const [contentType, body] of Pictures.passed) {
    it.effect(`that begins like ${contentType} is served as that (${body.length} bytes)`, () =>
      Effect.gen(function* () {
        const { logoAt } = yield* make(always(body))
        assert.deepStrictEqual(yield* logoAt(url), { contentType, body })
      }),
    )
  }

  for (const [name, body] of Pictures.refused) {
    it.effect(`cannot be ${name}`, () =>
      Effect.gen(function* () {
        const { logoAt } = yield* make(always(body))
        assert.isNull(yield* logoAt(url))
      }),
    )
  }

  it.effect("is cached for an hour, per URL", () =>
    Effect.gen(function* () {
      const { fetched, logoAt } = yield* make(always(Pictures.png))
      for (const address of [url, `${url}?2`, url]) {
        assert.deepStrictEqual(yield* logoAt(address), logo)
      }
      yield* TestClock.adjust("3599 seconds")
      yield* logoAt(url)
      assert.deepStrictEqual(fetched, [url, `${url}?2`])
      yield* TestClock.adjust("1 second")
      yield* logoAt(url)
      assert.deepStrictEqual(fetched, [url, `${url}?2`, url])
    }),
  )

  for (const [name, body] of [
    ["no response", null],
    ["not a logo", new Uint8Array([1])],
  ] as const) {
    it.effect(`that fails (${name}) is fetched again after a minute`, () =>
      Effect.gen(function* () {
        const { fetched, logoAt } = yield* make(always(body))
        assert.isNull(yield* logoAt(url))
        yield* TestClock.adjust("59 seconds")
        assert.isNull(yield* logoAt(url))
        assert.lengthOf(fetched, 1)
        yield* TestClock.adjust("1 second")
        assert.isNull(yield* logoAt(url))
        assert.lengthOf(fetched, 2)
      }),
    )
  }

  it.effect("is replaced by newer ones beyond a hundred", () =>
    Effect.gen(function* () {
      const { fetched, logoAt } = yield* make(always(Pictures.png))
      const addresses = Array.from({ length: 101 }, (_, index) => `${url}?${index}`)
      for (const address of addresses) yield* logoAt(address)
      for (const address of addresses.slice(1)) yield* logoAt(address)
      assert.deepStrictEqual(fetched, addresses)
      yield* logoAt(addresses[0] ?? "")
      assert.lengthOf(fetched, 102)
    }),
  )

  it.effect("is fetched once for all waiting callers, even if the first one leaves", () =>
    Effect.gen(function* () {
      const { body, fetch } = yield* pending
      const { fetched, logoAt } = yield* make(fetch)
      const [first, ...others] = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(logoAt(url), { startImmediately: true }),
      )
      yield* Fiber.interrupt(first ?? assert.fail())
      yield* Deferred.succeed(body, Pictures.png)
      for (const other of others) assert.deepStrictEqual(yield* Fiber.join(other), logo)
      assert.deepStrictEqual(yield* logoAt(url), logo)
      assert.deepStrictEqual(fetched, [url])
    }),
  )

  it.effect("that no caller waits for is abandoned, and fetched again for the next caller", () =>
    Effect.gen(function* () {
      const { body, fetch, left } = yield* pending
      const { fetched, logoAt } = yield* make(fetch)
      const only = yield* Effect.forkChild(logoAt(url), { startImmediately: true })
      yield* Fiber.interrupt(only)
      yield* Deferred.await(left)
      yield* Deferred.succeed(body, Pictures.png)
      assert.deepStrictEqual(yield* logoAt(url), logo)
      assert.deepStrictEqual(fetched, [url, url])
    }),
  )
})
