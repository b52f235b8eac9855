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
  readonly value: A | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

/**
 * Loads something, and loads it again if the key changes. With `isLive` it is followed.
 *
 * @example
 * const payment = useLoad(id, (signal) => partner.payments.get(id, { signal }), { isLive: true })
 */
export const useLoad = <A>(
  key: string,
  load: (signal: AbortSignal) => Promise<A>,
  { isLive = false, everyInMs = pulseInMs }: Options = {},
): Loaded<A> => {
  const [state, setState] = useState<State<A>>({
    key,
    value: undefined,
    error: undefined,
    isLoading: true,
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
        const value = await load(signal)
        if (!signal.aborted) setState({ key, value, error: undefined, isLoading: false })
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
  return {
    value: state.value,
    error: state.error,
    isLoading: state.isLoading || state.key !== key,
    reload: run,
  }
}

/** A page of a list, as the API returns it. `extra` is what it says about the whole list. */
export interface Page<Row, Extra> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
  readonly extra: Extra
}

export interface List<Row, Extra> {
  readonly rows: ReadonlyArray<Row> | undefined
  readonly extra: Extra | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Undefined if every row is loaded. */
  readonly more: (() => void) | undefined
  readonly reload: () => void
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
  { isLive = false, everyInMs = pulseInMs }: Options = {},
): List<Row, Extra> => {
  const [later, setLater] = useState<{ readonly key: string; readonly page: Page<Row, Extra> }>()
  const [moreError, setMoreError] = useState<unknown>(undefined)
  const isBusy = useRef(false)
  const first = useLoad(
    key,
    async (signal) => {
      const page = await load(undefined, signal)
      setLater((was) => ({ key, page: was?.key === key ? merged(was.page, page, idOf) : page }))
      return page
    },
    { isLive, everyInMs },
  )
  const next = later?.page.next ?? null
  const more = async () => {
    if (later === undefined || next === null || isBusy.current) return
    isBusy.current = true
    try {
      const page = await load(next, new AbortController().signal)
      setMoreError(undefined)
      setLater((was) =>
        was?.key === key && was.page.next === next
          ? {
              key,
              page: {
                rows: [...was.page.rows, ...page.rows],
                next: page.next,
                extra: was.page.extra,
              },
            }
          : was,
      )
    } catch (error) {
      setMoreError(error)
    } finally {
      isBusy.current = false
    }
  }
  return {
    rows: later?.page.rows,
    extra: later?.page.extra,
    error: first.error ?? moreError,
    isLoading: first.isLoading,
    more: next === null || later?.key !== key ? undefined : () => void more(),
    reload: first.reload,
  }
}
