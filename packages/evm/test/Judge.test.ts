import { assert } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Contracts from "@florin/localnet/Contracts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { serializeErc6492Signature } from "viem/utils"
import * as Judge from "../src/Judge.ts"
import type { Query } from "../src/node/Rpc.ts"
import { type Hex, hex } from "../src/read/Queries.ts"
import * as Calls from "../src/token/Calls.ts"
import * as Accounts from "../test-support/accounts.ts"
import * as Payers from "../test-support/payers.ts"
import * as Spellings from "./spellings.ts"

const { authorized, call, on, payTo, price, sent, sign, signed, stranger } = Payers

type Signed = Effect.Success<ReturnType<typeof signed>>

const verify = (chain: Payers.Ground, attempt: Payment.Attempt) => Judge.verify(chain.link, attempt)

/** Fails unless the attempt is refused in these words, which are for the payer. */
const refuses = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  attempt: Payment.Attempt,
  words: RegExp,
) {
  const { _tag, message } = yield* Effect.flip(verify(chain, attempt))
  assert.strictEqual(_tag, "AttemptRefused", message)
  assert.match(message, words)
  assert.notMatch(message, /0x[0-9a-f]{8}/u)
})

const notSigned = /^the signature is not by the option's account/u
const tokenIsPaused = /^the token is paused by its issuer/u
const payerIsBarred = /^the token's issuer blocks the account/u
const weAreBarred = /^the token's issuer blocks our account/u
const contractRefuses = /^the account's contract does not accept the signature, or/u
const used = /^the authorization was used or revoked/u
const tooLittle = /^the account holds too little/u
const approveFirst = /approval for Permit2 is too low: approve first/u

/** The same for an account that is a contract, which its key owns. */
const signedForContract = Effect.fnUntraced(function* (chain: Payers.Ground, symbol: string) {
  const owner = chain.unused()
  const account = yield* chain.local.deploy("SmartAccount", owner.address)
  const option = yield* chain.optionFor(symbol, account)
  if (option.flow === "permit2") {
    const data = call.execute(option.token.address, call.approve(price))
    yield* chain.mined(owner.address, account, data)
  }
  const signature = sign(option, owner)
  return { owner, account, option, signature, attempt: authorized(option, signature) }
})

on(1)("Judge.verify with contracts that accept one form of a signature", (it) => {
  const begin = Effect.fnUntraced(function* (symbol: string) {
    const chain = yield* Payers.Chain
    const made = yield* signedForContract(chain, symbol)
    return { chain, ...made }
  })
  const spelledOf = ({ of }: (typeof Spellings.taken)[number], attempt: Payment.Attempt) => ({
    ...attempt,
    outputs: { ...attempt.outputs, signature: of(attempt.outputs.signature) },
  })

  for (const symbol of ["USDC", "USDT"]) {
    it.effect(
      `S25: sends ${symbol} the form of the signature that the contract accepts, as sent if possible`,
      () =>
        Effect.gen(function* () {
          const { account, attempt, chain } = yield* begin(symbol)
          for (const spelling of Spellings.taken) {
            const spelled = spelledOf(spelling, attempt)
            // This contract takes the one spelling only.
            assert.deepStrictEqual(yield* verify(chain, spelled), attempt.outputs)
          }
          yield* chain.local.setCode(account, Payers.takingGas(26))
          for (const spelling of Spellings.taken) {
            const spelled = spelledOf(spelling, attempt)
            assert.deepStrictEqual(yield* verify(chain, spelled), spelled.outputs)
          }
        }),
    )

    it.effect(`S25: refuses ${symbol} if the contract accepts neither form`, () =>
      Effect.gen(function* () {
        const { chain, option } = yield* begin(symbol)
        for (const { of } of Spellings.taken) {
          const attempt = authorized(option, of(sign(option, stranger)))
          yield* refuses(chain, attempt, contractRefuses)
        }
      }),
    )
  }
})

for (const chainId of [1, 137, 42161, 56]) {
  on(chainId)(`Judge.verify on chain ${chainId}`, (it) => {
    for (const { symbol } of BuiltIn.catalog.assets.filter(
      ({ token }) => token.chainId === Eip155.chainId(chainId),
    )) {
      it.effect(`accepts a payer's signature for ${symbol}, in one request, and again`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { attempt, option, signature } = yield* signed(chain, symbol)
          const { requests, result } = yield* chain.watch(verify(chain, attempt))
          assert.isTrue(Result.isSuccess(result))
          assert.strictEqual(requests, 1)
          yield* chain.collect(option, signature)
          yield* verify(chain, attempt)
          yield* chain.local.mine(1)
          yield* verify(chain, attempt)
        }),
      )

      it.effect(`accepts only one form of a signature for ${symbol}`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { option, signature } = yield* signed(chain, symbol)
          for (const { of } of Spellings.mutated) {
            yield* refuses(chain, authorized(option, of(signature)), notSigned)
          }
          yield* chain.collect(option, signature)
          for (const { of } of Spellings.mutated) {
            yield* refuses(chain, authorized(option, of(signature)), notSigned)
          }
        }),
      )

      it.effect(`accepts a contract's signature for ${symbol} if the contract does`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { account, attempt, option, owner } = yield* signedForContract(chain, symbol)
          const { requests, result } = yield* chain.watch(verify(chain, attempt))
          assert.isTrue(Result.isSuccess(result))
          // One that charges for data in gas is asked how much that is.
          assert.strictEqual(requests, chainId === 42161 ? 2 : 1)
          yield* refuses(chain, authorized(option, sign(option, stranger)), contractRefuses)
          yield* refuses(chain, authorized(option, `0x${"ab".repeat(200)}`), contractRefuses)
          yield* chain.mined(owner.address, account, call.setOwner(stranger.address))
          yield* refuses(chain, attempt, contractRefuses)
          yield* verify(chain, authorized(option, sign(option, stranger)))
        }),
      )

      it.effect(`refuses ${symbol} that the account does not hold, and says what to do`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const quantity = Money.Quantity.make(10n * price + 1n)
          const { attempt } = yield* signed(chain, symbol, { quantity })
          yield* refuses(chain, attempt, tooLittle)
        }),
      )

      it.effect(`refuses an expired signature for ${symbol}`, () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const { attempt, option } = yield* signed(chain, symbol)
          const left = PaymentOption.authorizationEndsAt(option) - (yield* chain.local.nowInS)
          yield* chain.local.pass(left - 30)
          yield* chain.local.mine(1)
          yield* verify(chain, attempt)
          yield* chain.local.pass(60)
          yield* chain.local.mine(1)
          yield* refuses(chain, attempt, /^the authorization has expired/u)
        }),
      )
    }
  })
}

on(1)("Judge.verify of EIP-3009", (it) => {
  for (const symbol of ["USDC", "EURC", "PYUSD", "USDG"]) {
    it.effect(`refuses ${symbol} of a blocked account, and while the token is paused`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option, payer } = yield* signed(chain, symbol)
        const token = option.token.address
        yield* chain.local.block(token, payer.address, true)
        yield* refuses(chain, attempt, payerIsBarred)
        yield* chain.local.block(token, payer.address, false)
        yield* chain.local.pause(token, true)
        yield* refuses(chain, attempt, tokenIsPaused)
        yield* chain.local.pause(token, false)
        yield* verify(chain, attempt)
      }),
    )

    it.effect(
      `refuses an authorization of ${symbol} that was revoked or moved something else`,
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          for (const end of [
            ({ option, payer }: Signed) => call.transferElsewhere(option, payer, stranger.address),
            ({ option, payer }: Signed) => call.cancel(option, Payers.cancellation(option, payer)),
          ]) {
            const made = yield* signed(chain, symbol)
            yield* chain.mined(stranger.address, made.option.token.address, end(made))
            yield* refuses(chain, made.attempt, used)
          }
        }),
    )
  }

  it.effect("reports nothing about a used authorization while the node's logs are behind", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option, signature } = yield* signed(chain, "USDC")
      yield* chain.collect(option, signature)
      const link = chain.linkAnswering(({ method }) => (method === "eth_getLogs" ? [] : undefined))
      const error = yield* Effect.flip(Judge.verify(link, attempt))
      assert.strictEqual(error._tag, "ChainUnavailable")
    }),
  )

  it.effect("refuses outputs of another flow than the option's", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option, signature } = yield* signed(chain, "USDC")
      const misfits = [
        sent(option, Fixtures.hash("sent"), signature),
        { ...attempt, option: { ...option, flow: "transfer" } as const },
      ]
      for (const misfit of misfits) yield* refuses(chain, misfit, /^the outputs are not those/u)
    }),
  )
})

on(42161)("Judge.verify of USDT0", (it) => {
  it.effect("accepts it from a blocked account, which may sign but not call", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option, payer } = yield* signed(chain, "USDT0")
      yield* chain.local.block(option.token.address, payer.address, true)
      yield* verify(chain, attempt)
    }),
  )

  it.effect("refuses it while the collecting account may not call", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option } = yield* signed(chain, "USDT0")
      yield* chain.local.block(option.token.address, payTo.address, true)
      yield* refuses(chain, attempt, weAreBarred)
      yield* chain.local.block(option.token.address, payTo.address, false)
      yield* verify(chain, attempt)
    }),
  )
})

on(1)("Judge.verify with contracts that respond incorrectly", (it) => {
  const ways: ReadonlyArray<readonly [string, Hex]> = [
    ["reverts", "0x60006000fd"],
    ["answers nothing", "0x00"],
    ["answers yes to everything, in a word of its own", "0x600160005260206000f3"],
    ["fails", "0xfe"],
    ["burns all gas", "0x5b600056"],
    ["jumps nowhere", "0x600160ff56"],
  ]

  for (const [name, code] of ways) {
    it.effect(`accepts nothing for an account that ${name}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { address } = chain.unused()
        yield* chain.local.setCode(address, code)
        const unknown = Fixtures.hash("unknown")
        const judged = yield* chain.optionFor("USDC", address)
        yield* refuses(chain, authorized(judged, sign(judged, stranger)), contractRefuses)
        const permit = yield* chain.optionFor("USDT", address)
        yield* refuses(chain, authorized(permit, sign(permit, stranger), [unknown]), notSigned)
        const direct = yield* chain.optionFor("USDC", address, { flow: "transfer" })
        yield* refuses(chain, sent(direct, unknown, sign(direct, stranger)), notSigned)
      }),
    )
  }
})

on(1)("Judge.verify with contracts that use much gas", (it) => {
  it.effect("S1: accepts their signatures, up to a fixed amount of gas", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      for (const symbol of ["USDC", "PYUSD"]) {
        const { address } = chain.unused()
        const option = yield* chain.optionFor(symbol, address)
        const attempt = Payers.withCode(authorized(option, sign(option, stranger)))
        yield* chain.local.setCode(address, Payers.takingGas(100_000))
        yield* verify(chain, attempt)
        yield* chain.local.setCode(address, Payers.takingGas(240_000))
        yield* refuses(chain, attempt, contractRefuses)
      }
    }),
  )
})

on(1)("Judge.verify of accounts that delegate (EIP-7702)", (it) => {
  for (const symbol of ["USDC", "PYUSD", "USDT"]) {
    it.effect(`asks the delegate whether a plain signature for ${symbol} is valid`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option, payer, signature } = yield* signed(chain, symbol)
        const delegate = yield* chain.local.deploy("Delegate")
        yield* chain.local.setCode(payer.address, Contracts.delegation(delegate))
        // It was offered to an account without code, whose gas nobody limits.
        yield* refuses(chain, attempt, /^the account has code now, and had none/u)
        const coded = Payers.withCode(attempt)
        const { asked, result } = yield* chain.watch(verify(chain, coded))
        assert.isTrue(Result.isSuccess(result))
        assert.include(JSON.stringify(asked), Calls.collect(option, signature, true).data)
        const forged = authorized(coded.option, sign(option, stranger))
        yield* refuses(chain, forged, contractRefuses)
        yield* chain.mined(stranger.address, payer.address, call.setRefusesPlain(true))
        yield* refuses(chain, coded, contractRefuses)
      }),
    )
  }
})

on(1)("Judge.verify of accounts that are not deployed yet (ERC-6492)", (it) => {
  const wrapped = (factory: string, data: Hex, signature: string) =>
    serializeErc6492Signature({ address: hex(factory), data, signature: hex(signature) })

  const begin = Effect.fnUntraced(function* (symbol: string) {
    const chain = yield* Payers.Chain
    const owner = chain.unused()
    const factory = yield* chain.local.deploy("SmartAccountFactory")
    const account = yield* chain.readAddress(factory, call.accountOf(owner.address))
    const option = yield* chain.optionFor(symbol, account)
    const signature = sign(option, owner)
    return { chain, owner, factory, account, option, signature }
  })

  for (const symbol of ["USDC", "PYUSD"]) {
    it.effect(`refuses ${symbol} until the account is deployed, and never deploys it`, () =>
      Effect.gen(function* () {
        const { account, chain, factory, option, owner, signature } = yield* begin(symbol)
        const create = call.createAccount(owner.address)
        const attempt = authorized(option, wrapped(factory, create, signature))
        const { asked, result } = yield* chain.watch(verify(chain, attempt))
        assert.match(
          Result.getOrThrow(Result.flip(result)).message,
          /^the account is a contract that is not on this chain yet/u,
        )
        assert.isAbove(asked.length, 0)
        const text = JSON.stringify(asked)
        for (const never of [factory, create, "eth_send"]) {
          assert.notInclude(text, never.replace("0x", ""))
        }
        yield* chain.mined(stranger.address, factory, create)
        yield* verify(chain, Payers.withCode(attempt))
        yield* verify(chain, Payers.withCode(authorized(option, signature)))
        const code = yield* chain.local.request("eth_getCode", [account, "latest"])
        assert.notStrictEqual(code, "0x")
      }),
    )
  }

  it.effect("refuses a malformed wrapper", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, signature } = yield* signed(chain, "USDC")
      const magic = wrapped(stranger.address, "0x", signature).slice(-64)
      yield* refuses(chain, authorized(option, `${signature}${magic}`), notSigned)
    }),
  )
})

on(1)("Judge.verify of an empty signature", (it) => {
  const contractRefused = /^the account's contract does not accept the signature/u

  for (const symbol of ["USDC", "PYUSD", "USDT"]) {
    it.effect(
      `accepts it for ${symbol} of a Safe that approved the digest, and of no other option`,
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const safe = yield* Accounts.safe(chain.local, [
            chain.unused(),
            chain.unused(),
            chain.unused(),
          ])
          const [option, other] = [
            yield* chain.optionFor(symbol, safe.address),
            yield* chain.optionFor(symbol, safe.address),
          ]
          if (option.flow === "permit2") {
            yield* chain.mined(safe.address, option.token.address, call.approve(2n * price))
          }
          yield* refuses(chain, authorized(option, "0x"), contractRefused)
          yield* chain.mined(stranger.address, safe.address, safe.noting(Payers.digestOf(option)))
          assert.deepStrictEqual(yield* verify(chain, authorized(option, "0x")), {
            _tag: "Authorized",
            signature: "0x",
            approvals: [],
          })
          yield* refuses(chain, authorized(other, "0x"), contractRefused)
          // It still takes what its owners sign.
          yield* verify(chain, authorized(other, safe.sign(Payers.digestOf(other))))
          yield* chain.collect(option, "0x", true)
          // What it was used for is known, and nothing else is signed by it.
          yield* verify(chain, authorized(option, "0x"))
          yield* refuses(chain, authorized(other, "0x"), contractRefused)
        }),
    )

    it.effect(`refuses it for ${symbol} of an account without code`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt, option } = yield* signed(chain, symbol)
        yield* refuses(chain, authorized(option, "0x"), notSigned)
        yield* refuses(chain, Payers.withCode(authorized(option, "0x")), notSigned)
        yield* verify(chain, attempt)
      }),
    )
  }

  it.effect("accepts it under a statement that a Safe approved, and under no other", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const [one, two, three] = [chain.unused(), chain.unused(), chain.unused()]
      const safe = yield* Accounts.safe(chain.local, [one, two, three])
      const flow = "transfer"
      const option = yield* chain.optionFor("USDC", safe.address, { flow })
      const other = yield* chain.optionFor("USDC", safe.address, { flow })
      const unmined = Fixtures.hash("unmined")
      yield* refuses(chain, sent(option, unmined, "0x"), notSigned)
      yield* chain.mined(stranger.address, safe.address, safe.noting(Payers.digestOf(option)))
      yield* verify(chain, sent(option, unmined, "0x"))
      yield* refuses(chain, sent(other, unmined, "0x"), notSigned)
      const keys = yield* chain.optionFor("USDC", one.address, { flow })
      yield* refuses(chain, sent(keys, unmined, "0x"), notSigned)
    }),
  )
})

on(1)("Judge.verify of Permit2", (it) => {
  const fund = (chain: Payers.Ground) =>
    Effect.gen(function* () {
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDT", payer.address)
      return { payer, option, signature: sign(option, payer) }
    })

  it.effect("accepts a higher approval than requested, now and later", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDT", payer.address)
      yield* chain.approve(option, Limits.maxQuantity)
      for (const paid of [option, yield* chain.optionFor("USDT", payer.address)]) {
        const signature = sign(paid, payer)
        yield* verify(chain, authorized(paid, signature))
        yield* chain.collect(paid, signature)
      }
    }),
  )

  it.effect("refuses a payment until its approval is high enough", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, signature } = yield* fund(chain)
      yield* refuses(chain, authorized(option, signature), approveFirst)
      yield* chain.approve(option, price - 1n)
      yield* refuses(chain, authorized(option, signature), approveFirst)
      yield* chain.approve(option, 0n)
      yield* chain.approve(option)
      yield* verify(chain, authorized(option, signature))
    }),
  )

  it.effect("waits for approvals that may still be mined, and for no others", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, payer, signature } = yield* fund(chain)
      const unknown = Fixtures.hash("approval")
      const less = yield* chain.approve(option, price - 1n)
      const reset = yield* chain.send(payer.address, option.token.address, call.approve(0n))
      yield* verify(chain, authorized(option, signature, [unknown]))
      yield* verify(chain, authorized(option, signature, [less, reset]))
      yield* refuses(chain, authorized(option, signature, [less]), approveFirst)
      yield* refuses(chain, authorized(option, sign(option, stranger), [unknown]), notSigned)
      yield* chain.local.mine(1)
      yield* refuses(chain, authorized(option, signature, [less, reset]), approveFirst)
    }),
  )

  it.effect("accepts an approval that is mined during the check", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, payer, signature } = yield* fund(chain)
      const approval = yield* chain.send(payer.address, option.token.address, call.approve(price))
      const { rpc } = chain.link
      /** The block comes after whatever is asked beside the receipt. */
      const ask: typeof rpc.ask = (query) =>
        query.method === "eth_getTransactionReceipt"
          ? Effect.sleep("300 millis").pipe(
              Effect.andThen(Effect.orDie(chain.local.mine(1))),
              Effect.andThen(rpc.ask(query)),
            )
          : rpc.ask(query)
      const link = { ...chain.link, rpc: { ...rpc, ask } }
      yield* Judge.verify(link, authorized(option, signature, [approval]))
    }),
  )

  it.effect("asks a contract to validate its signature while its approval waits", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const owner = chain.unused()
      const account = yield* chain.local.deploy("SmartAccount", owner.address)
      const option = yield* chain.optionFor("USDT", account)
      const approvals = [Fixtures.hash("approval")]
      yield* verify(chain, authorized(option, sign(option, owner), approvals))
      yield* refuses(chain, authorized(option, sign(option, stranger), approvals), notSigned)
    }),
  )

  it.effect(
    "accepts a permit that a contract's signature used, and refuses another's afterwards",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        for (const symbol of ["USDC", "USDT"]) {
          const { attempt, option, signature } = yield* signedForContract(chain, symbol)
          yield* chain.collect(option, signature, true)
          yield* verify(chain, attempt)
          yield* refuses(chain, authorized(option, sign(option, stranger)), notSigned)
        }
      }),
  )

  it.effect("refuses a permit that was revoked, unless it was used before", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const revoke = (option: PaymentOption.PaymentOption) =>
        chain.mined(option.account.address, Eip155.permit2Address, call.invalidate(option))
      const [one, other] = [yield* signed(chain, "USDT"), yield* signed(chain, "USDT")]
      yield* revoke(one.option)
      yield* refuses(chain, one.attempt, used)
      yield* chain.collect(other.option, other.signature)
      yield* revoke(other.option)
      yield* verify(chain, other.attempt)
    }),
  )

  it.effect("refuses USDT while it keeps a fee of each transfer", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt, option } = yield* signed(chain, "USDT")
      yield* chain.local.setTransferFee(option.token.address, 10n, 1_000n)
      yield* refuses(chain, attempt, /^the token keeps a part of each transfer/u)
      yield* chain.local.setTransferFee(option.token.address, 0n, 0n)
      yield* verify(chain, attempt)
    }),
  )
})

on(1)("Judge.verify of a transfer that the wallet sent", (it) => {
  const somethingElse = /^the transaction is not the transfer of this option/u
  const nothingMoved = /^the transaction moved no such money/u

  const begin = Effect.fnUntraced(function* (symbol: string = "USDC") {
    const chain = yield* Payers.Chain
    const payer = chain.unused()
    const option = yield* chain.optionFor(symbol, payer.address, { flow: "transfer" })
    const data = call.transfer(option.payTo, price)
    const signature = sign(option, payer)
    return {
      chain,
      payer,
      option,
      data,
      signature,
      token: option.token.address,
      naming: (txHash: string) => sent(option, txHash, signature),
    }
  })

  it.effect("accepts it before it is known, while it waits, and when it is mined", () =>
    Effect.gen(function* () {
      const { chain, data, naming, payer, token } = yield* begin()
      yield* verify(chain, naming(Fixtures.hash("unknown")))
      const txHash = yield* chain.send(payer.address, token, data)
      const waiting = yield* chain.watch(verify(chain, naming(txHash)))
      assert.isTrue(Result.isSuccess(waiting.result))
      assert.strictEqual(waiting.requests, 1)
      yield* chain.local.mine(1)
      const mined = yield* chain.watch(verify(chain, naming(txHash)))
      assert.isTrue(Result.isSuccess(mined.result))
      assert.strictEqual(mined.requests, 2)
    }),
  )

  it.effect("refuses another account's statement, and other forms of the signature", () =>
    Effect.gen(function* () {
      const { chain, data, option, payer, signature, token } = yield* begin()
      const txHash = yield* chain.mined(payer.address, token, data)
      yield* refuses(chain, sent(option, txHash, sign(option, stranger)), notSigned)
      for (const { of } of Spellings.mutated) {
        yield* refuses(chain, sent(option, txHash, of(signature)), notSigned)
      }
    }),
  )

  it.effect("refuses another transaction, pending or mined", () =>
    Effect.gen(function* () {
      const { chain, data, naming, option, payer, token } = yield* begin()
      yield* chain.local.fund(token, stranger.address, price)
      const other = chain.assetOf("EURC").token.address
      yield* chain.local.fund(other, payer.address, price)
      const less = Money.Quantity.make(price - 1n)
      const hashes = [
        yield* chain.send(stranger.address, token, data),
        yield* chain.send(payer.address, other, data),
        yield* chain.send(payer.address, token, call.transfer(option.payTo, less)),
        yield* chain.send(payer.address, token, call.transfer(stranger.address, price)),
        yield* chain.send(payer.address, token, call.approve(price)),
      ]
      for (const txHash of hashes) yield* refuses(chain, naming(txHash), somethingElse)
      yield* chain.local.mine(1)
      for (const txHash of hashes) yield* refuses(chain, naming(txHash), somethingElse)
    }),
  )

  it.effect("refuses a transfer that reverted, and one that paid a fee from its amount", () =>
    Effect.gen(function* () {
      const reverted = yield* begin()
      const { chain } = reverted
      yield* chain.local.block(reverted.token, reverted.payer.address, true)
      const hash = yield* chain.mined(reverted.payer.address, reverted.token, reverted.data)
      yield* refuses(chain, reverted.naming(hash), nothingMoved)

      const short = yield* begin("USDT")
      yield* chain.local.setTransferFee(short.token, 10n, 1_000n)
      const less = yield* chain.mined(short.payer.address, short.token, short.data)
      yield* refuses(chain, short.naming(less), nothingMoved)
      yield* chain.local.setTransferFee(short.token, 0n, 0n)
    }),
  )

  it.effect("ignores a receipt in another block", () =>
    Effect.gen(function* () {
      const { chain, data, naming, payer, token } = yield* begin()
      const txHash = yield* chain.mined(payer.address, token, data)
      const other = { number: "0x1", hash: Fixtures.hash("block"), timestamp: "0xffffffff" }
      for (const block of [other, null]) {
        const link = chain.linkAnswering(({ method }) =>
          method === "eth_getBlockByNumber" ? block : undefined,
        )
        const error = yield* Effect.flip(Judge.verify(link, naming(txHash)))
        assert.strictEqual(error._tag, "ChainUnavailable")
      }
    }),
  )

  it.effect("accepts a contract's transfer that another account sent, by its log", () =>
    Effect.gen(function* () {
      const { chain, data, token } = yield* begin()
      const owner = chain.unused()
      const account = yield* chain.local.deploy("SmartAccount", owner.address)
      const option = yield* chain.optionFor("USDC", account, { flow: "transfer" })
      const naming = (txHash: string) => sent(option, txHash, sign(option, owner))
      const txHash = yield* chain.send(owner.address, account, call.execute(token, data))
      yield* verify(chain, naming(txHash))
      yield* chain.local.mine(1)
      yield* verify(chain, naming(txHash))
      yield* refuses(chain, sent(option, txHash, sign(option, stranger)), notSigned)
      const approval = call.execute(token, call.approve(price))
      const other = yield* chain.mined(owner.address, account, approval)
      yield* refuses(chain, naming(other), nothingMoved)
    }),
  )

  it.effect("refuses the statement of an account that is not deployed yet", () =>
    Effect.gen(function* () {
      const { chain, option } = yield* begin()
      const signature = serializeErc6492Signature({
        address: hex(stranger.address),
        data: "0x12",
        signature: hex(sign(option, stranger)),
      })
      const attempt = sent(option, Fixtures.hash("unknown"), signature)
      yield* refuses(chain, attempt, /not on this chain yet/u)
    }),
  )
})

on(1)("Judge.verify while a node behind the load balancer is behind", (it) => {
  /** The first answer to each question about the newest state is what a machine says that stands at this block. */
  const behind = Effect.fnUntraced(function* ({ link, local }: Payers.Ground) {
    const block = yield* local.request("eth_blockNumber")
    const asked = new Set<string>()
    const old = <A>(query: Query<A>): Query<A> => {
      const { method, params } = query
      const key = JSON.stringify([method, params])
      if (params.at(-1) !== "latest" || asked.has(key)) return query
      asked.add(key)
      return { ...query, params: [...params.slice(0, -1), block] }
    }
    const { ask, attempt } = link.rpc
    const rpc: typeof link.rpc = {
      ...link.rpc,
      ask: (query) => ask(old(query)),
      attempt: (query) => attempt(old(query)),
    }
    return { ...link, rpc }
  })

  it.effect("S26: refuses no payer whose money or approval that node has not seen yet", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      for (const symbol of ["USDC", "USDT"]) {
        const payer = chain.unused()
        yield* chain.local.mine(1)
        const link = yield* behind(chain)
        const option = yield* chain.optionFor(symbol, payer.address)
        const approvals = option.flow === "permit2" ? [yield* chain.approve(option)] : []
        yield* chain.local.mine(1)
        yield* Judge.verify(link, authorized(option, sign(option, payer), approvals))
      }
    }),
  )
})

on(1)("Judge.verify with an unreliable node", (it) => {
  const scenes = {
    "an EIP-3009 signature": (chain: Payers.Ground) =>
      Effect.map(signed(chain, "USDC"), ({ attempt }) => attempt),
    "a used EIP-3009 signature": Effect.fnUntraced(function* (chain: Payers.Ground) {
      const { attempt, option, signature } = yield* signed(chain, "USDC")
      yield* chain.collect(option, signature)
      return attempt
    }),
    "a contract's signature": (chain: Payers.Ground) =>
      Effect.map(signedForContract(chain, "USDC"), ({ attempt }) => attempt),
    "a Permit2 signature whose approval waits": Effect.fnUntraced(function* (chain: Payers.Ground) {
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDT", payer.address)
      return authorized(option, sign(option, payer), [Fixtures.hash("approval")])
    }),
    "a contract's signature whose approval waits": Effect.fnUntraced(function* (
      chain: Payers.Ground,
    ) {
      const owner = chain.unused()
      const account = yield* chain.local.deploy("SmartAccount", owner.address)
      const option = yield* chain.optionFor("USDT", account)
      return authorized(option, sign(option, owner), [Fixtures.hash("approval")])
    }),
    "a used Permit2 signature": Effect.fnUntraced(function* (chain: Payers.Ground) {
      const { attempt, option, signature } = yield* signed(chain, "USDT")
      yield* chain.collect(option, signature)
      return attempt
    }),
    "a transfer": Effect.fnUntraced(function* (chain: Payers.Ground) {
      const payer = chain.unused()
      const option = yield* chain.optionFor("USDC", payer.address, { flow: "transfer" })
      const data = call.transfer(option.payTo, price)
      const txHash = yield* chain.mined(payer.address, option.token.address, data)
      return sent(option, txHash, sign(option, payer))
    }),
  }

  for (const [name, begin] of Object.entries(scenes)) {
    it.effect(`needs every response of the node to check ${name}`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const attempt = yield* begin(chain)
        yield* Payers.needsEveryAnswer(chain, (link) => Judge.verify(link, attempt))
        yield* verify(chain, attempt)
      }),
    )
  }

  it.effect("is unavailable while the node cannot be reached", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { attempt } = yield* signed(chain, "USDC")
      chain.proxy.connect(false)
      const error = yield* Effect.flip(verify(chain, attempt))
      chain.proxy.connect(true)
      assert.strictEqual(error._tag, "ChainUnavailable")
    }),
  )
})

on(1)("Judge.isSignedBy", (it) => {
  it.effect("S15: asks a contract about its own signatures, and accepts no other account's", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const [contract, none] = [chain.unused(), chain.unused()]
      yield* chain.local.setCode(contract.address, Payers.takingGas(26))
      const asked = (address: typeof none.address, signature: string) =>
        Judge.isSignedBy(chain.link, address, "a text", signature)
      assert.isTrue(yield* asked(contract.address, "0x1234"))
      assert.isFalse(yield* asked(none.address, "0x1234"))
      for (const signature of ["", "0x", "1234", "0xzz", `0x${"00".repeat(5000)}`]) {
        assert.isFalse(yield* asked(contract.address, signature))
      }
      assert.isTrue(
        yield* asked(none.address, none.signMessage("a text").toUpperCase().replace("0X", "0x")),
      )
      // A contract may change its mind, and counts as it is now.
      yield* chain.local.setCode(contract.address, "0x5f5ffd")
      assert.isFalse(yield* asked(contract.address, "0x1234"))
    }),
  )
})
