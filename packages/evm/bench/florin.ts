/**
 * Our server as a process of its own: the service in memory on the simulated chain, with our judge of signatures and a
 * node that responds in the process.
 *
 * @module
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Payments from "@florin/core/engine/payment/Payments"
import { Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as Callers from "@florin/testing/Callers"
import * as Service from "@florin/testing/Service"
import * as Wallet from "@florin/testing/Wallet"
import { Clock, Effect, Layer, Option, Redacted, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as ChainConfig from "../src/config/ChainConfig.ts"
import * as Judge from "../src/Judge.ts"
import * as Rpc from "../src/node/Rpc.ts"
import type { Link } from "../src/read/Link.ts"
import { hex } from "../src/read/Queries.ts"
import * as Child from "./child.ts"
import * as Shop from "./shop.ts"

const chainId = Eip155.chainId(8453)
const unit = `caip19/eip155:8453/erc20:${Shop.usdc}`

const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const balance = `0x01${word(10n ** 12n)}`
const unused = `0x${word(0n)}`

/** What a node responds for a payer that holds enough and whose authorization nobody used. */
const responseTo = ({ method, params }: Rpc.Query<unknown>, now: number): unknown => {
  if (method === "eth_getCode") return "0x"
  if (method === "eth_getBlockByNumber") {
    const timestamp = `0x${Math.floor(now / 1000).toString(16)}`
    return { number: "0x1", hash: `0x${word(1n)}`, timestamp }
  }
  const [call] = params
  if (typeof call !== "object" || call === null || !("data" in call)) return "0x"
  // The balance is asked through a program without a recipient.
  if (!("to" in call)) return balance
  return String(call.data).startsWith("0xe94a0102") ? unused : "0x"
}

const attempt = <A>(query: Rpc.Query<A>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Option.match(query.read(responseTo(query, now)), {
      onNone: () => Effect.die(new Error(`${query.method} has another response`)),
      onSome: (response) => Effect.succeed(Result.succeed(response)),
    }),
  )

const asking: Rpc.Ask = {
  attempt,
  ask: (query) => Effect.flatMap(attempt(query), Effect.fromResult).pipe(Effect.orDie),
}

const link: Link = {
  config: Result.getOrThrow(
    ChainConfig.make(
      {
        chainId: Eip155.numberOf(chainId),
        rpcUrls: [Redacted.make("http://127.0.0.1:9")],
        accounts: [privateKeyToAccount(hex(Wallet.make(2).privateKey))],
      },
      BuiltIn.catalog,
    ),
  ),
  rpc: {
    chainId,
    learnt: Rpc.nothingLearnt(),
    ...asking,
    nodes: [{ ...asking, host: "node" }],
    hosts: [],
    isSilent: () => false,
  },
}

let reads = 0

const judged = Layer.effect(
  Chains,
  Effect.map(Chains, (chains) => {
    const of = (mode: Mode.Mode) => ({
      ...chains.of(mode),
      verify: (attempted: Parameters<typeof Judge.verify>[1]) => Judge.verify(link, attempted),
    })
    const both = { test: of("test"), live: of("live") }
    return Chains.of({ of: (mode) => both[mode] })
  }),
)

const counted = Layer.effect(
  PaymentStore,
  Effect.map(PaymentStore, (payments) =>
    PaymentStore.of({
      ...payments,
      payment: (id) => {
        reads += 1
        return payments.payment(id)
      },
    }),
  ),
)

const ground = Layer.mergeAll(judged, counted).pipe(
  Layer.provideMerge(
    Service.layer({
      identifiers: Identifiers.layer,
      chain: { blocks: "instant", unseenBalance: 1_000_000 },
    }),
  ),
)

const server = NodeListener.layer({ port: 0 }).pipe(
  Layer.provideMerge(Florin.layer({ publicUrl: Shop.publicUrl, accountsLimit: null })),
  Layer.provideMerge(ground),
)

const main = Effect.gen(function* () {
  const { port } = yield* NodeListener.NodeListener
  const partner = yield* Keys.createPartner({ name: "Bench", feeTerms: Fees.none })
  const owner = { _tag: "Partner", partnerId: partner.id } as const
  const key = yield* Keys.issue({ mode: "test", owner, name: "Bench", expiresAt: null })
  const { caller } = yield* Callers.authenticate(key.text)
  yield* Merchants.create({
    tenant: { partnerId: partner.id, mode: "test" },
    name: "Corner Shop",
    email: "shop@example.com",
    idempotencyKey: "bench",
  })
  const create = Effect.gen(function* () {
    const expiresAt = Math.floor((yield* Clock.currentTimeMillis) / 1000) + Shop.lifeInS
    const request = {
      referenceId: "ORDER-1",
      amount: { unit, value: String(Shop.price) },
      expiresAt,
    }
    const mine = { partner, mode: "test", merchantId: undefined, request } as const
    return (yield* Payments.create(mine)).payment.id
  })
  const prepareOne = Effect.fnUntraced(function* (isForged: boolean) {
    const paymentId = yield* create
    const payer = Shop.nextPayer()
    const { options } = yield* Gateway.options(caller, paymentId, {
      accounts: [`${chainId}:${payer.address}`],
      includePaymentInfo: false,
    })
    const [offered] = options ?? []
    const asset = offered && BuiltIn.catalog.find(offered.option.token)
    const data = asset && Actions.typedData({ asset, option: offered.option })
    if (data === undefined) return yield* Effect.die(new Error("nothing is offered"))
    const signed = isForged ? { ...data, message: { ...data.message, value: "1" } } : data
    const signature = Shop.sign(Eip712.digest(signed), payer)
    const prepared: Child.Prepared = { paymentId, optionId: offered?.id ?? "", signature }
    return prepared
  })
  const paymentId = yield* create
  const run = Effect.runPromiseWith(yield* Effect.context<Layer.Success<typeof server>>())
  Child.serve(
    { port, key: key.text, paymentId },
    {
      prepare: (count, isForged) =>
        run(Effect.forEach(Array.from({ length: count }), () => prepareOne(isForged))),
      change: () => run(Effect.asVoid(Gateway.cancel(caller, paymentId))),
      reads: () => reads,
    },
  )
  return yield* Effect.never
})

Effect.runFork(Effect.provide(main, server))
