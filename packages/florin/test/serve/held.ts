/**
 * A server that holds its connections open, and reports which requests wait and whether it still listens.
 *
 * @module
 */
import { request, type Server } from "node:http"
import { connect } from "node:net"

/** A call whose head was read, and whose body is still to come. */
export interface Held {
  /** Sends the rest, and resolves with the answer. */
  readonly finish: () => Promise<Response>
}

/** Resolves once the server has asked for the body. */
export const hold = (
  url: string,
  headers: { readonly [name: string]: string },
  body: string,
): Promise<Held> =>
  new Promise((resolve, reject) => {
    const call = request(url, {
      method: "POST",
      agent: false,
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        expect: "100-continue",
      },
    })
    const answered = new Promise<Response>((answer, fail) => {
      call.once("error", fail)
      call.once("response", (response) => {
        let text = ""
        response.on("data", (chunk) => (text += String(chunk)))
        response.once("end", () => answer(new Response(text, { status: response.statusCode ?? 0 })))
      })
    })
    call.once("continue", () =>
      resolve({
        finish: () => {
          call.end(body)
          return answered
        },
      }),
    )
    answered.then(() => reject(new Error("it was answered without its body")), reject)
    call.flushHeaders()
  })

/** Has a server of ours listen; resolves with its address. */
export const listening = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
    })
  })

const isRefused = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.once("error", () => resolve(true))
    socket.once("connect", () => {
      socket.destroy()
      resolve(false)
    })
  })

/** Resolves once nobody listens there any more. */
export const ending = async (url: string): Promise<void> => {
  if (await isRefused(url)) return undefined
  await new Promise((resolve) => setTimeout(resolve, 20))
  return ending(url)
}
