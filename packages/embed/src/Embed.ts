/**
 * Florin's checkout in a shop's page. To import this module registers `<florin-checkout>`.
 *
 * @example
 * const { status } = await open({ payment: gatewayUrl })
 *
 * @module
 */
import { FlorinCheckout, type Outcome } from "./Element.ts"

export type { Outcome } from "./Element.ts"
export type { Status } from "./Protocol.ts"

const name = "florin-checkout"

if (globalThis.customElements?.get(name) === undefined) {
  globalThis.customElements?.define(name, FlorinCheckout)
}

export interface Options {
  /** The payment link: `gatewayUrl` of the API. */
  readonly payment: string
  /** The language of the checkout, as BCP 47. By default the payer's browser decides. */
  readonly lang?: string
}

/** Opens the checkout above the page, without a button. Resolves when it is closed. */
export const open = async ({ lang = "", payment }: Options): Promise<Outcome> => {
  const element = document.createElement(name)
  element.payment = payment
  element.lang = lang
  element.hidden = true
  document.body.append(element)
  try {
    return await element.open()
  } finally {
    element.remove()
  }
}
