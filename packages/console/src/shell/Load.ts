/**
 * Data of screens: loaded, kept while it is loaded again, and followed while the page is looked at.
 *
 * @module
 */
import { useEffect, useRef, useState } from "preact/hooks"

export interface Loaded<A> {
  /** Undefined until it is loaded for the first time. */
  readonly value: A | undefined
  /** Why the last load failed. What was loaded before stays. */
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

interface Options {
  /** Whether it is loaded again while it is looked at. */
  readonly isLive?: boolean
  /** How often: by default every five seconds. */
  readonly everyInMs?: number | undefined
}

/** How often a screen that is looked at is loaded again. */
const pulseInMs = 5000

/** A response that takes longer is given up, as its connection may be dead. */
const responseMaxInMs = 30_000

/** Runs something again and again while the page is visible, and as soon as it is visible again. */
const usePulse = (run: (() => void) | undefined, everyInMs: number): void => {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
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
  }, [])
}

interface State<A> {
  readonly key: string
  readonly error: unknown
  readonly isLoading: boolean
  /** What was loaded last, and for which key. */
  readonly found: { readonly key: string; readonly value: A } | undefined
}

/** Loads something, and tells how to change what was loaded. What is loaded again is put together with it by `keep`. */
const useChangeable = <A>(
  key: string,
  load: (signal: AbortSignal) => Promise<A>,
  keep: (was: A, now: A) => A,
  { isLive = false, everyInMs = pulseInMs }: Options,
) => {
  const [state, setState] = useState<State<A>>({
    key,
    error: undefined,
    isLoading: true,
    found: undefined,
  })
  const running = useRef<AbortController>(undefined)
  /** When the running load began; undefined if none runs. */
  const began = useRef<number>(undefined)
  const run = () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    began.current = Date.now()
    const { signal } = controller
    const show = async () => {
      try {
        const now = await load(signal)
        if (signal.aborted) return
        setState(({ found }) => ({
          key,
          error: undefined,
          isLoading: false,
          found: { key, value: found?.key === key ? keep(found.value, now) : now },
        }))
      } catch (error) {
        if (!signal.aborted) setState((was) => ({ ...was, key, error, isLoading: false }))
      }
      if (!signal.aborted) began.current = undefined
    }
    void show()
  }
  /** Lets a response come that takes longer than a beat. */
  const follow = () => {
    if (began.current === undefined || Date.now() - began.current > responseMaxInMs) run()
  }
  useEffect(() => {
    setState((was) => ({ ...was, isLoading: true }))
    run()
    return () => running.current?.abort()
  }, [key])
  usePulse(isLive && !state.isLoading ? follow : undefined, everyInMs)
  const { error, found } = state
  const loaded: Loaded<A> = {
    value: found?.value,
    error,
    isLoading: state.isLoading || state.key !== key,
    reload: run,
  }
  const change = (next: (was: A) => A) =>
    setState((was) =>
      was.found?.key === key ? { ...was, found: { key, value: next(was.found.value) } } : was,
    )
  return { loaded, change, isOfKey: found?.key === key }
}

/**
 * Loads something, and loads it again if the key changes. With `isLive` it is followed.
 *
 * @example
 * const payment = useLoad(id, (signal) => get(at`/payments/${id}`, signal), { isLive: true })
 */
export const useLoad = <A>(
  key: string,
  load: (signal: AbortSignal) => Promise<A>,
  options: Options = {},
): Loaded<A> => useChangeable(key, load, (_, now) => now, options).loaded

/** A page of a list, as the API returns it. `extra` is what it says about the whole list. */
export interface Page<Row, Extra> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
  readonly extra: Extra
}

/** A list, whose value is what the API says about all of it. */
export interface List<Row, Extra> extends Loaded<Extra> {
  readonly rows: ReadonlyArray<Row> | undefined
  /** Undefined if every row is loaded. */
  readonly more: (() => void) | undefined
}

/** Puts a new first page before the rows that come after it. */
export const merged = <Row, Extra>(
  was: Page<Row, Extra>,
  now: Page<Row, Extra>,
  idOf: (row: Row) => string,
): Page<Row, Extra> => {
  const last = now.rows.at(-1)
  const at = last === undefined ? -1 : was.rows.findIndex((row) => idOf(row) === idOf(last))
  return at === -1 || now.next === null
    ? now
    : {
        rows: [...now.rows, ...was.rows.slice(at + 1)],
        next: was.rows.length === at + 1 ? now.next : was.next,
        extra: now.extra,
      }
}

/** A list, loaded page by page. With `isLive` its beginning is followed. */
export const useList = <Row, Extra>(
  key: string,
  idOf: (row: Row) => string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row, Extra>>,
  options: Options = {},
): List<Row, Extra> => {
  const [moreError, setMoreError] = useState<unknown>(undefined)
  const isBusy = useRef(false)
  const { change, isOfKey, loaded } = useChangeable(
    key,
    (signal) => load(undefined, signal),
    (was, now) => merged(was, now, idOf),
    options,
  )
  const next = loaded.value?.next ?? null
  const more = async () => {
    if (next === null || isBusy.current) return
    isBusy.current = true
    try {
      const later = await load(next, new AbortController().signal)
      setMoreError(undefined)
      change((was) =>
        was.next === next ? { ...was, rows: [...was.rows, ...later.rows], next: later.next } : was,
      )
    } catch (error) {
      setMoreError(error)
    } finally {
      isBusy.current = false
    }
  }
  return {
    ...loaded,
    value: loaded.value?.extra,
    rows: loaded.value?.rows,
    error: loaded.error ?? moreError,
    more: next === null || !isOfKey ? undefined : () => void more(),
  }
}
