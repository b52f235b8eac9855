/**
 * Reads members of a request to the operator's API.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

type Read<A> = Result.Result<A, Invalid.InvalidInput>

const named = <A>(field: string, read: Result.Result<A, { readonly message: string }>): Read<A> =>
  Result.mapError(
    read,
    ({ message }) => new Invalid.InvalidInput({ issues: [Invalid.issue(field, message)] }),
  )

interface InMode {
  readonly mode?: Mode.Mode
}

/** The modes that a request is about: both if it names none. */
export const modes = ({ mode }: InMode): ReadonlyArray<Mode.Mode> =>
  mode === undefined ? Mode.Mode.literals : [mode]

/** What there is in the modes that a request is about. */
export const inModes = <A, E, R>(
  filter: InMode,
  list: (mode: Mode.Mode) => Effect.Effect<ReadonlyArray<A>, E, R>,
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.map(Effect.forEach(modes(filter), list), (all) => all.flat())

/** A token by its CAIP-19 id. */
export const asset = (field: string, text: string, catalog: Family.Known): Read<Caip.Token> =>
  named(field, Family.parseToken(catalog, text))
