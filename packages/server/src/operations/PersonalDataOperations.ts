/**
 * Personal data of payers over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/PersonalData"
import * as PersonalData from "@florin/core/engine/PersonalData"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as PersonalDataView from "../views/PersonalDataView.ts"

export const operator = Operation.operator(Contract.group, {
  show: Effect.fnUntraced(function* ({ query: { of } }) {
    const stored = yield* PersonalData.show(of)
    const catalog = yield* Assets
    return { records: stored.map((each) => PersonalDataView.stored(each, catalog)) }
  }),

  export: ({ query: { of } }) =>
    Effect.map(PersonalData.exportData(of), (records) => ({ records })),

  erase: (_, { of }) => Effect.map(PersonalData.erase(of), (erased) => ({ erased })),
})
