/**
 * What our accounts have, and whose it is.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Caip from "../domain/Caip.ts"
import * as Ledger from "../domain/Ledger.ts"
import type * as Mode from "../domain/Mode.ts"
import { type Chain, Chains } from "../ports/Chain.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"

/** A token on an account of ours. All but `onChain` is what the ledger says. */
export interface OfAccount {
  readonly token: Caip.Token
  readonly address: Caip.Address
  /** Null if the chain was not asked, or did not answer. */
  readonly onChain: bigint | null
  readonly holds: bigint
  /** To merchants. */
  readonly owed: bigint
  /** Reserved for refunds that wait. */
  readonly kept: bigint
  /** Late and unclaimed money. */
  readonly suspense: bigint
  /** What is ours: `holds` less all that is owed, kept and in suspense. */
  readonly float: bigint
}

/** A token, whichever account it is on. */
export interface OfToken {
  readonly token: Caip.Token
  /** What was earned and not given back. It is a part of the float until it is taken out. */
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

/** A chain that takes longer is not known. */
const answersWithin = "4 seconds"

const read = Effect.fnUntraced(function* (mode: Mode.Mode, chain: Chain["Service"] | null) {
  const balances = yield* (yield* LedgerStore).balances(mode, null)
  // Once it let somebody wait, it is asked no more: an account has many tokens.
  const silent = new Set<Caip.ChainId>()
  const onChain = ({ address, token }: Booked) =>
    Effect.suspend(() =>
      chain === null || !chain.chainIds.includes(token.chainId) || silent.has(token.chainId)
        ? Effect.succeed(null)
        : chain.balance(token, address).pipe(
            Effect.timeout(answersWithin),
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

/** What the ledger says, next to what the chains have. */
export const look = Effect.fn("Balances.look")(function* (mode: Mode.Mode) {
  return yield* read(mode, (yield* Chains).of(mode))
})

/** What the ledger says, where no chain can be asked. */
export const lookInStorage = Effect.fn("Balances.lookInStorage")((mode: Mode.Mode) =>
  read(mode, null),
)
