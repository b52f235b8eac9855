/**
 * Fair scheduling: due work waits in queues, and the queues in groups. Work on chains is grouped by chain, with a queue
 * for each partner, and webhook deliveries by partner, with a queue for each endpoint. So neither a chain that hangs
 * nor a partner with much work delays others.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as Outflow from "../outflow/Outflow.ts"
import type * as Change from "../payment/Change.ts"
import type * as Payment from "../payment/Payment.ts"
import * as PaymentFilter from "./PaymentFilter.ts"

/** The queue that a piece of work waits in. */
export interface Queue {
  readonly group: string
  readonly member: string
}

/** Work without a chain is a group of its own, and work without a partner a queue. A name is never the empty text. */
const none = "-"

const queueOf = (
  chainId: Caip.ChainId | undefined,
  partnerId: PartnerId.PartnerId | undefined,
): Queue => ({
  group: chainId ?? none,
  member: partnerId ?? none,
})

/** The chain that work on a payment needs. */
const chainOf = (payment: Payment.Payment, kind: Change.WorkKind): Caip.ChainId | undefined => {
  switch (kind) {
    case "expire":
    case "watch":
      return undefined
    case "collect":
    case "settle":
    case "audit":
      return PaymentFilter.tokenOf(payment)?.chainId
  }
}

export const ofPayment = (payment: Payment.Payment, kind: Change.WorkKind): Queue =>
  queueOf(chainOf(payment, kind), payment.partnerId)

export const ofOutflow = ({ movement, partnerId }: Outflow.Outflow): Queue =>
  queueOf(movement.token.chainId, partnerId)
