/**
 * Forms: fields with their errors, and a submission that keeps what was typed.
 *
 * @module
 */
import { Refused } from "@florin/client"
import type { ComponentChildren } from "preact"
import { useId, useRef, useState } from "preact/hooks"
import { ProblemNote } from "./Problem.tsx"

/** Values with their names, in order. */
export type Options = ReadonlyArray<readonly [value: string, name: string]>

/** A label with its field and its error. */
export const Field = ({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly children: (attributes: {
    readonly id: string
    readonly "aria-describedby"?: string
    readonly "aria-invalid"?: "true"
  }) => ComponentChildren
}) => {
  const id = useId()
  const note = error ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(note !== undefined && { "aria-describedby": `${id}-note` }),
        ...(error !== undefined && { "aria-invalid": "true" as const }),
      })}
      {note !== undefined && (
        <p id={`${id}-note`} class={error === undefined ? "note" : "error"}>
          {note}
        </p>
      )}
    </div>
  )
}

interface InputProps {
  readonly type?: "text" | "password" | "email" | "url" | "date" | "datetime-local" | "color"
  readonly inputMode?: "decimal" | "numeric"
  readonly maxLength?: number
  readonly placeholder?: string
}

/** Preact has one type of attributes for each type of input, and here it is not known which one it is. */
const untyped = (attributes: InputProps): object => attributes

/** A line of text. */
export const TextField = ({
  label,
  hint,
  error,
  value,
  onValue,
  ...rest
}: InputProps & {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly value: string
  readonly onValue: (value: string) => void
}) => (
  <Field label={label} hint={hint} error={error}>
    {(attributes) => (
      <input
        type="text"
        autoComplete="off"
        spellcheck={false}
        {...untyped(rest)}
        {...attributes}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
)

/** One of a few values. */
export const SelectField = ({
  label,
  hint,
  error,
  value,
  options,
  onValue,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly value: string
  readonly options: Options
  readonly onValue: (value: string) => void
}) => (
  <Field label={label} hint={hint} error={error}>
    {(attributes) => (
      <select
        {...attributes}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** Several of a few values. */
export const CheckField = ({
  legend,
  hint,
  values,
  options,
  onValues,
}: {
  readonly legend: string
  readonly hint?: string | undefined
  readonly values: ReadonlyArray<string>
  readonly options: Options
  readonly onValues: (values: ReadonlyArray<string>) => void
}) => (
  <fieldset class="checks">
    <legend>{legend}</legend>
    {hint !== undefined && <p class="note">{hint}</p>}
    {options.map(([each, name]) => (
      <label key={each}>
        <input
          type="checkbox"
          checked={values.includes(each)}
          onChange={({ currentTarget: { checked } }) =>
            onValues(checked ? [...values, each] : values.filter((one) => one !== each))
          }
        />
        {name}
      </label>
    ))}
  </fieldset>
)

const keyBytes = 16

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(keyBytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")

/** An idempotency key that stays the same while the same thing is asked for, and is another for anything else. */
export const useOnce = (): ((body: object) => string) => {
  const last = useRef({ text: "", key: "" })
  return (body) => {
    const text = JSON.stringify(body)
    if (last.current.text !== text) last.current = { text, key: newKey() }
    return last.current.key
  }
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

/** A form with its button. Nothing that was typed is lost if it fails. */
export const Form = ({
  action,
  isDangerous = false,
  isReady = true,
  onSubmit,
  submission,
  children,
}: {
  readonly action: string
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  readonly onSubmit: () => void
  readonly submission: Submission
  readonly children: ComponentChildren
}) => (
  <form
    class="form"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      if (isReady) onSubmit()
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

/** Reads a field by its name. The values of a field of checks are joined by spaces. */
export type Get = (name: string) => string

/** The description of a field. Its name is that of the API, so that the service's own messages about it stand at it. */
export interface FieldOf extends Omit<InputProps, "type"> {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly kind?: NonNullable<InputProps["type"]> | "select" | "checks"
  readonly options?: Options
  readonly initial?: string
  /** What is wrong with a value. It is said once the person tried, or while they type. */
  readonly wrong?: (value: string) => string | undefined
  readonly isEager?: boolean
}

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
    const [found] = [typed[name], initial, options[0]?.[0]].filter((value) =>
      options.some(([each]) => each === value),
    )
    return found ?? ""
  }
  const wrong = ({ name, wrong: of }: FieldOf) => of?.(get(name))
  const show = ({ hint, initial: _, isEager = false, kind, label, name, ...field }: FieldOf) => {
    const { options = [], wrong: of, ...rest } = field
    const error = (isTried || isEager ? of?.(get(name)) : undefined) ?? submission.issue(name)
    const value = get(name)
    const onValue = (next: string) => setTyped((was) => ({ ...was, [name]: next }))
    const own = { key: name, label, hint, error, value, onValue }
    if (kind === "select") return <SelectField {...own} options={options} />
    if (kind === "checks") {
      return (
        <CheckField
          key={name}
          legend={label}
          hint={hint}
          options={options}
          values={value.split(" ").filter((each) => each !== "")}
          onValues={(values) => onValue(values.join(" "))}
        />
      )
    }
    if (kind === "color") {
      return (
        <Field key={name} label={label} error={error}>
          {(attributes) => (
            <span class="swatch">
              <input
                type="color"
                {...attributes}
                value={value}
                onInput={({ currentTarget }) => onValue(currentTarget.value)}
              />
              <code>{value}</code>
            </span>
          )}
        </Field>
      )
    }
    return <TextField {...own} {...rest} {...(kind !== undefined && { type: kind })} />
  }
  return {
    get,
    set: (values: typeof typed) => setTyped((was) => ({ ...was, ...values })),
    clear: () => {
      setTyped({})
      setIsTried(false)
    },
    submission,
    /** All fields, or those with these names. */
    shown: fields.map(show),
    only: (...names: ReadonlyArray<string>) =>
      fields.filter(({ name }) => names.includes(name)).map(show),
    /** Runs it if nothing is wrong with the values. */
    submit: (run: () => Promise<void>) => {
      setIsTried(true)
      if (fields.every((field) => wrong(field) === undefined)) submission.submit(run)
    },
  }
}
