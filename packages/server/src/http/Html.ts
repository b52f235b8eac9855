/**
 * Escapes text for HTML, so that it stays text.
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

/** Escapes text for an element or a quoted attribute. */
export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => escapes[character] ?? "")
