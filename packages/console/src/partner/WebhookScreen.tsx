/**
 * One webhook: its deliveries as they happen, each with its body and its attempts, and what can be sent again.
 *
 * @module
 */
import type * as Webhook from "@florin/api/wire/Webhook"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import type { Params } from "../shell/Face.ts"
import { Field, Form, SelectField, useOnce, useSubmission } from "../shell/Form.tsx"
import { useList, useLoad } from "../shell/Load.ts"
import {
  Card,
  Code,
  CopyButton,
  Empty,
  Fact,
  Facts,
  Foreign,
  Head,
  Pill,
  Secret,
  Skeleton,
  Time,
  type Tone,
} from "../shell/Pieces.tsx"
import { ProblemNote, Waiting } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { go } from "../shell/Route.tsx"
import * as Texts from "./Texts.ts"

type Listed = Webhook.DeliveryPage["data"][number]

const tones: { readonly [S in Listed["state"]]: Tone } = {
  pending: "caution",
  delivered: "good",
  given_up: "bad",
}
const states = ["pending", "delivered", "given_up"] as const

/** A delivery. Its body is drawn when it is opened. */
const Delivery = ({
  delivery,
  redeliver,
}: {
  readonly delivery: Listed
  readonly redeliver: (() => void) | undefined
}) => {
  const { webhooks: texts } = Texts.texts()
  const [isOpen, setIsOpen] = useState(false)
  const { attempts, dueAt, event, state } = delivery
  const last = attempts.at(-1)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          {event.type} <Pill tone={tones[state]}>{texts.state[state]}</Pill>{" "}
          <span class="note">
            {last === undefined ? texts.noAttempt : (last.status ?? texts.noResponse)} ·{" "}
            <Time at={event.timestamp} />
          </span>
        </summary>
        {isOpen && (
          <div class="stack">
            <Facts>
              <Fact name={texts.event}>
                <Code name={texts.event} text={event.id} isWhole />
              </Fact>
              <Fact name={texts.attempts}>
                <ol>
                  {attempts.map(({ at, error, status }) => (
                    <li key={at}>
                      {Reader.time(at)} · {status ?? texts.noResponse}
                      {error !== null && (
                        <>
                          {" "}
                          · <Foreign text={error} />
                        </>
                      )}
                    </li>
                  ))}
                </ol>
              </Fact>
              <Fact name={texts.next}>{dueAt !== null && Reader.time(dueAt)}</Fact>
            </Facts>
            <div class="fields">
              <p class="actions">
                {texts.body} <CopyButton name={texts.body} text={JSON.stringify(event, null, 2)} />
              </p>
              <pre>{JSON.stringify(event, null, 2)}</pre>
            </div>
            {redeliver !== undefined && (
              <p>
                <button type="button" class="button quiet" onClick={redeliver}>
                  {texts.redeliver}
                </button>
              </p>
            )}
          </div>
        )}
      </details>
    </li>
  )
}

const dayInMs = 86_400_000

const Replaying = ({
  id,
  onClose,
  onDone,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const { partner, toast } = useConsole()
  const { all, webhooks: texts } = Texts.texts()
  const local = (at: number) => {
    const date = new Date(at)
    return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }
  const [from, setFrom] = useState(() => local(Date.now() - dayInMs))
  const [state, setState] = useState<string>("given_up")
  const submission = useSubmission()
  const replay = async () => {
    const only = states.find((each) => each === state)
    const { deliveries } = await partner.webhooks.replay(id, {
      from: new Date(from).toISOString(),
      ...(only !== undefined && { state: only }),
    })
    toast({ text: texts.replayed(deliveries) })
    onDone()
    onClose()
  }
  return (
    <Dialog title={texts.replayTitle} onClose={onClose}>
      <Form
        action={texts.replay}
        isReady={from !== ""}
        submission={submission}
        onSubmit={() => submission.submit(replay)}
      >
        <Field label={texts.replayFrom} error={submission.issue("from")}>
          {(attributes) => (
            <input
              type="datetime-local"
              {...attributes}
              value={from}
              onInput={({ currentTarget }) => setFrom(currentTarget.value)}
            />
          )}
        </Field>
        <SelectField
          label={texts.replayState}
          value={state}
          options={[["", all], ...states.map((each) => [each, texts.state[each]] as const)]}
          onValue={setState}
        />
      </Form>
    </Dialog>
  )
}

export const Screen = ({ id = "" }: Params) => {
  const { ask, may, partner, toast } = useConsole()
  const { webhooks: texts } = Texts.texts()
  const [isReplaying, setIsReplaying] = useState(false)
  const [secret, setSecret] = useState<string>()
  const once = useOnce()
  const submission = useSubmission()
  const found = useLoad(id, (signal) => partner.webhooks.get(id, { signal }))
  const list = useList(
    id,
    (delivery: Listed) => delivery.id,
    async (cursor, signal) => {
      const { data, nextCursor } = await partner.webhooks.deliveries(
        id,
        { limit: 25, ...(cursor !== undefined && { cursor }) },
        { signal },
      )
      return { rows: data, next: nextCursor, extra: null }
    },
    { isLive: true },
  )
  const back = { to: "/webhooks", name: texts.title }
  if (found.value === undefined) return <Waiting of={found} title={texts.title} back={back} />
  const { webhook } = found.value
  const isActive = webhook.disabledAt === null
  const mayChange = may("webhooks") && isActive
  const redeliver = (deliveryId: string) =>
    submission.submit(async () => {
      await partner.webhooks.redeliver(id, deliveryId)
      toast({ text: texts.redelivered })
      list.reload()
    })
  const test = () =>
    submission.submit(async () => {
      await partner.webhooks.test(id)
      toast({ text: texts.tested })
      list.reload()
    })
  const rotate = () =>
    ask({
      title: texts.rotateTitle,
      body: <p>{texts.rotateNote}</p>,
      action: texts.rotate,
      run: async () => {
        const made = await partner.webhooks.rotate(id, {
          idempotencyKey: once({ rotate: id, secret }),
        })
        setSecret(made.secret)
      },
    })
  const remove = () =>
    ask({
      title: texts.removeTitle,
      body: <p>{texts.removeNote}</p>,
      action: texts.remove,
      isDangerous: true,
      run: async () => {
        await partner.webhooks.remove(id)
        toast({ text: texts.removed })
        go("/webhooks")
      },
    })
  return (
    <>
      <Head
        back={back}
        title={<Foreign text={webhook.url} />}
        note={webhook.types?.join(", ") ?? texts.allTypes}
      >
        {mayChange && (
          <>
            <button type="button" class="button" onClick={test}>
              {texts.test}
            </button>
            <button type="button" class="button quiet" onClick={() => setIsReplaying(true)}>
              {texts.replay}
            </button>
            <button type="button" class="button quiet" onClick={rotate}>
              {texts.rotate}
            </button>
            <button type="button" class="button quiet" onClick={remove}>
              {texts.remove}
            </button>
          </>
        )}
      </Head>
      {submission.error !== undefined && <ProblemNote error={submission.error} />}
      <Card title={texts.deliveries}>
        {list.rows === undefined && list.error === undefined && <Skeleton rows={4} />}
        {list.error !== undefined && <ProblemNote error={list.error} retry={list.reload} />}
        {list.rows?.length === 0 && <Empty {...texts.noDeliveries} />}
        <ul class="lines">
          {list.rows?.map((delivery) => (
            <Delivery
              key={delivery.id}
              delivery={delivery}
              redeliver={mayChange ? () => redeliver(delivery.id) : undefined}
            />
          ))}
        </ul>
        {list.more !== undefined && (
          <button type="button" class="button quiet" onClick={list.more}>
            {texts.older}
          </button>
        )}
      </Card>
      {isReplaying && (
        <Replaying id={id} onClose={() => setIsReplaying(false)} onDone={list.reload} />
      )}
      {secret !== undefined && (
        <Dialog title={texts.secret} onClose={() => setSecret(undefined)}>
          <Secret name={texts.secret} text={secret} />
        </Dialog>
      )}
    </>
  )
}
