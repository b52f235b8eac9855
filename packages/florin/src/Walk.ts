/**
 * One payment from creation to settlement, told step by step: over HTTP, with the clients that partners and wallets use.
 *
 * @module
 */
import {
  makePartner,
  pay,
  type Partner,
  type PayOptions,
  type PayResult,
  type Progress,
  type SignerRequest,
} from "@florin/client"
import * as Amount from "@florin/core/domain/Amount"
import * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import * as Fees from "@florin/core/domain/Fees"
import * as Money from "@florin/core/domain/Money"
import * as Network from "@florin/core/domain/Network"
import * as Version from "@florin/core/domain/Version"
import * as Keys from "@florin/core/engine/Keys"
import { Settings } from "@florin/core/ports/Settings"
import * as Reconciler from "@florin/core/workers/Reconciler"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

/** A step of the walk did not come out as it should. */
class WalkFailed extends Schema.TaggedError<WalkFailed>()("WalkFailed", {
  message: Schema.String,
}) {}

/** Tells one step: what happened, and the facts worth seeing. */
export type Tell = (text: string, facts?: ReadonlyArray<string>) => void

/** Where the service is, and how it is called. */
export type Server = Pick<PayOptions, "baseUrl" | "fetch">

/** The two keys that were made, to try the service with. */
export interface Issued {
  readonly partnerKey: string
  readonly walletKey: string
  readonly merchantId: string
}

const payer = Wallet.make(1)
const treasury = Wallet.make(2)

/** What the demo pays with, and where its merchant wants its money. */
const usdcOnBase = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const base = Caip.ChainId.make(8453)

const short = (text: string): string => `${text.slice(0, 10)}…${text.slice(-8)}`

const money = (token: Caip.Token, quantity: bigint): string =>
  Amount.toText({
    unit: Amount.token(token),
    quantity: Money.clamp(quantity, Money.Quantity.make(quantity)),
  })

const networkName = (chainId: Caip.ChainId): string => Network.find(chainId)?.name ?? `${chainId}`

/** An amount of an answer, as a person writes it. */
const amountText = (amount: {
  readonly value: string
  readonly display: { readonly decimals: number; readonly assetSymbol: string }
}): string => {
  const { assetSymbol, decimals } = amount.display
  return `${Money.toDecimal(Money.Quantity.make(BigInt(amount.value)), decimals, 0)} ${assetSymbol}`
}

type Offered = Extract<Progress, { readonly _tag: "Offered" }>["options"][number]

const describe = ({ actions, amount }: Offered): string => {
  const [first] = actions
  const how =
    first?.type === "walletRpc" && actions.length === 1
      ? "one signature, no gas"
      : "more steps in the wallet"
  return `${amountText(amount)} on ${amount.display.networkName ?? "?"}: ${how}`
}

const attempt = <A>(step: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new WalkFailed({
        message: `${step}: ${error instanceof Error ? error.message : "it did not work"}`,
      }),
  })

/** A partner, its merchant with a destination, and the keys of both sides. */
const register = Effect.fnUntraced(function* (server: Server, tell: Tell) {
  const partner = yield* Keys.createPartner({
    name: "Corner Payments",
    feeTerms: {
      fixed: { currency: "USD", quantity: Money.Quantity.make(10n) },
      percentage: yield* Effect.fromResult(Fees.parsePercentage("0.4")),
    },
  })
  const common = { mode: "test", name: "walk", expiresAt: null } as const
  const partnerKey = yield* Keys.issue({
    ...common,
    owner: { _tag: "Partner", partnerId: partner.id },
  })
  const walletKey = yield* Keys.issue({
    ...common,
    owner: {
      _tag: "Wallet",
      name: "Pocket Wallet",
      iconUrl: null,
      versionPin: Version.newestStable,
    },
  })
  const client = makePartner({ ...server, apiKey: partnerKey.text })
  const { merchant } = yield* attempt("creating a merchant", () =>
    client.merchants.create({
      merchantName: "Blue Door Coffee",
      merchantEmail: "till@bluedoor.example",
    }),
  )
  tell("A partner is set up, with its first merchant", [
    `partner   ${partner.name} (${partner.id}), fees 0.10 USD + 0.4 %`,
    `merchant  ${merchant.name} (${merchant.id})`,
    `keys      ${partnerKey.record.hint} for the partner, ${walletKey.record.hint} for a wallet`,
  ])
  const destination = Caip.formatAccount(treasury.account(base))
  yield* attempt("registering a destination", () =>
    client.settlements.create(merchant.id, { settlements: [{ asset: usdcOnBase, destination }] }),
  )
  tell("The merchant says where its money goes", [
    `USDC on Base → ${Caip.formatAddress(treasury.address)}`,
  ])
  const issued: Issued = {
    partnerKey: partnerKey.text,
    walletKey: walletKey.text,
    merchantId: merchant.id,
  }
  return issued
})

const chainIdOf = (caip2: string): Caip.ChainId =>
  Caip.ChainId.make(Number(caip2.slice("eip155:".length)))

/** The payer's wallet, as a wallet's developer would plug it in. */
const signer = Effect.gen(function* () {
  const chain = yield* SimulatedChain
  const run = Effect.runPromiseWith(yield* Effect.context())
  return {
    request: async ({ chainId, method, params }: SignerRequest) => {
      const texts = params.map((param) =>
        typeof param === "string" ? param : JSON.stringify(param),
      )
      const action = {
        _tag: "WalletRpc",
        chainId: chainIdOf(chainId),
        method,
        params: texts,
      } as const
      return (await run(payer.execute([action], chain.node))).at(-1)
    },
  }
})

/** How the wallet's steps are told. */
const teller =
  (tell: Tell) =>
  (progress: Progress): void => {
    switch (progress._tag) {
      case "Offered":
        return tell(
          `A wallet opens the link and is offered ${progress.options.length} ways to pay`,
          [
            ...progress.options.slice(0, 4).map(describe),
            ...(progress.options.length > 4 ? [`and ${progress.options.length - 4} more`] : []),
          ],
        )
      case "Executed":
        return tell("The payer signs in the wallet", [
          `from      ${Caip.formatAddress(payer.address)}`,
          `signs     ${progress.method} ${short(progress.resume.outputs.at(-1) ?? "")}`,
        ])
      case "Confirming":
        return tell("The wallet confirms, and the service takes over")
      default:
        return undefined
    }
  }

const isUsdcOnBase = ({ amount }: Offered): boolean =>
  amount.unit.toLowerCase() === `caip19/${usdcOnBase}`.toLowerCase()

/** What went wrong, for a person to read. */
const whyNot = (result: PayResult): string => {
  if ("error" in result) return result.error.message
  return result._tag === "NoOption" || result._tag === "Declined"
    ? "USDC on Base was not offered"
    : `the payment ended as ${result._tag}`
}

/** Opens the link in a wallet and pays. */
const payInWallet = Effect.fnUntraced(function* (
  server: Server,
  { walletKey }: Issued,
  link: string,
  tell: Tell,
) {
  const { payLinkHost } = yield* Settings
  const wallet = yield* signer
  const result = yield* attempt("paying", () =>
    pay(link, {
      ...server,
      apiKey: walletKey,
      payLinkHost,
      accounts: Network.all.map(({ chainId }) => Caip.formatAccount(payer.account(chainId))),
      signer: wallet,
      chooseOption: async (options) => options.find(isUsdcOnBase),
      onProgress: teller(tell),
    }),
  )
  return result._tag === "Succeeded" ? result : yield* new WalkFailed({ message: whyNot(result) })
})

/** Waits until the workers have paid the merchant out. */
const settled = (client: Partner, paymentId: string) =>
  Effect.gen(function* () {
    const { settlement } = yield* attempt("reading the payment", () =>
      client.payments.get(paymentId),
    )
    return settlement ?? (yield* new WalkFailed({ message: "the payment was not settled in time" }))
  }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 600 }))

/** Walks one payment; fails at the first step that does not come out as it should. */
export const walk = Effect.fn("Walk.walk")(function* (server: Server, tell: Tell) {
  const issued = yield* register(server, tell)
  const { merchantId, partnerKey } = issued
  const client = makePartner({ ...server, apiKey: partnerKey, merchantId })
  const referenceId = "order-1042"
  const { gatewayUrl, paymentId, status } = yield* attempt("creating a payment", () =>
    client.payments.create({ referenceId, amount: { unit: "iso4217/USD", value: "1250" } }),
  )
  tell("The partner creates a payment", [
    `12.50 USD for ${referenceId}`,
    `link      ${gatewayUrl}`,
    `status    ${status}`,
  ])

  yield* payInWallet(server, issued, gatewayUrl, tell)
  const { data } = yield* attempt("listing payments", () => client.payments.list({ referenceId }))
  const paid = data.find((each) => each.paymentId === paymentId)
  tell("The collector sends the authorization and waits until it is final", [
    `transaction ${short(paid?.transaction?.hash ?? "")} on ${paid?.tokenAmount?.display.networkName ?? "?"}`,
    `status    ${paid?.status ?? "?"}: ${paid?.fees === undefined ? "?" : amountText(paid.fees.total)} of it is the fee`,
  ])

  const { successful } = yield* settled(client, paymentId)
  const token = yield* Effect.fromResult(Caip.parseToken(usdcOnBase, "ignored"))
  tell("The settler pays the merchant out", [
    `${money(token, BigInt(successful.amount.value))} → ${Caip.formatAddress(treasury.address)}`,
    `transaction ${short(successful.txId)}`,
  ])
  yield* balance(tell)
  return issued
})

/** Ledger and chain must agree to the unit. */
const balance = Effect.fnUntraced(function* (tell: Tell) {
  const report = yield* Reconciler.check("test")
  if (report.differences.length + report.unsound.length > 0) {
    return yield* new WalkFailed({ message: "ledger and chain do not agree" })
  }
  tell(
    "The books are held against the chain",
    report.lines.map(
      (line) =>
        `${Asset.find(line.token)?.symbol ?? "?"} on ${networkName(line.token.chainId)}: ` +
        `ledger ${money(line.token, line.ledger)}, chain ${money(line.token, line.chain)}`,
    ),
  )
})
