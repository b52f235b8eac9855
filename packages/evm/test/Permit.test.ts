import process from "node:process"
import { assert } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Contracts from "@florin/localnet/Contracts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Judge from "../src/Judge.ts"
import * as Observation from "../src/Observation.ts"
import * as Queries from "../src/read/Queries.ts"
import * as Rehearsal from "../src/Rehearsal.ts"
import * as Signing from "../src/send/Signing.ts"
import * as Calls from "../src/token/Calls.ts"
import * as Permit from "../src/token/Permit.ts"
import * as Payers from "../test-support/payers.ts"
import * as Spellings from "./spellings.ts"

const { authorized, call, on, payTo, price, sign, stranger } = Payers

const permit = (nonce: bigint) =>
  ({ flow: "permit", permitNonce: Money.Quantity.make(nonce) }) as const

/** A payer, an option to pay by a permit, and what it signed for that. */
const signed = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  symbol: string,
  { nonce = 0n, payer = chain.unused() } = {},
) {
  const option = yield* chain.optionFor(symbol, payer.address, permit(nonce))
  const signature = sign(option, payer)
  return { payer, option, signature, attempt: authorized(option, signature) }
})

type Signed = Effect.Success<ReturnType<typeof signed>>

const verify = (chain: Payers.Ground, { attempt }: Pick<Signed, "attempt">) =>
  Judge.verify(chain.link, attempt)

const refuses = Effect.fnUntraced(function* (
  chain: Payers.Ground,
  made: Pick<Signed, "attempt">,
  words: RegExp,
) {
  const { _tag, message } = yield* Effect.flip(verify(chain, made))
  assert.strictEqual(_tag, "AttemptRefused", message)
  assert.match(message, words)
})

const look = (
  { link }: Payers.Ground,
  { attempt }: Pick<Signed, "attempt">,
  relayed: Lane.Transaction | null,
) => Observation.look(link, { attempt, movement: Payment.movement(attempt), relayed })
const tagOf = (...of: Parameters<typeof look>) => Effect.map(look(...of), ({ _tag }) => _tag)

const order = ({ attempt }: Pick<Signed, "attempt">) => ({ _tag: "Collect", attempt }) as const

/** Signs what is due, with the next nonce. */
const relay = Effect.fnUntraced(function* (chain: Payers.Ground, made: Pick<Signed, "attempt">) {
  const { chainId, link, local } = chain
  yield* local.fundGas(payTo.address, 10n ** 18n)
  const nonce = yield* link.rpc.ask(Queries.nonce(payTo.address, "latest"))
  yield* Rehearsal.rehearse(link, order(made))
  return yield* Signing.sign(link, { chainId, sender: payTo.address }, nonce, order(made))
})

const readReceipt = Schema.decodeUnknownSync(Schema.Struct({ gasUsed: Contracts.HexText }))

/** Sends one of our transactions and mines it; answers its gas. */
const mined = Effect.fnUntraced(function* (
  { link, local }: Payers.Ground,
  relayed: Lane.Transaction,
) {
  yield* Signing.broadcast(link, relayed)
  yield* local.mine(1)
  const receipt = yield* local.request("eth_getTransactionReceipt", [relayed.hash])
  return Number(readReceipt(receipt).gasUsed)
})

const held = (
  chain: Payers.Ground,
  { option }: Pick<Signed, "option">,
  of = option.account.address,
) =>
  chain.link.rpc.ask(
    Queries.word(
      { to: option.token.address, data: Queries.hex(`0x70a08231${of.slice(2).padStart(64, "0")}`) },
      "latest",
    ),
  )

/** What the collecting account may take still. */
const allowed = (chain: Payers.Ground, { option }: Pick<Signed, "option">) => {
  const words = [option.account.address, option.payTo].map((each) =>
    each.slice(2).padStart(64, "0"),
  )
  const data = Queries.hex(`0xdd62ed3e${words.join("")}`)
  return chain.link.rpc.ask(Queries.word({ to: option.token.address, data }, "latest"))
}

const permits = [
  [137, "USDT"],
  [1, "USDC"],
  [1, "PYUSD"],
  [42161, "USDT0"],
] as const

for (const [chainId, symbol] of permits) {
  on(chainId)(`a permit of ${symbol} on chain ${chainId}`, (it) => {
    it.effect("is checked in one request before it is used, and never after", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const made = yield* signed(chain, symbol)
        const { requests, result } = yield* chain.watch(verify(chain, made))
        assert.isTrue(Result.isSuccess(result))
        assert.strictEqual(requests, 1)
        for (const { of } of Spellings.mutated) {
          const attempt = authorized(made.option, of(made.signature))
          yield* refuses(chain, { attempt }, /^the signature is not by the option's account/u)
        }
        const foreign = authorized(made.option, sign(made.option, stranger))
        yield* refuses(
          chain,
          { attempt: foreign },
          /^the signature is not by the option's account/u,
        )
        yield* chain.collect(made.option, made.signature)
        yield* refuses(chain, made, /^the authorization was used/u)
      }),
    )

    it.effect("needs two transactions, of which only the second moves money", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        yield* chain.local.mine(100)
        const made = yield* signed(chain, symbol)
        assert.strictEqual(yield* tagOf(chain, made, null), "Due")
        const before = {
          payer: yield* held(chain, made),
          ours: yield* held(chain, made, payTo.address),
        }
        const first = yield* relay(chain, made)
        assert.strictEqual(yield* tagOf(chain, made, first), "Unseen")
        yield* mined(chain, first)
        assert.strictEqual(yield* held(chain, made), before.payer)
        assert.strictEqual(yield* tagOf(chain, made, first), "Due")
        const second = yield* relay(chain, made)
        assert.strictEqual(yield* tagOf(chain, made, second), "Unseen")
        yield* mined(chain, second)
        const observation = yield* look(chain, made, second)
        assert.strictEqual(observation._tag, "Included")
        yield* chain.local.mine(100)
        const final = yield* look(chain, made, second)
        assert.strictEqual(final._tag, "Final")
        // Whoever does not know of it finds it by what it says of the payment.
        for (const unknown of [null, first]) {
          assert.deepStrictEqual(yield* look(chain, made, unknown), final)
        }
        assert.strictEqual(yield* held(chain, made), before.payer - price)
        assert.strictEqual(yield* held(chain, made, payTo.address), before.ours + price)
        assert.strictEqual(yield* allowed(chain, made), 0n)
      }),
    )

    it.effect("costs about as much gas as on the real chain", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const payer = chain.unused()
        for (const nonce of [0n, 1n]) {
          const made = yield* signed(chain, symbol, { nonce, payer })
          const permitGas = yield* mined(chain, yield* relay(chain, made))
          const takeGas = yield* mined(chain, yield* relay(chain, made))
          process.stdout.write(
            `${symbol} on ${chainId}, nonce ${nonce}: permit ${permitGas} gas, transferFrom ${takeGas} gas\n`,
          )
          // The first permit of an account writes its nonce where there was none, which costs 17,100.
          assert.closeTo(permitGas, nonce === 0n ? 81_700 : 64_600, 8_500)
          assert.closeTo(takeGas, 47_700, 8_500)
        }
      }),
    )

    it.effect(
      "is valid if a stranger submitted it, and the service's own transaction is not sent or reverts",
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          for (const isSent of [false, true]) {
            const made = yield* signed(chain, symbol)
            const ours = isSent ? yield* relay(chain, made) : null
            const { data, to } = Calls.collect(made.option, made.signature, false)
            yield* chain.mined(stranger.address, to, data)
            if (ours !== null) yield* mined(chain, ours)
            assert.strictEqual(yield* tagOf(chain, made, ours), "Due")
            const take = yield* relay(chain, made)
            yield* mined(chain, take)
            assert.strictEqual(yield* tagOf(chain, made, take), "Included")
            assert.strictEqual(yield* allowed(chain, made), 0n)
          }
        }),
    )

    it.effect("fails once a final block shows its nonce used for something else", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        yield* chain.local.mine(100)
        const made = yield* signed(chain, symbol)
        const { option, payer } = made
        const elsewhere = call.permitElsewhere(option, payer, stranger.address)
        yield* chain.mined(payer.address, option.token.address, elsewhere)
        assert.strictEqual(yield* tagOf(chain, made, null), "Unseen")
        assert.strictEqual((yield* Effect.flip(relay(chain, made)))._tag, "TransferRefused")
        yield* chain.local.mine(100)
        assert.strictEqual(yield* tagOf(chain, made, null), "Impossible")
      }),
    )

    it.effect("fails once a final block is past its deadline, mined or not", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        yield* chain.local.mine(100)
        const unused = yield* signed(chain, symbol)
        const landed = yield* signed(chain, symbol)
        const first = yield* relay(chain, landed)
        yield* mined(chain, first)
        const left = PaymentOption.authorizationEndsAt(landed.option) - (yield* chain.local.nowInS)
        yield* chain.local.pass(left - Limits.authorizationSendMarginInS)
        yield* chain.local.mine(1)
        for (const made of [unused, landed]) {
          const refused = yield* Effect.flip(Rehearsal.rehearse(chain.link, order(made)))
          assert.deepInclude(refused, { _tag: "TransferRefused", reason: "late" })
        }
        yield* chain.local.pass(2 * Limits.authorizationSendMarginInS)
        yield* chain.local.mine(100)
        assert.strictEqual(yield* tagOf(chain, unused, null), "Impossible")
        assert.strictEqual(yield* tagOf(chain, landed, first), "Impossible")
        assert.strictEqual(yield* held(chain, landed), 10n * price)
      }),
    )

    it.effect("is recognized in every version of either transaction", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const made = yield* signed(chain, symbol)
        const outbid = Effect.fnUntraced(function* (relayed: Lane.Transaction) {
          const waited = { ...relayed, signedAt: relayed.signedAt - 60_000 }
          return (yield* Signing.outbid(chain.link, waited)) ?? assert.fail("nothing more was bid")
        })
        const first = yield* outbid(yield* relay(chain, made))
        yield* mined(chain, first)
        assert.strictEqual(yield* tagOf(chain, made, first), "Due")
        const take = yield* relay(chain, made)
        const second = yield* outbid(take)
        // The earlier version is the one that is mined.
        yield* mined(chain, take)
        assert.strictEqual(yield* tagOf(chain, made, second), "Included")
        assert.strictEqual(yield* held(chain, made), 9n * price)
      }),
    )

    it.effect(
      "is refused while the service still has an allowance, and collects exactly its amount",
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          const made = yield* signed(chain, symbol)
          const { option, payer } = made
          const approve = (value: bigint) =>
            chain.mined(payer.address, option.token.address, call.approve(value, payTo.address))
          yield* approve(1n)
          yield* refuses(chain, made, /^the account has already approved some of this token/u)
          yield* approve(0n)
          yield* verify(chain, made)
          // Approved after the confirm: the permit sets what it says.
          yield* approve(Limits.maxQuantity)
          yield* mined(chain, yield* relay(chain, made))
          assert.strictEqual(yield* allowed(chain, made), price)
          yield* mined(chain, yield* relay(chain, made))
          assert.strictEqual(yield* allowed(chain, made), 0n)
          assert.strictEqual(yield* held(chain, made), 9n * price)
        }),
    )

    it.effect("collects nothing from the allowance of a later permit", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        yield* chain.local.mine(100)
        const lost = yield* signed(chain, symbol)
        const { option, payer } = lost
        const elsewhere = call.permitElsewhere(option, payer, stranger.address)
        yield* chain.mined(payer.address, option.token.address, elsewhere)
        const next = yield* signed(chain, symbol, { nonce: 1n, payer })
        yield* verify(chain, next)
        yield* mined(chain, yield* relay(chain, next))
        assert.strictEqual(yield* allowed(chain, lost), price)
        assert.strictEqual(yield* tagOf(chain, lost, null), "Unseen")
        assert.strictEqual((yield* Effect.flip(relay(chain, lost)))._tag, "TransferRefused")
        assert.strictEqual(yield* tagOf(chain, next, null), "Due")
        yield* chain.local.mine(100)
        assert.strictEqual(yield* tagOf(chain, lost, null), "Impossible")
      }),
    )

    it.effect("waits while an earlier permit of the account is being revoked", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        yield* chain.local.mine(100)
        const made = yield* signed(chain, symbol, { nonce: 1n })
        assert.strictEqual(yield* tagOf(chain, made, null), "Unseen")
        yield* Effect.flip(relay(chain, made))
        const earlier = yield* signed(chain, symbol, { payer: made.payer })
        yield* mined(chain, yield* relay(chain, earlier))
        assert.strictEqual(yield* tagOf(chain, made, null), "Due")
      }),
    )

    it.effect("is refused for an account that cannot send the token", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const made = yield* signed(chain, symbol)
        const { option, payer } = made
        yield* chain.local.block(option.token.address, payer.address, true)
        yield* refuses(chain, made, /^the token's issuer blocks the account/u)
        const refused = yield* Effect.flip(Rehearsal.rehearse(chain.link, order(made)))
        assert.deepInclude(refused, { _tag: "TransferRefused", reason: "blocked" })
        yield* chain.local.block(option.token.address, payer.address, false)
        yield* chain.mined(
          payer.address,
          option.token.address,
          call.transfer(stranger.address, Money.Quantity.make(10n * price)),
        )
        yield* refuses(chain, made, /^the account holds too little/u)
      }),
    )

    it.effect("of a contract is accepted only if the token asks the contract", () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const owner = chain.unused()
        const account = yield* chain.local.deploy("SmartAccount", owner.address)
        const option = yield* chain.optionFor(symbol, account, permit(0n))
        const made = { option, attempt: authorized(option, sign(option, owner)) }
        if (chainId === 137) {
          yield* refuses(
            chain,
            made,
            /^this token accepts no permit from an account that is a contract/u,
          )
          // A key that delegates to code has code, too.
          const payer = chain.unused()
          const delegating = yield* signed(chain, symbol, { payer })
          yield* chain.local.setCode(payer.address, Contracts.delegation(account))
          yield* refuses(chain, delegating, /^this token accepts no permit/u)
          return
        }
        yield* verify(chain, made)
        const foreign = authorized(option, sign(option, stranger))
        yield* refuses(chain, { attempt: foreign }, /^the account's contract does not accept/u)
        yield* mined(chain, yield* relay(chain, made))
        yield* mined(chain, yield* relay(chain, made))
        assert.strictEqual(yield* held(chain, made), 9n * price)
      }),
    )
  })
}

on(1)("a permit of a contract that withdraws its signature", (it) => {
  it.effect(
    "costs one transaction, and the payment fails once that transaction has finally failed",
    () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        yield* chain.local.mine(100)
        const owner = chain.unused()
        const account = yield* chain.local.deploy("SmartAccount", owner.address)
        const option = yield* chain.optionFor("USDC", account, permit(0n))
        const made = { option, attempt: authorized(option, sign(option, owner)) }
        yield* verify(chain, made)
        const ours = yield* relay(chain, made)
        const setOwner = (to: typeof owner) => call.setOwner(to.address)
        yield* chain.mined(owner.address, account, setOwner(stranger))
        yield* mined(chain, ours)
        // It would look good again.
        yield* chain.mined(stranger.address, account, setOwner(owner))
        yield* Rehearsal.rehearse(chain.link, order(made))
        assert.strictEqual(yield* tagOf(chain, made, ours), "Unseen")
        yield* chain.local.mine(100)
        assert.strictEqual(yield* tagOf(chain, made, ours), "Impossible")
        assert.strictEqual(yield* held(chain, made), 10n * price)
      }),
  )
})

on(1)("a permit whose transaction was replaced by another one of its account", (it) => {
  for (const which of ["permit", "take"] as const) {
    it.effect(
      `fails its payment after its deadline if the other transaction was the ${which}`,
      () =>
        Effect.gen(function* () {
          const chain = yield* Payers.Chain
          yield* chain.local.mine(100)
          const made = yield* signed(chain, "USDC")
          if (which === "take") yield* chain.collect(made.option, made.signature)
          const ours = yield* relay(chain, made)
          assert.strictEqual(Permit.isTake(made.option, ours.raw), which === "take")
          yield* mined(chain, yield* Signing.fill(chain.link, ours.lane, ours.nonce))
          yield* chain.local.mine(20)
          assert.strictEqual(yield* tagOf(chain, made, ours), "Replaced")
          const left = PaymentOption.authorizationEndsAt(made.option) - (yield* chain.local.nowInS)
          yield* chain.local.pass(left + 20)
          yield* chain.local.mine(100)
          assert.strictEqual(yield* tagOf(chain, made, ours), "Impossible")
        }),
    )
  }
})

on(137)("a permit with deadline 0, which never expires for USDT on Polygon", (it) => {
  it.effect("is never requested, and not accepted as a permit that expires", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const { option, payer } = yield* signed(chain, "USDT")
      assert.isAbove(PaymentOption.authorizationEndsAt(option), yield* chain.local.nowInS)
      const endless = { ...option, expiresAt: -Limits.authorizationGraceInS }
      assert.strictEqual(PaymentOption.authorizationEndsAt(endless), 0)
      const signature = sign(endless, payer)
      yield* refuses(chain, { attempt: authorized(option, signature) }, /^the signature is not/u)
      yield* refuses(
        chain,
        { attempt: authorized(endless, signature) },
        /^the authorization has expired/u,
      )
    }),
  )
})
