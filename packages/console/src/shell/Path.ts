/**
 * Paths with ids in them: where an id is shown, and where a search leads.
 *
 * @module
 */
import type { Page } from "./Page.ts"

/** A path with ids in it: at`/payments/${id}`. */
export const at = (parts: TemplateStringsArray, ...ids: ReadonlyArray<string>): string =>
  String.raw({ raw: parts }, ...ids.map(encodeURIComponent))

interface Values {
  readonly [name: string]: string
}

/** A pattern such as `/outflows/:outflowId` with values in it, and those that it has no place for. */
export const fill = (
  pattern: string,
  values: Values,
): { readonly path: string; readonly rest: Values } => ({
  path: pattern.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(values[name] ?? "")),
  rest: Object.fromEntries(
    Object.entries(values).filter(([name]) => !pattern.includes(`:${name}`)),
  ),
})

/** What waits for a second person, on both faces. */
export const approvals = "/second-person"

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
