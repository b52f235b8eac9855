import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../src/Handler.ts"
import * as Laws from "./operations/laws.ts"
import * as Hosted from "./pages.ts"
import * as Scene from "./scene.ts"

const edge = { pages: Hosted.settings, allowedOrigins: ["https://wallet.example"] }

const play = (rule: string, body: Laws.Play<void>) => Laws.play(rule, body, { edge })

/** The methods that some operation has, and one that none has. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

describe("a cache in front of the service", () => {
  play(
    "S34: stores no response of the interface or of a page's calls, whatever the request",
    (scene) =>
      Effect.gen(function* () {
        const { own, walletKey } = scene
        const paths = new Set(operations.map(({ path }) => path.replaceAll(/:\w+/gu, "x")))
        assert.isAbove(paths.size, 25)
        const statuses = new Set<number>()
        for (const path of [...paths, "/v1", "/v1/", "/v1/nowhere", "/v1/payments?limit=0"]) {
          for (const prefix of ["", "/pages"]) {
            for (const method of methods) {
              for (const key of [null, own.key, walletKey, "never"]) {
                const answer = yield* Scene.send({ path: prefix + path, method, key })
                Scene.isKeptByNobody(answer.headers)
                statuses.add(answer.status)
              }
            }
          }
        }
        assert.includeMembers([...statuses], [200, 400, 401, 403, 404, 405])
      }),
  )

  play(
    "S34: stores no stream, no preflight, and no response to another origin",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const stream = yield* Scene.send({ path: "/v1/events/stream", key: own.key })
        assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
        Scene.isKeptByNobody(stream.headers)
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const path = `/v1/gateway/payment/${id}`
        for (const origin of ["https://wallet.example", "https://other.example"]) {
          const headers = { Origin: origin, "Access-Control-Request-Method": "GET" }
          for (const sent of [
            { path, key: walletKey },
            { path, method: "OPTIONS" },
          ]) {
            const answer = yield* Scene.send({ ...sent, headers })
            Scene.isKeptByNobody(answer.headers)
            assert.include(answer.headers.get("vary")?.split(", ") ?? [], "Origin")
          }
        }
      }),
  )

  play("S34: stores files and pictures as long as their headers allow, for everybody", () =>
    Effect.gen(function* () {
      for (const path of [Hosted.filePath, "/icons/usdc.svg", "/openapi.json", "/docs/style.css"]) {
        const { headers, status } = yield* Scene.send({ path })
        assert.strictEqual(status, 200, path)
        assert.match(headers.get("cache-control") ?? "", /^public, max-age=/u, path)
        assert.notInclude(headers.get("vary") ?? "", "Api-Key", path)
      }
      for (const path of ["/icons/never.svg", "/openapi.json?version=never", "/nowhere"]) {
        Scene.isKeptByNobody((yield* Scene.send({ path })).headers)
      }
    }),
  )
})
