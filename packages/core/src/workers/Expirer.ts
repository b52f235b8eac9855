/**
 * Writes down that a payment's time ran out. Readers are told so already; this makes the event.
 *
 * @module
 */
import * as PaymentTransition from "../domain/PaymentTransition.ts"
import type { Claimed } from "../ports/DueWork.ts"
import * as Worker from "./Worker.ts"

export const handle = ({ hold, payment }: Claimed) =>
  Worker.write(payment, hold, (current, now) => PaymentTransition.expire(current, now))

export const drain = Worker.drain("expire", handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer("expire", handle, options)
