/**
 * Personal data of payers as the operator's API shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/PersonalData"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import type * as PersonalData from "@florin/core/engine/PersonalData"
import * as TimeView from "./TimeView.ts"

export const stored = (
  { account, data, deleteAt, payment }: PersonalData.StoredData,
  catalog: Catalog.Catalog,
): Wire.List["records"][number] => ({
  paymentId: payment.id,
  account: Family.formatAccount(catalog, account),
  deleteAt: TimeView.iso(deleteAt),
  data,
})
