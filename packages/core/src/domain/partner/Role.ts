/**
 * The roles of people in the console: names for sets of scopes, and nothing else.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as ApiKey from "./ApiKey.ts"

/**
 * - `viewer` sees everything but secrets, and changes nothing.
 * - `support` also helps payers. For a partner: creates and cancels payments, and refunds. For the operator: retries,
 *   resends, returns, suspends and freezes.
 * - `finance` also handles the money. For a partner: refunds, merchants and their destinations. For the operator: its own
 *   money.
 * - `admin` may do everything, and invites people.
 */
export type Role = typeof Role.Type
export const Role = Schema.Literals(["viewer", "support", "finance", "admin"])

type Kind = Exclude<ApiKey.Kind, "wallet">

const scopes: { readonly [K in Kind]: { readonly [R in Role]: ReadonlyArray<ApiKey.Scope> } } = {
  partner: {
    viewer: ["read"],
    support: ["read", "pay", "refund"],
    finance: ["read", "refund", "manage"],
    admin: ApiKey.PartnerScope.literals,
  },
  operator: {
    viewer: ["read"],
    support: ["read", "support"],
    finance: ["read", "treasury"],
    admin: ApiKey.OperatorScope.literals,
  },
}

/** The scopes of a role. */
export const scopesOf = (role: Role, kind: Kind): ReadonlyArray<ApiKey.Scope> => scopes[kind][role]

/** The role that has exactly these scopes; null if none has. */
export const of = (held: ReadonlyArray<ApiKey.Scope>, kind: Kind): Role | null =>
  Role.literals.find((role) => {
    const own = scopes[kind][role]
    return own.length === held.length && own.every((each) => held.includes(each))
  }) ?? null
