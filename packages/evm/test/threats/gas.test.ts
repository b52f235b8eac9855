/**
 * Accounts whose own code decides whether a collection succeeds, and what they cost the service.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Gas from "@florin/core/domain/eip155/Gas"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Contracts from "@florin/localnet/Contracts"
import * as Counts from "@florin/testing/Counts"
import type * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toHex } from "viem/utils"
import * as Queries from "../../src/read/Queries.ts"
import * as Accounts from "../../test-support/accounts.ts"
import * as Scene from "./scene.ts"

const { play, tokens, unused } = Scene
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const attacks = Counts.of({ usual: 36, full: 200 })
/** So many confirms come at once, and one of them is honest. */
const atOnce = 12
/** What may be lost before the budget closes. */
const lossMax = 10

const gwei = 10n ** 9n
const cheap = gwei / 10n

const digestOf = (option: PaymentOption.PaymentOption): Uint8Array => {
  const asset = BuiltIn.catalog.find(option.token) ?? assert.fail()
  return Eip712.digest(Actions.typedData({ asset, option }) ?? assert.fail())
}

const { readReceipt } = Scene
const readTransaction = Schema.decodeUnknownSync(Schema.Struct({ gas: Contracts.HexText }))

const make = (scene: Scene.Scene) => {
  const { local } = scene

  /** Mines until the newest block is even in its number and in its base fee, or odd in both. */
  const mineTo = Effect.fnUntraced(function* (parity: 0 | 1, fee = cheap) {
    for (;;) {
      yield* local.request("anvil_setNextBlockBaseFeePerGas", [toHex(fee + BigInt(parity))])
      yield* local.mine(1)
      const newest = yield* scene.ask(Queries.block("latest"))
      if ((newest?.number ?? 0) % 2 === parity) return
    }
  })

  /** Workers see good blocks, and what they send gets into bad ones. */
  const work = Effect.gen(function* () {
    for (let round = 0; round < 8; round++) {
      yield* mineTo(0)
      yield* scene.round
      yield* mineTo(1)
    }
    yield* mineTo(0)
  })

  const offerTo = (address: Caip.Address, token = tokens.eip3009) => scene.offer(token, address)

  /** Pays as an account that signs with its own code. */
  const payBy = Effect.fnUntraced(function* (
    account: Accounts.Account,
    token: Caip.Token = tokens.eip3009,
  ) {
    const choice = yield* offerTo(account.address, token)
    assert.notStrictEqual(choice.option.flow, "transfer")
    const outputs = [account.sign(toHex(digestOf(choice.option)))]
    assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
    return choice
  })

  /** What the transaction that collected a payment took, and might have. */
  const gasOf = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
    const hash = yield* scene.paidBy(id)
    const receipt = readReceipt(yield* local.request("eth_getTransactionReceipt", [hash]))
    const { gas } = readTransaction(yield* local.request("eth_getTransactionByHash", [hash]))
    return { used: BigInt(receipt.gasUsed), limit: BigInt(gas) }
  })

  return { mineTo, work, offerTo, payBy, gasOf }
}

const honest = Effect.fnUntraced(function* ({ local }: Scene.Scene) {
  const safe = yield* Accounts.safe(local, [unused(), unused(), unused()])
  return {
    "Safe, 2 of 3": safe,
    passkey: yield* Accounts.passkey(local),
    "EIP-7702 delegate": yield* Accounts.delegating(local, unused()),
  }
})

const options = {
  hardfork: "osaka",
  evm: () => ({ gasAllowance: 200_000n * gwei }),
} as const

layer(Scene.World.layer(options), { excludeTestServices: true, timeout })("gas", (it) => {
  it.effect(
    "S1 A14: is wasted by hostile contracts only a few times, and honest payers are still served",
    () =>
      play((scene) =>
        Effect.gen(function* () {
          const { gasOf, mineTo, offerTo, payBy, work } = make(scene)
          yield* mineTo(0)
          const accounts = yield* honest(scene)
          const first = yield* Effect.forEach(Object.values(accounts), (each) => payBy(each))
          yield* work
          for (const [index, name] of Object.keys(accounts).entries()) {
            const id = first[index]?.paymentId ?? assert.fail()
            assert.strictEqual(yield* scene.tagOf(id), "Succeeded", name)
            const { limit, used } = yield* gasOf(id)
            assert.isTrue(limit <= Gas.usualCollection, name)
            yield* Effect.logInfo(`${name}: took ${used} of ${limit} units of gas`)
          }

          // Three kinds of contracts, and keys that delegate to one of them.
          const shared = unused().address
          yield* scene.local.setCode(shared, Accounts.hostile["gas price"])
          const hostileOf = Effect.fnUntraced(function* (index: number) {
            const { address } = unused()
            const code = [
              Accounts.hostile["gas price"],
              Accounts.hostile["base fee"],
              Accounts.hostile["block number"],
              Contracts.delegation(shared),
            ][index % 4]
            yield* scene.local.setCode(address, code ?? assert.fail())
            return address
          })
          const honestly: Array<PaymentId.PaymentId> = []
          let refused = 0
          let direct = 0
          const payer: Wallet.Wallet = unused()
          for (let begun = 0; begun < attacks; begun += atOnce) {
            yield* mineTo(0)
            const confirms: Array<Effect.Effect<Scene.Reply>> = []
            const own = yield* offerTo(payer.address)
            honestly.push(own.paymentId)
            for (let index = 0; index < Math.min(atOnce, attacks - begun); index++) {
              const choice = yield* offerTo(yield* hostileOf(begun + index))
              if (choice.option.flow === "transfer") direct += 1
              else confirms.push(scene.attemptWith(choice, [`0x${"ab".repeat(70)}`]))
            }
            const outputs = yield* scene.execute(own, payer)
            const answers = yield* Effect.all([scene.attemptWith(own, outputs), ...confirms], {
              concurrency: "unbounded",
            })
            assert.strictEqual(answers[0].status, 200)
            const others = answers.slice(1).map(({ status }) => status)
            assert.isTrue(others.every((status) => status === 200 || status === 422))
            refused += others.filter((status) => status === 422).length
            yield* work
          }
          for (const id of honestly) assert.strictEqual(yield* scene.tagOf(id), "Succeeded")
          const lost = yield* scene.losses
          yield* Effect.logInfo(
            `${attacks} hostile payments: ${lost.reverted} reverted and took ${lost.gas} units of gas (${lost.wei} wei), ${refused} confirms were refused, ${direct} were offered the plain transfer only; ${honestly.length} honest ones paid`,
          )
          assert.isAbove(lost.reverted, 0)
          assert.isAtMost(lost.reverted, lossMax)
          assert.isTrue(lost.gas <= BigInt(lossMax) * Gas.usualCollection)

          // Who has paid here with code goes on, and who has not sends the money itself.
          const known = yield* payBy(accounts["Safe, 2 of 3"])
          const stranger = yield* Accounts.safe(scene.local, [unused(), unused(), unused()])
          const { option } = yield* offerTo(stranger.address)
          assert.strictEqual(option.flow, "transfer")
          yield* work
          assert.strictEqual(yield* scene.tagOf(known.paymentId), "Succeeded")
        }),
      ),
  )
})

layer(Scene.World.layer(options), { excludeTestServices: true, timeout })("expensive gas", (it) => {
  it.effect("S1, A14: is not spent on accounts with code beyond the fee or gasAllowance", () =>
    play((scene) =>
      Effect.gen(function* () {
        const { mineTo, offerTo, work } = make(scene)
        yield* mineTo(0)
        const [safe, payer] = [(yield* honest(scene))["Safe, 2 of 3"], unused()]
        const before = yield* offerTo(safe.address)
        assert.strictEqual(before.option.flow, "eip3009")
        yield* mineTo(0, 2n * gwei)
        yield* Effect.sleep("1100 millis")
        const signature = safe.sign(toHex(digestOf(before.option)))
        const late = yield* scene.attemptWith(before, [signature])
        assert.strictEqual(late.status, 422)
        assert.strictEqual((yield* offerTo(safe.address)).option.flow, "transfer")
        // Without code, the token alone decides what it takes.
        const own = yield* offerTo(payer.address)
        const paid = yield* scene.attemptWith(own, yield* scene.execute(own, payer))
        assert.strictEqual(paid.status, 200)
        yield* work
        assert.strictEqual(yield* scene.tagOf(own.paymentId), "Succeeded")
      }),
    ),
  )
})
