/**
 * The client for users of Effect: every endpoint of the interface as an Effect with typed errors.
 *
 * @module
 */
import { api } from "@florin/api/Api"
import type * as Version from "@florin/core/domain/ground/Version"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as Retry from "./Retry.ts"

export interface Options {
  /** Such as `https://api.florin.example`. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  /** A newer version than the one that the key is pinned to. */
  readonly version?: Version.Version
}

/** A 5xx response that may still be retried. */
class Broken extends Data.TaggedError("Broken")<{
  readonly response: HttpClientResponse.HttpClientResponse
}> {}

const schedule = Schedule.recurs(Retry.retries).pipe(
  Schedule.modifyDelay(({ output }) =>
    Effect.map(Random.next, (random) => Retry.delayInMs(output, random)),
  ),
)

/** HttpClient.retryTransient would retry 429 and 408, but this interface does not allow retries after any 4xx. */
const retrying = <R>(
  call: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R>,
) =>
  call.pipe(
    Effect.filterOrFail(
      ({ status }) => !Retry.mayPass(status),
      (response) => new Broken({ response }),
    ),
    Effect.retry({
      schedule,
      while: (error) => error._tag === "Broken" || error.reason._tag === "TransportError",
    }),
    Effect.catchTag("Broken", ({ response }) => Effect.succeed(response)),
  )

/**
 * The service deduplicates payments and refunds only by an idempotency key, so one is generated if the caller gave
 * none.
 */
const needsKey = ({ method, url, headers }: HttpClientRequest.HttpClientRequest) =>
  method === "POST" &&
  /^\/v1\/(?:payments|refunds|merchant\/payment)$/u.test(url) &&
  headers["idempotency-key"] === undefined

const transformClient =
  ({ apiKey, version }: Options) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.transform(retrying),
      HttpClient.mapRequest((request) =>
        request.pipe(
          HttpClientRequest.setHeaders({
            "api-key": Redacted.value(apiKey),
            ...(version === undefined ? {} : { "svc-version": version }),
          }),
          needsKey(request)
            ? HttpClientRequest.setHeader("idempotency-key", IdempotencyKey.make())
            : (same) => same,
        ),
      ),
    )

/**
 * @example
 * const florin = yield* EffectClient.make({ baseUrl: "https://api.florin.example", apiKey })
 * const { status } = yield* florin.gateway.status({ params: { id }, headers: {}, query: {} })
 */
export const make = (options: Options) =>
  HttpApiClient.make(api, { baseUrl: options.baseUrl, transformClient: transformClient(options) })
