/**
 * The operator's settings of the HTTP edge: its address, its callers, their origins and their rate limits.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Local from "@florin/api/wire/Local"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as Version from "@florin/core/domain/ground/Version"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Context from "effect/Context"
import type * as AccessLog from "./AccessLog.ts"

/** A wallet that calls the gateway with an app id instead of a key. */
export interface App {
  readonly mode: Mode.Mode
  readonly name: string
  readonly iconUrl: string | null
  readonly versionPin: Version.Version
  /** The profile of the responses. Without it the version header decides. */
  readonly profile?: ApiKey.Profile
}

/** A rate limit for calls, or for the accounts that calls name. */
export interface RateLimit {
  /** How many may come at the same time. */
  readonly burst: number
  /** How many more are allowed with each second. */
  readonly perSecond: number
}

export class EdgeSettings extends Context.Service<
  EdgeSettings,
  {
    /** The URL under which icons and pages are served, without a slash at the end. */
    readonly publicUrl: string
    /**
     * Header names in addition to `Svc-Version`. A caller that sends its version in one of them gets the field's
     * shapes.
     */
    readonly fieldVersionHeaders: ReadonlyArray<string>
    /** App ids that are accepted instead of a key on gateway endpoints. */
    readonly apps: ReadonlyMap<string, App>
    /**
     * Whether the old path for the list of a merchant's payments accepts `X-Api-Key` in place of `Api-Key`. It then
     * responds in the legacy shape.
     */
    readonly legacyList: boolean
    /** The browser origins that may call the gateway: a list, or all. */
    readonly allowedOrigins: "all" | ReadonlyArray<string>
    /**
     * The rate limit for each partner key, and for each caller that uses a wallet's key, an app id or a payment's link.
     * Null means no limit.
     */
    readonly rateLimit: RateLimit | null
    /**
     * The rate limit for accounts beyond the usual few that a caller may ask options for, of one payment and in all.
     * Null means no limit.
     */
    readonly accountsLimit: RateLimit | null
    /**
     * The header in which a trusted proxy names the caller's address, such as `x-forwarded-for`. If it is null, the
     * connection's own address counts, if that is a public one.
     */
    readonly proxyHeader: string | null
    /** The checkout and the form that payers see in a browser. Without them, none of their paths exist. */
    readonly pages: HostedPage.Pages | null
    /** The console for people, which both ports serve. Without it, none of its paths exist. */
    readonly console: HostedPage.Console | null
    /** The URL of the operator's port, for its cookie and its links; null while it is not known. */
    readonly operatorUrl: () => string | null
    /** Whether requests are counted and timed for the metrics. */
    readonly metrics: boolean
    /** Keys that the documentation fills into its examples, for a service on the reader's own machine. */
    readonly exampleKeys: () => Local.Keys | null
    /** Writes one log line for each request. Null writes none. */
    readonly log: ((line: AccessLog.Line) => void) | null
  }
>()("@florin/server/EdgeSettings") {}
