/**
 * The same calls as one writes them well by hand with Fastify: its own routing, its validation of query and body and its
 * compiled serializers, around the same engine with the same checks of key and version.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Version from "@florin/core/domain/ground/Version"
import type * as Confirmation from "@florin/core/engine/Confirmation"
import * as Gateway from "@florin/core/engine/Gateway"
import * as Keys from "@florin/core/engine/Keys"
import { Settings } from "@florin/core/ports/Settings"
import type * as Service from "@florin/testing/Service"
import { Clock, Effect, ManagedRuntime } from "effect"
import { fastify, type FastifyReply, type FastifyRequest } from "fastify"
import * as AmountView from "../src/views/AmountView.ts"
import * as OptionView from "../src/views/OptionView.ts"
import * as PaymentView from "../src/views/PaymentView.ts"
import * as Ground from "./ground.ts"

const text = { type: "string" } as const
const integer = { type: "integer" } as const

const amount = {
  type: "object",
  required: ["unit", "value", "display"],
  properties: {
    unit: text,
    value: text,
    display: {
      type: "object",
      required: ["assetName", "assetSymbol", "decimals", "iconUrl"],
      properties: {
        assetName: text,
        assetSymbol: text,
        decimals: integer,
        iconUrl: text,
        networkName: text,
        networkIconUrl: text,
      },
    },
  },
} as const

const confirmAnswer = {
  type: "object",
  required: ["status", "isFinal", "info"],
  properties: {
    status: text,
    isFinal: { type: "boolean" },
    pollInMs: integer,
    info: {
      type: "object",
      nullable: true,
      required: ["optionAmount", "txId"],
      properties: { optionAmount: amount, txId: text },
    },
  },
} as const

const statusAnswer = {
  ...confirmAnswer,
  properties: { ...confirmAnswer.properties, failureCode: { type: "string", nullable: true } },
} as const

const optionsAnswer = {
  type: "object",
  required: ["options"],
  properties: {
    options: {
      type: "array",
      nullable: true,
      items: {
        type: "object",
        required: ["id", "account", "actions", "amount", "collectData", "etaS", "expiresAt"],
        properties: {
          id: text,
          account: text,
          actions: {
            type: "array",
            items: {
              type: "object",
              required: ["type", "data"],
              properties: {
                type: text,
                data: {
                  type: "object",
                  required: ["chain_id", "method", "params"],
                  properties: {
                    chain_id: text,
                    method: text,
                    params: { type: "array", items: text },
                  },
                },
              },
            },
          },
          amount,
          collectData: { type: "object", nullable: true, additionalProperties: true },
          etaS: integer,
          expiresAt: integer,
        },
      },
    },
  },
} as const

const params = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string", pattern: "^pay_[0-9A-Za-z]{1,64}$" } },
} as const

const polling = {
  type: "object",
  properties: { maxPollMs: { type: "integer", minimum: 0, default: 0 } },
} as const

interface Params {
  readonly id: string
}

const display = AmountView.display(Ground.publicUrl, BuiltIn.catalog)

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

const callerOf = Effect.fnUntraced(function* (request: FastifyRequest) {
  const { caller } = yield* Keys.authenticate(headerOf(request, "api-key") ?? "")
  yield* Effect.fromResult(
    Version.resolve({
      pin: Keys.versionPin(caller),
      requested: headerOf(request, "svc-version"),
    }),
  )
  return caller
})

const status = Effect.fnUntraced(function* (
  request: FastifyRequest,
  id: string,
  maxPollMs: number,
) {
  const caller = yield* callerOf(request)
  const payment = yield* Gateway.status(caller, PaymentId.PaymentId.make(id), maxPollMs)
  return PaymentView.status(payment, yield* Clock.currentTimeMillis, display)
})

const options = Effect.fnUntraced(function* (
  request: FastifyRequest,
  id: string,
  asked: { readonly accounts: ReadonlyArray<string>; readonly includePaymentInfo: boolean },
) {
  const caller = yield* callerOf(request)
  const paymentId = PaymentId.PaymentId.make(id)
  const answer = yield* Gateway.options(caller, paymentId, asked)
  return OptionView.options(answer, paymentId, yield* Settings, display)
})

const confirm = Effect.fnUntraced(function* (
  request: FastifyRequest,
  id: string,
  asked: Omit<Confirmation.Confirm, "collectedData">,
) {
  const caller = yield* callerOf(request)
  const payment = yield* Gateway.confirm(caller, PaymentId.PaymentId.make(id), asked)
  return PaymentView.confirmResponse(payment, yield* Clock.currentTimeMillis, display)
})

const prefix = `req_${randomBytes(9).toString("base64url")}`

let count = 0
const withId = (request: FastifyRequest, reply: FastifyReply) =>
  reply.header("request-id", request.id)

/** Serves on a port of its own choice. */
export const listen = async (layer: ReturnType<typeof Service.layer>) => {
  const runtime = ManagedRuntime.make(layer)
  const run = Effect.runPromiseWith(await runtime.context())
  const app = fastify({
    genReqId: () => {
      count += 1
      return `${prefix}${count.toString(36)}`
    },
    bodyLimit: 256 * 1024,
  })

  app.get<{ Params: Params; Querystring: { readonly maxPollMs: number } }>(
    "/v1/gateway/payment/:id/status",
    {
      schema: {
        params,
        querystring: polling,
        response: { 200: statusAnswer },
      },
    },
    (request, reply) => {
      withId(request, reply)
      return run(status(request, request.params.id, request.query.maxPollMs))
    },
  )

  app.post<{
    Params: Params
    Querystring: { readonly includePaymentInfo: boolean }
    Body: { readonly accounts: ReadonlyArray<string> }
  }>(
    "/v1/gateway/payment/:id/options",
    {
      schema: {
        params,
        querystring: {
          type: "object",
          properties: { includePaymentInfo: { type: "boolean", default: false } },
        },
        body: {
          type: "object",
          required: ["accounts"],
          properties: { accounts: { type: "array", items: text, maxItems: 1000 } },
        },
        response: { 200: optionsAnswer },
      },
    },
    (request, reply) => {
      withId(request, reply)
      const { accounts } = request.body
      const { includePaymentInfo } = request.query
      return run(options(request, request.params.id, { accounts, includePaymentInfo }))
    },
  )

  app.post<{
    Params: Params
    Querystring: { readonly maxPollMs: number }
    Body: {
      readonly optionId: string
      readonly results: ReadonlyArray<{ readonly data: ReadonlyArray<string> }>
      readonly excludeFromRelayer: boolean
    }
  }>(
    "/v1/gateway/payment/:id/confirm",
    {
      schema: {
        params,
        querystring: polling,
        body: {
          type: "object",
          required: ["optionId", "results"],
          properties: {
            optionId: text,
            results: {
              type: "array",
              minItems: 1,
              maxItems: 16,
              items: {
                type: "object",
                required: ["type", "data"],
                properties: {
                  type: { type: "string", const: "walletRpc" },
                  data: { type: "array", items: text },
                },
              },
            },
            excludeFromRelayer: { type: "boolean", default: false },
          },
        },
        response: { 200: confirmAnswer },
      },
    },
    (request, reply) => {
      withId(request, reply)
      const maxPollInMs = request.query.maxPollMs
      return run(confirm(request, request.params.id, { ...request.body, maxPollInMs }))
    },
  )

  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  return { port: Number(new URL(url).port), run }
}
