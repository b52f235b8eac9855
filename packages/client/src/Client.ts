/**
 * The wallet kit and the partner client, for Node, browsers and React Native.
 *
 * @module
 */
export { asksOf, sentHash, type Asks } from "./Asked.ts"
export { prefillUrl, readFormMessage, type Collected, type FormMessage } from "./CollectForm.ts"
export type { Options as ConnectionOptions } from "./Connection.ts"
export type { EventPage, EventType, FlorinEvent } from "./Event.ts"
export { Aborted, Refused, Unreachable, Unreadable, type Code, type Failure } from "./Failure.ts"
export { parsePaymentLink, type Link } from "./Link.ts"
export { makePartner, type Partner, type PartnerOptions } from "./Partner.ts"
export {
  pay,
  payById,
  type CollectRequest,
  type PayByIdOptions,
  type PayOptions,
  type PayResult,
  type Progress,
  type Resume,
} from "./Pay.ts"
export {
  SignerFailed,
  UnsafeAction,
  type Signer,
  type SignerRequest,
  type Transaction,
} from "./Signer.ts"
export { makeWallet, type Wallet } from "./Wallet.ts"
export { InvalidWebhook, verifyWebhook, type WebhookCall } from "./Webhook.ts"
