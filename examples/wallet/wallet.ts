/** A wallet: it reads a payment link, shows the request, signs, and reports the result. */
import { argv, env, stdout } from "node:process"
import { pay, type PayOptions, type PayResult, type Progress } from "@florin/client"
import * as Wallet from "@florin/testing/Wallet"

/** Stands in for your wallet: an address, and the `request` function that every dapp knows. */
const payer = Wallet.make(1)
const chains = [1, 10, 56, 137, 8453, 42161]

const tell = (progress: Progress): string => {
  switch (progress._tag) {
    case "Offered":
      return `${progress.info?.merchant.name ?? "A shop"} asks for money: ${progress.options.length} ways to pay`
    case "Executing":
      return `Step ${progress.step} of ${progress.steps}: ${progress.method}`
    case "Executed":
      // Store progress.resume here: a wallet that crashes now and resumes with it signs nothing twice.
      return "Signed"
    default:
      return progress._tag
  }
}

/** Pays a link on a service. */
export const payLink = (
  link: string,
  service: Pick<PayOptions, "baseUrl" | "apiKey" | "payLinkHost" | "fetch">,
  say: (line: string) => void,
): Promise<PayResult> =>
  pay(link, {
    ...service,
    accounts: chains.map((chain) => `eip155:${chain}:${payer.address}`),
    signer: payer,
    onProgress: (progress) => say(tell(progress)),
  })

if (import.meta.main) {
  const { FLORIN_URL: baseUrl = "http://localhost:3000", FLORIN_API_KEY: apiKey = "" } = env
  // The host of your service. That of a service on your machine has a port.
  const payLinkHost = env["FLORIN_PAY_LINK_HOST"] ?? "localhost:3000"
  const say = (line: string) => stdout.write(`${line}\n`)
  const service = { baseUrl, apiKey, payLinkHost }
  const result = await payLink(argv[2] ?? "", service, say)
  say("error" in result ? `${result._tag}: ${result.error.message}` : result._tag)
}
