/**
 * The texts of the operator's screens.
 *
 * @module
 */
import english from "../messages/operator.en.json" with { type: "json" }
import * as Reader from "../shell/Reader.ts"
import * as Shell from "../shell/Texts.ts"

export const texts = Object.assign(
  Reader.part(english, () => import("../messages/operator.de.json", { with: { type: "json" } })),
  Shell.ofBoth,
)
