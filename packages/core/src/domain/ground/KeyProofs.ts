/**
 * Proofs of the keys that a storage is used with: a text that each key sealed. They reveal nothing of the keys, and
 * show at a start whether a process has the same ones.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** Null before the first start. */
export interface KeyProofs extends Schema.Schema.Type<typeof KeyProofs> {}
export const KeyProofs = Schema.Struct({
  seal: Schema.NullOr(Schema.String),
  vault: Schema.NullOr(Schema.String),
})

export const empty: KeyProofs = { seal: null, vault: null }
