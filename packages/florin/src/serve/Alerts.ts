/**
 * The operator's own webhook, from the settings.
 *
 * @module
 */
import type * as Alert from "@florin/core/domain/notify/Alert"
import * as Notifier from "@florin/core/workers/Notifier"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Settings from "./Settings.ts"

type Values = Pick<Settings.Values, "alertSecret" | "alertUrl">

/** Both settings are needed, or neither. */
export const conflict = ({ alertSecret, alertUrl }: Values): string | undefined => {
  if (alertUrl !== null && alertSecret.length === 0) {
    return "alertUrl needs FLORIN_ALERT_SECRET: the receiver verifies signatures with it"
  }
  return alertUrl === null && alertSecret.length > 0
    ? "FLORIN_ALERT_SECRET needs alertUrl: no alert is sent without it"
    : undefined
}

/** The webhook to which alerts are sent; null if there is none. */
export const receiver = ({ alertSecret, alertUrl }: Values): Alert.Receiver | null =>
  alertUrl === null ? null : { url: Redacted.value(alertUrl), secrets: alertSecret }

/** Checks for alerts and sends them, if there is such a webhook. */
export const layer = (values: Values & Pick<Settings.Values, "alertSeconds">) => {
  const to = receiver(values)
  return to === null
    ? Layer.empty
    : Layer.provide(Notifier.layer(to, values.alertSeconds * 1000), WebhookHttp.layerOwn)
}
