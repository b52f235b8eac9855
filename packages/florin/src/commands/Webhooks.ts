/**
 * `florin webhooks`: the operator says where events are sent, sees what became of the webhooks of a payment, and has them
 * sent again, in the storage.
 *
 * @module
 */
import type * as PaymentId from "@florin/core/domain/PaymentId"
import * as Webhook from "@florin/core/domain/Webhook"
import * as Events from "@florin/core/engine/Events"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Access from "../access/Access.ts"
import * as Evidence from "../explain/Evidence.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"

/** The webhooks of a payment, each with its event and its endpoint, and whether it was made yet. */
const sentOf = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
  const payments = yield* PaymentStore
  const outbox = yield* Outbox
  const payment = yield* payments.payment(id)
  const { mode, partnerId } = payment
  const tenant = { mode, partnerId }
  const [endpoints, events] = [yield* outbox.endpoints(tenant), yield* outbox.eventsOf(id)]
  const { coming, made } = yield* Evidence.deliveriesOf(payment, endpoints, events)
  const sent = events.flatMap((event) =>
    endpoints.flatMap((endpoint) =>
      [...made, ...coming].flatMap((delivery) =>
        delivery.eventId === event.id && delivery.endpointId === endpoint.id
          ? [{ delivery, event, endpoint, isMade: made.includes(delivery) }]
          : [],
      ),
    ),
  )
  return { tenant, sent }
})

type Sent = Effect.Success<ReturnType<typeof sentOf>>["sent"][number]

const asJson = (sent: Sent) => ({
  ...WebhookEndpoints.deliveryJson(sent),
  endpointId: sent.endpoint.id,
  host: Evidence.hostOf(sent.endpoint),
  isDisabled: sent.endpoint.disabledAt !== null,
})

const columns = WebhookEndpoints.deliveryColumns<Sent>({
  name: "to",
  of: ({ endpoint }) =>
    `${Evidence.hostOf(endpoint)}${endpoint.disabledAt === null ? "" : " (disabled)"}`,
})

const list = Command.make(
  "list",
  {
    paymentId: Flags.paymentId("The payment that the webhooks tell of"),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { sent } = yield* sentOf(options.paymentId).pipe(
      Access.inStorage(options, "florin webhooks list"),
    )
    if (options.json) return Terminal.json(sent.map(asJson))
    if (sent.length === 0) return Terminal.plain("No webhook tells of this payment.")
    Table.print(columns, sent)
  }),
).pipe(
  Command.withDescription("Lists the webhooks of a payment, and what became of each."),
  Command.withShortDescription("List the webhooks of a payment"),
  Command.withExamples([{ command: "florin webhooks list pay_…" }]),
)

/** Makes one due again, or all that were given up and whose endpoints are still called; answers which. */
const replayOf = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  named: Option.Option<Webhook.DeliveryId>,
) {
  const { sent, tenant } = yield* sentOf(id)
  const chosen = Option.match(named, {
    onNone: () =>
      sent.filter(({ delivery, endpoint }) => Evidence.isReplayable(delivery, endpoint)),
    onSome: (deliveryId) => sent.filter(({ delivery }) => delivery.id === deliveryId),
  })
  if (chosen.length === 0) {
    const what = Option.isNone(named) ? "no webhook of it was given up" : "it has no such webhook"
    return yield* new Failure.CommandFailed({
      message: `${what}: \`florin webhooks list ${id}\` shows what there is`,
    })
  }
  // One that is not made yet is due already.
  yield* Effect.forEach(
    chosen.filter(({ isMade }) => isMade),
    ({ endpoint, event }) => Events.replay(tenant, endpoint.id, event.id),
  )
  return chosen.map(({ delivery }) => delivery.id)
})

const replay = Command.make(
  "replay",
  {
    paymentId: Flags.paymentId("The payment that the webhooks tell of"),
    deliveryId: Argument.String("deliveryId").pipe(
      Argument.withDescription("One webhook of it, whatever became of it, as list prints it"),
      Argument.filterMap(
        Schema.decodeOption(Webhook.DeliveryId),
        () => "dlv_ and 1 to 64 letters or digits",
      ),
      Argument.optional,
    ),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId } = options
    const deliveryIds = yield* replayOf(paymentId, options.deliveryId).pipe(
      Access.inStorage(options, "florin webhooks replay"),
    )
    if (options.json) return Terminal.json({ paymentId, deliveryIds })
    for (const deliveryId of deliveryIds) {
      Terminal.done(`${deliveryId} is due again: a worker sends it.`)
    }
    Terminal.note(`See how it goes with: \`florin webhooks list ${paymentId}\``)
  }),
).pipe(
  Command.withDescription(
    "Sends the webhooks of a payment that were given up once more, or the one that is named. Mend the receiver first. This is for the operator: it opens the storage, and the service's workers do the rest.",
  ),
  Command.withShortDescription("Send webhooks again"),
  Command.withExamples([
    { command: "florin webhooks replay pay_…", description: "All that were given up" },
    { command: "florin webhooks replay pay_… dlv_…", description: "One, received or not" },
  ]),
)

export const command = Command.make("webhooks").pipe(
  Command.withDescription(
    "Says where events are sent, shows what became of the webhooks that tell of a payment, and sends them again, in the storage as the operator does.",
  ),
  Command.withSubcommands([WebhookEndpoints.command, list, replay]),
)
