/**
 * One payment from creation to settlement, told step by step: the same calls that a partner, a wallet and the workers
 * make.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import * as Fees from "@florin/core/domain/Fees"
import * as Money from "@florin/core/domain/Money"
import * as Network from "@florin/core/domain/Network"
import * as Payment from "@florin/core/domain/Payment"
import * as PaymentLink from "@florin/core/domain/PaymentLink"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as Gateway from "@florin/core/engine/Gateway"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Payments from "@florin/core/engine/Payments"
import * as Settlements from "@florin/core/engine/Settlements"
import { Settings } from "@florin/core/ports/Settings"
import { Storage, type Tenant } from "@florin/core/ports/Storage"
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
export type Tell = (text: string, facts?: ReadonlyArray<string>) => Effect.Effect<void>

const payer = Wallet.make(1)
const treasury = Wallet.make(2)

/** Where the demo merchant wants its money: USDC on Base. */
const usdcOnBase = Caip.parseToken("eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")

const short = (text: string): string => `${text.slice(0, 10)}…${text.slice(-8)}`

const money = (token: Caip.Token, quantity: bigint): string =>
  Amount.toText({
    unit: Amount.token(token),
    quantity: Money.clamp(quantity, Money.Quantity.make(quantity)),
  })

const networkName = (chainId: Caip.ChainId): string => Network.find(chainId)?.name ?? `${chainId}`

const describe = (option: PaymentOption.PaymentOption, steps: number): string =>
  `${money(option.token, option.quantity)} on ${networkName(option.token.chainId)}: ` +
  (steps === 1 ? "one signature, no gas" : `${steps} steps in the wallet`)

/** A partner with a merchant that has a destination, and the two keys that the walk needs. */
const register = Effect.fnUntraced(function* (tell: Tell) {
  const partner = yield* Keys.createPartner({
    name: "Corner Payments",
    feeTerms: {
      fixed: { currency: "USD", quantity: Money.Quantity.make(10n) },
      percentage: yield* Effect.fromResult(Fees.parsePercentage("0.4")),
    },
  })
  const tenant: Tenant = { partnerId: partner.id, mode: "test" }
  const partnerKey = yield* Keys.issue({
    mode: "test",
    owner: { _tag: "Partner", partnerId: partner.id },
    name: "walk",
    expiresAt: null,
  })
  const walletKey = yield* Keys.issue({
    mode: "test",
    owner: {
      _tag: "Wallet",
      name: "Pocket Wallet",
      iconUrl: null,
      versionPin: partner.versionPin,
    },
    name: "walk",
    expiresAt: null,
  })
  const { merchant } = yield* Merchants.create({
    tenant,
    name: "Blue Door Coffee",
    email: "till@bluedoor.example",
    idempotencyKey: "walk-merchant",
  })
  yield* tell("A partner is set up, with its first merchant", [
    `partner   ${partner.name} (${partner.id}), fees 0.10 USD + 0.4 %`,
    `merchant  ${merchant.name} (${merchant.id})`,
    `keys      ${partnerKey.record.hint} for the partner, ${walletKey.record.hint} for a wallet`,
  ])
  const token = yield* Effect.fromResult(usdcOnBase)
  yield* Settlements.create({
    tenant,
    merchantId: merchant.id,
    settlements: [
      {
        asset: Caip.formatToken(token),
        destination: Caip.formatAccount(treasury.account(token.chainId)),
      },
    ],
    idempotencyKey: "walk-destination",
  })
  yield* tell("The merchant says where its money goes", [
    `USDC on Base → ${Caip.formatAddress(treasury.address)}`,
  ])
  return { partner, tenant, merchant, walletKey: walletKey.text }
})

/** Waits until the workers have brought a payment where `isThere` says. */
const until = (
  caller: Keys.Caller,
  id: Payment.Payment["id"],
  what: string,
  isThere: (payment: Payment.Payment) => boolean,
) =>
  Effect.gen(function* () {
    const payment = (yield* Gateway.info(caller, id)).payment
    return isThere(payment)
      ? payment
      : yield* new WalkFailed({ message: `the payment was not ${what} in time` })
  }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 600 }))

/** Walks one payment; fails at the first step that does not come out as it should. */
export const walk = Effect.fn("Walk.walk")(function* (tell: Tell) {
  const { merchant, partner, walletKey } = yield* register(tell)
  const { payLinkHost } = yield* Settings

  const { payment } = yield* Payments.create({
    partner,
    mode: "test",
    merchantId: merchant.id,
    request: { referenceId: "order-1042", amount: { unit: "iso4217/USD", value: "1250" } },
    idempotencyKey: "order-1042",
  })
  const link = PaymentLink.format(payLinkHost, payment.id)
  yield* tell("The partner creates a payment", [
    `${Amount.toText(payment.amount)} for ${payment.referenceId}`,
    `link      ${link}`,
    `status    ${Payment.report(payment, payment.createdAt).status}`,
  ])

  const caller = yield* Keys.authenticate(walletKey)
  const accounts = Network.all.map(({ chainId }) => Caip.formatAccount(payer.account(chainId)))
  const offered = yield* Gateway.options(caller, payment.id, {
    accounts,
    includePaymentInfo: true,
  })
  const options = offered.options ?? []
  const token = yield* Effect.fromResult(usdcOnBase)
  const chosen = options.find((each) => Caip.sameToken(each.option.token, token))
  if (chosen === undefined) {
    return yield* new WalkFailed({ message: "USDC on Base was not offered" })
  }
  yield* tell(`A wallet opens the link and is offered ${options.length} ways to pay`, [
    ...options.slice(0, 4).map((each) => describe(each.option, each.actions.length)),
    ...(options.length > 4 ? [`and ${options.length - 4} more`] : []),
  ])

  const actions = yield* Gateway.fetch(caller, payment.id, { optionId: chosen.id, data: "" })
  const chain = yield* SimulatedChain
  const outputs = yield* payer.execute(actions, chain.node)
  yield* tell(`The payer picks ${describe(chosen.option, actions.length)}`, [
    `from      ${Caip.formatAddress(payer.address)}`,
    `signs     ${actions.map((action) => action.method).join(", ")} ${short(outputs.at(-1) ?? "")}`,
  ])

  const confirmed = yield* Gateway.confirm(caller, payment.id, {
    optionId: chosen.id,
    results: [{ data: outputs }],
    excludeFromRelayer: false,
    maxPollInMs: 0,
  })
  yield* tell("The wallet confirms, and the service takes over", [
    `status    ${Payment.report(confirmed, confirmed.updatedAt).status}`,
  ])

  const paid = yield* until(
    caller,
    payment.id,
    "paid",
    (each) => each.state._tag === "Succeeded" || each.state._tag === "Failed",
  )
  if (paid.state._tag !== "Succeeded") {
    return yield* new WalkFailed({ message: "the payment failed" })
  }
  const { charge, transfer } = paid.state
  yield* tell("The collector sends the authorization and waits until it is final", [
    `block     ${transfer.blockNumber}, transaction ${short(transfer.txHash)}`,
    `status    succeeded: ${money(token, charge.net)} for the merchant, ${money(token, charge.total)} fee`,
  ])

  const settled = yield* until(
    caller,
    payment.id,
    "settled",
    (each) => Payment.settled(each) !== null,
  )
  const settlement = Payment.settled(settled)
  yield* tell("The settler pays the merchant out", [
    `${settlement === null ? "" : Amount.toText(settlement.amount)} → ${Caip.formatAddress(treasury.address)}`,
    `transaction ${short(settlement?.txId ?? "")}`,
  ])

  yield* balance(tell, payment.id)
  return settled
})

/** Ledger and chain must agree to the unit. */
const balance = Effect.fnUntraced(function* (tell: Tell, id: Payment.Payment["id"]) {
  const books = yield* (yield* Storage).ledgerOf(id)
  const report = yield* Reconciler.check("test")
  if (report.differences.length + report.unsound.length > 0) {
    return yield* new WalkFailed({ message: "ledger and chain do not agree" })
  }
  yield* tell("The books are held against the chain", [
    ...report.lines.map(
      (line) =>
        `${Asset.find(line.token)?.symbol ?? "?"} on ${networkName(line.token.chainId)}: ` +
        `ledger ${money(line.token, line.ledger)}, chain ${money(line.token, line.chain)}`,
    ),
    `${books.length} ledger transactions, every one sums to zero`,
  ])
})
