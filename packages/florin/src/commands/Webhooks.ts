/**
 * `florin webhooks`: manages webhook endpoints, shows the webhooks of a payment, and sends them again, in the storage.
 *
 * @module
 */
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Events from "@florin/core/engine/Events"
import * as Evidence from "@florin/core/engine/Evidence"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"

/** The webhooks of a payment, each with its event, its endpoint, and whether its delivery already exists. */
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

const states = { pending: "pending", delivered: "delivered", givenUp: "given_up" } as const

/** With the members of the operator's API. */
const shownOf = ({ delivery, endpoint, event: { type } }: Sent) => ({
  id: delivery.id,
  eventId: delivery.eventId,
  event: { type },
  version: delivery.version,
  state: states[delivery.state],
  dueAt: delivery.dueAt === null ? null : Time.iso(delivery.dueAt),
  attempts: delivery.attempts.map(({ at, error, status }) => ({ at: Time.iso(at), status, error })),
  webhookId: endpoint.id,
  host: Evidence.hostOf(endpoint),
  isDisabled: endpoint.disabledAt !== null,
})

const columns = WebhookEndpoints.deliveryColumns<ReturnType<typeof shownOf>>({
  name: "to",
  of: ({ host, isDisabled }) => `${host}${isDisabled ? " (disabled)" : ""}`,
})

const list = Command.make(
  "list",
  {
    paymentId: Flags.paymentId("Id of the payment"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { sent } = yield* sentOf(options.paymentId).pipe(
      Access.inStorage(options, "florin webhooks list"),
    )
    const shown = sent.map(shownOf)
    if (options.json) return Terminal.json(shown)
    if (shown.length === 0) return Terminal.plain("This payment has no webhooks.")
    Table.print(columns, shown)
  }),
).pipe(
  Command.withDescription("List the webhooks of a payment with their delivery results."),
  Command.withShortDescription("List the webhooks of a payment"),
  Command.withExamples([{ command: "florin webhooks list pay_…" }]),
)

/** Makes one delivery due again, or all given-up deliveries to enabled endpoints; returns those deliveries. */
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
    const what = Option.isNone(named)
      ? "no webhook of this payment was given up"
      : "the payment has no such webhook"
    return yield* Failure.make(`${what}: \`florin webhooks list ${id}\` lists its webhooks`)
  }
  // A delivery that does not exist yet is already due.
  yield* Effect.forEach(
    chosen.filter(({ isMade }) => isMade),
    ({ endpoint, event }) => Events.replay(tenant, endpoint.id, event.id),
  )
  return chosen.map(({ delivery }) => delivery.id)
})

const replay = Command.make(
  "replay",
  {
    paymentId: Flags.paymentId("Id of the payment"),
    deliveryId: Flags.argument("deliveryId", "Id of one webhook in any state, from list").pipe(
      Argument.filterMap(
        Schema.decodeOption(Webhook.DeliveryId),
        () => "dlv_ and 1 to 64 letters or digits",
      ),
      Argument.optional,
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId } = options
    const deliveryIds = yield* replayOf(paymentId, options.deliveryId).pipe(
      Access.inStorage(options, "florin webhooks replay"),
    )
    if (options.json) return Terminal.json({ paymentId, deliveryIds })
    for (const deliveryId of deliveryIds) {
      Terminal.writeSuccess(`${deliveryId} is due again. A worker sends it.`)
    }
    Terminal.note(`Follow it with: \`florin webhooks list ${paymentId}\``)
  }),
).pipe(
  Command.withDescription(
    "Send the webhooks of a payment that were given up again, or one given webhook. Fix the receiver first. For operators: the command opens the storage, and the service's workers send the webhooks.",
  ),
  Command.withShortDescription("Send webhooks again"),
  Command.withExamples([
    { command: "florin webhooks replay pay_…", description: "All that were given up" },
    { command: "florin webhooks replay pay_… dlv_…", description: "One webhook, delivered or not" },
  ]),
)

export const command = Command.make("webhooks").pipe(
  Command.withDescription(
    "Manage webhook endpoints, list the deliveries of a payment, and send them again. For operators: the commands open the storage.",
  ),
  Command.withSubcommands([WebhookEndpoints.command, list, replay]),
)
