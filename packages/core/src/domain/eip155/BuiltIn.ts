/**
 * The tokens and networks that need no file: those of the interface.
 *
 * @module
 */
import * as Catalog from "../chain/Catalog.ts"
import * as Assets from "./Assets.ts"
import * as Eip155 from "./Eip155.ts"
import * as Networks from "./Networks.ts"

export const catalog: Catalog.Catalog = Catalog.make({
  families: [Eip155.family],
  networks: Networks.all,
  assets: Assets.all,
})
