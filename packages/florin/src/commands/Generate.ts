/**
 * `florin generate <format>`: the types of the views that an application reads, for its own database library.
 *
 * @module
 */
import * as Postgres from "@florin/postgres/Postgres"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Exported from "../access/Exported.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

export const command = Command.make(
  "generate",
  {
    format: Argument.Literals("format", Postgres.typeFormats).pipe(
      Argument.withDescription("Library to write the types for"),
    ),
    output: Flags.output,
    schema: Flags.schema,
  },
  Effect.fnUntraced(function* ({ format, output, schema }) {
    const text = yield* Effect.mapError(Postgres.printTypes(format, schema), Failure.of)
    if (Option.isNone(output)) return Terminal.result(text.trimEnd())
    yield* Exported.toFile("generate", output.value, text)
    Terminal.writeSuccess(`${output.value} has the types of ${schema}.`)
  }),
).pipe(
  Described.as({
    description:
      "Print the types of the views that your application may read in the database of the service: florin.payment, refund, payout, merchant and event. Use them with Drizzle, Kysely or Prisma, or as SQL with tools such as sqlc. The command reads no database.",
    examples: [
      "florin generate drizzle --output src/florin-views.ts",
      "florin generate prisma >> prisma/schema.prisma",
    ],
  }),
)
