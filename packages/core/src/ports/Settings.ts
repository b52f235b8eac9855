/**
 * What an operator decides once for a service.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Credit from "../domain/Credit.ts"
import type * as FailureBudget from "../domain/FailureBudget.ts"
import type * as Merchant from "../domain/Merchant.ts"
import type * as PayoutPolicy from "../domain/PayoutPolicy.ts"
import type * as Seal from "../domain/Seal.ts"
import type * as SettlementDestination from "../domain/SettlementDestination.ts"

export class Settings extends Context.Service<
  Settings,
  {
    /** The host of payment links, such as `pay.example.com`. Wallets trust it and its subdomains, and no other. */
    readonly payLinkHost: string
    /** Origins in place of that host for a service on a developer's machine: its links begin with the first of them. */
    readonly localOrigins?: ReadonlyArray<string>
    /** Authenticate option ids and cursors: the first seals, all open. All processes of a service share them. */
    readonly sealKey: Seal.SealKeys
    /** How long collected personal data is kept. */
    readonly collectedKeptInMs: number
    /** How long entries of the audit log are kept; null for ever. */
    readonly auditLogKeptInMs: number | null
    /** When merchants are paid out that have no policy of their own, and whose partner has none. */
    readonly payouts: PayoutPolicy.ByMode
    /** How long a change of a merchant's destination waits before it takes effect. */
    readonly destinationDelayInMs: SettlementDestination.DelayByMode
    /** Whether the account of a new destination must sign that somebody controls it before it is paid. */
    readonly proveDestinations: boolean
    /** What partners owe at most that the operator granted nothing else. */
    readonly credit: Credit.ByMode
    /** How many failed collects are paid for in an hour. */
    readonly failureBudgets: FailureBudget.Limits
    /** What of a live merchant's look the operator approves before payers see it. */
    readonly approveMerchants: Merchant.Approval
    /** Lets webhooks go to private and loopback addresses: for development only. */
    readonly allowPrivateWebhooks: boolean
  }
>()("@florin/core/ports/Settings") {}
