/**
 * What a person filters a list with.
 *
 * @module
 */
import { useState } from "preact/hooks"
import { asked, dayOf, type Filter, startOfDay, valuesOf } from "./Filter.ts"
import { Select } from "./Form.tsx"
import { Chip } from "./Pieces.tsx"
import { filtered, go, type Place, usePlace } from "./Route.tsx"
import * as Texts from "./Texts.ts"

/** A field for a day. */
export const Day = ({
  label,
  value,
  onValue,
  ...limits
}: {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly min?: string
  readonly max?: string
}) => (
  <label>
    {label}
    <input
      type="date"
      {...limits}
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    />
  </label>
)

const Chips = ({ filter, place }: { readonly filter: Filter; readonly place: Place }) => {
  const { kind, name, options = [] } = filter
  const chosen = valuesOf(filter, place.query)
  const next = (value: string) => {
    if (kind === "chips") return value
    return chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]
  }
  const chip = (text: string, to: string | ReadonlyArray<string> | undefined, isOn: boolean) => (
    <Chip key={text} name={text} to={filtered(place, { [name]: to })} isOn={isOn} />
  )
  return (
    <div class="filters">
      {chip(Texts.texts.words.all, undefined, chosen.length === 0)}
      {options.map(([value, text]) => chip(text, next(value), chosen.includes(value)))}
    </div>
  )
}

const Control = ({ filter }: { readonly filter: Filter }) => {
  const place = usePlace()
  const { query } = place
  const { all } = Texts.texts.words
  const { kind, label = "", maxLength, name, options = [] } = filter
  const set = (changes: Parameters<typeof filtered>[1]) => go(filtered(place, changes), "replace")
  const value = query.get(name) ?? ""
  /** Stays while it is typed, however often the list is drawn again. */
  const [typed, setTyped] = useState<string>()
  switch (kind) {
    case "chips":
    case "manyChips":
      return <Chips filter={filter} place={place} />
    case "choice":
      return options.length > 1 || value !== "" ? (
        <Select
          attributes={{ "aria-label": label, value }}
          options={[["", `${label}: ${all}`], ...options]}
          onValue={(next) => set({ [name]: next })}
        />
      ) : null
    case "order": {
      const order = ["sortBy", "sortDir"].flatMap((each) => query.get(each) ?? []).join("-")
      return (
        <Select
          attributes={{ "aria-label": label, value: order }}
          options={options}
          onValue={(next) => {
            const [sortBy, sortDir] = next.split("-")
            set({ sortBy, sortDir })
          }}
        />
      )
    }
    case "text": {
      const enter = (text: string) =>
        set({ [name]: filter.isUpper === true ? text.trim().toUpperCase() : text.trim() })
      return (
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          value={typed ?? value}
          {...(maxLength !== undefined && { maxLength, size: Math.min(maxLength + 5, 20) })}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            if (filter.isEager === true) enter(currentTarget.value)
          }}
          onChange={({ currentTarget }) => {
            setTyped(undefined)
            enter(currentTarget.value)
          }}
        />
      )
    }
    case "day":
    case "lastDay": {
      // The end is the start of the day after the one that is shown.
      const plus = kind === "day" ? 0 : 1
      return (
        <Day
          label={label}
          value={dayOf(query.get(name) ?? undefined, -plus)}
          onValue={(day) => set({ [name]: startOfDay(day, plus) })}
        />
      )
    }
    case "link":
      return value === "" ? null : (
        <Chip name={`${value} ×`} to={filtered(place, { [name]: undefined })} isOn />
      )
  }
}

/** All filters of a list: chips first, and the rest folded on a phone if there are many. */
export const Filters = ({ filters }: { readonly filters: ReadonlyArray<Filter> }) => {
  const { path, query } = usePlace()
  const texts = Texts.texts.filters
  const controls = (of: ReadonlyArray<Filter>) =>
    of.map((filter) => <Control key={filter.name} filter={filter} />)
  if (filters.length === 0) return null
  if (filters.length <= foldedFrom) return <div class="filters">{controls(filters)}</div>
  const [first, ...others] = filters
  const count = others.filter(({ name }) => query.has(name)).length
  return (
    <div class="stack">
      {first !== undefined && <Control filter={first} />}
      <details open={count > 0 || matchMedia("(min-width: 48rem)").matches}>
        <summary>
          {texts.title}
          {count > 0 && ` (${count})`}
        </summary>
        <div class="filters">
          {controls(others)}
          {Object.keys(asked(filters, query)).length > 0 && (
            <Chip name={texts.clear} to={path} isOn={false} />
          )}
        </div>
      </details>
    </div>
  )
}

/** More filters than this are folded. */
const foldedFrom = 4
