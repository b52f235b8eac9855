/**
 * The texts of the shell, and of the screens that both faces have.
 *
 * @module
 */
import english from "../messages/shell.en.json" with { type: "json" }
import * as Reader from "./Reader.ts"

export const texts = Reader.part(
  english,
  () => import("../messages/shell.de.json", { with: { type: "json" } }),
)

const { access, audit, balance, mode, secondPerson, status, words } = texts

/** What the screens of each face have among their own texts. */
export const ofBoth = { access, audit, balance, mode, secondPerson, status, words }
