/**
 * The command that creates the same payment as a form.
 *
 * @module
 */
import type * as Local from "@florin/api/wire/Local"

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The command, for a shell. */
export const of = (
  origin: string,
  { merchantId, partnerKey }: Pick<Local.Local["test"], "merchantId" | "partnerKey">,
  body: object,
): string =>
  [
    `curl ${origin}/v1/payments \\`,
    `  -H 'Api-Key: ${partnerKey}' \\`,
    `  -H 'Merchant-Id: ${merchantId}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n")
