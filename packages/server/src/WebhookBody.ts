/**
 * The body of a webhook: one event, in the same bytes that the event feed has for it in the same API version.
 *
 * @module
 */
import type * as Family from "@florin/core/domain/chain/Family"
import type * as WebhookSender from "@florin/core/workers/WebhookSender"
import * as ApiShape from "./edge/ApiShape.ts"
import * as EventView from "./views/EventView.ts"

export const render =
  (known: Family.Known): WebhookSender.Render =>
  (event, version) =>
    ApiShape.writeEvent({ version, profile: "interface" }, EventView.event(event, known))
