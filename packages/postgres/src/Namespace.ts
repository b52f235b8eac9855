/**
 * The PostgreSQL schema that has a service's tables, so that a shop's own tables of the same names are next to them in
 * its database, and those of another service too.
 *
 * Statements name it as `florin.payments`. For another name, the client replaces it in each template once.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"

const usual = "florin"

/** The name of the schema (default: `florin`). */
export const Name = Context.Reference<string>("@florin/postgres/Namespace/Name", {
  defaultValue: () => usual,
})

/** The schema cannot have this name. */
export class NameUnusable extends Schema.TaggedError<NameUnusable>()("NameUnusable", {
  message: Schema.String,
}) {
  static readonly of = () =>
    new NameUnusable({
      message:
        "The name of the schema in the database cannot be used: take at most 40 lower-case letters, digits and underscores, beginning with a letter, and neither public, information_schema nor pg_…",
    })
}

/** The name, if it needs no escape in any statement, and leaves room for the name of the channel. */
export const requireUsable = (name: string): Effect.Effect<string, NameUnusable> =>
  /^(?!pg_|public$|information_schema$)[a-z][a-z0-9_]{0,39}$/u.test(name)
    ? Effect.succeed(name)
    : Effect.fail(NameUnusable.of())

/** A statement for the schema of this name. It is quoted, because it may be a word of SQL. */
export const qualify =
  (name: string) =>
  (statement: string): string =>
    name === usual ? statement : statement.replaceAll(/\bflorin\./gu, `"${name}".`)

export const isTemplate = (value: unknown): value is TemplateStringsArray =>
  Array.isArray(value) && "raw" in value

/** The client with its statements for the schema of this name. */
export const qualified = <C extends SqlClient>(sql: C, name: string): C => {
  if (name === usual) return sql
  const known = new WeakMap<TemplateStringsArray, TemplateStringsArray>()
  const of = (template: TemplateStringsArray): TemplateStringsArray => {
    const earlier = known.get(template)
    if (earlier !== undefined) return earlier
    const own = Object.assign(template.map(qualify(name)), { raw: template.raw })
    known.set(template, own)
    return own
  }
  return new Proxy(sql, {
    apply: (target, self, [first, ...values]: ReadonlyArray<unknown>) =>
      Reflect.apply(target, self, [isTemplate(first) ? of(first) : first, ...values]),
  })
}
