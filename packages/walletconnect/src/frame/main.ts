/**
 * The frame in which WalletConnect runs. It obeys any page that hands it a port, so it takes one from its own host only.
 *
 * @module
 */
import * as Page from "@florin/pages/Page"
import { type FromFrame, greeting, type ToFrame } from "@florin/pages/WalletConnectPort"
import * as Connection from "./Connection.ts"

const page = Page.read("walletconnect")
/** The origin of the frame itself is opaque. */
const { origin } = new URL(location.href)

/** The checkout comes from the same server, so this checks only that it is a message. */
const isToFrame = (value: unknown): value is ToFrame =>
  typeof value === "object" && value !== null && "_tag" in value

const serve = (port: MessagePort): void => {
  const send = (message: FromFrame) => port.postMessage(message)
  let connection: Promise<Connection.Connection> | undefined
  port.addEventListener("message", ({ data }) => {
    if (!isToFrame(data) || page.page === "absent") return
    switch (data._tag) {
      case "Connect":
        connection ??= Connection.open(page, data, origin, send)
        // The sign client may fail before it connects to anything, such as on a storage that it cannot read.
        connection.catch((error) => send({ _tag: "Ended", code: Connection.codeOf(error) }))
        return
      case "Request":
        return void connection?.then(({ request }) => request(data))
      case "Leave":
        return void connection?.then(({ leave }) => leave())
    }
  })
  port.start()
}

const greeted = ({ data, origin: from, ports: [port], source }: MessageEvent): void => {
  if (data !== greeting || source !== window.parent || from !== origin || port === undefined) return
  removeEventListener("message", greeted)
  serve(port)
}
addEventListener("message", greeted)
