/**
 * The operator's deny list.
 *
 * @module
 */
import * as DenyList from "@florin/core/domain/chain/DenyList"
import type { ScreeningStore } from "@florin/core/ports/ScreeningStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Document from "./Document.ts"
import * as OnlyRow from "./OnlyRow.ts"

const table = {
  name: "deny_list",
  document: Document.of(DenyList.DenyList),
  empty: DenyList.empty,
}

export const make = (sql: SqlClient): ScreeningStore["Service"] => ({
  modifyDenyList: Effect.fn("Storage.modifyDenyList")((decide) =>
    OnlyRow.modify(sql, table, decide),
  ),
})
