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

export const { drain, layer } = Worker.of(Worker.payments("expire"), handle)
