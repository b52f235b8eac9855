/**
 * How PostgreSQL runs the statements of a call, for tests of what is read.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"

/** Part of a plan, as EXPLAIN shows it. */
export interface Node {
  readonly "Node Type": string
  readonly "Parent Relationship"?: string
  readonly "Relation Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Node>
}
const Node = Schema.Struct({
  "Node Type": Schema.String,
  "Parent Relationship": Schema.optionalKey(Schema.String),
  "Relation Name": Schema.optionalKey(Schema.String),
  "Actual Rows": Schema.optionalKey(Schema.Number),
  "Actual Loops": Schema.optionalKey(Schema.Number),
  "Rows Removed by Filter": Schema.optionalKey(Schema.Number),
  "Rows Removed by Index Recheck": Schema.optionalKey(Schema.Number),
  "Shared Hit Blocks": Schema.optionalKey(Schema.Number),
  "Shared Read Blocks": Schema.optionalKey(Schema.Number),
  Plans: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Node> => Node))),
})
const decode = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: Node })]) })]),
)

/** The root of the plan in the rows of `EXPLAIN (FORMAT JSON)`. */
export const rootOf = (rows: unknown): Node => decode(rows)[0]["QUERY PLAN"][0].Plan

export const nodes = (node: Node): ReadonlyArray<Node> => [
  node,
  ...(node.Plans ?? []).flatMap(nodes),
]

/** How many tables a query joins, and how many each part of a union and each subquery in an expression. */
export const joins = (root: Node): ReadonlyArray<number> => {
  const own = new Set(["Outer", "Inner", "Subquery"])
  const joined = (node: Node): number =>
    (node.Plans ?? [])
      .filter((each) => own.has(each["Parent Relationship"] ?? ""))
      .reduce((sum, each) => sum + joined(each), 0) || 1
  return nodes(root).map(joined)
}

/** The tables that a plan reads from one end to the other. */
export const wholeScans = (root: Node): ReadonlyArray<string> =>
  nodes(root).flatMap((node) =>
    node["Node Type"] === "Seq Scan" ? [node["Relation Name"] ?? "?"] : [],
  )

/** The result of a call, and the statements that it sends. */
export const listened = Effect.fnUntraced(function* <A, E, R>(call: Effect.Effect<A, E, R>) {
  const sent: Array<readonly [text: string, parameters: ReadonlyArray<unknown>]> = []
  const listening: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      sent.push(statement.compile())
      return statement
    })
  const result = yield* Effect.provideService(call, Statement.CurrentTransformer, listening)
  return { result, sent }
})

/** The result of a call, and the plan of each statement that it sends. */
export const explained = Effect.fnUntraced(function* <A, E, R>(call: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const { result, sent } = yield* listened(call)
  const roots = yield* Effect.forEach(sent, ([text, parameters]) =>
    Effect.map(
      sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, parameters),
      rootOf,
    ),
  )
  return { result, roots }
})
