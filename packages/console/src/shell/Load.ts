/**
 * Data of screens: loaded, kept while it is loaded again, and followed while the page is looked at.
 *
 * @module
 */
import { useEffect, useRef, useState } from "preact/hooks"
import * as Shared from "./Shared.ts"

export interface Loaded<A> {
  /** Undefined until it is loaded for the first time. While another key is loaded, what was loaded before stays. */
  readonly value: A | undefined
  /** Why the last load failed. What was loaded before for the same key stays. */
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => Promise<void>
}

interface Options<A> {
  /** How often it is loaded again while it is looked at; null, which is the default, if it is not. */
  readonly everyInMs?: number | null
  /** Puts what is loaded again together with what was loaded before. By default it takes its place. */
  readonly keep?: (was: A, now: A) => A
}

/** How often a screen that is looked at is loaded again. */
export const pulseInMs = 5000

/** A response that takes longer is given up, as its connection may be dead. */
const responseMaxInMs = 30_000

/** Runs something again and again while the page is visible, and as soon as it is visible again. */
const usePulse = (run: (() => void) | undefined, everyInMs: number | null): void => {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (everyInMs === null) return undefined
    const beat = () => {
      if (document.visibilityState === "visible") latest.current?.()
    }
    const timer = setInterval(beat, everyInMs)
    document.addEventListener("visibilitychange", beat)
    addEventListener("online", beat)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", beat)
      removeEventListener("online", beat)
    }
  }, [everyInMs])
}

const loads = Shared.make(0)

/** Loads all that is shown again: after each write that was accepted, and in a new session. */
export const loadAgain = (): void => loads.set(loads.now() + 1)

/** What was loaded last and, if the last load failed, why: each for its key. */
interface State<A> {
  readonly found?: { readonly key: string; readonly value: A }
  readonly failed?: { readonly key: string; readonly error: unknown }
}

/**
 * Loads something, and loads it again if the key changes.
 *
 * @example
 * const payment = useLoad(id, (signal) => get(at`/payments/${id}`, signal), { everyInMs: pulseInMs })
 */
export const useLoad = <A>(
  key: string,
  load: (signal: AbortSignal) => Promise<A>,
  { everyInMs = null, keep = (_, now) => now }: Options<A> = {},
) => {
  const [{ failed, found }, setState] = useState<State<A>>({})
  const running = useRef<AbortController>(undefined)
  /** When the running load began; undefined if none runs. */
  const began = useRef<number>(undefined)
  const run = async () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    began.current = Date.now()
    const { signal } = controller
    try {
      const now = await load(signal)
      if (signal.aborted) return
      setState(({ found: was }) => ({
        found: { key, value: was?.key === key ? keep(was.value, now) : now },
      }))
    } catch (error) {
      if (!signal.aborted) setState((was) => ({ ...was, failed: { key, error } }))
    }
    if (!signal.aborted) began.current = undefined
  }
  /** Lets a response come that takes longer than a beat. */
  const follow = () => {
    if (began.current === undefined || Date.now() - began.current > responseMaxInMs) void run()
  }
  const count = loads.use()
  useEffect(() => {
    void run()
    return () => running.current?.abort()
  }, [key, count])
  const isLoading = found?.key !== key && failed?.key !== key
  usePulse(isLoading ? undefined : follow, everyInMs)
  const loaded: Loaded<A> = {
    value: found?.key === key || isLoading ? found?.value : undefined,
    error: failed?.key === key ? failed.error : undefined,
    isLoading,
    reload: run,
  }
  const change = (next: (was: A) => A) =>
    setState((was) =>
      was.found?.key === key ? { ...was, found: { key, value: next(was.found.value) } } : was,
    )
  return {
    ...loaded,
    /** Changes what was loaded; undefined while that is of another key. */
    change: found?.key === key ? change : undefined,
  }
}

/** What is loaded of a list, and the page that says something about all of it. */
export interface Pages<Row, Page> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
  readonly page: Page
}

/** Puts a new first page before the rows that come after it. */
export const merged = <Row, Page>(
  was: Pages<Row, Page>,
  now: Pages<Row, Page>,
  idOf: (row: Row) => string,
): Pages<Row, Page> => {
  const last = now.rows.at(-1)
  const at = last === undefined ? -1 : was.rows.findIndex((row) => idOf(row) === idOf(last))
  return at === -1 || now.next === null
    ? now
    : {
        rows: [...now.rows, ...was.rows.slice(at + 1)],
        next: was.rows.length === at + 1 ? now.next : was.next,
        page: now.page,
      }
}
