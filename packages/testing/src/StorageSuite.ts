/**
 * The contract of the storage port as tests: every adapter runs the same ones.
 *
 * The rules create their own worlds, so that they can run on a storage that holds other data. They remove all due work,
 * so nothing else may use that storage in the meantime.
 *
 * @module
 */
import { describe, layer } from "@effect/vitest"
import type { Storage } from "@florin/core/ports/Storage"
import type * as Layer from "effect/Layer"
import { accountRules } from "./storage/Accounts.ts"
import { assetRules } from "./storage/Assets.ts"
import { auditRules } from "./storage/AuditLogs.ts"
import { balanceRules } from "./storage/Balances.ts"
import { budgets } from "./storage/Budgets.ts"
import { chainStates } from "./storage/Chains.ts"
import { credits } from "./storage/Credits.ts"
import { dailyLimits } from "./storage/DailyLimits.ts"
import { decisions } from "./storage/Decisions.ts"
import { draws } from "./storage/Draws.ts"
import { dueWork } from "./storage/DueWork.ts"
import { deliveries, events } from "./storage/Events.ts"
import { inflowRules } from "./storage/Inflows.ts"
import { laneRules } from "./storage/Lanes.ts"
import { ledgers } from "./storage/Ledgers.ts"
import { collectedData, lists } from "./storage/Lists.ts"
import { namesakeRules } from "./storage/Namesakes.ts"
import { outflowRules } from "./storage/Outflows.ts"
import { payoutRules } from "./storage/Payouts.ts"
import { requests } from "./storage/Requests.ts"
import { type It, timeout } from "./storage/Scene.ts"
import { statementRules } from "./storage/Statements.ts"
import { stateRules } from "./storage/States.ts"
import { texts } from "./storage/Texts.ts"

/** What the contract is about, each with its rules. */
export const themes: ReadonlyArray<readonly [theme: string, rules: (it: It) => void]> = [
  ["Idempotency-Keys", requests],
  ["accounts", accountRules],
  ["names that look alike", namesakeRules],
  ["assets", assetRules],
  ["audit log", auditRules],
  ["changes of a payment", decisions],
  ["allowances of payers", draws],
  ["failure budgets", budgets],
  ["ledger", ledgers],
  ["balances", balanceRules],
  ["statements", statementRules],
  ["credit", credits],
  ["daily limits", dailyLimits],
  ["outflows", outflowRules],
  ["payouts", payoutRules],
  ["inflows", inflowRules],
  ["states of the service", stateRules],
  ["due work", dueWork],
  ["lanes", laneRules],
  ["chains", chainStates],
  ["events", events],
  ["deliveries", deliveries],
  ["lists", lists],
  ["collected data", collectedData],
  ["texts of others", texts],
]

/**
 * Registers the suite for an adapter, or some themes of it. The layer is built once.
 *
 * @example
 * StorageSuite.suite("memory", StorageMemory.layer)
 */
export const suite = (name: string, storage: Layer.Layer<Storage, unknown>, asked = themes): void =>
  // Adapters that wait for a real machine need the real clock; the port takes the time as an argument everywhere.
  layer(storage, { excludeTestServices: true, timeout })(`Storage: ${name}`, (it) => {
    for (const [theme, rules] of asked) {
      describe(theme, () => {
        rules(it)
      })
    }
  })
