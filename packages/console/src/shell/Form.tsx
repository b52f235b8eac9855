/**
 * Forms: fields with their errors, and a submission that keeps what was typed.
 *
 * @module
 */
import { Refused } from "@florin/client"
import type { ComponentChildren } from "preact"
import { useId, useState } from "preact/hooks"
import type { Options } from "./Filter.ts"
import { ProblemNote } from "./Problem.tsx"

type Kind = "text" | "password" | "email" | "url" | "datetime-local" | "color" | "select" | "checks"

interface Attributes {
  readonly inputMode?: "decimal" | "numeric"
  readonly maxLength?: number
  readonly placeholder?: string
}

/** The description of a field. Its name is that of the API, so that the service's own messages about it stand at it. */
export interface FieldOf extends Attributes {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** A line of text, one of a few values, several of them, or a color. */
  readonly kind?: Kind
  readonly options?: Options
  readonly initial?: string
  /** What is wrong with a value. It is said once the person tried, or while they type. */
  readonly wrong?: (value: string) => string | undefined
  readonly isEager?: boolean
}

/** One of a few values, by default the first. */
export const select = (
  name: string,
  label: string,
  options: Options,
  more: Pick<FieldOf, "hint" | "initial" | "wrong"> = {},
): FieldOf => ({ name, label, kind: "select", options, ...more })

/** What is said of a field that must not be empty. */
export const required = (error: string) => (value: string) =>
  value.trim() === "" ? error : undefined

/** Preact has one type of attributes for each type of input, and here it is not known which one it is. */
const untyped = (attributes: object): object => attributes

/** One of a few values. */
export const Select = ({
  options,
  onValue,
  attributes,
}: {
  readonly options: Options
  readonly onValue: (value: string) => void
  readonly attributes: object
}) => (
  <select {...attributes} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
    {options.map(([each, name]) => (
      <option key={each} value={each}>
        {name}
      </option>
    ))}
  </select>
)

/** A field. The values of one of checks are joined by spaces. */
const Field = ({
  field,
  value,
  error,
  onValue,
}: {
  readonly field: FieldOf
  readonly value: string
  readonly error: string | undefined
  readonly onValue: (value: string) => void
}) => {
  const id = useId()
  const { hint, inputMode, kind = "text", label, maxLength, options = [], placeholder } = field
  const note = error ?? hint
  if (kind === "checks") {
    const values = value.split(" ").filter((each) => each !== "")
    return (
      <fieldset class="checks">
        <legend>{label}</legend>
        {hint !== undefined && <p class="note">{hint}</p>}
        {options.map(([each, name]) => (
          <label key={each}>
            <input
              type="checkbox"
              checked={values.includes(each)}
              onChange={({ currentTarget: { checked } }) => {
                const others = values.filter((one) => one !== each)
                onValue((checked ? [...others, each] : others).join(" "))
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
    )
  }
  const attributes = untyped({
    id,
    value,
    ...(note !== undefined && { "aria-describedby": `${id}-note` }),
    ...(error !== undefined && { "aria-invalid": "true" }),
  })
  const input = (
    <input
      autoComplete="off"
      spellcheck={false}
      {...untyped({ type: kind, inputMode, maxLength, placeholder })}
      {...attributes}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "select" ? (
        <Select options={options} onValue={onValue} attributes={attributes} />
      ) : kind === "color" ? (
        <span class="swatch">
          {input}
          <code>{value}</code>
        </span>
      ) : (
        input
      )}
      {note !== undefined && (
        <p id={`${id}-note`} class={error === undefined ? "note" : "error"}>
          {note}
        </p>
      )}
    </div>
  )
}

export interface Submission {
  readonly isBusy: boolean
  readonly error: unknown
  /** The server's message about a field, by the name that the API has for it. */
  readonly issue: (field: string) => string | undefined
  readonly submit: (run: () => Promise<void>) => void
}

export const useSubmission = (): Submission => {
  const [state, setState] = useState<Pick<Submission, "isBusy" | "error">>({
    isBusy: false,
    error: undefined,
  })
  return {
    ...state,
    issue: (field) =>
      state.error instanceof Refused
        ? state.error.issues.find((issue) => issue.field === field)?.message
        : undefined,
    submit: (run) => {
      if (state.isBusy) return
      setState({ isBusy: true, error: undefined })
      run().then(
        () => setState({ isBusy: false, error: undefined }),
        (error: unknown) => setState({ isBusy: false, error }),
      )
    },
  }
}

/** Reads a field by its name. */
export type Get = (name: string) => string

/** Fields by their descriptions, which may depend on what was typed, with their values and their submission. */
export const useFields = (fieldsOf: (typed: Get) => ReadonlyArray<FieldOf>) => {
  const [typed, setTyped] = useState<{ readonly [name: string]: string }>({})
  const [isTried, setIsTried] = useState(false)
  const submission = useSubmission()
  const fields = fieldsOf((name) => typed[name] ?? "")
  const get: Get = (name) => {
    const field = fields.find((each) => each.name === name)
    if (field?.kind !== "select") return typed[name] ?? field?.initial ?? ""
    // What was chosen counts as long as it can be chosen.
    const { initial, options = [] } = field
    const wanted = [typed[name], initial, options[0]?.[0]]
    return wanted.find((value) => options.some(([each]) => each === value)) ?? ""
  }
  const set = (values: typeof typed) => setTyped((was) => ({ ...was, ...values }))
  const show = (field: FieldOf) => {
    const { isEager = false, name, wrong } = field
    const own = isTried || isEager ? wrong?.(get(name)) : undefined
    return (
      <Field
        key={name}
        field={field}
        value={get(name)}
        error={own ?? submission.issue(name)}
        onValue={(value) => set({ [name]: value })}
      />
    )
  }
  return {
    get,
    set,
    clear: () => setTyped({}),
    /** The names of fields whose value is not what it was at first. */
    changed: fields
      .filter(({ initial = "", name }) => get(name) !== initial)
      .map(({ name }) => name),
    submission,
    /** All fields, or those with these names, in their order. */
    shown: fields.map(show),
    only: (...names: ReadonlyArray<string>) =>
      names.flatMap((wanted) => fields.filter(({ name }) => name === wanted)).map(show),
    /** Runs it if nothing is wrong with the values. */
    submit: (run: () => Promise<void>) => {
      setIsTried(true)
      if (fields.every(({ name, wrong }) => wrong?.(get(name)) === undefined)) {
        submission.submit(() => run().then(() => setIsTried(false)))
      }
    },
  }
}

/** A form with its button. Nothing that was typed is lost if it fails. */
export const Form = ({
  of: { submission, submit },
  action,
  isDangerous = false,
  isReady = true,
  run,
  children,
}: {
  readonly of: Pick<ReturnType<typeof useFields>, "submission" | "submit">
  readonly action: string
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  readonly run: () => Promise<void>
  readonly children: ComponentChildren
}) => (
  <form
    class="form"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      if (isReady) submit(run)
    }}
  >
    {children}
    {submission.error !== undefined && <ProblemNote error={submission.error} />}
    <button
      class={`button${isDangerous ? " dangerous" : ""}`}
      type="submit"
      disabled={!isReady}
      aria-busy={submission.isBusy}
    >
      {action}
    </button>
  </form>
)
