/**
 * The filters of a list by their descriptions: a part of the address under the names of the API, so that any state of a
 * list is a link.
 *
 * @module
 */
/** Values with their names, in order. */
export type Options = ReadonlyArray<readonly [value: string, name: string]>

/** The description of a filter. */
export interface Filter {
  readonly name: string
  /** Chips of which one or several are chosen, a select, an order, a text, a day of the reader, or only a link's. */
  readonly kind: "chips" | "manyChips" | "choice" | "order" | "text" | "day" | "lastDay" | "link"
  readonly label?: string
  /** The values that the API knows. Other values of the address are left out, but those of an open filter. */
  readonly options?: Options
  readonly isOpen?: boolean
  /** If the list applies it, and the API does not know it. */
  readonly isLocal?: boolean
  readonly maxLength?: number
  /** Whether each letter filters. */
  readonly isEager?: boolean
  /** For codes, which are in capital letters. */
  readonly isUpper?: boolean
}

/** Chips of which one is chosen. */
export const chips = (name: string, names: { readonly [value: string]: string }): Filter => ({
  name,
  kind: "chips",
  options: Object.entries(names),
})

/** One of many values. */
export const choice = (name: string, label: string, options: Options, isOpen = false): Filter => ({
  name,
  kind: "choice",
  label,
  options,
  isOpen,
})

/** Only a link sets it, and a person can take it away. */
export const link = (name: string): Filter => ({ name, kind: "link" })

/** The values of a filter that the address has. */
export const valuesOf = ({ isOpen = false, name, options }: Filter, query: URLSearchParams) =>
  query
    .getAll(name)
    .filter((value) => isOpen || options?.some(([each]) => each === value) !== false)

/** What is asked of the API: what the address has of the filters, and nothing else. */
export const asked = (
  filters: ReadonlyArray<Filter>,
  query: URLSearchParams,
): { readonly [name: string]: string | ReadonlyArray<string> } =>
  Object.fromEntries(
    filters.flatMap((filter) => {
      if (filter.isLocal === true) return []
      if (filter.kind === "order") {
        const orders = (filter.options ?? []).map(([order]) => order.split("-"))
        return ["sortBy", "sortDir"].flatMap((name, index) => {
          const value = query.get(name)
          return value !== null && orders.some((order) => order[index] === value)
            ? [[name, value]]
            : []
        })
      }
      const [first, ...others] = valuesOf(filter, query)
      if (first === undefined || first === "") return []
      return [[filter.name, filter.kind === "manyChips" ? [first, ...others] : first]]
    }),
  )

/** The start of a day in the reader's time zone, as the API takes it. `plus` counts days on. */
export const startOfDay = (day: string, plus = 0): string | undefined => {
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + plus)
  return at.toISOString()
}

/** A time as a day of the reader, for a field. `plus` counts days on. */
export const dayOf = (time: string | number | undefined, plus = 0): string => {
  if (time === undefined) return ""
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return ""
  at.setDate(at.getDate() + plus)
  const digits = (value: number, count: number) => `${value}`.padStart(count, "0")
  // A year that is being typed has few digits.
  return [digits(at.getFullYear(), 4), digits(at.getMonth() + 1, 2), digits(at.getDate(), 2)].join(
    "-",
  )
}
