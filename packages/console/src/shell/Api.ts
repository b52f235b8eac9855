/**
 * The API of a face, as screens read and write it: below its own path, in the session.
 *
 * @module
 */
import type { Call } from "@florin/client/Connection"
import { useRef, useState } from "preact/hooks"
import { useConsole } from "./Console.tsx"
import { type Loaded, loadAgain, merged, type Pages, pulseInMs, useLoad } from "./Load.ts"
import * as Session from "./Session.ts"

type Query = NonNullable<Parameters<Call>[0]["query"]>

/** Reads below the API of the face, such as `/outflows/out_1`. */
export const useGet = () => {
  const { call, session } = useConsole()
  return <A extends object>(
    path: string,
    signal: AbortSignal,
    query: Query = {},
    merchantId?: string,
  ): Promise<A> =>
    call<A>({
      method: "GET",
      path: `${Session.bases[session.face]}${path}`,
      query,
      ...(merchantId !== undefined && { headers: { "Merchant-Id": merchantId } }),
      responseMembers: [],
      signal,
    })
}

/** Reads something, and follows it unless `everyInMs` is null. */
export const useRead = <A extends object>(
  path: string,
  query: Query = {},
  { everyInMs = pulseInMs }: { readonly everyInMs?: number | null } = {},
): Loaded<A> => {
  const get = useGet()
  const load = (signal: AbortSignal) => get<A>(path, signal, query)
  return useLoad(`${path} ${JSON.stringify(query)}`, load, { everyInMs })
}

/** Where the next page begins. Some lists come in one piece, and have no cursor. */
const cursorOf = (page: object): string | null =>
  "nextCursor" in page && typeof page.nextCursor === "string" ? page.nextCursor : null

/** How many rows a page has. The first ones are there soon, and the rest takes few requests. */
const limits = { first: 50, later: 200 } as const

/** The id of a row, as almost all of them have it. */
const idOfRow = (row: unknown): string =>
  typeof row === "object" && row !== null && "id" in row ? `${row.id}` : JSON.stringify(row)

export interface Rows<Row, Page> {
  readonly path: string
  readonly query?: Query
  /** By default the member `id` of the row. */
  readonly idOf?: (row: Row) => string
  readonly rowsOf: (page: Page) => ReadonlyArray<Row>
  /** How often it is read again; null if it is not followed. */
  readonly everyInMs?: number | null
  /** If the API has no pages of this list. */
  readonly isWhole?: boolean
}

/** A list, whose value is what the API says about all of it. */
export interface List<Row, Page> extends Loaded<Page> {
  readonly rows: ReadonlyArray<Row> | undefined
  readonly idOf: (row: Row) => string
  /** Loads the next page; undefined if every row is loaded. */
  readonly more: (() => void) | undefined
  /** Why the next page could not be loaded. */
  readonly moreError: unknown
}

/** Reads a list page by page, and follows its beginning. */
export const useRows = <Row, Page extends object>({
  path,
  query = {},
  idOf = idOfRow,
  rowsOf,
  everyInMs = pulseInMs,
  isWhole = false,
}: Rows<Row, Page>): List<Row, Page> => {
  const get = useGet()
  /** The page that could not be loaded, and the one that is being loaded, by where they begin. */
  const [failed, setFailed] = useState<{ readonly at: string; readonly error: unknown }>()
  const loading = useRef<string>(undefined)
  const load = async (signal: AbortSignal, cursor?: string): Promise<Pages<Row, Page>> => {
    const limit = cursor === undefined ? limits.first : limits.later
    const page = await get<Page>(path, signal, isWhole ? query : { limit, ...query, cursor })
    return { rows: rowsOf(page), next: cursorOf(page), page }
  }
  const { change, value, ...loaded } = useLoad(`${path} ${JSON.stringify(query)}`, load, {
    everyInMs,
    keep: (was, now) => merged(was, now, idOf),
  })
  const { next = null, page, rows } = value ?? {}
  const more = async () => {
    if (next === null || loading.current === next) return
    loading.current = next
    try {
      const later = await load(new AbortController().signal, next)
      change?.((was) =>
        was.next === next ? { ...was, rows: [...was.rows, ...later.rows], next: later.next } : was,
      )
    } catch (error) {
      setFailed({ at: next, error })
    } finally {
      if (loading.current === next) loading.current = undefined
    }
  }
  return {
    ...loaded,
    value: page,
    rows,
    idOf,
    moreError: failed?.at === next ? failed.error : undefined,
    more: next === null || change === undefined ? undefined : () => void more(),
  }
}

export interface Write {
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the API of the face, such as `/outflows/out_1/retry`. */
  readonly path: string
  readonly request?: object | undefined
  /** For what belongs to one merchant. */
  readonly merchantId?: string | undefined
}

const keyBytes = 16

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(keyBytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")

/** The keys of writes that were not accepted, by what they ask for. They outlast the question that asked for it. */
const keys = new Map<string, string>()

/** Sends a write. Attempts at the same thing are one, until it is accepted: they do nothing twice. */
export const useSend = () => {
  const { call, session } = useConsole()
  return async <A extends object>(
    { merchantId, method = "POST", path, request }: Write,
    reason = "",
  ): Promise<A> => {
    const asked = JSON.stringify({ merchantId, path, request })
    const key = keys.get(asked) ?? newKey()
    keys.set(asked, key)
    const done = await call<A>({
      method,
      path: `${Session.bases[session.face]}${path}`,
      headers: {
        "Merchant-Id": merchantId,
        "Florin-Reason": reason === "" ? undefined : encodeURIComponent(reason),
        ...(method === "POST" && { "Idempotency-Key": key }),
      },
      ...(method !== "DELETE" && { body: request ?? {} }),
      responseMembers: [],
    })
    keys.delete(asked)
    loadAgain()
    return done
  }
}
