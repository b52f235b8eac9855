import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Text from "@florin/api/wire/Text"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Version from "@florin/core/domain/ground/Version"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as Event from "@florin/core/domain/payment/Event"
import * as Refund from "@florin/core/domain/payment/Refund"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Schema from "effect/Schema"

const documents = Version.all.map((version) => OpenApiDocument.make(version))

/** As a reader gets it. */
const json = (document: OpenApiDocument.Document): Record<string, unknown> =>
  JSON.parse(JSON.stringify(document))

interface Call {
  readonly name: string
  readonly operation: OpenApiDocument.Operation
}

const callsOf = (document: OpenApiDocument.Document): ReadonlyArray<Call> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    OpenApiDocument.methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation }]
    }),
  )

const last = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1)

const responsesOf = (
  document: OpenApiDocument.Document,
  { responses }: OpenApiDocument.Operation,
): ReadonlyArray<readonly [string, OpenApiDocument.Response]> =>
  Object.entries(responses).map(([status, response]) => {
    const found = "$ref" in response ? document.components.responses[last(response.$ref)] : response
    assert.isDefined(found)
    return [status, found]
  })

const parametersOf = (
  document: OpenApiDocument.Document,
  { parameters }: OpenApiDocument.Operation,
): ReadonlyArray<OpenApiDocument.Parameter> =>
  parameters.map((parameter) => {
    const found =
      "$ref" in parameter ? document.components.parameters[last(parameter.$ref)] : parameter
    assert.isDefined(found)
    return found
  })

const codesOf = (
  document: OpenApiDocument.Document,
  response: OpenApiDocument.Response,
): ReadonlyArray<Schema.Json> => {
  const { $ref = "" } = OpenApiDocument.mediaOf(response.content).schema
  return document.components.schemas[last($ref)]?.properties?.["code"]?.enum ?? []
}

/** Every object inside a value, itself included. */
const objectsIn = (value: unknown): ReadonlyArray<object> => {
  if (typeof value !== "object" || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

const schemasIn = (document: OpenApiDocument.Document): ReadonlyArray<object> =>
  objectsIn([
    document.components.schemas,
    callsOf(document).map(({ operation }) =>
      parametersOf(document, operation).map(({ schema }) => schema),
    ),
  ])

/** The two tables of endpoints, and what docs/decisions.md adds to them. */
const endpoints = {
  gateway: [
    "GET /v1/gateway/payment/{id}",
    "POST /v1/gateway/payment/{id}/options",
    "POST /v1/gateway/payment/{id}/fetch",
    "POST /v1/gateway/payment/{id}/confirm",
    "GET /v1/gateway/payment/{id}/status",
    "POST /v1/gateway/payment/{id}/cancel",
  ],
  payments: [
    "POST /v1/payments",
    "GET /v1/payments",
    "GET /v1/payments/statistics",
    "GET /v1/payments/{id}",
    "GET /v1/payments/{id}/status",
    "POST /v1/payments/{id}/cancel",
    "GET /v1/merchants/payments",
    "GET /v1/merchants/{merchantId}/payments",
    "POST /v1/merchant/payment",
    "GET /v1/merchant/payment/{id}/status",
  ],
  merchants: [
    "POST /v1/merchants",
    "GET /v1/merchants",
    "GET /v1/merchants/{merchantId}",
    "PATCH /v1/merchants/{merchantId}",
    "DELETE /v1/merchants/{merchantId}",
    "GET /v1/merchants/{merchantId}/statement",
  ],
  settlements: [
    "GET /v1/merchants/{merchantId}/settlements",
    "POST /v1/merchants/{merchantId}/settlements/crypto",
    "PUT /v1/merchants/{merchantId}/settlements/crypto/{id}",
    "DELETE /v1/merchants/{merchantId}/settlements/crypto/{id}",
  ],
  refunds: [
    "POST /v1/refunds",
    "POST /v1/refunds/destination",
    "GET /v1/refunds",
    "GET /v1/refunds/{id}",
  ],
  events: ["GET /v1/events", "GET /v1/events/stream"],
  webhooks: [
    "POST /v1/webhooks",
    "GET /v1/webhooks",
    "GET /v1/webhooks/{id}",
    "PATCH /v1/webhooks/{id}",
    "DELETE /v1/webhooks/{id}",
    "POST /v1/webhooks/{id}/rotate",
    "POST /v1/webhooks/{id}/test",
    "GET /v1/webhooks/{id}/deliveries",
    "POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver",
    "POST /v1/webhooks/{id}/replay",
  ],
  keys: ["POST /v1/keys", "GET /v1/keys", "POST /v1/keys/{id}/rotate", "DELETE /v1/keys/{id}"],
  approvals: [
    "GET /v1/approvals",
    "POST /v1/approvals/{id}/approve",
    "POST /v1/approvals/{id}/decline",
  ],
  assets: ["GET /v1/assets"],
  auditLog: ["GET /v1/audit-log"],
  balances: ["GET /v1/balances"],
  payouts: ["GET /v1/payouts", "GET /v1/payouts/{id}"],
  session: [
    "POST /v1/session",
    "GET /v1/session",
    "DELETE /v1/session",
    "GET /v1/session/passkeys",
    "POST /v1/session/passkeys",
    "DELETE /v1/session/passkeys/{id}",
  ],
} as const

const deprecated = [
  "GET /v1/merchants/{merchantId}/payments",
  "POST /v1/merchant/payment",
  "GET /v1/merchant/payment/{id}/status",
]

const authentication = [
  "missing_api_key",
  "invalid_api_key",
  "unauthorized",
  "forbidden",
  "missing_merchant_id",
  "header_not_ascii",
  "missing_app_id",
  "missing_client_id",
  "invalid_app_id",
  "conflicting_auth_headers",
  "missing_auth_headers",
]
const versions = ["invalid_api_version", "unknown_api_version", "api_version_downgrade"]

/** What clients in the field decode on payment and gateway endpoints: nothing else, or they break. */
const paymentCodes = [
  ...authentication,
  ...versions,
  "rate_limited",
  "invalid_params",
  "params_validation",
  "payment_not_found",
  "idempotency_conflict",
  "internal_error",
  "invalid_state",
  "payment_expired",
  "quote_expired",
  "missing_merchant_api_key",
  "not_sandbox_api_key",
  "merchant_not_found",
  "merchant_exists",
  "api_key_not_found",
  "partner_not_found",
  "wallet_not_found",
  "sanctioned_user",
]
const merchantCodes = [
  ...authentication,
  ...versions,
  "invalid_params",
  "params_validation",
  "not_found",
  "internal_error",
  "bad_gateway",
  "settlement_asset_conflict",
  "idempotency_conflict",
  "version_conflict",
  "missing_idempotency_key",
  "payment_not_succeeded",
  "already_refunded",
]
const closedSets: { readonly [group in keyof typeof endpoints]: ReadonlyArray<Schema.Json> } = {
  gateway: paymentCodes,
  payments: paymentCodes,
  merchants: merchantCodes,
  settlements: merchantCodes,
  refunds: merchantCodes,
  events: merchantCodes,
  webhooks: [...merchantCodes, "invalid_state"],
  keys: [...merchantCodes, "invalid_state"],
  approvals: [...merchantCodes, "invalid_state"],
  assets: merchantCodes,
  auditLog: merchantCodes,
  balances: merchantCodes,
  payouts: merchantCodes,
  session: merchantCodes,
}
/** The statuses whose codes are a closed set in the field. */
const closedStatuses = ["400", "401", "404", "409", "410", "422", "451", "500"]
/** Every other status has one meaning, and so one code; what a person may not do yet, that person or another one can change. */
const soleCodes: { readonly [status: string]: ReadonlyArray<string> } = {
  403: ["forbidden", "step_up_required"],
  413: ["payload_too_large"],
  415: ["unsupported_media_type"],
  429: ["rate_limited"],
  502: ["bad_gateway"],
  503: ["unavailable"],
}

/** Where two values differ, as paths. */
const differences = (left: unknown, right: unknown, at = ""): ReadonlyArray<string> => {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return left === right ? [] : [at]
  }
  const [before, after] = [new Map(Object.entries(left)), new Map(Object.entries(right))]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
    differences(before.get(key), after.get(key), `${at}/${key}`),
  )
}

describe("OpenApiDocument", () => {
  for (const document of documents) {
    const calls = callsOf(document)

    describe(document.info.version, () => {
      it("is valid to an independent validator", async () => {
        const { errors, valid } = await new Validator().validate(json(document))
        assert.isTrue(valid, JSON.stringify(errors))
      })

      it("has every endpoint of the interface in its group, and no other", () => {
        for (const [group, names] of Object.entries(endpoints)) {
          const found = calls.filter(({ operation }) => operation.tags.includes(group))
          assert.sameMembers(
            found.map(({ name }) => name),
            [...names],
          )
        }
        assert.strictEqual(calls.length, Object.values(endpoints).flat().length)
        assert.sameMembers(
          calls.filter(({ operation }) => operation.deprecated).map(({ name }) => name),
          deprecated,
        )
      })

      it("has a title, a success and the possible problems for every operation", () => {
        for (const { name, operation } of calls) {
          const statuses = Object.keys(operation.responses)
          assert.notStrictEqual(operation.summary, operation.operationId, name)
          assert.strictEqual(statuses.filter((status) => Number(status) < 400).length, 1, name)
          assert.includeMembers(statuses, ["400", "401", "403", "429", "500", "503"], name)
          if (name.includes("{")) assert.include(statuses, "404", name)
          if (name.startsWith("GET") || name.startsWith("DELETE")) {
            assert.isUndefined(operation.requestBody, name)
            assert.notInclude(statuses, "413", name)
          } else {
            assert.isDefined(operation.requestBody, name)
            assert.includeMembers(statuses, ["413", "415"], name)
          }
        }
      })

      it("has examples of request, response and problems for every operation", () => {
        for (const { name, operation } of calls) {
          const sent = operation.requestBody?.content["application/json"]
          if (operation.requestBody?.required === true) assert.isDefined(sent?.examples, name)
          const shown = responsesOf(document, operation).flatMap(([status, { content }]) =>
            OpenApiDocument.mediaOf(content).examples === undefined ? [] : [status],
          )
          assert.strictEqual(
            shown.some((status) => Number(status) < 400),
            // A stream's events are those of the list.
            name !== "GET /v1/events/stream",
            name,
          )
          assert.includeMembers(shown, ["400", "401", "403", "429"], name)
        }
      })

      it("has 201 for creations, and 200 for everything else", () => {
        const made = calls.filter(({ operation }) => "201" in operation.responses)
        assert.sameMembers(
          made.map(({ name }) => name),
          [
            "POST /v1/payments",
            "POST /v1/merchant/payment",
            "POST /v1/merchants",
            "POST /v1/merchants/{merchantId}/settlements/crypto",
            "POST /v1/webhooks",
            "POST /v1/webhooks/{id}/rotate",
            "POST /v1/webhooks/{id}/test",
            "POST /v1/keys",
            "POST /v1/keys/{id}/rotate",
            "POST /v1/session",
            "POST /v1/session/passkeys",
          ],
        )
      })

      it("makes the body optional if the path says everything", () => {
        const optional = calls.filter(({ operation }) => operation.requestBody?.required === false)
        assert.sameMembers(
          optional.map(({ name }) => name),
          [
            "POST /v1/gateway/payment/{id}/cancel",
            "POST /v1/payments/{id}/cancel",
            "POST /v1/webhooks/{id}/rotate",
            "POST /v1/webhooks/{id}/test",
            "POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver",
            "POST /v1/approvals/{id}/approve",
            "POST /v1/approvals/{id}/decline",
            "POST /v1/session",
          ],
        )
      })

      it("has only codes in the closed set of each group", () => {
        for (const [group, names] of Object.entries(endpoints)) {
          const closed = Object.entries(closedSets).find(([name]) => name === group)?.[1] ?? []
          for (const { name, operation } of calls.filter((call) =>
            names.some((each) => each === call.name),
          )) {
            for (const [status, response] of responsesOf(document, operation)) {
              if (Number(status) < 400) continue
              const codes = codesOf(document, response)
              assert.isNotEmpty(codes, `${name} ${status}`)
              const sole = soleCodes[status]
              if (sole !== undefined) {
                const others = codes.filter((code) => code !== "approval_required")
                assert.deepStrictEqual(others, [...sole], `${name} ${status}`)
              } else {
                assert.include(closedStatuses, status, name)
                assert.includeMembers([...closed], [...codes], `${name} ${status}`)
              }
            }
          }
        }
      })

      it("has a Request-Id for every response, and Retry-After for 429", () => {
        for (const { name, operation } of calls) {
          for (const [status, { headers }] of responsesOf(document, operation)) {
            assert.property(headers, "Request-Id", `${name} ${status}`)
            if (status === "429") assert.property(headers, "Retry-After", name)
          }
        }
        assert.strictEqual(document.components.headers["Retry-After"]?.schema.type, "integer")
      })

      it("names the server, and a webhook for every type of event", () => {
        assert.isNotEmpty(document.servers)
        assert.sameMembers(Object.keys(document.webhooks), [...Event.eventTypes, Event.webhookTest])
        for (const [type, { post }] of Object.entries(document.webhooks)) {
          const { $ref = "" } = post.requestBody.content["application/json"].schema
          const body = document.components.schemas[last($ref)]?.properties?.["type"]
          const types = document.components.schemas[last(body?.$ref ?? "")] ?? body
          assert.include(types?.enum ?? [], type)
        }
      })

      it("has a pattern for every id, and int64 for numbers that need 64 bits", () => {
        // What others make up: names of fields, of requests and of options, and transactions of any family of chains.
        const strange = new Set(["requestId", "referenceId", "optionId", "txId", "networkId"])
        const shapes = Object.entries(document.components.schemas).filter(
          ([name]) => !/^Collect|Option$|^StreamedEvent$|^Deleted$/u.test(name),
        )
        const members = shapes.flatMap(([, schema]) =>
          objectsIn(schema).flatMap((each) =>
            "properties" in each ? Object.entries(each.properties ?? {}) : [],
          ),
        )
        // The gateway takes a payment link in the place of an id, too.
        const parameters = calls
          .filter(({ operation }) => !operation.operationId.startsWith("gateway."))
          .flatMap(({ operation }) =>
            parametersOf(document, operation).map(
              ({ in: place, name, schema }) => [place === "path" ? name : "", schema] as const,
            ),
          )
        for (const [name, schema] of [...members, ...parameters]) {
          if (/^(?:id|[a-z]+Id)$/u.test(name) && !strange.has(name)) {
            assert.isTrue(
              objectsIn(schema).some((each) => "pattern" in each),
              `${name}: ${JSON.stringify(schema)}`,
            )
          }
          if (/^(?:expiresAt|pollInMs|nonce|total[A-Z]\w+)$/u.test(name)) {
            const isSum = objectsIn(schema).some((each) => "items" in each)
            if (!isSum) assert.propertyVal(schema, "format", "int64", name)
          }
        }
      })

      it("requires the key everywhere", () => {
        assert.deepStrictEqual(document.security, [{ "Api-Key": [] }])
        assert.deepInclude(document.components.securitySchemes["Api-Key"], {
          type: "apiKey",
          in: "header",
          name: "Api-Key",
        })
        assert.isFalse(calls.some(({ operation }) => "security" in operation))
      })

      it("spells headers in the usual case, and requires those of the interface", () => {
        const requiring = (header: string) =>
          calls
            .filter(({ operation }) =>
              parametersOf(document, operation).some(
                ({ in: place, name, required }) =>
                  place === "header" && name === header && required,
              ),
            )
            .map(({ name }) => name)
        assert.sameMembers(requiring("Merchant-Id"), [
          "GET /v1/payments/{id}",
          "GET /v1/payments/{id}/status",
          "GET /v1/merchant/payment/{id}/status",
          "GET /v1/merchants/payments",
        ])
        assert.sameMembers(requiring("Idempotency-Key"), [
          "POST /v1/merchants",
          "POST /v1/merchants/{merchantId}/settlements/crypto",
          "POST /v1/webhooks",
          "POST /v1/webhooks/{id}/rotate",
          "POST /v1/keys",
          "POST /v1/keys/{id}/rotate",
        ])
        for (const { operation } of calls) {
          for (const { in: place, name } of parametersOf(document, operation)) {
            if (place === "header") assert.match(name, /^[A-Z][a-z]*(?:-[A-Z][a-z]+)+$/u)
          }
        }
      })

      it("has the types of queries: numbers are numbers, lists repeat", () => {
        const meant = (name: string) =>
          Object.fromEntries(
            calls
              .filter((call) => call.name === name)
              .flatMap(({ operation }) => parametersOf(document, operation))
              .filter((parameter) => parameter.in === "query")
              .map(({ explode = false, name: parameter, schema, style = "" }) => [
                parameter,
                { ...schema, ...(style !== "" && { style, explode }) },
              ]),
          )
        const status = ["requires_action", "processing", "succeeded", "failed", "expired"]
        const list = { type: "array", style: "form", explode: true }
        const text = { type: "string" }
        const limit = { type: "integer", minimum: 1, maximum: 200, default: 50 }
        assert.deepStrictEqual(meant("GET /v1/payments"), {
          startTs: { ...text, format: "date-time" },
          endTs: { ...text, format: "date-time" },
          token_symbol: { ...list, items: { ...text, minLength: 1 } },
          asset: text,
          network: text,
          sortBy: { ...text, enum: ["date", "amount"], default: "date" },
          sortDir: { ...text, enum: ["asc", "desc"], default: "desc" },
          cursor: text,
          limit,
          status: { ...list, items: { ...text, enum: status } },
          referenceId: { ...text, pattern: "^[A-Za-z0-9 /:.,+-]{3,35}$" },
          merchantId: { ...list, items: { ...text, minLength: 1 } },
          currency: { ...list, items: { ...text, pattern: "^[A-Za-z]{3}$" } },
        })
        assert.deepStrictEqual(meant("GET /v1/merchants"), {
          cursor: text,
          limit,
          status: { ...text, enum: ["active", "inactive", "suspended"] },
          search: { ...text, minLength: 1, maxLength: 256 },
        })
        const longPoll = { maxPollMs: { type: "integer", format: "int64", minimum: 0 } }
        for (const name of [
          "GET /v1/gateway/payment/{id}/status",
          "POST /v1/gateway/payment/{id}/confirm",
          "GET /v1/payments/{id}/status",
        ]) {
          assert.deepStrictEqual(meant(name), longPoll)
        }
        assert.deepStrictEqual(meant("POST /v1/gateway/payment/{id}/options"), {
          includePaymentInfo: { type: "boolean" },
          includeCosts: { type: "boolean" },
        })
        const asset = calls
          .flatMap(({ operation }) => parametersOf(document, operation))
          .find(({ name }) => name === "asset")
        assert.isTrue(asset?.deprecated)
      })

      it("has no redundant keywords: no default bound of an integer, no single alternative", () => {
        for (const schema of schemasIn(document)) {
          const entries = new Map<string, unknown>(Object.entries(schema))
          assert.notTypeOf(entries.get("additionalProperties"), "boolean")
          assert.isFalse(entries.has("allOf"))
          for (const bound of [entries.get("minimum"), entries.get("maximum")]) {
            assert.notStrictEqual(Math.abs(Number(bound)), Number.MAX_SAFE_INTEGER)
          }
          const alternatives = entries.get("anyOf")
          if (alternatives !== undefined) {
            assert.isAbove(Array.isArray(alternatives) ? alternatives.length : 0, 1)
          }
        }
      })

      it("has no broken reference, no unused component and no duplicate", () => {
        const text = JSON.stringify(document)
        const referred = new Set(
          Array.from(text.matchAll(/"#\/components\/([^"]+)"/gu), ([, name = ""]) => name),
        )
        const { headers, parameters, responses, schemas } = document.components
        const there = Object.entries({ headers, parameters, responses, schemas }).flatMap(
          ([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`),
        )
        assert.sameMembers([...referred], there)
        const problems = Object.entries(schemas).filter(([name]) => name.endsWith("Problem"))
        assert.strictEqual(
          new Set(problems.map(([, schema]) => JSON.stringify(schema))).size,
          problems.length,
        )
      })
    })
  }

  it("has the same patterns as the domain", () => {
    const patternOf = (schema: Schema.Top) =>
      /"pattern":"(?<pattern>[^"]+)"/u.exec(
        JSON.stringify(
          Schema.toJsonSchemaDocument(schema, { includeAnnotationKey: (key) => key === "pattern" }),
        ),
      )?.groups?.["pattern"]
    const ids = [
      [Text.paymentId, PaymentId.PaymentId],
      [Text.merchantId, MerchantId.MerchantId],
      [Text.refundId, Refund.RefundId],
      [Text.payoutId, OutflowId.OutflowId],
      [Text.settlementId, SettlementDestination.SettlementDestinationId],
      [Text.webhookId, Webhook.EndpointId],
      [Text.deliveryId, Webhook.DeliveryId],
      [Text.keyId, ApiKey.ApiKeyId],
      [Text.chainId, Caip.ChainId],
    ] as const
    for (const [told, read] of ids) {
      assert.isDefined(patternOf(told))
      assert.strictEqual(patternOf(told), patternOf(read))
    }
    const address = patternOf(Caip.Address)?.slice(1)
    assert.isTrue(patternOf(Text.account)?.endsWith(`:${address}`))
    assert.isTrue(patternOf(Text.asset)?.endsWith(`:${address}`))
  })

  it("is the same text each time it is made", () => {
    for (const document of documents) {
      assert.strictEqual(
        JSON.stringify(OpenApiDocument.make(document.info.version)),
        JSON.stringify(document),
      )
    }
  })

  it("differs in a preview only by its version header", () => {
    assert.deepStrictEqual(differences(documents[0], documents[1]), [
      "/info/version",
      "/components/parameters/Svc-Version/required",
      "/components/parameters/Svc-Version/description",
      "/components/parameters/Svc-Version/schema/enum/0",
    ])
  })
})
