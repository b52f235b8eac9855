/**
 * Which screen is shown: the address. A filter is a part of it, so any state of a list is a link.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import * as Page from "./Page.ts"
import * as Shared from "./Shared.ts"

export interface Place {
  /** Below the console's own path, such as `/payments`. */
  readonly path: string
  readonly query: URLSearchParams
}

const base = Page.read()?.basePath ?? ""

/** The address of a place in the console. */
const href = (to: string): string => `${base}${to === "/" ? "" : to}` || "/"

const here = (): Place => {
  const path = location.pathname.slice(base.length).replace(/\/+$/u, "")
  return { path: path === "" ? "/" : path, query: new URLSearchParams(location.search) }
}

const first = here()
const place = Shared.make(first)
addEventListener("popstate", () => place.set(here()))

export const usePlace = place.use

/** Whether the person went to another place since the page was opened. */
export const hasMoved = (): boolean => place.now() !== first

/** Goes to a place, or replaces this one. */
export const go = (to: string, how: "push" | "replace" = "push"): void => {
  history[how === "push" ? "pushState" : "replaceState"](null, "", href(to))
  place.set(here())
}

/** The same place with other filters: undefined or an empty list takes one away. */
export const filtered = (
  { path, query }: Place,
  changes: { readonly [name: string]: string | ReadonlyArray<string> | undefined },
): string => {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name)
    for (const each of [value ?? []].flat()) if (each !== "") next.append(name, each)
  }
  const search = next.toString()
  return search === "" ? path : `${path}?${search}`
}

/** A part of a path; undefined if it is not encoded as one. */
const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** The parameters of a pattern such as `/payments/:id`; undefined if the path does not match it. */
export const match = (
  pattern: string,
  path: string,
): { readonly [name: string]: string } | undefined => {
  const wanted = pattern.split("/")
  const parts = path.split("/")
  if (wanted.length !== parts.length) return undefined
  const params: Array<readonly [string, string]> = []
  for (const [index, part] of wanted.entries()) {
    const found = decoded(parts[index] ?? "")
    if (part.startsWith(":") && found !== undefined) params.push([part.slice(1), found])
    else if (part !== found) return undefined
  }
  return Object.fromEntries(params)
}

export const Link = ({
  to,
  children,
  ...rest
}: {
  readonly to: string
  readonly children: ComponentChildren
  readonly class?: string
  readonly "aria-current"?: "page" | undefined
}) => (
  <a
    {...rest}
    href={href(to)}
    onClick={(event) => {
      const { altKey, button, ctrlKey, metaKey, shiftKey } = event
      if (altKey || button !== 0 || ctrlKey || metaKey || shiftKey) return
      event.preventDefault()
      go(to)
      scrollTo(0, 0)
    }}
  >
    {children}
  </a>
)
