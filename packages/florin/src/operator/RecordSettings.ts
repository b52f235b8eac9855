/**
 * Settings of a record, which one command shows and another changes.
 *
 * @module
 */
import * as Terminal from "../terminal/Terminal.ts"

interface Setting<A> {
  readonly name: string
  readonly of: (record: A) => string
  /** What follows from a change of it. */
  readonly note?: string
}

/** By member of the request that changes it. */
export type Table<A> = { readonly [member: string]: Setting<A> }

/** Prints all settings. */
export const print = <A>(settings: Table<A>, record: A): void => {
  for (const { name, of } of Object.values(settings)) Terminal.fact(name, of(record))
}

/** Prints what the settings are that were asked for: `prtn_… is changed: payouts 15m; credit live: none`. */
export const printChanged = <A extends object>(
  settings: Table<A>,
  record: A,
  asked: object,
): void => {
  const changed = Object.entries(settings).flatMap(([member, each]) =>
    member in asked ? [each] : [],
  )
  const id = "id" in record && typeof record.id === "string" ? record.id : "It"
  const values = changed.map(({ name, of }) => `${name} ${of(record)}`)
  Terminal.writeSuccess(`${id} is changed: ${values.join("; ")}.`)
  for (const { note } of changed) if (note !== undefined) Terminal.note(note)
}
