/**
 * What an operator decides once for a service.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as PayoutPolicy from "../domain/PayoutPolicy.ts"
import type * as Seal from "../domain/Seal.ts"

export class Settings extends Context.Service<
  Settings,
  {
    /** The host of payment links, such as `pay.example.com`. Wallets trust it and its subdomains, and no other. */
    readonly payLinkHost: string
    /** Authenticate option ids and cursors: the first seals, all open. All processes of a service share them. */
    readonly sealKey: Seal.SealKeys
    /** How long collected personal data is kept. */
    readonly collectedKeptInMs: number
    /** When merchants are paid out that have no policy of their own, and whose partner has none. */
    readonly payouts: PayoutPolicy.ByMode
    /** Lets webhooks go to private and loopback addresses: for development only. */
    readonly allowPrivateWebhooks: boolean
  }
>()("@florin/core/ports/Settings") {}
