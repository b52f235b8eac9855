/**
 * The texts of the screens of partners and shops.
 *
 * @module
 */
import { english } from "../messages/PartnerMessages.ts"
import * as Reader from "../shell/Reader.ts"

export const { load, texts } = Reader.part(
  english,
  () => import("../messages/partner.de.json", { with: { type: "json" } }),
)
