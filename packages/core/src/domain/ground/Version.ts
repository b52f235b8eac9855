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

/** Not the form of a version, a version that was never published, or one that is older than the caller's pin. */
export class VersionRefused extends Schema.TaggedError<VersionRefused>()("VersionRefused", {
  code: Schema.Literals(["invalid_api_version", "unknown_api_version", "api_version_downgrade"]),
  message: Schema.String,
}) {}

const refuse = (code: VersionRefused["code"], message: string) =>
  Result.fail(new VersionRefused({ code, message }))

const pattern = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:\.preview)?$/u

export const isPreview = (version: Version): boolean => version.endsWith(".preview")

/** Below 0 when `left` is the older one, above 0 when it is the newer one. */
export const compare = (left: Version, right: Version): number =>
  all.indexOf(left) - all.indexOf(right)

/** Reads a published version. */
export const parse = (text: string): Result.Result<Version, VersionRefused> => {
  if (!pattern.test(text)) {
    return refuse(
      "invalid_api_version",
      "a version is a date, such as 2026-02-18; the version of a preview ends in .preview",
    )
  }
  const found = all.find((version) => version === text)
  return found === undefined
    ? refuse("unknown_api_version", `this version does not exist: use one of ${all.join(", ")}`)
    : Result.succeed(found)
}

/** A preview may change or be removed, so it cannot be pinned. */
export const pinIssues = (field: string, version: Version): ReadonlyArray<Invalid.Issue> =>
  Invalid.unless(
    !isPreview(version),
    field,
    `must not be a preview: pin ${newestStable}, and ask for a preview in the header of a request`,
  )

/** The version for a request. The header may only move up from the pin. */
export const resolve = ({
  pin,
  requested,
}: {
  readonly pin: Version
  readonly requested: string | undefined
}): Result.Result<Version, VersionRefused> => {
  if (requested === undefined) return Result.succeed(pin)
  return Result.flatMap(parse(requested), (version) =>
    compare(version, pin) < 0
      ? refuse(
          "api_version_downgrade",
          `the version is older than the pinned one: use ${pin} or a newer one`,
        )
      : Result.succeed(version),
  )
}
