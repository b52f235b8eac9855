/**
 * A wallet on the payer's phone: WalletConnect's own client on the other side of the relay.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Wallet from "@florin/testing/Wallet"
import { SignClient } from "@walletconnect/sign-client"
import * as InjectedWallet from "./InjectedWallet.ts"

export interface Options {
  readonly relayUrl: string
  readonly wallet: Wallet.Wallet
  readonly node: Wallet.Node
  /** The chains that it shares its account on, if it is asked for them. */
  readonly knows: ReadonlyArray<number>
  readonly name?: string
  readonly icon?: string
}

/** A request that the payer looks at. */
interface Held {
  readonly reached: Promise<void>
  readonly answer: () => void
}

export interface Remote {
  /** Opens a pairing, as its camera reads it, and allows the connection. */
  readonly pair: (uri: string) => Promise<void>
  /** Opens a pairing, and says no: the payer does not want it, or the wallet has another reason. */
  readonly decline: (uri: string, reason?: typeof userRejected) => Promise<void>
  /** The chains that it was asked to connect on. */
  readonly proposed: ReadonlyArray<string>
  /** The methods that it was asked for, with the chain that each is for. */
  readonly asked: ReadonlyArray<string>
  /** The payer says no to the next request. */
  readonly refuseNext: () => void
  /** The payer looks at the next request, and answers when told. */
  readonly holdNext: () => Held
  /** The payer ends the connection in the wallet. */
  readonly disconnect: () => Promise<void>
  /** Waits until the page has ended the connection. */
  readonly disconnected: () => Promise<void>
  readonly close: () => Promise<void>
}

let wallets = 0

const userRejected = { code: 5000, message: "User rejected." }

export const make = async (options: Options): Promise<Remote> => {
  const { knows, relayUrl, wallet } = options
  const client = await SignClient.init({
    projectId: "0123456789abcdef0123456789abcdef",
    relayUrl,
    metadata: {
      name: options.name ?? "Pocket Wallet",
      description: "",
      url: "https://pocket.example",
      icons: options.icon === undefined ? [] : [options.icon],
    },
    // Each is a device of its own.
    customStoragePrefix: `wallet-${++wallets}`,
    storageOptions: { database: ":memory:" },
    telemetryEnabled: false,
    logger: "silent",
  })
  const asked: Array<string> = []
  const proposed: Array<string> = []
  let isRefusing = false
  let hold: (() => Promise<void>) | undefined

  client.on("session_request", ({ id, params: { chainId, request }, topic }) => {
    const respond = async () => {
      asked.push(`${request.method} on ${chainId}`)
      const held = hold
      hold = undefined
      await held?.()
      const isRefused = isRefusing
      isRefusing = false
      const chain = Number(chainId.slice("eip155:".length))
      const { error, result } = isRefused
        ? { error: userRejected, result: undefined }
        : await InjectedWallet.execute(options, chain, request.method, request.params)
      const own = { id, jsonrpc: "2.0" } as const
      const response = error === undefined ? { ...own, result } : { ...own, error }
      await client.respond({ topic, response })
    }
    void respond()
  })

  /** The proposal behind a URI. */
  const open = async (uri: string) => {
    const proposal = new Promise<{
      readonly id: number
      readonly chains: ReadonlyArray<string>
      readonly methods: ReadonlyArray<string>
      readonly events: ReadonlyArray<string>
    }>((resolve) => {
      client.once(
        "session_proposal",
        ({ id, params: { optionalNamespaces, requiredNamespaces } }) => {
          assert.deepStrictEqual(requiredNamespaces, {})
          const {
            chains = [],
            events,
            methods,
          } = optionalNamespaces["eip155"] ?? assert.fail("no chains were asked for")
          resolve({ id, chains, events, methods })
        },
      )
    })
    await client.core.pairing.pair({ uri })
    return proposal
  }

  return {
    proposed,
    asked,
    pair: async (uri) => {
      const { chains, events, id, methods } = await open(uri)
      proposed.push(...chains)
      const shared = knows.map((chain) => `eip155:${chain}`)
      const { acknowledged } = await client.approve({
        id,
        namespaces: {
          eip155: {
            chains: shared,
            accounts: shared.map((chain) => `${chain}:${wallet.address}`),
            methods: [...methods],
            events: [...events],
          },
        },
      })
      await acknowledged()
    },
    decline: async (uri, reason = userRejected) => {
      const { id } = await open(uri)
      await client.reject({ id, reason })
    },
    refuseNext: () => {
      isRefusing = true
    },
    holdNext: () => {
      const reached = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      hold = () => {
        reached.resolve()
        return answered.promise
      }
      return { reached: reached.promise, answer: answered.resolve }
    },
    disconnect: async () => {
      await Promise.all(
        client.session
          .getAll()
          .map(({ topic }) =>
            client.disconnect({ topic, reason: { code: 6000, message: "User disconnected." } }),
          ),
      )
    },
    disconnected: () =>
      client.session.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            client.once("session_delete", () => resolve())
          }),
    close: () => client.core.relayer.transportClose(),
  }
}
