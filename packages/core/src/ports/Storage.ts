/**
 * Keeps everything that must not be lost: one service for each kind of record, over one shared state.
 *
 * Storage takes decisions, not setters: it passes the current state to a pure function inside its own transaction, and
 * writes everything that the decision returns, or none of it. So nothing is lost or written twice.
 *
 * An adapter provides all stores. Code depends only on the stores that it uses, so that a test can replace one of them.
 *
 * Contract of every store, checked by `StorageSuite` on every adapter:
 * - The stores of one adapter share one state: a write of one store is visible in all of them at the same time.
 * - A write is visible as a whole or not at all. A failed write changes nothing.
 * - A decision may run several times, and only the last run counts, so it is pure and total.
 * - After `StorageUnavailable` the caller does not know whether the write happened; every operation can be repeated. A
 *   failure that repeating cannot fix is a defect.
 * - Every later call in every process sees what a call returned or wrote. Only `AccountStore.keyByHash` may lag.
 * - The storage's time decides what processes must agree on: what is due or over, leases, and how long anything is
 *   kept. Callers pass the time of Effect's `Clock`; the memory storage uses it as its own time. If the caller's clock
 *   is more than `clockDriftMaxInMs` off, a call that depends on time does nothing and fails with a
 *   `StorageUnavailable` that says so (`isClockOff`).
 * - Texts from outside may hold any characters. Those that JSON columns cannot keep, U+0000 and halves of surrogate
 *   pairs, may be read back as U+FFFD. They never prevent a write.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { AccountStore } from "./AccountStore.ts"
import { AssetStore } from "./AssetStore.ts"
import { AuditStore } from "./AuditStore.ts"
import { DueWork } from "./DueWork.ts"
import { InflowStore } from "./InflowStore.ts"
import { LaneStore } from "./LaneStore.ts"
import { LedgerStore } from "./LedgerStore.ts"
import { Outbox } from "./Outbox.ts"
import { OutflowStore } from "./OutflowStore.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { ResponseStore } from "./ResponseStore.ts"
import { StateStore } from "./StateStore.ts"

/** All stores: the services that a storage adapter provides. */
export type Storage =
  | AccountStore
  | StateStore
  | ResponseStore
  | AssetStore
  | AuditStore
  | PaymentStore
  | OutflowStore
  | LaneStore
  | DueWork
  | LedgerStore
  | Outbox
  | InflowStore

/** The same stores as values, for code that treats each of them in the same way. */
export const stores = [
  AccountStore,
  StateStore,
  ResponseStore,
  AssetStore,
  AuditStore,
  PaymentStore,
  OutflowStore,
  LaneStore,
  DueWork,
  LedgerStore,
  Outbox,
  InflowStore,
] as const

/** All stores that are provided, without the other services of their layer. */
export const all: Effect.Effect<Context.Context<Storage>, never, Storage> = Effect.map(
  Effect.context<Storage>(),
  Context.pick(...stores),
)
