/**
 * The data that the wallet already has, from the page's URL. It is personal data, so it is removed from the URL before
 * anything else is loaded.
 *
 * @module
 */
import type { Values } from "./Form.ts"

const parameter = "prefill"

/** Splits a URL into its prefill and the URL without it; undefined if there is no prefill. */
export const take = (
  address: string,
): { readonly encoded: string; readonly rest: string } | undefined => {
  const url = new URL(address)
  const encoded = url.searchParams.get(parameter)
  if (encoded === null) return undefined
  url.searchParams.delete(parameter)
  return { encoded, rest: url.href }
}

const parse = (encoded: string): unknown => {
  try {
    const digits = encoded.replaceAll(/[- ]/gu, "+").replaceAll("_", "/")
    const bytes = Uint8Array.from(atob(digits), (byte) => byte.charCodeAt(0))
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** Reads base64url or plain base64, padded or not, also with `+` turned into a space. Anything else counts as empty. */
export const decode = (encoded: string): Values => {
  const object = parse(encoded)
  if (typeof object !== "object" || object === null) return new Map()
  return new Map(
    Object.entries(object).flatMap(([id, value]) =>
      typeof value === "string" ? [[id, value] as const] : [],
    ),
  )
}
