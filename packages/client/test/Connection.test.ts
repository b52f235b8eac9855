import { assert, describe, it } from "@effect/vitest"
import * as Connection from "../src/Connection.ts"
import { Refused } from "../src/Failure.ts"
import { refusal, service, type ScriptedResponse, type Service } from "./Script.ts"

const apiKey = "flr_test_wk_secret"
const options = { baseUrl: "https://api.example/florin/", apiKey }
const request: Connection.Request<{ readonly status: string }> = {
  method: "GET",
  path: "/v1/x",
  responseMembers: ["status"],
}
const good: ScriptedResponse = { json: { status: "succeeded" } }

const call = (
  { fetch, timing }: Service,
  more: Partial<Connection.Request<{ readonly status: string }>> = {},
  how: Partial<Connection.Options> = {},
) => Connection.make({ ...options, fetch, timing, ...how })({ ...request, ...more })

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) => error,
  )

describe("Connection", () => {
  it("sends key, version, headers, query and body", async () => {
    const script = service([good])
    const answer = await call(
      script,
      {
        method: "POST",
        query: { status: ["a b", "ü&"], limit: 2, wanted: true, cursor: undefined },
        headers: { "Merchant-Id": "mrch_1", "Idempotency-Key": undefined },
        body: { a: 1 },
      },
      { version: "2026-02-19.preview" },
    )
    assert.deepStrictEqual(answer, { status: "succeeded" })
    const [seen] = script.seen
    assert.deepStrictEqual(Object.fromEntries(seen?.headers ?? []), {
      "api-key": apiKey,
      "content-type": "application/json",
      "merchant-id": "mrch_1",
      "svc-version": "2026-02-19.preview",
    })
    assert.deepStrictEqual(
      [seen?.method, seen?.path, seen?.query, seen?.body],
      ["POST", "/florin/v1/x", "?status=a%20b&status=%C3%BC%26&limit=2&wanted=true", { a: 1 }],
    )
  })

  it("calls with a page's token instead of a key", async () => {
    const script = service([good])
    await call(script, {}, { apiKey: { pageToken: "token" } })
    const [seen] = script.seen
    assert.deepStrictEqual(Object.fromEntries(seen?.headers ?? []), { "page-token": "token" })
  })

  it("sends no other headers or cookies, uses no cache and follows no redirect", async () => {
    const inits: Array<RequestInit> = []
    const urls: Array<string> = []
    const script = service([good])
    const fetch = (url: string, init: RequestInit) => {
      urls.push(url)
      inits.push(init)
      return script.fetch(url, init)
    }
    await call({ ...script, fetch })
    const [init] = inits
    assert.deepStrictEqual(urls, ["https://api.example/florin/v1/x"])
    assert.deepStrictEqual(init?.headers, { "Api-Key": apiKey })
    assert.deepStrictEqual(
      [init?.body, init?.cache, init?.credentials, init?.redirect],
      [undefined, "no-store", "omit", "error"],
    )
  })

  it("returns the service's code, message and request id", async () => {
    const issues = [{ field: "accounts[0]", message: "must be CAIP-10" }]
    const script = service([refusal(400, "params_validation", { issues: [...issues, 7] })])
    const error = await failure(call(script))
    assert.instanceOf(error, Refused)
    if (!(error instanceof Refused)) return
    assert.deepStrictEqual(
      { ...error, message: error.message },
      {
        _tag: "Refused",
        name: "Refused",
        status: 400,
        code: "params_validation",
        message: "params_validation happened",
        requestId: "req_1",
        issues,
        retryAfterInS: undefined,
      },
    )
    assert.lengthOf(script.seen, 1)
  })

  it("returns the time of Retry-After without retrying by itself", async () => {
    const limited = (retryAfter: string): ScriptedResponse => ({
      status: 429,
      json: { code: "rate_limited", message: "slow down" },
      headers: { "Retry-After": retryAfter },
    })
    const script = service([limited("7"), limited("Sat, 21 Nov 2026 07:00:00 GMT")])
    const first = await failure(call(script))
    assert.lengthOf(script.seen, 1)
    assert.deepInclude(first, { retryAfterInS: 7, requestId: "" })
    assert.deepInclude(await failure(call(script)), { retryAfterInS: undefined })
  })

  it("retries temporary failures with the same call", async () => {
    const script = service([refusal(500, "internal_error"), "lost", "torn", good])
    await call(script, { method: "POST", body: { a: 1 }, headers: { "Idempotency-Key": "k" } })
    assert.lengthOf(script.seen, 4)
    const sent = script.seen.map(({ headers, ...seen }) => ({ ...seen, headers: [...headers] }))
    for (const again of sent) assert.deepStrictEqual(again, sent[0])
    assert.deepStrictEqual(script.slept, [150, 300, 600])
  })

  it("ends with the last response, or none", async () => {
    const broken = service([500, 502, 503, 503].map((status) => refusal(status, "unavailable")))
    assert.deepInclude(await failure(call(broken)), { _tag: "Refused", status: 503 })
    assert.lengthOf(broken.seen, 4)
    const gone = service(["lost", "lost", "lost", "lost", good])
    const error = await failure(call(gone))
    assert.propertyVal(error, "_tag", "Unreachable")
    assert.propertyVal(
      error,
      "message",
      "no response from the service after 4 attempts: check baseUrl and the connection, then call again",
    )
    assert.lengthOf(gone.seen, 4)
  })

  it("reports the code of a network error, and nothing else of it", async () => {
    const script = service([])
    const thrown = [
      new TypeError("fetch failed", {
        cause: Object.assign(new Error(apiKey), { code: "ECONNREFUSED" }),
      }),
      Object.assign(new Error(apiKey), { code: apiKey }),
      apiKey,
    ]
    const throwing = (error: unknown) => async () => {
      throw error
    }
    const errors = await Promise.all(
      thrown.map((error) => failure(call({ ...script, fetch: throwing(error) }))),
    )
    assert.deepStrictEqual(
      errors.map((error) => `${error instanceof Error ? error.message : ""}`.split(":")[0]),
      [
        "no response from the service after 4 attempts (ECONNREFUSED)",
        "no response from the service after 4 attempts",
        "no response from the service after 4 attempts",
      ],
    )
    for (const error of errors) assert.notInclude(JSON.stringify(error), apiKey)
  })

  it.each<[string, ScriptedResponse]>([
    ["a page", { text: "<html>" }],
    ["null", { json: null }],
    ["a list", { json: [] }],
    ["a stranger's JSON", { json: { state: "fine" } }],
    ["a stranger's error", { status: 404, json: { error: "not here" } }],
    ["an error of a proxy", { status: 403, text: "<html>" }],
    ["an error with a number for a code", { status: 400, json: { code: 1, message: "no" } }],
    ["a redirect", { status: 302, text: "" }],
  ])("does not accept %s as a response of the service", async (_, answer) => {
    const script = service([answer, good])
    const error = await failure(call(script))
    assert.deepInclude(error, { _tag: "Unreadable" })
    assert.lengthOf(script.seen, 1)
  })

  it("times out without a response, and retries", async () => {
    const script = service(["silence", good])
    assert.deepStrictEqual(await call(script, {}, { timeoutInMs: 1 }), { status: "succeeded" })
    assert.lengthOf(script.seen, 2)
  })

  it("stops immediately when the signal aborts, even if fetch ignores it", async () => {
    const controller = new AbortController()
    const script = service(["silence", good], { call: () => controller.abort() })
    const error = await failure(call(script, { signal: controller.signal }))
    assert.deepInclude(error, { _tag: "Aborted" })
    assert.lengthOf(script.seen, 1)
  })

  it("aborts fetch", async () => {
    const controller = new AbortController()
    const heard = new Promise<void>((resolve) => {
      const fetch = (_: string, { signal }: RequestInit) => {
        signal?.addEventListener("abort", () => resolve())
        controller.abort()
        return new Promise<Response>(() => {})
      }
      void failure(call({ ...service([]), fetch }, { signal: controller.signal }))
    })
    await heard
  })

  it("does not start if the signal is aborted already", async () => {
    const script = service([good])
    const error = await failure(call(script, { signal: AbortSignal.abort() }))
    assert.deepInclude(error, { _tag: "Aborted" })
    assert.isEmpty(script.seen)
  })

  it("says that the key is missing, as untyped code may leave it out", () => {
    assert.throws(
      () => Connection.make(Object.assign({ ...options }, { apiKey: undefined })),
      "the value for the header Api-Key must be plain ASCII, and not empty",
    )
  })

  it.each(["", " key", "key\n", "kéy"])(
    "refuses the header %j without repeating it",
    async (bad) => {
      const script = service([good])
      assert.throws(
        () => Connection.make({ ...options, apiKey: bad }),
        "the value for the header Api-Key must be plain ASCII, and not empty",
      )
      const error = await failure(call(script, { headers: { "Merchant-Id": bad } }))
      assert.propertyVal(
        error,
        "message",
        "the value for the header Merchant-Id must be plain ASCII, and not empty",
      )
      assert.isEmpty(script.seen)
    },
  )

  it.each([
    "",
    "api.example",
    "ftp://api.example",
    "https://",
    "https://user:word@api.example",
    "https://api.example?x=1",
    "https://api.example/#x",
    "https://api.example/ x",
  ])("refuses the address %j", (baseUrl) => {
    assert.throws(
      () => Connection.make({ ...options, baseUrl }),
      "baseUrl must be a web address without user, query or fragment",
    )
  })

  it("uses the global fetch by default", async () => {
    const script = service([good])
    const { fetch } = globalThis
    globalThis.fetch = (input, init) =>
      typeof input === "string" && init !== undefined
        ? script.fetch(input, init)
        : Promise.reject(new TypeError("an address and an init"))
    try {
      await Connection.make(options)(request)
    } finally {
      globalThis.fetch = fetch
    }
    assert.lengthOf(script.seen, 1)
  })
})
