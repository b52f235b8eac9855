/**
 * The views as the types of other libraries, from the one description of them.
 *
 * @module
 */
import * as Views from "./schema/Views.ts"

const camel = (name: string) =>
  name.replaceAll(/_(.)/gu, (_, letter: string) => letter.toUpperCase())
const pascal = (name: string) => camel(`_${name}`)
const quoted = (text: string) => JSON.stringify(text)

type Column = Views.Column

const words = ({ values }: Column): string | null => values?.map(quoted).join(" | ") ?? null

const commented = (indent: string, says: string) => `${indent}/** ${says}. */`

// --- SQL
const sql = (schema: string): string => {
  const table = ({ columns, name, says }: Views.View) => {
    const lines = columns.flatMap((column) => [
      `  -- ${column.says}`,
      `  ${column.name} ${column.type}${column.isNullable ? "" : " NOT NULL"}`,
    ])
    const last = lines.length - 1
    return [
      `-- ${says}`,
      `CREATE TABLE "${schema}".${name} (`,
      ...lines.map((line, index) => (index % 2 === 0 || index === last ? line : `${line},`)),
      ");",
    ].join("\n")
  }
  return [
    "-- For tools that read a schema from SQL, such as sqlc. Do not run it: `florin migrate` creates the views.",
    `CREATE SCHEMA "${schema}";`,
    ...Views.views.map(table),
  ].join("\n\n")
}

// --- Kysely
const inKysely: { readonly [T in Views.Type]: string } = {
  text: "string",
  numeric: "string",
  integer: "number",
  timestamptz: "Date",
  jsonb: "Record<string, string>",
  "text[]": "Array<string>",
}

const kysely = (schema: string): string => {
  const type = (column: Column) =>
    `${words(column) ?? inKysely[column.type]}${column.isNullable ? " | null" : ""}`
  const table = ({ columns, name, says }: Views.View) =>
    [
      commented("", says),
      `export interface ${pascal(name)} {`,
      ...columns.flatMap((column) => [
        commented("  ", column.says),
        `  ${column.name}: Read<${type(column)}>`,
      ]),
      "}",
    ].join("\n")
  return [
    'import type { ColumnType } from "kysely"',
    "/** The views are only read. */\ntype Read<T> = ColumnType<T, never, never>",
    ...Views.views.map(table),
    [
      "/** To add to the database of your own tables: `new Kysely<Database & FlorinViews>(…)`. */",
      "export interface FlorinViews {",
      ...Views.views.map(({ name }) => `  ${quoted(`${schema}.${name}`)}: ${pascal(name)}`),
      "}",
    ].join("\n"),
  ].join("\n\n")
}

// --- Drizzle
const inDrizzle: { readonly [T in Views.Type]: (name: string, column: Column) => string } = {
  text: (name, { values }) =>
    values === undefined
      ? `text(${name})`
      : `text(${name}, { enum: [${values.map(quoted).join(", ")}] })`,
  numeric: (name) => `numeric(${name})`,
  integer: (name) => `integer(${name})`,
  timestamptz: (name) => `timestamp(${name}, { withTimezone: true })`,
  jsonb: (name) => `jsonb(${name}).$type<Record<string, string>>()`,
  "text[]": (name) => `text(${name}).array()`,
}

const drizzle = (schema: string): string => {
  const view = ({ columns, name, says }: Views.View) =>
    [
      commented("", says),
      `export const ${name} = florin`,
      `  .view(${quoted(name)}, {`,
      ...columns.flatMap((column) => [
        commented("    ", column.says),
        `    ${camel(column.name)}: ${inDrizzle[column.type](quoted(column.name), column)}${column.isNullable ? "" : ".notNull()"},`,
      ]),
      "  })",
      "  .existing()",
    ].join("\n")
  return [
    'import { integer, jsonb, numeric, pgSchema, text, timestamp } from "drizzle-orm/pg-core"',
    `const florin = pgSchema(${quoted(schema)})`,
    ...Views.views.map(view),
  ].join("\n\n")
}

// --- Prisma
const inPrisma: { readonly [T in Views.Type]: string } = {
  text: "String",
  numeric: "Decimal",
  integer: "Int",
  timestamptz: "DateTime",
  jsonb: "Json",
  "text[]": "String[]",
}

const prisma = (schema: string): string => {
  const field = (column: Column) => {
    const name = camel(column.name)
    const attributes = [
      ...(name === "id" ? ["@unique"] : []),
      ...(name === column.name ? [] : [`@map(${quoted(column.name)})`]),
      ...(column.type === "timestamptz" ? ["@db.Timestamptz(6)"] : []),
      ...(column.type === "numeric" ? ["@db.Decimal"] : []),
    ]
    return [name, `${inPrisma[column.type]}${column.isNullable ? "?" : ""}`, ...attributes].join(
      " ",
    )
  }
  const view = ({ columns, name, says }: Views.View) =>
    [
      `/// ${says}.`,
      `view Florin${pascal(name)} {`,
      ...columns.flatMap((column) => [`  /// ${column.says}.`, `  ${field(column)}`]),
      "",
      `  @@map(${quoted(name)})`,
      `  @@schema(${quoted(schema)})`,
      "}",
    ].join("\n")
  return [
    [
      '// In your generator: previewFeatures = ["views"], with "multiSchema" before Prisma 6.13.',
      `// In your datasource: schemas = ["public", ${quoted(schema)}]; your own models need @@schema("public").`,
      "// Prisma 6.13 does not accept @unique in a view: use 6.14 or later.",
    ].join("\n"),
    ...Views.views.map(view),
  ].join("\n\n")
}

const written = { sql, drizzle, prisma, kysely }

export type Format = keyof typeof written

export const formats = [
  "sql",
  "drizzle",
  "prisma",
  "kysely",
] as const satisfies ReadonlyArray<Format>

const comment: { readonly [F in Format]: string } = {
  sql: "--",
  drizzle: "//",
  prisma: "//",
  kysely: "//",
}

/** The types of the views in a schema, as the text of a file. */
export const print = (format: Format, schema: string): string =>
  `${comment[format]} Written by \`florin generate ${format}\`: generate it again after an update of Florin.\n\n${written[format](schema)}\n`
