/**
 * The texts of the operator's screens.
 *
 * @module
 */
import { english } from "../messages/OperatorMessages.ts"
import * as Reader from "../shell/Reader.ts"

export const { load, texts } = Reader.part(
  english,
  () => import("../messages/operator.de.json", { with: { type: "json" } }),
)

/** What an outflow is for. */
export const purposeOf = (word: string): string => texts().outflows.purposes[word] ?? word

/** What is stuck. */
export const kindOf = (word: string): string => texts().stuck.kinds[word] ?? purposeOf(word)
