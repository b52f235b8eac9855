/**
 * Writes down that a payment's time ran out. Readers are told so already; this makes the event.
 *
 * @module
 */
import * as PaymentTransition from "../domain/PaymentTransition.ts"
import type { Claimed } from "../ports/DueWork.ts"
import * as Worker from "./Worker.ts"

export const handle = (claimed: Claimed) =>
  Worker.write(claimed, (current, now) => PaymentTransition.expire(current, now))

const work = Worker.payments("expire")

export const drain = Worker.drain(work, handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
