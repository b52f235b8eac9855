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

/** Whether work on a payment needs its chain. */
const needsChain: { readonly [K in Change.WorkKind]: boolean } = {
  expire: false,
  collect: true,
  settle: true,
  watch: false,
  audit: true,
}

export const ofPayment = (payment: Payment.Payment, kind: Change.WorkKind): Queue =>
  queueOf(needsChain[kind] ? PaymentFilter.tokenOf(payment)?.chainId : undefined, payment.partnerId)

export const ofOutflow = ({ movement, partnerId }: Outflow.Outflow): Queue =>
  queueOf(movement.token.chainId, partnerId)
