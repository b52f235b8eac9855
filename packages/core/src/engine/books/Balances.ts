/**
 * What our accounts hold, and to whom it belongs.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import { Chains } from "../../ports/Chain.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"

/** A token on one of our accounts, and whose it is. All members except `onChain` come from the ledger. */
export interface OfAccount {
  readonly address: Caip.Address
  readonly token: Caip.Token
  /** Null if the chain is not served, or did not respond. */
  readonly onChain: bigint | null
  readonly holds: bigint
  /** Owed to merchants. */
  readonly owed: bigint
  /** Reserved for refunds that wait. */
  readonly kept: bigint
  /** Unclaimed money. */
  readonly suspense: bigint
  /** The operator's own: `holds` minus everything that is owed, kept and in suspense. */
  readonly float: bigint
}

/** Fees and debts of a token. They belong to no account. */
export interface OfToken {
  readonly token: Caip.Token
  /** Fees that were earned and not returned. They are part of the float until they are taken out. */
  readonly fees: bigint
  /** What merchants owe after refunds. */
  readonly debt: bigint
}

export interface Balances {
  readonly mode: Mode.Mode
  readonly accounts: ReadonlyArray<OfAccount>
  readonly tokens: ReadonlyArray<OfToken>
}

type Booked = Omit<OfAccount, "onChain">

const accountsOf = (balances: Ledger.Balances): ReadonlyArray<Booked> => {
  const found = new Map<string, Booked>()
  for (const { account, balance, token } of balances.values()) {
    const address = Ledger.holderOf(account)
    if (address === undefined) continue
    const key = `${token.chainId} ${address} ${token.address}`
    const none = { token, address, holds: 0n, owed: 0n, kept: 0n, suspense: 0n, float: 0n }
    const before = found.get(key) ?? none
    found.set(key, {
      ...before,
      float: before.float + balance,
      ...(account._tag === "Collecting" && { holds: before.holds + balance }),
      ...(account._tag === "Owed" && { owed: before.owed - balance }),
      ...(account._tag === "Kept" && { kept: before.kept - balance }),
      ...(account._tag === "Suspense" && { suspense: before.suspense - balance }),
    })
  }
  return [...found.entries()]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, each]) => each)
}

const tokensOf = (balances: Ledger.Balances): ReadonlyArray<OfToken> => {
  const found = new Map<string, OfToken>()
  for (const { account, balance, token } of balances.values()) {
    if (account._tag !== "Fees" && account._tag !== "Debt") continue
    const key = Caip.tokenKey(token)
    const { debt, fees } = found.get(key) ?? { debt: 0n, fees: 0n }
    found.set(key, {
      token,
      fees: account._tag === "Fees" ? fees - balance : fees,
      debt: account._tag === "Debt" ? debt + balance : debt,
    })
  }
  return [...found.values()].filter(({ debt, fees }) => debt !== 0n || fees !== 0n)
}

/** The timeout of a chain's response. A chain that takes longer counts as unknown. */
const responseTimeout = "4 seconds"

/** The ledger's balances next to the chains' balances. */
export const look = Effect.fn("Balances.look")(function* (mode: Mode.Mode) {
  const chain = (yield* Chains).of(mode)
  const balances = yield* (yield* LedgerStore).balances(mode, null)
  // A chain that timed out once is not asked again: an account has many tokens.
  const silent = new Set<Caip.ChainId>()
  const onChain = ({ address, token }: Booked) =>
    Effect.suspend(() =>
      !chain.chainIds.includes(token.chainId) || silent.has(token.chainId)
        ? Effect.succeed(null)
        : chain.balance(token, address).pipe(
            Effect.timeout(responseTimeout),
            Effect.catch(() =>
              Effect.sync(() => {
                silent.add(token.chainId)
                return null
              }),
            ),
          ),
    )
  const all = yield* Effect.forEach(
    accountsOf(balances),
    (each) => Effect.map(onChain(each), (has): OfAccount => ({ ...each, onChain: has })),
    { concurrency: 16 },
  )
  const accounts = all.filter(
    ({ float, holds, kept, onChain: has, owed, suspense }) =>
      (has ?? 0n) !== 0n || [float, holds, kept, owed, suspense].some((each) => each !== 0n),
  )
  const found: Balances = { mode, accounts, tokens: tokensOf(balances) }
  return found
})
