/**
 * What follows for a command from its endpoint: parameters of the path are arguments, members of the query and the body
 * are flags, and the help says what the contract says.
 *
 * @module
 */
import * as Access from "@florin/api/operator/Endpoint"
import * as Text from "@florin/api/wire/Text"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Asked from "../access/Asked.ts"
import type * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"

/** The parts of an endpoint that name what it takes. */
export interface Endpoint {
  readonly annotations: Context.Context<never>
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: ReadonlyMap<string, { readonly schemas: ReadonlyArray<Schema.Top> }>
}

export type Read = Option.Option<Schema.Json>

const membersOf = (schema: Schema.Top | undefined) =>
  schema !== undefined && SchemaAST.isObjects(schema.ast) ? schema.ast.propertySignatures : []

const bodyOf = (payload: Endpoint["payload"]): Schema.Top | undefined =>
  payload.get("application/json")?.schemas[0]

/** On the command line, what is null on the wire is a word. */
const withoutNull = (text: string, word = "none"): string =>
  text.replaceAll(/\bnull\b/giu, `\`${word}\``)

/** The word of null, as the contract says it. */
const nullWordOf = (ast: SchemaAST.AST): string => {
  const word = SchemaAST.resolveAt<unknown>(Text.nullWord)(ast)
  return typeof word === "string" ? word : "none"
}

/** A description as the help writes it: that of the value, what null means, and what is usual. */
const descriptionOf = (ast: SchemaAST.AST): string => {
  const some = nullable(ast)
  const usual = SchemaAST.resolveAt<unknown>("default")(ast)
  const said = [
    some && SchemaAST.resolveDescription(some),
    SchemaAST.resolveDescription(ast),
    ast.context?.annotations?.["description"],
  ].filter((text) => typeof text === "string")
  const text = withoutNull(said.join(". "), nullWordOf(ast))
  return text + (usual === undefined ? "" : ` (default: ${String(usual)})`)
}

/** On the command line, members are flags. */
const inFlags = (text: string, names: ReadonlySet<string>): string =>
  text.replaceAll(/`(\w+)`/gu, (quoted, name: string) =>
    names.has(name) ? Asked.flagOf(name) : quoted,
  )

const namesOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  membersOf(schema).map(({ name }) => String(name))

/** What the help says of a command: its own words or else those of its endpoint, what it adds, and what a key needs. */
export const textsOf = (
  { annotations, payload, query }: Endpoint,
  { adds, description, does }: Described.Texts & { readonly adds?: string },
): Pick<Described.Texts, "description" | "does"> => {
  const said = <K>(key: Context.Key<K, string>): string =>
    Context.getOrUndefined(annotations, key) ?? ""
  const access = Access.textOf(annotations)
  const line = does ?? said(OpenApi.Summary).replace(/^Get\b/u, "Show")
  const contract = inFlags(
    withoutNull(said(OpenApi.Description).replace(access, "").trim()),
    new Set([query, bodyOf(payload)].flatMap(namesOf)),
  ).replaceAll(/\bReturns\b/gu, "Shows")
  const words = [description ?? `${line}. ${contract}`, adds, access]
  return { does: line, description: words.filter(Boolean).join(" ") }
}

/** The words of a choice; undefined for everything else. */
const wordsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  if (!SchemaAST.isUnion(ast)) return undefined
  const words = ast.types.flatMap((each) =>
    SchemaAST.isLiteral(each) && typeof each.literal === "string" ? [each.literal] : [],
  )
  return words.length === ast.types.length ? words : undefined
}

/** What may be null on the wire, without null. */
const nullable = (ast: SchemaAST.AST): SchemaAST.AST | undefined => {
  if (!SchemaAST.isUnion(ast) || !ast.types.some(SchemaAST.isNull)) return undefined
  return ast.types.find((each) => !SchemaAST.isNull(each))
}

/** A longer placeholder leaves no room for what is said about the flag. */
const metavarMax = 20

const formats: Readonly<Record<string, string>> = { "date-time": "TIME", date: "DAY", uri: "URL" }

/** The placeholder of a value: a short example of the contract, if it has one. */
const metavarOf = (name: string, ast: SchemaAST.AST): string => {
  const [example] = SchemaAST.resolveAt<ReadonlyArray<unknown>>("examples")(ast) ?? []
  if (typeof example === "string" && example.length <= metavarMax) {
    return example.includes(" ") ? `"${example}"` : example
  }
  const format = SchemaAST.resolveAt<string>("format")(ast) ?? ""
  return formats[format] ?? (/(?<!reference)Id$/u.test(name) ? "ID" : "TEXT")
}

/** A flag for one member; undefined for a record, which a command takes apart itself. */
const flagOf = (
  name: string,
  ast: SchemaAST.AST,
  names: ReadonlySet<string>,
): Flag.Flag<Schema.Json> | undefined => {
  const flag = Asked.flagOf(name).replace(/^--/u, "")
  const about = inFlags(descriptionOf(ast), names)
  const some = nullable(ast)
  const ofNull = nullWordOf(ast)
  const orNull = (text: string): string | null =>
    some !== undefined && text === ofNull ? null : text
  const words = wordsOf(some ?? ast)
  if (words !== undefined) {
    const all = some === undefined ? words : [...words, ofNull]
    return Flags.choice(flag, all, about).pipe(Flag.map(orNull))
  }
  if (SchemaAST.isBoolean(ast)) return Flag.Boolean(flag).pipe(Flag.withDescription(about))
  if (SchemaAST.isNumber(ast)) return Flag.Int(flag).pipe(Flag.withDescription(about))
  if (SchemaAST.isArrays(some ?? ast)) {
    return Flags.string(flag, "LIST", about).pipe(
      Flag.atLeast(1),
      Flag.map((texts) => {
        const [text = ""] = texts
        if (orNull(text) === null) return null
        return texts.flatMap((each) => each.split(",").map((one) => one.trim()))
      }),
    )
  }
  if (SchemaAST.isObjects(some ?? ast)) return undefined
  return Flags.string(flag, metavarOf(name, some ?? ast), about).pipe(Flag.map(orNull))
}

/** Flags for the members of a schema. */
export const ofSchema = (
  schema: Schema.Top | undefined,
  omitted: ReadonlyArray<string> = [],
): Readonly<Record<string, Flag.Flag<Read>>> => {
  const names = new Set(namesOf(schema))
  return Object.fromEntries(
    membersOf(schema)
      .filter(({ name }) => !omitted.includes(String(name)))
      .flatMap(({ name, type }) => {
        const flag = flagOf(String(name), type, names)
        if (flag === undefined) return []
        const read: Flag.Flag<Read> = SchemaAST.isOptional(type)
          ? Flag.optional(flag)
          : Flag.map(flag, Option.some)
        return [[String(name), read] as const]
      }),
  )
}

/** A parameter of the path. One that cannot be an id is refused before the call. */
const argumentOf = (name: string, ast: SchemaAST.AST): Argument.Argument<Read> => {
  const pattern = SchemaAST.resolveAt<string>("pattern")(ast) ?? ""
  const [, prefix = ""] = /^\^(\w+_)\[0-9A-Za-z\]/u.exec(pattern) ?? []
  return Flags.argument(name, descriptionOf(ast)).pipe(
    Argument.filter(
      (text) => prefix === "" || new RegExp(pattern, "u").test(text),
      () => `${prefix} and 1 to 64 letters or digits`,
    ),
    Argument.map((text): Read => Option.some(text)),
  )
}

/** The flags and arguments of an endpoint, without those that the command words itself; `named` have no flag. */
export const of = (
  { params, payload, query }: Endpoint,
  omitted: ReadonlyArray<string> | "all" = [],
  named: ReadonlyArray<string> = [],
): Readonly<Record<string, Flag.Flag<Read> | Argument.Argument<Read>>> => {
  const all = [query, bodyOf(payload)].flatMap(membersOf)
  const memberOf = (wanted: string) => {
    const found = all.find(({ name }) => name === wanted)
    if (found === undefined) throw new Error(`the endpoint takes no ${wanted}`)
    return found
  }
  const positional = [...membersOf(params), ...named.map(memberOf)]
  return {
    ...Object.fromEntries(
      positional.map(({ name, type }) => [String(name), argumentOf(String(name), type)]),
    ),
    ...(omitted === "all"
      ? {}
      : {
          ...ofSchema(query, [...omitted, ...named]),
          ...ofSchema(bodyOf(payload), [...omitted, ...named]),
        }),
  }
}

const isJson = Schema.is(Schema.Json)

/** The members of a request, from what was read. */
export const members = (read: object): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(read).flatMap(([name, value]: [string, unknown]) => {
      const given = Option.isOption(value) ? Option.getOrUndefined(value) : value
      return isJson(given) ? [[name, given] as const] : []
    }),
  )
