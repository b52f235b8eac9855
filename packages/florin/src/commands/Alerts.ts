/**
 * `florin alerts`: the operator's own webhook.
 *
 * @module
 */
import { env } from "node:process"
import * as Notifier from "@florin/core/workers/Notifier"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Alerts from "../serve/Alerts.ts"
import * as ConfigFile from "../serve/ConfigFile.ts"
import * as Setting from "../serve/Setting.ts"
import { rows } from "../serve/Settings.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

const test = Command.make(
  "test",
  {
    alertUrl: Setting.flag(rows.alertUrl),
    alertSecretFile: Setting.flag(rows.alertSecret.inFile),
    json: Flags.json,
  },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const sources = yield* Effect.fromResult(ConfigFile.sources(flags, env))
    const values = yield* Effect.fromResult(
      Result.all({
        alertUrl: Setting.read(rows.alertUrl, sources),
        alertSecret: Setting.read(rows.alertSecret, sources),
      }),
    )
    const conflict = Alerts.conflict(values)
    if (conflict !== undefined) return yield* Failure.make(conflict)
    const receiver = Alerts.receiver(values)
    if (receiver === null) {
      return yield* Failure.make(
        "no alert webhook is configured: set FLORIN_ALERT_URL to the value that florin serve uses",
      )
    }
    const webhookId = yield* Notifier.test(receiver).pipe(
      Effect.provide(WebhookHttp.layerOwn),
      Effect.mapError(({ message }) =>
        Failure.make(`the webhook did not accept the test: ${message}`),
      ),
    )
    if (json) return Terminal.json({ webhookId })
    return Terminal.writeSuccess(`The webhook accepted the test message ${webhookId}.`)
  }),
).pipe(
  Described.as({
    does: "Send a test message to your alert webhook",
    description:
      "Send an operator.alert.test message to your alert webhook, signed like an alert. It uses the settings of florin serve: FLORIN_ALERT_URL, and FLORIN_ALERT_SECRET or a file.",
  }),
)

export const command = Described.group(
  "alerts",
  "Test the webhook that reports what `florin status` shows in red. docs/observability.md describes the setup.",
  [test],
)
