/**
 * `florin webhooks endpoints`: manages the endpoints that receive a partner's events, in the storage. A receiver checks
 * webhooks with the secret, which is shown when it is created, and never again.
 *
 * @module
 */
import { env } from "node:process"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Version from "@florin/core/domain/ground/Version"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Event from "@florin/core/domain/payment/Event"
import * as Events from "@florin/core/engine/Events"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as ConfigFile from "../serve/ConfigFile.ts"
import * as Setting from "../serve/Setting.ts"
import * as Settings from "../serve/Settings.ts"
import * as Access from "../storage/Access.ts"
import * as VaultAccess from "../storage/VaultAccess.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const modes = ["live", "test"] as const

const endpointId = Flags.argument(
  "endpointId",
  "Id of the endpoint, from `webhooks endpoints list`",
).pipe(
  Argument.filterMap(
    Schema.decodeOption(Webhook.EndpointId),
    () => "the id of an endpoint, whk_ and 1 to 64 letters or digits",
  ),
)

const asJson = ({
  createdAt,
  disabledAt,
  id,
  mode,
  partnerId,
  types,
  url,
  version,
}: Webhook.Listed) => ({
  endpointId: id,
  partnerId,
  mode,
  url,
  types,
  version: version ?? null,
  createdAt: Time.iso(createdAt),
  disabledAt: disabledAt === null ? null : Time.iso(disabledAt),
})

const typesText = ({ types }: Webhook.Listed): string =>
  types === "all" ? types : types.join(", ")

const versionText = ({ version }: Webhook.Listed): string => version ?? "pinned"

/** Only the secret goes to standard output, so that a script can read it from there. */
const show = ({ endpoint, secret }: Events.WithSecret, json: boolean): void => {
  if (json) return Terminal.json({ secret, ...asJson(endpoint) })
  Terminal.result(secret)
  Terminal.aside(
    `${endpoint.id} gets these events: ${typesText(endpoint)}. API version: ${versionText(endpoint)}.`,
  )
  Terminal.aside("The receiver verifies signatures with this secret. It is not shown again.")
}

/** Whether the service calls private addresses. */
const policyOf = Effect.fnUntraced(function* (privateWebhooks: ReadonlyArray<string>) {
  const sources = yield* Effect.fromResult(ConfigFile.sources({ privateWebhooks }, env))
  return {
    allowPrivate: yield* Effect.fromResult(Setting.read(Settings.rows.privateWebhooks, sources)),
  }
})

const create = Command.make(
  "create",
  {
    url: Flags.argument(
      "url",
      "URL that receives the events: https, on a host that is reachable from the internet",
    ),
    partner: Flags.partnerId.pipe(Flag.withDescription("Partner whose events are sent")),
    mode: Flags.choice("mode", modes, "Events of live or of test payments"),
    types: Flags.choice(
      "type",
      Event.eventTypes,
      "Send only events of this type; repeat for several (default: all, including types of later releases)",
    ).pipe(Flag.atLeast(0)),
    version: Flags.optionalChoice(
      "api-version",
      Version.stable,
      "API version of the events (default: the version that the partner is pinned to)",
    ),
    privateWebhooks: Setting.flag(Settings.rows.privateWebhooks),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { mode, partner: partnerId, privateWebhooks, types, url } = options
    const version = Option.getOrUndefined(options.version)
    const policy = yield* policyOf(privateWebhooks)
    const created = yield* Effect.gen(function* () {
      yield* findPartner(yield* AccountStore, partnerId)
      const request = { url, version, ...(types.length > 0 && { types }) }
      return yield* Events.addEndpoint({ partnerId, mode }, request, policy)
    }).pipe(
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin webhooks endpoints create"),
    )
    show(created, options.json)
  }),
).pipe(
  Command.withDescription(
    "Create a webhook endpoint that gets a partner's events from now on. Only its signing secret goes to standard output, once, for $(florin webhooks endpoints create …). The receiver needs the secret to verify signatures.",
  ),
  Command.withShortDescription("Create a webhook endpoint"),
  Command.withExamples([
    {
      command:
        "florin webhooks endpoints create https://shop.example/florin --partner prtn_… --mode live",
      description: "All events of live payments",
    },
    {
      command:
        "florin webhooks endpoints create https://shop.example/florin --partner prtn_… --mode live --type payment.succeeded --type refund.succeeded",
      description: "Two types of events",
    },
  ]),
)

/** The endpoints of one partner or of all partners, in both modes. */
const endpointsOf = Effect.fnUntraced(function* (partner: Option.Option<PartnerId.PartnerId>) {
  const partnerIds = Option.isSome(partner)
    ? [partner.value]
    : (yield* (yield* AccountStore).partners(null)).map(({ id }) => id)
  const each = yield* Effect.forEach(
    partnerIds.flatMap((partnerId) => modes.map((mode) => ({ partnerId, mode }))),
    Events.listEndpoints,
  )
  return each.flat()
})

const columns: ReadonlyArray<Table.Column<Webhook.Listed>> = [
  { name: "endpoint", of: ({ id }) => id },
  { name: "partner", of: ({ partnerId }) => partnerId },
  { name: "mode", of: ({ mode }) => mode },
  { name: "is", of: ({ disabledAt }) => (disabledAt === null ? "called" : "disabled") },
  { name: "version", of: versionText },
  { name: "events", of: typesText, isCut: true },
  { name: "address", of: ({ url }) => url },
]

const list = Command.make(
  "list",
  {
    partner: Flags.partnerId.pipe(
      Flag.withDescription("Show only endpoints of this partner (default: all endpoints)"),
      Flag.optional,
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const endpoints = yield* endpointsOf(options.partner).pipe(
      Access.inStorage(options, "florin webhooks endpoints list"),
    )
    if (options.json) return Terminal.json(endpoints.map(asJson))
    if (endpoints.length === 0) {
      return Terminal.plain(
        "No endpoints. Create one with: `florin webhooks endpoints create <url> --partner <partnerId> --mode test`",
      )
    }
    Table.print(columns, endpoints)
  }),
).pipe(
  Command.withDescription(
    "List webhook endpoints with their partners, event types and status, without their secrets.",
  ),
  Command.withShortDescription("List webhook endpoints"),
)

/** The partner and mode of an endpoint. */
const tenantOf = Effect.fnUntraced(function* (id: Webhook.EndpointId) {
  const found = (yield* endpointsOf(Option.none())).find((each) => each.id === id)
  return found === undefined
    ? yield* NotFound.of("webhook")
    : { partnerId: found.partnerId, mode: found.mode }
})

const change = Command.make(
  "change",
  {
    endpointId,
    url: Flags.optionalString(
      "url",
      "URL",
      "New URL, also for events that already wait (default: unchanged)",
    ),
    types: Flags.choice(
      "type",
      ["all", ...Event.eventTypes],
      "Send only events of this type; repeat for several; all sends every event (default: unchanged)",
    ).pipe(Flag.atLeast(0)),
    version: Flags.optionalChoice(
      "api-version",
      ["pinned", ...Version.stable],
      "API version of new events; pinned is the partner's version (default: unchanged)",
    ),
    privateWebhooks: Setting.flag(Settings.rows.privateWebhooks),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { endpointId: id, types } = options
    const version = Option.getOrUndefined(options.version)
    const wanted: Webhook.Wanted = {
      url: Option.getOrUndefined(options.url),
      ...(types.length > 0 && { types: types.includes("all") ? null : types }),
      ...(version !== undefined && { version: version === "pinned" ? null : version }),
    }
    if (Object.values(wanted).every((each) => each === undefined)) {
      return yield* Failure.makeUsage("nothing to change: set --url, --type or --api-version")
    }
    const policy = yield* policyOf(options.privateWebhooks)
    const changed = yield* Effect.flatMap(tenantOf(id), (tenant) =>
      Events.modifyEndpoint(tenant, id, wanted, policy),
    ).pipe(Access.inStorage(options, "florin webhooks endpoints change"))
    if (options.json) return Terminal.json(asJson(changed))
    Terminal.writeSuccess(`${id} gets these events: ${typesText(changed)}.`)
    Terminal.fact("address", changed.url)
    Terminal.fact("version", versionText(changed))
  }),
).pipe(
  Command.withDescription(
    "Change the URL, the event types or the API version of an endpoint. Settings that are not given stay, and so does the secret.",
  ),
  Command.withShortDescription("Change an endpoint"),
  Command.withExamples([
    { command: "florin webhooks endpoints change whk_… --url https://new.example/florin" },
    { command: "florin webhooks endpoints change whk_… --type all --api-version pinned" },
  ]),
)

const test = Command.make(
  "test",
  { endpointId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const id = options.endpointId
    const sent = yield* Effect.flatMap(tenantOf(id), (tenant) =>
      Events.testEndpoint(tenant, id),
    ).pipe(Access.inStorage(options, "florin webhooks endpoints test"))
    if (options.json) return Terminal.json(sent)
    Terminal.writeSuccess(`${sent.eventId} is due. A worker sends it to this endpoint only.`)
    Terminal.note(`Follow it with: \`florin webhooks endpoints deliveries ${id}\``)
  }),
).pipe(
  Command.withDescription(
    `Send an event of type ${Event.webhookTest} to one endpoint, signed and retried like any other.`,
  ),
  Command.withShortDescription("Send a test event to an endpoint"),
)

/** The state of a webhook. */
interface Delivered {
  readonly delivery: Webhook.Delivery
  readonly event: { readonly type: string }
}

export const deliveryJson = ({ delivery, event }: Delivered) => ({
  deliveryId: delivery.id,
  eventId: delivery.eventId,
  type: event.type,
  version: delivery.version,
  state: delivery.state,
  dueAt: delivery.dueAt === null ? null : Time.iso(delivery.dueAt),
  attempts: delivery.attempts.map(({ at, error, status }) => ({ at: Time.iso(at), status, error })),
})

const responseText = ({ delivery: { attempts } }: Delivered): string => {
  const last = attempts.at(-1)
  return last === undefined ? "" : `${last.status ?? last.error ?? "no response"}`
}

const stateTexts = { pending: "pending", delivered: "delivered", givenUp: "given up" } as const

/** The columns of a webhook; `between` adds columns for more data. */
export const deliveryColumns = <Row extends Delivered>(
  ...between: ReadonlyArray<Table.Column<Row>>
): ReadonlyArray<Table.Column<Row>> => [
  { name: "webhook", of: ({ delivery }) => delivery.id },
  { name: "event", of: ({ event }) => event.type },
  ...between,
  { name: "state", of: ({ delivery }) => stateTexts[delivery.state] },
  { name: "attempts", of: ({ delivery }) => `${delivery.attempts.length}` },
  { name: "last response", of: responseText, isCut: true },
]

const deliveries = Command.make(
  "deliveries",
  { endpointId, limit: ServiceAccess.limit, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const { endpointId: id, json, limit } = options
    const listed = yield* tenantOf(id).pipe(
      Effect.andThen(Outbox),
      Effect.flatMap((outbox) => outbox.deliveries(id, limit + 1)),
      Access.inStorage(options, "florin webhooks endpoints deliveries"),
    )
    const shown = listed.slice(0, limit)
    if (json) return Terminal.json(shown.map(deliveryJson))
    if (shown.length === 0) return Terminal.plain("Nothing was sent to this endpoint.")
    Table.print(deliveryColumns(), shown)
    if (listed.length > limit) Terminal.note("There are more: raise --limit")
  }),
).pipe(
  Command.withDescription("List the deliveries to an endpoint and their results, newest first."),
  Command.withShortDescription("List deliveries to an endpoint"),
)

/** The names of the states in the API. */
const states = { pending: "pending", delivered: "delivered", given_up: "givenUp" } as const

const replay = Command.make(
  "replay",
  {
    endpointId,
    from: Flags.string(
      "from",
      "TIME",
      "Send events that happened at this time or later: 2026-03-01T00:00:00Z",
    ),
    to: Flags.optionalString(
      "to",
      "TIME",
      `Send events that happened before this time, at most ${Limits.webhookReplayMaxInMs / 86_400_000} days after --from (default: now)`,
    ),
    state: Flags.optionalChoice(
      "state",
      Struct.keys(states),
      "Send only webhooks in this state (default: any)",
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { endpointId: id, from } = options
    const range = {
      from,
      to: Option.getOrUndefined(options.to),
      state: Option.getOrUndefined(Option.map(options.state, (state) => states[state])),
    }
    const count = yield* Effect.flatMap(tenantOf(id), (tenant) =>
      Events.replayRange(tenant, id, range),
    ).pipe(Access.inStorage(options, "florin webhooks endpoints replay"))
    if (options.json) return Terminal.json({ endpointId: id, deliveries: count })
    if (count === 0) return Terminal.plain("No event of this period was sent to this endpoint.")
    Terminal.writeSuccess(
      `${count === 1 ? "1 event is" : `${count} events are`} due again. A worker sends them in order.`,
    )
  }),
).pipe(
  Command.withDescription(
    `Send the events of a period to an endpoint again, in order, at most ${Limits.webhookReplayMax.toLocaleString("en")}. Fix the receiver first.`,
  ),
  Command.withShortDescription("Send the events of a period again"),
  Command.withExamples([
    {
      command:
        "florin webhooks endpoints replay whk_… --from 2026-03-01T00:00:00Z --state given_up",
    },
  ]),
)

const graceInHours = Webhook.secretGraceInMs / 3_600_000

const rotate = Command.make(
  "rotate",
  { endpointId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const id = options.endpointId
    const rotated = yield* Effect.flatMap(tenantOf(id), (tenant) =>
      Events.rotateSecret(tenant, id),
    ).pipe(
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin webhooks endpoints rotate"),
    )
    show(rotated, options.json)
    Terminal.aside(`For ${graceInHours} hours, calls are also signed with the old secret.`)
  }),
).pipe(
  Command.withDescription(
    `Create a new secret for an endpoint and print only the secret to standard output, once. For ${graceInHours} hours each call is signed with both secrets, so that the receiver can switch at any time. A second rotation within that time revokes the first secret immediately.`,
  ),
  Command.withShortDescription("Rotate a secret; both sign for a day"),
)

const disable = Command.make(
  "disable",
  { endpointId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const id = options.endpointId
    const disabled = yield* Effect.flatMap(tenantOf(id), (tenant) =>
      Events.disableEndpoint(tenant, id),
    ).pipe(Access.inStorage(options, "florin webhooks endpoints disable"))
    if (options.json) return Terminal.json(asJson(disabled))
    Terminal.writeSuccess(
      `${id} is disabled. It gets no more calls, also none for webhooks that are still pending.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Disable an endpoint permanently. Its deliveries can still be listed. Disabling it again changes nothing. To send events to its URL again, create another endpoint.",
  ),
  Command.withShortDescription("Disable an endpoint"),
)

const seal = Command.make(
  "seal",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const { refused, sealed } = yield* Events.sealSecrets().pipe(
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin webhooks endpoints seal"),
    )
    if (options.json) Terminal.json({ sealed, refused })
    else {
      const endpoints = sealed.length === 1 ? "1 endpoint" : `${sealed.length} endpoints`
      Terminal.writeSuccess(`Sealed the secrets of ${endpoints} with the first vault key.`)
    }
    if (refused.length > 0) {
      return yield* Failure.make(
        `the vault cannot open the secrets of ${refused.join(", ")}: add the key that sealed them to FLORIN_VAULT_KEY, or rotate them`,
      )
    }
  }),
).pipe(
  Command.withDescription(
    "Encrypt the secrets of all endpoints with the first vault key. Run it after you put a new vault key first and before you remove the old one. Run it once after an upgrade from a release that stored secrets in plain text. Receivers notice nothing.",
  ),
  Command.withShortDescription("Encrypt all secrets with the first vault key"),
)

export const command = Command.make("endpoints").pipe(
  Command.withDescription("Manage the webhook endpoints that get a partner's events."),
  Command.withShortDescription("Manage webhook endpoints"),
  Command.withSubcommands([create, list, change, test, deliveries, replay, rotate, seal, disable]),
)
