/**
 * What both servers stand on: the service in memory, payments with what their payer signed for them, and one chain whose
 * node answers at once, in the process, what a node would answer.
 *
 * @module
 */
import process from "node:process"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Gateway from "@florin/core/engine/Gateway"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Payments from "@florin/core/engine/Payments"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Service from "@florin/testing/Service"
import * as Wallet from "@florin/testing/Wallet"
import { Clock, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { signRecoverable } from "tiny-secp256k1"
import { privateKeyToAccount } from "viem/accounts"
import { hexToBytes } from "viem/utils"
import * as ChainConfig from "../src/ChainConfig.ts"
import type { Link } from "../src/Link.ts"
import { hex } from "../src/Queries.ts"
import * as Rpc from "../src/Rpc.ts"

export const publicUrl = "https://pay.example.com"

const chainId = Eip155.chainId(8453)
const usdc = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const payer = Wallet.make(1)
const payerKey = hexToBytes(hex(payer.privateKey))

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** What a node answers for a payer who holds enough and whose authorization nobody used. */
const answerTo = (
  { method, params }: Pick<Rpc.Query<unknown>, "method" | "params">,
  now: number,
): unknown => {
  if (method === "eth_getCode") return "0x"
  if (method === "eth_getBlockByNumber") {
    const timestamp = `0x${Math.floor(now / 1000).toString(16)}`
    return { number: "0x1", hash: `0x${word(1n)}`, timestamp }
  }
  const asked = JSON.stringify(params)
  if (asked.includes("0xe94a0102")) return `0x${word(0n)}`
  // The balance is asked through a program, which answers that it is known, and the word.
  return asked.includes('"to"') ? "0x" : `0x01${word(10n ** 12n)}`
}

const attempt = <A>({ method, params, read }: Rpc.Query<A>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Option.match(read(answerTo({ method, params }, now)), {
      onNone: () => Effect.die(new Error(`${method} is answered wrongly`)),
      onSome: (answer) => Effect.succeed(Result.succeed(answer)),
    }),
  )

const asking: Rpc.Ask = {
  attempt,
  ask: (query) => Effect.flatMap(attempt(query), Effect.fromResult).pipe(Effect.orDie),
}

export const link: Link = {
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
    nodes: [asking],
    hosts: [],
    isSilent: () => false,
  },
}

/** The service, where a chain judges what payers sign as it is told here. */
export const layer = (verify: Chain["Service"]["verify"]) =>
  Layer.effect(
    Chains,
    Effect.map(Chains, (chains) => Chains.of({ of: (mode) => ({ ...chains.of(mode), verify }) })),
  ).pipe(
    Layer.provideMerge(
      Service.layer({
        identifiers: Identifiers.layer,
        chain: { blocks: "instant", unseenBalance: 1_000_000 },
      }),
    ),
  )

/** What a server is asked to do. */
export type Asked = typeof Asked.Type
export const Asked = Schema.Union([
  Schema.Literal("time"),
  Schema.Struct({ prepare: Schema.Int, isForged: Schema.Boolean }),
])

/** A confirm that the server is ready for. */
export interface Prepared extends Schema.Schema.Type<typeof Prepared> {}
export const Prepared = Schema.Struct({
  paymentId: Schema.String,
  optionId: Schema.String,
  signature: Schema.String,
})

export interface Started extends Schema.Schema.Type<typeof Started> {}
export const Started = Schema.Struct({ port: Schema.Int, key: Schema.String })
export const Usage = Schema.Struct({ cpuInMs: Schema.Finite })

/** What the payer's wallet answers, made much faster than by the wallets of our tests. */
const sign = (digest: Uint8Array): string => {
  const { recoveryId, signature } = signRecoverable(digest, payerKey)
  return `0x${Buffer.from(signature).toString("hex")}${(27 + recoveryId).toString(16)}`
}

/** A partner with a key, and how to make payments that its payer has signed for. */
export const seed = Effect.gen(function* () {
  const partner = yield* Keys.createPartner({ name: "Bench", feeTerms: Fees.none })
  const owner = { _tag: "Partner", partnerId: partner.id } as const
  const key = yield* Keys.issue({ mode: "test", owner, name: "Bench", expiresAt: null })
  yield* Merchants.create({
    tenant: { partnerId: partner.id, mode: "test" },
    name: "Corner Shop",
    email: "shop@example.com",
    idempotencyKey: "bench",
  })
  const { caller } = yield* Keys.authenticate(key.text)
  const prepareOne = Effect.fnUntraced(function* (isForged: boolean) {
    const { payment } = yield* Payments.create({
      partner,
      mode: "test",
      merchantId: undefined,
      request: {
        referenceId: "ORDER-1",
        amount: { unit: `caip19/eip155:8453/erc20:${usdc}`, value: "1234" },
      },
    })
    const { options } = yield* Gateway.options(caller, payment.id, {
      accounts: [Eip155.formatAccount(payer.account(chainId))],
      includePaymentInfo: false,
    })
    const [offered] = options ?? []
    const asset = offered && BuiltIn.catalog.find(offered.option.token)
    const data = asset && Actions.typedData({ asset, option: offered.option })
    if (data === undefined || offered === undefined) {
      return yield* Effect.die(new Error("nothing is offered"))
    }
    const signed = isForged ? { ...data, message: { ...data.message, value: "1" } } : data
    const prepared: Prepared = {
      paymentId: payment.id,
      optionId: offered.id,
      signature: sign(Eip712.digest(signed)),
    }
    return prepared
  })
  return {
    key: key.text,
    prepare: (count: number, isForged: boolean) =>
      Effect.forEach(Array.from({ length: count }), () => prepareOne(isForged)),
  }
})

/** Tells that a server listens, and from then on does what it is asked. */
export const tell = (
  started: Started,
  prepare: (count: number, isForged: boolean) => Promise<ReadonlyArray<Prepared>>,
): void => {
  const decodeAsked = Schema.decodeUnknownSync(Asked)
  process.on("message", async (message) => {
    const asked = decodeAsked(message)
    if (asked !== "time") return process.send?.(await prepare(asked.prepare, asked.isForged))
    const { system, user } = process.cpuUsage()
    return process.send?.({ cpuInMs: (system + user) / 1000 })
  })
  process.once("disconnect", () => process.exit())
  process.send?.(started)
}
