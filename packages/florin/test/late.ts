/**
 * Money that came too late, as a service would have found it: on the chain, and in the ledger.
 *
 * @module
 */
import { join } from "node:path"
import * as Incoming from "@florin/core/domain/books/Incoming"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Change from "@florin/core/domain/payment/Change"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import { OutflowStore, type Shown } from "@florin/core/ports/OutflowStore"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Stores from "@florin/testing/Stores"
import { Effect, Result } from "effect"
import * as Place from "../src/access/Place.ts"
import * as LocalChains from "../src/dev/LocalChains.ts"

const chainId = Eip155.chainId(8453)
const token: Caip.Token = {
  chainId,
  address: Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
}

export const quantity = Money.Quantity.make(7_000_000n)
export const txHash = `0x${"ab".repeat(32)}`
/** Holds nothing until it is given something back. */
export const sender = Caip.Address.make(`0x${"5e".repeat(20)}`)

const collecting = LocalChains.collectingAccounts.test[0]?.address ?? sender

/** Puts something on the collecting account of a kept chain, of which the ledger is not told. */
const put = (place: Place.Lasting, amount: bigint) =>
  Effect.gen(function* () {
    const stateFile = join(Place.chainsDirectory(place), `${Eip155.numberOf(chainId)}.json`)
    const chain = yield* LocalChain.make({ chainId, blocks: "byHand", stateFile })
    yield* chain.fund(token.address, collecting, amount)
    yield* chain.mine(1)
  }).pipe(Effect.scoped)

/** Takes a unit away that the ledger knows of. */
export const lose = (place: Place.Lasting): Promise<void> => Effect.runPromise(put(place, -1n))

/** Writes down that it was reported for a payment, and found. */
const suspend = (paymentId: PaymentId.PaymentId, now: number) =>
  Effect.gen(function* () {
    const option: PaymentOption.PaymentOption = {
      paymentId,
      account: { chainId, address: sender },
      accountText: Eip155.formatAccount({ chainId, address: sender }),
      token,
      flow: "eip3009",
      quantity,
      fixedFee: Money.zero,
      payTo: collecting,
      issuedAt: 0,
      expiresAt: 1,
    }
    yield* Stores.modifyPayment(yield* OutflowStore)(paymentId, (current) =>
      Result.succeed({
        result: null,
        change: PaymentTransition.reportLate(current, { txHash, option, isFirm: true }, now),
      }),
    )
    const movement = { token, from: sender, to: collecting, quantity }
    const log = { movement, txHash, logIndex: 0, blockNumber: 1, blockHash: txHash }
    const outflows = yield* OutflowStore
    const modify = (
      inflows: ReadonlyArray<InflowId.InflowId>,
      decide: (shown: Shown) => Change.Write | null,
    ) =>
      outflows.modify(
        { outflows: [], payments: [paymentId], inflows },
        (shown) => Result.succeed({ result: null, write: decide(shown) }),
        null,
      )
    yield* modify([], ({ payments: [payment] }) =>
      payment === undefined ? null : Incoming.suspend(payment.mode, log, now),
    )
    yield* modify([InflowId.of(log)], ({ inflows: [inflow], payments: [payment] }) =>
      inflow === undefined || payment === undefined
        ? null
        : Incoming.recognize(inflow, payment, { txHash, option }, now),
    )
  })

/** Lets money come for a payment that takes no more, while no service runs there. */
export const come = (place: Place.Lasting, paymentId: string, now: number): Promise<void> =>
  Effect.runPromise(
    put(place, quantity).pipe(
      Effect.andThen(
        Effect.provide(
          suspend(PaymentId.PaymentId.make(paymentId), now),
          Place.layer(place, "a test"),
        ),
      ),
    ),
  )

/** Writes a payment in a state that no event announces, as only a fault does. */
export const expireSilently = (place: Place.Lasting, paymentId: string): Promise<void> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const modifyPayment = Stores.modifyPayment(yield* OutflowStore)
      yield* modifyPayment(PaymentId.PaymentId.make(paymentId), (current) => {
        const expired = { ...current, state: { _tag: "Expired" as const } }
        return Result.succeed({
          result: undefined,
          change: Change.make(expired, current.updatedAt, {}),
        })
      })
    }).pipe(Effect.provide(Place.layer(place, "a test"))),
  )
