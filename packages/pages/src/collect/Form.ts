/**
 * The form as data: its controls, the faults of their values, and the submission. All of it comes from the fields and
 * the JSON Schema that the server sends. The page has no list of its own.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import * as Countries from "./Countries.ts"

/** A field, with its rules from the schema. */
export interface Control {
  readonly id: string
  readonly name: string
  readonly type: "text" | "date" | "checkbox" | "country"
  readonly required: boolean
  readonly minLength: number
  readonly maxLength: number
  readonly pattern: RegExp | undefined
  /** The only allowed value. */
  readonly constant: string | undefined
}

/** A group of controls. All of them are required if the payer chooses this group. */
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

/** If this browser cannot compile a pattern, only the server checks it. */
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

/** Makes the form from the server's fields and schema. */
export const make = ({ fields, schema }: NonNullable<HostedPage.Collect["collectData"]>): Form => {
  const properties = objectIn(schema["properties"])
  const controls = fields.map((field) => controlOf(field, objectIn(properties[field.id])))
  const alternatives = listIn(schema["anyOf"])
    .map((part) => listIn(objectIn(part)["required"]))
    .map((ids) => controls.filter(({ id }) => ids.includes(id)))
  return { controls, alternatives: alternatives.length > 1 ? alternatives : [] }
}

/** The rows of the page from top to bottom; `alternatives` is where the payer chooses a group. */
export const rows = ({ alternatives, controls }: Form): ReadonlyArray<Control | "alternatives"> => {
  const choosable = new Set(alternatives.flat())
  const first = controls.find((control) => choosable.has(control))
  return controls
    .filter((control) => control === first || !choosable.has(control))
    .map((control) => (control === first ? "alternatives" : control))
}

/** The controls that apply when the payer has chosen this alternative, in their order. */
const asked = (form: Form, chosen: number): ReadonlyArray<Control> => {
  const others = new Set(form.alternatives.flat())
  for (const control of form.alternatives[chosen] ?? []) others.delete(control)
  return form.controls.filter((control) => !others.has(control))
}

/** Why a control's value is not accepted. */
export type Fault = "missing" | "notAccepted" | "tooShort" | "tooLong" | "notADate" | "malformed"

const isDate = (value: string): boolean => {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u.test(value)) return false
  const time = Date.parse(`${value}T00:00:00.000Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

/** Lengths are counted in characters, as in JSON Schema, and not in JavaScript's UTF-16 units. */
const lengthOf = (value: string): number => Array.from(value).length

/** The fault of a value that is not empty. */
const faultOfValue = (control: Control, value: string): Fault | undefined => {
  if (control.constant !== undefined && value !== control.constant) return "malformed"
  if (control.type === "date") return isDate(value) ? undefined : "notADate"
  if (control.type === "country" && !Countries.codes.includes(value)) return "malformed"
  if (lengthOf(value) < control.minLength) return "tooShort"
  if (lengthOf(value) > control.maxLength) return "tooLong"
  return control.pattern?.test(value) === false ? "malformed" : undefined
}

/** The faults of all controls that apply. Nothing may be sent while there is one. */
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

/** The submission: the controls that apply and have a value. */
export const submission = (
  form: Form,
  values: Values,
  chosen: number,
): ReadonlyArray<Option.CollectedField> =>
  asked(form, chosen).flatMap(({ id }) => {
    const value = values.get(id) ?? ""
    return value === "" ? [] : [{ id, value }]
  })

/** Keeps the values of a prefill that belong to a control and are valid. Terms cannot be accepted in advance. */
export const keepPrefilled = (form: Form, prefill: Values): Values =>
  new Map(
    form.controls.flatMap((control) => {
      const value = prefill.get(control.id)
      return value === undefined || control.type === "checkbox" || faultOfValue(control, value)
        ? []
        : [[control.id, value] as const]
    }),
  )

/** The alternative with the most known values. */
export const likeliest = ({ alternatives }: Form, values: Values): number => {
  const known = alternatives.map((controls) => controls.filter(({ id }) => values.has(id)).length)
  return Math.max(0, known.indexOf(Math.max(...known)))
}
