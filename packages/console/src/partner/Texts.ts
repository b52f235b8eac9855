/**
 * The texts of the screens of partners and shops.
 *
 * @module
 */
import english from "../messages/partner.en.json" with { type: "json" }
import * as Reader from "../shell/Reader.ts"
import * as Shell from "../shell/Texts.ts"

export const texts = Object.assign(
  Reader.part(english, () => import("../messages/partner.de.json", { with: { type: "json" } })),
  Shell.ofBoth,
)
