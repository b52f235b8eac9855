/**
 * Preloaded with `node --import`: gives the process a wrong clock, by the milliseconds in the file `TEST_CLOCK`,
 * whenever that changes.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { env } from "node:process"

const file = env["TEST_CLOCK"] ?? ""
const read = () => Number(readFileSync(file, "utf8"))
let byInMs = read()
setInterval(() => {
  byInMs = read()
}, 50).unref()

const RealDate = Date
const now = () => RealDate.now() + byInMs
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
})
