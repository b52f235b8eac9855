/**
 * What outsiders saw of a service: the responses that callers got, what receivers were told, and what is on the chains.
 * Only the ledger is read inside, as its operator reads it.
 *
 * @module
 */
import type * as Schema from "effect/Schema"

export type Json = Schema.Json

/** A request and what became of it. Times are places in one order of everything that happened. */
export interface Exchange {
  readonly startedAt: number
  /** When the response came, or was given up. */
  readonly endedAt: number
  readonly process: string
  readonly method: string
  readonly path: string
  /** Who called: a credential. */
  readonly key: string
  readonly idempotencyKey: string | null
  readonly body: Json
  /** Null if no response came: it may have been carried out or not. */
  readonly response: { readonly status: number; readonly body: Json } | null
}

/** What a partner can read about its own business once everything is quiet. */
export interface Books {
  readonly key: string
  /** The payments of each list, under its query, as pages that were followed to the end. */
  readonly lists: ReadonlyArray<{
    readonly query: Readonly<Record<string, string>>
    readonly items: ReadonlyArray<Json>
    readonly stats: Json
  }>
  /** The details of every payment that the partner's lists contain or that it was told of. */
  readonly details: ReadonlyArray<Json>
  readonly payouts: ReadonlyArray<Json>
  /** The whole feed of events, oldest first. */
  readonly feed: ReadonlyArray<Json>
  /** What reached its webhook's receiver, in the order of arrival. */
  readonly attempted: ReadonlyArray<Json>
  /** What of it the receiver accepted. */
  readonly delivered: ReadonlyArray<Json>
}

export interface Transfer {
  /** CAIP-19, in lower case. */
  readonly token: string
  readonly from: string
  readonly to: string
  readonly quantity: bigint
}

/** A transaction that is on a canonical chain. */
export interface Transaction {
  readonly hash: string
  readonly isFinal: boolean
  readonly transfers: ReadonlyArray<Transfer>
}

export interface Balance {
  readonly token: string
  readonly address: string
  readonly quantity: bigint
}

export interface Evidence {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly books: ReadonlyArray<Books>
  /** All entries of the ledger, summed up for each account and token. */
  readonly ledger: ReadonlyArray<{
    readonly account: string
    /** The address, if it stands for money that one of our accounts holds. */
    readonly holds: string | null
    readonly token: string
    readonly quantity: bigint
  }>
  readonly chain: {
    readonly transactions: ReadonlyArray<Transaction>
    /** What every touched account held before and holds now. */
    readonly before: (token: string, address: string) => bigint
    readonly balances: ReadonlyArray<Balance>
    /** The service's own accounts. */
    readonly own: ReadonlySet<string>
  }
}

/** What is wrong, in words that name the rule and everything that contradicts it. */
export interface Violation {
  readonly rule: string
  readonly what: string
}
