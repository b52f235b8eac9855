/**
 * Those who use the service: payers with every kind of token, who pay, come late, change their mind or repeat
 * themselves, and shops that refund and look.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { makeWallet, pay, type PayResult, type Resume, type SignerRequest } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import { createWalletClient, keccak256, publicActions } from "viem"
import * as Drawing from "../../../server/test-support/drawing.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Serving from "../serving.ts"
import * as Cluster from "./Cluster.ts"

/** A payment that somebody was told of. */
export interface Known {
  readonly id: string
  readonly shop: Cluster.Shop
}

export interface Options {
  readonly cluster: Cluster.Cluster
  readonly seed: number
  readonly perSecond: number
  /** New customers come until then. */
  readonly endsAt: number
  /** When payments expire. */
  readonly expiresAt: number
}

const coin = 10n ** 18n
/** Nobody tries longer after payments expired. */
const graceInMs = 15_000
const isFinalAnswer = (error: unknown): boolean =>
  error instanceof Error &&
  "status" in error &&
  typeof error.status === "number" &&
  error.status < 500 &&
  error.status !== 429

/** Asks again until there is a response, or it is too late; null for a refusal. */
const insist = async <A>(call: () => Promise<A>, endsAt: number): Promise<A | null> => {
  try {
    return await call()
  } catch (error) {
    if (isFinalAnswer(error) || Date.now() > endsAt) return null
    await setTimeout(200)
    return insist(call, endsAt)
  }
}

/** Signs a transaction once and sends that one, however often the payment is resumed. */
const sendingOnce = (cluster: Cluster.Cluster, wallet: Wallet.Wallet) => {
  const node = { chainId: 1, rpcUrl: cluster.chain.rpcUrl }
  const client = createWalletClient({
    ...Payer.connection(wallet, node),
    pollingInterval: 500,
  }).extend(publicActions)
  let kept: `0x${string}` | undefined
  return {
    request: async (asked: SignerRequest): Promise<string> => {
      if (asked.method !== "eth_sendTransaction") return wallet.request(asked)
      if (kept === undefined) {
        const [{ data, to }] = asked.params
        const call = { to: Payer.hex(to), data: Payer.hex(data) }
        kept = await client.signTransaction(await client.prepareTransactionRequest(call))
        cluster.sent.push(kept)
      }
      const hash = keccak256(kept)
      try {
        await client.sendRawTransaction({ serializedTransaction: kept })
      } catch (error) {
        // A node refuses a transaction that it has; any other failure is tried again.
        await client.getTransaction({ hash }).catch(() => Promise.reject(error))
      }
      const { status } = await client.waitForTransactionReceipt({ hash })
      if (status === "reverted") throw new Error(`${hash} was reverted`)
      return hash
    },
  }
}

/** A payer pays until it is over, however often that is interrupted; nothing is signed or sent twice. */
const payToTheEnd = async (
  { cluster, expiresAt }: Options,
  link: string,
  wallet: Wallet.Wallet,
): Promise<PayResult["_tag"]> => {
  const signer = sendingOnce(cluster, wallet)
  // The cycle reports what does not end: nobody watches it here without end.
  const signal = AbortSignal.timeout(Math.max(0, expiresAt + graceInMs - Date.now()))
  const attempt = async (resume?: Resume): Promise<PayResult["_tag"]> => {
    const result = await pay(link, {
      ...cluster.connection,
      payLinkHost: Serving.payLinkHost,
      apiKey: cluster.walletKey,
      accounts: [Eip155.formatAccount(wallet.account(Cluster.chainId))],
      signer,
      maxPollMs: 4000,
      signal,
      ...(resume !== undefined && { resume }),
    })
    const isOver = !["Stopped", "Unwatched", "NoOption"].includes(result._tag)
    // What is refused after the end stays refused.
    const isRefused = "error" in result && isFinalAnswer(result.error) && Date.now() > expiresAt
    if (isOver || isRefused || Date.now() > expiresAt + graceInMs) return result._tag
    await setTimeout(300)
    return attempt(("resume" in result ? result.resume : undefined) ?? resume)
  }
  return attempt()
}

const flows = Eip155.flows

/** One order of one customer, from its begin to its end. */
const serve = async (options: Options, number: number, known: Array<Known>): Promise<void> => {
  const { cluster, endsAt, expiresAt, seed } = options
  const draw = Drawing.make(seed * 100_003 + number)
  const shop = cluster.shops[draw(cluster.shops.length)]
  const flow = flows[draw(flows.length)]
  if (shop === undefined || flow === undefined) return
  const { merchantId, partner } = shop
  const token: Caip.Token = Cluster.tokens[flow]
  // Some cost the same, so that one transfer could stand for another.
  const cents = draw(3) === 0 ? 500 : 100 + draw(2000)
  const patience = expiresAt + graceInMs
  const create = () =>
    insist(
      () =>
        partner.payments.create(
          {
            merchantId,
            referenceId: `ORDER-${seed}-${number}`,
            amount: { unit: "iso4217/USD", value: `${cents}` },
            expiresAt: Math.floor(expiresAt / 1000),
          },
          { idempotencyKey: `order ${seed} ${number}` },
        ),
      endsAt,
    )
  // The same request may be on its way twice.
  const [created] = await Promise.all(draw(8) === 0 ? [create(), create()] : [create()])
  if (created === null || created === undefined) return
  const id = created.paymentId
  known.push({ id, shop })

  const of = { merchantId }
  const wallets = makeWallet({ ...cluster.connection, apiKey: cluster.walletKey })
  const looks: ReadonlyArray<() => Promise<unknown>> = [
    () => partner.payments.get(id, of),
    () => partner.payments.status(id, of),
    () => partner.payments.list({ limit: 5 }),
    () => wallets.status(id),
  ]
  const look = () => looks[draw(looks.length)]?.().catch(() => undefined)
  const cancel = async () => {
    await setTimeout(draw(2500))
    return draw(2) === 0
      ? insist(() => partner.payments.cancel(id, of), endsAt)
      : insist(() => wallets.cancel(id), endsAt)
  }
  await look()
  // Some never pay, and some cancel while they pay.
  const manner = draw(12)
  if (manner === 0) return
  if (manner === 1) return void (await cancel())
  const wallet = Wallet.make(seed * 1_000_000 + number)
  const price = BigInt(cents) * 10_000n
  await Effect.runPromise(
    cluster.chain
      .fund(token.address, wallet.address, price)
      .pipe(
        Effect.andThen(
          flow === "transfer" || flow === "permit2"
            ? cluster.chain.fundGas(wallet.address, coin)
            : Effect.void,
        ),
      ),
  )
  const paying = payToTheEnd(options, created.gatewayUrl, wallet)
  if (manner === 2) await cancel()
  if (draw(3) === 0) {
    await setTimeout(draw(4000))
    await look()
  }
  const outcome = await paying
  if (outcome !== "Succeeded" && outcome !== "AlreadyFinal") return
  await look()
  if (draw(6) !== 0) return
  // Before its payout, while it is on its way, or after it.
  await setTimeout(draw(8000))
  const refund = (key: number) =>
    insist(
      () =>
        partner.refunds.create(
          { paymentId: id },
          { merchantId, idempotencyKey: `refund ${id} ${key}` },
        ),
      patience,
    )
  await Promise.all(draw(3) === 0 ? [refund(0), refund(0), refund(1)] : [refund(0)])
}

/** Customers come until it is over; resolves when the last of them has left. */
export const run = async (options: Options): Promise<ReadonlyArray<Known>> => {
  const known: Array<Known> = []
  const betweenInMs = 1000 / options.perSecond
  const customers: Array<Promise<void>> = []
  const beginsAt = Date.now()
  for (let number = 0; Date.now() < options.endsAt; number++) {
    customers.push(
      serve(options, number, known).catch((error) => {
        options.cluster.mishaps.push(`customer ${number} met ${error}`)
      }),
    )
    // oxlint-disable-next-line no-await-in-loop -- One comes after the other.
    await setTimeout(Math.max(0, beginsAt + (number + 1) * betweenInMs - Date.now()))
  }
  await Promise.all(customers)
  return known
}
