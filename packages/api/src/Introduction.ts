/**
 * The introduction of the OpenAPI document, as Markdown: what a reader needs before the first call.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"

const keptInHours = Limits.idempotencyKeptInMs / 3_600_000

const outcomes: { readonly [N in TestOutcome.Name]: string } = {
  declined: "failed after the confirm, with failureCode declined_user",
  sanctioned: "the options call returns 451 sanctioned_user",
  insufficient_funds: "no account holds enough: no options",
  option_expired: "fetch and confirm return 409 quote_expired",
  failed: "processing, then failed",
  expired: "expired 10 seconds after it was created",
  slow: "processing for 30 seconds",
  reorganised: "its block is replaced once, on local chains only",
  payout_held: "succeeded, then settlement.held",
  refund_held: "succeeded; a refund of it is held",
}

const outcomeWidth = Math.max(...TestOutcome.names.map(({ length }) => length))

const outcomeLines = TestOutcome.names
  .map((name) => `${name.padEnd(outcomeWidth)}  ${outcomes[name]}`)
  .join("\n")

export const text = `A payer's wallet pays a merchant in stablecoins. A partner creates a payment, the payer pays it with a wallet, and the merchant is paid out.

## Keys

Send a key in the \`Api-Key\` header of every call. A *partner* key can make every call and sees only the partner's own data. A *wallet* key is for the gateway calls and can pay payments of every partner. For objects of others, the service returns 404, as if they did not exist.

## Versions

Each key's owner is pinned to an API version. This document describes one version. Send \`Svc-Version\` to use a newer one; you cannot go back to an older one. A preview version is used only for calls that send it.

## Errors

An error has a \`code\` for programs, a \`message\` for people and a \`requestId\` that identifies the request in the service's logs. If fields are wrong, \`issues\` lists each of them. The codes of each call are a closed set: the call lists them by status. A path that does not exist returns 404 \`not_found\`. A method that a path does not support returns 405 \`method_not_allowed\`, with an \`Allow\` header.

Unknown members of a body and unknown query parameters are ignored. \`null\` for an optional member is the same as leaving it out, unless its description says otherwise.

## Retries

Retry only after a 5xx or if no response came: up to 3 times, first after 100 ms, then doubling the pause, with a little jitter. After a 429, wait for the seconds in \`Retry-After\`. Never retry after another 4xx.

## Idempotency

A call that creates something accepts an \`Idempotency-Key\` of up to ${Limits.idempotencyKeyMaxLength} characters. Some calls require it. The same key with the same body returns the first response again, with \`Idempotency-Replayed: true\`. The same key with another body returns 409 \`idempotency_conflict\`. Keys are kept for at least ${keptInHours} hours.

## Pages

A list returns ${Limits.listPageDefault} items, or up to ${Limits.listPageMax} with \`limit\`. Send \`nextCursor\` as \`cursor\`, with the same filters, to get the next page. It is null on the last page.

## Amounts and times

An amount is an integer in the smallest unit, as text: \`"1250"\` of \`iso4217/USD\` is 12.50 USD. \`expiresAt\` is in Unix seconds. Every other time is ISO 8601 with milliseconds, in UTC.

## Testing

A test key makes test payments only. To make a test payment end in a certain way, name the outcome in its metadata, as in \`{"metadata": {"${TestOutcome.key}": "failed"}}\`, and pay it as usual. An unknown outcome returns 400. Live payments ignore it.

\`\`\`
${outcomeLines}
\`\`\`

## Webhooks and events

Every change of a payment is an event. There are three ways to receive events: webhooks (the service calls your server), the event stream (you keep one connection open) and the event feed (you request pages). All three have the same events with the same ids, and the events of one payment come in order in the feed and the stream.

A webhook is a \`POST\` of one event to your URL, signed as Standard Webhooks describes. Verify it with \`@florin/client\`, or with any library for Standard Webhooks, before you use it. Pass the body as it came: JSON that was parsed and written again can have other bytes.

\`\`\`
import { verifyWebhook } from "@florin/client"

const event = await verifyWebhook({
  body: await request.text(),
  headers: request.headers,
  secret, // or [current, previous] while you rotate it
})
if (event.type === "payment.succeeded") ship(event.data.referenceId)
\`\`\`

It rejects with \`InvalidWebhook\` if the service did not sign the call, or sent it more than 5 minutes ago: respond with 400. On your own machine, \`florin listen --forward-to http://localhost:4242/hook\` forwards events to your server, which needs no public address.

Respond with 2xx within 10 seconds, and do the work afterwards. Any other response, and a redirect, is a failure. The service retries after 5 s, 5 min, 30 min, 2 h and 5 h, then twice after 10 h. After the last attempt you can redeliver the event yourself, or replay all events of a period.

The same event can arrive twice, and a later event can arrive before an earlier one. Ignore a \`webhook-id\` that you have handled already. Ignore an event whose \`data.payment_state_version\` is lower than the one you stored for that payment. Ship goods when \`payment.succeeded\` arrives: the payment is final then.`
