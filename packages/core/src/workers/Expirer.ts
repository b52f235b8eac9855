/**
 * Records that a payment expired. Readers already see it as expired; this write creates the event.
 *
 * @module
 */
import * as PaymentTransition from "../domain/payment/PaymentTransition.ts"
import type { Claimed } from "../ports/DueWork.ts"
import * as Worker from "./Worker.ts"

export const handle = (claimed: Claimed) =>
  Worker.write(claimed, (current, now) => PaymentTransition.expire(current, now))

const work = Worker.payments("expire")

export const drain = Worker.drain(work, handle)

/** Runs the worker until the layer's scope closes. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
