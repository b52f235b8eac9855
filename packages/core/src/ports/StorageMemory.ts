/**
 * Storage in the memory of one process, for tests, demos and development. It keeps the whole contract of the port
 * except that it forgets everything when the process ends.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountStore } from "./AccountStore.ts"
import { AssetStore } from "./AssetStore.ts"
import { AuditStore } from "./AuditStore.ts"
import { DueWork } from "./DueWork.ts"
import { InflowStore } from "./InflowStore.ts"
import { LaneStore } from "./LaneStore.ts"
import { LedgerStore } from "./LedgerStore.ts"
import * as Accounts from "./memory/Accounts.ts"
import * as Assets from "./memory/Assets.ts"
import * as AuditLogs from "./memory/AuditLogs.ts"
import * as Budgets from "./memory/Budgets.ts"
import * as Events from "./memory/Events.ts"
import * as Inflows from "./memory/Inflows.ts"
import * as Lanes from "./memory/Lanes.ts"
import * as Ledgers from "./memory/Ledgers.ts"
import * as Outflows from "./memory/Outflows.ts"
import * as Payments from "./memory/Payments.ts"
import * as Records from "./memory/Records.ts"
import * as Responses from "./memory/Responses.ts"
import * as States from "./memory/States.ts"
import * as Work from "./memory/Work.ts"
import { Outbox } from "./Outbox.ts"
import { OutflowStore } from "./OutflowStore.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { ResponseStore } from "./ResponseStore.ts"
import { StateStore } from "./StateStore.ts"
import type { Storage } from "./Storage.ts"

const make = Effect.sync(() => {
  const responses = Responses.make()
  const accounts: Accounts.Accounts = Accounts.make({
    announceChange: (event) => events.feed(event),
    changes: () => events.changes(),
    owedTokens: (merchantId) => ledgers.owedTokens(merchantId),
    settleOwed: (merchantId, token, now) => records.settleOwed(merchantId, token, now),
  })
  const auditLogs = AuditLogs.make()
  const budgets = Budgets.make()
  const lanes = Lanes.make(budgets)
  const ledgers: Ledgers.Ledgers = Ledgers.make(accounts, {
    payments: () => records.payments.values(),
    outflow: (id) => records.outflows.get(id),
  })
  const events = Events.make(accounts.partners)
  const records = Records.make({ accounts, budgets, events, ledgers })
  return Context.empty().pipe(
    Context.add(AccountStore, accounts.store),
    Context.add(StateStore, States.make()),
    Context.add(ResponseStore, responses.store),
    Context.add(
      AssetStore,
      Assets.make((token) => records.isCounted(token) || ledgers.isBooked(token)),
    ),
    Context.add(AuditStore, auditLogs.store),
    Context.add(PaymentStore, Payments.make(records, responses, auditLogs, lanes)),
    Context.add(OutflowStore, Outflows.make(records, lanes)),
    Context.add(LaneStore, lanes.store),
    Context.add(DueWork, Work.make(records)),
    Context.add(LedgerStore, ledgers.store),
    Context.add(Outbox, events.store),
    Context.add(InflowStore, Inflows.make(records)),
  )
})

/** An empty storage. Each built layer value is a separate storage. */
export const layer: Layer.Layer<Storage> = Layer.effectContext(make)
