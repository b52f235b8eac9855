/**
 * The tokens and networks that need no file: those of the interface.
 *
 * @module
 */
import * as Catalog from "../Catalog.ts"
import * as Assets from "./Assets.ts"
import * as Networks from "./Networks.ts"

export const catalog: Catalog.Catalog = Catalog.make({
  networks: Networks.all,
  assets: Assets.all,
})
