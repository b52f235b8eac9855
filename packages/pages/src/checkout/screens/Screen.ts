/**
 * What every screen gets: the data to render, and the session that takes the payer's actions.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as InjectedWallet from "../InjectedWallet.ts"
import type * as Machine from "../Machine.ts"
import type { Session } from "../Session.ts"
import type { View } from "../View.ts"

export interface Props {
  readonly view: View
  readonly screen: Machine.Screen
  /** What the payer chose to pay with. */
  readonly chosen: Amount.Amount | undefined
  readonly wallets: ReadonlyArray<InjectedWallet.InjectedWallet>
  readonly money: MoneySent
  readonly session: Session
  /** Announces text to payers who cannot see the change. */
  readonly say: (text: string) => void
  readonly title: string
  /** The title gets the focus on every screen except the first. */
  readonly isFirst: boolean
}

/** Money that was sent and has not paid. */
interface MoneySent {
  readonly transfers: ReadonlyArray<Machine.OtherTransfer>
  readonly mayBeSent: boolean
}

export const isNone = ({ transfers, mayBeSent }: MoneySent): boolean =>
  transfers.length === 0 && !mayBeSent

export type On<Tag extends Machine.Screen["_tag"]> = Omit<Props, "screen"> & {
  readonly screen: Extract<Machine.Screen, { readonly _tag: Tag }>
}
