/**
 * What an operator decides about the edge: where it is, who may call from where, and how often.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as ApiKey from "@florin/core/domain/ApiKey"
import type * as Mode from "@florin/core/domain/Mode"
import type * as Version from "@florin/core/domain/Version"
import * as Context from "effect/Context"
import type * as AccessLog from "./AccessLog.ts"

/** A wallet that calls the gateway with an app id instead of a key. */
export interface App {
  readonly mode: Mode.Mode
  readonly name: string
  readonly iconUrl: string | null
  readonly versionPin: Version.Version
  /** The shapes that it is answered in; without it the header of its version decides. */
  readonly profile?: ApiKey.Profile
}

/** A bucket that calls, or what they ask about, are taken from. */
export interface RateLimit {
  /** How many may come at once. */
  readonly burst: number
  /** How many come back in a second. */
  readonly perSecond: number
}

/** Keys to try a service with. */
export interface ExampleKeys {
  readonly partnerKey: string
  readonly walletKey: string
  readonly merchantId: string
}

export class EdgeSettings extends Context.Service<
  EdgeSettings,
  {
    /** Where icons and pages are served, without a slash at the end. */
    readonly publicUrl: string
    /** Header names beside `Svc-Version`: who sends its version under one of them is answered in the field's shapes. */
    readonly fieldVersionHeaders: ReadonlyArray<string>
    /** App ids that are accepted instead of a key on gateway endpoints. */
    readonly apps: ReadonlyMap<string, App>
    /**
     * Whether the list of a merchant's payments by its old path takes `X-Api-Key` in place of `Api-Key`. It then responds in
     * the legacy shape.
     */
    readonly legacyList: boolean
    /** Origins of browsers that may call the gateway: a list, or all. */
    readonly allowedOrigins: "all" | ReadonlyArray<string>
    /** Calls of a partner's key, and of each caller with a wallet's key, an app id or a payment's link; null is no limit. */
    readonly rateLimit: RateLimit | null
    /** Accounts beyond the usual few that a caller may ask options for, of one payment and in all; null is no limit. */
    readonly accountsLimit: RateLimit | null
    /**
     * The header in which a trusted proxy names the caller's address, such as `x-forwarded-for`. Null if there is none: the
     * connection's own address counts then, if it is a public one.
     */
    readonly proxyHeader: string | null
    /** The checkout and the form that payers see in a browser; without them none of their paths is there. */
    readonly pages: HostedPage.Pages | null
    /** Whether requests are counted and timed, for whoever reads metrics. */
    readonly metrics: boolean
    /** Keys that the documentation fills into its examples: for a service on the reader's own machine. */
    readonly exampleKeys: () => ExampleKeys | null
    /** Takes one line for each request; null writes none. */
    readonly log: ((line: AccessLog.Line) => void) | null
  }
>()("@florin/server/EdgeSettings") {}
