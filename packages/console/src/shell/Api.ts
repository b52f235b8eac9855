/**
 * The API of a face, as screens read and write it: below its own path, in the session.
 *
 * @module
 */
import type { Call } from "@florin/client/Connection"
import { useConsole } from "./Console.tsx"
import { useOnce } from "./Form.tsx"
import { type List, type Loaded, useList, useLoad } from "./Load.ts"

type Query = NonNullable<Parameters<Call>[0]["query"]>

/** Where the API of each face begins. */
const bases = { partner: "/v1", operator: "/operator/v1" } as const

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
      path: `${bases[session.face]}${path}`,
      query,
      ...(merchantId !== undefined && { headers: { "Merchant-Id": merchantId } }),
      responseMembers: [],
      signal,
    })
}

/** Reads something, and follows it. */
export const useRead = <A extends object>(
  path: string,
  query: Query = {},
  isLive = true,
): Loaded<A> => {
  const get = useGet()
  return useLoad(`${path} ${JSON.stringify(query)}`, (signal) => get<A>(path, signal, query), {
    isLive,
  })
}

/** Where the next page begins. Some lists come in one piece, and have no cursor. */
const cursorOf = (page: object): string | null =>
  "nextCursor" in page && typeof page.nextCursor === "string" ? page.nextCursor : null

/** How many rows a page has. The first ones are there soon, and the rest takes few requests. */
const limits = { first: 50, later: 200 } as const

/** The id of a row, as almost all of them have it. */
export const idOfRow = (row: unknown): string =>
  typeof row === "object" && row !== null && "id" in row ? `${row.id}` : JSON.stringify(row)

export interface Rows<Row, Page> {
  readonly path: string
  readonly query?: Query
  /** By default the member `id` of the row. */
  readonly idOf?: (row: Row) => string
  readonly rowsOf: (page: Page) => ReadonlyArray<Row>
  readonly isLive?: boolean
  readonly everyInMs?: number | undefined
  /** If the API has no pages of this list. */
  readonly isWhole?: boolean
}

/** Reads a list page by page, and follows its beginning. */
export const useRows = <Row, Page extends object>({
  path,
  query = {},
  idOf = idOfRow,
  rowsOf,
  isLive = true,
  everyInMs,
  isWhole = false,
}: Rows<Row, Page>): List<Row, Page> => {
  const get = useGet()
  return useList(
    `${path} ${JSON.stringify(query)}`,
    idOf,
    async (cursor, signal) => {
      const limit = cursor === undefined ? limits.first : limits.later
      const page = await get<Page>(path, signal, isWhole ? query : { limit, ...query, cursor })
      return { rows: rowsOf(page), next: cursorOf(page), extra: page }
    },
    { isLive, everyInMs },
  )
}

export interface Write {
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the API of the face, such as `/outflows/out_1/retry`. */
  readonly path: string
  readonly request?: object | undefined
  /** For what belongs to one merchant. */
  readonly merchantId?: string | undefined
}

/** Sends a write. Attempts with the same count are one: they do nothing twice. */
export const useSend = () => {
  const { call, session } = useConsole()
  const once = useOnce()
  return <A extends object>(
    { merchantId, method = "POST", path, request }: Write,
    count = 0,
    reason = "",
  ): Promise<A> =>
    call<A>({
      method,
      path: `${bases[session.face]}${path}`,
      headers: {
        "Merchant-Id": merchantId,
        "Florin-Reason": reason === "" ? undefined : encodeURIComponent(reason),
        ...(method === "POST" && { "Idempotency-Key": once({ count, path, request }) }),
      },
      ...(method !== "DELETE" && { body: request ?? {} }),
      responseMembers: [],
    })
}
