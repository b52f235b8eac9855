/**
 * Every limit of the service, named once. OpenAPI, docs and checks read them from here.
 *
 * @module
 */

/** Largest quantity a token contract can hold, and so the largest we accept. */
export const maxQuantity = 2n ** 256n - 1n
/** Decimal digits of {@link maxQuantity}. */
export const maxQuantityDigits = 78

export const listPageDefault = 50
export const listPageMax = 200

export const referenceIdMaxLength = 255
export const referenceFilterMinLength = 3
export const referenceFilterMaxLength = 35

/** Pairs of text that a partner keeps with a payment. */
export const metadataEntriesMax = 20
export const metadataKeyMaxLength = 40
export const metadataValueMaxLength = 500

export const merchantNameMaxLength = 256
export const merchantEmailMaxLength = 254
export const urlMaxLength = 2048
export const merchantSearchMaxLength = 256

export const settlementsPerCallMax = 50

export const idempotencyKeyMaxLength = 255
/** How long an answer is remembered under its Idempotency-Key. */
export const idempotencyKeptInMs = 24 * 60 * 60 * 1000

export const paymentLifeDefaultInS = 5 * 60
export const paymentLifeMaxInS = 7 * 24 * 60 * 60

/** An option lives this long, or until its payment expires if that is sooner. */
export const optionLifeMaxInS = 5 * 60
/** A signed authorization outlives its option by this much, so a confirm in the last second can still be sent. */
export const authorizationGraceInS = 300
/** Nothing is sent on chain when its authorization ends within this time. */
export const authorizationSendMarginInS = 6
/** A block may be this much older than an option and still hold what a wallet sent for it: a chain's clock may be behind. */
export const chainClockBehindMaxInS = 30
export const optionIdMaxLength = 1000

export const accountsPerCallMax = 1000
export const refreshPerCallMax = 1000
export const resultsPerConfirmMax = 16
/** Longest single output of a wallet: an ERC-6492 wrapped signature is a few kilobytes. */
export const resultDataMaxLength = 16_384

export const collectedTextMaxLength = 200
/**
 * What forms are kept of one payment, each for one account and session. Whoever holds its link can fill the places, and
 * could as well cancel it; data that is sent with a confirm needs none.
 */
export const collectedPerPaymentMax = 256
/** Data that no confirm used is deleted after this time. */
export const collectedUnusedKeptInMs = 60 * 60 * 1000
export const prefillMaxLength = 8192

/** Reports of late transfers kept for one payment that the chain does not show, or that came to nothing. */
export const lateUnprovenPerPaymentMax = 20
/** Of these, how many that the chain does not show yet are kept of one account: its newest replaces its oldest. */
export const lateUnprovenPerAccountMax = 3

/** A transfer that a wallet says it sent is waited for this long before the payment fails. */
export const sentAwaitedInMs = 24 * 60 * 60 * 1000
/** A payer's transfer that was final, and is gone, is looked for this long before it is booked as a loss. */
export const goneAwaitedInMs = 24 * 60 * 60 * 1000
/** A reported transfer that nobody finds is looked for this long. */
export const lateWatchedInMs = 7 * 24 * 60 * 60 * 1000

/** Shares that one transfer pays at most. */
export const sharesPerOutflowMax = 200
/** Shares that a payout of which the ledger does not know is booked against at most. */
export const sharesRecordedMax = 2000
/** A share waits at most this long for others to be paid out with. */
export const payoutEveryMaxInMs = 7 * 24 * 60 * 60 * 1000
/** A payout delay or a reserve of a partner lasts at most this long. */
export const partnerHoldMaxInMs = 365 * 24 * 60 * 60 * 1000

/** A long-poll is held at most this long: clients give up at 30 s. */
export const longPollMaxInMs = 25_000
/** Polls parked in one process; beyond it a poll is answered at once. */
export const longPollParkedMax = 20_000
/** Polls parked on one payment in one process; beyond it a poll is answered at once. */
export const longPollParkedPerPaymentMax = 10_000

/** A stream of events ends after this time, and its reader connects again. */
export const eventStreamMaxInMs = 10 * 60 * 1000
/** While nothing happens, a stream of events says so this often, so that nobody between takes it for dead. */
export const eventStreamHeartbeatInMs = 15_000
/** A reader of a stream that ended waits this long before it connects again. */
export const eventStreamRetryInMs = 2000
/** Streams of events that one process keeps open; beyond it a stream sends what is there, and ends. */
export const eventStreamsMax = 500
/** Of these, how many that the keys of one partner and mode keep open together. */
export const eventStreamsPerPartnerMax = 10

export const linkMaxLength = 2048

/** The token of a hosted form lives this long. */
export const collectTokenInMs = 15 * 60 * 1000
/** The token of a checkout outlives its payment by this much. */
export const checkoutOutlivesInMs = 60 * 60 * 1000
/** No token of a checkout lives longer than this. */
export const checkoutTokenMaxInMs = 8 * 24 * 60 * 60 * 1000

export const bodyMaxBytes = 256 * 1024
export const jsonDepthMax = 32

/** A process whose clock is further from the storage's does no work: what expires, expires for all at one time. */
export const clockDriftMaxInMs = 1000

/** When a key was last used is known to this, so that most calls write nothing. */
export const keyUseNotedInMs = 60 * 1000

/** What another process changed about a key or its partner is seen at most this late; what this one changed, at once. */
export const keyRememberedInMs = 2000

/** Keys stay valid this long after they were rotated. */
export const keyRotationGraceInMs = 24 * 60 * 60 * 1000
/** Good keys of one partner and mode, as long as keys make them. */
export const keysMax = 100
/** Keys that made one another; the last of them makes none. */
export const keyGenerationsMax = 10
/** Blocks of addresses that one key may be used from. */
export const keyAddressBlocksMax = 50

/** Endpoints of one partner and mode that events are sent to. */
export const webhookEndpointsMax = 20
/** Events that are sent to an endpoint again by one request. */
export const webhookReplayMax = 10_000
/** The longest time whose events are sent again by one request. */
export const webhookReplayMaxInMs = 31 * 24 * 60 * 60 * 1000
