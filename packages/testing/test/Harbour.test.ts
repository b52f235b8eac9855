import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payment from "@florin/core/domain/payment/Payment"
import { Chain } from "@florin/core/ports/Chain"
import { price, tag } from "@florin/testing/chain/Scene"
import * as ChainSuite from "@florin/testing/ChainSuite"
import * as Counts from "@florin/testing/Counts"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Base32 from "@florin/testing/harbour/Base32"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as HarbourKit from "@florin/testing/harbour/HarbourKit"
import * as HostileText from "@florin/testing/HostileText"
import type { Role } from "@florin/testing/Kit"
import * as NonceSuite from "@florin/testing/NonceSuite"
import * as Harness from "@florin/testing/simulated/Harness"
import { type Options, SimulatedChain } from "@florin/testing/SimulatedChain"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

const { catalog, chainId, family } = Harbour
const { kit } = HarbourKit

for (const finalityDepth of [1, 3]) {
  ChainSuite.suite(
    `simulated, of another family, final after ${finalityDepth}`,
    Harness.layer({ catalog, finalityDepth, kits: [kit] }, { chainId, kit }),
    kit,
  )
  NonceSuite.suite(
    `simulated, of another family, final after ${finalityDepth}`,
    Harness.layer({ catalog, finalityDepth, kits: [kit] }, { chainId, kit }),
    kit,
  )
}

/** Chains of both families, in one world. */
const everything = Catalog.make({
  ...Catalog.join(BuiltIn.catalog, catalog),
  families: Catalog.familiesOf([BuiltIn.catalog, catalog]),
})
const two: Options = { catalog: everything, kits: [Eip155Kit.kit, kit] }
const grounds: ReadonlyArray<Harness.Ground> = [
  { chainId: Eip155.chainId(1), kit: Eip155Kit.kit },
  { chainId, kit },
]
for (const ground of grounds) {
  ChainSuite.suite(
    `simulated, one world of two families, on ${ground.chainId}`,
    Harness.layer(two, ground),
    ground.kit,
  )
}

const assetOf = (flow: PaymentOption.Flow | undefined, on: Caip.ChainId = chainId) =>
  Catalog.assetsOf(everything, on).find((each) => each.flow === flow) ?? assert.fail(`no ${flow}`)

const below = (limit: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limit - 1 })))
const bytes = (minLength: number, maxLength: number) =>
  Arbitrary.map(Arbitrary.array(below(256), { minLength, maxLength }), (each) =>
    Uint8Array.from(each),
  )
const addresses = Arbitrary.map(bytes(32, 32), Harbour.addressOf)
const cases = Arbitrary.array(Arbitrary.schema(Schema.Boolean), { minLength: 60, maxLength: 60 })
/** Anything that a keyboard writes. */
const typed = Arbitrary.map(below(95), (index) => String.fromCharCode(0x20 + index))

describe("Harbour, addresses", () => {
  it.prop(
    "are accepted in any case, and printed in one",
    [addresses, cases],
    ([address, capitals]) => {
      const text = [...address]
        .map((letter, index) => (capitals[index] === true ? letter.toUpperCase() : letter))
        .join("")
      const account = Result.getOrThrow(Family.parseAccount(catalog, `${chainId}:${text}`))
      assert.deepStrictEqual(account, { chainId, address })
      assert.strictEqual(Family.formatAccount(catalog, account), `${chainId}:${address}`)
      const token = Result.getOrThrow(Family.parseToken(catalog, `${chainId}/coin:${text}`))
      assert.strictEqual(Family.formatToken(catalog, token), `${chainId}/coin:${address}`)
    },
    { arbitrary: { runs: Counts.of({ usual: 100, full: 2000 }) } },
  )

  it.prop(
    "are refused with any one letter changed",
    [addresses, typed],
    ([address, letter]) => {
      for (let index = 0; index < address.length; index++) {
        if (letter.toLowerCase() === address.charAt(index)) continue
        const text = `${address.slice(0, index)}${letter}${address.slice(index + 1)}`
        for (const checksum of ["enforced", "ignored"] as const) {
          assert.isTrue(Result.isFailure(family.parseAddress(text, checksum)), text)
        }
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 100, full: 2000 }) } },
  )
})

describe("Harbour, signatures", () => {
  const payer = kit.wallet(1)
  const asset = assetOf("pledge")
  const option: PaymentOption.PaymentOption = {
    paymentId: PaymentId.PaymentId.make("pay_harbour"),
    account: payer.account(chainId),
    accountText: Family.formatAccount(catalog, payer.account(chainId)),
    token: asset.token,
    flow: "pledge",
    quantity: price,
    fixedFee: Money.zero,
    payTo: kit.wallet(2).address,
    issuedAt: 1_790_000_000,
    expiresAt: 1_790_000_300,
  }
  const south = Caip.ChainId.make("harbour:south")
  const others: ReadonlyArray<Partial<PaymentOption.PaymentOption>> = [
    { paymentId: PaymentId.PaymentId.make("pay_another") },
    { account: kit.wallet(3).account(chainId) },
    { account: payer.account(south), token: assetOf("pledge", south).token },
    { token: assetOf("standing").token },
    { flow: "standing" },
    { flow: "hand" },
    { quantity: Money.Quantity.make(price + 1n) },
    { payTo: kit.wallet(3).address },
    { issuedAt: option.issuedAt + 1 },
    { expiresAt: option.expiresAt + 1 },
  ]

  it("are valid for their own option only", () => {
    const options = [{}, ...others].map((other) => {
      const changed = { ...option, ...other }
      return { asset: catalog.find(changed.token) ?? assert.fail("no asset"), option: changed }
    })
    for (const signed of options) {
      const signature = kit.signature(payer, signed)
      for (const chosen of options) {
        const isOwn = chosen === signed && chosen.option.account.address === payer.address
        assert.strictEqual(kit.isSigned(chosen, signature), isOwn)
      }
    }
  })
})

describe("Base32", () => {
  it("writes the examples of RFC 4648", () => {
    const examples = ["", "my", "mzxq", "mzxw6", "mzxw6yq", "mzxw6ytb", "mzxw6ytboi"]
    for (const [length, text] of examples.entries()) {
      assert.strictEqual(Base32.encode(utf8ToBytes("foobar".slice(0, length))), text)
    }
  })

  it.prop(
    "reads what it writes",
    [bytes(0, 70)],
    ([written]) => assert.deepStrictEqual(Base32.decode(Base32.encode(written)), written),
    { arbitrary: { runs: Counts.of({ usual: 500, full: 10_000 }) } },
  )

  /** Bits, most significant first, that fill bytes, and then less than a letter's worth of zeros. */
  const isEncoding = (text: string): boolean => {
    if (!/^[a-z2-7]*$/u.test(text)) return false
    const bits = [...text]
      .map((letter) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(letter))
      .map((value) => value.toString(2).padStart(5, "0"))
      .join("")
    return /^0{0,4}$/u.test(bits.slice(bits.length - (bits.length % 8)))
  }
  const letters = HostileText.of(["a", "b", "e", "i", "q", "y", "z", "2", "7", "aa", "A", "1", "="])
  const mutated = HostileText.near(["", "my", "mzxq", "mzxw6", "mzxw6yq", "mzxw6ytboi"])
  for (const [name, texts] of Object.entries({ letters, mutated })) {
    it.prop(
      `refuses every text that it does not write: ${name}`,
      [texts],
      ([text]) => {
        const read = Base32.decode(text)
        assert.strictEqual(read !== undefined, isEncoding(text), text)
        if (read !== undefined) assert.strictEqual(Base32.encode(read), text)
      },
      { arbitrary: { runs: Counts.of({ usual: 1000, full: 20_000 }) } },
    )
  }
})

describe("SimulatedChain, with two families of chains", () => {
  it.effect("offers the tokens of both, with collecting accounts of each family", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const offered = yield* chain.offered
      assert.deepStrictEqual(
        offered.map(({ asset }) => asset),
        [...BuiltIn.catalog.assets, ...catalog.assets],
      )
      for (const { asset, collectingAccounts } of offered) {
        const own = Family.of(everything, asset.token.chainId) ?? assert.fail("no family")
        assert.lengthOf(collectingAccounts, 2)
        for (const address of collectingAccounts) {
          assert.deepStrictEqual(own.parseAddress(address, "enforced"), Result.succeed(address))
        }
      }
    }).pipe(Effect.provide(SimulatedChain.layer(two))),
  )

  it.effect("returns the balances of accounts of both, on their own chains", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const world = yield* SimulatedChain
      const accounts = grounds.map((ground) => ground.kit.wallet(1).account(ground.chainId))
      const expected: Array<ReadonlyArray<string | bigint>> = []
      let quantity = 0n
      for (const account of accounts) {
        for (const { token } of Catalog.assetsOf(everything, account.chainId)) {
          quantity += 10n
          yield* world.mint(token, account.address, quantity)
          yield* world.setAllowance(token, account.address, quantity + 1n)
          expected.push([`${Caip.tokenKey(token)} of ${account.address}`, quantity, quantity + 1n])
        }
      }
      const named = accounts.map((account) => ({ account, accountText: "" }))
      const holdings = yield* chain.holdings(named, yield* chain.offered)
      assert.sameDeepMembers(
        holdings.map(({ account, allowance, balance, token }) => [
          `${Caip.tokenKey(token)} of ${account.address}`,
          balance,
          allowance,
        ]),
        expected,
      )
    }).pipe(Effect.provide(SimulatedChain.layer(two))),
  )

  /** Pays in a way that the family of the ground has, and answers where the money stands. */
  const paid = Effect.fnUntraced(function* (ground: Harness.Ground, role: Role) {
    const chain = yield* Chain
    const world = yield* SimulatedChain
    const on = ground.chainId
    const { flows, wallet } = ground.kit
    const asset = assetOf(role === "allowed" ? flows.allowed : flows.direct, on)
    const payer = wallet(1)
    const payTo = wallet(1_000_001).address
    const issuedAt = Fixtures.now / 1000
    const option: PaymentOption.PaymentOption = {
      paymentId: PaymentId.PaymentId.make(`pay_${role}`),
      account: payer.account(on),
      accountText: Family.formatAccount(everything, payer.account(on)),
      token: asset.token,
      flow: flows[role] ?? assert.fail(`no ${role} flow`),
      quantity: price,
      fixedFee: Money.zero,
      payTo,
      issuedAt,
      expiresAt: issuedAt + 300,
    }
    yield* world.mint(asset.token, payer.address, price)
    const texts = yield* payer.execute(
      yield* chain.actions({ asset, option }, Money.zero),
      world.node,
    )
    const isSent = role === "sent"
    const outputs = Result.getOrThrow(
      (Family.of(everything, on) ?? assert.fail("no family")).readOutputs(option.flow, texts),
    )
    const attempt = Fixtures.attemptOf(option, outputs)
    yield* chain.verify(attempt)
    const lane = { chainId: on, sender: payTo }
    const nonce = (yield* chain.nonceFloor(lane)) ?? 0
    const relayed = isSent ? null : yield* chain.sign(lane, nonce, { _tag: "Collect", attempt })
    if (relayed !== null) yield* chain.broadcast(relayed)
    return yield* chain.look({ movement: Payment.movement(attempt), relayed, attempt })
  })

  for (const role of ["direct", "allowed", "sent"] as const) {
    it.effect(`collects a payment on each: ${role}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Fixtures.now)
        const world = yield* SimulatedChain
        for (const ground of grounds) {
          assert.strictEqual(tag(yield* paid(ground, role)), "Final")
        }
        const held = (yield* world.balances).filter(({ quantity }) => quantity > 0n)
        assert.deepStrictEqual(
          held.map(({ address, quantity, token }) => [token.chainId, address, quantity]),
          grounds.map((ground) => [ground.chainId, ground.kit.wallet(1_000_001).address, price]),
        )
      }).pipe(Effect.provide(SimulatedChain.layer({ ...two, blocks: "instant" }))),
    )
  }
})
