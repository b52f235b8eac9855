/**
 * The operator's own webhook: real processes on PostgreSQL, one of them killed while its message is on its way.
 *
 * @module
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import * as Schema from "effect/Schema"
import * as Listening from "../listening.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453
const relayer = Wallet.make(78)
const timeout = 360_000

const key = Buffer.alloc(32, 7)
const secret = `whsec_${key.toString("base64")}`

const readBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      type: Schema.String,
      timestamp: Schema.String,
      data: Schema.Struct({
        key: Schema.String,
        finding: Schema.String,
        since: Schema.String,
        text: Schema.String,
        commands: Schema.Array(Schema.String),
        details: Schema.JsonObject,
      }),
    }),
  ),
)

const readWaiting = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ merchants: Schema.Array(Schema.Struct({ id: Schema.String })) }),
  ),
)

/** As the specification of Standard Webhooks has it, without any code of ours. */
const isOurs = (headers: IncomingHttpHeaders, body: string): boolean => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  const expected = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
  const isNear = Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300
  return isNear && headers["webhook-signature"] === expected
}

/** Hears what is about merchants that wait. It answers nothing to that until it is told to. */
const listen = async () => {
  let isHanging = true
  const heard: Array<{ readonly id: unknown; readonly body: ReturnType<typeof readBody> }> = []
  const { close, url } = await Listening.start(({ body: sent, headers }, response) => {
    const body = readBody(sent)
    if (!isOurs(headers, sent)) return response.writeHead(401).end()
    const isMeant = body.data.finding === "merchants_wait"
    if (isMeant) heard.push({ id: headers["webhook-id"], body })
    return isMeant && isHanging ? response : response.writeHead(204).end()
  })
  return {
    url: `${url}/florin`,
    close,
    heard,
    answer: () => {
      isHanging = false
    },
  }
}

const tellThroughKill = async (
  database: string,
  [reached = assert.fail("there is no chain"), ...others]: Parameters<typeof Serving.variables>[1],
): Promise<void> => {
  await Serving.giveGas(reached, relayer.address)
  const receiver = await listen()
  const variables = {
    ...Serving.variables(database, [reached, ...others]),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
    FLORIN_APPROVE_MERCHANTS: "always",
    FLORIN_ALERT_URL: receiver.url,
    FLORIN_ALERT_SECRET: secret,
    FLORIN_ALERT_SECONDS: "1",
  }
  const begin = () => Serving.serve(variables, "--port", "0")
  const florin = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await Program.runIn(variables, ...args, "--json")
    assert.strictEqual(code, 0, out + err)
    return out
  }
  const approve = async () => {
    for (const { id } of readWaiting(await florin("merchants", "waiting")).merchants) {
      // oxlint-disable-next-line no-await-in-loop -- One command after the other.
      await florin("merchants", "approve", id, "--yes")
    }
  }
  const { heard } = receiver
  const hears = (count: number) => Serving.until(() => heard.length >= count)

  const first = await begin()
  await Serving.register(database, first.url)
  await hears(1)
  // It took the message and said nothing: nobody knows whether it has it.
  await Serving.end(first, "SIGKILL")
  receiver.answer()
  const before = heard.length
  const [second, third] = await Promise.all([begin(), begin()])
  await hears(before + 1)
  await approve()
  await hears(before + 2)
  await Serving.register(database, second.url)
  await hears(before + 3)
  const ends = await Promise.all([second, third].map((each) => Serving.end(each, "SIGTERM")))
  assert.deepStrictEqual(
    ends.map(({ code }) => code),
    [0, 0],
  )
  receiver.close()

  const told = heard.slice(before - 1)
  assert.deepStrictEqual(
    told.map(({ body }) => body.type.replace("operator.alert.", "")),
    ["raised", "raised", "cleared", "raised"],
  )
  const [killed, raised, cleared, again] = told
  assert.deepStrictEqual(killed, raised, "the same message")
  assert.strictEqual(new Set([killed, cleared, again].map((each) => each?.id)).size, 3)
  assert.deepInclude(raised?.body.data, {
    key: "merchants_wait",
    text: "1 merchant waits for your approval",
    commands: ["florin merchants waiting"],
    details: { count: 1, hasMore: false },
  })
  assert.strictEqual(cleared?.body.data.since, raised?.body.data.since)
}

describe("florin serve with the operator's own webhook", () => {
  it.live(
    "reports each finding once, and once that it is over, even if a process is killed meanwhile",
    () => Serving.on([chainId], tellThroughKill),
    timeout,
  )
})
