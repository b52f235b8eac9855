/**
 * Turns what a schema rejects in a request into the `issues` of an error.
 *
 * @module
 */
import * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

const kinds: ReadonlyMap<string, string> = new Map([
  ["String", "text"],
  ["Number", "a number"],
  ["Boolean", "true or false"],
  ["Null", "null"],
  ["Objects", "an object"],
  ["Arrays", "an array"],
])

/** The rule for a value by its type, unless the contract states its own. */
const ruleOf = ({ _tag, annotations }: SchemaAST.AST): string | undefined => {
  const kind = annotations?.["message"] === undefined ? kinds.get(_tag) : undefined
  return kind === undefined ? undefined : `must be ${kind}`
}

// The messages repeat nothing of the request.
const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is required"
    const rule = issue._tag === "InvalidType" ? ruleOf(issue.ast) : undefined
    return rule ?? SchemaIssue.defaultLeafHook(issue)
  },
})

type Path = ReadonlyArray<unknown>

/** The part of a path that the contract names. The keys of a map are the caller's, and are not repeated. */
const named = (ast: SchemaAST.AST, [part, ...rest]: Path): Path => {
  if (part === undefined) return []
  if (SchemaAST.isObjects(ast)) {
    const member = ast.propertySignatures.find(({ name }) => name === part)
    return member === undefined ? [] : [part, ...named(member.type, rest)]
  }
  if (SchemaAST.isArrays(ast)) {
    const element = ast.elements[Number(part)] ?? ast.rest[0]
    return element === undefined ? [] : [part, ...named(element, rest)]
  }
  return SchemaAST.isUnion(ast)
    ? ast.types.reduce<Path>((longest, each) => {
        const found = named(each, [part, ...rest])
        return found.length > longest.length ? found : longest
      }, [])
    : []
}

/** Formats a path, such as `settlements[3].asset`. */
const fieldOf = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("")

/** The maximum number of broken rules in one response. */
const reportedMax = 50

/**
 * Makes the function that lists a schema's issues. `whole` is the field name for an issue that concerns no single part.
 */
export const reader = ({ ast }: Schema.Top, whole: string) => {
  const shape = SchemaAST.toEncoded(ast)
  return ({ issue }: Schema.SchemaError): Invalid.InvalidInput => {
    const found = format(issue).issues.map(({ message, path = [] }) =>
      Invalid.issue(fieldOf(named(shape, path)) || whole, message),
    )
    // The same issue in several entries of one map is reported once.
    const different = new Map(found.map((each) => [`${each.field} ${each.message}`, each]))
    const [first = Invalid.issue(whole, "does not have the shape of this call"), ...rest] = [
      ...different.values(),
    ].slice(0, reportedMax)
    return new Invalid.InvalidInput({ issues: [first, ...rest] })
  }
}
