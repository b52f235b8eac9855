import { assert, describe, it } from "@effect/vitest"
import type * as AccessLog from "@florin/server/AccessLog"
import * as Florin from "@florin/server/Florin"
import { Handler } from "@florin/server/Handler"
import * as Service from "@florin/testing/Service"
import { Effect, Layer } from "effect"
import * as WorkerHandler from "../../src/serve/WorkerHandler.ts"

const publicUrl = "https://pay.example.com"

/** Asks a worker; what it answered, and what it wrote down. */
const ask = Effect.fnUntraced(function* (method: string, path: string) {
  const lines: Array<AccessLog.Line> = []
  const log = (line: AccessLog.Line) => void lines.push(line)
  const answer = yield* Effect.flatMap(Effect.service(Handler), (handler) =>
    handler.respond({ method, path, query: "", header: () => undefined, body: Effect.never }),
  ).pipe(
    Effect.provide(
      WorkerHandler.layer.pipe(
        Layer.provide(Florin.layer({ publicUrl, log })),
        Layer.provide(Service.layer()),
      ),
    ),
  )
  return { answer, lines }
})

describe("a worker's HTTP handler", () => {
  it.effect("reports whether the worker is alive and ready", () =>
    Effect.gen(function* () {
      for (const path of ["/healthz", "/readyz"]) {
        const { answer } = yield* ask("GET", path)
        assert.strictEqual(answer.status, 200)
        assert.include(answer.body, '"status":"ok"')
      }
    }),
  )

  it.effect("refuses every other request, says what it is, and logs it", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["GET", "/"],
        ["GET", "/docs"],
        ["GET", "/v1/payments"],
        ["POST", "/v1/payments"],
        ["OPTIONS", "/v1/gateway/payment/pay_1/options"],
        ["GET", "/healthz/"],
      ] as const) {
        const { answer, lines } = yield* ask(method, path)
        assert.strictEqual(answer.status, 404)
        const [line] = lines
        assert.deepStrictEqual(JSON.parse(String(answer.body)), {
          code: "not_found",
          message:
            "this process runs workers (--role worker) and serves only /healthz and /readyz: send calls to a process with --role api",
          requestId: line?.requestId,
        })
        assert.deepInclude(line, { method, route: null, status: 404, code: "not_found" })
      }
    }),
  )
})
