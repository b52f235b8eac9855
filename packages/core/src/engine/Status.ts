/**
 * What an operator must know now: what waits, fails, costs or is owed, and which of it needs a person.
 *
 * Each part is read separately and with a timeout: a chain that hangs makes only its own part fail, which is a finding
 * of its own. The limits are those of the alerts in deploy/prometheus.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as ChainState from "../domain/chain/ChainState.ts"
import * as DenyList from "../domain/chain/DenyList.ts"
import * as ClockDrift from "../domain/ground/ClockDrift.ts"
import * as Limits from "../domain/ground/Limits.ts"
import * as Mode from "../domain/ground/Mode.ts"
import type * as Webhook from "../domain/notify/Webhook.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { type Chain, Chains } from "../ports/Chain.ts"
import { type Backlog, DueWork } from "../ports/DueWork.ts"
import { InflowStore } from "../ports/InflowStore.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import { Outbox } from "../ports/Outbox.ts"
import type { Storage } from "../ports/Storage.ts"
import * as ChainHealth from "./ChainHealth.ts"
import * as DenyLists from "./DenyLists.ts"
import * as Float from "./Float.ts"
import * as Lanes from "./Lanes.ts"
import * as Relaying from "./Relaying.ts"
import * as Stuck from "./Stuck.ts"

/** The parts that need only the storage. */
export const storageParts = [
  "storage",
  "work",
  "money",
  "halts",
  "unclaimed",
  "float",
  "debts",
  "webhooks",
  "merchants",
  "screening",
] as const

/** The parts that need the chains. */
export const chainParts = ["gas", "budgets", "nodes", "tokens"] as const

export type Part = (typeof storageParts | typeof chainParts)[number]

interface OfMode {
  readonly mode: Mode.Mode
}

interface OfToken extends OfMode {
  readonly token: Caip.Token
}

interface OfChain extends OfMode {
  readonly chainId: Caip.ChainId
}

/** A part that could not be read; `chainId` is null if the part is not about one chain. */
interface Unread {
  readonly part: Part
  readonly chainId: Caip.ChainId | null
}

type Tagged<Tag extends string, Fields> = Fields & { readonly _tag: Tag }

/** Something that an operator should know. */
export type Found =
  /** A part did not respond in time: nothing is known of it. */
  | Tagged<"Unread", Unread>
  /** By how much our clock is ahead of the storage's; negative if it is behind. */
  | Tagged<"ClockOff", { readonly driftInMs: number }>
  /** Nothing new can be written. */
  | Tagged<"StorageFull", { readonly message: string }>
  /** Due work that no worker does. */
  | Tagged<"WorkWaits", Pick<Backlog, "count" | "group" | "kind"> & { readonly ageInMs: number }>
  | Tagged<"Stuck", Stuck.Group>
  | Tagged<"ChainHalted", OfChain & ChainState.Halt>
  | Tagged<"TokenStopped", OfToken & { readonly reason: string; readonly stoppedAt: number }>
  | Tagged<"Unclaimed", OfToken & { readonly count: number; readonly quantity: bigint }>
  | Tagged<"FloatShort", OfMode & Float.ShortAccount>
  | Tagged<"Debt", OfToken & { readonly quantity: bigint }>
  /** Deliveries of an endpoint that were not made. */
  | Tagged<
      "WebhookLags",
      {
        readonly endpointId: Webhook.EndpointId
        readonly count: number
        readonly ageInMs: number
      }
    >
  /** Merchants that wait for approval; there may be more of them. */
  | Tagged<"MerchantsWait", { readonly count: number; readonly hasMore: boolean }>
  /** The last good list stays in force until the operator decides. */
  | Tagged<"DenyListRefused", DenyList.Refusal>
  | Tagged<"GasLow", OfMode & ChainHealth.Sender>
  /** Transactions behind a skipped nonce wait. */
  | Tagged<"NonceGap", OfMode & Pick<ChainHealth.Sender, "account"> & { readonly gaps: number }>
  | Tagged<"BudgetSpent", OfMode & Relaying.GasBudget>
  /** Nodes are numbered from 1 in the order of their configuration. */
  | Tagged<"NodeDown", OfChain & { readonly node: number; readonly of: number }>
  | Tagged<
      "NodeBehind",
      OfChain & { readonly node: number; readonly of: number; readonly behindInMs: number }
    >
  /** No node shows a new block; null if none responds. */
  | Tagged<"ChainStalled", OfChain & { readonly headAgeInMs: number | null }>
  /** What each node shows at one height that is final; null for one that shows nothing there. */
  | Tagged<
      "NodesDiffer",
      OfChain & { readonly blocks: ReadonlyArray<ChainState.Checkpoint | null> }
    >
  | Tagged<"NodesLack", OfChain & { readonly message: string }>
  /** A token that should be offered and is not. */
  | Tagged<"TokenLeftOut", OfToken & { readonly message: string }>

/** Whether a person must act on it. Other findings resolve by themselves, or may be intended. */
export type Finding = Found & { readonly isRed: boolean }

export interface Status {
  /** Epoch milliseconds. */
  readonly at: number
  /** Whether any finding needs a person. */
  readonly isRed: boolean
  /** Findings that need a person come first; within both groups, live money before test money. */
  readonly findings: ReadonlyArray<Finding>
  /** Parts that were read and have no findings. */
  readonly fine: ReadonlyArray<Part>
  /** Parts that were not read, because no chains could be asked. */
  readonly skipped: ReadonlyArray<Part>
}

const minuteInMs = 60_000
const workAgeMaxInMs = 5 * minuteInMs
const waitMaxInMs = 60 * minuteInMs
const webhookLagMaxInMs = 15 * minuteInMs
const driftMaxInMs = Limits.clockDriftMaxInMs / 2
const nodeBehindMaxInMs = minuteInMs
const headAgeMaxInMs = 5 * minuteInMs
const gasMinInHours = 24
/** With gas for fewer ordinary payments than this, somebody should bring more gas soon. */
export const gasMinInPayments = 100n
/** The most waiting merchants that are counted. */
const waitingMax = 100
/** A budget is reported from this share on. */
const budgetToldFrom = 0.8

interface Reading<R> {
  readonly part: Part
  readonly chainId?: Caip.ChainId
  readonly read: Effect.Effect<ReadonlyArray<Finding>, unknown, R>
}

const red = (found: Found): Finding => ({ ...found, isRed: true })
const judged = (found: Found, isRed: boolean): Finding => ({ ...found, isRed })

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
  return [
    ...(Math.abs(driftInMs) > driftMaxInMs ? [red({ _tag: "ClockOff", driftInMs })] : []),
    ...(Result.isFailure(room)
      ? [red({ _tag: "StorageFull", message: room.failure.message })]
      : []),
  ]
})

const work = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const backlog = yield* (yield* DueWork).backlog(now)
  return backlog.flatMap(({ count, group, kind, oldestDueAt }) => {
    const ageInMs = now - oldestDueAt
    return ageInMs > workAgeMaxInMs ? [red({ _tag: "WorkWaits", kind, group, count, ageInMs })] : []
  })
})

const webhooks = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const pending = yield* (yield* Outbox).pending
  return pending.flatMap(({ count, endpointId, oldestAt }) => {
    const ageInMs = now - oldestAt
    return ageInMs > webhookLagMaxInMs
      ? [red({ _tag: "WebhookLags", endpointId, count, ageInMs })]
      : []
  })
})

const merchants = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const { length } = yield* accounts.findMerchants({ _tag: "Waiting", limit: waitingMax + 1 })
  const count = Math.min(length, waitingMax)
  return length === 0 ? [] : [red({ _tag: "MerchantsWait", count, hasMore: length > waitingMax })]
})

const screening = Effect.map(DenyLists.current, (list) => {
  const refusal = DenyList.refusalOf(list)
  return refusal === null ? [] : [red({ _tag: "DenyListRefused", ...refusal })]
})

/** Codes of deliberate states that may last: a freeze, a daily limit, a delay of a change. */
const meant: ReadonlySet<Stuck.Stuck["code"]> = new Set(["frozen", "limit", "destination"])

const money = (mode: Mode.Mode) =>
  Effect.map(Stuck.list(mode), (all) =>
    Stuck.groups(all).map((group) =>
      judged(
        { _tag: "Stuck", ...group },
        group.isHeld || (group.oldest.ageInMs > waitMaxInMs && !meant.has(group.code)),
      ),
    ),
  )

const halts = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const chains = yield* Lanes.listHalted(mode)
    const tokens = yield* Lanes.stoppedTokens(mode)
    return [
      ...chains.map((each) => red({ _tag: "ChainHalted", mode, ...each })),
      ...tokens.map((each) => red({ _tag: "TokenStopped", mode, ...each })),
    ]
  })

const unclaimed = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const assets = yield* Assets
    const sums = yield* (yield* InflowStore).sums(mode)
    return sums.map(({ count, quantity, token }) =>
      // Anybody may send less than that as a nuisance.
      judged(
        { _tag: "Unclaimed", mode, token, count, quantity },
        quantity >= 10n ** BigInt(assets.find(token)?.decimals ?? 0),
      ),
    )
  })

const float = (mode: Mode.Mode) =>
  Effect.map(Float.shortAccounts(mode), (all) =>
    all.map((each) => red({ _tag: "FloatShort", mode, ...each })),
  )

const debts = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const owing = yield* (yield* LedgerStore).owing(mode, null)
    return owing.map(({ quantity, token }) =>
      judged({ _tag: "Debt", mode, token, quantity }, false),
    )
  })

/** The readings that need no chain. */
const ofStorage: ReadonlyArray<Reading<Storage | Assets>> = [
  { part: "storage", read: storage },
  { part: "work", read: work },
  { part: "webhooks", read: webhooks },
  { part: "merchants", read: merchants },
  { part: "screening", read: screening },
  ...Mode.Mode.literals.flatMap((mode): ReadonlyArray<Reading<Storage | Assets>> => [
    { part: "halts", read: halts(mode) },
    { part: "money", read: money(mode) },
    { part: "unclaimed", read: unclaimed(mode) },
    { part: "float", read: float(mode) },
    { part: "debts", read: debts(mode) },
  ]),
]

const gas = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.map(ChainHealth.senders(mode, chain, chainId), (all) =>
    all.flatMap((each): ReadonlyArray<Finding> => {
      const { account, coins, lane, lastsInHours } = each
      const ordinary = chain.gasCost(chainId)?.ordinary ?? 0n
      const isLow =
        coins === 0n ||
        coins < ordinary * gasMinInPayments ||
        (lastsInHours !== null && lastsInHours < gasMinInHours)
      const gaps = lane?.gaps ?? 0
      return [
        ...(isLow ? [red({ _tag: "GasLow", mode, ...each })] : []),
        // Workers fill gaps by themselves, so a gap may be gone a moment later.
        ...(gaps > 0 ? [judged({ _tag: "NonceGap", mode, account, gaps }, false)] : []),
      ]
    }),
  )

const nodes = (mode: Mode.Mode, chain: Chain["Service"], chainId: Caip.ChainId) =>
  Effect.gen(function* () {
    const { differing, headAgeInMs, nodes: all } = yield* ChainHealth.nodes(chain, chainId)
    const of = all.length
    const stalled = headAgeInMs === null || headAgeInMs > headAgeMaxInMs
    const single = all.flatMap(({ behindInMs }, index): ReadonlyArray<Finding> => {
      const node = { mode, chainId, node: index + 1, of }
      if (behindInMs === null)
        return headAgeInMs === null ? [] : [red({ _tag: "NodeDown", ...node })]
      return behindInMs > nodeBehindMaxInMs
        ? [red({ _tag: "NodeBehind", ...node, behindInMs })]
        : []
    })
    const lacks = (yield* chain.lacks).filter((each) => each.chainId === chainId)
    return [
      ...(stalled ? [red({ _tag: "ChainStalled", mode, chainId, headAgeInMs })] : []),
      ...single,
      ...(differing === null
        ? []
        : [red({ _tag: "NodesDiffer", mode, chainId, blocks: differing })]),
      ...lacks.map(({ message }) => judged({ _tag: "NodesLack", mode, chainId, message }, false)),
    ]
  })

/** A process that has just started checks its tokens first. */
const tokens = (mode: Mode.Mode, { faults, offered }: Chain["Service"]) =>
  Effect.map(Effect.andThen(offered, faults), (all) =>
    all.map((each) => red({ _tag: "TokenLeftOut", mode, ...each })),
  )

const budgets = (mode: Mode.Mode) =>
  Effect.gen(function* () {
    const all = yield* Relaying.gasBudgets(mode, yield* Clock.currentTimeMillis)
    return all.flatMap((each) =>
      each.isSpent || Number(each.spent) >= Number(each.limit) * budgetToldFrom
        ? [judged({ _tag: "BudgetSpent", mode, ...each }, each.isSpent)]
        : [],
    )
  })

const ofChain = (
  mode: Mode.Mode,
  chain: Chain["Service"],
): ReadonlyArray<Reading<Storage | Assets | Chains>> => [
  { part: "budgets", read: budgets(mode) },
  { part: "tokens", read: tokens(mode, chain) },
  ...chain.chainIds.flatMap((chainId): ReadonlyArray<Reading<Storage>> => [
    { part: "nodes", chainId, read: nodes(mode, chain, chainId) },
    { part: "gas", chainId, read: gas(mode, chain, chainId) },
  ]),
]

/** The timeout of a part. A part that takes longer counts as unread. */
const readsWithin = "4 seconds"

interface PartFindings extends Pick<Reading<never>, "part"> {
  readonly findings: ReadonlyArray<Finding>
}

const gather = <R>(readings: ReadonlyArray<Reading<R>>) =>
  Effect.forEach(
    readings,
    ({ chainId = null, part, read }) =>
      read.pipe(
        Effect.timeout(readsWithin),
        Effect.catchCause(() => Effect.succeed([red({ _tag: "Unread", part, chainId })])),
        Effect.map((findings): PartFindings => ({ part, findings })),
      ),
    { concurrency: "unbounded" },
  )

/** Findings that need a person come first, and live money before test money. */
const rank = (finding: Finding): number =>
  (finding.isRed ? 0 : 2) + ("mode" in finding && finding.mode === "test" ? 1 : 0)

/** The parts that read nothing from the storage. */
const ofChainAlone: ReadonlySet<Part> = new Set(["nodes", "tokens"])

/**
 * Reports each unread part once, although both modes have it. If the storage does not respond, only that is reported.
 */
const once = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
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

/** The parts that could not be read, including those left out because the storage does not respond. */
export const unreadParts = (findings: ReadonlyArray<Finding>): ReadonlyArray<Unread> =>
  findings.flatMap((each): ReadonlyArray<Unread> => {
    if (each._tag !== "Unread") return []
    if (each.part !== "storage") return [each]
    const ofStorageToo = [...storageParts, ...chainParts].filter((part) => !ofChainAlone.has(part))
    return ofStorageToo.map((part) => ({ part, chainId: null }))
  })

const make = (
  at: number,
  all: ReadonlyArray<PartFindings>,
  skipped: ReadonlyArray<Part>,
): Status => {
  const findings = once(all.flatMap((each) => each.findings))
  return {
    at,
    isRed: findings.some(({ isRed }) => isRed),
    findings: findings.toSorted((left, right) => rank(left) - rank(right)),
    fine: [...storageParts, ...chainParts].filter(
      (part) =>
        !skipped.includes(part) &&
        all.every((each) => each.part !== part || each.findings.length === 0),
    ),
    skipped,
  }
}

/** Reads all parts. It takes at most a few seconds, even if a chain hangs. */
export const look = Effect.fn("Status.look")(function* () {
  const at = yield* Clock.currentTimeMillis
  const { of } = yield* Chains
  const ofChains = Mode.Mode.literals.flatMap((mode) => ofChain(mode, of(mode)))
  const all = yield* gather([...ofStorage, ...ofChains])
  return make(at, all, [])
})

/** Reads the storage's parts, if no chain can be asked. */
export const lookInStorage = Effect.fn("Status.lookInStorage")(function* () {
  const at = yield* Clock.currentTimeMillis
  return make(at, yield* gather(ofStorage), chainParts)
})
