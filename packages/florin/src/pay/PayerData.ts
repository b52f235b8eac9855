/**
 * Data about the payer that a payment needs, entered in the terminal or read from a file. The service's own fields and
 * schema define what is asked for. The data goes to the service, and is neither printed nor stored.
 *
 * @module
 */
import type { CollectRequest, Collected } from "@florin/client"
import * as Countries from "@florin/pages/Countries"
import * as Form from "@florin/pages/Form"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../Failure.ts"
import * as Choice from "../terminal/Choice.ts"
import * as Printable from "../terminal/Printable.ts"
import type * as Prompt from "../terminal/Prompt.ts"

export type { Values } from "@florin/pages/Form"

/** The data that a payment needs. */
export type Needed = Pick<CollectRequest, "fields" | "schema" | "url">

const wrong: { readonly [F in Form.Fault]: (control: Form.Control) => string } = {
  missing: () => "is needed",
  notAccepted: () => "must be accepted before data is sent",
  tooShort: ({ minLength }) => `needs at least ${minLength} characters`,
  tooLong: ({ maxLength }) => `can have at most ${maxLength} characters`,
  notADate: () => "must be a date, written YYYY-MM-DD",
  malformed: ({ type }) =>
    type === "country"
      ? "must be a country, as two capital letters such as DE"
      : "does not have the required form",
}

const nameOf = ({ name }: Form.Control): string => Printable.from(name)

const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Literal(true)])),
  ),
)

/** The payer's data in a file, by the ids of fields. */
export const read = (path: string): Effect.Effect<Form.Values, Failure.CommandFailed> =>
  Option.match(decode(PrivateFile.read(path)), {
    onNone: () =>
      new Failure.CommandFailed({
        message: `${path} is not valid JSON with the payer's data: it must look like {"fullName": "…", "dob": "1990-12-31", "tosConfirmed": true}`,
      }),
    onSome: (data) =>
      Effect.succeed(new Map(Object.entries(data).map(([id, value]) => [id, String(value)]))),
  })

/** The part of a file that is sent; fails with a line for each field that does not fit. */
export const fit = (
  needed: Needed,
  values: Form.Values,
): Effect.Effect<NonNullable<Collected>, Failure.CommandFailed> => {
  const form = Form.make(needed)
  const chosen = Form.likeliest(form, values)
  const ids = form.controls.map(({ id }) => id)
  const complaints = [
    ...Array.from(
      Form.faults(form, values, chosen),
      ([control, fault]) => `${control.id}: ${nameOf(control)} ${wrong[fault](control)}`,
    ),
    ...(Array.from(values.keys()).every((id) => ids.includes(id))
      ? []
      : [`the file has an unknown field: use only ${ids.join(", ")}`]),
  ]
  return complaints.length === 0
    ? Effect.succeed({ fields: Form.submission(form, values, chosen) })
    : new Failure.CommandFailed({
        message: ["the data about the payer cannot be sent:", ...complaints].join("\n  "),
      })
}

const hints: { readonly [T in Form.Control["type"]]: string } = {
  text: "",
  date: " (YYYY-MM-DD)",
  country: " (its name, or two letters such as DE)",
  checkbox: " (yes or no)",
}

/** A person may write a country's name, or its code in lowercase letters. */
const countryOf = (typed: string): string => {
  const isTyped = (text: string) => text.toLowerCase() === typed.toLowerCase()
  return (
    Countries.listNamed("en").find(({ code, name }) => isTyped(code) || isTyped(name))?.code ??
    typed
  )
}

const valueOf = ({ type }: Form.Control, typed: string): string => {
  if (type === "country") return countryOf(typed)
  if (type !== "checkbox") return typed
  return /^y(?:es)?$/iu.test(typed) ? "true" : ""
}

/** Cursor keys arrive as text with control characters. */
const isTyping = (typed: string): boolean => !/\p{Cc}/u.test(typed)

const lists = new Intl.ListFormat("en", { type: "conjunction" })

/** Asks for each field; undefined if the payer stops. */
export const ask = async (needed: Needed, prompt: Prompt.Prompt): Promise<Collected> => {
  const form = Form.make(needed)
  const values = new Map<string, string>()
  let chosen = 0

  const askFor = async (control: Form.Control): Promise<boolean> => {
    const typed = await prompt.ask(`  ${nameOf(control)}${hints[control.type]}: `)
    if (typed === undefined) return false
    values.set(control.id, valueOf(control, typed))
    const fault = Form.faults(form, values, chosen).get(control)
    if (fault === undefined && isTyping(typed)) return true
    // An unchecked box is a valid response.
    if (control.type === "checkbox") return false
    const why = fault === undefined ? "has keys that are not text" : wrong[fault](control)
    prompt.say(`    ${nameOf(control)} ${why}.`)
    return askFor(control)
  }
  const askForAll = async ([first, ...rest]: ReadonlyArray<Form.Control>): Promise<boolean> =>
    first === undefined || ((await askFor(first)) && askForAll(rest))

  const choose = async (): Promise<boolean> => {
    prompt.say("\n  One of these:")
    for (const [index, controls] of form.alternatives.entries()) {
      prompt.say(`    ${index + 1}  ${lists.format(controls.map(nameOf))}`)
    }
    const count = form.alternatives.length
    const number = await Choice.ask(prompt, `  Which (1 to ${count})? `, count)
    chosen = (number ?? 1) - 1
    return number !== undefined && askForAll(form.alternatives[chosen] ?? [])
  }
  const askRows = async ([first, ...rest]: ReadonlyArray<
    Form.Control | "alternatives"
  >): Promise<boolean> => {
    if (first === undefined) return true
    return (await (first === "alternatives" ? choose() : askFor(first))) && askRows(rest)
  }

  const rows = Form.rows(form)
  const isTick = (row: (typeof rows)[number]) => row !== "alternatives" && row.type === "checkbox"
  prompt.say(
    "\n  The payment needs details about you. They are sent to the service and not stored here.",
  )
  if (!(await askRows(rows.filter((row) => !isTick(row))))) return undefined
  prompt.say(`\n  Terms and privacy policy, to read before: ${Printable.from(needed.url)}`)
  return (await askRows(rows.filter(isTick)))
    ? { fields: Form.submission(form, values, chosen) }
    : undefined
}
