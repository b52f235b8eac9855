/**
 * The texts of the shell.
 *
 * @module
 */
import { english } from "../messages/ShellMessages.ts"
import * as Reader from "./Reader.ts"

export const { load, texts } = Reader.part(
  english,
  () => import("../messages/shell.de.json", { with: { type: "json" } }),
)
