/**
 * `florin refunds`: a partner refunds payments over HTTP; the operator retries held refunds and returns late transfers,
 * in the storage.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as LateReports from "@florin/core/domain/payment/LateReports"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Lanes from "@florin/core/engine/Lanes"
import * as LateReturn from "@florin/core/engine/LateReturn"
import * as Refunds from "@florin/core/engine/Refunds"
import * as Relayer from "@florin/core/engine/Relayer"
import { Assets } from "@florin/core/ports/Assets"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Sender from "@florin/core/workers/Sender"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Access from "../access/Access.ts"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

type Suspended = Extract<Payment.Late, { readonly _tag: "Suspended" }>
type Returning = Extract<Payment.Late, { readonly _tag: "Returning" }>

const suspendedIn = (payment: Payment.Payment) =>
  payment.late.flatMap((late) => (late._tag === "Suspended" ? [{ payment, late }] : []))

const amountOf = ({ transfer: { movement } }: Suspended): Amount.Amount => ({
  unit: Amount.token(movement.token),
  quantity: movement.quantity,
})

const asJson = (
  { late, payment }: { readonly late: Suspended; readonly payment: Payment.Payment },
  catalog: Catalog.Catalog,
) => ({
  mode: payment.mode,
  paymentId: payment.id,
  txHash: late.transfer.txHash,
  from: Family.formatAccount(catalog, {
    chainId: late.transfer.movement.token.chainId,
    address: late.transfer.movement.from,
  }),
  amount: Amount.format(amountOf(late), catalog),
  suspendedAt: Time.iso(late.suspendedAt),
})

const list = Effect.fnUntraced(function* (options: Access.Named & { readonly json: boolean }) {
  const stuck = [...(yield* Refunds.stuck("live")), ...(yield* Refunds.stuck("test"))]
  const found = stuck.flatMap(suspendedIn)
  const catalog = yield* Assets
  if (options.json) return Terminal.json(found.map((each) => asJson(each, catalog)))
  Terminal.heading(found.length === 0 ? "No late money is in suspense." : "Late money in suspense:")
  for (const { late, payment } of found) {
    const { from, token } = late.transfer.movement
    const { chainId } = token
    Terminal.plain(
      `${payment.id} ${late.transfer.txHash}: ${Amount.toText(amountOf(late), catalog)} on ` +
        `${Catalog.networkName(catalog, chainId)}, from ${Family.formatAddress(catalog, { chainId, address: from })}`,
    )
  }
  if (found.length > 0) {
    Terminal.note(`Return it with: \`florin refunds return <paymentId> <txHash>\``)
  }
})

const late = Command.make(
  "late",
  { ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    yield* list(options).pipe(Access.inStorage(options, "florin refunds late"))
  }),
).pipe(
  Command.withDescription(
    "List transfers that came too late for their payments. They do not pay anything, and stay in suspense until you return them.",
  ),
  Command.withShortDescription("List late transfers"),
)

const looks = { schedule: Schedule.spaced("200 millis"), times: 300 }

/** The state of the return of a late transfer. */
const whereItIs = Effect.fnUntraced(function* (id: PaymentId.PaymentId, returning: Returning) {
  const { state } = yield* (yield* OutflowStore).outflow(returning.outflowId)
  return state._tag === "Sent"
    ? `it is sent in ${(yield* Relayer.transactionAt(state.slot)).hash}: the service's workers complete it`
    : `it waits to be sent by the service's workers: \`florin explain ${id}\` shows the reason`
})

/** The result of returning a transfer. */
const outcome = Effect.fnUntraced(function* (id: PaymentId.PaymentId, txHash: string) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const found = payment.late.find((each) => LateReports.hashOf(each) === txHash)
  if (found?._tag !== "Returning") return found
  return yield* new Failure.CommandFailed({ message: yield* whereItIs(id, found) })
}, Effect.retry(looks))

/** Refuses a return that could not be sent now: on a stopped chain, the money stays in suspense. */
const requireSending = Effect.fnUntraced(function* (id: PaymentId.PaymentId, txHash: string) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const found = payment.late.find((each) => LateReports.hashOf(each) === txHash)
  if (found?._tag !== "Suspended") return
  const { token } = found.transfer.movement
  const { chainId } = token
  const isSame = (each: { readonly token: Caip.Token }) => Caip.sameToken(each.token, token)
  const stop = (yield* Lanes.stoppedTokens(payment.mode)).find(isSame)
  if (stop !== undefined) {
    const asset = Family.formatToken(yield* Assets, token)
    return yield* new Failure.CommandFailed({
      message: `the token is stopped, so nothing was sent (${stop.reason}): \`florin assets resume ${asset}\` resumes it`,
    })
  }
  const stopped = (yield* Lanes.listHalted(payment.mode)).find((each) => each.chainId === chainId)
  if (stopped !== undefined) {
    return yield* new Failure.CommandFailed({
      message: `chain ${chainId} is stopped, so nothing was sent: ${stopped.reason}; \`florin chains resume ${chainId}\` resumes it`,
    })
  }
})

const giveBack = Effect.fnUntraced(function* (id: PaymentId.PaymentId, txHash: string) {
  yield* requireSending(id, txHash)
  yield* LateReturn.giveBack(id, txHash)
  // The sender starts only now, so that it finds the return among the first.
  const found = yield* Effect.provide(outcome(id, txHash), Sender.layer())
  return found?._tag === "Returned"
    ? found
    : yield* new Failure.CommandFailed({
        message:
          found?._tag === "Suspended" && found.held?.movedOtherwise === true
            ? Transfer.whyNotRetried(found.held.reason)
            : `the transfer back failed, and the money is still in suspense: \`florin explain ${id}\` shows the reason`,
      })
})

const giveBackCommand = Command.make(
  "return",
  {
    paymentId: Flags.paymentId("Id of the payment that the money came for"),
    txHash: Flags.txHash("Hash of the late transaction, from `refunds late`"),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId, txHash } = options
    const access = Access.layer(options, "florin refunds return")
    const { txHash: returnedBy } = yield* giveBack(paymentId, txHash).pipe(
      Effect.provide(Layer.merge(access, Identifiers.layer)),
    )
    if (options.json) return Terminal.json({ paymentId, txHash, returnedBy })
    Terminal.writeSuccess(`Returned in ${returnedBy}.`)
  }),
).pipe(
  Command.withDescription(
    "Send late money back to the account that it came from, and wait until the transfer is final.",
  ),
  Command.withShortDescription("Return a late transfer"),
  Command.withExamples([{ command: "florin refunds return pay_… 0x…" }]),
)

const retry = Command.make(
  "retry",
  {
    paymentId: Flags.paymentId("Id of the payment whose refund is held"),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { catalog, payment, refund } = yield* Effect.gen(function* () {
      return { ...(yield* Refunds.retryHeld(options.paymentId)), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag(
        "RefundNotHeld",
        ({ message }) =>
          new Failure.CommandFailed({
            message: `${message}: \`florin explain ${options.paymentId}\` shows its state`,
          }),
      ),
      Access.inStorage(options, "florin refunds retry"),
    )
    const amount = Refund.amount(refund)
    if (options.json) {
      return Terminal.json({
        paymentId: payment.id,
        refundId: refund.id,
        status: Refund.status(refund),
        amount: Amount.format(amount, catalog),
      })
    }
    Terminal.writeSuccess(
      `The refund of ${Amount.toText(amount, catalog)} is due again, to ${Family.formatAccount(catalog, refund.to)}. A worker sends it.`,
    )
    Terminal.note(`Follow it with: \`florin explain ${payment.id}\``)
  }),
).pipe(
  Command.withDescription(
    "Retry a held refund, to the account that paid. For operators: the command opens the storage, and the service's workers send the money.",
  ),
  Command.withShortDescription("Retry a held refund"),
  Command.withExamples([{ command: "florin refunds retry pay_…" }]),
)

const create = Command.make(
  "create",
  {
    ...ServiceAccess.merchantFlags,
    paymentId: Flags.paymentId("Id of the payment to refund"),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId } = options
    const { client } = yield* ServiceAccess.ofOne(options)
    const refund = yield* Asked.ask("asking for the refund", () =>
      client.refunds.create({ paymentId }),
    )
    if (options.json) return Terminal.json(refund)
    Terminal.writeSuccess(
      `${WireAmount.toText(refund.amount)} goes back to the payer: ${refund.status}`,
    )
    Terminal.note(`Follow it with: \`florin refunds show ${refund.refundId}\``)
  }),
).pipe(
  Command.withDescription(
    "Refund the full amount of a payment to its payer. A payment can be refunded once.",
  ),
  Command.withShortDescription("Refund a payment"),
)

const show = Command.make(
  "show",
  {
    ...ServiceAccess.merchantFlags,
    refundId: Argument.String("refundId").pipe(
      Argument.withDescription("Id of the refund, from create"),
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofOne(options)
    const refund = yield* Asked.ask("reading the refund", () =>
      client.refunds.get(options.refundId),
    )
    if (options.json) return Terminal.json(refund)
    Terminal.heading(refund.refundId)
    Terminal.fact("payment", refund.paymentId)
    Terminal.fact("amount", WireAmount.toText(refund.amount))
    Terminal.fact("status", refund.status)
  }),
).pipe(
  Command.withDescription("Show the state of a refund."),
  Command.withShortDescription("Show a refund"),
)

export const command = Command.make("refunds").pipe(
  Command.withDescription(
    "Refund payments and return late transfers. create and show call the service over HTTP with a partner's key. retry, late and return are for operators and open the storage.",
  ),
  Command.withSubcommands([create, show, retry, late, giveBackCommand]),
)
