/**
 * `florin webhooks`: manages webhook endpoints, shows the webhooks of a payment, and sends them again.
 *
 * @module
 */
import type { Carry } from "@florin/api/operator/Call"
import * as Contract from "@florin/api/operator/Webhooks"
import type * as Wire from "@florin/api/wire/Webhook"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"

type Sent = Wire.PaymentDeliveries["deliveries"][number]

const columns = WebhookEndpoints.deliveryColumns<Sent>({
  name: "to",
  of: ({ host, isDisabled }) => `${host}${isDisabled ? " (disabled)" : ""}`,
})

/** One named delivery, or all that were given up and whose endpoint is enabled. */
const isChosen =
  (named: Option.Option<string>) =>
  ({ id, isDisabled, state }: Sent): boolean =>
    Option.match(named, {
      onNone: () => state === "given_up" && !isDisabled,
      onSome: (deliveryId) => id === deliveryId,
    })

const replayFlags = {
  paymentId: Flags.paymentId("Id of the payment"),
  deliveryId: Argument.optional(
    Flags.argument("deliveryId", "Id of one webhook in any state, from list"),
  ),
}

const replayed = Effect.fnUntraced(function* (
  carry: Carry,
  { deliveryId: named, paymentId }: Command.Command.Config.InferValue<typeof replayFlags>,
) {
  const { deliveries } = yield* OperatorCommand.send(carry, Contract.group, "deliveriesOfPayment", {
    paymentId,
  })
  const chosen = deliveries.filter(isChosen(named))
  if (chosen.length === 0) {
    const what = Option.isNone(named)
      ? "no webhook of this payment was given up"
      : "the payment has no such webhook"
    return yield* Failure.make(`${what}: \`florin webhooks list ${paymentId}\` lists its webhooks`)
  }
  // One that was never tried is due already, and may not exist yet.
  const tried = chosen.filter(({ attempts, state }) => state !== "pending" || attempts.length > 0)
  yield* Effect.forEach(tried, ({ id: deliveryId, webhookId }) =>
    OperatorCommand.send(carry, Contract.group, "redeliver", { webhookId, deliveryId }),
  )
  return { paymentId, deliveryIds: chosen.map(({ id }) => id) }
})

export const command = Described.group(
  "webhooks",
  "Manage webhook endpoints, list the deliveries of a payment, and send them again. For operators.",
  [
    WebhookEndpoints.command,
    OperatorCommand.of(Contract.group)("list", "deliveriesOfPayment", {
      print: ({ deliveries }) => Table.list(columns, deliveries, "This payment has no webhooks."),
    }),
    OperatorCommand.calls("replay", {
      of: Contract.group.endpoints.redeliver,
      does: "Send webhooks again",
      description:
        "Send again all webhooks of a payment that the service gave up on, or one webhook by its id. Fix the receiver first. The workers send them.",
      takes: replayFlags,
      call: replayed,
      print: ({ deliveryIds, paymentId }) => {
        for (const deliveryId of deliveryIds) {
          Terminal.writeSuccess(`${deliveryId} is due again. A worker sends it.`)
        }
        Terminal.note(`Follow it with: \`florin webhooks list ${paymentId}\``)
      },
      examples: [
        { command: "florin webhooks replay pay_…", description: "All that were given up" },
        {
          command: "florin webhooks replay pay_… dlv_…",
          description: "One webhook, delivered or not",
        },
      ],
    }),
  ],
)
