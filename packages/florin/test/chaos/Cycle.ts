/**
 * One cycle: load with troubles, then quiet until everything is final or waits for a named reason, then the judgement.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Histories from "@florin/testing/oracle/Histories"
import * as Oracle from "@florin/testing/oracle/Oracle"
import * as Reading from "@florin/testing/oracle/Reading"
import type * as Cluster from "./Cluster.ts"
import * as Gathering from "./Gathering.ts"
import * as Load from "./Load.ts"

export interface Options {
  readonly cluster: Cluster.Cluster
  readonly seed: number
  readonly cycle: number
  /** At least as long as its troubles should last. */
  readonly loadInMs: number
  readonly perSecond: number
  /**
   * Resolves when all troubles are over; the payments that it adds expire with the others, and are judged with them.
   */
  readonly trouble: (known: Array<Load.Known>, expiresAt: number) => Promise<void>
  /** How long after the last trouble something may take without a named reason. */
  readonly patienceInMs: number
  /** All payments of the earlier cycles of this world. */
  readonly earlier: ReadonlyArray<Load.Known>
}

export interface Played {
  readonly known: ReadonlyArray<Load.Known>
  readonly refunds: number
  readonly perSecond: number
  readonly requests: number
  readonly quietInMs: number
  /** What waited for an operator, by its reason, and was decided by the command that `florin stuck` names. */
  readonly decided: ReadonlyArray<string>
  readonly violations: ReadonlyArray<Evidence.Violation>
}

/** Payments that nobody pays end this long after the load. */
const expiryInMs = 12_000

/** What has not ended, each with what is open. */
const openOf = async (
  cluster: Cluster.Cluster,
  known: ReadonlyArray<Load.Known>,
): Promise<ReadonlyArray<readonly [Load.Known, string]>> => {
  const left = [...known]
  const open: Array<readonly [Load.Known, string]> = []
  const reader = async (): Promise<void> => {
    const next = left.pop()
    if (next === undefined) return undefined
    const { id, shop } = next
    const payment = await Gathering.get(cluster, shop.key, `/v1/payments/${id}`, shop.merchantId)
    const unfinished = Histories.unfinished(payment)
    if (unfinished !== null) open.push([next, unfinished])
    return reader()
  }
  await Promise.all(Array.from({ length: 8 }, reader))
  return open
}

/** Events that no receiver has accepted yet. */
const undelivered = async (cluster: Cluster.Cluster): Promise<number> => {
  let missing = 0
  for (const [key, [shop]] of Reading.groupBy(cluster.shops, (each) => each.key)) {
    const arrived = new Set(
      (cluster.receiver.delivered.get(shop?.hook ?? "") ?? []).map((event) =>
        Reading.text(event, "id"),
      ),
    )
    let cursor = cluster.heard.get(key) ?? ""
    for (;;) {
      const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      // oxlint-disable-next-line no-await-in-loop -- Page by page.
      const page = await Gathering.get(cluster, key, `/v1/events?limit=100${query}`, null)
      const events = Reading.list(page, "data")
      const late = events.filter((event) => !arrived.has(Reading.text(event, "id"))).length
      missing += late
      if (events.length === 0) break
      cursor = Reading.text(page, "nextCursor")
      if (missing === 0) cluster.heard.set(key, cursor)
    }
  }
  return missing
}

/** Deliveries are retried by themselves once within this time, and then after minutes. */
const retriesInMs = 15_000

/** Partners whose receiver was down ask for what it missed, as their documentation says. */
const replay = (cluster: Cluster.Cluster, from: number) =>
  Promise.all(
    Array.from(Reading.groupBy(cluster.shops, (each) => each.key).values(), ([shop]) =>
      shop?.partner.webhooks.replay(shop.webhookId, {
        from: new Date(from).toISOString(),
        state: "pending",
      }),
    ),
  )

/** Waits until everything has ended, or too long; returns what is still open. */
const comeToRest = async (
  cluster: Cluster.Cluster,
  known: ReadonlyArray<Load.Known>,
  beganAt: number,
  endsAt: number,
): Promise<ReadonlyArray<readonly [Load.Known, string]>> => {
  let left = known
  let replaysAt = Date.now() + retriesInMs
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- It is looked again and again.
    const open = await openOf(cluster, left)
    // oxlint-disable-next-line no-await-in-loop
    const missing = open.length === 0 ? await undelivered(cluster) : 0
    const isOver = open.length === 0 && missing === 0
    if (isOver || Date.now() > endsAt) return open
    left = open.map(([each]) => each)
    if (open.length === 0 && Date.now() > replaysAt) {
      replaysAt = Infinity
      // oxlint-disable-next-line no-await-in-loop
      await replay(cluster, beganAt)
    }
    // oxlint-disable-next-line no-await-in-loop
    await setTimeout(500)
  }
}

/**
 * Waits until the ledger knows what the chain shows, or too long. What a payer sent late is found by a scan of final
 * blocks, seconds after everything else ended.
 */
const agree = async (cluster: Cluster.Cluster, endsAt: number): Promise<void> => {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- It is looked again and again.
    const agrees = await cluster.florin("reconcile").then(
      () => true,
      () => false,
    )
    if (agrees || Date.now() > endsAt) return
    // oxlint-disable-next-line no-await-in-loop
    await setTimeout(1000)
  }
}

/** What an operator does about everything that names a command. */
const decideAll = async (cluster: Cluster.Cluster): Promise<ReadonlyArray<string>> => {
  const rows = await cluster.stuck()
  const commands = new Map(
    rows.flatMap(({ message, remedy }) =>
      remedy === null ? [] : [[remedy.command, message] as const],
    ),
  )
  for (const command of commands.keys()) {
    const words = command.replace(/^(?:npx )?florin /u, "").split(" ")
    // oxlint-disable-next-line no-await-in-loop -- As an operator types them.
    await cluster.florin(...words)
  }
  // The same reason names other transactions each time.
  const reasons = Array.from(commands.values(), (reason) => reason.replaceAll(/0x\w+/gu, "0x…"))
  return Array.from(
    Map.groupBy(reasons, (reason) => reason),
    ([reason, its]) => `${its.length} × ${reason}`,
  )
}

export const play = async (options: Options): Promise<Played> => {
  const { cluster, cycle, earlier, loadInMs, patienceInMs, perSecond, seed, trouble } = options
  const beginsAt = Date.now()
  const endsAt = beginsAt + loadInMs
  const expiresAt = endsAt + expiryInMs
  const exchanges = cluster.exchanges.length
  const loading = Load.run({
    cluster,
    seed: seed * 1000 + cycle,
    perSecond,
    endsAt,
    expiresAt,
  })
  const others: Array<Load.Known> = []
  await trouble(others, expiresAt)
  await setTimeout(Math.max(0, endsAt - Date.now()))
  const quietAt = Date.now()
  const known = [...(await loading), ...others]
  const all = [...earlier, ...known]
  const violations: Array<Evidence.Violation> = []

  const open = await comeToRest(cluster, known, beginsAt, quietAt + patienceInMs)
  const quietInMs = Date.now() - quietAt
  const rows = open.length === 0 ? [] : await cluster.stuck()
  const stops = rows.filter(({ kind }) => kind === "chain" || kind === "token")
  for (const [{ id }, what] of open) {
    const named = [...rows.filter(({ paymentIds }) => paymentIds.includes(id)), ...stops]
    if (named.length > 0) continue
    violations.push({
      rule: "everything ends, or waits for a named reason",
      what: `${id}: ${what}, ${Math.round(quietInMs / 1000)} s after the last trouble`,
    })
  }
  await agree(cluster, quietAt + patienceInMs)
  const decided = await decideAll(cluster)
  if (decided.length > 0) await comeToRest(cluster, known, beginsAt, Date.now() + patienceInMs)
  await agree(cluster, Date.now() + patienceInMs)

  const evidence = await Gathering.gather(cluster, all)
  const found: ReadonlyArray<Evidence.Violation> = [
    ...violations,
    ...cluster.mishaps
      .splice(0)
      .map((what) => ({ rule: "nothing happens that nobody asked for", what })),
    ...evidence.exchanges
      .slice(exchanges)
      .filter(({ response }) => response?.status === 500)
      .map(({ method, path }) => ({
        rule: "the service meets no bug of its own",
        what: `${method} ${path} got 500`,
      })),
    ...(await Gathering.nonceFaults(cluster)).map((what) => ({
      rule: "nonces are contiguous",
      what,
    })),
    ...Oracle.judge(evidence),
  ]
  const ids = new Set(known.map(({ id }) => id))
  const details = evidence.books
    .flatMap((books) => books.details)
    .filter((payment) => ids.has(Reading.text(payment, "paymentId")))
  return {
    known,
    refunds: details.filter((payment) => Reading.at(payment, "refund") !== null).length,
    perSecond: (1000 * known.length) / loadInMs,
    quietInMs,
    decided,
    violations: found,
    requests: cluster.exchanges.length - exchanges,
  }
}
