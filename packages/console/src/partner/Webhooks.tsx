/**
 * Webhooks: the partner's URLs that receive events.
 *
 * @module
 */
import type * as Webhook from "@florin/api/wire/Webhook"
import { type Act, ActButton } from "../shell/Act.tsx"
import type { FieldOf } from "../shell/Form.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { foreign, Secret } from "../shell/Pieces.tsx"
import { go } from "../shell/Route.tsx"
import { column, times } from "../shell/Table.tsx"
import { eventTypes } from "./EventTypes.ts"
import * as Texts from "./Texts.ts"

const { webhooks: texts } = Texts.texts

const to = ({ id }: Pick<Webhook.Webhook, "id">) => at`/webhooks/${id}`

/** The events that a webhook gets. */
export const typesText = ({ types }: Pick<Webhook.Webhook, "types">): string =>
  types?.join(", ") ?? Texts.texts.webhooks.allTypes

/** A secret, in the one place that shows it. */
export const secretAnswer = (secret: string, onClose = () => {}) => {
  const title = Texts.texts.webhooks.secret
  return { title, body: <Secret name={title} text={secret} />, onClose }
}

const addition = (): Act<Webhook.WithSecret> => {
  const url: FieldOf = {
    name: "url",
    ...texts.url,
    kind: "url",
    placeholder: "https://",
    wrong: (text) => (/^https?:\/\/./u.test(text) ? undefined : texts.invalidUrl),
  }
  const options = eventTypes.map((type) => [type, type] as const)
  return {
    ...texts.add,
    scope: "webhooks",
    fields: [url, { name: "types", ...texts.types, kind: "checks", options }],
    path: "/webhooks",
    answer: ({ secret, webhook }) => secretAnswer(secret, () => go(to(webhook))),
  }
}

export const Screen = () => (
  <Listing<Webhook.Webhook, Webhook.List>
    title={texts.title}
    note={texts.note}
    actions={() => <ActButton act={addition()} look="main" />}
    path="/webhooks"
    isWhole
    rowsOf={({ webhooks }) => webhooks}
    idOf={({ id }) => id}
    columns={[
      column(texts.url.label, "title", 3, ({ url }) => foreign(url)),
      column(texts.types.label, "below", 3, typesText),
      times(texts.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={to}
    none={texts.empty}
  />
)
