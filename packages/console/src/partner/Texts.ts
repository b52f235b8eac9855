/**
 * The texts of the screens of partners and shops.
 *
 * @module
 */
import english from "../messages/partner.en.json" with { type: "json" }
import * as Reader from "../shell/Reader.ts"

export const texts = Reader.part(
  english,
  () => import("../messages/partner.de.json", { with: { type: "json" } }),
)
