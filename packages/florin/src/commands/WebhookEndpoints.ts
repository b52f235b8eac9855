/**
 * `florin webhooks endpoints`: manages the endpoints that receive a partner's events. A receiver checks webhooks with the
 * secret, which is shown when it is created, and never again.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Webhooks"
import type * as Wire from "@florin/api/wire/Webhook"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as OperatorCommand from "../operator/Command.ts"
import type * as RecordSettings from "../operator/RecordSettings.ts"
import * as Described from "../terminal/Described.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

const make = OperatorCommand.of(Contract.group)

const typesText = ({ types }: Wire.Webhook): string => types?.join(", ") ?? "all"

const versionText = ({ version }: Wire.Webhook): string => version ?? "pinned"

/** Only the secret goes to standard output, so that a script can read it from there. */
const show = ({ secret, webhook }: Wire.OwnedWithSecret): void => {
  Terminal.result(secret)
  Terminal.aside(
    `${webhook.id} gets these events: ${typesText(webhook)}. API version: ${versionText(webhook)}.`,
  )
  Terminal.aside("The receiver verifies signatures with this secret. It is not shown again.")
}

const settings: RecordSettings.Table<Wire.Owned> = {
  url: { name: "address", of: ({ url }) => Printable.from(url) },
  types: { name: "events", of: typesText },
  version: { name: "API version", of: versionText },
}

const columns: ReadonlyArray<Table.Column<Wire.Owned>> = [
  { name: "endpoint", of: ({ id }) => id },
  { name: "partner", of: ({ partnerId }) => partnerId },
  { name: "mode", of: ({ mode }) => mode },
  { name: "is", of: ({ disabledAt }) => (disabledAt === null ? "called" : "disabled") },
  { name: "version", of: versionText },
  { name: "events", of: typesText, isCut: true },
  { name: "address", of: ({ url }) => url },
]

/** What is shown of a delivery. */
type Delivered = Wire.DeliveryPage["data"][number]

const responseText = ({ attempts }: Delivered): string => {
  const last = attempts.at(-1)
  return last === undefined ? "" : `${last.status ?? last.error ?? "no response"}`
}

/** The columns of a delivery; `between` adds columns for more data. */
export const deliveryColumns = <Row extends Delivered>(
  ...between: ReadonlyArray<Table.Column<Row>>
): ReadonlyArray<Table.Column<Row>> => [
  { name: "webhook", of: ({ id }) => id },
  { name: "event", of: ({ event }) => event.type },
  ...between,
  { name: "state", of: ({ state }) => state.replace("_", " ") },
  { name: "attempts", of: ({ attempts }) => `${attempts.length}` },
  { name: "last response", of: responseText, isCut: true },
]

const graceInHours = Webhook.secretGraceInMs / 3_600_000

export const command = Described.group(
  "endpoints",
  "Manage the webhook endpoints that get a partner's events.",
  [
    make("create", "create", {
      adds: "Only its secret goes to standard output, for $(florin webhooks endpoints create …).",
      args: ["url"],
      print: show,
      examples: [
        {
          command:
            "florin webhooks endpoints create https://shop.example/florin --partner prtn_… --mode live",
          description: "All events of live payments",
        },
        {
          command:
            "florin webhooks endpoints create https://shop.example/florin --partner prtn_… --mode live --type payment.succeeded,refund.succeeded",
          description: "Two types of events",
        },
      ],
    }),
    make("list", "list", {
      print: ({ webhooks }) =>
        Table.list(
          columns,
          webhooks,
          "No endpoints. Create one with: `florin webhooks endpoints create <url> --partner <partnerId> --mode test`",
        ),
    }),
    make("change", "change", {
      settings,
      examples: [
        "florin webhooks endpoints change whk_… --address https://new.example/florin",
        "florin webhooks endpoints change whk_… --type all --api-version pinned",
      ],
    }),
    make("test", "test", {
      done: ({ eventId }) => `${eventId} is due. A worker sends it to this endpoint only.`,
      next: (_record, _own, { asked: { webhookId } }) =>
        `Follow it with: \`florin webhooks endpoints deliveries ${webhookId}\``,
    }),
    make("deliveries", "deliveries", {
      print: ({ data }) =>
        Table.list(deliveryColumns(), data, "Nothing was sent to this endpoint."),
    }),
    make("replay", "replay", {
      print: ({ deliveries: count }) => {
        if (count === 0) return Terminal.plain("No event of this period was sent to this endpoint.")
        return Terminal.writeSuccess(
          `${Printable.counted(count, "event is", "events are")} due again. A worker sends them in order.`,
        )
      },
      examples: [
        "florin webhooks endpoints replay whk_… --from 2026-03-01T00:00:00Z --state given_up",
      ],
    }),
    make("rotate", "rotate", {
      adds: "Only the secret goes to standard output.",
      print: (rotated) => {
        show(rotated)
        Terminal.aside(`For ${graceInHours} hours, calls are also signed with the old secret.`)
      },
    }),
    make("seal", "sealSecrets", {
      print: ({ sealed }) => {
        const endpoints = Printable.counted(sealed.length, "endpoint")
        Terminal.writeSuccess(`Sealed the secrets of ${endpoints} with the first vault key.`)
      },
      fails: ({ refused }) =>
        refused.length === 0
          ? undefined
          : `the vault cannot open the secrets of ${refused.join(", ")}: add the key that sealed them to FLORIN_VAULT_KEY, or rotate them`,
    }),
    make("disable", "disable", {
      done: ({ id }) =>
        `${id} is disabled. It gets no more calls, also none for webhooks that are still pending.`,
    }),
  ],
  "Manage webhook endpoints",
)
