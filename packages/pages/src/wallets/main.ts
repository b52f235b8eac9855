/**
 * Test wallets in the checkout of a service on a developer's machine. They announce themselves like a browser's wallets
 * (EIP-6963), so the checkout treats them like any other. The server has their keys.
 *
 * @module
 */
import * as TestWallets from "../shared/TestWallets.ts"

interface TestWallet {
  readonly id: string
  readonly name: string
  readonly account: TestWallets.Request["account"]
  /** How it reacts when the payer is asked to sign or to send. */
  readonly approval: "immediate" | "slow" | "never"
}

const testWallets: ReadonlyArray<TestWallet> = [
  { id: "rich", name: "Test wallet: rich", account: "rich", approval: "immediate" },
  { id: "poor", name: "Test wallet: poor", account: "poor", approval: "immediate" },
  { id: "refuses", name: "Test wallet: refuses", account: "rich", approval: "never" },
  { id: "slow", name: "Test wallet: slow", account: "rich", approval: "slow" },
  { id: "smart", name: "Test wallet: smart account", account: "smart", approval: "immediate" },
]

const slowInMs = 8000

/** A picture of a purse. */
const icon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path fill="#c8932b" d="M0 0h40v40H0z"/><path fill="#fff" d="M8 13a3 3 0 0 1 3-3h16v3h5v17H11a3 3 0 0 1-3-3z"/><circle cx="26" cy="21" r="3" fill="#c8932b"/></svg>',
)}`

const failure = ({ code, message }: NonNullable<TestWallets.Response["error"]>) =>
  Object.assign(new Error(message), { code })

const ask = async (request: TestWallets.Request): Promise<unknown> => {
  const response = await fetch(TestWallets.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  })
  const { error, result }: TestWallets.Response = await response.json()
  if (error !== undefined) throw failure(error)
  return result
}

/** The chain in a page's request to switch chains (EIP-3326), as the page wrote it. */
const chainIn = (params: ReadonlyArray<unknown>): string => {
  const [wanted] = params
  return typeof wanted === "object" && wanted !== null && "chainId" in wanted
    ? String(wanted.chainId)
    : ""
}

const provider = ({ account, approval, id }: TestWallet) => {
  const connected = `florin test wallet ${id}`
  let chain = "0x1"
  const send = (method: string, params: ReadonlyArray<unknown> = []) =>
    ask({ account, chainId: `eip155:${BigInt(chain)}`, method, params })
  return {
    request: async (asked: {
      readonly method: string
      readonly params?: ReadonlyArray<unknown>
    }): Promise<unknown> => {
      const { method, params = [] } = asked
      switch (method) {
        case "eth_chainId":
          return chain
        case "wallet_switchEthereumChain":
          chain = chainIn(params)
          return null
        case "eth_requestAccounts":
          sessionStorage.setItem(connected, "yes")
          return send("eth_accounts")
        case "eth_accounts":
          return sessionStorage.getItem(connected) === null ? [] : send(method)
        default:
          if (approval === "never") throw failure({ code: 4001, message: "The payer refused." })
          if (approval === "slow") await new Promise((resolve) => setTimeout(resolve, slowInMs))
          return send(method, params)
      }
    },
  }
}

/** A page has one wallet of each kind, so a fixed id is unique. */
const uuid = (index: number): string => `f1041700-0000-4000-8000-00000000000${index}`

const announcements = testWallets.map((wallet, index) =>
  Object.freeze({
    info: { uuid: uuid(index), name: wallet.name, icon, rdns: `local.florin.${wallet.id}` },
    provider: provider(wallet),
  }),
)

const announce = () => {
  for (const detail of announcements) {
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
  }
}
window.addEventListener("eip6963:requestProvider", announce)
announce()
