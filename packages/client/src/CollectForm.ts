/**
 * Data about the payer, as a wallet collects it: in the hosted form, or in a form of its own.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import * as Connection from "./Connection.ts"

/**
 * A wallet's result of collecting data: the data from the wallet's own form, `completed` after the hosted form reported
 * that, or undefined if the payer declined.
 */
export type Collected =
  | { readonly fields: ReadonlyArray<Option.CollectedField> }
  | "completed"
  | undefined

/**
 * The required fields that are missing. A checkbox must be the text `true`: the payer's data must not leave the wallet
 * before the terms were accepted.
 */
export const missingFields = (
  needed: Option.CollectData,
  given: ReadonlyArray<Option.CollectedField>,
): ReadonlyArray<string> => {
  const values = new Map(given.map(({ id, value }) => [id, value]))
  return needed.fields
    .filter(({ id, required, type }) => {
      const value = values.get(id)
      return required && (type === "checkbox" ? value !== "true" : !value)
    })
    .map(({ id }) => id)
}

/** A message that the hosted form posted. */
export type FormMessage =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Failed"; readonly error: string }

/** Reads a message of the hosted form; undefined if it is something else. */
export const readFormMessage = (json: string): FormMessage | undefined => {
  const message = Connection.parse(json)
  if (!Connection.isObject(message)) return undefined
  const { error, success, type } = message
  if (type === "IC_COMPLETE" && success === true) return { _tag: "Completed" }
  return type === "IC_ERROR" && typeof error === "string" ? { _tag: "Failed", error } : undefined
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Encodes ASCII as base64url without `btoa`, which some versions of React Native lack. */
const base64Url = (ascii: string): string => {
  const bits = Array.from(ascii, (letter) => letter.charCodeAt(0).toString(2).padStart(8, "0"))
  const groups = bits.join("").match(/.{1,6}/gu) ?? []
  return groups.map((group) => digits.charAt(Number.parseInt(group.padEnd(6, "0"), 2))).join("")
}

const escape = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/**
 * The hosted form's URL with the data that the wallet already has, by field id. Terms cannot be accepted in advance, so
 * that field is left out.
 */
export const prefillUrl = (url: string, values: { readonly [id: string]: string }): string => {
  const { tosConfirmed: _tosConfirmed, ...known } = values
  const json = JSON.stringify(known).replaceAll(/[^\0-\u007f]/gu, escape)
  return `${url}${url.includes("?") ? "&" : "?"}prefill=${base64Url(json)}`
}
