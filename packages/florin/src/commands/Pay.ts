/**
 * `florin pay <link>`: pays a test payment from a demo wallet, and shows each step of a wallet that supports Florin.
 *
 * @module
 */
import { pay, sentHash, type PayOptions, type Progress } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Variables from "../access/Variables.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"
import * as DemoWallet from "./DemoWallet.ts"

const flags = {
  link: Flags.argument("link", "Payment link or payment id"),
  token: Flags.optionalString(
    "token",
    "SYMBOL",
    "Token to pay in, such as USDC (default: the first that is offered)",
  ),
  network: Flags.optionalString(
    "network",
    "NAME",
    "Network to pay on: Base or 8453 (default: the first that is offered)",
  ),
  data: Flags.pairs(
    "data",
    "ID=VALUE",
    "Field of the payer's data, if the payment asks for it: fullName='Ada Lovelace'; repeat for several",
  ),
  rpc: DemoWallet.rpc,
  ...ServiceAccess.connectFlags,
  json: Flags.json,
}

type Given = Command.Command.Config.Infer<typeof flags>
type Way = Parameters<NonNullable<PayOptions["chooseOption"]>>[0][number]

const waitText = (inS: number): string => (inS < 120 ? `${inS} s` : `${Math.ceil(inS / 60)} min`)

/** Ways in the same token and network differ only in what the wallet signs, so one line stands for them. */
const linesOf = (ways: ReadonlyArray<Way>): ReadonlyArray<string> => [
  ...new Set(
    ways.map(
      ({ amount, collectData, etaS }) =>
        `${WireAmount.toText(amount)}, in about ${waitText(etaS)}${collectData ? ", needs the payer's data" : ""}`,
    ),
  ),
]

const methods: {
  readonly [M in Extract<Progress, { readonly _tag: "Executing" }>["method"]]: string
} = {
  eth_signTypedData_v4: "Signing",
  eth_sendTransaction: "Sending a transaction and waiting for its block",
  personal_sign: "Signing a message",
}

const showWays = ({ info, options }: Extract<Progress, { readonly _tag: "Offered" }>): void => {
  Terminal.heading(
    info === undefined
      ? "Ways to pay:"
      : `${Printable.from(info.merchant.name)} asks for ${WireAmount.toText(info.amount)}`,
  )
  for (const [index, line] of linesOf(options).entries()) Terminal.step(index + 1, line)
}

const textOf = (progress: Progress): string | undefined => {
  switch (progress._tag) {
    case "Executing":
      return `${methods[progress.method]} (${progress.step} of ${progress.steps})…`
    case "Confirming":
      return "Submitting the payment…"
    case "Processing":
      return "Waiting for confirmation…"
    default:
      return undefined
  }
}

/** Prints the ways to pay, and each step once. */
const makeNarrator = () => {
  const said = new Set<string | undefined>()
  return (progress: Progress): void => {
    if (progress._tag === "Offered") return showWays(progress)
    const text = textOf(progress)
    if (text !== undefined && !said.has(text)) Terminal.plain(text)
    said.add(text)
  }
}

const isCalled = (wanted: Option.Option<string>, ...names: ReadonlyArray<string | undefined>) =>
  Option.isNone(wanted) ||
  names.some((name) => name?.toLowerCase() === wanted.value.trim().toLowerCase())

/** The first way in the wanted token and network; one that needs no data about the payer, if there is one. */
const choose = ({ network, token }: Given, ways: ReadonlyArray<Way>): Way => {
  const fitting = ways.filter(({ account, amount: { display } }) => {
    const [family, chain] = account.split(":")
    return (
      isCalled(token, display.assetSymbol) &&
      isCalled(network, display.networkName, chain, `${family}:${chain}`)
    )
  })
  const way = fitting.find(({ collectData }) => !collectData) ?? fitting[0]
  if (way !== undefined) return way
  const names = [...new Set(ways.map(({ amount }) => WireAmount.toText(amount)))]
  throw Failure.make(`no way to pay fits --token and --network: choose one of ${names.join(", ")}`)
}

const builtIn = BuiltIn.catalog.networks.map(({ chainId }) => Eip155.numberOf(chainId))

const run = Effect.fnUntraced(function* (given: Given) {
  const found = yield* ServiceAccess.find(given)
  const { baseUrl, ready } = found
  const apiKey = ready?.walletKey ?? found.apiKey
  const nodes = given.rpc.length > 0 ? given.rpc : (ready?.chains ?? [])
  const chainIds = nodes.length > 0 ? nodes.map(({ chainId }) => chainId) : builtIn
  const wallet = yield* DemoWallet.open({ apiKey, ready }, given.rpc, chainIds)
  const host = yield* Variables.read("FLORIN_PAY_LINK_HOST")
  const result = yield* Asked.calling((signal) =>
    pay(given.link, {
      ...wallet,
      baseUrl,
      apiKey,
      payLinkHost: ready?.payLinkHost ?? Option.getOrElse(host, () => new URL(baseUrl).host),
      signal,
      chooseOption: (ways) => choose(given, ways),
      collectData: async ({ fields }) => ({
        fields: fields.flatMap(({ id }) => {
          const value = given.data[id]
          return value === undefined ? [] : [{ id, value }]
        }),
      }),
      ...(!given.json && { onProgress: makeNarrator() }),
    }),
  )
  const outcome = {
    result: result._tag,
    ...("paymentId" in result && { paymentId: result.paymentId }),
  }
  if (result._tag === "Succeeded") {
    const { paid, paymentId } = result
    if (given.json) return Terminal.json({ ...outcome, paid })
    if (paid === null) return Terminal.writeSuccess("Paid.")
    Terminal.writeSuccess(`Paid ${WireAmount.toText(paid.optionAmount)}.`)
    Terminal.fact("payment", paymentId)
    return Terminal.fact("in", paid.txId)
  }
  const unpaid = "resume" in result && result.resume ? sentHash(result.resume) : undefined
  const why = DemoWallet.whyNot(result)
  const message = unpaid === undefined ? why : `the tokens were sent in ${unpaid}: ${why}`
  if (given.json) Terminal.json({ ...outcome, unpaid, message })
  return yield* Failure.make(message)
})

export const command = Command.make("pay", flags, run).pipe(
  Described.as({
    description:
      "Pay a test payment from a demo wallet: show the amount and the ways to pay, sign, and wait for the result. The command uses the service that runs in --directory and its first test wallet. For another service, set FLORIN_URL to its address and FLORIN_API_KEY to a wallet's test key; on a test network, set FLORIN_WALLET_KEY to the private key of a wallet with test tokens. Live keys and real chains are refused: pay there with your own wallet.",
    examples: [
      "florin pay 'http://localhost:3000/?pid=pay_…'",
      "florin pay --token USDC --network Base pay_…",
      "florin pay --data fullName='Ada Lovelace' --data tosConfirmed=true pay_…",
      "florin pay --json --rpc 84532=https://node.example pay_…",
    ],
  }),
)
