/**
 * What befalls a service in one cycle: a plan that follows from a seed, and how each trouble comes about.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Drawing from "../../../server/test-support/drawing.ts"
import * as Cluster from "./Cluster.ts"
import type * as Database from "./Database.ts"
import type * as Member from "./Member.ts"

/** Longer than a worker has the lease on its work. */
const pastLeaseInMs = 32_000

interface Kind {
  /** How often it is drawn. */
  readonly weight: number
  /** How long it lasts: at least, and at most. */
  readonly lastsInMs: readonly [number, number]
  /** Whether it befalls one of the five processes. */
  readonly isOfProcess?: true
  /** What it is, in the words of a plan. */
  readonly describe?: (draw: Drawing.Draw) => string
  readonly play: (
    trouble: Trouble,
    cluster: Cluster.Cluster,
    database: Database.Database,
  ) => Promise<void>
}

export interface Trouble {
  readonly name: string
  /** After the begin of the load. */
  readonly atInMs: number
  readonly forInMs: number
  /** The process that it befalls, by its place. */
  readonly which: number
  /** Everything else that is drawn follows from it. */
  readonly seed: number
}

const memberOf = ({ members }: Cluster.Cluster, { which }: Trouble): Member.Member =>
  members[which] ?? raise(`there is no process ${which}`)
const raise = (message: string): never => {
  throw new Error(message)
}

/** A node of the chain that fails and lies; the other one never lies, as two must agree. */
const liar = ({ nodes }: Cluster.Cluster) => nodes[0]

const steps: ReadonlyArray<number> = [-1_200_000, -3000, -700, 400, 1500, 3000, 1_200_000]

const kinds: { readonly [name: string]: Kind } = {
  kill: {
    weight: 6,
    lastsInMs: [200, 3000],
    isOfProcess: true,
    play: async (trouble, cluster) => {
      const member = memberOf(cluster, trouble)
      if (!member.isUp()) return
      await member.kill()
      await setTimeout(trouble.forInMs)
      await member.start()
    },
  },
  terminate: {
    weight: 2,
    lastsInMs: [200, 1000],
    isOfProcess: true,
    play: async (trouble, cluster) => {
      const member = memberOf(cluster, trouble)
      if (!member.isReady()) return
      const code = await member.terminate()
      if (code !== 0) cluster.mishaps.push(`${member.name} ended by SIGTERM with ${code}`)
      await setTimeout(trouble.forInMs)
      await member.start()
    },
  },
  stop: {
    weight: 2,
    lastsInMs: [pastLeaseInMs, pastLeaseInMs + 3000],
    isOfProcess: true,
    play: async (trouble, cluster) => {
      const member = memberOf(cluster, trouble)
      member.signal("SIGSTOP")
      await setTimeout(trouble.forInMs)
      member.signal("SIGCONT")
    },
  },
  clock: {
    weight: 2,
    lastsInMs: [2000, 8000],
    isOfProcess: true,
    play: async (trouble, cluster) => {
      const member = memberOf(cluster, trouble)
      member.setClock(steps[Drawing.make(trouble.seed)(steps.length)] ?? 0)
      await setTimeout(trouble.forInMs)
      member.setClock(0)
    },
  },
  "postgres crash": {
    weight: 2,
    lastsInMs: [100, 4000],
    play: async ({ forInMs }, _, database) => {
      await database.crash()
      await setTimeout(forInMs)
      await database.start()
    },
  },
  "disk full": {
    weight: 2,
    lastsInMs: [1000, 6000],
    play: async ({ forInMs }, _, database) => {
      if (database.fill === null) return
      database.fill(true)
      await setTimeout(forInMs)
      database.fill(false)
      await database.start()
    },
  },
  lies: {
    weight: 3,
    lastsInMs: [3000, 12_000],
    play: async ({ forInMs }, cluster) => {
      liar(cluster)?.begin()
      await setTimeout(forInMs)
      liar(cluster)?.end()
    },
  },
  "nodes down": {
    weight: 2,
    lastsInMs: [1000, 8000],
    play: async ({ forInMs, seed }, { nodes }) => {
      // One of both, or both.
      const down = nodes.filter((_, index) => seed % 3 !== index)
      for (const node of down) node.connect(false)
      await setTimeout(forInMs)
      for (const node of down) node.connect(true)
    },
  },
  reorganisation: {
    weight: 4,
    lastsInMs: [0, 0],
    play: async ({ seed }, cluster) => {
      const draw = Drawing.make(seed)
      const depth = 1 + draw(Cluster.finality)
      const orphans = draw(2) === 0 ? "waiting" : "forgotten"
      await Effect.runPromise(Effect.ignore(cluster.chain.reorg(depth, orphans)))
      // Wallets send again what they sent; most of it is on the chain.
      for (const raw of cluster.sent) {
        // oxlint-disable-next-line no-await-in-loop -- In their order.
        await Effect.runPromise(
          Effect.ignore(cluster.chain.request("eth_sendRawTransaction", [raw])),
        )
      }
    },
  },
  receiver: {
    weight: 1,
    lastsInMs: [1000, 6000],
    play: async ({ forInMs, seed }, { receiver }) => {
      receiver.behave(seed % 2 === 0 ? "refuses" : "hangs")
      await setTimeout(forInMs)
      receiver.behave("accepts")
    },
  },
}

const processes = ["api 1", "api 2", "api 3", "worker 1", "worker 2"]

/** One trouble for this time of load, on average. */
const betweenInMs = 4000

/** The troubles of a cycle, in the order of their moments. */
export const planOf = (seed: number, cycle: number, loadInMs: number): ReadonlyArray<Trouble> => {
  const draw = Drawing.make(seed * 1000 + cycle)
  const names = Object.entries(kinds).flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  )
  const count = 1 + draw(Math.max(1, Math.round((2 * loadInMs) / betweenInMs) - 1))
  return Array.from({ length: count }, () => {
    const name = names[draw(names.length)] ?? ""
    const [least = 0, most = 0] = kinds[name]?.lastsInMs ?? []
    const lastsLong = least >= pastLeaseInMs
    return {
      name,
      // What lasts long begins soon.
      atInMs: Math.floor(loadInMs * 0.05) + draw(Math.floor(loadInMs * (lastsLong ? 0.3 : 0.85))),
      forInMs: least + draw(most - least + 1),
      which: draw(processes.length),
      seed: draw(2 ** 31),
    }
  }).toSorted((left, right) => left.atInMs - right.atInMs)
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** A trouble as a line: `12.3 s  kill worker 2, for 1.2 s`. */
export const describe = ({ atInMs, forInMs, name, which }: Trouble): string => {
  const whose = kinds[name]?.isOfProcess === true ? ` ${processes[which]}` : ""
  const long = forInMs > 0 ? `, for ${seconds(forInMs)} s` : ""
  return `${seconds(atInMs).padStart(5)} s  ${name}${whose}${long}`
}

/** Plays a plan; resolves when all of it is over. */
export const play = async (
  plan: ReadonlyArray<Trouble>,
  cluster: Cluster.Cluster,
  database: Database.Database,
): Promise<void> => {
  await Promise.all(
    plan.map(async (trouble) => {
      await setTimeout(trouble.atInMs)
      await kinds[trouble.name]?.play(trouble, cluster, database)
    }),
  )
}
