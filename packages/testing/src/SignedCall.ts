/**
 * What a receiver of webhooks checks, as Standard Webhooks defines it.
 *
 * @module
 */
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

const toleranceInMs = 300_000

/** Whether a call was signed with this secret, and not long before or after `at`. */
export const isValid = (
  secret: string,
  { body, headers }: { readonly body: string; readonly headers: Webhook.Headers },
  at: number,
): boolean => {
  const timestamp = headers["webhook-timestamp"]
  const key = Result.getOrThrow(Base64.decode(secret.slice("whsec_".length)))
  const signature = hmac(sha256, key, utf8ToBytes(`${headers["webhook-id"]}.${timestamp}.${body}`))
  return (
    Math.abs(at - Number(timestamp) * 1000) <= toleranceInMs &&
    headers["webhook-signature"].split(" ").includes(`v1,${Base64.encode(signature)}`)
  )
}
