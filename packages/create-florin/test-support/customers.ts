/**
 * Uses created projects as a customer does: starts the server, and pays.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { env, kill } from "node:process"
import { pay, type PayOptions, type SignerRequest } from "@florin/client"
import * as Wallet from "@florin/testing/Wallet"

interface Started {
  readonly url: string
  /** The output until it was ready. */
  readonly printed: string
  /** Stops it and all processes that it started; resolves with its exit code. */
  readonly end: () => Promise<number | null>
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once("exit", resolve))

/**
 * Starts a server on a free port, and waits until it prints its address. Rejects with the output if the server exits.
 */
export const start = async (
  [command = "", ...args]: ReadonlyArray<string>,
  { cwd = ".", path = env["PATH"] ?? "" } = {},
): Promise<Started> => {
  const port = await freePort()
  const child = spawn(command, args, {
    cwd,
    env: { ...env, PATH: path, PORT: String(port) },
    // A process group of its own, because npm does not pass a signal on to its children.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const url = `http://localhost:${port}`
  const ended = endOf(child)
  let printed = ""
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text
        if (printed.includes(url)) resolve()
      })
    }
    child.once("error", reject)
    child.once("exit", () => reject(new Error(printed)))
  })
  return {
    url,
    printed,
    end: () => {
      if (child.pid !== undefined) kill(-child.pid, "SIGTERM")
      return ended
    },
  }
}

const payFrom = async (link: string, options: Omit<PayOptions, "payLinkHost" | "timing">) => {
  const payLinkHost = new URL(options.baseUrl).host
  const { _tag } = await pay(link, { ...options, payLinkHost })
  if (_tag !== "Succeeded") throw new Error(`the payment ended as ${_tag}`)
}

/** Pays a link with a wallet that has a key of the service. */
export const payLink = (link: string, baseUrl: string, apiKey: string): Promise<void> => {
  const signer = Wallet.make(1)
  return payFrom(link, { baseUrl, apiKey, accounts: [`eip155:8453:${signer.address}`], signer })
}

const json = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

/** A test wallet of the checkout: the server has its key. */
const testWallet = (url: string) => {
  const ask = async (chainId: string, method: string, params: ReadonlyArray<unknown>) => {
    const body = json({ account: "rich", chainId, method, params })
    const response = await fetch(`${url}/local/wallets`, body)
    const { result }: { readonly result: unknown } = JSON.parse(await response.text())
    return result
  }
  return {
    accounts: async () =>
      [await ask("eip155:8453", "eth_accounts", [])].flat().map((each) => `eip155:8453:${each}`),
    request: async ({ chainId, method, params }: SignerRequest) =>
      String(await ask(chainId, method, params)),
  }
}

const unescaped = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

/** Reads the payment as the checkout gets it. */
const readCheckout = async (
  address: URL,
): Promise<{ readonly paymentId: string; readonly pageToken: string }> => {
  const document = await (await fetch(address)).text()
  const [, content] = /<meta name="florin-page" content="([^"]*)"/u.exec(document) ?? []
  if (content === undefined) throw new Error(`no checkout is at ${address.href}: ${document}`)
  return JSON.parse(unescaped(content))
}

/** Opens a shop's page with the checkout in it, and pays there. */
export const payOn = async (page: string): Promise<void> => {
  const html = await (await fetch(page)).text()
  const [, link = ""] = /<florin-checkout payment="([^"]+)"/u.exec(html) ?? []
  if (link === "") throw new Error(`no checkout is in: ${html}`)
  const { pageToken, paymentId } = await readCheckout(new URL(unescaped(link)))
  const signer = Wallet.make(1)
  await payFrom(paymentId, {
    baseUrl: new URL("/pages", page).href,
    apiKey: { pageToken },
    accounts: [`eip155:8453:${signer.address}`],
    signer,
  })
}

/** Returns the text of the order page once it stops waiting: the webhook arrives after the payment succeeded. */
const shipped = async (url: string): Promise<string> => {
  const page = await (await fetch(`${url}/orders/order-1`)).text()
  const [status = ""] = /(?<=Status: )[^.<]+/u.exec(page) ?? []
  if (!status.startsWith("waiting")) return status
  await new Promise((resolve) => setTimeout(resolve, 100))
  return shipped(url)
}

/**
 * Orders in the shop and pays in the checkout with one of its test wallets; resolves with the text of the order page.
 */
export const buy = async (url: string): Promise<string> => {
  const ordered = await fetch(`${url}/orders`, { method: "POST", redirect: "manual" })
  const checkout = new URL(ordered.headers.get("location") ?? "", url)
  const { pageToken, paymentId } = await readCheckout(checkout)
  const wallet = testWallet(url)
  await payFrom(paymentId, {
    baseUrl: `${url}/pages`,
    apiKey: { pageToken },
    accounts: await wallet.accounts(),
    signer: wallet,
  })
  return shipped(url)
}
