/** The types of events to which a webhook can subscribe. A test compares them with the domain's. */
export const eventTypes = [
  "payment.created",
  "payment.processing",
  "payment.succeeded",
  "payment.failed",
  "payment.expired",
  "payment.cancelled",
  "payment.settled",
  "settlement.held",
  "refund.pending",
  "refund.processing",
  "refund.succeeded",
  "refund.held",
  "settlement_destination.changed",
]
