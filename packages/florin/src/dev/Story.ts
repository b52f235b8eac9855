/**
 * Payments of every kind from creation to settlement, and a refund, shown step by step: over HTTP, with the clients
 * that partners and wallets use.
 *
 * @module
 */
import { makePartner, pay, type Partner, type PayResult, type Progress } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Effect from "effect/Effect"
import * as Asked from "../access/Asked.ts"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as Books from "../serve/Books.ts"
import * as Failure from "../terminal/Failure.ts"
import * as WireAmount from "../terminal/WireAmount.ts"
import * as FirstPartner from "./FirstPartner.ts"
import * as LocalChains from "./LocalChains.ts"
import * as Payer from "./Payer.ts"

/** Prints one step: what happened, and the important facts. */
export type Tell = (text: string, facts?: ReadonlyArray<string>) => void

type Offered = Extract<Progress, { readonly _tag: "Offered" }>["options"][number]

const short = (text: string): string => `${text.slice(0, 10)}…${text.slice(-8)}`

/** The request that a wallet gets for an option: options of one kind have the same one. */
const kindOf = ({ actions }: Offered): string =>
  actions.map((action) => (action.type === "walletRpc" ? action.data.method : "build")).join()

const steps: {
  readonly [M in Extract<Progress, { readonly _tag: "Executed" }>["method"]]: string
} = {
  eth_signTypedData_v4: "one signature",
  eth_sendTransaction: "one transaction",
  personal_sign: "one signed message",
}

/** What went wrong, for a person to read. */
const whyNot = (result: PayResult): string => {
  if ("error" in result) return result.error.message
  return result._tag === "NoOption" ? "no option was offered" : `it ended as ${result._tag}`
}

const { payer } = LocalChains

interface Paid {
  readonly paymentId: string
  readonly kind: string
}

/** Creates a payment and pays it from a wallet, in a way that was not tried yet; null if there is no such way. */
const payOnce = Effect.fnUntraced(function* (
  ready: ReadyFile.Ready,
  client: Partner,
  tried: ReadonlyArray<string>,
  print: Tell,
) {
  const referenceId = `order-${1042 + tried.length}`
  const created = yield* Asked.ask("creating a payment", () =>
    client.payments.create({ referenceId, amount: { unit: "iso4217/USD", value: "1250" } }),
  )
  let offered: ReadonlyArray<Offered> = []
  let chosen: Offered | undefined
  const done: Array<string> = []
  const result = yield* Asked.ask("paying", () =>
    pay(created.gatewayUrl, {
      baseUrl: ready.baseUrl,
      payLinkHost: ready.payLinkHost,
      apiKey: ready.walletKey,
      accounts: ready.chains.map(({ chainId }) => Eip155.formatAccount(payer.account(chainId))),
      signer: Payer.signer(payer, ready.chains),
      chooseOption: (options) => {
        offered = options
        chosen = options.find((option) => !tried.includes(kindOf(option)))
        return chosen
      },
      onProgress: (progress) => {
        if (progress._tag === "Executed") done.push(steps[progress.method])
      },
    }),
  )
  if (result._tag === "Declined" && tried.length > 0) {
    yield* Asked.ask("calling a payment off", () => client.payments.cancel(created.paymentId))
    return null
  }
  if (result._tag !== "Succeeded" || chosen === undefined) {
    return yield* Failure.make(`paying ${referenceId}: ${whyNot(result)}`)
  }
  const { data } = yield* Asked.ask("listing payments", () => client.payments.list({ referenceId }))
  const listed = data.find(({ paymentId }) => paymentId === created.paymentId)
  const kind = kindOf(chosen)
  print(`A payer pays 12.50 USD for ${referenceId} with ${done.join(" and ")}`, [
    `link        ${created.gatewayUrl}`,
    `offered     ${offered.length} ways to pay`,
    `chosen      ${WireAmount.toText(chosen.amount)}`,
    `transaction ${short(listed?.transaction?.hash ?? "")}`,
    `fee         ${listed?.fees === undefined ? "?" : WireAmount.toText(listed.fees.total)}`,
  ])
  const paid: Paid = { paymentId: created.paymentId, kind }
  return paid
})

/** Pays once in each way that is offered. */
const payInEveryWay = Effect.fnUntraced(function* (
  ready: ReadyFile.Ready,
  client: Partner,
  print: Tell,
) {
  const paid: Array<Paid> = []
  for (;;) {
    const next = yield* payOnce(
      ready,
      client,
      paid.map(({ kind }) => kind),
      print,
    )
    if (next === null) return paid
    paid.push(next)
  }
})

/** Waits until the workers have paid the merchant out. */
const settle = Effect.fnUntraced(function* (client: Partner, { paymentId }: Paid) {
  const { referenceId, settlement } = yield* Asked.until("waiting for a settlement", async () => {
    const details = await client.payments.get(paymentId)
    const { settlement: found } = details
    return found === undefined || found === null ? null : { ...details, settlement: found }
  })
  const { amount, txId } = settlement.successful
  return `${referenceId}: ${Amount.toText(yield* Effect.fromResult(Amount.read("amount", amount, BuiltIn.catalog)), BuiltIn.catalog)} in ${short(txId)}`
})

const refund = Effect.fnUntraced(function* (client: Partner, { paymentId }: Paid) {
  const { refundId } = yield* Asked.ask("asking for a refund", () =>
    client.refunds.create({ paymentId }),
  )
  return yield* Asked.until("waiting for the refund", async () => {
    const refunded = await client.refunds.get(refundId)
    return refunded.status === "succeeded" ? refunded : null
  })
})

/** Runs the whole story; fails at the first step with an unexpected result. */
export const play = Effect.fn("Story.play")(function* (ready: ReadyFile.Ready, step: Tell) {
  const { baseUrl, partnerKey } = ready
  // A merchant of its own, because a merchant with refunds from an earlier run is paid less until they are made up for.
  const merchantId = yield* FirstPartner.merchant(makePartner({ baseUrl, apiKey: partnerKey }))
  const client = makePartner({ baseUrl, apiKey: partnerKey, merchantId })
  step("A merchant registers its settlement destination", [
    `any token → ${Eip155.formatAddress(LocalChains.treasury.address)}`,
  ])
  const paid = yield* payInEveryWay(ready, client, step)
  const settled = yield* Effect.forEach(paid, (each) => settle(client, each), {
    concurrency: "unbounded",
  })
  step("The merchant is paid out, less the fee", settled)
  const [first] = paid
  if (first === undefined) return yield* Failure.make("nothing was paid")
  const { refundId } = yield* refund(client, first)
  step("The first payment is refunded to the payer, from the operator's float", [refundId])
  const report = yield* Reconciler.check("test")
  yield* Books.judge(report)
  step("The ledger is compared with the chains", [
    `${report.lines.length} balances, each equal in the ledger and on its chain to the last unit`,
  ])
})
