/**
 * Everything that an operator should know, in one table: a row for each kind of finding, with its severity, its
 * threshold, its words, and the commands that help. `Status.ts` reads what is found.
 *
 * `florin status`, `/readyz`, the metrics, the operator's API and webhook, the alerts of Prometheus, the lines in the
 * panels of Grafana, and the table in docs/operations.md follow from it.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Catalog from "../../domain/chain/Catalog.ts"
import type * as ChainState from "../../domain/chain/ChainState.ts"
import type * as DenyList from "../../domain/chain/DenyList.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as Obstacle from "../../domain/chain/Obstacle.ts"
import * as Age from "../../domain/ground/Age.ts"
import * as ClockDrift from "../../domain/ground/ClockDrift.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Payout from "../../domain/list/Payout.ts"
import * as TokenAmount from "../../domain/money/TokenAmount.ts"
import type * as Webhook from "../../domain/notify/Webhook.ts"
import type { Backlog } from "../../ports/DueWork.ts"
import type * as Float from "../books/Float.ts"
import type * as ChainHealth from "../chain/ChainHealth.ts"
import type * as Relaying from "../chain/Relaying.ts"
import * as Metrics from "../record/Metrics.ts"
import type * as Stuck from "./Stuck.ts"

/** The parts that need only the storage, as a sentence names them. */
const ofStorage = {
  storage: "storage and clock",
  work: "due work",
  money: "payouts, refunds and returns",
  halts: "stopped chains and tokens",
  unclaimed: "unclaimed money",
  float: "float",
  debts: "debts",
  webhooks: "webhook endpoints",
  merchants: "merchants to approve",
  screening: "deny list",
} as const

/** The parts that need the chains. */
const ofChains = { gas: "gas", budgets: "gas budgets", nodes: "nodes", tokens: "tokens" } as const

const partNames = { ...ofStorage, ...ofChains }
export type Part = keyof typeof partNames

export const storageParts: ReadonlyArray<Part> = Struct.keys(ofStorage)
export const chainParts: ReadonlyArray<Part> = Struct.keys(ofChains)

const names = new Map<string, string>(Object.entries(partNames))
/** Names of parts, as a sentence lists them. */
export const namesOf = (parts: ReadonlyArray<string>): string =>
  parts.map((part) => names.get(part) ?? part).join(", ")

interface OfMode {
  readonly mode: Mode.Mode
}
interface OfToken extends OfMode {
  readonly token: Caip.Token
}
interface OfChain extends OfMode {
  readonly chainId: Caip.ChainId
}
/** Nodes are numbered from 1 in the order of their configuration. */
interface OfNode extends OfChain {
  readonly node: number
  readonly of: number
}
/** A part that could not be read; `chainId` is null if the part is not about one chain. */
export interface Unread {
  readonly part: Part
  readonly chainId: Caip.ChainId | null
}
interface Message {
  readonly message: string
}

/** What each kind of finding says as data. */
interface Fields {
  /** A part did not respond in time: nothing is known of it. */
  readonly Unread: Unread
  /** By how much our clock is ahead of the storage's; negative if it is behind. */
  readonly ClockOff: { readonly driftInMs: number }
  readonly StorageFull: Message
  readonly WorkWaits: Pick<Backlog, "count" | "group" | "kind"> & { readonly ageInMs: number }
  readonly Stuck: Stuck.Group
  readonly ChainHalted: OfChain & ChainState.Halt
  readonly TokenStopped: OfToken & { readonly reason: string; readonly stoppedAt: number }
  readonly Unclaimed: OfToken & { readonly count: number; readonly quantity: bigint }
  readonly FloatShort: OfMode & Float.ShortAccount
  readonly Debt: OfToken & { readonly quantity: bigint }
  readonly WebhookLags: {
    readonly endpointId: Webhook.EndpointId
    readonly count: number
    readonly ageInMs: number
  }
  /** There may be more of them than are counted. */
  readonly MerchantsWait: { readonly count: number; readonly hasMore: boolean }
  readonly DenyListRefused: DenyList.Refusal
  readonly GasLow: OfMode & ChainHealth.Sender
  readonly NonceGap: OfMode & Pick<ChainHealth.Sender, "account"> & { readonly gaps: number }
  readonly BudgetSpent: OfMode & Relaying.GasBudget
  readonly NodeDown: OfNode
  readonly NodeBehind: OfNode & { readonly behindInMs: number }
  /** The age is null if no node responds. */
  readonly ChainStalled: OfChain & { readonly headAgeInMs: number | null }
  /** What each node shows at one height that is final; null for one that shows nothing there. */
  readonly NodesDiffer: OfChain & { readonly blocks: ReadonlyArray<ChainState.Checkpoint | null> }
  readonly NodesLack: OfChain & Message
  readonly TokenLeftOut: OfToken & Message
}

export type Tag = keyof Fields
export type FoundOf<T extends Tag> = { readonly [K in T]: Fields[K] & { readonly _tag: K } }[T]
/** Something that an operator should know. */
export type Found = FoundOf<Tag>
/** Whether a person must act on it. Other findings resolve by themselves, or may be intended. */
export type Finding = Found & { readonly isRed: boolean }

/** A person acts immediately, on the same day, or need not act. */
export type Severity = "note" | "page" | "ticket"

/** A command that helps, and the operation of the operator's API that does the same, if there is one. */
export interface Remedy {
  readonly command: string
  readonly operation: string | null
  /** The parameters and the body of the operation. */
  readonly request: { readonly [member: string]: Schema.Json }
}

/** What words are made with. */
interface Say {
  readonly catalog: Catalog.Catalog
  readonly now: number
  readonly amount: (token: Caip.Token, quantity: bigint) => string
  readonly json: (token: Caip.Token, quantity: bigint) => { unit: string; value: string }
  readonly where: (of: OfChain) => string
  readonly account: (account: Caip.Account) => string
}

interface Row<F> {
  readonly part: Part
  /** What happened, in a few words for the tables of the documentation. */
  readonly means: string
  /** How urgent it is if a person must act; `note` if nobody must. */
  readonly severity: Severity
  /** From where on a person must act, and what is compared with it. */
  readonly threshold?: {
    readonly is: "<" | ">" | ">="
    readonly value: number
    readonly unit: string
  }
  readonly reading?: (found: F, catalog: Catalog.Catalog) => number | null
  /** What it is below the threshold; nothing if it does not say. */
  readonly otherwise?: "note"
  /** Decides in place of the threshold; null if it is no finding. */
  readonly judge?: (found: F) => "note" | "red" | null
  /** What distinguishes it from others of its kind, if there can be others. */
  readonly of?: (found: F) => ReadonlyArray<string | number | null>
  readonly text: (found: F, say: Say) => string
  /** In the order in which they help: the first ones show, the last one decides. `florin doctor` if it is left out. */
  readonly remedies?: (found: F, say: Say) => ReadonlyArray<Remedy>
  /** What programs and the webhook get as fields, if it is not all that was found. */
  readonly details?: (found: F, say: Say) => Schema.JsonObject
  /** A detail that may name a payer's account, and goes to no webhook. */
  readonly withheld?: string
}

const minuteInMs = 60_000
const workAgeMaxInMs = 5 * minuteInMs
const waitMaxInMs = 60 * minuteInMs
const webhookLagMaxInMs = 15 * minuteInMs
const driftMaxInMs = Limits.clockDriftMaxInMs / 2
const nodeBehindMaxInMs = minuteInMs
const headAgeMaxInMs = 5 * minuteInMs
/** With gas for less time, or for fewer ordinary payments, somebody should bring more gas soon. */
export const gasMinInHours = 24
export const gasMinInPayments = 100n
/** A budget is reported from this share on. */
const budgetToldFrom = 0.8

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

const by = (
  command: string,
  operation: string | null = null,
  request: Remedy["request"] = {},
): Remedy => ({ command: `florin ${command}`, operation, request })

const doctor = by("doctor")
const byStuck = by("stuck", "status.stuck")
const byShort = by("float short", "outflows.short")
const byRelayers = by("relayers list", "relayers.list")
const byReconcile = by("reconcile", "reconciliation.run")
/** What resumes a chain or a token that was stopped. */
export const byResume = (chainId: string): Remedy =>
  by(`chains resume ${chainId}`, "chains.resume", { chainId })
export const byResumeToken = (asset: string): Remedy =>
  by(`assets resume ${asset}`, "chains.resumeToken", { asset })
export const byReturn = (inflowId: string): Remedy =>
  by(`unclaimed return ${inflowId}`, "inflows.return", { inflowId })

/** What decides about stuck money; null if it continues by itself, or stays held as a test asked. */
export const ofStuck = (
  { code, isHeld, movement, outflow, paymentIds, reason }: Stuck.Stuck,
  catalog: Catalog.Catalog,
): Remedy | null => {
  const { token } = movement
  // A retry is held again; a refund releases the share.
  if (reason === Obstacle.requested) {
    return outflow !== null && Payout.isPayout(outflow)
      ? by(`refunds create ${paymentIds.join(" ")}`)
      : null
  }
  if (outflow !== null && isHeld) {
    const [word, operation] = code === "moved" ? ["show", "get"] : ["retry", "retry"]
    return by(`payouts ${word} ${outflow.id}`, `outflows.${operation}`, { outflowId: outflow.id })
  }
  switch (code) {
    case "stopped":
      return byResumeToken(Family.formatToken(catalog, token))
    case "halted":
      return byResume(token.chainId)
    case "float":
      return byShort
    default:
      return null
  }
}

/** The same for several that are stuck for one reason. */
const ofGroup = (
  { code, count, isHeld, mode, oldest }: Stuck.Group,
  catalog: Catalog.Catalog,
): ReadonlyArray<Remedy> => {
  if (code === "float") return [byShort]
  if (!isHeld) return [byStuck]
  if (count === 1) {
    const { outflow } = oldest
    const decides = ofStuck(oldest, catalog)
    const shows =
      outflow === null || code === "moved"
        ? []
        : [by(`payouts show ${outflow.id}`, "outflows.get", { outflowId: outflow.id })]
    return decides === null ? [byStuck] : [...shows, decides]
  }
  if (code === "moved") return [byStuck]
  const request = { mode, reason: code }
  return [
    byStuck,
    by(`payouts retry-all --held-for ${code} --mode ${mode}`, "outflows.retryAll", request),
  ]
}

/** Codes of deliberate states that may last: a freeze, a daily limit, a delay of a change. */
const meant: ReadonlySet<Stuck.Stuck["code"]> = new Set(["frozen", "limit", "destination"])

const ofToken = ({ mode, token }: OfToken) => [mode, Caip.tokenKey(token)]
const ofChain = ({ chainId, mode }: OfChain) => [mode, chainId]
const ofNode = ({ chainId, mode, node }: OfNode) => [mode, chainId, node]
const ofAccount = ({ account, mode }: OfMode & { readonly account: Caip.Account }) => [
  mode,
  account.chainId,
  account.address,
]

/** 1 for an account that may spend nothing. */
export const spentShare = ({ limit, spent }: Relaying.GasBudget): number =>
  limit === 0n ? 1 : Number(spent) / Number(limit)

const nodeText = (found: OfNode, say: Say, state: string): string =>
  `Node ${found.node} of ${found.of} of ${say.where(found)} ${state}: ask its provider, or replace it`

export const table: { readonly [T in Tag]: Row<FoundOf<T>> } = {
  Unread: {
    part: "storage",
    means: "a part failed, or did not respond in time",
    severity: "page",
    of: ({ chainId, part }) => [part, chainId],
    text: ({ chainId, part }, { catalog }) =>
      `Could not read ${partNames[part]}${chainId === null ? "" : ` of ${Catalog.networkName(catalog, chainId)}`}: it failed, or did not respond within 4 s`,
  },
  ClockOff: {
    part: "storage",
    means: "a clock differs from the storage's; at 1 s its process stops working",
    severity: "page",
    threshold: { is: ">", value: driftMaxInMs / 1000, unit: "seconds" },
    reading: ({ driftInMs }) => Math.abs(driftInMs) / 1000,
    text: ({ driftInMs }) =>
      ClockDrift.isTooFar(driftInMs)
        ? ClockDrift.messageOf(driftInMs)
        : `The clock of this machine is ${Math.abs(driftInMs)} ms off the storage's: set both by NTP`,
  },
  StorageFull: {
    part: "storage",
    means: "the storage does not respond, or its disk is full",
    severity: "page",
    text: ({ message }) => `${message}. Nothing new is written until then`,
  },
  WorkWaits: {
    part: "work",
    means: "no worker runs, or workers cannot keep up",
    severity: "page",
    threshold: { is: ">", value: workAgeMaxInMs / 1000, unit: "seconds" },
    reading: ({ ageInMs }) => ageInMs / 1000,
    of: ({ group, kind }) => [kind, group],
    text: ({ ageInMs, count, kind }) =>
      `${counted(count, "task")} of kind ${kind} ${count === 1 ? "is" : "are"} due and not done, for ${Age.text(ageInMs)}: make sure that a worker runs and keeps up`,
    remedies: () => [by("serve --role worker")],
  },
  Stuck: {
    part: "money",
    means:
      "outgoing money is held, or has waited for an hour, except for a freeze, a daily limit or a change of a destination",
    severity: "ticket",
    threshold: { is: ">", value: waitMaxInMs / 1000, unit: "seconds" },
    reading: ({ oldest }) => oldest.ageInMs / 1000,
    judge: ({ code, isHeld, oldest }) =>
      isHeld || (oldest.ageInMs > waitMaxInMs && !meant.has(code)) ? "red" : "note",
    of: ({ chainId, code, isHeld, mode }) => [mode, chainId, code, isHeld ? "held" : "waiting"],
    text: (found, { amount, where }) => {
      const { code, count, isHeld, oldest, quantities } = found
      const what = counted(count, "transfer")
      const state = isHeld ? (count === 1 ? "is held" : "are held") : count === 1 ? "waits" : "wait"
      const since = `${count === 1 ? "for" : "the oldest for"} ${Age.text(oldest.ageInMs)}`
      const sum = quantities.map(({ quantity, token }) => amount(token, quantity)).join(" and ")
      return `${what} on ${where(found)} ${state}, ${since} (${sum}): ${Obstacle.meanings[code]}`
    },
    remedies: (found, { catalog }) => ofGroup(found, catalog),
    details: ({ chainId, code, count, isHeld, mode, oldest, quantities }, { json }) => ({
      mode,
      chain: chainId,
      state: isHeld ? "held" : "waiting",
      code,
      count,
      amounts: quantities.map(({ quantity, token }) => json(token, quantity)),
      ageInMs: oldest.ageInMs,
      reason: oldest.reason,
    }),
    withheld: "reason",
  },
  ChainHalted: {
    part: "halts",
    means: "nothing is sent on a chain until you resume it",
    severity: "page",
    of: ofChain,
    text: (found, { now, where }) =>
      `Sending on ${where(found)} stopped ${Age.text(now - found.haltedAt)} ago: ${found.reason}. Find out what happened before you resume it. After a restore, first record what was sent (\`florin payouts record <txHash>\`, docs/operations.md#7-back-up): it would be sent again`,
    remedies: ({ chainId }) => [byReconcile, byResume(chainId)],
  },
  TokenStopped: {
    part: "halts",
    means: "a token is not sent until you resume it",
    severity: "ticket",
    of: ofToken,
    text: ({ mode, reason, stoppedAt, token }, { catalog, now, where }) =>
      `Sending ${catalog.find(token)?.symbol ?? "token"} on ${where({ ...token, mode })} stopped ${Age.text(now - stoppedAt)} ago: ${reason}`,
    remedies: ({ token }, { catalog }) => [
      byStuck,
      byResumeToken(Family.formatToken(catalog, token)),
    ],
  },
  Unclaimed: {
    part: "unclaimed",
    means: "money that no payment claims arrived; below the threshold it is a note",
    severity: "ticket",
    // Anybody may send less than that as a nuisance.
    threshold: { is: ">=", value: 1, unit: "tokens" },
    reading: ({ quantity, token }, catalog) => Metrics.units(quantity, token, catalog),
    otherwise: "note",
    of: ofToken,
    text: ({ count, mode, quantity, token }, { amount, where }) =>
      `${counted(count, "transfer")} to your accounts on ${where({ ...token, mode })} ${count === 1 ? "belongs" : "belong"} to no payment, ${amount(token, quantity)}`,
    remedies: () => [by("unclaimed list", "inflows.list")],
  },
  FloatShort: {
    part: "float",
    means: "a transfer waits for your own money",
    severity: "ticket",
    of: ({ address, mode, token }) => [...ofToken({ mode, token }), address],
    text: ({ address, count, missing, mode, token }, say) =>
      `${say.account({ chainId: token.chainId, address })} (${mode}) lacks ${say.amount(token, missing)} of your own money: ${counted(count, "transfer waits", "transfers wait")} for it`,
    remedies: () => [byShort],
  },
  Debt: {
    part: "debts",
    means: "merchants owe money after refunds, or after payouts that were recorded",
    severity: "note",
    of: ofToken,
    text: ({ mode, quantity, token }, { amount, where }) =>
      `Merchants owe ${amount(token, quantity)} on ${where({ ...token, mode })} after refunds or recorded payouts: their next payouts deduct it`,
    remedies: () => [],
  },
  WebhookLags: {
    part: "webhooks",
    means: "an endpoint is 15 minutes behind",
    severity: "ticket",
    threshold: { is: ">", value: webhookLagMaxInMs / 1000, unit: "seconds" },
    reading: ({ ageInMs }) => ageInMs / 1000,
    of: ({ endpointId }) => [endpointId],
    text: ({ ageInMs, count, endpointId }) =>
      `Webhook endpoint ${endpointId} is ${Age.text(ageInMs)} behind with ${counted(count, "delivery", "deliveries")}: notify its partner`,
    remedies: () => [by("webhooks endpoints list", "webhooks.list")],
  },
  MerchantsWait: {
    part: "merchants",
    means: "merchants wait for your approval",
    severity: "ticket",
    text: ({ count, hasMore }) =>
      `${hasMore ? "More than " : ""}${counted(count, "merchant waits", "merchants wait")} for your approval`,
    remedies: () => [by("merchants waiting", "merchants.waiting")],
  },
  DenyListRefused: {
    part: "screening",
    means:
      "the deny list lost more than a tenth of its addresses: the last good list stays in force",
    severity: "ticket",
    text: ({ inForce, lost, since }, { now }) =>
      `The deny list lost ${lost.length} of ${counted(inForce, "address", "addresses")} ${Age.text(now - since)} ago, and was refused: the last good list stays in force. Restore the file, or confirm it if that is intended`,
    remedies: ({ digest }) => [
      by("screening show", "screening.get"),
      by(`screening confirm ${digest}`, "screening.confirm", { digest }),
    ],
    details: ({ digest, inForce, listed, lost, since }, { now }) => ({
      digest,
      listed,
      inForce,
      lost: lost.length,
      ageInMs: now - since,
    }),
  },
  GasLow: {
    part: "gas",
    means: "an account has no coin for gas, or less than for a day or for 100 payments",
    severity: "page",
    threshold: { is: "<", value: gasMinInHours, unit: "hours" },
    reading: ({ lastsInHours }) => lastsInHours,
    // Also if it has gas for too few payments, whatever time that takes.
    judge: () => "red",
    of: ofAccount,
    text: ({ account: of, coins, lastsInHours, mode, unitsPerCoin }, say) => {
      const coin = say.catalog.network(of.chainId)?.coin ?? "coins"
      const lasts =
        lastsInHours === null || coins === 0n
          ? ""
          : `, for ${Age.text(lastsInHours * 3_600_000)} at its last rate`
      return `${say.account(of)} (${mode}) has ${Number(coins) / Number(unitsPerCoin)} ${coin} for gas${lasts}: send it more`
    },
    remedies: () => [byRelayers],
  },
  NonceGap: {
    part: "gas",
    means: "transactions wait behind a skipped nonce",
    // Workers fill gaps by themselves, so a gap may be gone a moment later.
    severity: "note",
    of: ofAccount,
    text: ({ account: of, gaps, mode }, say) =>
      `${say.account(of)} (${mode}) skipped ${counted(gaps, "nonce")}: workers fill them, and later transactions wait`,
  },
  BudgetSpent: {
    part: "budgets",
    means: "an account spent its `spendPerHour`; from 80 % on it is a note",
    severity: "ticket",
    threshold: { is: ">=", value: 1, unit: "share" },
    reading: spentShare,
    judge: (found) => (found.isSpent ? "red" : spentShare(found) >= budgetToldFrom ? "note" : null),
    of: ofAccount,
    text: (found, say) => {
      const whose = `${say.account(found.account)} (${found.mode})`
      return found.isSpent
        ? `${whose} spent its gas budget and collects nothing until the next hour: raise spendPerHour if this is honest traffic`
        : `${whose} spent ${Math.floor(spentShare(found) * 100)} % of its gas budget of this hour`
    },
    remedies: () => [byRelayers],
  },
  NodeDown: {
    part: "nodes",
    means: "a node does not respond",
    severity: "ticket",
    of: ofNode,
    text: (found, say) => nodeText(found, say, "does not respond"),
  },
  NodeBehind: {
    part: "nodes",
    means: "a node is a minute behind the others of its chain",
    severity: "ticket",
    threshold: { is: ">", value: nodeBehindMaxInMs / 1000, unit: "seconds" },
    reading: ({ behindInMs }) => behindInMs / 1000,
    of: ofNode,
    text: (found, say) => nodeText(found, say, `is ${Age.text(found.behindInMs)} behind`),
  },
  ChainStalled: {
    part: "nodes",
    means: "no node shows a new block, or none responds",
    severity: "page",
    threshold: { is: ">", value: headAgeMaxInMs / 1000, unit: "seconds" },
    reading: ({ headAgeInMs }) => headAgeInMs && headAgeInMs / 1000,
    judge: ({ headAgeInMs }) =>
      headAgeInMs === null || headAgeInMs > headAgeMaxInMs ? "red" : null,
    of: ofChain,
    text: (found, { where }) =>
      `No node of ${where(found)} ${found.headAgeInMs === null ? "responds" : `has shown a new block for ${Age.text(found.headAgeInMs)}`}: payments there wait`,
  },
  NodesDiffer: {
    part: "nodes",
    means: "nodes show different blocks at the same final height",
    severity: "page",
    of: ofChain,
    text: (found, { where }) => {
      const { blocks } = found
      const number = blocks.find((block) => block !== null)?.number ?? 0
      const shown = blocks.flatMap((block, index) =>
        block === null ? [] : [`node ${index + 1} ${block.hash.slice(0, 14)}…`],
      )
      return `Nodes of ${where(found)} show different blocks at height ${number}: ${shown.join(", ")}. Payments there wait: compare the hashes with a block explorer, and remove the wrong node`
    },
  },
  NodesLack: {
    part: "nodes",
    means: "a node cannot do everything that the service needs",
    severity: "note",
    of: ofChain,
    text: (found, { where }) => `${where(found)}: ${found.message}`,
  },
  TokenLeftOut: {
    part: "tokens",
    means: "a token is not offered, for example because it is paused",
    severity: "ticket",
    of: ofToken,
    text: ({ message, mode }) => `Not offered to payers (${mode}): ${message}`,
  },
}

export const tags: ReadonlyArray<Tag> = Struct.keys(table)

/** The name of a finding for programs: `chain_halted` */
export const nameOf = (tag: string): string => Metrics.labelOf(tag)

const isOver = <F>({ reading, threshold }: Row<F>, found: F, catalog: Catalog.Catalog): boolean => {
  const read = reading?.(found, catalog) ?? null
  if (threshold === undefined || read === null) return true
  const { is, value } = threshold
  return is === "<" ? read < value : is === ">" ? read > value : read >= value
}

/** What is found with whether a person must act; null if it is within its threshold. */
export const judge = <T extends Tag>(
  found: FoundOf<T>,
  catalog: Catalog.Catalog,
): (FoundOf<T> & { readonly isRed: boolean }) | null => {
  const row: Row<FoundOf<T>> = table[found._tag]
  const verdict = row.judge
    ? row.judge(found)
    : isOver(row, found, catalog)
      ? "red"
      : (row.otherwise ?? null)
  if (verdict === null) return null
  return { ...found, isRed: verdict === "red" && row.severity !== "note" }
}

/** A finding in words and data, as the operator's API shows it. */
export interface Described {
  /** Stays the same as long as it is the same problem, even if its numbers change. */
  readonly key: string
  /** Such as `chain_halted`. */
  readonly finding: string
  readonly part: Part
  readonly severity: Severity
  readonly message: string
  readonly reading: number | null
  readonly threshold: number | null
  readonly unit: string | null
  readonly remedies: ReadonlyArray<Remedy>
  readonly details: Schema.JsonObject
}

export const partOf = (found: Found): Part =>
  found._tag === "Unread" ? found.part : table[found._tag].part

/** Whether a finding is of this kind. */
export const isOf =
  <T extends Tag>(tag: T) =>
  (found: Finding): found is Extract<Finding, { readonly _tag: T }> =>
    found._tag === tag

/** The chain that a finding is about, if it is about one. */
export const chainOf = (found: Found): Caip.ChainId | null =>
  "chainId" in found ? found.chainId : "account" in found ? found.account.chainId : null

const say = (catalog: Catalog.Catalog, now: number): Say => ({
  catalog,
  now,
  amount: (token, quantity) => TokenAmount.text(token, quantity, catalog),
  json: (token, quantity) => TokenAmount.json(token, quantity, catalog),
  where: ({ chainId, mode }) => `${Catalog.networkName(catalog, chainId)} (${mode})`,
  account: (of) => Family.formatAccount(catalog, of),
})

const isJson = Schema.is(Schema.Json)
/** What `detailsOf` renders in a way of its own, or not at all. */
const special: ReadonlySet<string> = new Set(["_tag", "account", "address", "isRed", "token"])

/** All that was found, as the API has it: CAIP ids, amounts of tokens, texts for large numbers, ages for times. */
const detailsOf = (found: Found, { account, catalog, json, now }: Say): Schema.JsonObject => ({
  ...("token" in found && { asset: Family.formatToken(catalog, found.token) }),
  ...("account" in found && { account: account(found.account) }),
  ...("address" in found && { account: account({ ...found.token, address: found.address }) }),
  ...Object.fromEntries(
    Object.entries(found).flatMap(
      ([name, value]): ReadonlyArray<readonly [string, Schema.Json]> => {
        if (special.has(name)) return []
        if (name === "chainId") return [["chain", isJson(value) ? value : null]]
        if (name.endsWith("At")) return [["ageInMs", now - Number(value)]]
        if (typeof value !== "bigint") return isJson(value) ? [[name, value]] : []
        if (!("token" in found)) return [[name, value.toString()]]
        return [[name === "quantity" ? "amount" : name, json(found.token, value)]]
      },
    ),
  ),
})

const wordsOf = <T extends Tag>(found: FoundOf<T>, words: Say) => {
  const row: Row<FoundOf<T>> = table[found._tag]
  const finding = nameOf(found._tag)
  return {
    key: [finding, ...(row.of?.(found) ?? [])].join(" "),
    finding,
    message: row.text(found, words),
    reading: row.reading?.(found, words.catalog) ?? null,
    threshold: row.threshold?.value ?? null,
    unit: row.threshold?.unit ?? null,
    remedies: row.remedies?.(found, words) ?? [doctor],
    details: row.details?.(found, words) ?? null,
  }
}

/** What an operator reads about a finding. */
export const describe = (found: Finding, catalog: Catalog.Catalog, now: number): Described => {
  const words = say(catalog, now)
  const { details, finding, key, ...others } = wordsOf(found, words)
  return {
    key,
    finding,
    part: partOf(found),
    severity: found.isRed ? table[found._tag].severity : "note",
    ...others,
    details: details ?? detailsOf(found, words),
  }
}
