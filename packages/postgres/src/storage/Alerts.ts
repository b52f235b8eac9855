/**
 * The state of the operator's own webhook.
 *
 * @module
 */
import * as Alert from "@florin/core/domain/notify/Alert"
import type { AlertStore } from "@florin/core/ports/AlertStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Document from "./Document.ts"
import * as OnlyRow from "./OnlyRow.ts"

const table = { name: "alert_board", document: Document.of(Alert.Board), empty: Alert.empty }

export const make = (sql: SqlClient): AlertStore["Service"] => ({
  modify: Effect.fn("Storage.modifyAlerts")((decide) =>
    OnlyRow.modify(sql, table, (current, now) => {
      const { board, result } = decide(current, now)
      return { result, next: board }
    }),
  ),
})
