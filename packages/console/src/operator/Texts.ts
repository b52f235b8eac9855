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
