/**
 * The chain suite's harness for a real node: anvil with test tokens at their real addresses, and blocks on request.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { Chain } from "@florin/core/ports/Chain"
import type { LocalChainFailed } from "@florin/localnet/Anvil"
import * as LocalChain from "@florin/localnet/LocalChain"
import { ChainHarness } from "@florin/testing/ChainHarness"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Wallet from "@florin/testing/Wallet"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { privateKeyToAccount } from "viem/accounts"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as Evm from "../src/Evm.ts"
import { type Hex, hex } from "../src/read/Queries.ts"
import * as Calls from "../src/token/Calls.ts"
import * as Accounts from "../test-support/accounts.ts"
import * as Delegation from "../test-support/delegation.ts"
import * as Proxy from "../test-support/proxy.ts"
import * as Send from "../test-support/send.ts"

/** What a test has beside the port: the chain itself, and what stands between the two. */
export class World extends Context.Service<
  World,
  { readonly local: LocalChain.LocalChain; readonly proxy: Proxy.Proxy }
>()("@florin/evm/test/World") {}

const collecting: ReadonlyArray<Wallet.Wallet> = [Wallet.make(1_000_001), Wallet.make(1_000_002)]

/** Sends what contracts of payers do. */
const bundler = Wallet.make(1_000_003)

const coin = 10n ** 18n
const cancelAbi = parseAbi([
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
])
const cancelTypes = {
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
}

const sendBy = (
  local: LocalChain.LocalChain,
  privateKey: string,
  call: { readonly to: string; readonly data: string },
) => Send.from(local, privateKeyToAccount(hex(privateKey)), call)

const cancelData = (option: PaymentOption.PaymentOption, payer: Wallet.Wallet): Hex => {
  const asset = BuiltIn.catalog.find(option.token)
  const domain = asset && Details.of(asset).domain
  const nonce = PaymentOption.authorizationNonce(option)
  if (domain === undefined) throw new Error("the token has no domain")
  const signature = payer.signTypedData({
    domain,
    types: cancelTypes,
    primaryType: "CancelAuthorization",
    message: { authorizer: payer.address, nonce },
  })
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, signature.slice(130)]
  return encodeFunctionData({
    abi: cancelAbi,
    functionName: "cancelAuthorization",
    args: [hex(payer.address), hex(nonce), Number(`0x${v}`), hex(r), hex(s)],
  })
}

export interface Options {
  readonly chainId: number
  readonly finality: Evm.Finality
  /** How many blocks on top that is. */
  readonly finalityDepth: number
}

const makeHarness = Effect.fnUntraced(function* (options: Options) {
  const { local, proxy } = yield* World
  const tokenOf = (flow: Eip155.UsualFlow) => {
    const asset = Catalog.assetsOf(BuiltIn.catalog, local.chainId).find(
      (each) => each.flow === flow,
    )
    return asset === undefined ? Effect.die(`no ${flow} token`) : Effect.succeed(asset.token)
  }
  return ChainHarness.of({
    kit: Eip155Kit.kit,
    tokens: { direct: yield* tokenOf("eip3009"), allowed: yield* tokenOf("permit2") },
    finalityDepth: options.finalityDepth,
    nowInS: Effect.orDie(local.nowInS),
    pass: (seconds) => Effect.orDie(local.pass(seconds)),
    mine: (count) => Effect.orDie(local.mine(count)),
    reorg: (depth, orphans) => Effect.orDie(local.reorg(depth, orphans)),
    connect: (connected) => Effect.sync(() => proxy.connect(connected)),
    fund: (token, address, quantity) => Effect.orDie(local.fund(token.address, address, quantity)),
    block: (token, address, blocked) => Effect.orDie(local.block(token.address, address, blocked)),
    delegate: (address, delegates) => Effect.orDie(Delegation.set(local, address, delegates)),
    pause: (token, paused) => Effect.orDie(local.pause(token.address, paused)),
    node: {
      send: (call, wallet) => Effect.orDie(sendBy(local, wallet.privateKey, call)),
    },
    batch: (payer, token, to, quantities) =>
      Effect.orDie(
        Effect.gen(function* () {
          const { batching } = Accounts
          yield* local.setCode(payer.address, batching.code)
          const calls = quantities.map((quantity) => ({
            to: token.address,
            data: Actions.transferData(to, quantity),
          }))
          const call = { to: payer.address, data: batching.data(calls) }
          return yield* sendBy(local, bundler.privateKey, call)
        }),
      ),
    // Only the payee can hand it in: somebody else with its key, such as an earlier process of ours.
    submitAuthorization: (option, signature) => {
      const payee = collecting.find(({ address }) => address === option.payTo)
      return payee === undefined
        ? Effect.die("the option pays to an account of somebody else")
        : Effect.orDie(sendBy(local, payee.privateKey, Calls.collect(option, signature, false)))
    },
    cancelAuthorization: (option, payer) =>
      Effect.asVoid(
        Effect.orDie(
          sendBy(local, payer.privateKey, {
            to: option.token.address,
            data: cancelData(option, Wallet.make(payer.privateKey)),
          }),
        ),
      ),
  })
})

const makeWorld = Effect.fnUntraced(function* ({ chainId }: Options) {
  const local = yield* LocalChain.make({ chainId: Eip155.chainId(chainId), blocks: "byHand" })
  for (const { address } of collecting) yield* local.fundGas(address, 100n * coin)
  yield* local.mine(1)
  const proxy = yield* Proxy.make(local)
  return World.of({ local, proxy })
})

const port = ({ chainId, finality }: Options) =>
  Layer.unwrap(
    Effect.map(World, ({ proxy }) =>
      Evm.layer([
        {
          chainId,
          finality,
          rpcUrls: [Redacted.make(proxy.url)],
          accounts: collecting.map(({ privateKey }) => privateKeyToAccount(hex(privateKey))),
        },
      ]),
    ),
  )

/** The adapter on a chain of its own, with what moves it. */
export const layer = (
  options: Options,
): Layer.Layer<Chain | ChainHarness | World, LocalChainFailed | Evm.InvalidChain> =>
  Layer.merge(Layer.effect(ChainHarness, makeHarness(options)), port(options)).pipe(
    Layer.provideMerge(Layer.effect(World, makeWorld(options))),
  )
