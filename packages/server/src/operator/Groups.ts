/**
 * Every operation of the operator's API.
 *
 * @module
 */
import type { api } from "@florin/api/operator/Api"
import * as Approvals from "../Approvals.ts"
import type * as Operation from "../Operation.ts"
import * as ApprovalsOperations from "./ApprovalsOperations.ts"
import * as AuditLogOperations from "./AuditLogOperations.ts"
import * as BalancesOperations from "./BalancesOperations.ts"
import * as ChainsOperations from "./ChainsOperations.ts"
import * as DoctorOperations from "./DoctorOperations.ts"
import * as FloatOperations from "./FloatOperations.ts"
import * as InflowsOperations from "./InflowsOperations.ts"
import * as KeysOperations from "./KeysOperations.ts"
import * as MerchantsOperations from "./MerchantsOperations.ts"
import * as Once from "./Once.ts"
import * as OutflowsOperations from "./OutflowsOperations.ts"
import * as PartnersOperations from "./PartnersOperations.ts"
import * as PaymentsOperations from "./PaymentsOperations.ts"
import * as PersonalDataOperations from "./PersonalDataOperations.ts"
import * as ReconciliationOperations from "./ReconciliationOperations.ts"
import * as RelayersOperations from "./RelayersOperations.ts"
import * as ScreeningOperations from "./ScreeningOperations.ts"
import * as SessionOperations from "./SessionOperations.ts"
import * as StatusOperations from "./StatusOperations.ts"
import * as WebhooksOperations from "./WebhooksOperations.ts"

const groups: { readonly [Id in keyof typeof api.groups]: ReadonlyArray<Operation.Operation> } = {
  partners: PartnersOperations.operations,
  keys: KeysOperations.operations,
  merchants: MerchantsOperations.operations,
  webhooks: WebhooksOperations.operations,
  personalData: PersonalDataOperations.operations,
  auditLog: AuditLogOperations.operations,
  chains: ChainsOperations.operations,
  inflows: InflowsOperations.operations,
  payments: PaymentsOperations.operations,
  outflows: OutflowsOperations.operations,
  float: FloatOperations.operations,
  balances: BalancesOperations.operations,
  reconciliation: ReconciliationOperations.operations,
  doctor: DoctorOperations.operations,
  relayers: RelayersOperations.operations,
  screening: ScreeningOperations.operations,
  status: StatusOperations.operations,
  session: SessionOperations.operations,
  approvals: ApprovalsOperations.operations,
}

export const operations: ReadonlyArray<Operation.Operation> = Object.values(groups)
  .flat()
  .map(Once.make)
  .map(Approvals.guard)
