/**
 * Node's HTTP, of which only what is named here is read. An import of `node:http` reads all of its names, and the one of
 * `WebSocket` loads `fetch`, which takes half as long as the start of an empty Node.
 *
 * @module
 */
import process from "node:process"

export const { STATUS_CODES, createServer, request } = process.getBuiltinModule("node:http")
