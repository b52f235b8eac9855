/**
 * The smallest valid starts of picture files, and files that only look like one.
 *
 * @module
 */
import { Buffer } from "node:buffer"

const file = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))
const text = (written: string) => new TextEncoder().encode(written)

/** A picture of one green pixel. */
export const png = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOQCZP5DwACkwGeoCmW1AAAAABJRU5ErkJggg==",
    "base64",
  ),
)

export const passed: ReadonlyArray<readonly [contentType: string, body: Uint8Array]> = [
  ["image/png", png],
  ["image/jpeg", file("ffd8ffe000104a464946")],
  ["image/jpeg", file("ffd8ffdb")],
  ["image/gif", text("GIF87a…")],
  ["image/gif", text("GIF89a…")],
  ["image/webp", file("52494646240a0d0057454250565038")],
]

export const refused: ReadonlyArray<readonly [name: string, body: Uint8Array]> = [
  ["nothing", text("")],
  ["SVG", text('<svg xmlns="http://www.w3.org/2000/svg" />')],
  ["SVG behind its declaration", text('<?xml version="1.0"?><svg onload="alert(1)" />')],
  ["HTML", text("<!doctype html><script>alert(1)</script>")],
  ["a script", text("alert(1)")],
  ["a favicon", file("00000100")],
  ["a bitmap", text("BM…")],
  ["PDF", text("%PDF-1.7")],
  ["sound in RIFF", file("52494646240a0d0057415645666d7420")],
  ["a picture that begins too late", text(" GIF89a…")],
  ["half of a beginning", png.slice(0, 4)],
  ["a picture in gzip", file("1f8b0800")],
]
