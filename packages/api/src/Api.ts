/**
 * The whole interface over HTTP: one group for each noun.
 *
 * @module
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as Approvals from "./groups/Approvals.ts"
import * as Assets from "./groups/Assets.ts"
import * as AuditLog from "./groups/AuditLog.ts"
import * as Balances from "./groups/Balances.ts"
import * as Events from "./groups/Events.ts"
import * as Gateway from "./groups/Gateway.ts"
import * as Keys from "./groups/Keys.ts"
import * as Merchants from "./groups/Merchants.ts"
import * as Payments from "./groups/Payments.ts"
import * as Payouts from "./groups/Payouts.ts"
import * as Refunds from "./groups/Refunds.ts"
import * as Session from "./groups/Session.ts"
import * as Settlements from "./groups/Settlements.ts"
import * as Webhooks from "./groups/Webhooks.ts"

export const api = HttpApi.make("florin").add(
  Gateway.group,
  Payments.group,
  Merchants.group,
  Settlements.group,
  Refunds.group,
  Payouts.group,
  Balances.group,
  Events.group,
  Webhooks.group,
  Keys.group,
  Assets.group,
  AuditLog.group,
  Session.group,
  Approvals.group,
)
