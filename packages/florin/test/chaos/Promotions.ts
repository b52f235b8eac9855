/**
 * Promotions of the standby, at seeded moments of the load, and how long the service takes to be back.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { makePartner } from "@florin/client"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Drawing from "../../../server/test-support/drawing.ts"
import type * as Cluster from "./Cluster.ts"
import type * as Load from "./Load.ts"
import type * as Florin from "./Member.ts"
import type * as Patroni from "./Patroni.ts"

/** Longer than the service waits for a response of its database. */
const pastPatienceInMs = 25_000
/** The service must be back within 10 s; only what takes three times as long fails, as a busy machine is slow. */
const netInMs = 30_000

type Kind = keyof typeof kinds

interface Promotion {
  readonly kind: Kind
  /** After the begin of the load. */
  readonly atInMs: number
  /** Of what has two parts, the time between them. */
  readonly forInMs: number
}

interface Scene {
  readonly patroni: Patroni.Patroni
  readonly forInMs: number
  readonly from: Patroni.Member
  readonly to: Patroni.Member
  readonly report: (violation: Evidence.Violation) => void
}

const promoted = ({ patroni, to }: Scene) =>
  patroni.until(`${to.name} is the primary`, to.isPrimary)

/** Each resolves as soon as the standby is promoted and the old primary is on its way back. */
const kinds = {
  crash: async (scene: Scene) => {
    scene.from.kill()
    await promoted(scene)
    await setTimeout(scene.forInMs)
    scene.from.start()
  },
  switchover: async ({ from, patroni, to }: Scene) => {
    await patroni.until(
      "the roles are changed",
      async () => (await to.isPrimary()) || from.handOver(to.name),
    )
  },
  freeze: async (scene: Scene) => {
    const { forInMs, from, patroni, report } = scene
    from.stop()
    await promoted(scene)
    await setTimeout(forInMs)
    // It wakes as what it was, and somebody still writes to it.
    const writing = patroni.writes(from)
    from.wake()
    if ((await writing) && !(await from.isPrimary())) {
      report({
        rule: "an old primary confirms no write",
        what: `${from.name} confirmed one after ${scene.to.name} was promoted`,
      })
    }
  },
  /** Nothing arrives at the standby, so that nothing can be confirmed, and the primary dies before it does. */
  "late standby": async (scene: Scene) => {
    const { forInMs, from, to } = scene
    to.receive("SIGSTOP")
    await setTimeout(pastPatienceInMs)
    from.kill()
    // With SIGCONT it would read what waits in the buffers of this machine, which a lost network does not deliver.
    to.receive("SIGKILL")
    await promoted(scene)
    await setTimeout(forInMs)
    from.start()
  },
}

export const isKind = (name: string): name is Kind => name in kinds

/** What is played in turn unless one kind is asked for. */
const all: ReadonlyArray<Kind> = ["crash", "freeze", "switchover", "late standby"]

/** Each kind comes as often as any other; when, and in which order, follows from the seed. */
export const planOf = (seed: number, cycle: number, kind: Kind | undefined): Promotion => {
  const draw = Drawing.make(seed * 1000 + cycle)
  return {
    kind: kind ?? all[(seed + cycle) % all.length] ?? "crash",
    atInMs: 3000 + draw(9000),
    forInMs: 500 + draw(3500),
  }
}

/** A promotion as a line: `12.3 s  crash, with 1.2 s between its parts`. */
export const describe = ({ atInMs, forInMs, kind }: Promotion): string =>
  `${(atInMs / 1000).toFixed(1)} s  ${kind}, with ${(forInMs / 1000).toFixed(1)} s between its parts`

/** How many requests were sent again with their key, after no response or one that asked for it. */
export const repeatedIn = (exchanges: ReadonlyArray<Evidence.Exchange>): number => {
  const open = new Set<string>()
  let repeated = 0
  for (const { idempotencyKey, path, response } of exchanges) {
    if (idempotencyKey === null) continue
    const name = `${path} ${idempotencyKey}`
    if (open.delete(name)) repeated++
    if (response === null || response.status >= 500) open.add(name)
  }
  return repeated
}

/** Above the lines of promotions. */
export const head =
  "cycle  promotion          primary after   back after  payments repeated faults final"

/** For how long customers come at least. */
export const loadInMs = 40_000

export interface Observed {
  readonly from: string
  readonly to: string
  /** From the first blow until the new primary confirmed a write. */
  readonly promotedInMs: number
  /** From then until each of the processes that serve calls confirmed one. */
  readonly backInMs: ReadonlyArray<number>
}

export const play = async (options: {
  readonly cluster: Cluster.Cluster
  readonly patroni: Patroni.Patroni
  readonly promotion: Promotion
  /** Names what is asked for after the promotion. */
  readonly name: string
  /** When payments expire. */
  readonly expiresAt: number
  readonly known: Array<Load.Known>
  readonly report: (violation: Evidence.Violation) => void
}): Promise<Observed> => {
  const { cluster, expiresAt, known, name, patroni, promotion, report } = options
  const { atInMs, forInMs, kind } = promotion
  await setTimeout(atInMs)
  await patroni.isWhole()
  const from = (await patroni.primary()) ?? patroni.members[0]
  const to = patroni.other(from)
  const startedAt = Date.now()
  const shop = cluster.shops[0]
  if (shop === undefined) throw new Error("there is no shop")
  /** When a process first confirms a new payment: a partner asks it all the time, always with the same key. */
  const backAt = async (api: Florin.Member): Promise<number> => {
    const { payments } = makePartner({
      ...cluster.connection,
      apiKey: shop.key,
      fetch: (url, init) => cluster.callAt(api, url, init),
    })
    const referenceId = `${name}-${api.name.replace(" ", "-")}`
    const request = {
      merchantId: shop.merchantId,
      referenceId,
      amount: { unit: "iso4217/USD", value: "700" },
      // A promotion may take longer than the load.
      expiresAt: Math.floor(Math.max(expiresAt, Date.now() + netInMs) / 1000),
    }
    for (const endsAt = Date.now() + 3 * netInMs; Date.now() < endsAt;) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- It is asked until it confirms.
        const { paymentId } = await payments.create(request, { idempotencyKey: referenceId })
        known.push({ id: paymentId, shop })
        return Date.now()
      } catch {
        // oxlint-disable-next-line no-await-in-loop
        await setTimeout(200)
      }
    }
    return Infinity
  }

  await kinds[kind]({ patroni, forInMs, from, to, report })
  await patroni.until(
    "the new primary confirms a write",
    async () => (await to.isPrimary()) && patroni.confirms(to),
  )
  const acceptedAt = Date.now()
  const times = await Promise.all(cluster.apis.map(backAt))
  const backInMs = times.map((time) => time - acceptedAt)
  for (const [index, ms] of backInMs.entries()) {
    if (ms <= netInMs) continue
    report({
      rule: "the service is back soon after its database",
      what: `${cluster.apis[index]?.name} confirmed nothing for ${Math.round(ms / 1000)} s`,
    })
  }
  await patroni.isWhole()
  return { from: from.name, to: to.name, promotedInMs: acceptedAt - startedAt, backInMs }
}
