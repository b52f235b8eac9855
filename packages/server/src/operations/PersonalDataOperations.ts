/**
 * Personal data of payers over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/PersonalData"
import * as Family from "@florin/core/domain/chain/Family"
import * as PersonalData from "@florin/core/engine/status/PersonalData"
import * as Effect from "effect/Effect"
import * as TimeView from "../views/TimeView.ts"
import * as Operation from "./Operation.ts"

export const operator = Operation.operator(Contract.group, {
  show: ({ display: { catalog }, query: { of } }) =>
    Effect.map(PersonalData.show(of), (stored) => ({
      records: stored.map(({ account, data, deleteAt, payment }) => ({
        paymentId: payment.id,
        account: Family.formatAccount(catalog, account),
        deleteAt: TimeView.iso(deleteAt),
        data,
      })),
    })),

  export: ({ query: { of } }) =>
    Effect.map(PersonalData.exportData(of), (records) => ({ records })),

  erase: (_, { of }) => Effect.map(PersonalData.erase(of), (erased) => ({ erased })),
})
