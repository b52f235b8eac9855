/**
 * The settings that an operator chooses once for a service.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Seal from "../domain/ground/Seal.ts"
import type * as Credit from "../domain/money/Credit.ts"
import type * as Merchant from "../domain/partner/Merchant.ts"
import type * as PayoutPolicy from "../domain/partner/PayoutPolicy.ts"
import type * as SettlementDestination from "../domain/partner/SettlementDestination.ts"
import type * as FailureBudget from "../domain/payment/FailureBudget.ts"

export class Settings extends Context.Service<
  Settings,
  {
    /**
     * The host of payment links, such as `pay.example.com`. Wallets trust only this host and its subdomains. On a
     * developer's machine it is `localhost` with the port of the service.
     */
    readonly payLinkHost: string
    /**
     * The keys that authenticate option ids and cursors: the first one seals, all of them open. All processes of a
     * service share them.
     */
    readonly sealKey: Seal.SealKeys
    /** How long collected personal data is kept. */
    readonly collectedKeptInMs: number
    /** How long entries of the audit log are kept; null to keep them forever. */
    readonly auditLogKeptInMs: number | null
    /** When merchants are paid out if neither they nor their partner have a payout policy. */
    readonly payouts: PayoutPolicy.ByMode
    /** How long a change of a merchant's destination waits before it takes effect. */
    readonly destinationDelayInMs: SettlementDestination.DelayByMode
    /** Whether the account of a new destination must sign that somebody controls it before it is paid. */
    readonly proveDestinations: boolean
    /** The most that a partner may owe if the operator granted it no other credit. */
    readonly credit: Credit.ByMode
    /** How many failed collects the service pays for in an hour. */
    readonly failureBudgets: FailureBudget.Limits
    /** Of which live merchants the operator approves the name, icon and support contact before payers see them. */
    readonly approveMerchants: Merchant.Approval
    /** Whether a second person must approve what moves the operator's own money, and who may call. */
    readonly secondPerson: boolean
    /** Allows webhooks to private and loopback addresses. For development only. */
    readonly allowPrivateWebhooks: boolean
  }
>()("@florin/core/ports/Settings") {}
