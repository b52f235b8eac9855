import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as Limits from "@florin/core/domain/Limits"
import * as Money from "@florin/core/domain/Money"
import * as PaymentId from "@florin/core/domain/PaymentId"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as Seal from "@florin/core/domain/Seal"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result, Schema } from "effect"
import * as Samples from "./samples.ts"

const { nowInS, option, otherPaymentId, paymentId, sealKey } = Samples
const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))

const read = (text: string, key = sealKey) => PaymentOption.read(text, paymentId, key)
const isNotFound = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) && result.failure._tag === "OptionNotFound"

describe("PaymentOption.id", () => {
  it("carries the whole option", () => {
    for (const flow of PaymentOption.flows) {
      const nonces = [0n, 7n, Limits.maxQuantity].map(Samples.quantity)
      const originals =
        flow === "permit"
          ? nonces.map((permitNonce) => option({ flow, permitNonce }))
          : [option({ flow })]
      for (const original of originals)
        assert.deepStrictEqual(read(PaymentOption.id(original, sealKey)), Result.succeed(original))
    }
  })

  it("of a permit is none without its nonce, and tells nonces apart", () => {
    assert.isTrue(isNotFound(read(PaymentOption.id(option({ flow: "permit" }), sealKey))))
    const [one, two] = [1n, 2n].map((nonce) =>
      PaymentOption.id(option({ flow: "permit", permitNonce: Samples.quantity(nonce) }), sealKey),
    )
    assert.notStrictEqual(one, two)
  })

  it("gives the account back as the wallet wrote it, in whatever case", () => {
    const { address, chainId } = option().account
    const digits = address.slice(2)
    for (const text of [digits, digits.toUpperCase(), Caip.formatAddress(address).slice(2)]) {
      const accountText = `eip155:${chainId}:0x${text}`
      const decoded = read(PaymentOption.id(option({ accountText }), sealKey))
      assert.deepStrictEqual(
        Result.map(decoded, (each) => each.accountText),
        Result.succeed(accountText),
      )
    }
  })

  it("stays under the length of an id with the longest payment id and amounts", () => {
    const longest = PaymentId.PaymentId.make(`pay_${"z".repeat(64)}`)
    const text = PaymentOption.id(
      option({
        paymentId: longest,
        flow: "permit",
        quantity: Samples.quantity(Limits.maxQuantity),
        fixedFee: Samples.quantity(Limits.maxQuantity),
        permitNonce: Samples.quantity(Limits.maxQuantity),
      }),
      sealKey,
    )
    assert.isAtMost(text.length, Limits.optionIdMaxLength)
    assert.isTrue(Result.isSuccess(PaymentOption.read(text, longest, sealKey)))
  })

  it.prop(
    "reads back every quantity, time and chain",
    {
      quantity: Money.Quantity,
      fixedFee: Money.Quantity,
      issuedAt: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 40 - 1 })),
      chainId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    },
    ({ chainId, fixedFee, issuedAt, quantity }) => {
      const chain = Caip.ChainId.make(chainId)
      const original = option({
        quantity,
        fixedFee,
        issuedAt,
        expiresAt: issuedAt,
        token: { chainId: chain, address: Samples.address("5") },
        account: { chainId: chain, address: Samples.payer },
      })
      const decoded = read(PaymentOption.id(original, sealKey))
      assert.deepStrictEqual(decoded, Result.succeed(original))
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})

describe("PaymentOption.read", () => {
  it("does not find an id of another payment", () => {
    const text = PaymentOption.id(option({ paymentId: otherPaymentId }), sealKey)
    assert.isTrue(isNotFound(read(text)))
  })

  it("does not find an id that another service sealed", () => {
    assert.isTrue(isNotFound(read(PaymentOption.id(option(), sealKey), otherKey)))
  })

  it("does not find a text sealed for another purpose", () => {
    assert.isTrue(isNotFound(read(Seal.seal(sealKey, "cursor", new Uint8Array(100)))))
  })

  it("says what wallets look for in its message", () => {
    const refused = read("")
    assert.isTrue(Result.isFailure(refused) && refused.failure.message.includes("Option not found"))
  })

  it("refuses an id with any character changed, removed or added", () => {
    const text = PaymentOption.id(option(), sealKey)
    for (let index = 0; index < text.length; index++) {
      const changed = text.charAt(index) === "A" ? "B" : "A"
      assert.isTrue(isNotFound(read(text.slice(0, index) + changed + text.slice(index + 1))))
      assert.isTrue(isNotFound(read(text.slice(0, index) + text.slice(index + 1))))
    }
    for (const added of ["A", "=", "\n", " "]) {
      assert.isTrue(isNotFound(read(text + added)))
      assert.isTrue(isNotFound(read(added + text)))
    }
  })

  it("refuses authentic bytes that are no option: another format, too few, too many", () => {
    const text = PaymentOption.id(option(), sealKey)
    const bytes = Result.getOrThrow(Seal.open(sealKey, "option", text))
    const sealed = (changed: Uint8Array) => Seal.seal(sealKey, "option", changed)
    assert.isTrue(Result.isSuccess(read(sealed(bytes))))
    assert.isTrue(isNotFound(read(sealed(bytes.with(0, 2)))))
    assert.isTrue(isNotFound(read(sealed(bytes.with(1, 3)))))
    assert.isTrue(isNotFound(read(sealed(Uint8Array.of(...bytes, 0)))))
    for (let length = 0; length < bytes.length; length++) {
      assert.isTrue(isNotFound(read(sealed(bytes.slice(0, length)))))
    }
  })

  it("does not look at text longer than an id", () => {
    assert.isTrue(isNotFound(read("A".repeat(Limits.optionIdMaxLength + 1))))
  })

  it.prop(
    "answers hostile text with its own error",
    [HostileText.near([PaymentOption.id(option(), sealKey)])],
    ([text]) => {
      const answer = read(text)
      return text === PaymentOption.id(option(), sealKey)
        ? Result.isSuccess(answer)
        : isNotFound(answer)
    },
    { arbitrary: { runs: 10_000 } },
  )
})

describe("PaymentOption.requireLive", () => {
  const { expiresAt } = option()

  it("takes an option until the second before it ends", () => {
    assert.deepStrictEqual(
      PaymentOption.requireLive(option(), expiresAt - 1),
      Result.succeed(option()),
    )
    assert.isFalse(PaymentOption.isExpired(option(), expiresAt - 1))
  })

  it("refuses it from then on", () => {
    for (const at of [expiresAt, expiresAt + 1]) {
      const refused = PaymentOption.requireLive(option(), at)
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "OptionExpired")
      assert.isTrue(
        Result.isFailure(refused) && refused.failure.message.includes("ask for the payment's"),
      )
    }
  })
})

describe("PaymentOption.authorizationNonce", () => {
  it("is 32 bytes that follow from the option", () => {
    assert.match(PaymentOption.authorizationNonce(option()), /^0x[0-9a-f]{64}$/u)
    assert.strictEqual(
      PaymentOption.authorizationNonce(option()),
      PaymentOption.authorizationNonce(option()),
    )
  })

  it("differs with everything that the payer authorizes", () => {
    const variants = [
      option(),
      option({ paymentId: otherPaymentId }),
      option({ token: Samples.usdcOnBsc.token }),
      option({ token: { ...option().token, address: Samples.address("1") } }),
      option({ account: { ...option().account, address: Samples.address("2") } }),
      option({ payTo: Samples.address("3") }),
      option({ quantity: Samples.quantity(10_000_001n) }),
      option({ issuedAt: nowInS + 1 }),
      option({ expiresAt: nowInS + 301 }),
    ]
    const nonces = new Set(variants.map(PaymentOption.authorizationNonce))
    assert.strictEqual(nonces.size, variants.length)
  })

  it("does not depend on how the wallet wrote its account", () => {
    assert.strictEqual(
      PaymentOption.authorizationNonce(option({ accountText: "eip155:8453:0xab" })),
      PaymentOption.authorizationNonce(option()),
    )
  })
})

describe("PaymentOption", () => {
  it("lets the authorization outlive the option by the grace", () => {
    assert.strictEqual(PaymentOption.authorizationEndsAt(option()), nowInS + 600)
  })

  it("is after what was mined before it, but for a chain whose clock is behind", () => {
    const { issuedAt } = option()
    const oldest = issuedAt - Limits.chainClockBehindMaxInS
    assert.isFalse(PaymentOption.isAfter(option(), issuedAt + 1))
    assert.isFalse(PaymentOption.isAfter(option(), oldest))
    assert.isTrue(PaymentOption.isAfter(option(), oldest - 1))
  })
})
