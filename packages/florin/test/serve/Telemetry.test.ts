/**
 * What a running service sends to a collector, and what it does not send.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Listening from "../listening.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const Traces = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      scopeSpans: Schema.Array(
        Schema.Struct({
          spans: Schema.Array(
            Schema.Struct({
              name: Schema.String,
              traceId: Schema.String,
              status: Schema.Struct({ message: Schema.optionalKey(Schema.String) }),
              attributes: Schema.Array(
                Schema.Struct({
                  key: Schema.String,
                  value: Schema.Struct({ stringValue: Schema.optionalKey(Schema.String) }),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
})
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Traces))

/** Takes all that it is sent. */
const collecting = async () => {
  const received: Array<{ readonly path: string; readonly header: string; readonly body: string }> =
    []
  const listening = await Listening.start(({ body, headers, path }, response) => {
    received.push({ path, header: headers.authorization ?? "", body })
    response.end("{}")
  })
  const of = (path: string) => received.filter((each) => each.path === path).map(({ body }) => body)
  return {
    ...listening,
    received,
    of,
    spans: () =>
      of("/v1/traces")
        .flatMap((body) => decode(body).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  }
}

const timeout = 240_000

describe("telemetry of florin serve", () => {
  it(
    "sends each request's trace, with metrics and logs, and no secret",
    () =>
      Program.inDirectory(async () => {
        const collector = await collecting()
        const served = await Serving.serve(
          { FLORIN_OTLP_HEADERS: "authorization=Bearer%20token" },
          ..."--storage memory --port 0 --operator-port 0 --local-chains 8453".split(" "),
          "--otlp",
          collector.url,
        )
        const [key = ""] = /flr_test_pk_\w+/u.exec(served.said.out) ?? []
        const ask = (path: string) =>
          fetch(`${served.url}${path}`, {
            headers: { "api-key": key, "idempotency-key": "CANARY", "user-agent": "CANARY" },
          })
        const listed = await ask("/v1/events")
        assert.strictEqual(listed.status, 200)
        const refused = await ask("/v1/payments/pay_CANARY?email=CANARY@example.com")
        assert.isAtLeast(refused.status, 400)
        const ids = [listed, refused].map(({ headers }) => headers.get("request-id"))
        await Serving.end(served, "SIGTERM")

        const spans = collector.spans()
        const requests = ids.map((id) =>
          spans.find(({ attributes, name }) =>
            name === "request"
              ? attributes.some(
                  ({ key: of, value }) => of === "requestId" && value.stringValue === id,
                )
              : false,
          ),
        )
        for (const request of requests) assert.isDefined(request)
        const [first] = requests
        assert.isTrue(
          spans.some(({ name, traceId }) => name === "Events.feed" && traceId === first?.traceId),
        )
        for (const { status } of spans) assert.match(status.message ?? "", /^\w*$/u)
        assert.isTrue(
          collector.of("/v1/metrics").some((body) => body.includes("florin_http_requests_total")),
        )
        assert.isNotEmpty(collector.of("/v1/logs"))
        for (const { body, header } of collector.received) {
          assert.strictEqual(header, "Bearer token")
          assert.notInclude(body, "CANARY")
          assert.notInclude(body, "Bearer")
          assert.notInclude(body, key)
        }
        collector.close()
      }),
    timeout,
  )
})
