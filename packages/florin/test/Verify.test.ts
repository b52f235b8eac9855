/**
 * `florin verify` and receivers, one for each fault that they can have.
 *
 * @module
 */
import type { IncomingHttpHeaders } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "@florin/client"
import * as Listening from "./listening.ts"
import * as Program from "./program.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const environment = { FLORIN_WEBHOOK_SECRET: secret }

interface Event {
  readonly id: string
  readonly type: string
  readonly data: { readonly payment_state_version: number }
}

const eventOf = (body: string): Event => JSON.parse(body)

const headersOf = (headers: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const isSigned = (body: string, headers: Headers): Promise<boolean> =>
  verifyWebhook({ body, headers, secret }).then(
    () => true,
    () => false,
  )

/** What a receiver does with a call: it is made anew for each run, as some remember. */
type Receiver = () => (body: string, headers: Headers) => Promise<number> | number

const right: ReturnType<Receiver> = async (body, headers) =>
  (await isSigned(body, headers)) ? 200 : 400

/** A correct receiver, if not for one thing. */
const faults: Readonly<Record<string, readonly [Receiver, ReadonlyArray<string>]>> = {
  "responds with an error to what it accepts": [
    () => async (body, headers) => ((await right(body, headers)) === 200 ? 500 : 400),
    [
      "an event",
      "the same event again",
      "a later event first",
      "an unknown type of event",
      "a body with other spaces",
      "two signatures, the second is valid",
    ],
  ],
  "redirects what it accepts": [
    () => async (body, headers) => ((await right(body, headers)) === 200 ? 308 : 400),
    [
      "an event",
      "the same event again",
      "a later event first",
      "an unknown type of event",
      "a body with other spaces",
      "two signatures, the second is valid",
    ],
  ],
  "refuses an event that it has": [
    () => {
      const had = new Set<string>()
      return (body, headers) => {
        const { id } = eventOf(body)
        if (had.has(id)) return 409
        had.add(id)
        return right(body, headers)
      }
    },
    ["the same event again"],
  ],
  "refuses an event that is late": [
    () => {
      let last = 0
      return (body, headers) => {
        const { data } = eventOf(body)
        if (data.payment_state_version < last) return 409
        last = data.payment_state_version
        return right(body, headers)
      }
    },
    ["a later event first"],
  ],
  "refuses types that it does not know": [
    () => (body, headers) =>
      eventOf(body).type.includes("later_release") ? 422 : right(body, headers),
    ["an unknown type of event"],
  ],
  "verifies what a parser wrote again": [
    () => (body, headers) => right(JSON.stringify(JSON.parse(body)), headers),
    ["a body with other spaces"],
  ],
  "reads one signature only": [
    () => (body, headers) => {
      const [first = ""] = (headers.get("webhook-signature") ?? "").split(" ")
      headers.set("webhook-signature", first)
      return right(body, headers)
    },
    ["two signatures, the second is valid"],
  ],
  "verifies nothing": [
    () => () => 200,
    [
      "a wrong signature",
      "a body changed after signing",
      "no signature",
      "an event signed 10 min ago",
    ],
  ],
  "accepts what has no signature": [
    () => (body, headers) => (headers.has("webhook-signature") ? right(body, headers) : 200),
    ["no signature"],
  ],
  "accepts what is old": [
    () => async (body, headers) =>
      (await verifyWebhook({ body, headers, secret, toleranceInS: 86_400 }).then(
        () => true,
        () => false,
      ))
        ? 204
        : 400,
    ["an event signed 10 min ago"],
  ],
  "is slow": [
    () => {
      let isFirst = true
      return async (body, headers) => {
        const isSlow = isFirst
        isFirst = false
        if (isSlow) await sleep(5100)
        return right(body, headers)
      }
    },
    ["speed"],
  ],
}

const verify = async (receiver: Receiver, ...flags: ReadonlyArray<string>) => {
  const receive = receiver()
  const { close, url } = await Listening.start(async ({ body, headers }, response) => {
    const status = await receive(body, headersOf(headers))
    response.writeHead(status, status === 308 ? { location: "/elsewhere" } : {}).end()
  })
  try {
    return await Program.runIn(environment, "verify", url, ...flags)
  } finally {
    close()
  }
}

interface Checked {
  readonly ok: boolean
  readonly checks: ReadonlyArray<{ readonly tried: string; readonly ok: boolean }>
}
const faultsIn = (out: string): ReadonlyArray<string> => {
  const { checks }: Checked = JSON.parse(out)
  return checks.filter(({ ok }) => !ok).map(({ tried }) => tried)
}

describe("florin verify", () => {
  it("finds nothing wrong with a receiver that uses our library", async () => {
    const { code, err, out } = await verify(() => right)
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    assert.match(out, /^✓ an event +200, accepted$/mu)
    assert.match(out, /^✓ a wrong signature +400, refused$/mu)
    assert.match(out, /speed +slowest \d+ ms of 10000 ms$/mu)
    assert.notInclude(out, "✗")
    assert.isTrue(out.split("\n").every((line) => line.length <= 80))
  })

  it.each(Object.keys(faults))("finds that a receiver %s", async (name) => {
    const [receiver, wanted] = faults[name] ?? assert.fail(name)
    const { code, err, out } = await verify(receiver, "--json")
    // A machine with much else to do is slow, too.
    const found = faultsIn(out).filter((tried) => tried !== "speed" || wanted.includes(tried))
    assert.deepStrictEqual(found, wanted)
    assert.strictEqual(code, 1)
    assert.match(err, /the receiver has \d+ faults?/u)
  })

  it("says what to do, within 80 columns", async () => {
    const { code, out } = await verify(() => () => 200)
    assert.strictEqual(code, 1)
    assert.include(out, "✗ a wrong signature")
    assert.include(out, "Anybody can send you events.")
    assert.isTrue(out.split("\n").every((line) => line.length <= 80))
  })

  it("stops if nothing responds, and refuses what it cannot use", async () => {
    const { close, url } = await Listening.start(() => {})
    close()
    const none = await Program.runIn(environment, "verify", url, "--json")
    assert.deepStrictEqual(faultsIn(none.out), ["an event"])
    const without = await Program.run("verify", url)
    assert.include(without.err, "set FLORIN_WEBHOOK_SECRET or --secret-file")
    const wrong = await Program.runIn({ FLORIN_WEBHOOK_SECRET: "hunter2" }, "verify", url)
    assert.include(wrong.err, "a webhook secret is whsec_")
    assert.notInclude(wrong.err, "hunter2")
    const address = await Program.runIn(environment, "verify", "shop.example")
    assert.strictEqual(address.code, 2)
  })
})
