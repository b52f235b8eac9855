/**
 * The codes of a body and of a header that cannot be read, of every operation in every profile. Clients of the field
 * decode a closed list of codes for each operation, which is written here once more, by hand.
 */
import { assert, describe } from "@effect/vitest"
import * as Version from "@florin/core/domain/ground/Version"
import { Effect } from "effect"
import * as Handler from "../src/Handler.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const versionCodes = ["invalid_api_version", "unknown_api_version", "api_version_downgrade"]
const both = ["invalid_params", "params_validation"]

/** What payments and the gateway list, as far as 400 goes. */
const ofPayments = [...both, "header_not_ascii", "invalid_state", ...versionCodes]

/** The codes of 400 that the field lists for an operation; null where the field does not know the operation. */
const listed: { readonly [operation: string]: ReadonlyArray<string> | null } = {
  "gateway.get": ofPayments,
  "gateway.options": ofPayments,
  "gateway.fetch": ofPayments,
  "gateway.confirm": ofPayments,
  "gateway.status": ofPayments,
  "gateway.cancel": ofPayments,
  "payments.create": ofPayments,
  "payments.createAlias": ofPayments,
  "payments.get": ofPayments,
  "payments.status": ofPayments,
  "payments.statusAlias": ofPayments,
  "payments.cancel": ofPayments,
  "payments.list": [...both, ...versionCodes],
  "payments.listOfMerchant": [...both, ...versionCodes],
  "payments.listOfMerchantByPath": both,
  "merchants.create": ["params_validation", "missing_idempotency_key"],
  "merchants.list": both,
  // These four list no 400 at all. It is the code that all of their kind have.
  "merchants.get": ["params_validation"],
  "merchants.remove": ["params_validation"],
  "settlements.list": ["params_validation"],
  "settlements.remove": ["params_validation"],
  "merchants.update": ["params_validation"],
  "settlements.create": [...both, "missing_idempotency_key"],
  "settlements.change": both,
  "refunds.create": ["params_validation", "payment_not_succeeded", ...versionCodes],
  "merchants.statement": null,
  "refunds.destination": null,
  "refunds.list": null,
  "refunds.get": null,
  "events.list": null,
  "events.stream": null,
  "webhooks.create": null,
  "webhooks.list": null,
  "webhooks.get": null,
  "webhooks.change": null,
  "webhooks.remove": null,
  "webhooks.rotate": null,
  "webhooks.test": null,
  "webhooks.deliveries": null,
  "webhooks.redeliver": null,
  "webhooks.replay": null,
  "keys.create": null,
  "keys.list": null,
  "keys.rotate": null,
  "keys.revoke": null,
  "assets.list": null,
  "auditLog.list": null,
  "payments.statistics": null,
  "balances.list": null,
  "approvals.list": null,
  "approvals.approve": null,
  "approvals.decline": null,
  "payouts.list": null,
  "payouts.get": null,
}

/** People sign in and out by operations that the field does not know. */
const operations = Handler.operations.filter(({ isFor }) => isFor === undefined)

const fieldHeader = "X-Pay-Version"
const edge = { fieldVersionHeaders: [fieldHeader], legacyList: true }

const play = (rule: string, body: Laws.Play<void>) => Laws.play(rule, body, { edge })

/** The code for each fault, asked with these headers. */
const codesOf = Effect.fnUntraced(function* (
  { method, path, takesBody }: (typeof operations)[number],
  key: string,
  headers: Readonly<Record<string, string>>,
) {
  const good = {
    method,
    path: path.replaceAll(/:\w+/gu, "x"),
    headers: { "Merchant-Id": "mrch_1", "Idempotency-Key": "once", ...headers },
  }
  const code = (sent: Partial<Scene.Sent>) =>
    Effect.map(Scene.send({ ...good, key, ...sent }), (answer) => {
      assert.strictEqual(answer.status, 400, answer.text)
      return Scene.text(answer.body, "code")
    })
  const damaged = (name: string) => code({ headers: { ...good.headers, [name]: "é" } })
  return {
    body: takesBody ? [yield* code({ raw: "{" })] : [],
    header: [
      yield* code({ key: "flr_test_pk_é" }),
      yield* damaged("Merchant-Id"),
      yield* damaged("Idempotency-Key"),
    ],
  }
})

describe("an unreadable body or header", () => {
  play("has the interface's code in the interface's profile, for every operation", ({ own }) =>
    Effect.gen(function* () {
      for (const operation of operations) {
        const { body, header } = yield* codesOf(operation, own.key, {})
        assert.deepStrictEqual(body, operation.takesBody ? ["invalid_params"] : [], operation.name)
        const [ofKey, ofMerchant] = header
        assert.deepStrictEqual([ofKey, ofMerchant], ["header_not_ascii", "header_not_ascii"])
      }
    }),
  )

  for (const version of Version.all) {
    play(`has a code that the field knows for the operation (${version})`, ({ own }) =>
      Effect.gen(function* () {
        assert.sameMembers(
          operations.map(({ name }) => name),
          Object.keys(listed),
        )
        const wrong = yield* Effect.forEach(operations, (operation) =>
          Effect.map(codesOf(operation, own.key, { [fieldHeader]: version }), ({ body, header }) =>
            [...new Set([...body, ...header])]
              .filter((code) => listed[operation.name]?.includes(code) === false)
              .map((code) => `${operation.name}: ${code}`),
          ),
        )
        assert.deepStrictEqual(wrong.flat(), [])
      }),
    )
  }

  play("has a code that the legacy list knows, if the key is in X-Api-Key", ({ own }) =>
    Effect.gen(function* () {
      const path = `/v1/merchants/${own.merchantId}/payments`
      for (const headers of [
        { "X-Api-Key": "flr_test_pk_é" },
        { "X-Api-Key": own.key, "Merchant-Id": "é" },
        { "X-Api-Key": own.key, "Svc-Version": "é" },
      ]) {
        Scene.isProblem(yield* Scene.send({ path, headers }), 400, "invalid_params")
      }
    }),
  )
})
