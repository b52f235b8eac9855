/**
 * Webhooks: the partner's URLs that receive events, and one with its deliveries as they happen, each with its body and its
 * attempts, and what can be sent again.
 *
 * @module
 */
import type * as Webhook from "@florin/api/wire/Webhook"
import { useState } from "preact/hooks"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead, useRows, useSend } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail, Shown } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { type FieldOf, select, useSubmission } from "../shell/Form.tsx"
import { Listing, More } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import {
  Button,
  Card,
  codeFact,
  CopyButton,
  Empty,
  Facts,
  foreign,
  secretAnswer,
  State,
  Time,
  timeFact,
  Toggle,
} from "../shell/Pieces.tsx"
import { ProblemNote } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { go } from "../shell/Route.tsx"
import { column, times } from "../shell/Table.tsx"
import { eventTypes } from "./EventTypes.ts"
import * as Texts from "./Texts.ts"

const { webhooks: texts, words } = Texts.texts

const to = ({ id }: Pick<Webhook.Webhook, "id">) => at`/webhooks/${id}`

/** The events that a webhook gets. */
const typesText = ({ types }: Pick<Webhook.Webhook, "types">): string =>
  types?.join(", ") ?? texts.allTypes

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
    answer: ({ secret, webhook }) => ({
      ...secretAnswer(texts.secret, secret),
      onClose: () => go(to(webhook)),
    }),
  }
}

export const All = () => (
  <Listing<Webhook.Webhook, Webhook.List>
    texts={texts}
    actions={() => <ActButton act={addition()} look="main" />}
    path="/webhooks"
    isWhole
    rowsOf={({ webhooks }) => webhooks}
    columns={[
      column(texts.url.label, "title", 3, ({ url }) => foreign(url)),
      column(texts.types.label, "below", 3, typesText),
      times(words.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={to}
  />
)

type Listed = Webhook.DeliveryPage["data"][number]

/** A delivery. Its body is drawn when it is opened. */
const Delivery = ({
  delivery,
  redeliver,
}: {
  readonly delivery: Listed
  readonly redeliver: (() => void) | undefined
}) => {
  const [isOpen, setIsOpen] = useState(false)
  const { attempts, dueAt, event, state } = delivery
  const last = attempts.at(-1)
  const body = JSON.stringify(event, null, 2)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          {event.type} <State is={state} texts={texts.state} />{" "}
          <span class="note">
            {last === undefined ? texts.noAttempt : (last.status ?? texts.noResponse)} ·{" "}
            <Time at={event.timestamp} />
          </span>
        </summary>
        {isOpen && (
          <div class="stack">
            <Facts
              of={[
                codeFact(texts.event, event.id, true),
                [
                  texts.attempts,
                  <ol>
                    {attempts.map(({ at: tried, error, status }) => (
                      <li key={tried}>
                        {Reader.time(tried)} · {status ?? texts.noResponse}
                        {error !== null && <> · {foreign(error)}</>}
                      </li>
                    ))}
                  </ol>,
                ],
                timeFact(texts.next, dueAt),
              ]}
            />
            <div class="fields">
              <p class="actions">
                {texts.body} <CopyButton name={texts.body} text={body} />
              </p>
              <pre>{body}</pre>
            </div>
            {redeliver !== undefined && (
              <p>
                <Button look="quiet" onClick={redeliver}>
                  {texts.redeliver}
                </Button>
              </p>
            )}
          </div>
        )}
      </details>
    </li>
  )
}

/** A delivery changes with each attempt, which no event announces: its list is read again this often. */
const tailEveryInMs = 1000
const dayInMs = 86_400_000

/** A time as a field has it: of the reader, in minutes. */
const local = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const actsOf = (path: string) => {
  const replay: Act<Webhook.Replayed> = {
    ...texts.replay,
    scope: "webhooks",
    fields: [
      {
        name: "from",
        label: texts.replayFrom,
        kind: "datetime-local",
        initial: local(Date.now() - dayInMs),
      },
      select("state", texts.replayState, [["", words.all], ...Object.entries(texts.state)], {
        initial: "given_up",
      }),
    ],
    isReady: (get) => get("from") !== "",
    path: `${path}/replay`,
    said: ({ deliveries }) => texts.replayed(deliveries),
  }
  const rotate: Act<Webhook.WithSecret> = {
    ...texts.rotate,
    scope: "webhooks",
    path: `${path}/rotate`,
    answer: ({ secret }) => secretAnswer(texts.secret, secret),
  }
  const remove: Act = {
    ...texts.remove,
    scope: "webhooks",
    method: "DELETE",
    path,
    isDangerous: true,
    onDone: () => go("/webhooks"),
  }
  return { replay, rotate, remove }
}

export const One = ({ id = "" }: Params) => {
  const { may, toast } = useConsole()
  const path = at`/webhooks/${id}`
  const send = useSend()
  const submission = useSubmission()
  const [isFollowed, setIsFollowed] = useState(true)
  const found = useRead<Webhook.Response>(path, {}, { everyInMs: null })
  const list = useRows<Listed, Webhook.DeliveryPage>({
    path: `${path}/deliveries`,
    query: { limit: 25 },
    everyInMs: isFollowed ? tailEveryInMs : null,
    rowsOf: ({ data }) => data,
  })
  const mayChange = may("webhooks") && found.value?.webhook.disabledAt === null
  /** These ask nothing: an event that comes twice does no harm. */
  const sendNow = (where: string, said: string) => () =>
    submission.submit(async () => {
      await send({ path: `${path}/${where}` })
      toast({ text: said })
    })
  const acts = actsOf(path)
  const tail = isFollowed ? (list.error === undefined ? "live" : "lost") : "paused"
  const line = (delivery: Listed) => (
    <Delivery
      key={delivery.id}
      delivery={delivery}
      redeliver={
        mayChange ? sendNow(at`deliveries/${delivery.id}/redeliver`, texts.redelivered) : undefined
      }
    />
  )
  return (
    <Detail
      of={found}
      back={{ to: "/webhooks", name: texts.title }}
      name={texts.title}
      title={({ webhook }) => foreign(webhook.url)}
      note={({ webhook }) => typesText(webhook)}
      acts={() =>
        mayChange && (
          <>
            <Button onClick={sendNow("test", texts.tested)}>{texts.test}</Button>
            <ActButton act={acts.replay} />
            <ActButton act={acts.rotate} />
            <ActButton act={acts.remove} />
          </>
        )
      }
      main={() => (
        <>
          {submission.error !== undefined && <ProblemNote error={submission.error} />}
          <Card
            title={texts.deliveries}
            head={
              <span class="actions">
                <span role="status">
                  <State is={tail} texts={texts.tail} />
                </span>
                <Toggle name={texts.follow} isOn={isFollowed} onChange={setIsFollowed} />
              </span>
            }
          >
            <Shown of={list}>
              {() =>
                list.rows?.length === 0 ? (
                  <Empty {...texts.noDeliveries} />
                ) : (
                  <ul class="lines">{list.rows?.map(line)}</ul>
                )
              }
            </Shown>
            <More of={list} />
          </Card>
        </>
      )}
    />
  )
}
