/**
 * Checks a service's database, chains and books, without changing anything in them.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as Family from "@florin/core/domain/chain/Family"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as DenyLists from "@florin/core/engine/DenyLists"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Stuck from "@florin/core/engine/Stuck"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import * as Reconciler from "@florin/core/workers/Reconciler"
import * as Effect from "effect/Effect"
import type * as Place from "../access/Place.ts"
import * as Books from "../serve/Books.ts"
import type * as Settings from "../serve/Settings.ts"
import * as Checklist from "./Checklist.ts"

const { reportChecked, reportUnchecked, reportWaiting } = Checklist

/** Checks the database of a PostgreSQL server before anything in it is opened. Other storages have no such checks. */
export const ofDatabase = Effect.fnUntraced(function* (place: Place.Place) {
  if (place._tag !== "Server") {
    const none = "there is no server"
    return [
      reportWaiting("schema", none),
      reportWaiting("disk", none),
      reportWaiting("clock", none),
    ]
  }
  const Postgres = yield* Effect.promise(() => import("@florin/postgres/Postgres"))
  const seen = yield* Effect.result(Postgres.inspect(place))
  if (seen._tag === "Failure") {
    const why = "the database cannot be used"
    return [
      reportChecked("schema", [seen.failure.message]),
      reportUnchecked("disk", why),
      reportUnchecked("clock", why),
    ]
  }
  const { clockDiffersInMs, forgetful, schema } = seen.success
  return [
    reportChecked(
      "schema",
      schema.found === schema.known ? [] : [`it has ${schema.found}, this release ${schema.known}`],
    ),
    reportChecked("disk", forgetful),
    reportChecked(
      "clock",
      clockDiffersInMs <= Limits.clockDriftMaxInMs ? [] : [`they differ by ${clockDiffersInMs} ms`],
    ),
  ]
})

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
const ofBooks = Effect.fnUntraced(function* ({ reconcileMinutes }: Settings.Values) {
  const assets = yield* Assets
  const never = reconcileMinutes === 0 ? ["reconcileMinutes is 0"] : []
  const report = yield* Effect.option(Reconciler.check("live"))
  if (report._tag === "None") return reportUnchecked("books", "a chain does not respond", ...never)
  const { differences, unserved, unsound } = report.value
  const missing = differences.filter(({ chain, ledger }) => chain < ledger)
  return reportChecked("books", [
    ...never,
    ...missing.map((line) => Books.lineText(line, assets)),
    ...unserved.map((held) => Books.unservedText(held, assets)),
    ...(unsound.length === 0 ? [] : [`${unsound.length} ledger accounts are overdrawn`]),
  ])
})

const ofDenyList = Effect.map(DenyLists.current, (list) => {
  const refusal = DenyList.refusalOf(list)
  return reportChecked(
    "screening",
    refusal === null
      ? []
      : [`denyList lost ${refusal.lost.length} of ${refusal.inForce} addresses, and was refused`],
  )
})

/** Checks the live chains and books, in an opened storage. */
export const ofBooksAndChains = Effect.fnUntraced(function* (values: Settings.Values) {
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
    yield* ofBooks(values),
    reportChecked(
      "credit",
      partners
        .filter(({ credit }) => credit?.live?._tag === "Unlimited")
        .map(({ id, name }) => `${id} (${name})`),
    ),
    ...(values.denyList === null ? [] : [yield* ofDenyList]),
    reportChecked("stuck", held.length === 0 ? [] : [`${held.length} are held`]),
  ]
})
