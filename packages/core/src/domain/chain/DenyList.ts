/**
 * The deny list of a service, whose file may be cut or emptied while it is written. A list that lost more than a tenth
 * of its addresses is refused until the operator confirms exactly that list. Until then the last good list stays in
 * force. Additions are never refused.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"

const Addresses = Schema.Array(Caip.Address)
type Addresses = ReadonlyArray<Caip.Address>

/** What a service remembers of its list, also while no process runs. */
export interface DenyList extends Schema.Schema.Type<typeof DenyList> {}
export const DenyList = Schema.Struct({
  /** The last good list; null before the first one. */
  inForce: Schema.NullOr(Addresses),
  /** The list that was refused last and is not confirmed. */
  refused: Schema.NullOr(Schema.Struct({ addresses: Addresses, since: Schema.Int })),
})

export const empty: DenyList = { inForce: null, refused: null }

/** A list that loses more than one in this many is refused. */
const lossMaxOneIn = 10

/** The addresses of the first list that are not in the second. */
export const lost = (from: Iterable<Caip.Address>, to: Iterable<Caip.Address>): Addresses => {
  const kept = new Set(to)
  return [...from].filter((address) => !kept.has(address))
}

/** Whether two lists have the same addresses; neither names one twice. */
export const isSame = (one: Addresses, other: Addresses): boolean =>
  one.length === other.length && lost(one, other).length === 0

/** Identifies a list in commands, in whatever order it is. */
export const digest = (addresses: Addresses): string =>
  bytesToHex(sha256(utf8ToBytes(addresses.toSorted().join("\n")))).slice(0, 16)

export interface Taken {
  readonly isRefused: boolean
  /** The addresses that are denied now. */
  readonly denied: Addresses
  /** What is remembered from now on; null if nothing changed. */
  readonly next: DenyList | null
}

/**
 * Takes a list, or refuses it. A refusal that another process recorded is replaced only by a process whose list is new:
 * processes with different lists would replace each other's for ever.
 */
export const take = (
  { inForce, refused }: DenyList,
  listed: Addresses,
  isNew: boolean,
  now: number,
): Taken => {
  const gone = inForce === null ? [] : lost(inForce, listed)
  if (gone.length * lossMaxOneIn <= (inForce ?? []).length) {
    const isKnown = inForce !== null && refused === null && isSame(inForce, listed)
    return {
      isRefused: false,
      denied: listed,
      next: isKnown ? null : { inForce: listed, refused: null },
    }
  }
  const isRecorded = refused !== null && (!isNew || digest(refused.addresses) === digest(listed))
  return {
    isRefused: true,
    denied: [...listed, ...gone],
    next: isRecorded ? null : { inForce, refused: { addresses: listed, since: now } },
  }
}

/** A refusal, as a person decides about it. */
export interface Refusal {
  readonly digest: string
  readonly listed: number
  readonly inForce: number
  readonly lost: Addresses
  readonly since: number
}

export const refusalOf = ({ inForce, refused }: DenyList): Refusal | null =>
  refused === null
    ? null
    : {
        digest: digest(refused.addresses),
        listed: refused.addresses.length,
        inForce: inForce?.length ?? 0,
        lost: lost(inForce ?? [], refused.addresses),
        since: refused.since,
      }

/** The refused list comes into force, if it still is the one that was looked at; null if it is not. */
export const confirm = ({ refused }: DenyList, named: string): DenyList | null =>
  refused === null || digest(refused.addresses) !== named
    ? null
    : { inForce: refused.addresses, refused: null }
