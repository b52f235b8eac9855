import { assert, describe, it } from "@effect/vitest"
import * as Listening from "./listening.ts"
import * as Program from "./program.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

/** A receiver that answers every call with a status, and keeps what it was sent. */
const listening = async (status: number) => {
  const bodies: Array<string> = []
  const { close, url } = await Listening.start(({ body }, response) => {
    bodies.push(body)
    response.writeHead(status).end()
  })
  return { bodies, url, [Symbol.asyncDispose]: async () => close() }
}

const test = async (url: string, variables: { readonly [name: string]: string } = {}) => {
  const [ended] = await Program.several(
    [["alerts", "test", ...(url === "" ? [] : ["--alert-url", url])]],
    {
      FLORIN_ALERT_SECRET: secret,
      ...variables,
    },
  )
  return ended ?? assert.fail("it did not run")
}

describe("florin alerts test", () => {
  it("reports whether the operator's own webhook works", async () => {
    await using well = await listening(204)
    const { code, err } = await test(`${well.url}/hook`)
    assert.strictEqual(code, 0, err)
    assert.lengthOf(well.bodies, 1)
    assert.include(well.bodies[0], '"type":"operator.alert.test"')
  })

  it("says why it does not work, without its address or secret", async () => {
    await using ill = await listening(500)
    const url = `${ill.url}/token`
    const cases: ReadonlyArray<
      readonly [ended: Promise<Program.Ended>, says: string, expected?: number]
    > = [
      [test(url), "it responded with 500"],
      [test(url, { FLORIN_ALERT_SECRET: "" }), "alertUrl needs FLORIN_ALERT_SECRET"],
      [test("", { FLORIN_ALERT_URL: "" }), "FLORIN_ALERT_SECRET needs alertUrl"],
      [test("", { FLORIN_ALERT_SECRET: "" }), "no alert webhook is configured"],
      [test("http://example.com/token"), "--alert-url must be an https address", 2],
      [test(url, { FLORIN_ALERT_SECRET: "whsec_token" }), "FLORIN_ALERT_SECRET must be whsec_"],
    ]
    for (const [running, says, expected = 1] of cases) {
      // oxlint-disable-next-line no-await-in-loop -- All of them run.
      const { code, err, out } = await running
      assert.strictEqual(code, expected, out + err)
      assert.include(out + err, says)
      assert.notInclude(out + err, "token")
      assert.notInclude(out + err, secret)
    }
  })
})
