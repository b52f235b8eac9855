/**
 * Every limit of the service, named once. OpenAPI, docs and checks read them from here.
 *
 * @module
 */

/** The largest quantity that a token contract can hold, and that the service accepts. */
export const maxQuantity = 2n ** 256n - 1n
/** Decimal digits of {@link maxQuantity}. */
export const maxQuantityDigits = 78

export const listPageDefault = 50
export const listPageMax = 200
/** Days, weeks or months in one response of statistics: a year of days. */
export const seriesBucketsMax = 400
export const seriesBucketsDefault = 30

export const referenceIdMaxLength = 255
export const referenceFilterMinLength = 3
export const referenceFilterMaxLength = 35

/** What payers read about a payment. */
export const descriptionMaxLength = 500
export const lineItemsMax = 50
export const lineItemNameMaxLength = 120
export const lineItemQuantityMax = 1_000_000

/** Key-value pairs that a partner can store with a payment. */
export const metadataEntriesMax = 20
export const metadataKeyMaxLength = 40
export const metadataValueMaxLength = 500

export const merchantNameMaxLength = 256
export const merchantEmailMaxLength = 254
export const urlMaxLength = 2048
export const merchantSearchMaxLength = 256
/** Origins whose pages may show a merchant's checkout in a frame. */
export const checkoutOriginsMax = 10

export const settlementsPerCallMax = 50

export const idempotencyKeyMaxLength = 255
/** A response is stored this long under its Idempotency-Key. */
export const idempotencyKeptInMs = 24 * 60 * 60 * 1000

export const paymentLifeDefaultInS = 5 * 60
export const paymentLifeMaxInS = 7 * 24 * 60 * 60

/** An option is valid this long, or until its payment expires if that is sooner. */
export const optionLifeMaxInS = 5 * 60
/** A signed authorization is valid this much longer than its option, so that a confirm in the last second can still be sent. */
export const authorizationGraceInS = 300
/** The service sends no transaction whose authorization expires within this time. */
export const authorizationSendMarginInS = 6
/** A block may be this much older than an option and still contain the wallet's transfer for it, because a chain's clock may be behind. */
export const chainClockBehindMaxInS = 30
export const optionIdMaxLength = 1000

export const accountsPerCallMax = 1000
export const refreshPerCallMax = 1000
export const resultsPerConfirmMax = 16
/** The longest single output of a wallet. A signature wrapped by ERC-6492 has a few kilobytes. */
export const resultDataMaxLength = 16_384

/** Characters of one field of the payer's data. */
export const collectedTextMaxLength = 200
/** The payer's data as a whole, as the JSON that was sent. The longest fields fit. */
export const collectedMaxBytes = 4096
/**
 * The number of forms that are stored for one payment, each for one account and session. Anybody who has the link can
 * fill all of them, but could also cancel the payment. Data that is sent with a confirm needs no stored form.
 */
export const collectedPerPaymentMax = 256
/** The number of refunds of one payment: details show all of them. */
export const refundsPerPaymentMax = 100
/** The length of the reason of a refund. */
export const refundReasonMaxLength = 200
/** A statement that a refund may go to another account than the one that paid is valid this long. */
export const refundStatementLifeInMs = 24 * 60 * 60 * 1000
/** The longest statement, and the longest signature of it in hexadecimal digits. */
export const refundProofMaxLength = 8194
/** Data of a form that no confirm used is deleted after this time. */
export const collectedUnusedKeptInMs = 60 * 60 * 1000

/** The number of stored reports of late transfers for one payment that the chain does not show. */
export const lateUnprovenPerPaymentMax = 20
/** Of these, the number from one account. The newest replaces the oldest. */
export const lateUnprovenPerAccountMax = 3

/** The service waits this long for a transfer that a wallet reported, before the payment fails. */
export const sentAwaitedInMs = 24 * 60 * 60 * 1000
/** The service looks this long for a payer's final transfer that disappeared, before it books a loss. */
export const goneAwaitedInMs = 24 * 60 * 60 * 1000
/** The service looks this long for a reported transfer that it does not find. */
export const lateWatchedInMs = 7 * 24 * 60 * 60 * 1000

/** The most shares that one transfer pays. */
export const sharesPerOutflowMax = 200
/** The most shares that a recorded payout, which the ledger did not know, is booked against. */
export const sharesRecordedMax = 2000
/** A share waits at most this long to be paid out together with others. */
export const payoutEveryMaxInMs = 7 * 24 * 60 * 60 * 1000
/** A payout delay or a reserve of a partner lasts at most this long. */
export const partnerHoldMaxInMs = 365 * 24 * 60 * 60 * 1000

/** Calls that decide, such as creating and confirming payments, on which one process works at a time. Beyond that the service responds with 503. */
export const decisionsWaitingMax = 256
/** Calls for options and actions on which one process works at a time. Beyond that the service responds with 503. */
export const optionsWaitingMax = 256

/** A long poll waits at most this long, because clients give up after 30 s. */
export const longPollMaxInMs = 25_000
/** Polls that one process holds. Beyond that the service responds to a poll immediately. */
export const longPollParkedMax = 20_000
/** Polls that one process holds for one payment. Beyond that the service responds to a poll immediately. */
export const longPollParkedPerPaymentMax = 10_000

/** Jobs of the operator that one process works on at a time. Beyond that the service responds with 503. */
export const operatorJobsMax = 3
/** A job whose reader takes nothing is dropped after this time. */
export const operatorJobMaxInMs = 24 * 60 * 60 * 1000

/** A stream of events ends after this time, and its client reconnects. */
export const eventStreamMaxInMs = 10 * 60 * 1000
/** An idle stream of events sends a heartbeat this often, so that no proxy closes it. */
export const eventStreamHeartbeatInMs = 15_000
/** A client waits this long before it reconnects to a stream that ended. */
export const eventStreamRetryInMs = 2000
/** Streams of events that one process keeps open. Beyond that a stream sends the existing events and ends. */
export const eventStreamsMax = 500
/** Of these, the number that all keys of one partner and mode together may keep open. */
export const eventStreamsPerPartnerMax = 10

/** Streams of a payment's status that one process keeps open for pages. Beyond that a stream sends the current status and ends, and the page polls. */
export const statusStreamsMax = 5000
/** How many of these streams one payment may have open. */
export const statusStreamsPerPaymentMax = 100
/** How many of these streams one network address may have open. */
export const statusStreamsPerAddressMax = 200
/** Between two requests of one process to a chain for the progress of watched payments. */
export const progressPauseOfChainInMs = 20

export const linkMaxLength = 2048

/** The token of a hosted form is valid this long. */
export const collectTokenInMs = 15 * 60 * 1000
/** The token of a checkout is valid this much longer than its payment. */
export const checkoutOutlivesInMs = 60 * 60 * 1000
/** No token of a checkout is valid longer than this. */
export const checkoutTokenMaxInMs = 8 * 24 * 60 * 60 * 1000

export const bodyMaxBytes = 256 * 1024
export const jsonDepthMax = 32

/** A process whose clock differs from the storage's by more than this does no work, so that everything expires at the same time for all processes. */
export const clockDriftMaxInMs = 1000

/** The precision of the time when a key was last used. Most calls therefore write nothing. */
export const keyUseNotedInMs = 60 * 1000

/** A process sees changes that another process made to a key or its partner at most this late. It sees its own changes immediately. */
export const keyRememberedInMs = 2000

/** A key stays valid this long after it was rotated. */
export const keyRotationGraceInMs = 24 * 60 * 60 * 1000
/** The most valid keys of one partner and mode, if keys create them. */
export const keysMax = 100
/** The longest chain of keys of which each created the next. The last one cannot create a key. */
export const keyGenerationsMax = 10
/** A link that signs a person in works this long if nobody says how long. */
export const signInUsualInMs = 15 * 60 * 1000
/** The longest time for which a sign-in link may be made. */
export const signInMaxInMs = 24 * 60 * 60 * 1000
/** A request that needs a second person waits, and may be repeated once approved, for this long. */
export const approvalInMs = 24 * 60 * 60 * 1000
/** The most requests of one owner that wait for a second person. */
export const approvalsMax = 100
/** A session of the console ends after this time. */
export const sessionMaxInMs = 12 * 60 * 60 * 1000
/** A session that a link started may move money for this long. */
export const freshByLinkInMs = 15 * 60 * 1000
/** A session may move money for this long after its person used a passkey. */
export const freshByPasskeyInMs = 5 * 60 * 1000
/** A person must use a passkey within this time of being asked. */
export const passkeyChallengeInMs = 5 * 60 * 1000
/** The most passkeys of one person. */
export const passkeysMax = 20
/** Blocks of network addresses that one key may be used from. */
export const keyAddressBlocksMax = 50

/** Webhook endpoints of one partner and mode. */
export const webhookEndpointsMax = 20
/** The most events that one request sends to an endpoint again. */
export const webhookReplayMax = 10_000
/** The longest period whose events one request sends again. */
export const webhookReplayMaxInMs = 31 * 24 * 60 * 60 * 1000
