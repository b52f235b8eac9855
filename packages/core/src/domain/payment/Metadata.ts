/**
 * Metadata: pairs of text that a partner stores with a payment. The service stores and shows them, and makes no
 * decisions by them, except that those of a test payment may name an outcome.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"

export type Metadata = typeof Metadata.Type
export const Metadata = Schema.Record(Schema.String, Schema.String)

const lengthOf = (text: string): number => [...text].length

const isKey = (text: string): boolean =>
  text !== "" && lengthOf(text) <= Limits.metadataKeyMaxLength

const isValue = (text: string): boolean => lengthOf(text) <= Limits.metadataValueMaxLength

// Excludes text that not every storage can keep: U+0000, and half of a surrogate pair.
const isKeepable = (text: string): boolean => !/[\0\p{Cs}]/u.test(text)

/** Every rule that metadata breaks. No issue repeats a key, because keys are the caller's own words. */
export const issues = (field: string, metadata: Metadata): ReadonlyArray<Invalid.Issue> => {
  const keys = Object.keys(metadata)
  const values = Object.values(metadata)
  const rules: ReadonlyArray<readonly [isKept: boolean, rule: string]> = [
    [
      keys.length <= Limits.metadataEntriesMax,
      `must have at most ${Limits.metadataEntriesMax} entries`,
    ],
    [keys.every(isKey), `every key must have 1 to ${Limits.metadataKeyMaxLength} characters`],
    [
      values.every(isValue),
      `every value must have at most ${Limits.metadataValueMaxLength} characters`,
    ],
    [[...keys, ...values].every(isKeepable), "must not contain U+0000 or half of a surrogate pair"],
  ]
  return rules.flatMap(([isKept, rule]) => (isKept ? [] : [Invalid.issue(field, rule)]))
}
