import { assert, describe, it } from "@effect/vitest"
import * as Version from "@florin/core/domain/ground/Version"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const stable = "2026-02-18"
const preview = "2026-02-19.preview"

const outcome = (result: ReturnType<typeof Version.resolve>): string =>
  Result.match(result, { onFailure: (error) => error.code, onSuccess: (version) => version })

describe("Version", () => {
  it("lists the published versions, oldest first", () => {
    assert.deepEqual([...Version.all], [stable, preview])
    assert.deepEqual([...Version.all], [...Version.all].toSorted())
  })

  it("knows which versions are previews, and the newest one that is not", () => {
    assert.isTrue(Version.isPreview(preview))
    assert.isFalse(Version.isPreview(stable))
    assert.strictEqual(
      Version.newestStable,
      Version.all.findLast((version) => !Version.isPreview(version)),
    )
  })

  it("orders versions", () => {
    assert.isBelow(Version.compare(stable, preview), 0)
    assert.isAbove(Version.compare(preview, stable), 0)
    assert.strictEqual(Version.compare(stable, stable), 0)
    assert.strictEqual(Version.compare(preview, preview), 0)
  })
})

const malformed = [
  "",
  "2026",
  "2026-2-18",
  "2026-02-18 ",
  "2026-02-18.beta",
  "2026-13-18",
  "latest",
]
const unknown = ["2026-02-17", "2026-02-19", "2026-02-18.preview", "0000-01-01", "9999-12-31"]

describe("Version.parse", () => {
  it("reads every published version", () => {
    for (const version of Version.all) {
      assert.deepEqual(Version.parse(version), Result.succeed(version))
    }
  })

  it.each(malformed)("refuses the form of %j", (text) => {
    const error = Result.getOrThrow(Result.flip(Version.parse(text)))
    assert.strictEqual(error.code, "invalid_api_version")
    assert.strictEqual(
      error.message,
      "a version is a date, such as 2026-02-18; the version of a preview ends in .preview",
    )
  })

  it.each(unknown)("reports %s as an unknown version", (text) => {
    const error = Result.getOrThrow(Result.flip(Version.parse(text)))
    assert.strictEqual(error.code, "unknown_api_version")
    assert.strictEqual(
      error.message,
      "this version does not exist: use one of 2026-02-18, 2026-02-19.preview",
    )
  })

  it.prop(
    "reads hostile text only if it is a published version, and distinguishes dates from the rest",
    [HostileText.near([...Version.all, ...unknown, "2026-12-30", "2026-10-09"])],
    ([text]) => {
      const parsed = Version.parse(text)
      if (Result.isSuccess(parsed)) return assert.strictEqual(parsed.success, text)
      const isDate = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:\.preview)?$/u.test(
        text,
      )
      assert.strictEqual(
        parsed.failure.code,
        isDate ? "unknown_api_version" : "invalid_api_version",
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("Version.resolve", () => {
  it.each([
    [stable, undefined, stable],
    [stable, stable, stable],
    [stable, preview, preview],
    [preview, preview, preview],
    [preview, stable, "api_version_downgrade"],
    [stable, "2026-02-17", "unknown_api_version"],
    [preview, "2026-02-17", "unknown_api_version"],
    [stable, "2027-01-01", "unknown_api_version"],
    [stable, "", "invalid_api_version"],
    [stable, "newest", "invalid_api_version"],
  ] as const)("pinned to %s and requested as %j, returns %s", (pin, requested, expected) => {
    assert.strictEqual(outcome(Version.resolve({ pin, requested })), expected)
  })

  it("reports which versions may be used after a refused downgrade", () => {
    const error = Result.getOrThrow(
      Result.flip(Version.resolve({ pin: preview, requested: stable })),
    )
    assert.strictEqual(
      error.message,
      "the version is older than the pinned one: use 2026-02-19.preview or a newer one",
    )
  })
})
