/**
 * Which code of the product has run, as V8 counts it: in blocks, and roughly how often.
 *
 * @module
 */
import { Session, type Profiler } from "node:inspector"

export interface Coverage {
  /** Whether new code has run since the last look: for several inputs together. */
  readonly hasNew: () => boolean
  /** Whether new code has run since the last look, or known code more often than before: for one input. */
  readonly isNew: () => boolean
  /** All code is new again. */
  readonly forget: () => void
  readonly stop: () => void
}

const isOurs = (url: string): boolean => /\/packages\/[^/]+\/src\//u.test(url)

/** Never, once, twice, up to 8, up to 64, more: loops that run longer are new, and not each round of them. */
const bucketOf = (count: number): number => [0, 1, 2, 8, 64].findIndex((most) => count <= most)

interface Feature {
  /** A block of code, and whether it ran. */
  readonly block: string
  /** The block, and roughly how often it ran. */
  readonly often: string
}

const featuresOf = (scripts: ReadonlyArray<Profiler.ScriptCoverage>): ReadonlyArray<Feature> =>
  scripts
    .filter(({ url }) => isOurs(url))
    .flatMap(({ functions, scriptId }) =>
      functions.flatMap(({ ranges }) =>
        // Also what did not run: V8 reports a block only if its count differs from that of the code around it.
        ranges.map(({ count, endOffset, startOffset }) => {
          const block = `${scriptId}:${startOffset}:${endOffset}`
          return { block: `${block}:${count > 0}`, often: `${block}:${bucketOf(count)}` }
        }),
      ),
    )

export const start = (): Coverage => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  const seen = new Set<string>()
  /** What has run since the last look. The session of this process answers before `post` returns. */
  const take = (): ReadonlyArray<Feature> => {
    let features: ReadonlyArray<Feature> = []
    session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
      features = featuresOf(result)
    })
    return features
  }
  /** Remembers all of these; returns whether any was new. */
  const learn = (texts: ReadonlyArray<string>): boolean => {
    const before = seen.size
    for (const each of texts) seen.add(each)
    return seen.size > before
  }
  return {
    hasNew: () => learn(take().map(({ block }) => block)),
    isNew: () => learn(take().map(({ often }) => often)),
    forget: () => {
      take()
      seen.clear()
    },
    stop: () => session.disconnect(),
  }
}
