/**
 * The request log of the bundled server: a short line for a person, or JSON for a program.
 *
 * @module
 */
import { stdout } from "node:process"
import type * as AccessLog from "@florin/server/AccessLog"
import * as Printable from "../terminal/Printable.ts"

/** `GET /v1/payments/:id 200 3 ms req_…` */
export const short = ({
  code,
  defect,
  durationInMs,
  method,
  requestId,
  route,
  status,
}: AccessLog.Line): string =>
  [
    method,
    route ?? "(no such path)",
    String(status),
    ...(code === null ? [] : [code]),
    `${durationInMs} ms`,
    requestId,
    ...(defect ?? []).map((frame) => `\n      ${frame}`),
  ].join(" ")

const assets = /^\/(?:pages\/(?:assets|logos|qr)\/|icons\/|pages\/florin\.js$|docs\/style\.css$)/u

/** Whether a line is of a file that a page loads, which tells a developer nothing. One that was missing does. */
export const isAsset = ({ route, status }: AccessLog.Line): boolean =>
  status < 400 && route !== null && assets.test(route)

/** Lines from one turn of the event loop are written together. */
export const writer = (write: (text: string) => void, isRead: boolean) => {
  let waiting: Array<string> = []
  const flush = () => {
    const text = waiting.join("")
    waiting = []
    write(text)
  }
  return (line: AccessLog.Line): void => {
    if (waiting.length === 0) setImmediate(flush)
    waiting.push(`${isRead ? Printable.output(`  ${short(line)}`) : Printable.json(line)}\n`)
  }
}

/** Writes to standard output. If no format is named, a terminal gets text and any other reader JSON. */
export const toStdout = (format: "text" | "json" | null): ((line: AccessLog.Line) => void) =>
  writer(
    (text) => {
      stdout.write(text)
    },
    format === null ? stdout.isTTY : format === "text",
  )
