/**
 * The form as data: which controls it has, what is wrong with what they hold, and what is sent. All of it comes from the
 * fields and the JSON Schema that the server gives, and the page has no list of its own.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import * as Countries from "./Countries.ts"

/** A field with what the schema says about it. */
export interface Control {
  readonly id: string
  readonly name: string
  readonly type: "text" | "date" | "checkbox" | "country"
  readonly required: boolean
  readonly minLength: number
  readonly maxLength: number
  readonly pattern: RegExp | undefined
  /** The only value that it may have. */
  readonly constant: string | undefined
}

/** Controls of which all are needed, where one such group among several will do. */
type Alternative = ReadonlyArray<Control>

export interface Form {
  readonly controls: ReadonlyArray<Control>
  /** None, or at least two. */
  readonly alternatives: ReadonlyArray<Alternative>
}

/** By a control's id; a checkbox holds `true` or nothing. */
export type Values = ReadonlyMap<string, string>

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

const objectIn = (value: unknown) => (isObject(value) ? value : {})
const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const countryPattern = "^[A-Z]{2}$"

/** A pattern that this browser cannot read is left to the server. */
const patternIn = (value: unknown): RegExp | undefined => {
  try {
    return typeof value === "string" ? new RegExp(value, "u") : undefined
  } catch {
    return undefined
  }
}

const controlOf = (field: Option.Field, property: { readonly [key: string]: unknown }): Control => {
  const { maxLength, minLength, pattern } = property
  const isDate = property["format"] === "date"
  const text = pattern === countryPattern ? "country" : isDate ? "date" : field.type
  return {
    id: field.id,
    name: field.name,
    type: field.type === "text" ? text : field.type,
    required: field.required,
    minLength: typeof minLength === "number" ? minLength : 0,
    maxLength: typeof maxLength === "number" ? maxLength : Infinity,
    pattern: patternIn(pattern),
    constant: "const" in property ? String(property["const"]) : undefined,
  }
}

/** Reads the form out of what the server gives. */
export const make = ({ fields, schema }: NonNullable<HostedPage.Collect["collectData"]>): Form => {
  const properties = objectIn(schema["properties"])
  const controls = fields.map((field) => controlOf(field, objectIn(properties[field.id])))
  const alternatives = listIn(schema["anyOf"])
    .map((part) => listIn(objectIn(part)["required"]))
    .map((ids) => controls.filter(({ id }) => ids.includes(id)))
  return { controls, alternatives: alternatives.length > 1 ? alternatives : [] }
}

/** What stands on the page from top to bottom; `alternatives` is where the payer chooses. */
export const rows = ({ alternatives, controls }: Form): ReadonlyArray<Control | "alternatives"> => {
  const choosable = new Set(alternatives.flat())
  const first = controls.find((control) => choosable.has(control))
  return controls
    .filter((control) => control === first || !choosable.has(control))
    .map((control) => (control === first ? "alternatives" : control))
}

/** The controls that count while the payer has chosen this alternative, in their order. */
const asked = (form: Form, chosen: number): ReadonlyArray<Control> => {
  const others = new Set(form.alternatives.flat())
  for (const control of form.alternatives[chosen] ?? []) others.delete(control)
  return form.controls.filter((control) => !others.has(control))
}

/** Why a control's value will not do. */
export type Fault = "missing" | "notAccepted" | "tooShort" | "tooLong" | "notADate" | "malformed"

const isDate = (value: string): boolean => {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u.test(value)) return false
  const time = Date.parse(`${value}T00:00:00.000Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

/** Lengths are counted in characters, as JSON Schema does, and not in the units of JavaScript. */
const lengthOf = (value: string): number => Array.from(value).length

/** What is wrong with a value that is there. */
const faultOfValue = (control: Control, value: string): Fault | undefined => {
  if (control.constant !== undefined && value !== control.constant) return "malformed"
  if (control.type === "date") return isDate(value) ? undefined : "notADate"
  if (control.type === "country" && !Countries.codes.includes(value)) return "malformed"
  if (lengthOf(value) < control.minLength) return "tooShort"
  if (lengthOf(value) > control.maxLength) return "tooLong"
  return control.pattern?.test(value) === false ? "malformed" : undefined
}

/** The faults of all controls that are asked for. Nothing may be sent while there is one. */
export const faults = (form: Form, values: Values, chosen: number): ReadonlyMap<Control, Fault> => {
  const needed = new Set(form.alternatives[chosen])
  const found = new Map<Control, Fault>()
  for (const control of asked(form, chosen)) {
    const value = values.get(control.id) ?? ""
    const absent = control.required || needed.has(control) ? "missing" : undefined
    const fault = value.trim() === "" ? absent : faultOfValue(control, value)
    if (fault !== undefined) found.set(control, control.type === "checkbox" ? "notAccepted" : fault)
  }
  return found
}

/** What is sent: the controls that are asked for and hold something. */
export const submission = (
  form: Form,
  values: Values,
  chosen: number,
): ReadonlyArray<Option.CollectedField> =>
  asked(form, chosen).flatMap(({ id }) => {
    const value = values.get(id) ?? ""
    return value === "" ? [] : [{ id, value }]
  })

/** Keeps of a prefill what is a control's and fits it. Nobody accepts anything in advance. */
export const prefilled = (form: Form, prefill: Values): Values =>
  new Map(
    form.controls.flatMap((control) => {
      const value = prefill.get(control.id)
      return value === undefined || control.type === "checkbox" || faultOfValue(control, value)
        ? []
        : [[control.id, value] as const]
    }),
  )

/** The alternative of which most is known. */
export const likeliest = ({ alternatives }: Form, values: Values): number => {
  const known = alternatives.map((controls) => controls.filter(({ id }) => values.has(id)).length)
  return Math.max(0, known.indexOf(Math.max(...known)))
}
