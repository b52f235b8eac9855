/**
 * The operator's API over HTTP: one group for each noun. It is served on the operator's port only.
 *
 * @module
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as Approvals from "./Approvals.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Balances from "./Balances.ts"
import * as Chains from "./Chains.ts"
import * as Doctor from "./Doctor.ts"
import * as Float from "./Float.ts"
import * as Inflows from "./Inflows.ts"
import * as Keys from "./Keys.ts"
import * as Merchants from "./Merchants.ts"
import * as Outflows from "./Outflows.ts"
import * as Partners from "./Partners.ts"
import * as Payments from "./Payments.ts"
import * as PersonalData from "./PersonalData.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as Relayers from "./Relayers.ts"
import * as Screening from "./Screening.ts"
import * as Session from "./Session.ts"
import * as Status from "./Status.ts"
import * as Webhooks from "./Webhooks.ts"

export const api = HttpApi.make("florin-operator").add(
  Partners.group,
  Keys.group,
  Merchants.group,
  Webhooks.group,
  PersonalData.group,
  AuditLog.group,
  Chains.group,
  Inflows.group,
  Payments.group,
  Outflows.group,
  Float.group,
  Balances.group,
  Reconciliation.group,
  Doctor.group,
  Relayers.group,
  Screening.group,
  Status.group,
  Session.group,
  Approvals.group,
)
