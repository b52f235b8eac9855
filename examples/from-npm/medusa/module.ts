/**
 * The module that medusa-config.ts names: `{ resolve: "./src/modules/florin/module", id: "florin", options }`.
 *
 * @module
 */
import { ModuleProvider, Modules } from "@medusajs/framework/utils"
import { FlorinPayments } from "./florin.ts"

// oxlint-disable-next-line import/no-default-export -- Medusa imports it so.
export default ModuleProvider(Modules.PAYMENT, { services: [FlorinPayments] })
