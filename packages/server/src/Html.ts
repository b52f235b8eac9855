/**
 * Text inside HTML, where whatever it holds stays text.
 *
 * @module
 */

const escapes: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Text for an element or a quoted attribute. */
export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => escapes[character] ?? "")
