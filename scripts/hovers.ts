/**
 * What an editor shows when the pointer rests on a name: asked from the language server of the compiler.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { cwd } from "node:process"
import { pathToFileURL } from "node:url"
import { run } from "./command.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: ReadonlyArray<unknown> }
  readonly result?: { readonly contents?: { readonly value?: string } } | null
}

/** Messages have a header with their length. */
const separator = "\r\n\r\n"

/** Talks to a language server: answers what it asks, and resolves what we ask. */
const connect = (program: string) => {
  const server = spawn(program, ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<number, (message: Message) => void>()
  let received = Buffer.alloc(0)
  let lastId = 0
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}${separator}${text}`)
  }
  const take = (message: Message): void => {
    const { id, method, params } = message
    if (id === undefined) return
    if (method === undefined) waiting.get(id)?.(message)
    else send({ id, result: params?.items?.map(() => null) ?? null })
  }
  server.stdout.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    for (;;) {
      const header = received.indexOf(separator)
      const [, length] = /Content-Length: (\d+)/u.exec(received.toString("latin1", 0, header)) ?? []
      const start = header + separator.length
      const end = start + Number(length)
      if (header === -1 || received.length < end) return
      take(JSON.parse(received.toString("utf8", start, end)))
      received = received.subarray(end)
    }
  })
  return {
    notify: (method: string, params: object) => send({ method, params }),
    ask: (method: string, params: object): Promise<Message> =>
      new Promise((answer) => {
        lastId += 1
        waiting.set(lastId, answer)
        send({ id: lastId, method, params })
      }),
    end: () => server.kill(),
  }
}

/**
 * What is shown for the last name of each line of `names`, such as `florin.payments.create`, in a module that begins with
 * `setup`. The module is never written: `file` says where it would be, and so what it can import.
 */
export const of = async (
  file: string,
  setup: string,
  names: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, string>> => {
  const { stdout } = await run("effect-tsgo", ["get-exe-path"])
  const server = connect(stdout.trim())
  try {
    const uri = pathToFileURL(resolve(file)).href
    const hover = { contentFormat: ["markdown"] }
    const capabilities = { textDocument: { hover } }
    await server.ask("initialize", {
      processId: null,
      rootUri: pathToFileURL(cwd()).href,
      capabilities,
    })
    server.notify("initialized", {})
    const text = [setup, ...names].join("\n")
    const textDocument = { uri, languageId: "typescript", version: 1, text }
    server.notify("textDocument/didOpen", { textDocument })
    const firstLine = setup.split("\n").length
    const shown = new Map<string, string>()
    for (const [index, name] of names.entries()) {
      const position = { line: firstLine + index, character: name.lastIndexOf(".") + 1 }
      const { result } = await server.ask("textDocument/hover", { textDocument: { uri }, position })
      shown.set(name, result?.contents?.value ?? "")
    }
    return shown
  } finally {
    server.end()
  }
}
