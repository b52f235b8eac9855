/**
 * What accounts hold, and what they let Permit2 take.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/Money"
import type * as OptionRouting from "@florin/core/domain/OptionRouting"
import { ChainUnavailable, type OfferedAsset } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { getAbiItem } from "viem/utils"
import * as Abi from "./Abi.ts"
import * as Calldata from "./Calldata.ts"
import * as Code from "./Code.ts"
import * as Head from "./Head.ts"
import type { Link } from "./Link.ts"
import * as Permit from "./Permit.ts"
import * as Queries from "./Queries.ts"
import * as Refusals from "./Refusals.ts"
import * as Views from "./Views.ts"

const functions = {
  balanceOf: Calldata.of(getAbiItem({ abi: Abi.erc20, name: "balanceOf" })),
  allowance: Calldata.of(getAbiItem({ abi: Abi.erc20, name: "allowance" })),
}

const balanceOf = ({ address: to }: Caip.Token, owner: Caip.Address): Views.View => ({
  to,
  data: functions.balanceOf([Queries.hex(owner)]),
})

const allowanceOf = ({ address: to }: Caip.Token, owner: Caip.Address): Views.View => ({
  to,
  data: functions.allowance([Queries.hex(owner), Queries.hex(Eip155.permit2Address)]),
})

const quantityOf = (word: bigint | null | undefined): Money.Quantity | null =>
  word === null || word === undefined ? null : Result.getOrNull(Money.fromBigInt(word))

/** As many go into one request with what they hold. */
const fewAccounts = 5

/** Which accounts have code, in the same request as what they hold; null if the node would need more. */
const codeOf = (rpc: Link["rpc"], addresses: ReadonlyArray<Caip.Address>) => {
  if (addresses.length <= fewAccounts) return Code.oneByOne(rpc, addresses)
  return rpc.learnt.takesProgram ? Code.inOneCall(rpc, addresses) : Effect.succeed(null)
}

const distinct = (addresses: ReadonlyArray<Caip.Address>) => [...new Set(addresses)]

/**
 * What accounts hold of offered tokens, both on the link's chain. A token that does not tell costs its own rows only:
 * they are left out, as nothing is known of them. So is an account that the token's blocklist names: it could not pay.
 */
export const of = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  accounts: ReadonlyArray<{ readonly account: Caip.Account; readonly accountText: string }>,
  assets: ReadonlyArray<OfferedAsset>,
) {
  const rows = assets.flatMap(({ asset, flows }) =>
    accounts.map((account) => ({
      ...account,
      token: asset.token,
      bars: Refusals.blocklistView(asset, account.account.address),
      byPermit2: flows.includes("permit2"),
      byPermit: flows.includes("permit"),
    })),
  )
  const taken = rows.filter(({ byPermit2 }) => byPermit2)
  const signed = rows.filter(({ byPermit }) => byPermit)
  const permitViews = signed.map(({ account, token }) =>
    Permit.viewsOf(token, account.address, [...config.accounts.keys()]),
  )
  const views = [
    ...rows.map(({ account, token }) => balanceOf(token, account.address)),
    ...taken.map(({ account, token }) => allowanceOf(token, account.address)),
    ...permitViews.flat(),
    ...rows.flatMap(({ bars }) => bars),
  ]
  const named = distinct(accounts.map(({ account }) => account.address))
  const [words, answered] = yield* Effect.all([Views.ask(rpc, views), codeOf(rpc, named)], {
    concurrency: "unbounded",
  })
  // Such a node is asked for few: nothing is offered to accounts that hold nothing.
  const asked =
    answered === null
      ? distinct(rows.flatMap((row, index) => (words[index] ? [row.account.address] : [])))
      : named
  const have = answered ?? (yield* Code.oneByOne(rpc, asked))
  const coded = new Set(asked.filter((_, index) => have[index]))
  const allowances = new Map(
    taken.map((row, index) => [row, quantityOf(words[rows.length + index])]),
  )
  let read = rows.length + taken.length
  const permits = new Map(
    signed.map((row, index) => {
      const known = Permit.read(words.slice(read, (read += permitViews[index]?.length ?? 0)))
      const isFree = known !== null && known.allowed.every((each) => each === 0n)
      return [row, isFree ? quantityOf(known.nonce) : null]
    }),
  )
  /** Accounts that the token does not bar, as it says itself. */
  const free = new Set(
    rows.filter(({ bars }) =>
      words.slice(read, (read += bars.length)).every((word) => word === 0n),
    ),
  )
  return rows.flatMap((row, index): ReadonlyArray<OptionRouting.Holding> => {
    const { account, accountText, byPermit2, token } = row
    const balance = quantityOf(words[index])
    const allowance = byPermit2 ? (allowances.get(row) ?? null) : Money.zero
    const permitNonce = permits.get(row) ?? null
    return balance === null || allowance === null || !free.has(row)
      ? []
      : [
          {
            account,
            accountText,
            token,
            balance,
            allowance,
            ...(permitNonce !== null && { permitNonce }),
            ...(coded.has(account.address) && { hasCode: true }),
          },
        ]
  })
})

/** One quantity, which is known or not. */
const one = Effect.fnUntraced(function* ({ rpc }: Link, view: Views.View, at?: Queries.At) {
  const [word] = yield* Views.ask(rpc, [view], at)
  return (
    quantityOf(word) ??
    (yield* new ChainUnavailable({
      chainId: rpc.chainId,
      message: `chain ${rpc.chainId}: the token does not report the balance`,
    }))
  )
})

/** What an account lets Permit2 take of a token. */
export const allowance = (link: Link, account: Caip.Account, token: Caip.Token, at?: Queries.At) =>
  one(link, allowanceOf(token, account.address), at)

/** What an address holds of a token. */
export const balance = (link: Link, token: Caip.Token, address: Caip.Address, at?: Queries.At) =>
  one(link, balanceOf(token, address), at)

/** What an address held of a token after a block, as one node tells it. */
export const balanceAfter = (token: Caip.Token, address: Caip.Address, block: number) =>
  Queries.word(balanceOf(token, address), block)

/**
 * What an address holds for sure: no more than it held when the newest final block was made, as what came since may still
 * go, and no more than it holds now. A node that does not keep the final block's state tells the second only.
 */
export const settledBalance = Effect.fnUntraced(function* (
  link: Link,
  token: Caip.Token,
  address: Caip.Address,
) {
  const { finality } = link.config
  const { number } = yield* Head.latest(link.rpc)
  const final = typeof finality === "number" ? Math.max(0, number - finality) : finality
  const [now, settled] = yield* Effect.all(
    [balance(link, token, address), Effect.result(balance(link, token, address, final))],
    { concurrency: "unbounded" },
  )
  return Result.isSuccess(settled) ? Money.min(now, settled.success) : now
})
