/**
 * Texts. The OpenAPI document shows a format as a pattern, but these schemas do not enforce it: the domain reads the
 * values and reports what is wrong with them.
 *
 * @module
 */
import * as Schema from "effect/Schema"

const formed = (pattern: string) => Schema.String.annotate({ pattern })

/** The annotation with the word that stands for null on the command line; `none` without it. */
export const nullWord = "florin/nullWord"

/** Text of any form. */
export const plain = (description: string) => Schema.String.annotate({ description })

const id = (kind: string) => formed(`^${kind}_[0-9A-Za-z]{1,64}$`)

export const partnerId = id("prtn")
export const paymentId = id("pay")
export const merchantId = id("mrch")
export const refundId = id("rfnd")
export const payoutId = id("out")
export const inflowId = id("unc")
export const settlementId = id("crypto")
export const webhookId = id("whk")
export const deliveryId = id("dlv")
export const keyId = id("key")
export const eventId = id("evt")
export const auditEntryId = id("aud")

const chain = "[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}"
const address = "[-.%a-zA-Z0-9]{1,128}"
const tokenOf = `${chain}/[-a-z0-9]{3,8}:${address}`

/** CAIP-2, CAIP-10 and CAIP-19. */
export const chainId = formed(`^${chain}$`)
export const account = formed(`^${chain}:${address}$`)
export const asset = formed(`^${tokenOf}$`)

export const tokenUnit = formed(`^caip19/${tokenOf}$`)
export const unit = formed(`^(?:caip19/${tokenOf}|iso4217/[A-Z]{3})$`)

/** Integers that are too large for JSON numbers. */
export const quantity = formed("^(?:0|[1-9][0-9]{0,77})$")
export const signedQuantity = formed("^(?:0|-?[1-9][0-9]*)$")

/** A time that a caller or the service writes. */
export const time = (description: string) =>
  Schema.String.annotate({ format: "date-time", description })

/** A description that lists words with their meanings. */
export const meanings = (of: { readonly [word: string]: string }): string =>
  Object.entries(of)
    .map(([word, meaning]) => `\`${word}\`: ${meaning}`)
    .join(". ")

/** Times, written by the service. */
export const dateTime = time("ISO 8601, with milliseconds, in UTC")
