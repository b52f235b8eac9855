/**
 * Versions of the interface: which exist, how they follow each other, and which one a request gets.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "./Invalid.ts"

/** Every published version, oldest first. */
export const all = ["2026-02-18", "2026-02-19.preview"] as const

export type Version = typeof Version.Type
export const Version = Schema.Literals(all)

/** The default pin of partners and wallet keys. */
export const newestStable: Version = "2026-02-18"

/** Not the form of a version. */
export class InvalidVersion extends Schema.TaggedError<InvalidVersion>()("InvalidVersion", {
  message: Schema.String,
}) {}

/** A version of the right form that was never published. */
export class UnknownVersion extends Schema.TaggedError<UnknownVersion>()("UnknownVersion", {
  message: Schema.String,
}) {}

/** A version older than the caller's pin. */
export class VersionDowngrade extends Schema.TaggedError<VersionDowngrade>()("VersionDowngrade", {
  message: Schema.String,
}) {}

const pattern = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:\.preview)?$/u

export const isPreview = (version: Version): boolean => version.endsWith(".preview")

/** Below 0 when `left` is the older one, above 0 when it is the newer one. */
export const compare = (left: Version, right: Version): number =>
  all.indexOf(left) - all.indexOf(right)

/** Reads a published version. */
export const parse = (text: string): Result.Result<Version, InvalidVersion | UnknownVersion> => {
  if (!pattern.test(text)) {
    return Result.fail(
      new InvalidVersion({
        message:
          "a version is a date, such as 2026-02-18; the version of a preview ends in .preview",
      }),
    )
  }
  const found = all.find((version) => version === text)
  return found === undefined
    ? Result.fail(
        new UnknownVersion({
          message: `this version does not exist: use one of ${all.join(", ")}`,
        }),
      )
    : Result.succeed(found)
}

/** Every version that may be pinned. */
export const stable: ReadonlyArray<Version> = all.filter((version) => !isPreview(version))

/** A preview may change or be removed, so it cannot be pinned. */
export const pinIssues = (field: string, version: Version): ReadonlyArray<Invalid.Issue> =>
  isPreview(version)
    ? [
        Invalid.issue(
          field,
          `must not be a preview: pin ${newestStable}, and ask for a preview in the header of a request`,
        ),
      ]
    : []

/** The version for a request. The header may only move up from the pin. */
export const resolve = (request: {
  readonly pin: Version
  readonly requested: string | undefined
}): Result.Result<Version, InvalidVersion | UnknownVersion | VersionDowngrade> => {
  if (request.requested === undefined) {
    return Result.succeed(request.pin)
  }
  return Result.flatMap(parse(request.requested), (version) =>
    compare(version, request.pin) < 0
      ? Result.fail(
          new VersionDowngrade({
            message: `the version is older than the pinned one: use ${request.pin} or a newer one`,
          }),
        )
      : Result.succeed(version),
  )
}
