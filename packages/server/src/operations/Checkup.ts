/**
 * Checks a service's live chains and books, without changing anything in them.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as Family from "@florin/core/domain/chain/Family"
import * as Money from "@florin/core/domain/ground/Money"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as DenyLists from "@florin/core/engine/chain/DenyLists"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Checklist from "@florin/core/engine/status/Checklist"
import * as Stuck from "@florin/core/engine/status/Stuck"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"

const { reportChecked, reportUnchecked } = Checklist

/** With less gas than for this many payments, somebody should be about to add more. */
const paymentsMin = 100n

const coinDecimals = 18

/** Accounts whose coins do not last for this many payments. */
const ofGas = Effect.gen(function* () {
  const chain = (yield* Chains).of("live")
  const assets = yield* Assets
  const each = yield* Effect.forEach(
    chain.accounts,
    (account) =>
      Effect.gen(function* () {
        const name = Family.formatAccount(chain.catalog, account)
        const coins = yield* Effect.option(chain.coins(account))
        if (coins._tag === "None") return `${name}: no node of the chain responds`
        const ordinary = chain.gasCost(account.chainId)?.ordinary ?? 1n
        if (coins.value >= ordinary * paymentsMin) return null
        const text = Money.toDecimal(Money.clamp(coins.value, Money.largest), coinDecimals)
        const coin = assets.network(account.chainId)?.coin ?? "coins"
        const lasts = coins.value === 0n ? "" : `, for ${coins.value / ordinary} payments`
        return `${name}: ${text} ${coin}${lasts}`
      }),
    { concurrency: 8 },
  )
  return reportChecked(
    "gas",
    each.filter((wrong) => wrong !== null),
  )
})

const ofOffers = Effect.gen(function* () {
  const chain = (yield* Chains).of("live")
  const offered = yield* chain.offered
  const [faults, lacks] = yield* Effect.all([chain.faults, chain.lacks])
  const silent = chain.chainIds.filter((chainId) =>
    offered.every(({ asset }) => asset.token.chainId !== chainId),
  )
  return reportChecked("nodes", [
    ...silent.map(
      (chainId) => `${Catalog.networkName(chain.catalog, chainId)}: nothing is offered`,
    ),
    ...faults.map(({ message }) => message),
    ...lacks.map(({ chainId, message }) => `${chainId}: ${message}`),
  ])
})

/** Transfers from strangers make a balance too high, and transfers in progress pass: only a missing amount is wrong. */
const ofBooks = Effect.gen(function* () {
  const assets = yield* Assets
  const report = yield* Effect.option(Reconciler.check("live"))
  if (report._tag === "None") return reportUnchecked("books", "a chain does not respond")
  const { differences, unserved, unsound } = report.value
  const missing = differences.filter(({ chain, ledger }) => chain < ledger)
  return reportChecked("books", [
    ...missing.map((line) => Reconciler.lineText(line, assets)),
    ...unserved.map((held) => Reconciler.unservedText(held, assets)),
    ...(unsound.length === 0 ? [] : [`${unsound.length} ledger accounts are overdrawn`]),
  ])
})

const ofDenyList = Effect.map(DenyLists.current, (list) => {
  const refusal = DenyList.refusalOf(list)
  if (refusal === null && list.inForce === null) {
    return reportUnchecked("screening", "no list is in force")
  }
  return reportChecked(
    "screening",
    refusal === null
      ? []
      : [`denyList lost ${refusal.lost.length} of ${refusal.inForce} addresses, and was refused`],
  )
})

/** What a running service can check by itself. */
export const items = ["nodes", "halted", "gas", "books", "credit", "screening", "stuck"] as const

/** Checks the live chains and books. */
export const look = Effect.gen(function* () {
  const answers = yield* ofOffers
  const halted = yield* Lanes.listHalted("live")
  const partners = yield* (yield* AccountStore).partners(null)
  const stuck = yield* Stuck.list("live")
  const held = stuck.filter(({ isHeld }) => isHeld)
  return [
    answers,
    reportChecked(
      "halted",
      halted.map(({ chainId, reason }) => `${chainId}: ${reason}`),
    ),
    yield* ofGas,
    yield* ofBooks,
    reportChecked(
      "credit",
      partners
        .filter(({ credit }) => credit?.live?._tag === "Unlimited")
        .map(({ id, name }) => `${id} (${name})`),
    ),
    yield* ofDenyList,
    reportChecked("stuck", held.length === 0 ? [] : [`${held.length} are held`]),
  ]
})
