/**
 * A payment between the wallet's steps, stored for this tab, so that a reload in between asks for no signature again.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import { sentHash, type Resume } from "@florin/client"
import * as TabStore from "./TabStore.ts"

export interface KeptPayment {
  readonly walletId: string
  readonly resume: Resume
  /** What the payer chose to pay with. */
  readonly amount?: Amount.Amount
  /**
   * The wallet was asked to send the payment itself, and has neither sent it nor declined: it is not known whether it
   * did.
   */
  readonly mayBeSent?: boolean
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether the value is complete. `pay` reads every action again. */
const isKept = (value: unknown, paymentId: string): value is KeptPayment =>
  isObject(value) &&
  "walletId" in value &&
  typeof value.walletId === "string" &&
  "resume" in value &&
  isObject(value.resume) &&
  "paymentId" in value.resume &&
  value.resume.paymentId === paymentId &&
  "account" in value.resume &&
  typeof value.resume.account === "string" &&
  "outputs" in value.resume &&
  Array.isArray(value.resume.outputs) &&
  "actions" in value.resume &&
  Array.isArray(value.resume.actions)

/** Whether the wallet sent the payment itself: then another way to pay would pay twice. */
export const hasSent = (resume: Pick<Resume, "actions" | "outputs">): boolean =>
  sentHash(resume) !== undefined

const stored = TabStore.ofPayment("resume", isKept)

export const { load, remove } = stored

export const save = (store: TabStore.Store, kept: KeptPayment): void =>
  stored.save(store, kept.resume.paymentId, kept)

/** Records that the wallet did not send what it was asked to send. Its earlier outputs stay. */
export const settle = (store: TabStore.Store, paymentId: string): void => {
  const kept = load(store, paymentId)
  if (kept?.mayBeSent !== true) return
  const { mayBeSent: _mayBeSent, ...rest } = kept
  if (rest.resume.outputs.length === 0) remove(store, paymentId)
  else save(store, rest)
}

/**
 * Removes outputs that the service has received, or that are void. What another attempt has stored meanwhile stays, and
 * so does the mark that another attempt may have sent the payment.
 */
export const handedIn = (store: TabStore.Store, { paymentId, optionId, outputs }: Resume): void => {
  const kept = load(store, paymentId)
  if (kept?.resume.optionId !== optionId || kept.resume.outputs.join() !== outputs.join()) return
  if (kept.mayBeSent === true) save(store, { ...kept, resume: { ...kept.resume, outputs: [] } })
  else remove(store, paymentId)
}

/** Whether the wallet has done every step, and only the confirm is left. */
export const isComplete = ({ resume }: Pick<KeptPayment, "resume">): boolean =>
  resume.outputs.length === resume.actions.length

export const isOf = ({ resume }: KeptPayment, accounts: ReadonlyArray<string>): boolean =>
  accounts.some((account) => account.toLowerCase() === resume.account.toLowerCase())
