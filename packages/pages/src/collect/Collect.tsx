/**
 * The data-collection page: the screen that it shows, and its messages to its host.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { CollectMessages } from "../messages/CollectMessages.ts"
import type { Catalogue } from "../messages/Messages.ts"
import * as Bridges from "./Bridges.ts"
import * as Form from "./Form.ts"
import { FormScreen, type Complaints } from "./FormScreen.tsx"
import * as Submission from "./Submission.ts"

interface Props {
  readonly catalogue: Catalogue<CollectMessages>
  readonly page: HostedPage.Collect | HostedPage.Absent
  readonly prefill: Form.Values
}

/** The state of the page. With `NotSent` and `Refused` the payer stays in the form. */
type State = { readonly _tag: "Asking" } | { readonly _tag: "Sending" } | Submission.Outcome

const stateOf = (page: Props["page"]): State => {
  if (page.page === "absent") return { _tag: "Absent" }
  if (page.collectData === null) return { _tag: "Stored" }
  return page.closed === null ? { _tag: "Asking" } : { _tag: "Closed", status: page.closed }
}

/** The message to the host for a state. It contains nothing that the payer entered. */
const messageOf = (texts: CollectMessages, state: State): Bridges.Message | undefined => {
  switch (state._tag) {
    case "Stored":
      return { type: "IC_COMPLETE", success: true }
    case "Closed":
      return { type: "IC_ERROR", error: texts.closed[state.status] }
    case "Absent":
      return { type: "IC_ERROR", error: texts.absent }
    case "NotSent":
      return { type: "IC_ERROR", error: texts.notSent }
    default:
      return undefined
  }
}

const complaintsOf = (texts: CollectMessages, form: Form.Form, state: State): Complaints => {
  if (state._tag === "NotSent") return new Map([["", texts.notSent]])
  if (state._tag !== "Refused") return new Map()
  const names = new Map(form.controls.map(({ id, name }) => [id, name]))
  return new Map(
    Array.from(state.issues, ([id, message]) => [
      id,
      texts.refused(names.get(id) ?? texts.title, message),
    ]),
  )
}

/** The form, with the names of its fields in the payer's language. */
const formOf = (
  { fields }: CollectMessages,
  collectData: NonNullable<HostedPage.Collect["collectData"]>,
): Form.Form => {
  const names: Readonly<Record<string, string | undefined>> = fields
  const called = collectData.fields.map((each) => ({ ...each, name: names[each.id] ?? each.name }))
  return Form.make({ ...collectData, fields: called })
}

/** The last screen: a symbol, what happened, and what to do. */
const Ended = (props: {
  readonly kind: "good" | "bad"
  readonly title: string
  readonly text: string
}): JSX.Element => {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <section class={`ended ${props.kind}`}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={props.kind === "good" ? "M5 12.5l4.5 4.5L19 7.5" : "M12 6v7m0 4v.5"} />
      </svg>
      <h1 tabIndex={-1} ref={title}>
        {props.title}
      </h1>
      <p class="lead">{props.text}</p>
    </section>
  )
}

const Screen = ({ catalogue, page, prefill }: Props): JSX.Element => {
  const { texts } = catalogue
  const [state, setState] = useState(() => stateOf(page))
  useEffect(() => {
    const message = messageOf(texts, state)
    if (message !== undefined) Bridges.post(window, message)
  }, [texts, state])
  const collectData = page.page === "absent" ? null : page.collectData
  const form = useMemo(() => collectData && formOf(texts, collectData), [texts, collectData])
  const complaints = useMemo(
    () => (form === null ? new Map<string, string>() : complaintsOf(texts, form, state)),
    [texts, form, state],
  )

  if (state._tag === "Stored") {
    return <Ended kind="good" title={texts.doneTitle} text={texts.done} />
  }
  if (state._tag === "Closed") {
    return <Ended kind="bad" title={texts.closedTitle} text={texts.closed[state.status]} />
  }
  if (state._tag === "Absent" || page.page === "absent" || form === null) {
    return <Ended kind="bad" title={texts.absentTitle} text={texts.absent} />
  }
  const submit = (fields: ReadonlyArray<Option.CollectedField>) => {
    setState({ _tag: "Sending" })
    void Submission.send(page, fields).then(setState)
  }
  return (
    <FormScreen
      catalogue={catalogue}
      page={page}
      form={form}
      prefill={prefill}
      isSending={state._tag === "Sending"}
      complaints={complaints}
      onSubmit={submit}
    />
  )
}

export const Collect = (props: Props): JSX.Element => (
  <>
    {props.page.page === "collect" && props.page.mode === "test" && (
      <p class="test">{props.catalogue.texts.test}</p>
    )}
    <Screen {...props} />
  </>
)
