/**
 * Where an id is shown, and where a search leads.
 *
 * @module
 */
import type { Page } from "../shell/Page.ts"
import { at } from "../shell/Path.ts"

/** The screens of each face by the beginning of an id. */
const places: {
  readonly [F in Page["face"]]: ReadonlyArray<readonly [begins: RegExp, to: (id: string) => string]>
} = {
  partner: [
    [/^pay_/u, (id) => at`/payments/${id}`],
    [/^mrch_/u, (id) => at`/merchants/${id}`],
  ],
  operator: [
    [/^pay_/u, (id) => at`/payments/${id}`],
    [/^out_/u, (id) => at`/outflows/${id}`],
    [/^mrch_/u, (id) => at`/merchants/${id}`],
    [/^prtn_/u, (id) => at`/partners/${id}`],
    [/^0x[0-9a-f]{64}$/iu, (hash) => at`/unclaimed?tx=${hash}`],
  ],
}

/** The screen of an id or of a transaction, if it has one. */
export const toOf = (face: Page["face"], id: string): string | undefined =>
  places[face].find(([begins]) => begins.test(id))?.[1](id)

/** The screen of what is searched for; else what has it in its reference or name. */
export const search = (face: Page["face"], text: string): string =>
  toOf(face, text) ??
  (face === "partner" ? at`/payments?referenceId=${text}` : at`/partners?name=${text}`)
