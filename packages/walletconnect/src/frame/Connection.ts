/**
 * A connection to the payer's wallet: carries requests of the checkout to it, and its responses back.
 *
 * @module
 */
import type { WalletConnectFrame } from "@florin/api/wire/HostedPage"
import {
  disconnectedCode,
  rejectedCode,
  type FromFrame,
  type ToFrame,
} from "@florin/pages/WalletConnectPort"
import { SignClient } from "@walletconnect/sign-client"
import * as Storage from "./Storage.ts"

type Connect = Extract<ToFrame, { readonly _tag: "Connect" }>
type Request = Extract<ToFrame, { readonly _tag: "Request" }>
type Client = Awaited<ReturnType<typeof SignClient.init>>
type Session = ReturnType<Client["session"]["get"]>

export interface Connection {
  readonly request: (request: Request) => Promise<void>
  readonly leave: () => Promise<void>
}

/** What Florin asks a wallet to do. */
const methods = ["eth_sendTransaction", "eth_signTypedData_v4", "personal_sign"]

/** Wallets expect to be asked about these. The checkout names the chain in each request, so nobody listens. */
const events = ["accountsChanged", "chainChanged"]

const internal = -32_603

/** WalletConnect's own codes in the terms of EIP-1193: from 5000 the payer declined, and 6000 ended the connection. */
const plain = (code: number): number => {
  if (code >= 5000 && code < 5100) return rejectedCode
  return code === 6000 ? disconnectedCode : code
}

/**
 * The code of an error. Only a wallet's own response says that the payer declined: an error of the sign client may come
 * after the wallet has done what it was asked to do.
 */
export const codeOf = (error: unknown): number => {
  const isResponse = typeof error === "object" && error !== null && !(error instanceof Error)
  return isResponse && "code" in error && typeof error.code === "number"
    ? plain(error.code)
    : internal
}

const accountsOf = ({ namespaces }: Session): ReadonlyArray<string> =>
  Object.values(namespaces).flatMap(({ accounts }) => accounts)

/** Opens the connection, and sends what becomes of it. */
export const open = async (
  { name, projectId, relayUrl }: WalletConnectFrame,
  { chains, mayPair, stored }: Connect,
  url: string,
  send: (message: FromFrame) => void,
): Promise<Connection> => {
  const client = await SignClient.init({
    projectId,
    relayUrl,
    metadata: { name, description: "", url, icons: [] },
    storage: Storage.make(stored, (all) => send({ _tag: "Stored", stored: all })),
    // These would call other hosts, and the document's policy refuses that.
    telemetryEnabled: false,
    logger: "silent",
  })
  client.core.verify.register = () => Promise.resolve("")

  let session: Session | undefined
  const sendConnected = (to: Session) => {
    session = to
    const { icons, name: walletName } = to.peer.metadata
    send({ _tag: "Connected", accounts: accountsOf(to), name: walletName, icon: icons[0] })
  }
  const sendEnded = (code: number) => {
    session = undefined
    send({ _tag: "Ended", code })
  }
  const onOver = ({ topic }: { readonly topic: string }) => {
    if (topic === session?.topic) sendEnded(disconnectedCode)
  }
  client.on("session_delete", onOver)
  client.on("session_expire", onOver)
  client.on("session_update", ({ topic }) => {
    if (topic === session?.topic) sendConnected(client.session.get(topic))
  })

  const pair = async (): Promise<void> => {
    try {
      const { approval, uri = "" } = await client.connect({
        // Nothing is required, so that a wallet without one of the chains can still pay on another one.
        optionalNamespaces: { eip155: { chains: [...chains], methods, events } },
      })
      send({ _tag: "Pairing", uri })
      sendConnected(await approval())
    } catch (error) {
      sendEnded(codeOf(error))
    }
  }

  const kept = client.session.getAll().at(-1)
  if (kept !== undefined) sendConnected(kept)
  else if (mayPair) void pair()
  else sendEnded(disconnectedCode)

  return {
    request: async ({ chain, id, method, params }) => {
      try {
        if (session === undefined) throw new Error("the wallet is not connected")
        const request = { method, params }
        const { topic } = session
        const result: unknown = await client.request({ topic, chainId: chain, request })
        send({ _tag: "Result", id, result })
      } catch (error) {
        const code = codeOf(error)
        // The sign client reports the end to what is in progress first, and to everybody only when the relay knows it.
        if (code === disconnectedCode) sendEnded(code)
        else send({ _tag: "Failed", id, code })
      }
    },
    leave: async () => {
      const topic = session?.topic
      session = undefined
      if (topic !== undefined) {
        const reason = { code: 6000, message: "User disconnected." }
        // The wallet forgets the connection by itself if it does not hear of this.
        await client.disconnect({ topic, reason }).catch(() => undefined)
      }
      sendEnded(disconnectedCode)
    },
  }
}
