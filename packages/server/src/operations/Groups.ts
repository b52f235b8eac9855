/**
 * Every operation: those of the public interface, and those of the operator's API.
 *
 * @module
 */
import type { api as publicApi } from "@florin/api/Api"
import type { api as operatorApi } from "@florin/api/operator/Api"
import * as Approvals from "./ApprovalsOperations.ts"
import * as Assets from "./AssetsOperations.ts"
import * as AuditLog from "./AuditLogOperations.ts"
import * as Balances from "./BalancesOperations.ts"
import * as Chains from "./ChainsOperations.ts"
import * as Doctor from "./DoctorOperations.ts"
import * as Events from "./EventsOperations.ts"
import * as Float from "./FloatOperations.ts"
import * as Gateway from "./GatewayOperations.ts"
import * as Inflows from "./InflowsOperations.ts"
import * as Keys from "./KeysOperations.ts"
import * as Merchants from "./MerchantsOperations.ts"
import * as Once from "./Once.ts"
import type * as Operation from "./Operation.ts"
import * as Outflows from "./OutflowsOperations.ts"
import * as Partners from "./PartnersOperations.ts"
import * as Payments from "./PaymentsOperations.ts"
import * as Payouts from "./PayoutsOperations.ts"
import * as PersonalData from "./PersonalDataOperations.ts"
import * as Reconciliation from "./ReconciliationOperations.ts"
import * as Refunds from "./RefundsOperations.ts"
import * as Relayers from "./RelayersOperations.ts"
import * as Screening from "./ScreeningOperations.ts"
import * as Session from "./SessionOperations.ts"
import * as Settlements from "./SettlementsOperations.ts"
import * as Status from "./StatusOperations.ts"
import * as Webhooks from "./WebhooksOperations.ts"

type Groups<Api extends { readonly groups: object }> = {
  readonly [Id in keyof Api["groups"]]: ReadonlyArray<Operation.Operation>
}

const ofPublic: Groups<typeof publicApi> = {
  gateway: Gateway.gateway,
  payments: Payments.partner,
  merchants: Merchants.partner,
  settlements: Settlements.partner,
  refunds: Refunds.partner,
  events: Events.partner,
  webhooks: Webhooks.partner,
  keys: Keys.partner,
  assets: Assets.partner,
  auditLog: AuditLog.partner,
  payouts: Payouts.partner,
  balances: Balances.partner,
  session: Session.partner,
  approvals: Approvals.partner,
}

const ofOperator: Groups<typeof operatorApi> = {
  partners: Partners.operator,
  keys: Keys.operator,
  merchants: Merchants.operator,
  webhooks: Webhooks.operator,
  personalData: PersonalData.operator,
  auditLog: AuditLog.operator,
  chains: Chains.operator,
  inflows: Inflows.operator,
  payments: Payments.operator,
  outflows: Outflows.operator,
  float: Float.operator,
  balances: Balances.operator,
  reconciliation: Reconciliation.operator,
  doctor: Doctor.operator,
  relayers: Relayers.operator,
  screening: Screening.operator,
  status: Status.operator,
  session: Session.operator,
  approvals: Approvals.operator,
}

/** The operations of the public interface. */
export const open = Object.values(ofPublic).flat().map(Approvals.guard)

/** The operations of the operator's API. */
export const operator = Object.values(ofOperator).flat().map(Once.make).map(Approvals.guard)
