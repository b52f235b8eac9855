/**
 * Input that breaks rules, reported field by field, and the rule for text that several fields share.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** One broken rule. `field` is named as the wire names it: `settlements[3].asset`. */
export interface Issue extends Schema.Schema.Type<typeof Issue> {}
export const Issue = Schema.Struct({ field: Schema.String, message: Schema.String })

/** Every rule that the input breaks, so that a caller can fix them all in one step. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  issues: Schema.NonEmptyArray(Issue),
}) {
  override get message(): string {
    return this.issues.map((issue) => `${issue.field}: ${issue.message}`).join("; ")
  }
}

export const issue = (field: string, message: string): Issue => ({ field, message })

export const of = (field: string, message: string): InvalidInput =>
  new InvalidInput({ issues: [issue(field, message)] })

export const fail = (field: string, message: string): Result.Result<never, InvalidInput> =>
  Result.fail(of(field, message))

/** The issue of a rule that does not hold; none if it does. */
export const unless = (holds: boolean, field: string, message: string): ReadonlyArray<Issue> =>
  holds ? [] : [issue(field, message)]

/** The issue of a value that could not be read; none if it could. */
export const issueOf = (
  field: string,
  read: Result.Result<unknown, { readonly message: string }>,
): ReadonlyArray<Issue> => (Result.isFailure(read) ? [issue(field, read.failure.message)] : [])

/** Succeeds if there are no issues. */
export const check = (issues: ReadonlyArray<Issue>): Result.Result<void, InvalidInput> => {
  const [first, ...rest] = issues
  return first === undefined
    ? Result.void
    : Result.fail(new InvalidInput({ issues: [first, ...rest] }))
}

/** All parts of an input, or every rule that any of them breaks. */
export const all = <
  const Parts extends
    | ReadonlyArray<Result.Result<unknown, InvalidInput>>
    | { readonly [name: string]: Result.Result<unknown, InvalidInput> },
>(
  parts: Parts,
) => {
  const issues = Object.values(parts).flatMap((part) =>
    Result.isFailure(part) ? part.failure.issues : [],
  )
  const checked = check(issues)
  return Result.isFailure(checked) ? Result.fail(checked.failure) : Result.all(parts)
}

/** A value that was read for a field. */
export const at = <A>(
  field: string,
  read: Result.Result<A, { readonly message: string }>,
): Result.Result<A, InvalidInput> => Result.mapError(read, ({ message }) => of(field, message))

/** A value that was read; undefined if it breaks the rule. */
export const required = <A>(
  field: string,
  value: A | undefined,
  rule: string,
): Result.Result<A, InvalidInput> =>
  value === undefined ? fail(field, rule) : Result.succeed(value)

/** Reads a value if one was sent. */
export const ifSent = <A, B>(
  sent: A | undefined,
  read: (sent: A) => Result.Result<B, InvalidInput>,
): Result.Result<B | undefined, InvalidInput> =>
  sent === undefined ? Result.succeed(undefined) : read(sent)

// Cc: control characters. Cs: half of a surrogate pair. The rest are line breaks and the overrides that make a name
// read as another one.
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
// Some letters and symbols are fillers, which are drawn as nothing.
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * The issues of a text that people read: 1 to `maxLength` characters, at least one of them visible, none of them a
 * control character. The text is kept as it was sent, spaces included.
 */
export const textIssues = (
  field: string,
  text: string,
  maxLength: number,
): ReadonlyArray<Issue> => {
  const length = [...text].length
  if (length < 1 || length > maxLength) {
    return [issue(field, `must have 1 to ${maxLength} characters`)]
  }
  if (unprintable.test(text)) {
    return [
      issue(field, "must not contain control characters, line breaks or text-direction overrides"),
    ]
  }
  return visible.test(text) ? [] : [issue(field, "must contain a visible character")]
}
