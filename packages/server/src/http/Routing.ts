/**
 * Finds the route for a method and a path. A fixed segment takes precedence over a parameter, whatever the order of the
 * routes.
 *
 * @module
 */
import * as Exchange from "./Exchange.ts"

export interface Route {
  readonly method: string
  /** Such as `/v1/payments/:id`. */
  readonly path: string
  /** Whether anything can exist under these parameters; by default yes. */
  readonly takes?: (params: Params) => boolean
}

/** The values of a path's parameters, by their names. */
export type Params = Readonly<Record<string, string>>

export type Found<R> =
  | { readonly _tag: "Route"; readonly route: R; readonly params: Params }
  /** The path exists, but not with this method. */
  | { readonly _tag: "OtherMethod"; readonly allowed: ReadonlyArray<string> }
  | { readonly _tag: "Nowhere" }

interface Leaf<R> {
  readonly route: R
  readonly names: ReadonlyArray<string>
}

interface Node<R> {
  readonly fixed: Map<string, Node<R>>
  any: Node<R> | undefined
  readonly leaves: Map<string, Leaf<R>>
}

const node = <R>(): Node<R> => ({ fixed: new Map(), any: undefined, leaves: new Map() })

const insert = <R extends Route>(root: Node<R>, route: R): void => {
  const names: Array<string> = []
  let at = root
  for (const segment of route.path.split("/").slice(1)) {
    if (segment.startsWith(":")) {
      names.push(segment.slice(1))
      at.any ??= node()
      at = at.any
    } else {
      const next = at.fixed.get(segment) ?? node<R>()
      at.fixed.set(segment, next)
      at = next
    }
  }
  at.leaves.set(route.method, { route, names })
}

/** A value that cannot be decoded stays as it was sent. It is not a valid id, which the operation then reports. */
const decode = (segment: string): string =>
  segment.includes("%") ? (Exchange.decoded(segment) ?? segment) : segment

/**
 * Returns the node at the end of a path, and the parameter values on the way. Fixed segments are tried first, and
 * parameters only if that fails.
 */
const walk = <R>(
  at: Node<R>,
  segments: ReadonlyArray<string>,
  index: number,
): { readonly end: Node<R>; readonly values: ReadonlyArray<string> } | undefined => {
  const segment = segments[index]
  if (segment === undefined) return at.leaves.size > 0 ? { end: at, values: [] } : undefined
  const fixed = at.fixed.get(segment)
  const found = fixed && walk(fixed, segments, index + 1)
  if (found !== undefined || at.any === undefined || segment === "") return found
  const rest = walk(at.any, segments, index + 1)
  return rest && { end: rest.end, values: [decode(segment), ...rest.values] }
}

/** A path with more segments matches no route. */
const segmentsMax = 8

/**
 * Makes the function that finds a route. `HEAD` matches the routes of `GET`.
 *
 * @example
 * const find = Routing.make(routes)
 * find("GET", "/v1/payments/pay_1") // { _tag: "Route", route, params: { id: "pay_1" } }
 */
export const make = <R extends Route>(routes: ReadonlyArray<R>) => {
  const root = node<R>()
  for (const route of routes) insert(root, route)
  return (method: string, path: string): Found<R> => {
    const segments = path.split("/", segmentsMax + 2)
    if (segments[0] !== "" || segments.length > segmentsMax + 1) return { _tag: "Nowhere" }
    const found = walk(root, segments, 1)
    if (found === undefined) return { _tag: "Nowhere" }
    const { leaves } = found.end
    const paramsOf = ({ names }: Leaf<R>): Params =>
      Object.fromEntries(names.map((name, index) => [name, found.values[index] ?? ""]))
    const leaf = leaves.get(method === "HEAD" ? "GET" : method)
    if (leaf !== undefined) {
      const { route } = leaf
      const params = paramsOf(leaf)
      if (route.takes?.(params) !== false) return { _tag: "Route", route, params }
    }
    const methods = Array.from(leaves)
      .filter(([, each]) => each.route.takes?.(paramsOf(each)) !== false)
      .map(([name]) => name)
    if (methods.length === 0) return { _tag: "Nowhere" }
    const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods
    return { _tag: "OtherMethod", allowed: allowed.toSorted() }
  }
}
