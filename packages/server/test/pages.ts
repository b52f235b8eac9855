/**
 * A small site in place of the hosted pages, and functions that read its documents.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Service from "@florin/testing/Service"
import * as Site from "../src/pages/Site.ts"
import type * as Scene from "./scene.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Not the real encodings: a test tells by the text which of them it was sent. */
const script: HostedPage.SiteFile = {
  contentType: "text/javascript; charset=utf-8",
  body: bytes("plain é"),
  brotli: bytes("brotli"),
  gzip: bytes("gzip"),
}

export const filePath = "/pages/assets/checkout-3f9ab2c1.js"

export const settings: HostedPage.Pages = {
  site: {
    checkout: `<!doctype html><title>Checkout</title>${Site.place}<p>$&</p><noscript></noscript>`,
    collect: `<!doctype html><title>Collect</title>${Site.place}<p>$&</p>`,
    notFound: async ({ languages, search }) =>
      `<!doctype html><title>Not found</title><p>${languages.join(" ")} ${search}</p>`,
    plain: async ({ paymentId }, { languages, search }) =>
      `<!doctype html><title>Plain</title><p>${paymentId} ${languages.join(" ")} ${search}</p>`,
    qrCode: (text) => `<svg><title>${text}</title></svg>`,
    files: new Map([
      [filePath, script],
      [HostedPage.embedPath, script],
    ]),
  },
  termsUrl: "https://pay.example.com/terms",
  privacyUrl: "https://pay.example.com/privacy",
}

export const walletConnectFile = "/pages/assets/walletconnect-3f9ab2c1.js"

/** WalletConnect, with a name that breaks out of its place where nobody prevents it. */
export const walletConnect: HostedPage.WalletConnect = {
  document: `<!doctype html><title>WalletConnect</title>${Site.place}`,
  files: new Map([[walletConnectFile, script]]),
  projectId: "0123456789abcdef0123456789abcdef",
  relayUrl: "wss://relay.example:444/path?query",
  name: `"><script>Pay</script>`,
}

const characters: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
])

/** The text of the attribute that holds the data: what stands before the quote that ends it. */
export const attribute = (html: string): string =>
  /<meta name="florin-page" content="([^"]*)" \/>/u.exec(html)?.[1] ??
  assert.fail(`no place in ${html}`)

/** The data of a page. */
export const dataOf = (html: string): Scene.Json => {
  const told: Scene.Json = JSON.parse(
    attribute(html).replace(
      /&[#\w]+;/gu,
      (entity) => characters.get(entity) ?? assert.fail(entity),
    ),
  )
  return told
}

/** A session that was never issued. */
export const session = PayerSession.ofBytes(new Uint8Array(PayerSession.byteCount))

/** The whole name of the data form's path, as options name it. */
export const collectPath = (
  paymentId: string,
  accounts: ReadonlyArray<string>,
  sealed = PayerSession.seal(session, PaymentId.PaymentId.make(paymentId), Service.sealKeys),
): string =>
  `/collect/?pid=${paymentId}&accounts=${encodeURIComponent(accounts.join(","))}&session=${sealed}`
