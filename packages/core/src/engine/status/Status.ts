/**
 * What an operator must know now: what waits, fails, costs or is owed, and which of it needs a person.
 *
 * Each part is read separately and with a timeout: a chain that hangs makes only its own part fail, which is a finding
 * of its own. A reading has what was found, judged by `Findings.ts`, and the figures of the same for metrics.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as Catalog from "../../domain/chain/Catalog.ts"
import * as DenyList from "../../domain/chain/DenyList.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as ClockDrift from "../../domain/ground/ClockDrift.ts"
import * as Mode from "../../domain/ground/Mode.ts"
import type * as Outflow from "../../domain/outflow/Outflow.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { type Chain, Chains } from "../../ports/Chain.ts"
import { DueWork } from "../../ports/DueWork.ts"
import { InflowStore } from "../../ports/InflowStore.ts"
import { LedgerStore, owingOf } from "../../ports/LedgerStore.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { OutflowStore } from "../../ports/OutflowStore.ts"
import type { Storage } from "../../ports/Storage.ts"
import * as Float from "../books/Float.ts"
import * as ChainHealth from "../chain/ChainHealth.ts"
import * as DenyLists from "../chain/DenyLists.ts"
import * as Lanes from "../chain/Lanes.ts"
import * as Relaying from "../chain/Relaying.ts"
import * as Metrics from "../record/Metrics.ts"
import * as Findings from "./Findings.ts"
import * as Stuck from "./Stuck.ts"

export interface Status {
  /** Epoch milliseconds. */
  readonly at: number
  /** Whether any finding needs a person. */
  readonly isRed: boolean
  /** Findings that need a person come first; within both groups, live money before test money. */
  readonly findings: ReadonlyArray<Findings.Finding>
  /** Parts that were read and have no findings. */
  readonly fine: ReadonlyArray<Findings.Part>
  /** Parts that were not read, because no chains could be asked. */
  readonly skipped: ReadonlyArray<Findings.Part>
}

/** What a reading saw: candidates for findings, and figures. */
interface Seen {
  readonly found: ReadonlyArray<Findings.Found>
  readonly figures: ReadonlyArray<Metrics.Figure>
}

/** A part of the state, which is read on its own. */
export interface Reading {
  readonly part: Findings.Part
  readonly chainId?: Caip.ChainId
  readonly read: Effect.Effect<Seen, unknown, Assets | Chains | Storage>
  /** The figures if it cannot be read. */
  readonly unread?: ReadonlyArray<Metrics.Figure>
  /** Whether it takes no call of a node, so that readiness may look at it each time. */
  readonly isQuick?: true
}

const { figure } = Metrics

const seen = (found: Seen["found"], figures: Seen["figures"] = []): Seen => ({ found, figures })

const secondsSince = (at: number, now: number): number => Math.max(0, now - at) / 1000

/** The most waiting merchants that are counted. */
const waitingMax = 100

/** By how much our clock is ahead of the storage's; negative if it is behind. */
export const clockDrift = Effect.gen(function* () {
  const work = yield* DueWork
  const before = yield* Clock.currentTimeMillis
  const there = yield* work.time
  const after = yield* Clock.currentTimeMillis
  return ClockDrift.measure(before, there, after)
})

const storage = Effect.gen(function* () {
  const driftInMs = yield* clockDrift
  const room = yield* Effect.result((yield* DueWork).requireRoom)
  const isFull = Result.isFailure(room)
  return seen(
    [
      { _tag: "ClockOff", driftInMs },
      ...(isFull ? [{ _tag: "StorageFull", message: room.failure.message } as const] : []),
    ],
    [
      figure("florin_storage_up", {}, isFull ? 0 : 1),
      figure("florin_clock_offset_seconds", {}, driftInMs / 1000),
    ],
  )
})

const work = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const backlog = yield* (yield* DueWork).backlog(now)
  return seen(
    backlog.map(({ count, group, kind, oldestDueAt }) => ({
      _tag: "WorkWaits",
      kind,
      group,
      count,
      ageInMs: now - oldestDueAt,
    })),
    backlog.flatMap(({ count, group: chain, kind, oldestDueAt }) => [
      figure("florin_due_work", { kind, chain }, count),
      figure("florin_due_work_oldest_seconds", { kind, chain }, secondsSince(oldestDueAt, now)),
    ]),
  )
})

const webhooks = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const pending = yield* (yield* Outbox).pending
  return seen(
    pending.map(({ count, endpointId, oldestAt }) => ({
      _tag: "WebhookLags",
      endpointId,
      count,
      ageInMs: now - oldestAt,
    })),
    pending.flatMap(({ count, endpointId: endpoint, oldestAt }) => [
      figure("florin_webhook_pending", { endpoint }, count),
      figure("florin_webhook_lag_seconds", { endpoint }, secondsSince(oldestAt, now)),
    ]),
  )
})

const merchants = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const { length } = yield* accounts.findMerchants({ _tag: "Waiting", limit: waitingMax + 1 })
  const count = Math.min(length, waitingMax)
  return seen(length === 0 ? [] : [{ _tag: "MerchantsWait", count, hasMore: length > waitingMax }])
})

const screening = Effect.map(DenyLists.current, (list) => {
  const refusal = DenyList.refusalOf(list)
  return seen(refusal === null ? [] : [{ _tag: "DenyListRefused", ...refusal }])
})

const labelsOfOutflow = ({ mode, movement, purpose, state }: Outflow.Outflow) => ({
  mode,
  chain: movement.token.chainId,
  purpose: purpose._tag.toLowerCase(),
  state: state._tag.toLowerCase(),
})

const money = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const open = yield* (yield* OutflowStore).openOutflows(mode)
    const alike = Arr.groupBy(open.map(labelsOfOutflow), (each) => Object.values(each).join(" "))
    const stuck = Stuck.groups(yield* Stuck.list(mode))
    return seen(
      stuck.map((group) => ({ _tag: "Stuck", ...group })),
      [
        ...Object.values(alike).map((each) => figure("florin_outflows", each[0], each.length)),
        ...stuck.flatMap(({ chainId: chain, code, count, isHeld, oldest }) => {
          const labels = { mode, chain, code, held: String(isHeld) }
          return [
            figure("florin_stuck", labels, count),
            figure("florin_stuck_oldest_seconds", labels, oldest.ageInMs / 1000),
          ]
        }),
      ],
    )
  })

const halts = (mode: Mode.Mode, { chainIds }: Chain["Service"]) =>
  Effect.gen(function* () {
    const chains = yield* Lanes.listHalted(mode)
    const tokens = yield* Lanes.stoppedTokens(mode)
    const halted = new Set<string>(chains.map(({ chainId }) => chainId))
    return seen(
      [
        ...chains.map(
          ({ chainId, haltedAt, reason }) =>
            ({ _tag: "ChainHalted", mode, chainId, haltedAt, reason }) as const,
        ),
        ...tokens.map(
          ({ reason, stoppedAt, token }) =>
            ({ _tag: "TokenStopped", mode, token, reason, stoppedAt }) as const,
        ),
      ],
      chainIds.map((chain) =>
        figure("florin_chain_halted", { mode, chain }, halted.has(chain) ? 1 : 0),
      ),
    )
  })

/** Labels and value of an amount of a token, and of one on one of our accounts. */
const ofToken = (
  mode: Mode.Mode,
  { quantity, token }: { readonly quantity: bigint; readonly token: Caip.Token },
  catalog: Catalog.Catalog,
) => [Metrics.tokenLabels(mode, token, catalog), Metrics.units(quantity, token, catalog)] as const
const ofHolding = (
  mode: Mode.Mode,
  address: Caip.Address,
  of: { readonly quantity: bigint; readonly token: Caip.Token },
  catalog: Catalog.Catalog,
) => {
  const [labels, value] = ofToken(mode, of, catalog)
  const account = Family.formatAddress(catalog, { chainId: of.token.chainId, address })
  return [{ ...labels, account }, value] as const
}

const unclaimed = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const catalog = yield* Assets
    const sums = yield* (yield* InflowStore).sums(mode)
    return seen(
      sums.map((each) => ({ _tag: "Unclaimed", mode, ...each })),
      sums.map((each) => figure("florin_unclaimed", ...ofToken(mode, each, catalog))),
    )
  })

const debts = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const catalog = yield* Assets
    const ledger = yield* LedgerStore
    const owing = yield* owingOf(ledger, mode, null)
    const holdings = yield* ledger.holdings(mode, null)
    return seen(
      owing.map(({ quantity, token }) => ({ _tag: "Debt", mode, token, quantity })),
      [
        ...owing.map((each) => figure("florin_debt", ...ofToken(mode, each, catalog))),
        ...holdings.flatMap(({ collecting, holds, owed, token }) => {
          const of = (quantity: bigint) => ofHolding(mode, collecting, { token, quantity }, catalog)
          return [figure("florin_owed", ...of(owed)), figure("florin_float", ...of(holds - owed))]
        }),
      ],
    )
  })

const float = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const catalog = yield* Assets
    const short = yield* Float.shortAccounts(mode)
    return seen(
      short.map((each) => ({ _tag: "FloatShort", mode, ...each })),
      short.map(({ address, missing: quantity, token }) =>
        figure("florin_float_short", ...ofHolding(mode, address, { token, quantity }, catalog)),
      ),
    )
  })

const labelsOf = (mode: Mode.Mode, account: Caip.Account, catalog: Catalog.Catalog) => ({
  mode,
  chain: account.chainId,
  account: Family.formatAddress(catalog, account),
})

const gas = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.map(ChainHealth.senders(mode, chain, chainId), (all): Seen => {
    const ordinary = chain.gasCost(chainId)?.ordinary ?? 0n
    return {
      found: all.flatMap((each): ReadonlyArray<Findings.Found> => {
        const { account, coins, lane, lastsInHours } = each
        const isLow =
          coins === 0n ||
          coins < ordinary * Findings.gasMinInPayments ||
          (lastsInHours !== null && lastsInHours < Findings.gasMinInHours)
        const gaps = lane?.gaps ?? 0
        return [
          ...(isLow ? [{ _tag: "GasLow", mode, ...each } as const] : []),
          ...(gaps > 0 ? [{ _tag: "NonceGap", mode, account, gaps } as const] : []),
        ]
      }),
      figures: all.flatMap(({ account, coins, lane, lastsInHours, unitsPerCoin }) => {
        const labels = labelsOf(mode, account, chain.catalog)
        return [
          figure("florin_relayer_coin", labels, Number(coins) / Number(unitsPerCoin)),
          ...(lastsInHours === null
            ? []
            : [figure("florin_relayer_gas_hours", labels, lastsInHours)]),
          ...(lane === null
            ? []
            : [
                figure("florin_lane_waiting_transactions", labels, lane.waiting),
                figure("florin_lane_nonce_gaps", labels, lane.gaps),
              ]),
        ]
      }),
    }
  })

const nodes = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.map(ChainHealth.nodes(chain, chainId), ({ differing, headAgeInMs, nodes: all }): Seen => {
    const of = all.length
    const labels = { mode, chain: chainId }
    return {
      found: [
        { _tag: "ChainStalled", mode, chainId, headAgeInMs },
        ...all.flatMap(({ behindInMs }, index): ReadonlyArray<Findings.Found> => {
          const node = { mode, chainId, node: index + 1, of }
          if (behindInMs !== null) return [{ _tag: "NodeBehind", ...node, behindInMs }]
          return headAgeInMs === null ? [] : [{ _tag: "NodeDown", ...node }]
        }),
        ...(differing === null
          ? []
          : [{ _tag: "NodesDiffer", mode, chainId, blocks: differing } as const]),
      ],
      figures: [
        ...all.flatMap(({ behindInMs }, index) => {
          const node = { ...labels, node: String(index + 1) }
          return [
            figure("florin_node_up", node, behindInMs === null ? 0 : 1),
            ...(behindInMs === null
              ? []
              : [figure("florin_node_behind_seconds", node, behindInMs / 1000)]),
          ]
        }),
        figure("florin_nodes_differ", labels, differing === null ? 0 : 1),
        ...(headAgeInMs === null
          ? []
          : [figure("florin_chain_head_age_seconds", labels, headAgeInMs / 1000)]),
      ],
    }
  })

const lacks = (mode: Mode.Mode, chain: Chain["Service"]) =>
  Effect.map(chain.lacks, (all) => seen(all.map((each) => ({ _tag: "NodesLack", mode, ...each }))))

const tokens = (mode: Mode.Mode, { catalog, faults }: Chain["Service"]) =>
  Effect.map(faults, (all): Seen => ({
    found: all.map((each) => ({ _tag: "TokenLeftOut", mode, ...each })),
    figures: all.map(({ token }) =>
      figure("florin_token_left_out", Metrics.tokenLabels(mode, token, catalog), 1),
    ),
  }))

const budgets = (mode: Mode.Mode, { catalog }: Chain["Service"]) =>
  Effect.gen(function* () {
    const all = yield* Relaying.gasBudgets(mode, yield* Clock.currentTimeMillis)
    return seen(
      all.map((each) => ({ _tag: "BudgetSpent", mode, ...each })),
      all.map((each) =>
        figure(
          "florin_gas_budget_spent_ratio",
          labelsOf(mode, each.account, catalog),
          Findings.spentShare(each),
        ),
      ),
    )
  })

const inMode = (
  mode: Mode.Mode,
  chain: Chain["Service"],
  waits: boolean,
): ReadonlyArray<Reading> => [
  { part: "halts", read: halts(mode, chain), isQuick: true },
  { part: "money", read: money(mode) },
  { part: "unclaimed", read: unclaimed(mode) },
  { part: "float", read: float(mode) },
  { part: "debts", read: debts(mode) },
  { part: "budgets", read: budgets(mode, chain), isQuick: true },
  {
    part: "tokens",
    read: waits ? Effect.andThen(chain.offered, tokens(mode, chain)) : tokens(mode, chain),
    isQuick: true,
  },
  { part: "nodes", read: lacks(mode, chain), isQuick: true },
  ...chain.chainIds.flatMap((chainId): ReadonlyArray<Reading> => [
    { part: "nodes", chainId, read: nodes(mode, chain, chainId) },
    { part: "gas", chainId, read: gas(mode, chain, chainId) },
  ]),
]

/** All parts of the state. `waits` is for a process that has just started, and checks its tokens first. */
export const readings = ({ waits }: { readonly waits: boolean }) =>
  Effect.map(Chains, ({ of }): ReadonlyArray<Reading> => [
    { part: "storage", read: storage, unread: [figure("florin_storage_up", {}, 0)] },
    { part: "work", read: work },
    { part: "webhooks", read: webhooks },
    { part: "merchants", read: merchants },
    { part: "screening", read: screening },
    ...Mode.Mode.literals.flatMap((mode) => inMode(mode, of(mode), waits)),
  ])

/** A reading that was made; what it saw is null if it failed or took too long. */
export interface Made {
  readonly reading: Reading
  readonly findings: ReadonlyArray<Findings.Finding>
  readonly figures: ReadonlyArray<Metrics.Figure> | null
}

/** Makes readings at the same time, each on its own. A part that takes longer counts as unread. */
export const make = (all: ReadonlyArray<Reading>, within = 4000) =>
  Effect.flatMap(Assets, (catalog) =>
    Effect.forEach(
      all,
      (reading) => {
        const { chainId = null, part } = reading
        return reading.read.pipe(
          Effect.timeout(within),
          Effect.map(({ figures, found }): Made => ({
            reading,
            findings: found.flatMap((each) => Findings.judge(each, catalog) ?? []),
            figures,
          })),
          Effect.catchCause(() =>
            Effect.succeed<Made>({
              reading,
              findings: [{ _tag: "Unread", part, chainId, isRed: true }],
              figures: null,
            }),
          ),
        )
      },
      { concurrency: "unbounded" },
    ),
  )

/** Findings that need a person come first, and live money before test money. */
const rank = (finding: Findings.Finding): number =>
  (finding.isRed ? 0 : 2) + ("mode" in finding && finding.mode === "test" ? 1 : 0)

/** The parts that read nothing from the storage. */
const ofChainAlone: ReadonlySet<Findings.Part> = new Set(["nodes", "tokens"])

/**
 * Reports each unread part once, although both modes have it. If the storage does not respond, only that is reported.
 */
const once = (findings: ReadonlyArray<Findings.Finding>): ReadonlyArray<Findings.Finding> => {
  const reported = new Set<string>()
  const isSilent = findings.some((each) => each._tag === "Unread" && each.part === "storage")
  return findings.filter((each) => {
    if (each._tag !== "Unread") return true
    const { chainId, part } = each
    const key = `${part} ${chainId}`
    const isNews = !reported.has(key)
    reported.add(key)
    return isNews && (!isSilent || part === "storage" || ofChainAlone.has(part))
  })
}

const parts = [...Findings.storageParts, ...Findings.chainParts]

/** The parts that could not be read, including those left out because the storage does not respond. */
export const unreadParts = (
  findings: ReadonlyArray<Findings.Finding>,
): ReadonlyArray<Findings.Unread> =>
  findings.flatMap((each): ReadonlyArray<Findings.Unread> => {
    if (each._tag !== "Unread") return []
    if (each.part !== "storage") return [each]
    return parts.filter((part) => !ofChainAlone.has(part)).map((part) => ({ part, chainId: null }))
  })

/**
 * Reads all parts. It takes at most a few seconds, even if a chain hangs. Without any chain, their parts are skipped.
 */
export const look = Effect.fn("Status.look")(function* () {
  const at = yield* Clock.currentTimeMillis
  const { of } = yield* Chains
  const hasChains = Mode.Mode.literals.some((mode) => of(mode).chainIds.length > 0)
  const skipped = hasChains ? [] : Findings.chainParts
  const all = (yield* readings({ waits: true })).filter(({ part }) => !skipped.includes(part))
  const found = (yield* make(all)).flatMap((each) => each.findings)
  const findings = once(found)
  const unfine = new Set(found.map(Findings.partOf))
  const status: Status = {
    at,
    isRed: findings.some(({ isRed }) => isRed),
    findings: findings.toSorted((left, right) => rank(left) - rank(right)),
    fine: parts.filter((part) => !skipped.includes(part) && !unfine.has(part)),
    skipped,
  }
  return status
})
