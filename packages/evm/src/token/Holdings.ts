/**
 * Reads token balances of accounts, and their allowances for Permit2.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import type * as OptionRouting from "@florin/core/domain/payment/OptionRouting"
import { ChainUnavailable, type OfferedAsset } from "@florin/core/ports/Chain"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Together from "../node/Together.ts"
import * as Abi from "../read/Abi.ts"
import * as Code from "../read/Code.ts"
import * as Head from "../read/Head.ts"
import type { Link } from "../read/Link.ts"
import * as Queries from "../read/Queries.ts"
import * as Views from "../read/Views.ts"
import * as Permit from "./Permit.ts"
import * as Refusals from "./Refusals.ts"

export const balanceOf = ({ address: to }: Caip.Token, owner: Caip.Address): Views.View => ({
  to,
  data: Abi.calls.balanceOf([Queries.hex(owner)]),
})

const allowanceOf = ({ address }: Caip.Token, owner: Caip.Address): Views.View =>
  Permit.allowanceOf(address, owner, Eip155.permit2Address)

const quantityOf = (word: bigint | null | undefined): Money.Quantity | null =>
  word === null || word === undefined ? null : Result.getOrNull(Money.fromBigInt(word))

/** This many accounts fit into one request together with their balances. */
const fewAccounts = 5

/** Which accounts have code, in the same request as their balances; null if the node would need more requests. */
const codeOf = (rpc: Link["rpc"], addresses: ReadonlyArray<Caip.Address>) => {
  if (addresses.length <= fewAccounts) return Code.oneByOne(rpc, addresses)
  return rpc.learnt.takesProgram ? Code.inOneCall(rpc, addresses) : Effect.succeed(null)
}

const distinct = (addresses: ReadonlyArray<Caip.Address>) => [...new Set(addresses)]

/**
 * Balances of the offered tokens for these accounts, all on the link's chain. If a token's balance cannot be read, only
 * its rows are left out, because nothing is known of them. An account on the token's blocklist is also left out,
 * because it could not pay.
 */
export const of = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  accounts: ReadonlyArray<{ readonly account: Caip.Account; readonly accountText: string }>,
  assets: ReadonlyArray<OfferedAsset>,
) {
  const rows = assets.flatMap(({ asset: { token }, asset, flows }) =>
    accounts.map(({ account: { address }, account, accountText }) => ({
      holder: { account, accountText, token },
      views: {
        balance: [balanceOf(token, address)],
        allowance: flows.includes("permit2") ? [allowanceOf(token, address)] : [],
        permit: flows.includes("permit")
          ? Permit.viewsOf(token, address, [...config.accounts.keys()])
          : [],
        bars: Refusals.blocklistView(asset, address),
      },
    })),
  )
  const named = distinct(accounts.map(({ account }) => account.address))
  const [words, response] = yield* Together.all([
    Views.askNamed(
      rpc,
      rows.map(({ views }) => views),
    ),
    codeOf(rpc, named),
  ])
  const answered = Arr.zip(rows, words)
  // Such a node is asked about few accounts: accounts that hold nothing are offered nothing.
  const asked =
    response === null
      ? distinct(
          answered.flatMap(([{ holder }, { balance }]) =>
            balance[0] ? [holder.account.address] : [],
          ),
        )
      : named
  const have = response ?? (yield* Code.oneByOne(rpc, asked))
  const coded = new Set(asked.filter((_, index) => have[index]))
  return answered.flatMap(([{ holder, views }, found]): ReadonlyArray<OptionRouting.Holding> => {
    const balance = quantityOf(found.balance[0])
    const allowance = views.allowance.length > 0 ? quantityOf(found.allowance[0]) : Money.zero
    const known = views.permit.length > 0 ? Permit.read(found.permit) : null
    const isFree = known?.allowed.every((each) => each === 0n) === true
    const permitNonce = isFree ? quantityOf(known.nonce) : null
    const isBarred = found.bars.some((word) => word !== 0n)
    return balance === null || allowance === null || isBarred
      ? []
      : [
          {
            ...holder,
            balance,
            allowance,
            ...(permitNonce !== null && { permitNonce }),
            ...(coded.has(holder.account.address) && { hasCode: true }),
          },
        ]
  })
})

/** Reads one quantity; it may be unknown. */
const one = Effect.fnUntraced(function* ({ rpc }: Link, view: Views.View, at?: Queries.At) {
  const [word] = yield* Views.ask(rpc, [view], at)
  return (
    quantityOf(word) ??
    (yield* ChainUnavailable.of(rpc.chainId, "the token does not report the balance"))
  )
})

/** How much of a token an account lets Permit2 take. */
export const allowance = (link: Link, account: Caip.Account, token: Caip.Token, at?: Queries.At) =>
  one(link, allowanceOf(token, account.address), at)

/** How much of a token an address holds. */
export const balance = (link: Link, token: Caip.Token, address: Caip.Address, at?: Queries.At) =>
  one(link, balanceOf(token, address), at)

/** How much of a token an address held after a block, as one node reports it. */
export const balanceAfter = (token: Caip.Token, address: Caip.Address, block: number) =>
  Queries.word(balanceOf(token, address), block)

/**
 * The balance of an address that is certain: the lower of its balance in the newest final block, because later arrivals
 * may still be reorganised away, and its balance now. If a node does not keep the final block's state, only the second
 * counts.
 */
export const settledBalance = Effect.fnUntraced(function* (
  link: Link,
  token: Caip.Token,
  address: Caip.Address,
) {
  const { finality } = link.config
  const { number } = yield* Head.latest(link.rpc)
  const final = typeof finality === "number" ? Math.max(0, number - finality) : finality
  const [now, settled] = yield* Together.all([
    balance(link, token, address),
    Effect.result(balance(link, token, address, final)),
  ])
  return Result.isSuccess(settled) ? Money.min(now, settled.success) : now
})
