/**
 * Payers of every kind on their own chain, what they sign, and every request to the node meanwhile.
 *
 * @module
 */
import { assert, layer as testLayer } from "@effect/vitest"
import type * as Action from "@florin/core/domain/chain/Action"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Contracts from "@florin/localnet/Contracts"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Wallet from "@florin/testing/Wallet"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { privateKeyToAccount } from "viem/accounts"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as ChainConfig from "../src/config/ChainConfig.ts"
import * as Rpc from "../src/node/Rpc.ts"
import { batchMax, type Link } from "../src/read/Link.ts"
import * as Queries from "../src/read/Queries.ts"
import { type Hex, hex } from "../src/read/Queries.ts"
import * as Calls from "../src/token/Calls.ts"
import * as Signature from "../src/token/Signature.ts"
import * as Proxy from "./proxy.ts"

/** What one payment is asked for here, in the smallest unit. */
export const price = Money.Quantity.make(5_000_000n)

/** The account that collects. */
export const payTo = Wallet.make(1_000_001)
export const stranger = Wallet.make(1_000_003)

const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

export interface Asked {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const switches = parseAbi([
  "function setOwner(address newOwner)",
  "function setRefusesPlain(bool value)",
  "function execute(address to, bytes data)",
  "function approve(address spender, uint256 value)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function invalidateUnorderedNonces(uint256 word, uint256 mask)",
  "function createAccount(address owner, uint256 salt)",
  "function accountOf(address owner, uint256 salt) view returns (address)",
])

/** An option, and the asset that it pays in. */
const chosen = (option: PaymentOption.PaymentOption): Action.Chosen => {
  const asset = BuiltIn.catalog.find(option.token)
  assert.isDefined(asset)
  return { asset, option }
}

/** Calldata of what the test contracts can do beside paying. */
export const call = {
  setOwner: (owner: Caip.Address) =>
    encodeFunctionData({ abi: switches, functionName: "setOwner", args: [hex(owner)] }),
  setRefusesPlain: (value: boolean) =>
    encodeFunctionData({ abi: switches, functionName: "setRefusesPlain", args: [value] }),
  execute: (to: Caip.Address, data: Hex) =>
    encodeFunctionData({ abi: switches, functionName: "execute", args: [hex(to), data] }),
  approve: (value: bigint, spender: Caip.Address = Eip155.permit2Address) =>
    encodeFunctionData({ abi: switches, functionName: "approve", args: [hex(spender), value] }),
  transfer: (to: Caip.Address, value: Money.Quantity) => hex(Actions.transferData(to, value)),
  cancel: (option: PaymentOption.PaymentOption, signature: string) =>
    encodeFunctionData({
      abi: switches,
      functionName: "cancelAuthorization",
      args: [
        hex(option.account.address),
        hex(PaymentOption.authorizationNonce(option)),
        hex(signature),
      ],
    }),
  /** Revokes a permit, or one that is so many words and bits away. */
  invalidate: (option: PaymentOption.PaymentOption, words = 0n, bits = 0n) => {
    const nonce = BigInt(PaymentOption.authorizationNonce(option))
    return encodeFunctionData({
      abi: switches,
      functionName: "invalidateUnorderedNonces",
      args: [(nonce >> 8n) ^ words, 1n << ((nonce & 255n) ^ bits)],
    })
  },
  /** The payer's own permit with an option's nonce, for somebody else: ours is then used up. */
  permitElsewhere: (
    option: PaymentOption.PaymentOption,
    signer: Wallet.Wallet,
    spender: Caip.Address,
  ) => {
    const asked = Actions.typedData(chosen(option))
    assert.isDefined(asked)
    const signature = signer.signTypedData({ ...asked, message: { ...asked.message, spender } })
    return encodeFunctionData({
      abi: switches,
      functionName: "permit",
      args: [
        hex(option.account.address),
        hex(spender),
        option.quantity,
        BigInt(PaymentOption.authorizationEndsAt(option)),
        Number(`0x${signature.slice(130)}`),
        hex(signature.slice(0, 66)),
        hex(`0x${signature.slice(66, 130)}`),
      ],
    })
  },
  createAccount: (owner: Caip.Address) =>
    encodeFunctionData({ abi: switches, functionName: "createAccount", args: [hex(owner), 1n] }),
  accountOf: (owner: Caip.Address) =>
    encodeFunctionData({ abi: switches, functionName: "accountOf", args: [hex(owner), 1n] }),
  /** The payer's own transfer with an option's nonce: the same authorization to the token, and other money. */
  transferElsewhere: (
    option: PaymentOption.PaymentOption,
    signer: Wallet.Wallet,
    to: Caip.Address,
  ) => {
    const asked = Actions.typedData(chosen(option))
    assert.isDefined(asked)
    const message = { ...asked.message, to }
    const types = { TransferWithAuthorization: asked.types["ReceiveWithAuthorization"] ?? [] }
    const primaryType = "TransferWithAuthorization"
    const signature = signer.signTypedData({ ...asked, types, primaryType, message })
    return encodeFunctionData({
      abi: switches,
      functionName: "transferWithAuthorization",
      args: [
        hex(option.account.address),
        hex(to),
        option.quantity,
        0n,
        BigInt(PaymentOption.authorizationEndsAt(option)),
        hex(PaymentOption.authorizationNonce(option)),
        hex(signature),
      ],
    })
  },
}

/** The code of an account that takes any signature, and so much gas to say so: it counts down, by 26 of gas each time. */
export const takingGas = (gas: number): Hex => {
  const count = Math.ceil(gas / 26)
    .toString(16)
    .padStart(6, "0")
  return hex(`0x62${count}5b6001900380600457631626ba7e60e01b5f5260205ff3`)
}

/** What an account's key signs to revoke an authorization. */
export const cancellation = (option: PaymentOption.PaymentOption, signer: Wallet.Wallet) => {
  const { domain } = Details.of(chosen(option).asset)
  assert.isDefined(domain)
  return signer.signTypedData({
    domain,
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: {
      authorizer: option.account.address,
      nonce: PaymentOption.authorizationNonce(option),
    },
  })
}

/** What makes an option one to pay by the first permit of an account. */
export const permit = { flow: "permit", permitNonce: Money.zero } as const

/** An attempt as it is offered to the same account while that has code. */
export const withCode = (attempt: Payment.Attempt): Payment.Attempt => ({
  ...attempt,
  option: { ...attempt.option, hasCode: true },
})

/** The digest that a wallet signs for an option. */
export const digestOf = (option: PaymentOption.PaymentOption): Hex => {
  const data = Actions.typedData(chosen(option))
  return hex(
    `0x${bytesToHex(
      data === undefined
        ? Signature.messageDigest(Actions.statement(chosen(option)))
        : Eip712.digest(data),
    )}`,
  )
}

/** What a wallet signs for an option. */
export const sign = (option: PaymentOption.PaymentOption, signer: Wallet.Wallet): string => {
  const data = Actions.typedData(chosen(option))
  return data === undefined
    ? signer.signMessage(Actions.statement(chosen(option)))
    : signer.signDigest(Eip712.digest(data))
}

export const authorized = (
  option: PaymentOption.PaymentOption,
  signature: string,
  approvals: ReadonlyArray<string> = [],
) => Fixtures.attemptOf(option, { _tag: "Authorized", signature, approvals })

export const sent = (option: PaymentOption.PaymentOption, txHash: string, signature: string) =>
  Fixtures.attemptOf(option, { _tag: "Sent", txHash, signature })

const readHex = Schema.decodeUnknownSync(Contracts.HexText)

/**
 * A node that answers some questions in its own way, and others as before (undefined). What does not read is no answer,
 * as with every node.
 */
const answering = (
  { attempt }: Rpc.Rpc,
  answerTo: (asked: Asked) => unknown,
  chainId: Caip.ChainId,
): Rpc.Ask => {
  const unavailable = Rpc.unavailable(chainId)
  const altered = <A>(query: Rpc.Query<A>) => {
    const answer = answerTo(query)
    if (answer === undefined) return attempt(query)
    if (answer instanceof Rpc.NodeRefused) return Effect.succeed(Result.fail(answer))
    return Effect.mapBoth(Effect.fromOption(query.read(answer)), {
      onFailure: () => unavailable(refusing("the answer does not read")),
      onSuccess: Result.succeed,
    })
  }
  return {
    attempt: altered,
    ask: (query) =>
      Effect.flatMap(altered(query), (answer) =>
        Effect.fromResult(Result.mapError(answer, unavailable)),
      ),
  }
}

/** What a node says that will not do something. */
export const refusing = (message: string, data: string | null = null) =>
  new Rpc.NodeRefused({ method: "eth_call", code: -32_000, message, data })

/** What is no answer, in several ways. */
const noAnswers = ["no answer", refusing("try again later"), refusing("busy", "limit: 10/s")]

let wallets = 0
let payments = 0

const make = Effect.fnUntraced(function* (chain: number) {
  const chainId = Eip155.chainId(chain)
  const local = yield* LocalChain.make({ chainId, blocks: "byHand" })
  yield* local.request("anvil_autoImpersonateAccount", [true])
  const proxy = yield* Proxy.make(local)
  const config = yield* Effect.fromResult(
    ChainConfig.make(
      {
        chainId: chain,
        rpcUrls: [Redacted.make(proxy.url)],
        accounts: [privateKeyToAccount(hex(payTo.privateKey))],
      },
      BuiltIn.catalog,
    ),
  )
  const rpc = Rpc.make({
    chainId,
    urls: config.rpcUrls,
    answerWithinInMs: 60_000,
    batchMax,
  })
  const asked: Array<Asked> = []
  const linkThrough = (through: Rpc.Ask): Link => {
    const watched: Rpc.Ask = {
      ask: (query) => {
        asked.push(query)
        return through.ask(query)
      },
      attempt: (query) => {
        asked.push(query)
        return through.attempt(query)
      },
    }
    const nodes = [{ ...watched, host: "watched" }]
    return { config, rpc: { ...rpc, learnt: Rpc.nothingLearnt(), ...watched, nodes } }
  }

  /** A key that nobody used on this chain. */
  const unused = (): Wallet.Wallet => Wallet.make(3_000_000 + chain * 1_000 + ++wallets)
  const assetOf = (symbol: string) => {
    const asset = Catalog.assetsOf(BuiltIn.catalog, chainId).find((each) => each.symbol === symbol)
    assert.isDefined(asset, `${symbol} is not on chain ${chain}`)
    return asset
  }
  /** Sends a transaction of anybody; it waits for a block. */
  const send = Effect.fnUntraced(function* (from: Caip.Address, to: Caip.Address, data: string) {
    yield* local.fundGas(from, 10n ** 18n)
    const transaction = { from, to, data, gas: "0x7a120" }
    return readHex(yield* local.request("eth_sendTransaction", [transaction]))
  })
  /** Sends it, and mines a block. */
  const mined = (from: Caip.Address, to: Caip.Address, data: string) =>
    Effect.tap(send(from, to, data), local.mine(1))

  /** An option for an account that holds ten times as much, and lets Permit2 take once as much. */
  const optionFor = Effect.fnUntraced(function* (
    symbol: string,
    address: Caip.Address,
    overrides: Partial<PaymentOption.PaymentOption> = {},
  ) {
    const { flow, token } = assetOf(symbol)
    const nowInS = yield* local.nowInS
    yield* local.fund(token.address, address, 10n * price)
    const code = yield* rpc.ask(Queries.code(address, "latest"))
    const account: Caip.Account = { chainId, address }
    const option: PaymentOption.PaymentOption = {
      paymentId: PaymentId.PaymentId.make(`pay_payers${++payments}`),
      account,
      accountText: Eip155.formatAccount(account),
      token,
      flow,
      quantity: price,
      fixedFee: Money.zero,
      payTo: payTo.address,
      issuedAt: nowInS,
      expiresAt: nowInS + 300,
      ...(code !== "0x" && { hasCode: true }),
      ...overrides,
    }
    return option
  })

  return {
    chainId,
    local,
    proxy,
    link: linkThrough(rpc),
    /** The same where a node answers some questions in its own way. */
    linkAnswering: (answerTo: (asked: Asked) => unknown) =>
      linkThrough(answering(rpc, answerTo, chainId)),
    /** What an effect came to, what it asked meanwhile, and in how many requests. */
    watch: Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
      const [askedBefore, requestsBefore] = [asked.length, proxy.requests()]
      const result = yield* Effect.result(effect)
      return {
        result,
        asked: asked.slice(askedBefore),
        requests: proxy.requests() - requestsBefore,
      }
    }),
    unused,
    assetOf,
    send,
    mined,
    optionFor,
    /** Hands an authorization in as the collecting account, past the adapter. */
    collect: (option: PaymentOption.PaymentOption, signature: string, isContract = false) => {
      const { data, from, to } = Calls.collect(option, signature, isContract)
      return mined(from, to, data)
    },
    approve: (option: PaymentOption.PaymentOption, value: bigint = option.quantity) =>
      mined(option.account.address, option.token.address, call.approve(value)),
    readAddress: (to: Caip.Address, data: Hex) =>
      Effect.map(local.request("eth_call", [{ to, data }, "latest"]), (answer) =>
        Caip.Address.make(`0x${readHex(answer).slice(-40)}`),
      ),
  }
})

export type Ground = Effect.Success<ReturnType<typeof make>>

/** A payer with a key, an option of a token, and what it signed for it; Permit2 may take the money. */
export const signed = Effect.fnUntraced(function* (
  chain: Ground,
  symbol: string,
  overrides: Partial<PaymentOption.PaymentOption> = {},
) {
  const payer = chain.unused()
  const option = yield* chain.optionFor(symbol, payer.address, overrides)
  if (option.flow === "permit2") yield* chain.approve(option)
  const signature = sign(option, payer)
  return { payer, option, signature, attempt: authorized(option, signature) }
})

/** Fails unless each answer that something asks for is needed: without it the chain is unavailable. */
export const needsEveryAnswer = Effect.fnUntraced(function* <
  A,
  E extends { readonly _tag: string },
>(chain: Ground, ask: (link: Link) => Effect.Effect<A, E>) {
  const { asked } = yield* chain.watch(ask(chain.link))
  assert.isAbove(asked.length, 2)
  const questions = asked.map((each) => JSON.stringify(each))
  for (const answer of noAnswers) {
    for (const question of questions) {
      // Neither is it answered when it is asked in another way.
      const link = chain.linkAnswering((each) => {
        const text = JSON.stringify(each)
        return text === question || !questions.includes(text) ? answer : undefined
      })
      const error = yield* Effect.flip(ask(link))
      assert.strictEqual(error._tag, "ChainUnavailable", question)
    }
  }
})

/** A chain for the tests of one block, each with payers of its own. */
export class Chain extends Context.Service<Chain, Ground>()("@florin/evm/test/Chain") {}

/** Real time, as a real node answers; the chain's own time is moved by hand. */
export const on = (chainId: number) =>
  testLayer(Layer.effect(Chain, make(chainId)), { excludeTestServices: true, timeout })
