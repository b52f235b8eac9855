/**
 * The form as the payer sees it.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { CollectMessages } from "../messages/CollectMessages.ts"
import type { Catalogue } from "../messages/Messages.ts"
import * as Countries from "./Countries.ts"
import * as Form from "./Form.ts"

/** Errors by the id of a control. Errors of the whole form have another id. */
export type Complaints = ReadonlyMap<string, string>

interface FormScreenProps {
  readonly catalogue: Catalogue<CollectMessages>
  readonly page: HostedPage.Collect
  readonly form: Form.Form
  readonly prefill: Form.Values
  readonly isSending: boolean
  /** The service's own errors, after it refused the data. */
  readonly complaints: Complaints
  readonly onSubmit: (fields: ReadonlyArray<Option.CollectedField>) => void
}

const complaintOf = (texts: CollectMessages, control: Form.Control, fault: Form.Fault): string => {
  switch (fault) {
    case "tooShort":
      return texts.tooShort(control.name, control.minLength)
    case "tooLong":
      return texts.tooLong(control.name, control.maxLength)
    case "notAccepted":
      return texts.notAccepted
    default:
      return texts[fault](control.name)
  }
}

const errorId = (id: string) => `${id}-error`

/** One control with its label and its error. */
const Field = (props: {
  readonly control: Form.Control
  readonly isNeeded: boolean
  readonly value: string
  readonly complaint: string | undefined
  readonly catalogue: Catalogue<CollectMessages>
  readonly onValue: (value: string) => void
}): JSX.Element => {
  const { catalogue, complaint, control, isNeeded, onValue, value } = props
  const { id, name, type } = control
  const { language, texts } = catalogue
  const countries = useMemo(
    () => (type === "country" ? Countries.listNamed(language) : []),
    [language, type],
  )
  const common = {
    id,
    name: id,
    required: isNeeded,
    "aria-invalid": complaint !== undefined,
    "aria-describedby": complaint === undefined ? undefined : errorId(id),
  }
  const error =
    complaint === undefined ? null : (
      <p class="error" id={errorId(id)}>
        {complaint}
      </p>
    )
  if (type === "checkbox") {
    return (
      <div class="field">
        <label class="tick">
          <input
            {...common}
            type="checkbox"
            checked={value === "true"}
            onChange={(event) => onValue(event.currentTarget.checked ? "true" : "")}
          />
          <span>{name}</span>
        </label>
        {error}
      </div>
    )
  }
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {type === "country" ? (
        <select {...common} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          <option value="">{texts.chooseCountry}</option>
          {countries.map((country) => (
            <option key={country.code} value={country.code}>
              {country.name}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          {...(type === "text" ? { type, dir: "auto" } : { type })}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
      {error}
    </div>
  )
}

/** All errors in one place that is read out. Each line links to its field. */
const Summary = (props: {
  readonly title: string
  readonly complaints: Complaints
  readonly isControl: (id: string) => boolean
}): JSX.Element => {
  const summary = useRef<HTMLDivElement>(null)
  useEffect(() => summary.current?.focus(), [props.complaints])
  return (
    <div class="summary" role="alert" tabIndex={-1} ref={summary}>
      <h2>{props.title}</h2>
      <ul>
        {Array.from(props.complaints, ([id, complaint]) => (
          <li key={id}>
            {props.isControl(id) ? (
              <a
                href={`#${id}`}
                onClick={(event) => {
                  event.preventDefault()
                  document.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.focus()
                }}
              >
                {complaint}
              </a>
            ) : (
              complaint
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

export const FormScreen = (props: FormScreenProps): JSX.Element => {
  const { catalogue, form, isSending, page } = props
  const { texts } = catalogue
  const [values, setValues] = useState(() => Form.keepPrefilled(form, props.prefill))
  const [chosen, setChosen] = useState(() => Form.likeliest(form, values))
  const [complaints, setComplaints] = useState(props.complaints)
  useEffect(() => setComplaints(props.complaints), [props.complaints])

  const needed = new Set(form.alternatives[chosen])
  const lists = useMemo(
    () => new Intl.ListFormat(catalogue.language, { type: "conjunction" }),
    [catalogue.language],
  )

  const submit = (event: Event) => {
    event.preventDefault()
    if (isSending) return
    const faults = Form.faults(form, values, chosen)
    setComplaints(
      new Map(
        Array.from(faults, ([control, fault]) => [control.id, complaintOf(texts, control, fault)]),
      ),
    )
    if (faults.size === 0) props.onSubmit(Form.submission(form, values, chosen))
  }

  const fieldOf = (control: Form.Control) => (
    <Field
      key={control.id}
      control={control}
      isNeeded={control.required || needed.has(control)}
      value={values.get(control.id) ?? ""}
      complaint={complaints.get(control.id)}
      catalogue={catalogue}
      onValue={(value) => setValues((before) => new Map(before).set(control.id, value))}
    />
  )

  const alternatives = (
    <fieldset key="alternatives">
      <legend>{texts.oneOfThese}</legend>
      {form.alternatives.map((controls, index) => (
        <label class="tick" key={controls.map(({ id }) => id).join(" ")}>
          <input
            type="radio"
            name="alternative"
            checked={index === chosen}
            onChange={() => {
              setChosen(index)
              setComplaints(new Map())
            }}
          />
          <span>{lists.format(controls.map(({ name }) => name))}</span>
        </label>
      ))}
      {(form.alternatives[chosen] ?? []).map(fieldOf)}
    </fieldset>
  )

  const readable = [
    { href: page.termsUrl, text: texts.terms },
    { href: page.privacyUrl, text: texts.privacy },
  ]

  const rows = Form.rows(form)
  const isTick = (row: (typeof rows)[number]) => row !== "alternatives" && row.type === "checkbox"
  const draw = (row: (typeof rows)[number]) =>
    row === "alternatives" ? alternatives : fieldOf(row)

  return (
    <form noValidate aria-busy={isSending} onSubmit={submit}>
      <h1>{texts.title}</h1>
      <p class="lead">{texts.lead(page.merchantName)}</p>
      {complaints.size > 0 && (
        <Summary
          title={texts.problems(complaints.size)}
          complaints={complaints}
          isControl={(id) => form.controls.some((control) => control.id === id)}
        />
      )}
      {rows.filter((row) => !isTick(row)).map(draw)}
      <div class="terms">
        <nav aria-label={texts.toRead}>
          {readable.map(({ href, text }) => (
            <a key={text} href={href} target="_blank" rel="noopener noreferrer">
              {text}
              <span class="unseen"> ({texts.newWindow})</span>
            </a>
          ))}
        </nav>
        {rows.filter(isTick).map(draw)}
      </div>
      <button type="submit" aria-disabled={isSending}>
        {isSending ? texts.sending : texts.send}
      </button>
      <p class="unseen" role="status">
        {isSending ? texts.sending : ""}
      </p>
    </form>
  )
}
