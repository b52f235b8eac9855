/**
 * A server that accepts every request, records it, and returns a test's response.
 *
 * @module
 */
import * as Listening from "../listening.ts"

export interface Received {
  readonly url: string
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly body: string
}

interface Response {
  readonly status: number
  readonly body: string
  readonly type?: string
}

export type Respond = (received: Received, usually: Respond) => Response | Promise<Response>

/** All that came, as careless programs repeat it in their errors. */
export const repeated = ({ body, headers, url }: Received): string =>
  `no: ${url} ${JSON.stringify(headers)} ${body}`

export const repeating =
  (status: number): Respond =>
  (received) => ({ status, body: repeated(received), type: "text/plain" })

export const make = async (usually: Respond) => {
  let respond = usually
  const received: Array<Received> = []
  const listening = await Listening.start(async ({ body: sent, headers, path }, response) => {
    const call = { url: path, headers, body: sent }
    received.push(call)
    const { body, status, type = "application/json" } = await respond(call, usually)
    response.writeHead(status, { "content-type": type }).end(body)
  })
  return {
    ...listening,
    received,
    /** From now on it responds like this, or as usual. */
    tell: (next: Respond | null) => {
      respond = next ?? usually
    },
  }
}
